"""Record edits as splices of the bytes of a JSON array: separators and layout follow what stands there."""

from collections.abc import Iterator

from inspector.core.bytes.sequences import RecordEdits, Sequence, Splice
from inspector.core.bytes.source import Source
from inspector.core.errors import InspectorError
from inspector.core.index.columns import Columns


def splices(source: Source, columns: Columns, number: int, sequence: Sequence, edits: RecordEdits) -> Iterator[Splice]:
    """The splices that carry out `edits` on the elements of one array, in order."""
    low, high = sequence.low, sequence.high
    touched = sorted(r for r in {*edits.replaced, *edits.deleted, *edits.after} if low <= r < high)
    head = edits.before.get(number, [])
    if not touched and not head:
        return
    assert sequence.array is not None
    if low == high:
        yield Splice(sequence.array + 1, sequence.array + 1, b",".join(head))
        return
    lead = source.read(sequence.array + 1, columns.starts[low])
    gap = source.read(columns.ends[low], columns.starts[low + 1]) if high - low > 1 else b""
    if b"," not in gap:
        # There is one element alone, or what breaks off behind it begins with the comma.
        gap = b"," + lead
    kept_before = low
    while kept_before < high and kept_before in edits.deleted:
        kept_before += 1
    yield from _head(columns, edits, low, kept_before, high, head, gap)
    for record in touched:
        if record < kept_before:
            continue
        start, end = columns.starts[record], columns.ends[record]
        added = b"".join(gap + raw for raw in edits.after.get(record, []))
        if record in edits.deleted:
            yield Splice(columns.ends[record - 1], end, added)
        elif record in edits.replaced:
            yield Splice(start, end, edits.replaced[record] + added)
        else:
            yield Splice(end, end, added)


def splices_of_single(columns: Columns, sequence: Sequence, edits: RecordEdits) -> Iterator[Splice]:
    """The same for one message that stands by itself. Raises InspectorError."""
    record = sequence.low
    if record in edits.deleted or record in edits.after:
        raise InspectorError(
            "A provider's response holds this message alone, so nothing can stand beside it and it cannot be dropped: "
            "add the results to the history that you send with the next request."
        )
    if record in edits.replaced:
        yield Splice(columns.starts[record], columns.ends[record], edits.replaced[record])


def _head(
    columns: Columns, edits: RecordEdits, low: int, kept: int, high: int, head: list[bytes], gap: bytes
) -> Iterator[Splice]:
    """What happens before the first record that stays: there the separators belong to the record after."""
    added = list(head)
    for record in range(low, kept):
        added += edits.after.get(record, [])
    if kept == high:
        yield Splice(columns.starts[low], columns.ends[high - 1], gap.join(added))
    elif added or kept > low:
        text = b"".join(raw + gap for raw in added)
        yield Splice(columns.starts[low], columns.starts[kept], text)
