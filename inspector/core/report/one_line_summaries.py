"""What is wrong with a session, and what its repair does, in a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import SessionReport
from inspector.core.providers.profile import OPEN_CALL_RULES
from inspector.core.report.sentences import enumerate_phrases, loss_sentences, rule_title
from inspector.core.translation import joined, mark_plural_forms, tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.repair.plan import Plan

_FEW = 3  # losses that are listed
_STEPS_ON_BUTTON = 2
_CALLS_WITHOUT_RESULT = (*OPEN_CALL_RULES, "C1", "C3")
_RESULTS_WITHOUT_CALL = ("R1", "R12", "C2")

# What a repair does that takes a strategy so many times.
STRATEGY_PHRASES: dict[str, Callable[[int], str]] = {
    "answer": lambda count: tr_plural("adds 1 placeholder result", "adds {number:,} placeholder results", count),
    "recover": lambda count: tr_plural("recovers 1 result", "recovers {number:,} results", count),
    "adopt": lambda count: tr_plural(
        "copies 1 result from another log", "copies {number:,} results from another log", count
    ),
    "move": lambda count: tr_plural(
        "moves 1 result or message to the correct position",
        "moves {number:,} results or messages to the correct positions",
        count,
    ),
    "merge": lambda count: tr_plural("merges 1 split message", "merges {number:,} split messages", count),
    "invent-call": lambda count: tr_plural("invents 1 call", "invents {number:,} calls", count),
    "undo-placeholder": lambda count: tr_plural("removes 1 placeholder", "removes {number:,} placeholders", count),
    "drop-call": lambda count: tr_plural("drops 1 call", "drops {number:,} calls", count),
    "drop-exchange": lambda count: tr_plural(
        "drops 1 message with its results", "drops {number:,} messages with their results", count
    ),
    "drop-message": lambda count: tr_plural("drops 1 message", "drops {number:,} messages", count),
    "drop": lambda count: tr_plural("drops 1 item", "drops {number:,} items", count),
    "keep-as-note": lambda count: tr_plural("keeps 1 result as a note", "keeps {number:,} results as notes", count),
    "keep-first": lambda count: tr_plural(
        "keeps the first of 2 items with the same id",
        "keeps the first of two items with the same id in {number:,} cases",
        count,
    ),
    "keep-last": lambda count: tr_plural(
        "keeps the last of 2 items with the same id",
        "keeps the last of two items with the same id in {number:,} cases",
        count,
    ),
    "rename": lambda count: tr_plural("renames 1 id", "renames {number:,} ids", count),
    "match": lambda count: tr_plural(
        "gives 1 result the id of its call", "changes the ids of {number:,} results to match their calls", count
    ),
    "reid": lambda count: tr_plural("gives 1 record a new id", "gives {number:,} records new ids", count),
    "relink": lambda count: tr_plural(
        "links 1 record to the record before it", "links {number:,} records to the records before them", count
    ),
    "cut-tail": lambda count: tr_plural(
        "cuts off the end of the history", "cuts off the end of {number:,} histories", count
    ),
    "normalise": lambda count: tr_plural("corrects 1 value", "corrects {number:,} values", count),
    "strip-reasoning": lambda count: tr_plural(
        "drops reasoning in 1 place", "drops reasoning in {number:,} places", count
    ),
    "replace-media": lambda count: tr_plural(
        "replaces 1 image or file with text", "replaces {number:,} images or files with text", count
    ),
    "prepend-user": lambda count: tr_plural(
        "adds 1 user message at the beginning", "adds {number:,} user messages at the beginning", count
    ),
    "reorder": lambda count: tr_plural("reorders 1 message", "reorders {number:,} messages", count),
    "bridge": lambda count: tr_plural("adds 1 assistant note", "adds {number:,} assistant notes", count),
    "quarantine": lambda count: tr_plural(
        "moves 1 damaged part to a separate file", "moves {number:,} damaged parts to a separate file", count
    ),
    "salvage": lambda count: tr_plural(
        "keeps the readable content of 1 damaged part",
        "keeps the readable content of {number:,} damaged parts",
        count,
    ),
}

# What the button of a repair says for a strategy, or for several that differ in detail only.
_ANSWER = mark_plural_forms("add 1 placeholder", "add {number:,} placeholders")
_MOVE = mark_plural_forms("move 1 item", "move {number:,} items")
_DROP = mark_plural_forms("drop 1 item", "drop {number:,} items")
_CORRECT = mark_plural_forms("make 1 correction", "make {number:,} corrections")
_BUTTON_PHRASES = {
    "answer": _ANSWER,
    "recover": mark_plural_forms("recover 1 result", "recover {number:,} results"),
    "adopt": mark_plural_forms("copy 1 result", "copy {number:,} results"),
    "move": _MOVE,
    "reorder": _MOVE,
    "drop": _DROP,
    "drop-message": mark_plural_forms("drop 1 message", "drop {number:,} messages"),
    "drop-call": mark_plural_forms("drop 1 call", "drop {number:,} calls"),
    "drop-exchange": mark_plural_forms("drop 1 call with its results", "drop {number:,} calls with their results"),
    "keep-as-note": mark_plural_forms("keep 1 result as a note", "keep {number:,} results as notes"),
    "quarantine": mark_plural_forms("set 1 damaged part aside", "set {number:,} damaged parts aside"),
    "salvage": mark_plural_forms("recover 1 damaged part", "recover {number:,} damaged parts"),
}
_OTHER_PARTS = mark_plural_forms("1 other part", "{number:,} other parts")
_LOST_PHRASES = {
    "result": mark_plural_forms("1 result", "{number:,} results"),
    "text": mark_plural_forms("1 text", "{number:,} texts"),
    "call": mark_plural_forms("1 call", "{number:,} calls"),
    "reasoning": mark_plural_forms("1 reasoning text", "{number:,} reasoning texts"),
    "media": mark_plural_forms("1 image or file", "{number:,} images or files"),
    "bytes": mark_plural_forms("1 damaged part", "{number:,} damaged parts"),
}


def problems_line(session: SessionReport) -> Iterator[str]:
    """Yield a line with the errors of a session by kind and their counts, none where there are no errors."""
    if problems := problem_sentences(session):
        yield f"  {problems}"


def problem_sentences(session: SessionReport) -> str:
    """Return the errors of a session by kind with their counts, "" where there are none."""
    counts = session.findings.count_rules(Severity.ERROR)
    calls = sum(counts.pop(rule, 0) for rule in _CALLS_WITHOUT_RESULT)
    results = sum(counts.pop(rule, 0) for rule in _RESULTS_WITHOUT_CALL)
    parts: list[str] = []
    if calls:
        parts.append(tr_plural("{number:,} tool call has no result.", "{number:,} tool calls have no result.", calls))
    if results:
        parts.append(tr_plural("{number:,} result has no call.", "{number:,} results have no call.", results))
    for rule, count in counts.items():
        title = rule_title(rule)
        parts.append(
            title if count == 1 else tr("{title} ({count:,} times).", title=title.removesuffix("."), count=count)
        )
    return joined(" ", parts) if parts else ""


def repair_lines(plan: Plan) -> Iterator[str]:
    """Yield what a repair loses, and what it does: two lines."""
    losses = plan.draft.losses
    if losses:
        listed, more = joined("; ", loss_sentences(losses[:_FEW], plan.draft.log)), len(losses) - _FEW
        yield (
            tr("  Lost    {losses}; and {more} more.", losses=listed, more=more)
            if more > 0
            else tr("  Lost    {losses}.", losses=listed)
        )
    elif plan.loses_nothing:
        yield tr("  Lost    Nothing.")
    does = repair_steps_phrase(plan.chosen.values())
    if does:
        yield tr("  Repair  The repair {does}. Nothing else changes.", does=does)


def repair_steps_phrase(strategies: Iterable[str]) -> str:
    """Return what a repair does that takes these strategies, the most frequent first; "" if it does nothing."""
    counts = Counter(name for name in strategies if name != "leave")
    phrases = [STRATEGY_PHRASES[name](count) for name, count in counts.most_common()]
    return enumerate_phrases(phrases) if phrases else ""


def repair_button_text(plan: Plan) -> str:
    """Return what a repair does and what it loses, for a button; "" for a repair that is not valid or does nothing."""
    if not plan.verified or plan.changes_nothing:
        return ""
    forms = Counter(_BUTTON_PHRASES.get(name, _CORRECT) for name in plan.chosen.values() if name != "leave")
    phrases = [tr_plural(*form, count) for form, count in forms.most_common()]
    if len(phrases) > _STEPS_ON_BUTTON:
        rest = sum(count for _, count in forms.most_common()[1:])
        phrases[1:] = [tr_plural("fix 1 more problem", "fix {number:,} more problems", rest)]
    steps = enumerate_phrases(phrases or [tr_plural(*_CORRECT, 1)])
    lost = Counter(loss.kind for loss in plan.draft.losses)
    if lost:
        losses = enumerate_phrases(
            [tr_plural(*_LOST_PHRASES.get(kind, _OTHER_PARTS), count) for kind, count in lost.most_common()]
        )
        return tr("Repair: {steps} (lost: {losses})", steps=steps, losses=losses)
    if plan.loses_nothing:
        return tr("Repair: {steps}, nothing lost", steps=steps)
    return tr("Repair: {steps}", steps=steps)
