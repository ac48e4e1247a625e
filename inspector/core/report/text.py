"""The report as text, for a terminal.

Merged; to be rewritten:
`offers`: The results that other logs hold for open calls, as JSON and as lines.
`repair_text`: What a repair does, as text.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.check import Report, SessionReport
from inspector.core.lazy import LazyModule
from inspector.core.model.locations import Locator
from inspector.core.model.session import AgentMemory, Log
from inspector.core.model.views import RecordLocation, one_based
from inspector.core.presentation.results import OfferedResult
from inspector.core.repair.choices import ResultOffers
from inspector.core.repair.edit_list import edits_of, with_places
from inspector.core.repair.edits import Edit
from inspector.core.repair.plan import Plan
from inspector.core.report.sentences import (
    MAX_ROWS,
    acceptance_sentence,
    loss_sentences,
    omitted_rows_line,
    place_text,
    session_sentence,
)
from inspector.core.text import count_phrase

if TYPE_CHECKING:
    from inspector.core.report import session_parts as causes
else:
    causes = LazyModule("inspector.core.report.session_parts")


def report_lines(report: Report) -> Iterator[str]:
    """A checked log, a few lines a session; healthy sessions of a log that holds many are only counted."""
    path = report.log.source.path
    yield f"{path}: {report.verdict.word} ({report.format.label})"
    shown = [session for session in report.sessions if session.findings or len(report.sessions) == 1]
    if len(report.sessions) > 1:
        yield f"  {len(report.sessions)} sessions, {len(report.sessions) - len(shown)} of them without findings"
    for session in shown:
        yield from _session_lines(session, several=len(report.sessions) > 1)
    for subagent in report.subagents:
        yield f"  beside it: {subagent.label}, {subagent.path}"


def _memory_lines(memory: AgentMemory | None) -> Iterator[str]:
    if memory is None or memory.matches_log:
        return
    yield f"  {memory.sentence}"
    for record, note in memory.notes[:MAX_ROWS]:
        yield f"    record {one_based(record)}: {note}"
    for disagreement in memory.disagreements:
        yield f"    {disagreement}"


def _refusals(finding: Finding, own: str) -> Iterator[str]:
    """What the session's own provider would answer, and which others refuse it too."""
    refused_by = finding.refused_by
    if own in refused_by:
        yield f"            {own} would answer: {refused_by[own]}"
    others = [name for name in refused_by if name != own]
    if others:
        yield f"            refused by {', '.join(others)}{' as well' if own in refused_by else ''}"


