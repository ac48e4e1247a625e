"""Record edits as splices of the log's bytes, and the bytes with the splices made: what no edit names is copied."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.bytes.sequences import RecordEdits, Splice
from inspector.core.bytes.source import Source
from inspector.core.containers import document, lines
from inspector.core.index.session import Log

_PIECE = 256 * 1024  # larger ones are fresh pages each time, which costs as much as the copying


def splices_of(log: Log, edits: RecordEdits) -> list[Splice]:
    """The splices that carry out `edits`, in order, not overlapping."""
    found: list[Splice] = []
    cut_record = len(log.columns) - 1 if log.cut is not None else -1
    if edits.close_cut:
        edits.deleted.discard(cut_record)
    for number, sequence in enumerate(log.sequences):
        if sequence.alone:
            found += document.splices_alone(log.columns, sequence, edits)
        elif sequence.array is None:
            found += lines.splices(log.source, log.columns, number, sequence, edits)
        else:
            found += document.splices(log.source, log.columns, number, sequence, edits)
    if edits.close_cut and log.cut is not None:
        # Last among those that start at the cut: what is added before it comes before the closing brackets.
        found.append(Splice(log.cut.at, log.source.size, log.cut.closers))
    return sorted(found, key=lambda splice: (splice.start, splice.end))


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
