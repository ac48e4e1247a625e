"""Which records of a whole log hold a text, told piece by piece while it is being looked for."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress

from inspector.core.bytes.needle import buffer_contains
from inspector.core.bytes.source import Source
from inspector.core.errors import UnreadableLog
from inspector.core.formats.bases.reading import IsCancelled
from inspector.core.seek.ground import SearchIndex
from inspector.core.seek.spellings import SearchPattern, search_patterns
from inspector.core.showing.seeking import TextMatches

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
