"""A filter line such as `tool:Bash is:unanswered after:12:00 text`: how it is parsed, completed and changed.

A row must match all terms. `tool:Bash,Read` matches either tool, `-is:thinking` matches all other rows, and
`"two words"` is a text with a space.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

# What each word before a colon asks for.
FILTER_KEYS = {
    "tool": "the calls of a tool, and their results",
    "role": "the role of a message",
    "is": "the kind of a row, or its problem",
    "rule": "findings of one kind, by code or name",
    "after": "from a time or date",
    "before": "up to a time or date",
}
# What a row can be.
FILTER_STATES = {
    "error": "has an error",
    "warning": "has a warning",
    "note": "has an info finding",
    "finding": "has any finding",
    "unanswered": "a call without a result",
    "orphan": "a result without a call",
    "pending": "a call that is waiting for its result",
    "duplicate": "a repeated result",
    "answered": "a call with its result",
    "failed": "a failed result, and its call",
    "call": "a call",
    "result": "a result",
    "text": "words",
    "thinking": "the model's reasoning",
    "media": "an image or a document",
    "compaction": "a compaction of the history",
    "aside": "records that a resume does not load",
}
FILTER_ROLES = ("user", "assistant", "tool", "system")
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}){0,2})?|\d{2}:\d{2}(:\d{2})?)")
_WORD = re.compile(r'(?P<no>-?)(?:(?P<key>[A-Za-z]+):)?(?P<value>"[^"]*"?|[^\s"]*)\S*')
_KNOWN = {"is": tuple(FILTER_STATES), "role": FILTER_ROLES}


class FilterTerm(Struct, frozen=True):
    """One word of the line; a text has no key.

    A row matches if one of `values` holds for it or, if `negated`, none.
    """

    key: str
    values: tuple[str, ...]
    negated: bool = False


class ParsedFilter(Struct, frozen=True):
    """The meaning of a line; `fault` is a sentence about a word without a meaning, "" where all words have one."""

    terms: tuple[FilterTerm, ...] = ()
    fault: str = ""


def parse_filter(line: str) -> ParsedFilter:
    """Parse a filter line."""
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
        return (
            f"There is no filter “{key}:”. The filters are {_listed(FILTER_KEYS)}. Put a text with a colon in quotes."
        )
    if key and not values:
        return f"“{key}:” needs a value: {FILTER_KEYS[key]}."
    odd = [each for each in values if each.lower() not in _KNOWN[key]] if key in _KNOWN else []
    if odd:
        return f"There is no “{key}:{odd[0]}”. Possible values: {_listed(_KNOWN[key])}."
    if key in ("after", "before") and not all(map(_TIME.fullmatch, values)):
        return f"“{value}” is not a time such as 12:30, 12:30:05, 2026-01-31 or 2026-01-31T12:30."
    return ""


def filter_completions(tools: Iterable[str], rules: Iterable[str]) -> list[str]:
    """Return the words that can be used in a line."""
    values = {"is": FILTER_STATES, "role": FILTER_ROLES, "tool": tools, "rule": rules}
    known = [f"{key}:{_quoted(value)}" for key, of in values.items() for value in of]
    return [*known, "after:", "before:"]


def tool_term(name: str) -> str:
    """Return the word that selects a tool."""
    return f"tool:{_quoted(name)}"


def toggle_term(line: str, term: str) -> str:
    """Return the line with a word added, or removed if the line contains it: the effect of a click on the word."""
    words = [word[0] for word in _WORD.finditer(line) if word[0]]
    return " ".join([word for word in words if word != term] if term in words else [*words, term])


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"[\s,]", value) else value


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}"
