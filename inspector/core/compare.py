"""Two logs of one conversation, told as values for a window, as text, and as JSON.

Merged; to be rewritten:
`aligning`: Which records of two logs are the same ones.
`between`: Two logs of one conversation: what both hold, what each has that the other lacks, and in which order.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson
from msgspec import Struct

from inspector.core.check.check import Report
from inspector.core.formats.base.agent import agent_of
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, Session
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.overview import working_folder
from inspector.core.presentation.preview import record_summary
from inspector.core.presentation.results import (
    CHANGED,
    MOVED,
    ONLY_FIRST,
    ONLY_SECOND,
    ComparedLog,
    LogComparison,
    LogDifference,
    OfferedResult,
)
from inspector.core.repair.adoption import find_offers, is_random_id
from inspector.core.report.json import encode_document
from inspector.core.report.repair import offered_results
from inspector.core.report.sentences import MAX_ROWS, omitted_rows_line, one_line, place_text
from inspector.core.storage.json_text import is_valid_json, parse_json

# Which records of two logs are the same ones.
#
# A record is known again by its id, else by what it says, however its JSON is spelled; the second of two alike is that
# of
# the other log that is the second there, too. Of the records that both hold, as many as can be stand in the same order.


class Alignment(Struct):
    """Records of a first and a second log: pairs of the same ones, and those that only one has.

    `same` and `changed` stand in one order in both; `moved` are the same ones elsewhere. `changed` have the same id.
    """

    same: list[tuple[int, int]]
    changed: list[tuple[int, int]]
    moved: list[tuple[int, int]]
    only_first: list[int]
    only_second: list[int]

    @property
    def is_equal(self) -> bool:
        return not (self.changed or self.moved or self.only_first or self.only_second)


class SharedIds(Struct, frozen=True):
    """What tells that two logs are of one conversation: ids of sessions, and numbers of ids of records and calls."""

    sessions: tuple[str, ...]
    records: int
    calls: int


def shared_ids(one: Report, other: Report) -> SharedIds:
    """What the ids of two logs have in common; of calls only those that no two share by chance."""
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
    named = {agent_of(report.format).session_pointer.removeprefix("/") for report in (one, other)}
    mine, theirs = list(_record_keys(one.log, named)), list(_record_keys(other.log, named))
    place = {key: record for record, key in enumerate(theirs)}
    pairs = [(record, place[key]) for record, key in enumerate(mine) if key in place]
    ordered = _longest_increasing([second for _, second in pairs])
    found = Alignment([], [], [], [], [])
    for number, pair in enumerate(pairs):
        if number not in ordered:
            found.moved.append(pair)
        elif _same_content(one.log.raw(pair[0]), other.log.raw(pair[1]), named):
            found.same.append(pair)
        else:
            found.changed.append(pair)
    known = set(mine)
    found.only_first = [record for record, key in enumerate(mine) if key not in place]
    found.only_second = [record for record, key in enumerate(theirs) if key not in known]
    return found


def _session_ids(session: Session) -> set[str]:
    return {session.id, *session.other_session_ids}


def _record_keys(log: Log, without: set[str]) -> Iterator[tuple[str | bytes, int]]:
    """What each record is known again by, and which one of those alike it is."""
    seen: Counter[str | bytes] = Counter()
    for record, uuid in enumerate(log.columns.uuids):
        key = uuid or _normalised_json(log.raw(record), without)
        yield key, seen[key]
        seen[key] += 1


def _normalised_json(raw: bytes, without: set[str]) -> bytes:
    """A record as JSON, the same however it is spaced, its members are ordered and its session is called."""
    if not is_valid_json(raw):
        return raw
    value = parse_json(raw)
    if isinstance(value, dict):
        value = {name: each for name, each in value.items() if name not in without}
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a number that is too large for orjson, or half a character
        return raw


def _same_content(raw: bytes, other: bytes, without: set[str]) -> bool:
    """Whether two records differ in nothing but the session that they name."""
    return raw == other or _normalised_json(raw, without) == _normalised_json(other, without)


def _longest_increasing(numbers: list[int]) -> set[int]:
    """The places of the most numbers that can be left so that they rise; all numbers are others."""
    ends: list[int] = []  # the smallest number that a rise of each length ends with
    at: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        ends[length : length + 1] = [number]
        at[length : length + 1] = [place]
        before.append(at[length - 1] if length else -1)
    found: set[int] = set()
    place = at[-1] if at else -1
    while place >= 0:
        found.add(place)
        place = before[place]
    return found


# Two logs of one conversation: what both hold, what each has that the other lacks, and in which order.


_TOLD = {
    ONLY_FIRST: "Only in the first",
    ONLY_SECOND: "Only in the second",
    CHANGED: "The same record says something else",
    MOVED: "In another place",
}


def compare_logs(one: Report, other: Report, max_differences: int | None = None) -> LogComparison:
    """Compare two judged logs, whose sources must be open; `most` differences are given of all."""
    found, kin = align_records(one, other), shared_ids(one, other)
    sides = [
        ComparedLog(each.log.source.path, each.format.label, each.verdict.word, len(each.log.columns))
        for each in (one, other)
    ]
    counts = {
        ONLY_FIRST: len(found.only_first), ONLY_SECOND: len(found.only_second), CHANGED: len(found.changed),
        MOVED: len(found.moved),
    }  # fmt: skip
    return LogComparison(
        first=sides[0],
        second=sides[1],
        same=len(found.same),
        sessions=kin.sessions,
        shared_records=kin.records,
        shared_calls=kin.calls,
        counts=counts,
        differences=tuple(islice(_differences(found, one, other), max_differences)),
        for_first=offered_results(find_offers(one, [other]), one.log),
        for_second=offered_results(find_offers(other, [one]), other.log),
    )


def _differences(found: Alignment, one: Report, other: Report) -> Iterator[LogDifference]:
    """The differences in the order of the first log; what only the second has comes behind what it follows there."""
    behind, last = {}, -1
    known = {second: first for first, second in (*found.same, *found.changed)}
    for record in range(len(other.log.columns)):
        last = known.get(record, last)
        behind[record] = last
    rows: list[tuple[int, int, str, int, int]] = [(first, 0, ONLY_FIRST, first, -1) for first in found.only_first]
    rows += [(behind[second], 1 + second, ONLY_SECOND, -1, second) for second in found.only_second]
    rows += [(first, 0, CHANGED, first, second) for first, second in found.changed]
    rows += [(first, 0, MOVED, first, second) for first, second in found.moved]
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
    """The comparison as text."""
    for name, side in (("first", found.first), ("second", found.second)):
        yield f"{name}: {side.path}: {side.verdict} ({side.format}), {side.records:,} records"
    yield f"  {found.relation_sentence}"
    if found.is_equal:
        yield "  Both say the same, in the same order."
    for kind, count in found.counts.items():
        if count:
            yield f"  {_TOLD[kind]} ({count:,}):"
            held = [each for each in found.differences if each.kind == kind]
            yield from (f"    {_places(each)}: {_said(each)}" for each in held[:MAX_ROWS])
            yield from omitted_rows_line(count)
    yield from _offered("first", "second", found.for_first)
    yield from _offered("second", "first", found.for_second)


def _offered(asks: str, holds: str, offers: tuple[OfferedResult, ...]) -> Iterator[str]:
    if offers:
        yield f"  Results in the {holds} of open calls of the {asks} ({len(offers):,}); --results-from takes them over:"
        for offer in offers[:MAX_ROWS]:
            yield f"    {place_text(offer.place)}: {one_line(offer.tool, 60)}: {one_line(offer.text, 100)}"


def _places(each: LogDifference) -> str:
    return ", there ".join(place_text(place) for place in (each.first, each.second) if place is not None)


def _said(each: LogDifference) -> str:
    return one_line(": ".join(filter(None, (each.role, each.summary))))


def comparison_json(found: LogComparison) -> bytes:
    """The comparison as JSON; `first` and `second` of a difference are places, null where that log lacks it."""
    return encode_document(
        {
            "first": _side(found.first),
            "second": _side(found.second),
            "same": found.same,
            "shared": {
                "sessions": list(found.sessions), "records": found.shared_records, "calls": found.shared_calls,
            },
            "counts": found.counts,
            "differences": [
                {
                    "kind": each.kind, "first": _place(each.first), "second": _place(each.second), "role": each.role,
                    "summary": each.summary,
                }
                for each in found.differences
            ],
            "results": {"for_first": _results(found.for_first), "for_second": _results(found.for_second)},
        }
    )  # fmt: skip


def _side(side: ComparedLog) -> dict[str, Any]:
    return {"path": side.path, "format": side.format, "verdict": side.verdict, "records": side.records}


def _place(place: RecordLocation | None) -> dict[str, Any] | None:
    return None if place is None else {"record": place.record, "line": place.line}


def _results(offers: tuple[OfferedResult, ...]) -> list[dict[str, Any]]:
    return [
        {
            "call_id": each.call_id, "tool": each.tool, "at": _place(each.place),
            "from": {"path": each.path, **(_place(each.at) or {})}, "why": each.sentence, "text": each.text,
        }
        for each in offers
    ]  # fmt: skip
