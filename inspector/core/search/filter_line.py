"""A filter line such as `tool:Bash is:unanswered after:12:00 text`: how it is parsed, completed and changed.

A row must match all terms. `tool:Bash,Read` matches either tool, `-is:thinking` matches all other rows, and
`"two words"` is a text with a space.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from inspector.core.translation import tr

# What each word before a colon asks for.
FILTER_KEYS = {
    "tool": tr("the calls to a tool and their results"),
    "role": tr("the role of a message"),
    "is": tr("the type of a row, or a problem in it"),
    "rule": tr("findings of one kind, by code or name"),
    "after": tr("at or after a time or date"),
    "before": tr("up to a time or date"),
}
# What a row can be.
FILTER_STATES = {
    "error": tr("has an error"),
    "warning": tr("has a warning"),
    "note": tr("has an info-level finding"),
    "finding": tr("has a finding"),
    "unanswered": tr("a call without a result"),
    "orphan": tr("a result without a call"),
    "pending": tr("a call that is waiting for its result"),
    "duplicate": tr("a repeated result"),
    "answered": tr("a call with its result"),
    "failed": tr("a failed result and its call"),
    "call": tr("a call"),
    "result": tr("a result"),
    "text": tr("words"),
    "thinking": tr("the model's reasoning"),
    "media": tr("an image or a document"),
    "compaction": tr("a compaction of the history"),
    "aside": tr("records that are not loaded on resume"),
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
        return tr(
            "There is no “{key}:” filter. The available filters are {listed}. To search for text that "
            "contains a colon, put the text in quotes.",
            key=key,
            listed=_listed(FILTER_KEYS),
        )
    if key and not values:
        return tr("“{key}:” needs a value ({filter_keys}).", key=key, filter_keys=FILTER_KEYS[key])
    odd = [each for each in values if each.lower() not in _KNOWN[key]] if key in _KNOWN else []
    if odd:
        return tr(
            "“{odd}” is not a valid value for “{key}:”. Possible values: {listed}.",
            key=key,
            odd=odd[0],
            listed=_listed(_KNOWN[key]),
        )
    if key in ("after", "before") and not all(map(_TIME.fullmatch, values)):
        return tr(
            "“{value}” is not a valid time. Examples: 12:30, 12:30:05, 2026-01-31 and 2026-01-31T12:30.", value=value
        )
    return ""


def filter_vocabulary(tools: Iterable[str], rules: Iterable[str]) -> list[str]:
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
    return tr("{most} and {last}", most=", ".join(most), last=last)
