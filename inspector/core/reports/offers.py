"""The results that other logs hold for open calls, as JSON and as lines."""

from collections.abc import Iterator
from typing import Any

from inspector.core.index.place import Place, counted
from inspector.core.index.session import Log
from inspector.core.judging.places import Places
from inspector.core.repair.offers import Offers
from inspector.core.reports.words import MOST
from inspector.core.showing.answers import OfferedResult


def offer_fields(offers: Offers) -> list[dict[str, Any]]:
    """Each offer with the call that it is for."""
    return [
        {
            "record": record,
            "call_id": call_id,
            "from": {"path": offer.path, "record": offer.record, "line": offer.line},
            "known_by": offer.known_by,
            "whole": offer.whole,
        }
        for (record, call_id), offer in sorted(offers.items())
    ]


def offered_results(offers: Offers, log: Log) -> tuple[OfferedResult, ...]:
    """Each offer with the call of the log that it is for, as the window shows it."""
    columns, places = log.columns, Places(log)
    found = []
    for (record, call_id), offer in sorted(offers.items()):
        row = next((row for row in columns.rows(record) if columns.call_ids[row] == call_id), None)
        found.append(
            OfferedResult(
                place=places.of(record),
                call_id=call_id,
                tool=columns.names[row] or "" if row is not None else "",
                path=offer.path,
                at=Place(offer.record, offer.line),
                sentence=offer.sentence,
                text=offer.text,
            )
        )
    return tuple(found)


def offer_lines(offers: Offers) -> Iterator[str]:
    """What was found in other logs."""
    for (record, call_id), offer in sorted(offers.items())[:MOST]:
        yield f"  Found for the call {call_id} of record {counted(record)}: {offer.sentence}."
    if len(offers) > MOST:
        yield f"  … and {len(offers) - MOST} more results; --format json lists them all"
