"""Which rows of the tree a filter line selects, and how many it hides."""

import re
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

from inspector.core.errors import Cancelled
from inspector.core.formats.base.format import IsCancelled
from inspector.core.presentation.engine_results import FilterResult
from inspector.core.presentation.formatting import matches_time_filter
from inspector.core.search.filter_line import FilterTerm, parse_filter
from inspector.core.search.raw_text_search import search_text
from inspector.core.search.row_masks import FilterMasks, SearchableLog
from inspector.core.translation import tr

# The keys of the terms that are looked up last, since the log must be read for them.
_SLOW_KEYS = ("", "after", "before")


def apply_filter(ground: SearchableLog, line: str, cancelled: IsCancelled | None = None) -> FilterResult:
    """Return what a line keeps of an open log. Raises Cancelled."""
    read = parse_filter(line)
    if read.fault:
        return FilterResult(fault=read.fault)
    rows, mask = ground.rows, matching_rows_mask(ground, read.terms, cancelled)
    kept = rows.with_ancestors(mask)
    hidden = rows.findings_outside(kept)
    return FilterResult(
        kept,
        mask.bit_count(),
        rows.all_rows.bit_count(),
        hidden,
        rows.uppermost(mask, kept),
        doubt=_unknown_name_warning(rows, read.terms),
    )


def matching_rows_mask(
    ground: SearchableLog, terms: tuple[FilterTerm, ...], cancelled: IsCancelled | None = None
) -> int:
    """Return the mask of the rows that match. Raises Cancelled."""
    mask = ground.rows.all_rows
    for term in sorted(terms, key=lambda term: _SLOW_KEYS.index(term.key) if term.key in _SLOW_KEYS else -1):
        holds = reduce(or_, (_rows_of(ground, term, value, mask, cancelled) for value in term.values))
        mask = mask & ~holds if term.negated else mask & holds
    return mask


def _rows_of(ground: SearchableLog, term: FilterTerm, value: str, among: int, cancelled: IsCancelled | None) -> int:
    """Return the rows for which one value of a term holds; rows that are not `among` these need not be examined."""
    rows = ground.rows
    match term.key:
        case "tool":
            return rows.rows_of_tool(value)
        case "role":
            return rows.rows_of_role(value.lower())
        case "is":
            return rows.rows_in_state(value.lower())
        case "rule":
            return rows.rows_of_rule(value)
        case "":
            return rows.rows_of_blocks(_blocks_with_text(ground, value, rows.nodes_in(among), cancelled))
    return rows.rows_of_records(_records_by_time(ground, term, value, rows.nodes_in(among), cancelled))


def _blocks_with_text(
    ground: SearchableLog, text: str, nodes: Iterable[int], cancelled: IsCancelled | None
) -> Iterator[tuple[int, int]]:
    """Yield record and block of what shows a text; the block is -1 for the summary of a record.

    The bytes of a text in a record may be a key or an id, so the record is parsed and its blocks are searched.
    """
    pattern = re.compile(re.escape(text), re.IGNORECASE)
    among = {ground.outline.record[node] for node in nodes}
    for part in search_text(ground, text, False, cancelled):
        for record in among.intersection(part.records):
            if cancelled is not None and cancelled():
                raise Cancelled(tr("Filtering was canceled."))
            view = ground.view_record(record)
            for number, block in enumerate(view.blocks):
                if pattern.search(block.text) or pattern.search(block.name):
                    yield record, number
            if not view.blocks and pattern.search(view.summary):
                yield record, -1


def _records_by_time(
    ground: SearchableLog, term: FilterTerm, value: str, nodes: Iterable[int], cancelled: IsCancelled | None
) -> Iterator[int]:
    """Yield the records of some rows that were written after or before a time."""
    for record in dict.fromkeys(ground.outline.record[node] for node in nodes):
        if cancelled is not None and cancelled():
            raise Cancelled(tr("Filtering was canceled."))
        if matches_time_filter(ground.record_time(record), value, after=term.key == "after"):
            yield record


def _unknown_name_warning(rows: FilterMasks, terms: tuple[FilterTerm, ...]) -> str:
    """Return a sentence about a name in the line that does not occur in the log, "" if there is none."""
    for term in terms:
        unknown = [value for value in term.values if term.key == "tool" and not rows.rows_of_tool(value)]
        if unknown:
            return tr("This log has no calls to a tool named {unknown}.", unknown=unknown[0])
    return ""
