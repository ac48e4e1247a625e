"""The report of a planned repair as text and as JSON, and the results that other logs offer for open calls."""

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from msgspec import UNSET, Struct, UnsetType

from inspector.core.analysis.evidence_search import Evidence
from inspector.core.check.check import Report
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log
from inspector.core.model.views import RecordLocation, one_based
from inspector.core.presentation.engine_results import ResultInOtherLog
from inspector.core.presentation.plan_preview import session_number_lookup
from inspector.core.repair.choices import ResultOffers
from inspector.core.repair.edit_list import edits_of, with_places
from inspector.core.repair.edits import Edit, Loss
from inspector.core.repair.plan import Plan
from inspector.core.repair.strategy_resolver import UnusedChoice
from inspector.core.report.json import ChunkedSessionEntry, ReportDocument, SessionEntry, chunked_session_entries
from inspector.core.report.sentences import (
    MAX_ROWS,
    loss_sentences,
    place_text,
    provider_answer_sentence,
    recovered_sentences,
    unused_result_sentences,
)
from inspector.core.translation import tr

_ACTION_NAMES = {"insert": tr("insert"), "delete": tr("delete"), "move": tr("move"), "replace": tr("replace")}
_FEW = 3  # consequences of one kind that are told one by one


class LogRecordReference(Struct):
    """A record of the log at `path`."""

    path: str
    record: int
    line: int | None


class OfferEntry(Struct, rename={"origin": "from"}):
    """A result in another log for an open call, and how it is known to belong to it."""

    record: int
    call_id: str
    origin: LogRecordReference
    known_by: str
    whole: bool


class LostResultEntry(Struct):
    """A result outside of the conversation, and where it is. `file` is null where the log itself holds it."""

    call_id: str
    record: int | None
    line: int | None
    file: str | None
    origin: str
    doubt: str | None


class RepairedSession(SessionEntry, kw_only=True):
    """A session of a checked log, with what the repair does to it."""

    edits: list[Edit] | UnsetType = UNSET
    losses: list[Loss] | UnsetType = UNSET
    effects: list[str] | UnsetType = UNSET
    verified: dict[str, bool] | UnsetType = UNSET
    refusals: dict[str, str] | UnsetType = UNSET
    chosen: dict[str, str] | UnsetType = UNSET
    recovered: list[LostResultEntry] | UnsetType = UNSET
    not_recovered: list[LostResultEntry] | UnsetType = UNSET
    caveat: str | UnsetType | None = UNSET
    offers: list[OfferEntry] | UnsetType = UNSET


class RepairDocument(ReportDocument, kw_only=True):
    """The report of `repair`. `reason` says why no log was written (`output`)."""

    output: str | None
    reason: str | None
    plan: str | UnsetType = UNSET
    send_back: str | UnsetType = UNSET
    unmet: list[UnusedChoice] = []
    backup: str | UnsetType | None = UNSET
    quarantine: str | UnsetType | None = UNSET
    warnings: tuple[str, ...] | UnsetType = UNSET
    sessions: list[RepairedSession] = []


def repaired_sessions(
    report: Report, plan: Plan | None, evidence: Mapping[str, Evidence], offers: ResultOffers, new_id: str = ""
) -> list[ChunkedSessionEntry[RepairedSession]]:
    """Return the sessions of a checked log, with what a repair does to each. `new_id` is that of a new session."""
    chunks = chunked_session_entries(report, RepairedSession, evidence)
    if plan is not None:
        _add_repair([each.session for each in chunks], report, plan, new_id)
    chunks[0].session.offers = [
        OfferEntry(
            record,
            call_id,
            LogRecordReference(offer.path, offer.record, offer.line),
            offer.matched_by,
            offer.same_format,
        )
        for (record, call_id), offer in sorted(offers.items())
    ]
    return chunks


def _add_repair(sessions: list[RepairedSession], report: Report, plan: Plan, new_id: str) -> None:
    number_of, last = session_number_lookup(report), len(sessions) - 1
    edits: list[list[Edit]] = [[] for _ in sessions]
    losses: list[list[Loss]] = [[] for _ in sessions]
    effects: list[list[str]] = [[] for _ in sessions]
    chosen: list[dict[str, str]] = [{} for _ in sessions]
    for record, edit in with_places(edits_of(plan), plan.draft):
        edits[number_of(record)].append(edit)
    if new_id and new_id != plan.draft.log.sessions[0].id:
        edits[0].append(_session_id_edit(plan, new_id))
    for loss in plan.draft.losses:
        losses[number_of(loss.record or 0)].append(loss)
    for number, sentences in plan.effects.items():
        effects[min(number, last)] += sentences
    for identity, strategy in plan.chosen.items():
        chosen[min(int(identity.split(":")[1]), last)][identity] = strategy
    for number, session in enumerate(sessions):
        session.edits, session.losses, session.effects = edits[number], losses[number], effects[number]
        session.verified = {name: refusal is None for name, refusal in plan.refusals.items()}
        session.refusals = {name: refusal for name, refusal in plan.refusals.items() if refusal is not None}
        session.chosen, session.caveat = chosen[number], plan.caveat or None
        session.recovered = _lost_results(plan.draft.recovered, number, last)
        session.not_recovered = _lost_results(plan.unused_results, number, last)


