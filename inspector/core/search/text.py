"""A text as the bytes of a log may spell it: as it is, escaped as JSON, and escaped again as JSON within JSON.

Source of the escapes: RFC 8259, section 7. Encoders differ in what they escape: all that is not ASCII (Python), `<`,
`>` and `&` (Go), `/` (PHP). How often a text is escaped depends on how deep it lies: the arguments of a call are often
JSON in a string. So any number of backslashes may stand before an escape.

Merged; to be rewritten:
`text`: Which records of a whole log hold a text, told piece by piece while it is being looked for.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, groupby
from operator import attrgetter

from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.format import IsCancelled
from inspector.core.presentation.results import TextMatches
from inspector.core.search.index import SearchIndex
from inspector.core.storage.source import Source, buffer_contains

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


# Which records of a whole log hold a text, told piece by piece while it is being looked for.

# A log is read in pieces that end with one of these, which every log has many of: with one that the text does not hold,
# so that no piece cuts it in two.
_ENDS = (b"\n", b"}", b",", b'"', b" ")
_LETTER = re.compile("[A-Za-z]")


def search_text(
    ground: SearchIndex, text: str, match_case: bool, cancelled: IsCancelled | None = None
) -> Iterator[TextMatches]:
    """Look for a text, which is not empty, in an open log and in those that are shown in it. Raises Cancelled.

    A log beside it that can no longer be read holds nothing: its rows say so.
    """
    log, opened = ground.report.log, ground.opened
    search = TextSearch(text, match_case, opened.starts, opened.ends)
    total = opened.ends[-1] if opened.ends else 0
    for done, records in search.matching_records(log.source, 0, log.one_line, cancelled):
        yield TextMatches(records, done, total, search.outside_matches)
    for attached in opened.overview.attached:
        with suppress(UnreadableLog), Source.open(attached.path) as source:
            for done, records in search.matching_records(source, attached.offset, False, cancelled):
                yield TextMatches(records, attached.offset + done, total, search.outside_matches)


class TextSearch:
    """Looks for one text in the bytes of a log and of those that are shown in it.

    `starts` and `ends` are the spans of all records; those of another log begin where the one before it ends.
    `outside` counts the pieces of the log between records that hold the text, too.
    """

    def __init__(self, text: str, match_case: bool, starts: array[int], ends: array[int]) -> None:
        # A text without letters has no case: the log need not be put into lower case for it.
        self._text, self._match_case = text, match_case or not _LETTER.search(text)
        self._starts, self._ends = starts, ends
        self._ways = search_patterns(text, self._match_case)
        self.outside_matches = 0

    def matching_records(
        self,
        source: Source,
        offset: int = 0,
        one_line: bool = False,
        cancelled: IsCancelled | None = None,
    ) -> Iterator[tuple[int, array[int]]]:
        """The records of one log that hold the text, in handfuls, each with how far it is. Raises Cancelled.

        `offset` is where its records begin among the spans.
        """
        ends = _ENDS[1:] if one_line else _ENDS
        separator = next((end for end in ends if end.decode() not in self._text), b"\n")
        last = -1
        for at, piece in source.chunks(separator, source.start, cancelled=cancelled):
            buffer: bytes | bytearray = piece.obj  # type: ignore[assignment]
            if not self._match_case:
                buffer = buffer.lower()
            found = sorted(
                {record for way in self._ways for record in self._in_piece(way, buffer, len(piece), offset + at)}
            )
            if found and found[0] == last:
                del found[0]
            last = found[-1] if found else last
            yield at + len(piece), array("i", found)

    def _in_piece(self, way: SearchPattern, buffer: bytes | bytearray, size: int, offset: int) -> Iterator[int]:
        starts, ends = self._starts, self._ends
        if way.anchor and not buffer_contains(buffer, way.anchor, size):
            return
        at = way.find(buffer, 0, size)
        while at >= 0:
            record = bisect_right(starts, offset + at) - 1
            if record >= 0 and offset + at < ends[record]:
                yield record
                after = ends[record]
            else:
                # A header, or what lies between the messages of a document.
                self.outside_matches += 1
                after = starts[record + 1] if record + 1 < len(starts) else offset + size
            at = way.find(buffer, max(after - offset, at + 1), size)
