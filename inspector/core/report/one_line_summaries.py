"""What is wrong with a session, and what its repair does, in a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import SessionReport
from inspector.core.providers.profile import OPEN_CALL_RULES
from inspector.core.report.sentences import loss_sentences, rule_title

if TYPE_CHECKING:
    from inspector.core.repair.plan import Plan

_FEW = 3  # losses that are listed
_CALLS_WITHOUT_RESULT = (*OPEN_CALL_RULES, "C1", "C3")
_RESULTS_WITHOUT_CALL = ("R1", "R12", "C2")

# What a repair does that takes a strategy once, and {count} times.
STRATEGY_PHRASES = {
    "answer": ("adds 1 placeholder result", "adds {count} placeholder results"),
    "recover": ("recovers 1 result", "recovers {count} results"),
    "adopt": ("copies 1 result from another log", "copies {count} results from another log"),
    "move": ("moves 1 result or message to its place", "moves {count} results or messages to their places"),
    "merge": ("merges 1 split message", "merges {count} split messages"),
    "invent-call": ("invents 1 call", "invents {count} calls"),
    "undo-placeholder": ("removes 1 placeholder", "removes {count} placeholders"),
    "drop-call": ("drops 1 call", "drops {count} calls"),
    "drop-exchange": ("drops 1 message with its results", "drops {count} messages with their results"),
    "drop-message": ("drops 1 message", "drops {count} messages"),
    "drop": ("drops 1 item", "drops {count} items"),
    "keep-as-note": ("keeps 1 result as a note", "keeps {count} results as notes"),
    "keep-first": ("keeps the first of two items", "keeps the first of two items {count} times"),
    "keep-last": ("keeps the last of two items", "keeps the last of two items {count} times"),
    "rename": ("renames 1 id", "renames {count} ids"),
    "match": ("gives 1 result the id of its call", "gives {count} results the ids of their calls"),
    "reid": ("gives 1 record a new id", "gives {count} records new ids"),
    "relink": ("links 1 record to the one before it", "links {count} records to those before them"),
    "cut-tail": ("cuts the history short", "cuts the history short {count} times"),
    "normalise": ("corrects 1 value", "corrects {count} values"),
    "strip-reasoning": ("drops reasoning in 1 place", "drops reasoning in {count} places"),
    "replace-media": ("replaces 1 image or file with text", "replaces {count} images or files with text"),
    "prepend-user": ("adds 1 user message at the beginning", "adds {count} user messages at the beginning"),
    "reorder": ("reorders 1 message", "reorders {count} messages"),
    "bridge": ("adds 1 assistant note", "adds {count} assistant notes"),
    "quarantine": ("sets 1 damaged place aside", "sets {count} damaged places aside"),
    "salvage": (
        "recovers the readable part of 1 damaged place",
        "recovers the readable parts of {count} damaged places",
    ),
}


def problem_lines(session: SessionReport) -> Iterator[str]:
    """Yield a line with the errors of a session by kind and their counts, none where there are no errors."""
    counts = session.findings.count_rules(Severity.ERROR)
    calls = sum(counts.pop(rule, 0) for rule in _CALLS_WITHOUT_RESULT)
    results = sum(counts.pop(rule, 0) for rule in _RESULTS_WITHOUT_CALL)
    parts = []
    if calls:
        parts.append("1 tool call has no result" if calls == 1 else f"{calls:,} tool calls have no result")
    if results:
        parts.append("1 result has no call" if results == 1 else f"{results:,} results have no call")
    parts += (
        rule_title(rule).removesuffix(".") + (f" ({count:,} times)" if count > 1 else "")
        for rule, count in counts.items()
    )
    if parts:
        yield f"  {'. '.join(parts)}."


def repair_lines(plan: Plan) -> Iterator[str]:
    """Yield what a repair loses, and what it does: two lines."""
    losses = plan.draft.losses
    if losses:
        more = f"; and {len(losses) - _FEW} more" if len(losses) > _FEW else ""
        yield f"  Lost    {'; '.join(loss_sentences(losses[:_FEW], plan.draft.log))}{more}."
    elif plan.loses_nothing:
        yield "  Lost    Nothing."
    does = strategies_line(plan.chosen.values())
    if does:
        yield f"  Repair  It {does}; nothing else changes."


def strategies_line(strategies: Iterable[str]) -> str:
    """Return what a repair does that takes these strategies, the most frequent first; "" if it does nothing."""
    counts = Counter(name for name in strategies if name != "leave")
    phrases = ((STRATEGY_PHRASES[name], count) for name, count in counts.most_common())
    return ", ".join(once if count == 1 else often.format(count=f"{count:,}") for (once, often), count in phrases)