def _lost_results(results: Mapping[tuple[int, str], LostResult], session: int, last: int) -> list[LostResultEntry]:
    return [
        lost_result_entry(call_id, result)
        for (number, call_id), result in results.items()
        if min(number, last) == session
    ]


def lost_result_entry(call_id: str, result: LostResult) -> LostResultEntry:
    """Return the entry of a result outside of the conversation."""
    return LostResultEntry(
        call_id, result.record, result.line, result.path or None, result.origin, result.doubt or None
    )


def _session_id_edit(plan: Plan, new: str) -> Edit:
    """Return the edit that a new session makes to every record that carries the session's id."""
    reason = tr("replaced with the id of the new session in every record")
    pointer, old = agent_of(plan.draft.format).session_pointer, plan.draft.log.sessions[0].id
    return Edit(action="replace", record=None, pointer=pointer, before=old, after=new, reason=reason)


def offered_results(offers: ResultOffers, log: Log) -> tuple[ResultInOtherLog, ...]:
    """Return each offered result with its call of the log, as the window shows it."""
    columns, places = log.columns, Locator(log)
    results = []
    for (record, call_id), offer in sorted(offers.items()):
        row = next((row for row in columns.block_rows(record) if columns.call_ids[row] == call_id), None)
        results.append(
            ResultInOtherLog(
                place=places.locate(record),
                call_id=call_id,
                tool=columns.names[row] or "" if row is not None else "",
                path=offer.path,
                at=RecordLocation(offer.record, offer.line),
                sentence=offer.sentence,
                text=offer.text,
            )
        )
    return tuple(results)


def offer_lines(offers: ResultOffers) -> Iterator[str]:
    """Yield what was found in other logs."""
    for (record, call_id), offer in sorted(offers.items())[:MAX_ROWS]:
        yield tr(
            "  Found for call {call_id} (record {record}): {sentence}.",
            call_id=call_id,
            record=one_based(record),
            sentence=offer.sentence,
        )
    if len(offers) > MAX_ROWS:
        yield tr("  … and {number} more results; --format json lists them all", number=len(offers) - MAX_ROWS)


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield what a repair does, and what it costs."""
    groups = _grouped(edits_of(plan, with_values=False))
    for edits in groups[:MAX_ROWS]:
        ends = [edit for _, edit in with_places(edits[:: max(len(edits) - 1, 1)], plan.draft)]
        action = _ACTION_NAMES[ends[0].action]
        yield f"  {action:7} {_where(ends, len(edits))}: {ends[0].reason}"
    if len(groups) > MAX_ROWS:
        yield tr("  … and {groups} more edits", groups=sum(map(len, groups[MAX_ROWS:])))
    for each in plan.unused_choices:
        yield f"  {each.sentence}"
    for sentence in islice(chain(recovered_sentences(plan), unused_result_sentences(plan)), MAX_ROWS):
        yield f"  {sentence}"
    if plan.draft.losses:
        yield tr("  Lost ({number}):", number=len(plan.draft.losses))
        for sentence in loss_sentences(plan.draft.losses[:MAX_ROWS], plan.draft.log):
            yield f"    {sentence}"
    elif plan.loses_nothing:
        yield tr("  Nothing is lost.")
    for effects in plan.effects.values():
        yield from (f"  {effect}" for effect in effects)
    if plan.caveat and not (plan.verified and plan.changes_nothing):
        yield tr("  Limitations of this preset: {caveat}", caveat=plan.caveat)
    for profile, refusal in plan.refusals.items():
        answer = provider_answer_sentence(refusal, plan.skipped_checks_of(profile))
        yield f"  {profile}: {answer}"


def _grouped(edits: list[tuple[int, Edit]]) -> list[list[tuple[int, Edit]]]:
    """Return the edits one by one, except that many consequences of one kind are one group, at the first of them.

    Codex counts its lines: when a record is added, every line after it gets a new number.
    """
    kinds: dict[tuple[str, str], list[tuple[int, Edit]]] = {}
    for pair in edits:
        if pair[1].is_consequence:
            kinds.setdefault((pair[1].pointer, pair[1].reason), []).append(pair)
    groups: list[list[tuple[int, Edit]]] = []
    for pair in edits:
        alike = kinds.get((pair[1].pointer, pair[1].reason), []) if pair[1].is_consequence else []
        if len(alike) <= _FEW:
            groups.append([pair])
        elif alike[0] is pair:
            groups.append(alike)
    return groups


def _where(ends: list[Edit], count: int) -> str:
    """Return where edits of one kind are, given the first and the last of them."""
    first, last = ends[0], ends[-1]
    field = f" {first.pointer}" if first.pointer else ""
    if count > 1 and first.place and last.place:
        return tr(
            "{count} records from {first} to {last}{field}",
            count=count,
            first=place_text(first.place),
            last=place_text(last.place),
            field=field,
        )
    beside = tr("at the beginning of the log")
    if first.beside:
        after = tr("before {place}") if first.to is None else tr("after {place}")
        beside = tr(after, place=place_text(first.beside))
    if first.place is None:
        return beside
    if first.action == "move" and not first.pointer:
        return tr("{place} to {beside}", place=place_text(first.place), beside=beside)
    return place_text(first.place) + (field if first.place.document is None else "")
