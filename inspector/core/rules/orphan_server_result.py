"""A result of the provider's own tool without its call.

What it finds: a block such as web_search_tool_result, advisor_tool_result, mcp_tool_result or one of code execution
with no call of its id before it in its turn.
Why it hurts: Anthropic refuses the history: "unexpected `tool_use_id` found in `advisor_tool_result` blocks: …. Each
`advisor_tool_result` block must have a corresponding `server_tool_use` block before it."
Example: u | a sr(S)"t" | u
Repairs: drop (the block alone; the message, too, where nothing else is in it. Signed reasoning beside it goes with it).

Sources: anthropics/claude-code #64383, #66548, #80439, #84783.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.server_tools import unpaired_server_tools

CODE = "X2"
ROW = Row("orphan-server-result", Stage.BOUND_BLOCKS, ("drop server", "leave"))


def find(scene: Scene) -> Hits:
    columns = scene.columns
    for row, record in unpaired_server_tools(scene).orphans:
        which = columns.call_ids[row] or "without an id"
        yield Hit(
            rule=CODE,
            message=f"The result {which} of the provider's own tool has no call before it in its turn.",
            record=record,
            ordinal=row - columns.first[record],
        )
