"""Rules about the provider's own tools, whose calls and results are in one message, and about its search for tools."""

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.refused_content import unpaired_server_tools
from inspector.core.analysis.tool_references import refused_references, refused_tool
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule


@rule(
    "X1", "unanswered-server-call", RepairStage.BOUND_BLOCKS, ("drop-call server", "leave"), preconditions=("server",)
)
def unanswered_server_call(context: ThreadContext) -> Hits:
    """A server tool call without its result.

    What it finds: a server_tool_use or mcp_tool_use block whose result is in no message of its turn: the stream broke off
    between the two. One in a turn that is still open waits: the provider runs it when the messages are sent as they are.
    Why it hurts: Anthropic refuses the history: "`web_search` tool use with id `srvtoolu_…` was found without a
    corresponding `web_search_tool_result` block". A result in the user's turn is no answer to it.
    Example: u | a s{S}"t" | u
    Repairs: drop-call (the block alone; the message, too, where nothing else is in it. Signed reasoning beside it is bound
    to the message as it was, and goes with it).

    Sources: platform.claude.com, build-with-claude/handling-stop-reasons; AnswerDotAI/lisette#108.
    """
    columns = context.columns
    for row, record in unpaired_server_tools(context).unanswered:
        name = columns.names[row] or "a tool"
        yield _hit(f"The call to the provider's own {name} has no result in its message.", row, record, context)
    for row, record in unpaired_server_tools(context).waiting:
        name = columns.names[row] or "a tool"
        waits = context.format.is_provider_api or context.live
        text = f"The call to the provider's own {name} has no result yet"
        text += ": sent as it is, the provider runs it." if waits else ", and what is said next ends its turn."
        yield _hit(text, row, record, context, Severity.INFO if waits else None)


def _hit(text: str, row: int, record: int, context: ThreadContext, severity: Severity | None = None) -> RuleMatch:
    ordinal = row - context.columns.first_block[record]
    return RuleMatch(rule="X1", message=text, record=record, ordinal=ordinal, severity=severity)


@rule("X2", "orphan-server-result", RepairStage.BOUND_BLOCKS, ("drop server", "leave"), preconditions=("server",))
def orphan_server_result(context: ThreadContext) -> Hits:
    """A server tool result without its call.

    What it finds: a block such as web_search_tool_result, advisor_tool_result, mcp_tool_result or one of code execution
    with no call of its id before it in its turn.
    Why it hurts: Anthropic refuses the history: "unexpected `tool_use_id` found in `advisor_tool_result` blocks: …. Each
    `advisor_tool_result` block must have a corresponding `server_tool_use` block before it."
    Example: u | a sr(S)"t" | u
    Repairs: drop (the block alone; the message, too, where nothing else is in it. Signed reasoning beside it goes with it).

    Sources: anthropics/claude-code #64383, #66548, #80439, #84783.
    """
    columns = context.columns
    for row, record in unpaired_server_tools(context).orphans:
        which = columns.call_ids[row] or "without an id"
        yield RuleMatch(
            rule="X2",
            message=f"The result {which} of the provider's own tool has no call before it in its turn.",
            record=record,
            ordinal=row - columns.first_block[record],
        )


@rule(
    "X3",
    "unavailable-tool-reference",
    RepairStage.BOUND_BLOCKS,
    ("normalise references", "leave"),
    preconditions=("error",),
)
def unavailable_tool_reference(context: ThreadContext) -> Hits:
    """A reference to a tool that is not offered.

    What it finds: in a result of a search for tools, a reference to the tool that the provider missed, in the error that
    the log ends with. Which tools a request offers is not in the log, so that nothing is found without that error.
    Why it hurts: Anthropic refuses the history, at every further try: "Tool reference 'DesignSync' not found in available
    tools".
    Example: u | a{ToolSearch} | r(tool_reference X), and the error that names X
    Repairs: normalise (a text names the tool in the place of each reference; the name is listed as a loss). Or offer the
    tool again: connect its server, and go on.

    Sources: anthropics/claude-code #79970 and #81863. Claude Code 2.1.112 and 2.1.330 leave out references to tools that
    they do not know themselves.
    """
    if "X3" not in context.profile.refusals:
        return
    name = refused_tool(context)
    for record, ordinal in refused_references(context):
        text = (
            f"This result refers to the tool {name}, which the provider did not find among the tools that are offered."
        )
        yield RuleMatch(rule="X3", message=text, record=record, ordinal=ordinal)
