"""Which rows of a tree a filter line leaves, and how much it hides.

Merged; to be rewritten:
`filter_line`: A filter as a line of few words: `tool:Bash is:unanswered after:12:00 text`. What it says, and what it
cannot mean.
"""

import re
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

from msgspec import Struct

from inspector.core.errors import Cancelled
from inspector.core.formats.base.format import IsCancelled
from inspector.core.presentation.formatting import matches_time
from inspector.core.presentation.results import FilterResult
from inspector.core.search.index import RowMasks, SearchIndex
from inspector.core.search.text import search_text

# A filter as a line of few words: `tool:Bash is:unanswered after:12:00 text`. What it says, and what it cannot mean.
#
# All words must hold. `tool:Bash,Read` takes either, `-is:thinking` the others, `"two words"` is a text with a space.

# What each word before a colon asks for.
FILTER_KEYS = {
    "tool": "the calls of a tool, and their results",
    "role": "who speaks",
    "is": "what a row is, or what is wrong with it",
    "rule": "findings of one kind, by code or name",
    "after": "from a time of day or a date on",
    "before": "up to a time of day or a date",
}
# What a row can be.
FILTER_STATES = {
    "error": "an error stands here",
    "warning": "a warning stands here",
    "note": "a note stands here",
    "finding": "anything is wrong here",
    "unanswered": "a call without a result",
    "orphan": "a result without a call",
    "pending": "a call that waits",
    "duplicate": "a result that came twice",
    "answered": "a call with its result",
    "failed": "a result that was marked as failed, and its call",
    "call": "a call",
    "result": "a result",
    "text": "words",
    "thinking": "what the model thought",
    "media": "an image or a document",
    "compaction": "the history was compacted here",
    "aside": "what a resume does not load",
}
FILTER_ROLES = ("user", "assistant", "tool", "system")
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}){0,2})?|\d{2}:\d{2}(:\d{2})?)")
_WORD = re.compile(r'(?P<no>-?)(?:(?P<key>[A-Za-z]+):)?(?P<value>"[^"]*"?|[^\s"]*)\S*')
_KNOWN = {"is": tuple(FILTER_STATES), "role": FILTER_ROLES}


class FilterTerm(Struct, frozen=True):
    """One word of the line: a row fits where one of `values` holds, or none if it is `negated`. A text has no key."""

    key: str
    values: tuple[str, ...]
    negated: bool = False


class ParsedFilter(Struct, frozen=True):
    """What a line says; `fault` is the sentence on what in it has no meaning, "" where all has."""

    terms: tuple[FilterTerm, ...] = ()
    fault: str = ""


def parse_filter(line: str) -> ParsedFilter:
    """Read a line."""
    terms = []
    for word in _WORD.finditer(line):
        if not word[0]:
            continue
        key, value = (word["key"] or "").lower(), word["value"]
        values = (value.strip('"'),) if value.startswith('"') or not key else tuple(filter(None, value.split(",")))
        if fault := _fault(key, value, values):
            return ParsedFilter(fault=fault)
        if any(values):
            terms.append(FilterTerm(key, values, bool(word["no"])))
    return ParsedFilter(tuple(terms))


def _fault(key: str, value: str, values: tuple[str, ...]) -> str:
    if key and key not in FILTER_KEYS:
        return f"There is no word “{key}:”. There are {_listed(FILTER_KEYS)}; a text with a colon is put into quotes."
    if key and not values:
        return f"“{key}:” says nothing yet: {FILTER_KEYS[key]}."
    odd = [each for each in values if each.lower() not in _KNOWN[key]] if key in _KNOWN else []
    if odd:
        return f"“{key}:{odd[0]}” is not known. There are {_listed(_KNOWN[key])}."
    if key in ("after", "before") and not all(map(_TIME.fullmatch, values)):
        return f"“{value}” is no time: 12:30, 12:30:05, 2026-01-31 or 2026-01-31T12:30."
    return ""


