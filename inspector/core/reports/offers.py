"""The results that other logs hold for open calls, as JSON and as lines."""

from collections.abc import Iterator
from typing import Any

from inspector.core.index.place import RecordLocation, one_based
from inspector.core.index.session import Log
from inspector.core.judging.places import Locator
from inspector.core.repair.offers import ResultOffers
from inspector.core.reports.words import MAX_ROWS
from inspector.core.showing.answers import OfferedResult


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
