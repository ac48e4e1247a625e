"""Rules about results: those without a call, in the wrong place, or given more than once."""

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.unmatched_results import (
    UnmatchedResultKind,
    call_of_result,
    open_call_by_wrong_id_result,
    tool_label,
    unmatched_results_of_kind,
)
from inspector.core.model.columnar_index import BlockFlag, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import OUR_WORDING_NAME, placeholder_wording_name
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, orphan_rule, rule
from inspector.core.translation import tr

_MOVE = ("move", "keep-as-note", "drop", "leave")
_OF_ANOTHER_KIND = ("keep-as-note", "drop", "leave")  # the id alone would not match them
# Some rules examine every call, and enum comparisons are slow.
_RESULT, _PAIRED, _DUPLICATE = int(BlockKind.RESULT), int(PairingState.PAIRED), int(PairingState.DUPLICATE)
_ANSWERS = (_PAIRED, int(PairingState.AFTER_OTHER_CONTENT))


@orphan_rule("R1", "orphan-result", preconditions=("stray",))
def orphan_result(context: ThreadContext) -> Hits:
    """A result has no call.

    What it finds: a tool result whose id does not belong to any call in the log. If its call may be stored on the
    server, because the request names an earlier response, the result is only reported as info.
    Why it matters: the provider rejects the result. Still, the result may be the only evidence that something was done.
    Example:
      user    the summary
      result  of a call that is not in the log
    Repairs: keep-as-note (keeps its text, marked as quoted tool output), drop; invent-call (adds a call without input
    before the result; the call says that it was added, and the model sees a call that it may never have made).
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.ORPHAN):
        text = tr("The log does not contain the call of this result, {call_id!r}.", call_id=context.call_id(tool))
        if context.session.missing_part_reason:
            reason = context.session.missing_part_reason
            text = tr(
                "Cannot determine whether the call {call_id!r} was made, because {reason}.",
                call_id=context.call_id(tool),
                reason=reason,
            )
            yield context.match_at_tool("R1", tool, text, severity=Severity.INFO)
            continue
        yield context.match_orphan_result("R1", tool, text, orphan_result.strategies)


@rule("R10", "split-results", RepairStage.CONTENTS, ("merge", "leave"), preconditions=("together",), in_request=True)
def split_results(context: ThreadContext) -> Hits:
    """The results of one turn are split across several messages.

    What it finds: results of one assistant turn in two or more user messages. In formats in which calls can contain
    their own results, the rule also finds turns with some results in calls and others in messages, because these are
    sent as several messages.
    Why it matters: Anthropic reads adjacent user messages as one message, but Bedrock, Gemini and some gateways reject
    them. Strands Agents looks for the results only in the first message, and replaces the others with placeholders.
    Example:
      assistant  calls Read and Bash
      user       result of Read
      user       result of Bash
    Repairs: merge (puts the results into one message, or moves each result into its call; nothing is lost).
    """
    if context.format.inline_results and "R10" in context.profile.refusals:
        yield from _apart_from_calls(context)
    if not context.format.needs_results_together:
        return
    pairing, kinds = context.pairing, context.columns.block_kinds
    rows, at, turns, path = pairing.block_rows, pairing.path_positions, pairing.turns, pairing.path
    seen: dict[int, int] = {}
    for tool, state in enumerate(pairing.states):
        if state != _PAIRED or kinds[rows[tool]] != _RESULT:
            continue
        record = path[at[tool]]
        if seen.setdefault(turns[at[tool]], record) != record:
            yield _split(context, tool)


def _apart_from_calls(context: ThreadContext) -> Hits:
    """Yield results in messages of their own, where others of the turn are in their calls or elsewhere."""
    pairing, kinds = context.pairing, context.columns.block_kinds
    places: dict[int, set[int]] = {}
    apart: list[tuple[int, int]] = []
    for tool, state in enumerate(pairing.states):
        if state != _PAIRED or kinds[pairing.block_rows[tool]] != _RESULT:
            continue
        call = pairing.counterparts[tool]
        turn, record = pairing.turn_of(call), pairing.record_of(tool)
        places.setdefault(turn, set()).add(record)
        if record != pairing.record_of(call):
            apart.append((turn, tool))
    for turn, tool in apart:
        if len(places[turn]) > 1:
            yield _split(context, tool)


def _split(context: ThreadContext, tool: int) -> RuleMatch:
    return context.match_at_tool(
        "R10",
        tool,
        tr(
            "The result of {tool_label} is not in the same message as the other results of its turn.",
            tool_label=tool_label(context, tool),
        ),
    )


@rule(
    "R11",
    "wrong-role",
    RepairStage.PLACES,
    ("move block", "keep-as-note aside", "drop", "leave"),
    preconditions=("misplaced",),
)
def call_or_result_in_wrong_role(context: ThreadContext) -> Hits:
    """A call or result is in a message with the wrong role.

    What it finds: a result in an assistant or system message, or a call in a user message.
    Why it matters: the provider accepts calls only in assistant messages, and results only in user (or tool) messages.
    Example:
      assistant  calls Read
      assistant  result of Read
    Repairs: move (moves the result to its call), keep-as-note, drop.
    """
    for tool in context.pairing.in_wrong_role:
        if context.columns.block_kinds[context.pairing.block_rows[tool]] == BlockKind.RESULT:
            default = "move" if context.pairing.counterparts[tool] >= 0 else "keep-as-note"
            of = (
                tr("a system")
                if context.columns.roles[context.tool_location(tool)[0]] == Role.SYSTEM
                else tr("an assistant")
            )
            yield context.match_at_tool("R11", tool, tr("A tool result is in {of} message.", of=of), default=default)
        else:
            text = tr(
                "A call to {tool_label} is in a message that is not an assistant message.",
                tool_label=tool_label(context, tool),
            )
            yield context.match_at_tool("R11", tool, text, default="drop", strategies=("drop", "leave"))


@orphan_rule("R12", "foreign-result", preconditions=("stray",))
def result_of_call_on_other_branch(context: ThreadContext) -> Hits:
    """A result belongs to a call on another branch.

    What it finds: a result on the path that the agent loads, if its call is in the log but not on that path. The call
    is on another branch or in a subagent.
    Why it matters: the provider rejects the result, because its call is missing.
    Example:
      a result of a subagent that was written into the main thread
    Repairs: keep-as-note, drop; invent-call (adds a call without input before the result; the call says that it was
    added).
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.CALL_OFF_PATH):
        text = tr(
            "The call of this result, {call_id!r}, is on another branch of the log.",
            call_id=context.call_id(tool),
        )
        yield context.match_orphan_result("R12", tool, text, result_of_call_on_other_branch.strategies)