def _session_lines(session: SessionReport, several: bool) -> Iterator[str]:
    if several:
        yield f"  session {session.session.id}: {session.verdict.word}"
    yield f"  {session_sentence(session)}"
    yield from _memory_lines(session.session.memory)
    if session.recorded_error:
        yield f"  The log's own last error: {' '.join(session.recorded_error.split())[:300]}"
    if session.verdict.word not in ("healthy", "not-judged"):
        yield f"  On resume: {session.on_resume.sentence}"
    if session.verdict.is_trouble:
        yield from causes.cause_lines(session)
    for finding in session.findings[:MAX_ROWS]:
        name = finding.severity.word
        yield f"    {name:7} {place_text(finding.place)}: {finding.message} [{finding.rule} {finding.slug}]"
        if finding.severity == Severity.ERROR:
            yield from _refusals(finding, session.threads[0].context.profile.name)
            yield f"            repairs: {', '.join(finding.strategies)} (default: {finding.default})"
    yield from omitted_rows_line(len(session.findings))
    holds = (session.messages, "message"), (session.calls, "call"), (session.results, "result")
    words = (Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note")
    found = ((session.count(severity), word) for severity, word in words)
    yield "  " + "; ".join(", ".join(count_phrase(*each) for each in counts) for counts in (holds, found))


# The results that other logs hold for open calls, as JSON and as lines.


def offer_fields(offers: ResultOffers) -> list[dict[str, Any]]:
    """Each offer with the call that it is for."""
    return [
        {
            "record": record,
            "call_id": call_id,
            "from": {"path": offer.path, "record": offer.record, "line": offer.line},
            "known_by": offer.matched_by,
            "whole": offer.same_format,
        }
        for (record, call_id), offer in sorted(offers.items())
    ]


def offered_results(offers: ResultOffers, log: Log) -> tuple[OfferedResult, ...]:
    """Each offer with the call of the log that it is for, as the window shows it."""
    columns, places = log.columns, Locator(log)
    found = []
    for (record, call_id), offer in sorted(offers.items()):
        row = next((row for row in columns.block_rows(record) if columns.call_ids[row] == call_id), None)
        found.append(
            OfferedResult(
                place=places.locate(record),
                call_id=call_id,
                tool=columns.names[row] or "" if row is not None else "",
                path=offer.path,
                at=RecordLocation(offer.record, offer.line),
                sentence=offer.sentence,
                text=offer.text,
            )
        )
    return tuple(found)


def offer_lines(offers: ResultOffers) -> Iterator[str]:
    """What was found in other logs."""
    for (record, call_id), offer in sorted(offers.items())[:MAX_ROWS]:
        yield f"  Found for the call {call_id} of record {one_based(record)}: {offer.sentence}."
    if len(offers) > MAX_ROWS:
        yield f"  … and {len(offers) - MAX_ROWS} more results; --format json lists them all"


# What a repair does, as text.

_FEW = 3  # consequences of one kind that are told one by one


def plan_lines(plan: Plan) -> Iterator[str]:
    """What a repair does, and what it costs."""
    told = _grouped(edits_of(plan, with_values=False))
    for edits in told[:MAX_ROWS]:
        ends = [edit for _, edit in with_places(edits[:: max(len(edits) - 1, 1)], plan.draft)]
        yield f"  {ends[0].action:7} {_where(ends, len(edits))}: {ends[0].reason}"
    if len(told) > MAX_ROWS:
        yield f"  … and {sum(map(len, told[MAX_ROWS:]))} more edits"
    for each in plan.unused_choices:
        yield f"  {each.sentence}"
    if plan.draft.losses:
        yield f"  Lost ({len(plan.draft.losses)}):"
        for sentence in loss_sentences(plan.draft.losses[:MAX_ROWS], plan.draft.log):
            yield f"    {sentence}"
    else:
        yield "  Nothing is lost."
    for effects in plan.effects.values():
        yield from (f"  {effect}" for effect in effects)
    if plan.caveat and not (plan.verified and plan.changes_nothing):
        yield f"  Of this preset: {plan.caveat}"
    for profile, refusal in plan.refusals.items():
        answer = acceptance_sentence(refusal, plan.skipped_checks_of(profile))
        yield f"  {profile}: {answer}"


def _grouped(edits: list[tuple[int, Edit]]) -> list[list[tuple[int, Edit]]]:
    """The edits one by one, but for those of one kind that only follow from others: they stand together, at the first.

    Codex counts its lines: a record that is put in is followed by a new number on every line behind it.
    """
    kinds: dict[tuple[str, str], list[tuple[int, Edit]]] = {}
    for pair in edits:
        if pair[1].is_consequence:
            kinds.setdefault((pair[1].pointer, pair[1].reason), []).append(pair)
    told: list[list[tuple[int, Edit]]] = []
    for pair in edits:
        alike = kinds.get((pair[1].pointer, pair[1].reason), []) if pair[1].is_consequence else []
        if len(alike) <= _FEW:
            told.append([pair])
        elif alike[0] is pair:
            told.append(alike)
    return told


def _where(ends: list[Edit], count: int) -> str:
    """Where some edits of one kind stand, of which these are the first and the last."""
    first, last = ends[0], ends[-1]
    field = f" {first.pointer}" if first.pointer else ""
    if count > 1 and first.place and last.place:
        return f"{count} records from {place_text(first.place)} to {place_text(last.place)}{field}"
    side = "before" if first.to is None else "after"
    beside = f"{side} {place_text(first.beside)}" if first.beside else "at the beginning"
    if first.place is None:
        return beside
    if first.action == "move" and not first.pointer:
        return f"{place_text(first.place)} to {beside}"
    return place_text(first.place) + (field if first.place.document is None else "")
