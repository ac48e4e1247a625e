"""Two logs of one conversation, told as values for a window, as text, and as JSON."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from inspector.core.between.aligning import Alignment, align_records, shared_ids
from inspector.core.formats.bases.isolated import view_of
from inspector.core.index.place import RecordLocation
from inspector.core.judging.check import Report
from inspector.core.judging.places import Locator
from inspector.core.repair.adoption import find_offers
from inspector.core.reports.head import encode_document
from inspector.core.reports.offers import offered_results
from inspector.core.reports.shown import one_line
from inspector.core.reports.words import MAX_ROWS, omitted_rows_line, place_text
from inspector.core.showing.answers import OfferedResult
from inspector.core.showing.between import (
    CHANGED,
    MOVED,
    ONLY_FIRST,
    ONLY_SECOND,
    ComparedLog,
    LogComparison,
    LogDifference,
)
from inspector.core.showing.changes import record_summary
from inspector.core.showing.overview import working_folder

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
        view = view_of(side.format, side.log.raw(record), side.log.faults)
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