@rule("R2", "early-result", RepairStage.PLACES, _MOVE, preconditions=("stray",), in_request=True)
def early_result(context: ThreadContext) -> Hits:
    """A result comes before its call.

    What it finds: a tool result that comes before the only call with the same id.
    Why it matters: the provider looks for the result after the call, and for the call before the result, so it rejects
    both of them.
    Example:
      result     of Read
      assistant  calls Read
    Repairs: move (moves the result to its call, if that call has no other result), keep-as-note, drop.
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.BEFORE_CALL):
        claimed = context.pairing.counterparts[tool] < 0
        yield context.match_at_tool(
            "R2",
            tool,
            tr("The result for {call_id!r} comes before its call.", call_id=context.call_id(tool)),
            default="keep-as-note" if claimed else "",
        )


@rule("R3", "displaced-result", RepairStage.PLACES, _MOVE, preconditions=("stray",), in_request=True)
def result_not_right_after_call(context: ThreadContext) -> Hits:
    """A result does not directly follow its call.

    What it finds: a result that is separated from its call by a user text, a reminder or a notification.
    Why it matters: the provider requires that the turn after the call begins with the results. OpenAI's Responses API
    finds an output by its id anywhere after the call, so the finding is only a warning for this API. DeepSeek's server
    does not find it.
    Example:
      assistant  calls Read
      user       hi
      result     of Read
    Repairs: move (nothing is lost), keep-as-note, drop (the call then gets a placeholder).
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.DISPLACED):
        label = tool_label(context, tool)
        text = tr(
            "The result of {label} does not directly follow its call, because another message comes between them.",
            label=label,
        )
        if context.pairing.states[tool] == PairingState.PAIRED:
            text = tr(
                "The agent ignores the result of {label}, because the result came after its exchange had ended.",
                label=label,
            )
        yield context.match_at_tool("R3", tool, text)


