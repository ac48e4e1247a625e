"""Rules about calls that have no result."""

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.open_calls import OpenCallKind, open_calls_of_kind, pending_call_state
from inspector.core.analysis.unmatched_results import tool_label
from inspector.core.rules.rule import Hits, RepairStage, ThreadContext, open_call_rule, rule
from inspector.core.translation import tr


@open_call_rule("D1", "interrupted-call", preconditions=("open",), may_run=True)
def unanswered_call_at_end(context: ThreadContext) -> Hits:
    """A call at the end of the log has no result.

    What it finds: a tool call without a result in the last turn, if no other call in that turn has a result either.
    Why it matters: the provider rejects every further request until the call has a result. On the command line, the
    call counts as interrupted unless the agent is known to be running, because you passed --live or because a program
    has the log open for writing (Linux only). In the window, the agent also counts as running if the log grows while it
    is shown.
    Example:
      user       fix it
      assistant  calls Bash
      (end of the log)
    Repairs: answer (adds a placeholder that says no result was recorded), or recover if the log contains the real
    result elsewhere; drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.LAST_RESPONSE):
        text = tr(
            "The last call, a call to {tool_label}, has no result, because the log ends before a result was recorded.",
            tool_label=tool_label(context, tool),
        )
        yield context.match_open_call("D1", tool, text)


@open_call_rule("D2", "unanswered-call", preconditions=("open",))
def unanswered_call_in_middle(context: ThreadContext) -> Hits:
    """A call in the middle of the history has no result.

    What it finds: a tool call that has no result although the conversation continued.
    Why it matters: the provider rejects the whole history, no matter where in the history the result is missing.
    Example:
      user       fix it
      assistant  calls Bash
      user       stop
      assistant  ok
    Repairs: answer (adds a placeholder that says no result was recorded), or recover if the log contains the real
    result elsewhere; drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.CONVERSATION_WENT_ON):
        text = tr(
            "The call to {tool_label} has no result, but the conversation continued.",
            tool_label=tool_label(context, tool),
        )
        yield context.match_open_call("D2", tool, text)


@open_call_rule("D3", "partly-answered-turn", preconditions=("open",))
def partly_answered_turn(context: ThreadContext) -> Hits:
    """Only some of the parallel calls in a turn have results.

    What it finds: a call without a result, although other calls in the same model response have results. Calls of
    consecutive responses do not count as one turn, even if some of them have results.
    Why it matters: the provider requires one result per call. If the whole message is dropped, as some agents do, the
    existing results become orphans.
    Example:
      user       read the file, then run the tests
      assistant  calls Read and Bash
      result     of Read
    Repairs: answer keeps everything, and so does recover if the log contains the real result elsewhere. drop-call loses
    the call, drop-exchange also loses the results of the other calls, and cut-tail loses everything from this turn on.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.PARTLY_ANSWERED):
        text = tr(
            "The call to {tool_label} has no result, but other calls in the same turn have results.",
            tool_label=tool_label(context, tool),
        )
        yield context.match_open_call("D3", tool, text)


@open_call_rule("D4", "unanswered-run", preconditions=("open",))
def consecutive_unanswered_messages(context: ThreadContext) -> Hits:
    """Several assistant messages in a row contain calls without results.

    What it finds: adjacent assistant messages with calls, none of which has a result.
    Why it matters: each call needs its own result, so a single placeholder for the last call is not enough.
    Example:
      user       fix it
      assistant  calls Read
      assistant  calls Bash
      user       go on
    Repairs: answer (adds a placeholder for every call), or recover if the log contains the real result elsewhere;
    drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.SEVERAL_RESPONSES):
        name = tool_label(context, tool)
        text = tr("The call to {name} has no result, and neither do the calls in the neighboring messages.", name=name)
        yield context.match_open_call("D4", tool, text)


@open_call_rule("D5", "broken-off-call", preconditions=("open",))
def broken_off_call(context: ThreadContext) -> Hits:
    """A call has no result, because its message was cut off.

    What it finds: a call without a result in a message that, according to the log, was aborted, failed, or was cut off
    at a limit (signs are stop_reason max_tokens, status incomplete, invalid_tool_calls, or an error next to the
    message). If the call has a result, nothing is reported.
    Why it matters: the provider rejects such a call like any other call without a result. In addition, the input of the
    call may be incomplete. Programs that leave out such a message, or only its results, separate its calls from their
    results.
    Example:
      user       fix it
      assistant  calls Bash  (stop_reason "max_tokens")
      user       go on
    Repairs: answer (adds a placeholder that says no result was recorded), or recover if the log contains the real
    result elsewhere; drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.TRUNCATED):
        reason = context.truncation_reason(tool)
        text = tr(
            "The call to {tool_label} has no result, because its message was cut off ({reason}).",
            tool_label=tool_label(context, tool),
            reason=reason,
        )
        yield context.match_open_call("D5", tool, text)


@rule(
    "D6",
    "pending-call",
    RepairStage.UNMATCHED,
    ("leave", "answer", "drop-call", "drop-exchange", "cut-tail"),
    preconditions=("open",),
    adopts=True,
    in_request=True,
)
def pending_call(context: ThreadContext) -> Hits:
    """A call is waiting for its result.

    What it finds: a call that the log marks as deferred or awaiting approval, a call in the last model response if the
    agent is running, or a call whose result may be stored on the server.
    Why it matters: a waiting call is not a sign of damage. Add a result only if the call will never run.
    Example:
      user       deploy it
      assistant  calls Deploy
      (a hook_deferred_tool record for this call)
    Repairs: leave; answer, drop-call, drop-exchange or cut-tail if you know that the call will never run.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.PENDING):
        text = tr(
            "The call to {tool_label} is {describe_pending_call}.",
            tool_label=tool_label(context, tool),
            describe_pending_call=pending_call_state(context, tool),
        )
        if context.session.missing_part_reason:
            name, why = tool_label(context, tool), context.session.missing_part_reason
            text = tr("Cannot determine whether the call to {name} has a result, because {why}.", name=name, why=why)
        yield context.match_at_tool("D6", tool, text, severity=Severity.INFO)


@rule(
    "D7",
    "unlisted-call",
    RepairStage.LISTED_CALLS,
    ("normalise listing", "answer", "drop-call", "drop-exchange", "leave"),
    preconditions=("open",),
)
def call_missing_from_tool_calls(context: ThreadContext) -> Hits:
    """A call is not visible to the agent.

    What it finds: a call without a result that is only in the content blocks (`tool_use`, `function_call`), and not in
    the list of calls that the agent reads (`tool_calls`). A call that appears in several fields counts only once.
    Why it matters: the provider receives the block and requires its result. The agent, and programs that repair its
    history, read only the list, in which the call is missing, so they do not add a result. The provider then answers
    "No tool output found for function call".
    Example:
      assistant  content [function_call Read], tool_calls []
      user       go on
    Repairs: normalise (adds the call to the list, so that it then gets a result), answer, drop-call, drop-exchange.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.UNLISTED):
        name = tool_label(context, tool)
        text = tr("The call to {name} has no result. The provider sees this call, but the agent does not.", name=name)
        yield context.match_at_tool("D7", tool, text)
