"""A call to the provider's own tool without its result.

What it finds: a server_tool_use or mcp_tool_use block whose result is in no message of its turn: the stream broke off
between the two. One in a turn that is still open waits: the provider runs it when the messages are sent as they are.
Why it hurts: Anthropic refuses the history: "`web_search` tool use with id `srvtoolu_…` was found without a
corresponding `web_search_tool_result` block". A result in the user's turn is no answer to it.
Example: u | a s{S}"t" | u
Repairs: drop-call (the block alone; the message, too, where nothing else is in it. Signed reasoning beside it is bound
to the message as it was, and goes with it).

Sources: platform.claude.com, build-with-claude/handling-stop-reasons; AnswerDotAI/lisette#108.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.server_tools import unpaired_server_tools

CODE = "X1"
ROW = Row("unanswered-server-call", Stage.BOUND_BLOCKS, ("drop-call server", "leave"))


def find(scene: Scene) -> Hits:
    columns = scene.columns
    for row, record in unpaired_server_tools(scene).unanswered:
        name = columns.names[row] or "a tool"
        yield _hit(f"The call to the provider's own {name} has no result in its message.", row, record, scene)
    for row, record in unpaired_server_tools(scene).waiting:
        name = columns.names[row] or "a tool"
        waits = scene.format.api or scene.live
        text = f"The call to the provider's own {name} has no result yet"
        text += ": sent as it is, the provider runs it." if waits else ", and what is said next ends its turn."
        yield _hit(text, row, record, scene, Severity.INFO if waits else None)


def _hit(text: str, row: int, record: int, scene: Scene, severity: Severity | None = None) -> Hit:
    ordinal = row - scene.columns.first[record]
    return Hit(rule=CODE, message=text, record=record, ordinal=ordinal, severity=severity)