@rule("R4", "late-result", RepairStage.PLACES, _MOVE, preconditions=("stray",), in_request=True)
def result_after_later_assistant_message(context: ThreadContext) -> Hits:
    """A result appears after a later assistant message.

    What it finds: a result that is separated from its call by another assistant message.
    Why it matters: the provider rejects both the call without its result and the result without its call. Most repairs
    lose the real result in this case. OpenAI's Responses API finds the result by its id, so the finding is only a
    warning for this API.
    Example:
      assistant  calls Read
      user       hi
      assistant  hello
      result     of Read
    Repairs: move (nothing is lost), keep-as-note, drop.
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.LATE):
        text = tr(
            "The result of {tool_label} appears after a later assistant message.", tool_label=tool_label(context, tool)
        )
        yield context.match_at_tool("R4", tool, text)


@rule(
    "R5",
    "repeated-result",
    RepairStage.REPEATED_RESULTS,
    ("drop needless", "keep-first needless", "keep-last needless", "leave"),
    preconditions=("stray",),
    in_request=True,
)
def repeated_result(context: ThreadContext) -> Hits:
    """The same result appears twice.

    What it finds: a second result for a call, with the same content as the first.
    Why it matters: the provider accepts only one result per call.
    Example:
      assistant  calls Read
      result     of Read: x
      result     of Read: x
    Repairs: drop, keep-first or keep-last (they differ in which of the two results is removed; nothing is lost, because
    both have the same content).
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.REPEATED):
        text = tr(
            "The result of {tool_label} appears twice, with the same content.", tool_label=tool_label(context, tool)
        )
        yield context.match_at_tool("R5", tool, text)


@rule(
    "R6",
    "stale-placeholder",
    RepairStage.REPEATED_RESULTS,
    ("drop needless", "leave"),
    preconditions=("stray",),
    in_request=True,
)
def stale_placeholder(context: ThreadContext) -> Hits:
    """A call has both a placeholder and a real result.

    What it finds: a result whose whole text is a placeholder, if the call also has a real result, or a result without
    content, if the call also has a result with content. The two results can be in either order.
    Why it matters: the provider accepts only one result per call, and the real one must be kept.
    Example:
      assistant  calls Read
      result     a placeholder for Read
      user       a question
      result     of Read
    Repairs: drop (removes the placeholder or the empty result).
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.STALE):
        what = tr("A placeholder") if context.is_placeholder(tool) else tr("An empty result")
        yield context.match_at_tool(
            "R6",
            tool,
            tr(
                "{what} is in the log in addition to the real result of {tool_label}.",
                what=what,
                tool_label=tool_label(context, tool),
            ),
        )


@rule(
    "R7",
    "conflicting-result",
    RepairStage.REPEATED_RESULTS,
    ("keep-as-note second", "keep-first", "keep-last", "leave"),
    preconditions=("stray",),
    in_request=True,
)
def conflicting_result(context: ThreadContext) -> Hits:
    """One call has two different results.

    What it finds: a second result for a call whose content differs from that of the first result.
    Why it matters: the provider accepts only one result per call, and only you can tell which one is right.
    Example:
      assistant  calls Read
      result     of Read: x
      result     of Read: y
    Repairs: keep-as-note (keeps the first, and turns the second into quoted text), keep-first, keep-last.
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.CONFLICTING):
        called = tool_label(context, call_of_result(context, tool))
        yield context.match_at_tool(
            "R7", tool, tr("The call to {called} has a second, different result.", called=called)
        )


