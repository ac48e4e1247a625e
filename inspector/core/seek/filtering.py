"""Which rows of a tree a filter line leaves, and how much it hides."""

import re
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

from inspector.core.errors import Cancelled
from inspector.core.formats.bases.reading import IsCancelled
from inspector.core.seek.filter_line import Term, filter_line
from inspector.core.seek.ground import Ground
from inspector.core.seek.rows import Rows
from inspector.core.seek.text import found_text
from inspector.core.showing.seeking import Filtered
from inspector.core.showing.times import falls

# The keys of the terms that are looked up last, since the log must be read for them.
_SLOW = ("", "after", "before")


def filtered(ground: Ground, line: str, cancelled: IsCancelled | None = None) -> Filtered:
    """What a line leaves of an open log. Raises Cancelled."""
    read = filter_line(line)
    if read.fault:
        return Filtered(fault=read.fault)
    rows, mask = ground.rows, fitting(ground, read.terms, cancelled)
    kept = rows.with_ancestors(mask)
    hidden = rows.findings_outside(kept)
    return Filtered(kept, mask.bit_count(), rows.all.bit_count(), hidden, doubt=_doubt(rows, read.terms))


def fitting(ground: Ground, terms: tuple[Term, ...], cancelled: IsCancelled | None = None) -> int:
    """The mask of the rows that fit. Raises Cancelled."""
    mask = ground.rows.all
    for term in sorted(terms, key=lambda term: _SLOW.index(term.key) if term.key in _SLOW else -1):
        holds = reduce(or_, (_rows_of(ground, term, value, mask, cancelled) for value in term.values))
        mask = mask & ~holds if term.negated else mask & holds
    return mask


def _rows_of(ground: Ground, term: Term, value: str, among: int, cancelled: IsCancelled | None) -> int:
    """The rows of which one value of a term holds; rows that are not `among` these need not be looked at."""
    rows = ground.rows
    match term.key:
        case "tool":
            return rows.tool(value)
        case "role":
            return rows.role(value.lower())
        case "is":
            return rows.state(value.lower())
        case "rule":
            return rows.rule(value)
        case "":
            return rows.blocks(_showing(ground, value, rows.nodes(among), cancelled))
    return rows.records(_falling(ground, term, value, rows.nodes(among), cancelled))


def _showing(
    ground: Ground, text: str, nodes: Iterable[int], cancelled: IsCancelled | None
) -> Iterator[tuple[int, int]]:
    """Record and block of what shows a text. Where its bytes stand in a record, it may be a key or an id: so the record
    is parsed, and its blocks are searched."""
    pattern = re.compile(re.escape(text), re.IGNORECASE)
    among = {ground.outline.record[node] for node in nodes}
    for part in found_text(ground, text, False, cancelled):
        for record in among.intersection(part.records):
            if cancelled is not None and cancelled():
                raise Cancelled("Filtering was cancelled.")
            view = ground.view(record)
            for number, block in enumerate(view.blocks):
                if pattern.search(block.text) or pattern.search(block.name):
                    yield record, number
            if not view.blocks and pattern.search(view.summary):
                yield record, -1


def _falling(
    ground: Ground, term: Term, value: str, nodes: Iterable[int], cancelled: IsCancelled | None
) -> Iterator[int]:
    """The records of some rows that were written after or before a time."""
    for record in dict.fromkeys(ground.outline.record[node] for node in nodes):
        if cancelled is not None and cancelled():
            raise Cancelled("Filtering was cancelled.")
        if falls(ground.time(record), value, after=term.key == "after"):
            yield record


def _doubt(rows: Rows, terms: tuple[Term, ...]) -> str:
    """What a line names that is nowhere in the log."""
    for term in terms:
        unknown = [value for value in term.values if term.key == "tool" and not rows.tool(value)]
        if unknown:
            return f"No tool {unknown[0]} is called in this log."
    return ""
