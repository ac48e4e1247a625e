"""Search a log for a text in any spelling of its bytes: plain, escaped as JSON, or escaped again inside JSON.

Source of the escapes: RFC 8259, section 7. Encoders differ in what they escape: all that is not ASCII (Python), `<`,
`>` and `&` (Go), `/` (PHP). How often a text is escaped depends on how deep it lies: the arguments of a call are often
JSON in a string. So any number of backslashes may stand before an escape.

Matching records are returned piece by piece while the search runs.
"""

from __future__ import annotations

import ctypes
import re
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, groupby
from operator import attrgetter

from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.format import IsCancelled
from inspector.core.presentation.engine_results import TextMatches
from inspector.core.search.row_masks import SearchableLog
from inspector.core.storage.source import Source

_LETTERS = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
# ASCII characters that some encoder escapes.
_ESCAPED = frozenset("\"\\/<>&'\x7f")
# The maximum depth: each level of JSON within JSON doubles the backslashes.
_BACKSLASHES = 15


class SearchPattern(Struct, frozen=True):
    """One way to spell a whole text: `anchor` is always part of it, and `pattern` matches the whole.

    `before` is the maximum number of bytes before the anchor, `max_length` that of the whole spelling. A text with only
    one spelling is its own anchor and needs no pattern; a text with no certain bytes has an empty anchor.
    """

    anchor: bytes
    pattern: re.Pattern[bytes] | None = None
    before: int = 0
    max_length: int = 0

    def find(self, buffer: bytes | bytearray, start: int, end: int) -> int:
        """Return where the text first occurs in `buffer[start:end]`, -1 if it does not."""
        if self.pattern is None:
            return buffer.find(self.anchor, start, end)
        if not self.anchor:
            match = self.pattern.search(buffer, start, end)
            return match.start() if match else -1
        at = buffer.find(self.anchor, start, end)
        while at >= 0:
            match = self.pattern.search(buffer, max(start, at - self.before), min(end, at + self.max_length))
            if match and match.start() <= at:
                return match.start()
            at = buffer.find(self.anchor, at + 1, end)
        return -1


class _CharacterPattern(Struct, frozen=True):
    """The pattern of one character.

    `certain` are bytes that it always has, `expression` matches all of it, `reach` is its maximum length in bytes.
    """

    certain: bytes
    expression: bytes
    reach: int
    whole: bool = False


def search_patterns(text: str, match_case: bool = True) -> list[SearchPattern]:
    """Return the ways in which a log may spell a text that is not empty.

    Without `match_case` the patterns are for bytes in lower case. Only ASCII letters are compared without case, since
    the bytes of a log are searched, and the encoding of other letters is not that simple.
    """
    raw = text.encode("utf-8", "backslashreplace")
    text = (raw if match_case else raw.lower()).decode()
    ways = [[_part(sign) for sign in text]]
    if not text.isascii():
        ways += [[_part(sign, escape) for sign in text] for escape in (("x", "X") if match_case else ("x",))]
    return [_spelling(parts) for parts in ways]


def _part(sign: str, escape: str = "") -> _CharacterPattern:
    """Return the pattern of a character.

    With `escape`, a character that is not ASCII is spelled as escapes, with hex digits in lower ("x") or upper ("X")
    case.
    """
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
    # A quote or a slash keeps its own form after the backslashes; a control character does not.
    itself = b"" if letter else b"\\\\{0,%d}%b|" % (_BACKSLASHES, bare)
    return _CharacterPattern(
        b"", b"(?:%b%b|\\\\{1,%d}(?:%b))" % (itself, bare, _BACKSLASHES, after.encode()), _BACKSLASHES + 5
    )


def _units(sign: str, escape: str) -> _CharacterPattern:
    """Return the pattern of a character as the escapes of its UTF-16 units."""
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
    """Yield bytes that every spelling of the text contains, each with the maximum number of bytes before them.

    The last is b"", for a text with no certain bytes.
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


# A log is read in pieces that end with one of these common bytes. The one used is not in the text, so that no piece
# cuts the text in two.
_ENDS = (b"\n", b"}", b",", b'"', b" ")
_LETTER = re.compile("[A-Za-z]")


def search_text(
    ground: SearchableLog, text: str, match_case: bool, cancelled: IsCancelled | None = None
) -> Iterator[TextMatches]:
    """Search an open log, and the logs that are shown in it, for a text that is not empty. Raises Cancelled.

    A subagent's log that can no longer be read has no matches: its rows say so.
    """
    log, opened = ground.report.log, ground.opened
    search = TextSearch(text, match_case, opened.starts, opened.ends)
    total = opened.ends[-1] if opened.ends else 0
    for done, records in search.matching_records(log.source, 0, log.one_line, cancelled):
        yield TextMatches(records, done, total, search.outside_matches)
    for attached in opened.overview.attached:
        with suppress(UnreadableLog), Source.open(attached.bytes_path) as source:
            source.limit_to(source.start, min(source.size, attached.size))
            for done, records in search.matching_records(source, attached.offset, False, cancelled):
                yield TextMatches(records, attached.offset + done, total, search.outside_matches)


class TextSearch:
    """Searches for one text in the bytes of a log and of the logs that are shown in it.

    `starts` and `ends` are the spans of all records; those of another log begin where the previous log ends.
    `outside_matches` counts the pieces of the log between records that contain the text as well.
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
        """Yield the matching records of one log in batches, each with the number of bytes searched. Raises Cancelled.

        `offset` is where the records of this log begin among the spans.
        """
        ends = _ENDS[1:] if one_line else _ENDS
        separator = next((end for end in ends if end.decode() not in self._text), b"\n")
        last = -1
        for at, piece in source.chunks(separator, source.start, cancelled=cancelled):
            buffer: bytes | bytearray = piece.obj  # type: ignore[assignment]
            if not self._match_case:
                buffer = buffer.lower()
            records = sorted(
                {record for way in self._ways for record in self._in_piece(way, buffer, len(piece), offset + at)}
            )
            if records and records[0] == last:
                del records[0]
            last = records[-1] if records else last
            yield at + len(piece), array("i", records)

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
                # A header, or text between the messages of a document.
                self.outside_matches += 1
                after = starts[record + 1] if record + 1 < len(starts) else offset + size
            at = way.find(buffer, max(after - offset, at + 1), size)


def buffer_contains(buffer: bytes | bytearray, needle: bytes, size: int) -> bool:
    """Return whether the first `size` bytes of a buffer hold the needle.

    This is called for every piece of a log, and the answer is mostly no. The C library of Linux takes half to a sixth
    of the time of `bytearray.find`; it saves more for a shorter needle.
    """
    search = _memmem()
    if search is None or not size:
        return buffer.find(needle, 0, size) >= 0
    place = buffer if isinstance(buffer, bytes) else ctypes.byref(ctypes.c_char.from_buffer(buffer))
    return search(place, size, needle, len(needle)) is not None


@lru_cache(1)
def _memmem() -> Callable[[object, int, bytes, int], int | None] | None:
    search = getattr(ctypes.CDLL(None), "memmem", None) if sys.platform.startswith("linux") else None
    if search is not None:
        search.restype = ctypes.c_void_p
        search.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    return search
