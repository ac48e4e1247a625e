"""Record edits as splices of the log's bytes, and the bytes with the splices applied. All other bytes are copied."""

from bisect import bisect_left
from collections.abc import Iterator

from msgspec.structs import replace

from inspector.core.errors import InspectorError, NotVerified
from inspector.core.model.columnar_index import Columns, RecordMark
from inspector.core.model.session import Log
from inspector.core.storage.log_layout import RecordEdits, RecordSequence, Splice, Truncation
from inspector.core.storage.source import Source
from inspector.core.translation import tr

FIXED_MESSAGES = tr(
    "Messages cannot be added to or dropped from this log, because its records refer to messages by number."
)
_PIECE = 256 * 1024  # larger buffers are allocated as fresh pages each time, which costs as much as the copy


def splices_of(log: Log, edits: RecordEdits) -> list[Splice]:
    """Return the splices that carry out `edits`, in order and without overlaps."""
    splices: list[Splice] = []
    end_splices = [] if log.truncation is None else _document_end_splices(log, log.truncation, edits)
    sequences = log.sequences if log.truncation is None else [*log.sequences[:-1], _without_tail(log.sequences[-1])]
    touched = sorted({*edits.replaced, *edits.deleted, *edits.inserted_after})
    for number, sequence in enumerate(sequences):
        own = touched[bisect_left(touched, sequence.low) : bisect_left(touched, sequence.high)]
        if sequence.is_single_message:
            splices += _single_splices(log.columns, sequence, edits)
        elif sequence.array_start is None:
            splices += _line_splices(log.source, log.columns, number, sequence, edits, own)
        else:
            splices += _document_splices(log.source, log.columns, number, sequence, edits, own)
    # The splice that closes a document comes last among those that start there: additions come before the brackets.
    return sorted(splices + end_splices, key=lambda splice: (splice.start, splice.end))


def _without_tail(sequence: RecordSequence) -> RecordSequence:
    return replace(sequence, high=sequence.high - 1)


def _document_end_splices(log: Log, cut: Truncation, edits: RecordEdits) -> list[Splice]:
    """Return the splice that ends a truncated document where its tail is dropped or salvaged.

    The tail is no element of the array that it is counted with. What could be read of it is put after the last message:
    `edits` is changed for that.
    """
    tail, last = len(log.columns) - 1, log.sequences[-1]
    if tail not in edits.deleted | edits.replaced.keys() | edits.inserted_after.keys():
        return []
    salvaged = [edits.replaced.pop(tail)] if tail in edits.replaced else []
    salvaged += edits.inserted_after.pop(tail, [])
    if salvaged and tail > last.low:
        edits.inserted_after.setdefault(tail - 1, []).extend(salvaged)
    elif salvaged:
        edits.inserted_before.setdefault(len(log.sequences) - 1, []).extend(salvaged)
    edits.deleted.discard(tail)
    return [Splice(cut.offset, log.source.size, cut.closers)]


def _line_splices(
    source: Source, columns: Columns, number: int, sequence: RecordSequence, edits: RecordEdits, touched: list[int]
) -> Iterator[Splice]:
    """Yield the splices that carry out `edits` on the lines of `sequence`, in order.

    `touched` are those of its lines that are edited, or followed by added ones.
    """
    head = edits.inserted_before.get(number, [])
    if not touched and not head:
        return
    carriage = source.read(columns.starts[sequence.low], columns.ends[sequence.low]).endswith(b"\r")
    tail = b"\r" if carriage else b""
    first = columns.starts[sequence.low]
    if head:
        yield Splice(first, first, b"".join(_line(raw, tail) + b"\n" for raw in head))
    for record in touched:
        start, end = columns.starts[record], columns.ends[record]
        ended = source.read(end, end + 1) == b"\n"
        added = [_line(raw, tail) for raw in edits.inserted_after.get(record, [])]
        body = b"".join(raw + b"\n" for raw in added)
        if record in edits.deleted:
            yield Splice(start, end + ended, body)
            continue
        if record in edits.replaced:
            own = b"\r" if source.read(end - 1, end) == b"\r" else b""
            line_end = b"" if ended or added else b"\n"
            yield Splice(start, end, _line(edits.replaced[record], own) + line_end)
        if added:
            yield Splice(end + ended, end + ended, body if ended else b"\n" + body)


def _line(raw: bytes, tail: bytes) -> bytes:
    return raw.rstrip(b"\r\n") + tail


def _document_splices(
    source: Source, columns: Columns, number: int, sequence: RecordSequence, edits: RecordEdits, touched: list[int]
) -> Iterator[Splice]:
    """Yield the splices that carry out `edits` on the elements of one array, in order.

    `touched` are those of its elements that are edited, or followed by added ones.
    """
    low, high = sequence.low, sequence.high
    head = edits.inserted_before.get(number, [])
    if not touched and not head:
        return
    assert sequence.array_start is not None
    if low == high:
        yield Splice(sequence.array_start + 1, sequence.array_start + 1, b",".join(head))
        return
    lead = source.read(sequence.array_start + 1, columns.starts[low])
    gap = source.read(columns.ends[low], columns.starts[low + 1]) if high - low > 1 else b""
    if b"," not in gap:
        # There is only one element, or the truncated one after it begins with the comma.
        gap = b"," + lead
    kept_before = low
    while kept_before < high and kept_before in edits.deleted:
        kept_before += 1
    yield from _document_head(columns, edits, low, kept_before, high, head, gap)
    for record in touched:
        if record < kept_before:
            continue
        start, end = columns.starts[record], columns.ends[record]
        added = b"".join(gap + raw for raw in edits.inserted_after.get(record, []))
        if record in edits.deleted:
            yield Splice(columns.ends[record - 1], end, added)
        elif record in edits.replaced:
            yield Splice(start, end, edits.replaced[record] + added)
        else:
            yield Splice(end, end, added)


def _single_splices(columns: Columns, sequence: RecordSequence, edits: RecordEdits) -> Iterator[Splice]:
    """Yield the splice for a message that is a document by itself. Raises InspectorError, NotVerified."""
    record = sequence.low
    is_touched = record in edits.deleted or record in edits.inserted_after
    if is_touched and columns.marks[record] & RecordMark.NO_ENVELOPE:
        raise NotVerified(FIXED_MESSAGES)
    if is_touched:
        raise InspectorError(
            tr(
                "This log is a provider's response with only one message, so messages cannot be added or "
                "dropped. Add the results to the history that you send with the next request."
            )
        )
    if record in edits.replaced:
        yield Splice(columns.starts[record], columns.ends[record], edits.replaced[record])


def _document_head(
    columns: Columns, edits: RecordEdits, low: int, kept: int, high: int, head: list[bytes], gap: bytes
) -> Iterator[Splice]:
    """Yield the splice before the first record that stays.

    The separators there belong to the record after them.
    """
    added = list(head)
    for record in range(low, kept):
        added += edits.inserted_after.get(record, [])
    if kept == high:
        yield Splice(columns.starts[low], columns.ends[high - 1], gap.join(added))
    elif added or kept > low:
        text = b"".join(raw + gap for raw in added)
        yield Splice(columns.starts[low], columns.starts[kept], text)


def spliced_chunks(source: Source, splices: list[Splice]) -> Iterator[bytes]:
    """Yield the bytes of the log with the splices applied, in pieces of a quarter megabyte."""
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
