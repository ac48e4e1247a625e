"""Half of a surrogate pair.

What it finds: an escape such as \\ud83d without its other half, as a cut in the middle of an emoji leaves it.
Why it hurts: the provider refuses the request body, at every turn.
Example: "cut here \\ud83d"
Repairs: normalise (the half becomes U+FFFD), quarantine (the record is kept beside the output).
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene
from inspector.core.scene.damage import damaged

CODE = "F7"
SLUG = "lone-surrogate"
STRATEGIES = ("normalise", "quarantine", "leave")
DEFAULT = "normalise"
LOSES_RECORDS = True


def find(scene: Scene) -> Iterator[Hit]:
    yield from damaged(scene, CODE)
