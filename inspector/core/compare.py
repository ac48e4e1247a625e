"""Compare two logs of one conversation: as values for a window, as text, and as JSON.

A record is recognised by its id, or else by its content, however its JSON is spelled. The second of two equal records
matches the second one in the other log. Of the records in both logs, as many as possible count as being in the same
order.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import orjson
from msgspec import Struct

from inspector.core.check.check import Report
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, Session
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import (
    CHANGED,
    MOVED,
    ONLY_FIRST,
    ONLY_SECOND,
    ComparedLog,
    LogComparison,
    LogDifference,
    ResultInOtherLog,
    SharedIds,
)
from inspector.core.presentation.opened_log_facts import working_folder
from inspector.core.presentation.plan_preview import record_summary
from inspector.core.repair.adopt_from_other_logs import find_result_offers, is_random_id
from inspector.core.report.json import ReportDocument, encode_document
from inspector.core.report.repair import LogRecordReference, offered_results
from inspector.core.report.sentences import MAX_ROWS, omitted_rows_line, one_line, place_text
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.translation import tr

_TOLD = {
    ONLY_FIRST: tr("Only in the first log"),
    ONLY_SECOND: tr("Only in the second log"),
    CHANGED: tr("Same record, different content"),
    MOVED: tr("In a different place"),
}


class Alignment(Struct):
    """The alignment of two logs: pairs of matching records, and the records that only one log has.

    `same` and `changed` are in the same order in both logs; `moved` are equal records in another place. `changed` are
    records with the same id and different content.
    """

    same: list[tuple[int, int]]
    changed: list[tuple[int, int]]
    moved: list[tuple[int, int]]
    only_first: list[int]
    only_second: list[int]

    @property
    def is_equal(self) -> bool:
        return not (self.changed or self.moved or self.only_first or self.only_second)


def compare_logs(one: Report, other: Report, max_differences: int | None = None) -> LogComparison:
    """Compare two judged logs, whose sources must be open. At most `max_differences` differences are listed."""
    alignment = align_records(one, other)
    sides = [
        ComparedLog(each.log.source.path, each.format.label, each.verdict.word, len(each.log.columns))
        for each in (one, other)
    ]
    counts = {
        ONLY_FIRST: len(alignment.only_first), ONLY_SECOND: len(alignment.only_second), CHANGED: len(alignment.changed),
        MOVED: len(alignment.moved),
    }  # fmt: skip
    return LogComparison(
        first=sides[0],
        second=sides[1],
        same=len(alignment.same),
        shared=shared_ids(one, other),
        counts=counts,
        differences=tuple(islice(_differences(alignment, one, other), max_differences)),
        for_first=offered_results(find_result_offers(one, [other]), one.log),
        for_second=offered_results(find_result_offers(other, [one]), other.log),
    )


def _differences(alignment: Alignment, one: Report, other: Report) -> Iterator[LogDifference]:
    """Yield the differences in the order of the first log.

    A record that only the second log has comes after the record that it follows there.
    """
    follows, last = {}, -1
    known = {second: first for first, second in (*alignment.same, *alignment.changed)}
    for record in range(len(other.log.columns)):
        last = known.get(record, last)
        follows[record] = last
    rows: list[tuple[int, int, str, int, int]] = [(first, 0, ONLY_FIRST, first, -1) for first in alignment.only_first]
    rows += [(follows[second], 1 + second, ONLY_SECOND, -1, second) for second in alignment.only_second]
    rows += [(first, 0, CHANGED, first, second) for first, second in alignment.changed]
    rows += [(first, 0, MOVED, first, second) for first, second in alignment.moved]
    places, folders = (Locator(one.log), Locator(other.log)), (working_folder(one.log), working_folder(other.log))
    for _, _, kind, first, second in sorted(rows):
        side, record = (other, second) if first < 0 else (one, first)
        view = safe_view(side.format, side.log.raw(record), side.log.faults)
        yield LogDifference(
            kind,
            places[0].locate(first) if first >= 0 else None,
            places[1].locate(second) if second >= 0 else None,
            view.role,
            record_summary(view, folders[side is other]),
        )


def comparison_lines(found: LogComparison) -> Iterator[str]:
    """Yield the comparison as text."""
    for name, side in (("first", found.first), ("second", found.second)):
        yield tr(
            "{name}: {path}: {verdict} ({format}), {records:,} records",
            name=name,
            path=side.path,
            verdict=side.verdict,
            format=side.format,
            records=side.records,
        )
    yield f"  {found.relation_sentence}"
    if found.is_equal:
        yield tr("  Both logs have the same content, in the same order.")
    for kind, count in found.counts.items():
        if count:
            yield f"  {_TOLD[kind]} ({count:,}):"
            differences = [each for each in found.differences if each.kind == kind]
            yield from (f"    {_places(each)}: {_said(each)}" for each in differences[:MAX_ROWS])
            yield from omitted_rows_line(count)
    yield from _offered("first", "second", found.for_first)
    yield from _offered("second", "first", found.for_second)


def _offered(asks: str, holds: str, offers: tuple[ResultInOtherLog, ...]) -> Iterator[str]:
    if offers:
        yield tr(
            "  The {holds} log has {number:,} results for calls that have no result in the {asks} log. To copy "
            "these results, use --results-from:",
            holds=holds,
            asks=asks,
            number=len(offers),
        )
        for offer in offers[:MAX_ROWS]:
            yield f"    {place_text(offer.place)}: {one_line(offer.tool, 60)}: {one_line(offer.text, 100)}"


def _places(each: LogDifference) -> str:
    return ", there ".join(place_text(place) for place in (each.first, each.second) if place is not None)


def _said(each: LogDifference) -> str:
    return one_line(": ".join(filter(None, (each.role, each.summary))))


class RecordPlace(Struct):
    """A record in one of the logs."""

    record: int
    line: int | None


class DifferenceEntry(Struct):
    """A record that is different. `first` and `second` are its places, null where that log lacks it."""

    kind: str
    first: RecordPlace | None
    second: RecordPlace | None
    role: str
    summary: str


class OfferedResultEntry(Struct, rename={"origin": "from"}):
    """A result in the other log for an open call, and how it is known to belong to it."""

    call_id: str
    tool: str
    at: RecordPlace
    origin: LogRecordReference
    why: str
    text: str


class ResultsForOpenCalls(Struct):
    """The results in one log for open calls of the other."""

    for_first: list[OfferedResultEntry]
    for_second: list[OfferedResultEntry]


class ComparisonDocument(ReportDocument, kw_only=True):
    """The report of `compare`. `same` counts the records that both logs have in the same order."""

    first: ComparedLog
    second: ComparedLog
    same: int
    shared: SharedIds
    counts: dict[str, int]
    differences: list[DifferenceEntry]
    results: ResultsForOpenCalls


def comparison_json(found: LogComparison) -> bytes:
    """Return the comparison as JSON."""
    differences = [
        DifferenceEntry(each.kind, _place(each.first), _place(each.second), each.role, each.summary)
        for each in found.differences
    ]
    return encode_document(
        ComparisonDocument(
            first=found.first,
            second=found.second,
            same=found.same,
            shared=found.shared,
            counts=found.counts,
            differences=differences,
            results=ResultsForOpenCalls(_results(found.for_first), _results(found.for_second)),
        )
    )


def _place(place: RecordLocation | None) -> RecordPlace | None:
    return None if place is None else RecordPlace(place.record, place.line)


def _results(offers: tuple[ResultInOtherLog, ...]) -> list[OfferedResultEntry]:
    return [
        OfferedResultEntry(
            each.call_id,
            each.tool,
            RecordPlace(each.place.record, each.place.line),
            LogRecordReference(each.path, each.at.record, each.at.line),
            each.sentence,
            each.text,
        )
        for each in offers
    ]


def shared_ids(one: Report, other: Report) -> SharedIds:
    """Return the ids that two logs share. Only call ids that cannot be equal by chance count."""
    ids = [{each for known in report.sessions for each in _session_ids(known.session)} for report in (one, other)]
    mine, theirs = one.log.columns, other.log.columns
    calls = set(filter(None, mine.call_ids)) & set(filter(None, theirs.call_ids))
    return SharedIds(
        tuple(sorted(filter(is_random_id, ids[0] & ids[1]))),
        len(set(filter(None, mine.uuids)) & set(filter(None, theirs.uuids))),
        sum(map(is_random_id, calls)),
    )


def align_records(one: Report, other: Report) -> Alignment:
    """Align the records of two logs, whose sources must be open."""
    session_keys = {agent_of(report.format).session_pointer.removeprefix("/") for report in (one, other)}
    mine, theirs = list(_record_keys(one.log, session_keys)), list(_record_keys(other.log, session_keys))
    record_at = {key: record for record, key in enumerate(theirs)}
    pairs = [(record, record_at[key]) for record, key in enumerate(mine) if key in record_at]
    ordered = _longest_increasing([second for _, second in pairs])
    alignment = Alignment([], [], [], [], [])
    for number, pair in enumerate(pairs):
        if number not in ordered:
            alignment.moved.append(pair)
        elif _same_content(one.log.raw(pair[0]), other.log.raw(pair[1]), session_keys):
            alignment.same.append(pair)
        else:
            alignment.changed.append(pair)
    known = set(mine)
    alignment.only_first = [record for record, key in enumerate(mine) if key not in record_at]
    alignment.only_second = [record for record, key in enumerate(theirs) if key not in known]
    return alignment


def _session_ids(session: Session) -> set[str]:
    return {session.id, *session.other_session_ids}


def _record_keys(log: Log, without: set[str]) -> Iterator[tuple[str | bytes, int]]:
    """Yield what each record is recognised by, and its ordinal among the records with the same key."""
    seen: Counter[str | bytes] = Counter()
    for record, uuid in enumerate(log.columns.uuids):
        key = uuid or _normalised_json(log.raw(record), without)
        yield key, seen[key]
        seen[key] += 1


def _normalised_json(raw: bytes, without: set[str]) -> bytes:
    """Return a record as JSON regardless of spacing, the order of members, and the session that it names."""
    if not is_valid_json(raw):
        return raw
    value = parse_json(raw)
    if isinstance(value, dict):
        value = {name: each for name, each in value.items() if name not in without}
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a number that is too large for orjson, or half of a surrogate pair
        return raw


def _same_content(raw: bytes, other: bytes, without: set[str]) -> bool:
    """Return whether two records are equal but for the session that they name."""
    return raw == other or _normalised_json(raw, without) == _normalised_json(other, without)


def _longest_increasing(numbers: list[int]) -> set[int]:
    """Return the indexes of a longest increasing subsequence. All numbers are distinct."""
    ends: list[int] = []  # the smallest last number of a subsequence of each length
    index_at: list[int] = []
    previous: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        ends[length : length + 1] = [number]
        index_at[length : length + 1] = [index]
        previous.append(index_at[length - 1] if length else -1)
    indexes: set[int] = set()
    index = index_at[-1] if index_at else -1
    while index >= 0:
        indexes.add(index)
        index = previous[index]
    return indexes
