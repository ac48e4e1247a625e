"""What of a text a program wrote, and readers go by: a stand-in, a refusal, the words that tell of an error."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

from inspector.core.known_texts.placeholders import FILLER_MESSAGES, filled_in_spans, is_placeholder, may_be_placeholder
from inspector.core.known_texts.provider_errors import telltale_words
from inspector.core.known_texts.refusals import may_be_refusal, refusal_prefix_length
from inspector.core.skeleton.letters import decode_json_string, split_characters
from inspector.core.skeleton.vocabulary import provider_text_words

_LONGEST = 3000  # characters of a beginning, however they are escaped
_OWN = frozenset(text for texts in FILLER_MESSAGES.values() for text in texts)


def is_program_text(text: str) -> bool:
    """Whether the whole of a text is what programs write, but for the names and ids in it."""
    return text.strip() in _OWN or is_placeholder(text)


def program_prefix_length(text: str) -> int:
    """How many characters at the start of a text are a program's own: all of a stand-in, what a refusal begins with."""
    return len(text) if is_program_text(text) else refusal_prefix_length(text)


def program_spans(raw: str, signs: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Where a string as JSON spells it is a program's own; `signs` are patterns of how texts begin that a format reads.

    What their groups hold is somebody's.
    """
    quick = b'"' + raw[:80].encode("utf-8", "replace")
    if not (signs or may_be_placeholder(quick) or may_be_refusal(quick) or raw.strip() in _OWN):
        return
    text = decode_json_string(raw[:_LONGEST])
    places = [0, *accumulate(map(len, split_characters(raw[:_LONGEST])))]
    if end := program_prefix_length(text):
        gaps = filled_in_spans(text)
    elif found := next(filter(None, (_compiled(sign).match(text) for sign in signs)), None):
        end, gaps = found.end(), [found.span(group) for group in range(1, found.re.groups + 1)]
    else:
        return
    edges = [0, *(edge for gap in gaps if gap[0] >= 0 for edge in gap), end]
    yield from ((places[start], places[behind]) for start, behind in zip(edges[::2], edges[1::2], strict=True))


def error_words(text: str) -> set[str]:
    """The words of an error's text, in lower case, that tell what it is about."""
    told = telltale_words(text)
    words = set(re.findall(r"[^\W\d_]+|\d+", text))
    return {word.lower() for word in words if any(word.lower() in each for each in told) and _is_own(word)}


def _is_own(word: str) -> bool:
    return word.isdecimal() or word in provider_text_words() or word.lower() in provider_text_words()


@cache
def _compiled(sign: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{sign})", re.DOTALL | re.IGNORECASE)
