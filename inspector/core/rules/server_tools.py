"""Rules about the provider's own tools, whose calls and results are in one message, and about its search for tools."""

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.refused_content import unpaired_server_tools
from inspector.core.analysis.tool_references import refused_references, refused_tool
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule
from inspector.core.translation import tr


@rule(
    "X1", "unanswered-server-call", RepairStage.BOUND_BLOCKS, ("drop-call server", "leave"), preconditions=("server",)
)
def unanswered_server_call(context: ThreadContext) -> Hits:
    """A call to a server tool has no result.

    What it finds: a server_tool_use or mcp_tool_use block whose result is not in any message of its turn, because the
    stream broke off before the result. If the turn is still open, the call is waiting, and the provider runs it when
    the messages are sent as they are.
    Why it matters: Anthropic rejects the history: "`web_search` tool use with id `srvtoolu_…` was found without a
    corresponding `web_search_tool_result` block". A result in the user's turn does not count.
    Example:
      assistant  calls web_search (server tool), then text
      user       go on
    Repairs: drop-call (removes the block, or the whole message if it contains nothing else. Signed reasoning in the
    same message is also removed, because it is bound to the unchanged message).

    Sources: platform.claude.com, build-with-claude/handling-stop-reasons; AnswerDotAI/lisette#108.
    """
    columns = context.columns
    for row, record in unpaired_server_tools(context).unanswered:
        name = columns.names[row] or tr("a tool")
        yield _hit(
            tr("The call to the server tool {name} has no result in the same message.", name=name), row, record, context
        )
    for row, record in unpaired_server_tools(context).waiting:
        name = columns.names[row] or tr("a tool")
        waits = context.format.is_provider_api or context.live
        text = (
            tr(
                "The call to the server tool {name} has no result yet. If the history is sent unchanged, the "
                "provider runs the call."
            )
            if waits
            else tr("The call to the server tool {name} has no result yet, but the next user message ends the turn.")
        )
        yield _hit(tr(text, name=name), row, record, context, Severity.INFO if waits else None)


def _hit(text: str, row: int, record: int, context: ThreadContext, severity: Severity | None = None) -> RuleMatch:
    ordinal = row - context.columns.first_block[record]
    return RuleMatch(rule="X1", message=text, record=record, ordinal=ordinal, severity=severity)


@rule("X2", "orphan-server-result", RepairStage.BOUND_BLOCKS, ("drop server", "leave"), preconditions=("server",))
def orphan_server_result(context: ThreadContext) -> Hits:
    """A result from a server tool has no call.

    What it finds: a block such as web_search_tool_result, advisor_tool_result, mcp_tool_result or a code execution
    result, if no call with the same id comes before it in its turn.
    Why it matters: Anthropic rejects the history: "unexpected `tool_use_id` found in `advisor_tool_result` blocks: ….
    Each `advisor_tool_result` block must have a corresponding `server_tool_use` block before it."
    Example:
      assistant  result of web_search (server tool), then text
      user       go on
    Repairs: drop (removes the block, or the whole message if it contains nothing else. Signed reasoning in the same
    message is removed, too).

    Sources: anthropics/claude-code #64383, #66548, #80439, #84783.
    """
    columns = context.columns
    for row, record in unpaired_server_tools(context).orphans:
        which = columns.call_ids[row] or tr("without an id")
        yield RuleMatch(
            rule="X2",
            message=tr("The server tool result {which} has no call before it in the same turn.", which=which),
            record=record,
            ordinal=row - columns.first_block[record],
        )


@rule(
    "X3",
    "unavailable-tool-reference",
    RepairStage.BOUND_BLOCKS,
    ("normalise references", "leave"),
    preconditions=("error", "no-references"),
)
def unavailable_tool_reference(context: ThreadContext) -> Hits:
    """A result refers to a tool that is not available.

    What it finds: in the result of a tool search, a reference to the tool that the provider did not find, according to
    the last error of the log or the error given to `explain --error`. The log does not show which tools a request
    offers, so nothing is found without such an error. If the error says that the server does not accept references at
    all, or if you choose a chat template with --profile that does not accept them, the rule finds every reference.
    Why it matters: Anthropic rejects the history, and does so on every retry: "Tool reference 'DesignSync' not found in
    available tools".
    Example:
      assistant  calls ToolSearch
      result     tool_reference DesignSync
      (an error that names DesignSync)
    Repairs: normalise (replaces each reference with a text that names the tool, and reports the name as lost).
    Alternatively, make the tool available again by connecting its server, and continue.

    Sources: anthropics/claude-code #79970, #81863, #25212 (Bedrock), #77928 (chat template).
    Claude Code 2.1.112 and 2.1.330 leave out references to tools that they do not know themselves.
    """
    refusals = context.profile.refusals
    if "X3" not in refusals and "X3 unsupported" not in refusals:
        return
    name = refused_tool(context)
    for record, ordinal in refused_references(context):
        if name:
            text = tr(
                "This result refers to the tool {name}, which the provider did not find among the available tools.",
                name=name,
            )
        else:
            text = tr("This result contains a tool reference, which the server does not accept.")
        yield RuleMatch(rule="X3", message=text, record=record, ordinal=ordinal, case="" if name else "unsupported")
