"""Record edits as splices of the log's bytes, and the bytes with the splices made: what no edit names is copied."""

from collections.abc import Iterator

from msgspec.structs import replace

from inspector.core.bytes.sequences import Cut, RecordEdits, Sequence, Splice
from inspector.core.bytes.source import Source
from inspector.core.containers import document, lines
from inspector.core.index.session import Log

_PIECE = 256 * 1024  # larger ones are fresh pages each time, which costs as much as the copying


def splices_of(log: Log, edits: RecordEdits) -> list[Splice]:
    """The splices that carry out `edits`, in order, not overlapping."""
    found: list[Splice] = []
    closed = [] if log.cut is None else _closed(log, log.cut, edits)
    sequences = log.sequences if log.cut is None else [*log.sequences[:-1], _without_tail(log.sequences[-1])]
    for number, sequence in enumerate(sequences):
        if sequence.single:
            found += document.splices_of_single(log.columns, sequence, edits)
        elif sequence.array is None:
            found += lines.splices(log.source, log.columns, number, sequence, edits)
        else:
            found += document.splices(log.source, log.columns, number, sequence, edits)
    # What closes a document is the last among those that start there: what is added comes before the brackets.
    return sorted(found + closed, key=lambda splice: (splice.start, splice.end))


def _without_tail(sequence: Sequence) -> Sequence:
    return replace(sequence, high=sequence.high - 1)


def _closed(log: Log, cut: Cut, edits: RecordEdits) -> list[Splice]:
    """What ends the document where its tail goes or is read: it is no element of the array that it is counted to.

    What could be read of it comes behind the last message, and is moved there in `edits`.
    """
    tail, last = len(log.columns) - 1, log.sequences[-1]
    if tail not in edits.deleted | edits.replaced.keys() | edits.after.keys():
        return []
    read = [edits.replaced.pop(tail)] if tail in edits.replaced else []
    read += edits.after.pop(tail, [])
    if read and tail > last.low:
        edits.after.setdefault(tail - 1, []).extend(read)
    elif read:
        edits.before.setdefault(len(log.sequences) - 1, []).extend(read)
    edits.deleted.discard(tail)
    return [Splice(cut.at, log.source.size, cut.closers)]


def pieces(source: Source, splices: list[Splice]) -> Iterator[bytes]:
    """The bytes of the log with the splices made, in pieces of a quarter megabyte."""
    at = 0
    for splice in splices:
        yield from _copied(source, at, splice.start)
        yield splice.value
        at = splice.end
    yield from _copied(source, at, source.size)


def _copied(source: Source, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        piece = source.read(start, min(end, start + _PIECE))
        if not piece:
            return
        start += len(piece)
        yield piece
