"""A document that keeps all of its messages in one array, read in pieces: none of it is looked at twice.

What stands between the first two messages, from the bracket that ends one to the first key of the next, stands between
all of them where a program wrote the document, and is in no string: there a quote is escaped. So the log is cut there.
Where a cut is no end of a message (another history is quoted in a call, say), what lies before it is no JSON, and the
document has to be read as a whole. It takes a third less time than that, and no memory (measured in the benchmark).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from inspector.core.bytes.source import HEAD_SIZE, Source
from inspector.core.bytes.spans import TruncatedJson, value_end
from inspector.core.containers.document.shapes import DocumentLayout, MessageArray
from inspector.core.containers.document.walk import find_message_arrays

_FIRST_KEY = re.compile(rb'\{\s*"[^"\\]*"')
_BEGIN = re.compile(rb"\{")


class DocumentPieces:
    """The messages of the document in `source`: `before` stands before them, `separator` between each two.

    `array`, but for the spans, is known when all was read: None when the document is not what its beginning promised.
    """

    def __init__(self, source: Source, shapes: DocumentLayout, before: bytes, separator: bytes) -> None:
        self._source, self._shapes = source, shapes
        self._before, self._separator = before, separator
        self._between, self._step = re.compile(re.escape(separator)), separator.index(b"{")
        self.array: MessageArray | None = None
        self.one_line = b"\n" not in before

    @classmethod
    def detect(cls, source: Source, shapes: DocumentLayout) -> DocumentPieces | None:
        """None when the beginning of the document does not tell how it separates its messages."""
        head = source.read(source.start, source.start + HEAD_SIZE)
        found = find_message_arrays(head, shapes).arrays
        if len(found) != 1 or len(found[0].spans) < 2:
            return None
        (first, end), (start, _) = found[0].spans[:2]
        key = _FIRST_KEY.match(head, start)
        return None if key is None else cls(source, shapes, head[:first], head[end - 1 : key.end()])

    def read(
        self, progress: Callable[[int, int], None] | None, cancelled: Callable[[], bool] | None
    ) -> Iterator[tuple[int, memoryview, list[tuple[int, int]]]]:
        """The pieces: offset, bytes (good until the next one is asked for), spans of the messages in them.

        Whoever takes them judges whether each span holds one sound value, for only then it is a message.
        """
        source, first = self._source, self._source.start + len(self._before)
        for offset, piece in source.chunks(self._separator, first, None, progress, cancelled):
            spans = self._spans_in(piece)
            if offset + len(piece) == source.size:
                start, _ = spans.pop()
                rest = bytes(piece[start:])
                try:
                    end = value_end(rest, 0)
                except TruncatedJson:
                    return
                spans.append((start, start + end))
                self.array = self._array(rest[end:], offset + start + end - first)
            buffer = piece.obj
            assert isinstance(buffer, bytes | bytearray)
            self.one_line = self.one_line and buffer.find(b"\n", 0, spans[-1][1]) < 0
            yield offset, piece, spans

    def _spans_in(self, piece: memoryview) -> list[tuple[int, int]]:
        """The spans of the messages in a piece of the log, the last of which ends with it."""
        begin = _BEGIN.search(piece)
        starts = [begin.start() if begin is not None else 0]
        ends = []
        for match in self._between.finditer(piece):  # `find` takes half as long again
            ends.append(match.start() + 1)
            starts.append(match.start() + self._step)
        return list(zip(starts, [*ends, len(piece)], strict=True))

    def _array(self, behind: bytes, size: int) -> MessageArray | None:
        """The array that `size` bytes of messages were taken out of: what is left is a small document."""
        left = find_message_arrays(self._before + behind, self._shapes)
        if not left.parsed or len(left.arrays) != 1:
            return None
        array = left.arrays[0]
        if array.spans or array.start + 1 != len(self._before.rstrip()):
            return None
        context, root = (
            None if span is None else (span[0], span[1] + size)
            for span in (array.enclosing_object, array.outermost_object)
        )
        return MessageArray(array.start, [], context, root, is_response=array.is_response, pointer=array.pointer)
