"""The name of a tool: a result goes by that of the call which it answers."""

from inspector.core.index.views import UNNAMED
from inspector.core.scene.other_ids import call_of
from inspector.core.scene.scene import Scene


def name_of(scene: Scene, tool: int) -> str:
    """The name in a tool block, for a result without one that of its call; "" where neither has one."""
    names, rows = scene.columns.names, scene.pairing.rows
    name = names[rows[tool]]
    if name is None and (call := call_of(scene, tool)) >= 0:
        name = names[rows[call]]
    return name or ""


def tool_name(scene: Scene, tool: int) -> str:
    """The tool's name in a sentence."""
    return name_of(scene, tool) or UNNAMED
