"""The name of a tool: a result goes by that of the call which it answers."""

from inspector.core.index.views import UNNAMED_TOOL
from inspector.core.scene.other_ids import call_of_result
from inspector.core.scene.scene import ThreadContext


def recorded_tool_name(scene: ThreadContext, tool: int) -> str:
    """The name in a tool block, for a result without one that of its call; "" where neither has one."""
    names, rows = scene.columns.names, scene.pairing.block_rows
    name = names[rows[tool]]
    if name is None and (call := call_of_result(scene, tool)) >= 0:
        name = names[rows[call]]
    return name or ""


def tool_label(scene: ThreadContext, tool: int) -> str:
    """The tool's name in a sentence."""
    return recorded_tool_name(scene, tool) or UNNAMED_TOOL
