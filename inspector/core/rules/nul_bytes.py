"""A run of NUL bytes.

What it finds: a line of NUL bytes, as a crash of the machine leaves it.
Why it hurts: the line is no JSON, and strict readers stop there.
Example: 300 NUL bytes in mid-file
Repairs: quarantine; salvage keeps a record that stands behind them.
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene
from inspector.core.scene.damage import damaged

CODE = "F3"
SLUG = "nul-bytes"
STRATEGIES = ("quarantine", "salvage", "leave")
DEFAULT = "quarantine"
LOSES_RECORDS = True


def find(scene: Scene) -> Iterator[Hit]:
    yield from damaged(scene, CODE)