@rule(
    "R8",
    "mismatched-result",
    RepairStage.MISMATCHES,
    ("match", "invent-call", "keep-as-note", "drop", "leave"),
    preconditions=("stray",),
    default="keep-as-note",
    in_request=True,
)
def call_result_id_mismatch(context: ThreadContext) -> Hits:
    """The ids of adjacent calls and results do not match.

    What it finds: calls without a result, directly followed by the same number of results whose ids do not belong to
    any call. If there are several calls and results, they are matched in order.
    Why it matters: the provider rejects all of them. They may belong together, because some gateways rewrite ids, but
    this is not certain.
    Example:
      assistant  calls with the ids A and B
      result     of X
      result     of Y
    Repairs: match (gives the result the id of the call, so use it only if you are sure), keep-as-note, drop;
    invent-call (adds a call without input before the result; the call says that it was added).
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.WRONG_ID):
        if context.call_id(open_call_by_wrong_id_result(context)[tool]) == context.call_id(tool):
            text = tr("This result has the id of the call before it, but the wrong type for that call.")
            yield context.match_at_tool("R8", tool, text, strategies=_OF_ANOTHER_KIND)
        else:
            named = context.call_id(tool)
            text = tr("No call has the id of this result ({named!r}), and an earlier call has no result.", named=named)
            yield context.match_orphan_result("R8", tool, text, call_result_id_mismatch.strategies)


@rule(
    "R9",
    "result-after-text",
    RepairStage.PLACES,
    ("move before-text", "leave"),
    preconditions=("stray", "apart"),
    in_request=True,
)
def result_after_text(context: ThreadContext) -> Hits:
    """A result comes after other content in its message.

    What it finds: a message with text before a result, or, in Gemini contents, any other part next to the responses.
    Why it matters: Anthropic requires that a message begins with its results. Gemini accepts nothing else in such a
    message ("Requests ending with a model turn are not supported." or a wrong count of parts,
    vellum-ai/vellum-assistant#39495).
    Example:
      assistant  calls Read
      user       "note", then the result of Read
    Repairs: move (moves the result to before the text, or for Gemini all results to a separate content; nothing is
    lost).
    """
    if context.profile.requires_results_alone and context.format.profile == context.profile.name:
        yield from _not_alone(context)
        return
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.AFTER_TEXT):
        yield context.match_at_tool(
            "R9",
            tool,
            tr(
                "The result of {tool_label} comes after text in the same message.", tool_label=tool_label(context, tool)
            ),
        )


def _not_alone(context: ThreadContext) -> Hits:
    """Yield one match for each message in which results of the calls right before it come with other content."""
    kinds, seen = context.columns.block_kinds, set()
    for tool, state in enumerate(context.pairing.states):
        if state not in _ANSWERS or kinds[context.pairing.block_rows[tool]] != _RESULT:
            continue
        record = context.pairing.record_of(tool)
        if record in seen or context.columns.roles[record] == Role.ASSISTANT:
            continue  # an assistant's call that holds its own result is sent apart
        seen.add(record)
        if any(kinds[row] != _RESULT for row in context.columns.block_rows(record)):
            text = tr(
                "The message with the result of {tool_label} also contains other content.",
                tool_label=tool_label(context, tool),
            )
            yield context.match_at_tool("R9", tool, text)


@rule(
    "R13",
    "placeholder-result",
    RepairStage.PLACEHOLDERS,
    ("undo-placeholder", "leave"),
    preconditions=("placeholder",),
    default="leave",
    in_request=True,
)
def placeholder_result(context: ThreadContext) -> Hits:
    """A result is a placeholder.

    What it finds: a result that is at the right place, but whose whole text is a known placeholder that a program wrote
    because it had no result. No tool returned it.
    Why it matters: the provider accepts a placeholder. But the call may have run, even though some placeholders say
    that it was cancelled or that it failed.
    Example:
      assistant  calls Read
      result     aborted
    Repairs: leave, undo-placeholder (removes the placeholder, so that the call has no result again. Depending on your
    other choices, the call then gets a new placeholder, is dropped, or gets a real result that is found elsewhere. A
    placeholder is not removed if the same text would be added again, unless you choose this repair for that finding).
    """
    if not context.columns.has_flag(BlockFlag.PLACEHOLDER):
        return
    flags, kinds, states = context.columns.block_flags, context.columns.block_kinds, context.pairing.states
    for tool, row in enumerate(context.pairing.block_rows):
        if not flags[row] & BlockFlag.PLACEHOLDER or kinds[row] != _RESULT or states[tool] == _DUPLICATE:
            continue
        if context.pairing.counterparts[tool] >= 0:
            system = (
                OUR_WORDING_NAME
                if flags[row] & BlockFlag.OUR_PLACEHOLDER
                else placeholder_wording_name(context.placeholder_text(tool))
            )
            whose = (
                tr("written by Transcript Inspector")
                if system == OUR_WORDING_NAME
                else tr("that {system} writes", system=system or tr("some program"))
            )
            text = tr(
                "The result of {tool_label} is a placeholder {whose}, not the output of a tool.",
                tool_label=tool_label(context, tool),
                whose=whose,
            )
            yield context.match_at_tool("R13", tool, text)
