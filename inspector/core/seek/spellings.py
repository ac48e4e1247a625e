"""A text as the bytes of a log may spell it: as it is, escaped as JSON, and escaped again as JSON within JSON.

Source of the escapes: RFC 8259, section 7. Encoders differ in what they escape: all that is not ASCII (Python), `<`,
`>` and `&` (Go), `/` (PHP). How often a text is escaped depends on how deep it lies: the arguments of a call are often
JSON in a string. So any number of backslashes may stand before an escape.
"""

import re
from collections.abc import Iterator
from itertools import accumulate, groupby
from operator import attrgetter

from msgspec import Struct

_LETTERS = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
# What some encoder escapes though it is ASCII.
_ESCAPED = frozenset("\"\\/<>&'\x7f")
# So deep at most: JSON in JSON in JSON in JSON doubles the backslashes each time.
_BACKSLASHES = 15


class SearchPattern(Struct, frozen=True):
    """One way to spell a whole text: `anchor` stands in it always, and `pattern` tells whether the rest does, too.

    `before` is how many bytes at most stand in front of the anchor, `reach` how many there are in all. A text that can
    be spelled in this way alone is its anchor and needs no pattern; one that nothing is certain of has no anchor.
    """

    anchor: bytes
    pattern: re.Pattern[bytes] | None = None
    before: int = 0
    max_length: int = 0

    def find(self, buffer: bytes | bytearray, start: int, end: int) -> int:
        """Where the text first stands in `buffer[start:end]`, -1 for nowhere."""
        if self.pattern is None:
            return buffer.find(self.anchor, start, end)
        if not self.anchor:
            found = self.pattern.search(buffer, start, end)
            return found.start() if found else -1
        at = buffer.find(self.anchor, start, end)
        while at >= 0:
            found = self.pattern.search(buffer, max(start, at - self.before), min(end, at + self.max_length))
            if found and found.start() <= at:
                return found.start()
            at = buffer.find(self.anchor, at + 1, end)
        return -1


class _CharacterPattern(Struct, frozen=True):
    """One character: `certain` are bytes that it always has, `expression` is all of it, `reach` its most bytes."""

    certain: bytes
    expression: bytes
    reach: int
    whole: bool = False


def search_patterns(text: str, match_case: bool = True) -> list[SearchPattern]:
    """The ways in which a log may spell a text that is not empty; without `match_case` for bytes in lower case.

    Only ASCII has a case here: the bytes of a log are compared, and the encoding of nothing else is that simple.
    """
    raw = text.encode("utf-8", "backslashreplace")
    text = (raw if match_case else raw.lower()).decode()
    ways = [[_part(sign) for sign in text]]
    if not text.isascii():
        ways += [[_part(sign, escape) for sign in text] for escape in (("x", "X") if match_case else ("x",))]
    return [_spelling(parts) for parts in ways]


def _part(sign: str, escape: str = "") -> _CharacterPattern:
    """A character; `escape` spells those that are not ASCII as escapes, with digits in lower or upper case."""
    code = ord(sign)
    if not sign.isascii():
        raw = sign.encode()
        return _units(sign, escape) if escape else _CharacterPattern(raw, re.escape(raw), len(raw), whole=True)
    if code >= 32 and sign not in _ESCAPED:
        raw = sign.encode()
        return _CharacterPattern(raw, re.escape(raw), 1, whole=True)
    if sign == "\\":
        return _CharacterPattern(b"\\", b"\\\\{1,%d}" % _BACKSLASHES, _BACKSLASHES)
    letter = _LETTERS.get(sign, "")
    after = "|".join(filter(None, (letter, f"u00{code >> 4:x}[{code & 15:x}{code & 15:X}]")))
    bare = re.escape(sign).encode()
    # A quote or a slash keeps its own form behind the backslashes; a control character does not.
    itself = b"" if letter else b"\\\\{0,%d}%b|" % (_BACKSLASHES, bare)
    return _CharacterPattern(
        b"", b"(?:%b%b|\\\\{1,%d}(?:%b))" % (itself, bare, _BACKSLASHES, after.encode()), _BACKSLASHES + 5
    )


def _units(sign: str, escape: str) -> _CharacterPattern:
    """A character as the escapes of its UTF-16 units."""
    raw = sign.encode("utf-16-be")
    codes = [f"u{int.from_bytes(raw[at : at + 2]):04{escape}}".encode() for at in range(0, len(raw), 2)]
    expression = b"".join(b"\\\\{1,%d}%b" % (_BACKSLASHES, code) for code in codes)
    return _CharacterPattern(codes[-1], expression, len(codes) * (_BACKSLASHES + 5))


def _spelling(parts: list[_CharacterPattern]) -> SearchPattern:
    if all(part.whole for part in parts):
        return SearchPattern(b"".join(part.certain for part in parts))
    anchor, before = max(_anchors(parts), key=lambda each: len(each[0]))
    expression = b"".join(part.expression for part in parts)
    return SearchPattern(anchor, re.compile(expression), before, sum(part.reach for part in parts))


def _anchors(parts: list[_CharacterPattern]) -> Iterator[tuple[bytes, int]]:
    """Bytes that every spelling of the text holds, each with how many bytes can stand before them at most.

    Last comes b"", for a text that nothing is certain of.
    """
    at = 0
    for whole, run in groupby(parts, attrgetter("whole")):
        group = list(run)
        if whole:
            yield b"".join(part.certain for part in group), at
        else:
            befores = accumulate((part.reach for part in group), initial=at)
            yield from ((part.certain, before + part.reach) for part, before in zip(group, befores, strict=False))
        at += sum(part.reach for part in group)
    yield b"", 0
