"""Two ids for one call.

What it finds: a result that names its call by another of its ids: by that of the item (`fc_...`) where `call_id`
(`call_...`) is meant, by one half of "call_...|fc_...", or in the characters that a gateway made of it. Only where one
open call and one result fit. In the Responses API also an item that carries the call's id as its own.
Why it hurts: the provider compares ids letter by letter: the result is refused as one without a call, and the call as
one without a result. An item's own id has to begin with "fc".
Example: call id=fc_1 call_id=call_1 | output call_id=fc_1
Repairs: rename (the result gets the id that binds them; nothing is lost), keep-as-note, drop; normalise (an item's
wrong id goes: it is not needed).
"""

from collections.abc import Iterator

from inspector.core.columns import Flag
from inspector.core.scene import Hit, Scene

CODE = "K5"
SLUG = "second-id"
STRATEGIES = ("rename", "keep-as-note", "drop", "normalise", "leave")
DEFAULT = "rename"
_OF_A_RESULT = ("rename", "keep-as-note", "drop", "leave")
_OF_AN_ITEM = ("normalise", "leave")


def find(scene: Scene) -> Iterator[Hit]:
    for tool in scene.results.get(CODE, ()):
        call = scene.call_id(scene.by_other_id[tool])
        text = f"This result names its call {scene.call_id(tool)!r}; the id that binds them is {call!r}."
        yield scene.hit(CODE, tool, text, strategies=_OF_A_RESULT)
    for tool in _misnamed_items(scene):
        text = f"The item carries the id of the call, {scene.call_id(tool)!r}, as its own, too."
        yield scene.hit(
            CODE, tool, text, default="normalise", strategies=_OF_AN_ITEM, case="item", value=scene.call_id(tool)
        )


def _misnamed_items(scene: Scene) -> list[int]:
    """Calls whose item has an id that is none of an item's; an agent's log is not what it sends."""
    columns = scene.columns
    if not (scene.format.api and scene.format.items and columns.any_flagged(Flag.ERROR)):
        return []
    return [scene.tool_of_row[row] for row in scene.calls if columns.block_flags[row] & Flag.ERROR]