def filter_completions(tools: Iterable[str], rules: Iterable[str]) -> list[str]:
    """The words that can stand in a line."""
    values = {"is": FILTER_STATES, "role": FILTER_ROLES, "tool": tools, "rule": rules}
    known = [f"{key}:{_quoted(value)}" for key, of in values.items() for value in of]
    return [*known, "after:", "before:"]


def tool_term(name: str) -> str:
    """The word that asks for a tool."""
    return f"tool:{_quoted(name)}"


def toggle_term(line: str, term: str) -> str:
    """The line with a word in it, or without it where it had that: what a click on the word does."""
    words = [word[0] for word in _WORD.finditer(line) if word[0]]
    return " ".join([word for word in words if word != term] if term in words else [*words, term])


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"[\s,]", value) else value


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}"


# The keys of the terms that are looked up last, since the log must be read for them.
_SLOW_KEYS = ("", "after", "before")


def apply_filter(ground: SearchIndex, line: str, cancelled: IsCancelled | None = None) -> FilterResult:
    """What a line leaves of an open log. Raises Cancelled."""
    read = parse_filter(line)
    if read.fault:
        return FilterResult(fault=read.fault)
    rows, mask = ground.rows, matching_rows(ground, read.terms, cancelled)
    kept = rows.with_ancestors(mask)
    hidden = rows.findings_outside(kept)
    return FilterResult(
        kept, mask.bit_count(), rows.all_rows.bit_count(), hidden, doubt=_unknown_name_warning(rows, read.terms)
    )


def matching_rows(ground: SearchIndex, terms: tuple[FilterTerm, ...], cancelled: IsCancelled | None = None) -> int:
    """The mask of the rows that fit. Raises Cancelled."""
    mask = ground.rows.all_rows
    for term in sorted(terms, key=lambda term: _SLOW_KEYS.index(term.key) if term.key in _SLOW_KEYS else -1):
        holds = reduce(or_, (_rows_of(ground, term, value, mask, cancelled) for value in term.values))
        mask = mask & ~holds if term.negated else mask & holds
    return mask


def _rows_of(ground: SearchIndex, term: FilterTerm, value: str, among: int, cancelled: IsCancelled | None) -> int:
    """The rows of which one value of a term holds; rows that are not `among` these need not be looked at."""
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
    ground: SearchIndex, text: str, nodes: Iterable[int], cancelled: IsCancelled | None
) -> Iterator[tuple[int, int]]:
    """Record and block of what shows a text. Where its bytes stand in a record, it may be a key or an id: so the record
    is parsed, and its blocks are searched."""
    pattern = re.compile(re.escape(text), re.IGNORECASE)
    among = {ground.outline.record[node] for node in nodes}
    for part in search_text(ground, text, False, cancelled):
        for record in among.intersection(part.records):
            if cancelled is not None and cancelled():
                raise Cancelled("Filtering was cancelled.")
            view = ground.view_record(record)
            for number, block in enumerate(view.blocks):
                if pattern.search(block.text) or pattern.search(block.name):
                    yield record, number
            if not view.blocks and pattern.search(view.summary):
                yield record, -1


def _records_by_time(
    ground: SearchIndex, term: FilterTerm, value: str, nodes: Iterable[int], cancelled: IsCancelled | None
) -> Iterator[int]:
    """The records of some rows that were written after or before a time."""
    for record in dict.fromkeys(ground.outline.record[node] for node in nodes):
        if cancelled is not None and cancelled():
            raise Cancelled("Filtering was cancelled.")
        if matches_time(ground.record_time(record), value, after=term.key == "after"):
            yield record


def _unknown_name_warning(rows: RowMasks, terms: tuple[FilterTerm, ...]) -> str:
    """What a line names that is nowhere in the log."""
    for term in terms:
        unknown = [value for value in term.values if term.key == "tool" and not rows.rows_of_tool(value)]
        if unknown:
            return f"No tool {unknown[0]} is called in this log."
    return ""
