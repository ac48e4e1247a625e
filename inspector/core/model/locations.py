"""Where records are in a log, in the terms by which users find them.

A record that has a line to itself is found by its line. Where a whole document, a conversation or a compaction's
history is one line, a record is found by its number in its array, and a pointer is relative to the start of that line.
"""

from bisect import bisect_right
from contextlib import suppress

from inspector.core.model.session import LineNumbers, Log
from inspector.core.model.views import RecordLocation, one_based
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson, pointer_span
from inspector.core.storage.log_layout import RecordSequence

_LOOK = 4096  # bytes before the first message that are searched for a line end


class Locator:
    """The locations of records. Lookups in the order of the log are the fastest."""

    def __init__(self, log: Log) -> None:
        self._log, self._line_of = log, LineNumbers(log).line_of

    def locate(self, record: int, pointer: str = "") -> RecordLocation:
        return locate_record(self._log, record, self._line_of(record), pointer)


def locate_record(log: Log, record: int, line: int | None, pointer: str) -> RecordLocation:
    """Return the location of something in a log.

    In a log of several files or rows, it names the file or row that holds the record.
    """
    start, end = log.columns.starts[record], log.columns.ends[record]
    number = log.columns.first_number + record
    if attached := log.source.attached_at(start):
        return RecordLocation(number, line, None, pointer, attached.source.path)
    member = log.source.member_containing(start, end)
    if member is not None:
        with suppress(TruncatedJson):
            low, high = _span_at(log.raw(record), pointer)
            member = log.source.member_containing(start + low, start + high)
        return RecordLocation(number, line, None, pointer, member)
    sequence = _array_holding(log, record)
    if sequence is None or not _shares_line(log, sequence):
        return RecordLocation(number, line, (start, end), pointer)
    index = record - sequence.low
    return RecordLocation(number, line, (start, end), pointer, None, index, f"{sequence.pointer}/{index}{pointer}")


def _span_at(raw: bytes, pointer: str) -> tuple[int, int]:
    """Return the span of a value, or of the nearest one around it if it is missing. Raises TruncatedJson."""
    try:
        return pointer_span(raw, pointer)
    except PointerNotFound:
        return _span_at(raw, pointer.rpartition("/")[0])


def record_at(log: Log, number: int) -> int | None:
    """Return the record that users find by this number, None if there is none.

    It is any line of the record, from 1; where messages share a line, the message from 0; in a log of several files or
    rows, the record from 1.
    """
    locator, before = Locator(log), None
    for record in range(len(log.columns)):
        place = locator.locate(record)
        first = place.line if place.line and not place.member else one_based(place.record)
        if number == (first if place.index is None else place.index):
            return record
        if place.index is None and first > number:
            return before
        before = record
    return None


def needs_log_bytes(log: Log) -> bool:
    """Return whether the bytes of a log must be read to locate something in it."""
    return not log.source.has_lines or any(sequence.array_start is not None for sequence in log.sequences)


def no_record_has_own_line(log: Log) -> bool:
    """Return whether no record of a log has a line to itself, so that lines locate nothing."""
    sequences = [sequence for sequence in log.sequences if sequence.high > sequence.low]
    return (
        bool(sequences)
        and all(sequence.array_start is not None for sequence in sequences)
        and _shares_line(log, sequences[0])
    )


def _array_holding(log: Log, record: int) -> RecordSequence | None:
    """Return the array that holds a record, None for a line and for a message by itself."""
    at = bisect_right(log.sequences, record, key=lambda sequence: sequence.low) - 1
    sequence = log.sequences[at] if at >= 0 else None
    return sequence if sequence is not None and sequence.array_start is not None and record < sequence.high else None


def _shares_line(log: Log, sequence: RecordSequence) -> bool:
    if sequence.shares_line is None:
        start = sequence.array_start or 0
        first = min(log.columns.starts[sequence.low], start + _LOOK)
        sequence.shares_line = log.one_line or b"\n" not in log.source.read(start, first)
    return sequence.shares_line
