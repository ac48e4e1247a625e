"""What is wrong with a session, and what its repair does, in a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.check.causes import find_likely_cause
from inspector.core.check.check import SessionReport
from inspector.core.report.sentences import loss_sentences, rule_title

if TYPE_CHECKING:
    from inspector.core.repair.plan import Plan

_FEW = 3  # losses that are listed
_CALLS_WITHOUT_RESULT = ("D1", "D2", "D3", "D4", "D5", "C1", "C3")
_RESULTS_WITHOUT_CALL = ("R1", "R12", "C2")

# What a repair does that takes a strategy once, and {count} times.
STRATEGY_PHRASES = {
    "answer": ("adds 1 placeholder result", "adds {count} placeholder results"),
    "recover": ("recovers 1 result", "recovers {count} results"),
    "adopt": ("copies 1 result from another log", "copies {count} results from another log"),
    "move": ("moves 1 result to its call", "moves {count} results to their calls"),
    "merge": ("merges 1 split message", "merges {count} split messages"),
    "invent-call": ("invents 1 call", "invents {count} calls"),
    "undo-placeholder": ("removes 1 placeholder", "removes {count} placeholders"),
    "drop-call": ("drops 1 call", "drops {count} calls"),
    "drop-exchange": ("drops 1 message with its results", "drops {count} messages with their results"),
    "drop-message": ("drops 1 message", "drops {count} messages"),
    "drop": ("drops 1 result or repeated call", "drops {count} results or repeated calls"),
    "keep-as-note": ("keeps 1 result as a note", "keeps {count} results as notes"),
    "keep-first": ("keeps the first of 2 results once", "keeps the first of 2 results {count} times"),
    "keep-last": ("keeps the last of 2 results once", "keeps the last of 2 results {count} times"),
    "rename": ("renames 1 id", "renames {count} ids"),
    "match": ("gives 1 result the id of its call", "gives {count} results the ids of their calls"),
    "reid": ("gives 1 record a new id", "gives {count} records new ids"),
    "relink": ("links 1 record to the one before it", "links {count} records to those before them"),
    "cut-tail": ("cuts the history back once", "cuts the history back {count} times"),
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


def problem_line(session: SessionReport) -> str:
    """Return the errors of a session by kind with their counts, "" where there are none."""
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
    return f"{'. '.join(parts)}." if parts else ""


def repair_lines(plan: Plan) -> Iterator[str]:
    """Yield what a repair loses, and what it does: two lines."""
    losses = plan.draft.losses
    if losses:
        more = f"; and {len(losses) - _FEW} more" if len(losses) > _FEW else ""
        yield f"Lost: {'; '.join(loss_sentences(losses[:_FEW], plan.draft.log))}{more}."
    else:
        yield "Lost: nothing."
    yield f"The repair {strategies_line(plan.chosen.values())}; nothing else changes."


def strategies_line(strategies: Iterable[str]) -> str:
    """Return what a repair does that takes these strategies, the most frequent first; "" if it does nothing."""
    counts = Counter(name for name in strategies if name != "leave")
    phrases = ((STRATEGY_PHRASES[name], count) for name, count in counts.most_common())
    return ", ".join(once if count == 1 else often.format(count=f"{count:,}") for (once, often), count in phrases)


def cause_line(session: SessionReport) -> str:
    """Return the likely cause of what is wrong, "" where none is known."""
    likely = find_likely_cause(session)
    return f"Likely cause: {likely.cause.explanation} ({likely.cause.url})" if likely else ""
