"""What is wrong with a session, and what its repair does, in a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import SessionReport
from inspector.core.providers.profile import OPEN_CALL_RULES
from inspector.core.report.sentences import loss_sentences, rule_title
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.repair.plan import Plan

_FEW = 3  # losses that are listed
_CALLS_WITHOUT_RESULT = (*OPEN_CALL_RULES, "C1", "C3")
_RESULTS_WITHOUT_CALL = ("R1", "R12", "C2")

# What a repair does that takes a strategy once, and {count} times.
STRATEGY_PHRASES = {
    "answer": (tr("adds 1 placeholder result"), tr("adds {count} placeholder results")),
    "recover": (tr("recovers 1 result"), tr("recovers {count} results")),
    "adopt": (tr("copies 1 result from another log"), tr("copies {count} results from another log")),
    "move": (tr("moves 1 result or message to its place"), tr("moves {count} results or messages to their places")),
    "merge": (tr("merges 1 split message"), tr("merges {count} split messages")),
    "invent-call": (tr("invents 1 call"), tr("invents {count} calls")),
    "undo-placeholder": (tr("removes 1 placeholder"), tr("removes {count} placeholders")),
    "drop-call": (tr("drops 1 call"), tr("drops {count} calls")),
    "drop-exchange": (tr("drops 1 message with its results"), tr("drops {count} messages with their results")),
    "drop-message": (tr("drops 1 message"), tr("drops {count} messages")),
    "drop": (tr("drops 1 item"), tr("drops {count} items")),
    "keep-as-note": (tr("keeps 1 result as a note"), tr("keeps {count} results as notes")),
    "keep-first": (tr("keeps the first of two items"), tr("keeps the first of two items {count} times")),
    "keep-last": (tr("keeps the last of two items"), tr("keeps the last of two items {count} times")),
    "rename": (tr("renames 1 id"), tr("renames {count} ids")),
    "match": (tr("gives 1 result the id of its call"), tr("gives {count} results the ids of their calls")),
    "reid": (tr("gives 1 record a new id"), tr("gives {count} records new ids")),
    "relink": (tr("links 1 record to the one before it"), tr("links {count} records to those before them")),
    "cut-tail": (tr("cuts the history short"), tr("cuts the history short {count} times")),
    "normalise": (tr("corrects 1 value"), tr("corrects {count} values")),
    "strip-reasoning": (tr("drops reasoning in 1 place"), tr("drops reasoning in {count} places")),
    "replace-media": (tr("replaces 1 image or file with text"), tr("replaces {count} images or files with text")),
    "prepend-user": (tr("adds 1 user message at the beginning"), tr("adds {count} user messages at the beginning")),
    "reorder": (tr("reorders 1 message"), tr("reorders {count} messages")),
    "bridge": (tr("adds 1 assistant note"), tr("adds {count} assistant notes")),
    "quarantine": (tr("sets 1 damaged place aside"), tr("sets {count} damaged places aside")),
    "salvage": (
        tr("recovers the readable part of 1 damaged place"),
        tr("recovers the readable parts of {count} damaged places"),
    ),
}


def problem_lines(session: SessionReport) -> Iterator[str]:
    """Yield a line with the errors of a session by kind and their counts, none where there are no errors."""
    counts = session.findings.count_rules(Severity.ERROR)
    calls = sum(counts.pop(rule, 0) for rule in _CALLS_WITHOUT_RESULT)
    results = sum(counts.pop(rule, 0) for rule in _RESULTS_WITHOUT_CALL)
    parts = []
    if calls:
        parts.append(
            tr("1 tool call has no result") if calls == 1 else tr("{calls:,} tool calls have no result", calls=calls)
        )
    if results:
        parts.append(
            tr("1 result has no call") if results == 1 else tr("{results:,} results have no call", results=results)
        )
    parts += (
        rule_title(rule).removesuffix(".") + (tr(" ({count:,} times)", count=count) if count > 1 else "")
        for rule, count in counts.items()
    )
    if parts:
        yield f"  {'. '.join(parts)}."


def repair_lines(plan: Plan) -> Iterator[str]:
    """Yield what a repair loses, and what it does: two lines."""
    losses = plan.draft.losses
    if losses:
        more = tr("; and {losses_count} more", losses_count=len(losses) - _FEW) if len(losses) > _FEW else ""
        yield f"  Lost    {'; '.join(loss_sentences(losses[:_FEW], plan.draft.log))}{more}."
    elif plan.loses_nothing:
        yield tr("  Lost    Nothing.")
    does = strategies_line(plan.chosen.values())
    if does:
        yield tr("  Repair  It {does}; nothing else changes.", does=does)


def strategies_line(strategies: Iterable[str]) -> str:
    """Return what a repair does that takes these strategies, the most frequent first; "" if it does nothing."""
    counts = Counter(name for name in strategies if name != "leave")
    phrases = ((STRATEGY_PHRASES[name], count) for name, count in counts.most_common())
    return ", ".join(once if count == 1 else often.format(count=f"{count:,}") for (once, often), count in phrases)
