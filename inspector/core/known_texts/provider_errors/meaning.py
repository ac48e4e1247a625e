"""What an error text means: it is compared with the known wordings, first word by word, then without any space."""

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.known_texts.provider_errors.cleaning import flatten_text, remove_spaces, strip_decoration
from inspector.core.later import LazyModule

if TYPE_CHECKING:
    from inspector.core.known_texts.provider_errors import wordings
    from inspector.core.known_texts.provider_errors.wordings import servers
else:
    wordings = LazyModule("inspector.core.known_texts.provider_errors.wordings")
    servers = LazyModule("inspector.core.known_texts.provider_errors.wordings.servers")

_SPACES = re.compile(r"(?<!\\) ")
# A space inside of a set of characters is a choice, not a place where a text may be broken.
_CHARACTER_SETS = re.compile(r"\[(?:\\.|[^\]\\])*\]")


class ErrorExplanation(Struct, frozen=True):
    """What an error text means: the rule codes that lead to it, a sentence, and who speaks.

    `profile` is the profile whose rule it is, "" for one that belongs to a program; `through` names the servers and
    gateways that the text gives away. `words` are those of the text that told it, without spaces.
    """

    rules: tuple[str, ...]
    sentence: str
    profile: str = ""
    servers: tuple[str, ...] = ()
    matched_words: str = ""


def explain_error(text: str) -> ErrorExplanation | None:
    """What a pasted error text means, None when its wording is not known. Line breaks and escapes do not matter."""
    plain = flatten_text(strip_decoration(text))
    for narrow, said in ((False, plain), (True, remove_spaces(plain))):
        for speaker, spoken in wordings.WORDINGS_BY_PROFILE.items():
            for wording in spoken:
                found = _compiled(wording.pattern, narrow).search(said)
                if found is not None:
                    through = tuple(name for name, mark in servers.SERVERS if re.search(mark, plain, re.IGNORECASE))
                    return ErrorExplanation(
                        wording.rules, wording.sentence, speaker, through, remove_spaces(found[0]).lower()
                    )
    return None


@cache
def _compiled(pattern: str, narrow: bool) -> re.Pattern[str]:
    """A pattern for a flat text, or (`narrow`) for one without spaces."""
    if narrow:
        pattern = "".join(
            part if at % 2 else _SPACES.sub("", part).replace(r"\b", "") for at, part in enumerate(_parts(pattern))
        )
    return re.compile(pattern, re.IGNORECASE)


def _parts(pattern: str) -> list[str]:
    """A pattern cut at its sets of characters, which stand at the odd places."""
    parts, start = [], 0
    for found in _CHARACTER_SETS.finditer(pattern):
        parts += [pattern[start : found.start()], found[0]]
        start = found.end()
    return [*parts, pattern[start:]]
