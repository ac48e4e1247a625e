"""Rules about calls that have no result."""

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.open_calls import OpenCallKind, describe_pending_call, open_calls
from inspector.core.analysis.unmatched_results import tool_label
from inspector.core.rules.rule import Hits, RepairStage, ThreadContext, open_call_rule, rule


@open_call_rule("D1", "interrupted-call", preconditions=("open",), may_run=True)
def interrupted_call(context: ThreadContext) -> Hits:
    """A call without a result at the end of the log.

    What it finds: a tool call in the last turn that nothing answers, when no sibling call of that turn was answered
    either.
    Why it hurts: the provider refuses every further request until the call has a result. On the command line it
    counts as interrupted, unless the agent is known to be at work: by --live, by a program that has the log open to write
    to it (Linux), or in the window because the log grows while it is shown.
    Example: u"fix it" | a{Bash}, and the log ends.
    Repairs: answer (a result that says none was recorded), or recover where the log holds the real one elsewhere;
    drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls(context, OpenCallKind.LAST_RESPONSE):
        text = f"The last call, to {tool_label(context, tool)}, has no result: the log ends before one was recorded."
        yield context.match_open_call("D1", tool, text)


@open_call_rule("D2", "unanswered-call", preconditions=("open",))
def unanswered_call(context: ThreadContext) -> Hits:
    """A call without a result in mid-history.

    What it finds: a tool call that nothing answers although the conversation went on.
    Why it hurts: the provider refuses the whole history, wherever the gap is.
    Example: u"fix it" | a{Bash} | u"stop" | a"ok"
    Repairs: answer (a result that says none was recorded), or recover where the log holds the real one elsewhere;
    drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls(context, OpenCallKind.CONVERSATION_WENT_ON):
        text = f"The call to {tool_label(context, tool)} has no result, and the conversation went on."
        yield context.match_open_call("D2", tool, text)


@open_call_rule("D3", "partly-answered-turn", preconditions=("open",))
def partly_answered_turn(context: ThreadContext) -> Hits:
    """A parallel turn in which only some calls have results.

    What it finds: an unanswered call beside others of the same response of the model that have results. Single calls of
    responses that followed one another are no such turn, however many of them are answered.
    Why it hurts: the provider wants one result for each call; dropping the whole message, as some agents do, turns
    the good results into orphans.
    Example: u | a{Read,Bash} | r(Read)
    Repairs: answer keeps everything, and so does recover where the log holds the real result elsewhere; drop-call loses
    the call; drop-exchange also loses the results of its siblings; cut-tail everything from this turn on.
    """
    for tool in open_calls(context, OpenCallKind.PARTLY_ANSWERED):
        text = f"The call to {tool_label(context, tool)} has no result, while other calls of the same turn have theirs."
        yield context.match_open_call("D3", tool, text)


@open_call_rule("D4", "unanswered-run", preconditions=("open",))
def consecutive_unanswered_messages(context: ThreadContext) -> Hits:
    """Consecutive assistant messages whose calls have no results.

    What it finds: neighbouring assistant messages with calls, all of them without results.
    Why it hurts: each call needs its own result; one placeholder for the last one is not enough.
    Example: u | a{A} | a{B} | u"go on"
    Repairs: answer (every call), or recover where the log holds the real result elsewhere; drop-call, drop-exchange,
    cut-tail.
    """
    for tool in open_calls(context, OpenCallKind.SEVERAL_RESPONSES):
        name = tool_label(context, tool)
        text = f"The call to {name} has no result; nor has any call of the assistant messages next to it."
        yield context.match_open_call("D4", tool, text)


@open_call_rule("D5", "broken-off-call", preconditions=("open",))
def broken_off_call(context: ThreadContext) -> Hits:
    """A call without a result in a message that was cut off.

    What it finds: a call without a result in a message of which the log says that it was aborted, failed, or was cut at a
    limit (stop_reason max_tokens, status incomplete, invalid_tool_calls, an error beside the message). One that has its
    result all the same is a pair like any other.
    Why it hurts: the provider refuses it as any call without a result. Its input may be cut as well, and programs that
    leave out such a message, or its results alone, break the pairs that it holds.
    Example: u | a{A}, stop_reason "max_tokens", and the conversation goes on
    Repairs: answer (a result that says none was recorded), or recover where the log holds the real one elsewhere;
    drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls(context, OpenCallKind.TRUNCATED):
        reason = context.truncation_reason(tool)
        text = f"The call to {tool_label(context, tool)} has no result: its message broke off ({reason})."
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
    """A call that is waiting for its result.

    What it finds: a call that the log marks as deferred or awaiting approval, the last call of an agent that is at work
    (which then runs), or one whose result may lie on the server.
    Why it hurts: it does not: waiting is not damage. Answer it only when it will never run.
    Example: u | a{Deploy}, with a hook_deferred_tool record for its id
    Repairs: leave; answer, drop-call, drop-exchange or cut-tail when the person decides that it will never run.
    """
    for tool in open_calls(context, OpenCallKind.PENDING):
        text = f"The call to {tool_label(context, tool)} is {describe_pending_call(context, tool)}."
        if context.session.missing_part_reason:
            name, why = tool_label(context, tool), context.session.missing_part_reason
            text = f"Whether the call to {name} has a result cannot be told: {why}."
        yield context.match_at_tool("D6", tool, text, severity=Severity.INFO)


@rule(
    "D7",
    "unlisted-call",
    RepairStage.LISTED_CALLS,
    ("normalise listing", "answer", "drop-call", "drop-exchange", "leave"),
    preconditions=("open",),
)
def call_missing_from_tool_calls(context: ThreadContext) -> Hits:
    """A call that the agent does not see.

    What it finds: a call without a result that stands among the content blocks alone (`tool_use`, `function_call`), and not
    in the list of calls that the agent reads (`tool_calls`). A call that stands in several fields is one call.
    Why it hurts: the provider is sent the block and wants its result, while the agent and what mends its history look
    through the list, find no call and answer none: "No tool output found for function call".
    Example: ai, content [function_call A], tool_calls [] | human"go on"
    Repairs: normalise (the call is listed as well, and then has its result put in), answer, drop-call, drop-exchange.
    """
    for tool in open_calls(context, OpenCallKind.UNLISTED):
        name = tool_label(context, tool)
        text = f"The call to {name} has no result, and stands where the provider finds it and the agent does not."
        yield context.match_at_tool("D7", tool, text)
