"""Rules about compactions: what a summary of the older history cuts apart."""

from inspector.core.analysis.compactions import cut_exchanges_by_tool_block, is_next_to_compaction
from inspector.core.analysis.finding import Severity
from inspector.core.analysis.open_calls import OpenCallKind, open_calls_of_kind
from inspector.core.analysis.unmatched_results import UnmatchedResultKind, tool_label, unmatched_results_of_kind
from inspector.core.model.session import ExchangeCutByCompaction
from inspector.core.model.views import UNNAMED_TOOL
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, open_call_rule, orphan_rule, rule
from inspector.core.translation import joined, tr, tr_plural


@open_call_rule("C1", "call-cut-from-result", preconditions=("open",))
def call_cut_from_result(context: ThreadContext) -> Hits:
    """The only result of a call comes before the compaction.

    What it finds: a call that the agent would load but whose only result is before the compaction, or a call without a
    result that is followed by a compaction.
    Why it matters: the agent sends the call without its result.
    Example:
      result     of Read
      (compaction)
      user       the summary
      assistant  calls Read
    Repairs: answer, drop-call, drop-exchange, cut-tail.
    """
    for tool in open_calls_of_kind(context, OpenCallKind.COMPACTED):
        text = tr(
            "The result of the call to {tool_label} comes before a compaction, so it is not sent.",
            tool_label=tool_label(context, tool),
        )
        if is_next_to_compaction(context, tool, 1):
            label = tool_label(context, tool)
            text = tr(
                "The call to {label} had no result when a compaction was recorded, and no result follows.", label=label
            )
        yield context.match_open_call("C1", tool, text)


@orphan_rule("C2", "result-cut-from-call", preconditions=("stray",))
def result_after_compaction(context: ThreadContext) -> Hits:
    """The call that a result belongs to was removed by a compaction.

    What it finds: a result that comes after a compaction although its call comes before it, or a result without a call
    right after a compaction.
    Why it matters: the agent loads the result without its call, and the provider rejects it.
    Example:
      assistant  calls Read
      (compaction)
      user       the summary
      result     of Read
    Repairs: keep-as-note, drop; invent-call (adds a call without input before the result; the call says that it was
    added).
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.COMPACTED):
        text = tr(
            "The call for this result, {call_id!r}, was removed by the compaction.", call_id=context.call_id(tool)
        )
        yield context.match_orphan_result("C2", tool, text, result_after_compaction.strategies)


@rule(
    "C3",
    "cut-exchange",
    RepairStage.CUT_EXCHANGES,
    ("move cut-off", "answer cut-off", "keep-as-note", "drop", "leave"),
    preconditions=("cut",),
    default="answer",
    ends_pass=True,
)
def cut_exchange(context: ThreadContext) -> Hits:
    """A compaction separated a call from its result.

    What it finds: a compaction that was recorded while a call had no result yet. After the compaction, the agent no
    longer expects the result. It ignores the result if it comes later, and loses the messages that were waiting for it.
    The rule also finds a compaction that keeps the newest messages but separates one of their calls from its result.
    Why it matters: the call remains in the history without its result, or the result remains without its call, and the
    agent does not repair this itself.
    Example:
      user       fix it
      assistant  calls Read
      (compaction)
      result     of Read
    Repairs: move (moves the result to before the compaction, or the cut to before the call; nothing is lost), answer
    (adds a placeholder before the compaction), keep-as-note, drop.
    """
    for tool, cut in cut_exchanges_by_tool_block(context).items():
        name = context.columns.names[cut.row] or UNNAMED_TOOL
        text = _cut_sentence(cut, name)
        if cut.cut_before >= 0:
            text = tr("A compaction separated the call to {name} from its result, and kept only the result.", name=name)
        strategies = ("move", "keep-as-note", "drop", "leave") if cut.result >= 0 else ("answer", "leave")
        if tool >= 0:
            yield context.match_at_tool("C3", tool, text, default=strategies[0], strategies=strategies)
            continue
        # The call went whole into the summary: that matters only when something else went with it.
        severity = Severity.ERROR if cut.lost_messages else Severity.INFO
        yield RuleMatch(
            rule="C3",
            message=text,
            record=cut.call,
            ordinal=cut.row - context.columns.first_block[cut.call],
            severity=severity,
            default=strategies[0],
            strategies=strategies,
        )


def _cut_sentence(cut: ExchangeCutByCompaction, name: str) -> str:
    """Return what a compaction between a call and its result did."""
    if cut.result >= 0:
        return tr(
            "A compaction was recorded while the call to {name} had no result. The agent ignores the result that came "
            "later.",
            name=name,
        )
    text = (
        tr(
            "A compaction was recorded while the call to {name} had no result. The call can no longer get a result.",
            name=name,
        )
        if cut.call_kept
        else tr(
            "A compaction was recorded while the call to {name} had no result. The call is now part of the summary.",
            name=name,
        )
    )
    if not cut.lost_messages:
        return text
    waited = tr_plural(
        "{number:,} message that was waiting for the result is lost.",
        "{number:,} messages that were waiting for the result are lost.",
        cut.lost_messages,
    )
    return joined(" ", (text, waited))
