"""What providers and agents answer when a history is broken: wordings, and the classes of anomaly behind them.

Sources: the public reports that `profiles/` and the catalogue of classes name.
"""

import re

from msgspec import Struct


class Explanation(Struct, frozen=True):
    """What an error text means: the rule codes that lead to it, and a sentence."""

    rules: tuple[str, ...]
    sentence: str


_UNANSWERED = "A call has no result right after it: a missing result, or one that stands in the wrong place."
_ORPHAN = "A result has no call right before it: its call is missing, or something stands between them."
_TABLE: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (r"tool_use.? ids were found without .?tool_result", ("D1", "D2", "D3", "D4", "R3", "R9", "G5"), _UNANSWERED),
    (r"Did not find \d+ .?tool_result", ("D1", "D2", "D3", "D4", "R3", "R9"), _UNANSWERED),
    (r"unexpected .?tool_use_id.? found in .?tool_result", ("R1", "R2", "R4", "R8", "R12", "C2"), _ORPHAN),
    (
        r"each tool_use must have a single result|multiple .?tool_result",
        ("R5", "R6", "R7"),
        "A call has several results.",
    ),
    (r"tool_use.? ids must be unique", ("K1", "K2"), "Two calls carry one id."),
    (
        r"String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'",
        ("K3", "K4"),
        "A call's id is empty or has illegal characters.",
    ),
    (r"tool_use\.input: (Input should be|Field required)", ("K6",), "The input of a call is no JSON object."),
    (r"must be followed by tool messages responding to each", ("D1", "D2", "D3", "D4", "R3", "R4"), _UNANSWERED),
    (r"insufficient tool messages following", ("D1", "D2", "D3", "D4", "R3", "R4"), _UNANSWERED),
    (r"messages with role .?'?tool'? must be a response to a prece+ding", ("R1", "R2", "C2"), _ORPHAN),
    (r"No tool output found for", ("D1", "D2", "D3"), _UNANSWERED),
    (r"No tool call found for function call output", ("R1", "R2"), _ORPHAN),
    (r"Duplicate value for 'tool_call_id'|Duplicate function_call_output", ("R5", "K1"), "One id has several results."),
    (r"tool_calls'?: empty array|empty_array", ("M9",), "A message has an empty list of calls."),
    (r"text content blocks must (be non-empty|contain non-whitespace)", ("M6",), "A text block is blank."),
    (r"all messages must have non-empty content", ("M6",), "A message is empty."),
    (r"first message must use the .?user", ("M4",), "The history does not begin with the user."),
    (
        r"no low surrogate|lone surrogate|invalid (high|low) surrogate",
        ("F7",),
        "A text holds half of a surrogate pair.",
    ),
    (
        r"tool use concurrency issues",
        ("D1", "D2", "D3", "R3", "R5"),
        "Claude Code's own wording for a call without its result.",
    ),
    (r"roles must alternate", ("M2", "M3"), "Two messages of one role follow each other."),
    (r"tool call result does not follow tool call", ("D1", "D2", "R3", "K1"), _UNANSWERED),
)

_OF_THE_LINE = (
    r"\b(401|402|403|408|429|500|502|503|504|529)\b|overloaded|rate.?limit|usage limit|limit reached|credit balance|"
    r"quota|timed? ?out|connection|network|login|api key|authenticat|internal server error|service unavailable"
)


def explain(text: str) -> Explanation | None:
    """What a pasted error text means, None when its wording is not known."""
    for pattern, rules, sentence in _TABLE:
        if re.search(pattern, text, re.IGNORECASE):
            return Explanation(rules, sentence)
    return None


def is_of_the_line(text: str) -> bool:
    """Whether an error is about reaching the provider (overload, limits, login), not about the history."""
    return explain(text) is None and re.search(_OF_THE_LINE, text, re.IGNORECASE) is not None
