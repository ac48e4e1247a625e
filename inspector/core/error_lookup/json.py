"""The answer to a pasted error or request as JSON."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from inspector.core.check.check import Report
from inspector.core.doctor.report import MentionedSessionEntry, mentioned_session_entry
from inspector.core.error_lookup.accepted_history import AcceptedHistory
from inspector.core.error_lookup.locate import ErrorPlace
from inspector.core.error_lookup.lookup import ErrorLookup, LogMatch
from inspector.core.error_lookup.report import kind_sentence, next_step
from inspector.core.error_lookup.request_bodies import SessionOfRequest
from inspector.core.model.views import RecordLocation
from inspector.core.providers.error_kinds import ERROR_KINDS
from inspector.core.report.json import (
    FindingEntry,
    ReportDocument,
    VerdictWord,
    encode_document,
    unredacted_finding_entry,
)


class MentionedIdEntry(Struct):
    """An id that the text names. `cut`: the text has only its beginning."""

    id: str
    cut: bool


class ReferenceEntry(Struct, rename={"list_key": "in"}):
    """A place in the messages of a request that the text names, counted from 0 as the provider does."""

    message: int
    block: int | None
    list_key: str | None
    field: str | None
    text: str


_KindWord: TypeAlias = Annotated[str | None, Meta(extra_json_schema={"enum": [*ERROR_KINDS, None]})]


class ErrorEntry(Struct, kw_only=True):
    """The pasted text: whether its wording is known, what it means, and what it names.

    `kind` says what it is about, null where that is not known, and `step` what to do next.
    """

    known: bool
    kind: _KindWord = None
    step: str | None = None
    sentence: str | None = None
    rules: tuple[str, ...] = ()
    profile: str | None = None
    through: tuple[str, ...] = ()
    ids: list[MentionedIdEntry]
    places: list[ReferenceEntry]
    requests: tuple[str, ...]


class FoundPlace(Struct):
    """A place that the error is about, and how it was found (`by`): by an id, an index, or the class of the error."""

    by: str
    session: str
    record: int
    line: int | None
    member: str | None
    bytes: tuple[int, int] | None
    pointer: str
    call_id: str | None
    tool: str | None
    message: int | None
    finding: FindingEntry | None


class RecordEntry(Struct):
    """A record: its number from 0, its line from 1, and the file or row that holds it."""

    record: int
    line: int | None
    member: str | None


class CauseCandidateEntry(Struct):
    """A finding that may be the cause. `new`: it came with or after the answer. `refused`: the provider refuses it."""

    new: bool
    refused: bool
    finding: FindingEntry


class AcceptedHistoryEntry(Struct):
    """How far the history of a thread was certainly accepted, for an error of kind `opaque`.

    `up_to` is the last accepted record, and `answer` the answer that proves it, given by `model`; null if nothing does.
    `compaction` is set if no request was answered since. `first` and `last` enclose the `messages` that came with and
    after the answer, and `error` is the newest error among them. The likeliest of the `candidates` is the first.
    """

    session: str
    side: bool
    up_to: RecordEntry | None
    answer: RecordEntry | None
    model: str | None
    compaction: RecordEntry | None
    first: RecordEntry | None
    last: RecordEntry | None
    messages: int
    calls: int
    results: int
    error: RecordEntry | None
    remarks: tuple[str, ...]
    candidates: list[CauseCandidateEntry]


class FoundLog(Struct):
    """A log that the error may come from, and why it was looked at. `recorded` is where the log itself keeps it.

    `accepted` has an entry for each thread if the error is of kind `opaque`. `context` says what fills the context
    window of a log that is too long, and how to shorten it.
    """

    path: str
    format: str
    verdict: VerdictWord
    why: str
    found: list[FoundPlace]
    remarks: tuple[str, ...]
    recorded: list[FoundPlace]
    accepted: list[AcceptedHistoryEntry] = []
    context: tuple[str, ...] = ()


class SessionOfRequestEntry(Struct):
    """A session that begins with the pasted request, how many of its ids and texts it has, and how far they agree."""

    path: str
    format: str
    session: str
    ids: tuple[int, int]
    texts: tuple[int, int]
    record: int | None
    line: int | None
    message: int
    messages: int


class PastedRequestEntry(Struct):
    """A request in the pasted text."""

    format: str
    verdict: VerdictWord
    messages: int
    found: list[FoundPlace]
    remarks: tuple[str, ...]
    findings: list[FindingEntry]
    sessions: list[SessionOfRequestEntry]


class SearchEntry(Struct):
    """How much of the stores of this machine was searched."""

    logs: int
    of: int
    bytes: int
    unread: int
    stopped: bool


class ErrorDocument(ReportDocument, kw_only=True):
    """The report of `explain --error`."""

    error: ErrorEntry
    logs: list[FoundLog]
    request: PastedRequestEntry | None
    searched: SearchEntry | None
    sessions: list[MentionedSessionEntry] = []
    faults: list[str] | UnsetType


def lookup_json(answer: ErrorLookup) -> bytes:
    """Return the whole answer as JSON."""
    search = answer.search
    document = ErrorDocument(
        error=_error(answer),
        logs=[_found_log(log) for log in answer.logs],
        request=_request(answer, answer.body) if answer.body else None,
        searched=SearchEntry(search.logs, search.of, search.size, search.unread, search.stopped) if search else None,
        sessions=[mentioned_session_entry(match) for match in answer.in_stores.matches] if answer.in_stores else [],
        faults=answer.faults or UNSET,
    )
    return encode_document(document)


def _error(answer: ErrorLookup) -> ErrorEntry:
    pasted, kind = answer.pasted, answer.kind
    entry = ErrorEntry(
        known=pasted.explanation is not None or pasted.kind_wording is not None,
        kind=kind or None,
        step=next_step(answer) or None if kind else None,
        sentence=kind_sentence(answer) if kind and pasted.explanation is None else None,
        ids=[MentionedIdEntry(named.text, named.is_truncated) for named in pasted.ids],
        places=[
            ReferenceEntry(
                spot.message,
                spot.block if spot.block >= 0 else None,
                spot.list_key or None,
                spot.field or None,
                spot.text,
            )
            for spot in pasted.references
        ],
        requests=pasted.request_ids,
    )
    meaning = pasted.explanation
    if meaning is not None:
        entry.sentence, entry.rules = meaning.sentence, meaning.rules
        entry.profile, entry.through = meaning.profile or None, meaning.servers
    return entry


def _found_log(log: LogMatch) -> FoundLog:
    found, recorded, remarks = _found(log.location.places), _found(log.recorded_places), log.location.remarks
    accepted = [_accepted_entry(history) for history in log.accepted]
    return FoundLog(
        log.path, log.format, log.verdict, log.match_reason, found, remarks, recorded, accepted, log.context
    )


def _accepted_entry(history: AcceptedHistory) -> AcceptedHistoryEntry:
    return AcceptedHistoryEntry(
        session=history.session,
        side=history.is_side,
        up_to=_record_entry(history.up_to),
        answer=_record_entry(history.answer),
        model=history.model or None,
        compaction=_record_entry(history.compaction),
        first=_record_entry(history.first),
        last=_record_entry(history.last),
        messages=history.messages,
        calls=history.calls,
        results=history.results,
        error=_record_entry(history.error),
        remarks=history.remarks,
        candidates=[
            CauseCandidateEntry(each.is_new, each.is_refused, unredacted_finding_entry(each.finding))
            for each in history.candidates
        ],
    )


def _record_entry(place: RecordLocation | None) -> RecordEntry | None:
    return None if place is None else RecordEntry(place.record, place.line, place.member)


def _found(places: tuple[ErrorPlace, ...]) -> list[FoundPlace]:
    return [_found_place(each, each.place) for each in places]


def _found_place(each: ErrorPlace, place: RecordLocation) -> FoundPlace:
    return FoundPlace(
        each.certainty.word,
        each.session,
        place.record,
        place.line,
        place.member,
        place.bytes,
        place.pointer,
        each.call_id or None,
        each.tool or None,
        each.message if each.message >= 0 else None,
        unredacted_finding_entry(each.finding) if each.finding is not None else None,
    )


def _request(answer: ErrorLookup, body: Report) -> PastedRequestEntry:
    return PastedRequestEntry(
        body.format.name,
        body.verdict.word,
        sum(session.messages for session in body.sessions),
        _found(answer.body_location.places),
        answer.body_location.remarks,
        [unredacted_finding_entry(finding) for session in body.sessions for finding in session.findings],
        [_found_session(match, match.place) for match in answer.matching_sessions],
    )


def _found_session(match: SessionOfRequest, place: RecordLocation | None) -> SessionOfRequestEntry:
    ids, texts = (match.ids, match.all_ids), (match.texts, match.all_texts)
    record, line = (place.record, place.line) if place else (None, None)
    return SessionOfRequestEntry(
        match.path, match.format, match.session, ids, texts, record, line, match.message, match.messages
    )
