"""Read again and verify what was written.

A small log is read like any other, and so is one that is mostly new. In a large log, the bytes that should be those of
the original are compared with it: equal bytes mean the same. Only lines that are not in the original are read again. So
every byte is verified, and few are decoded twice. Where the records that were read are those that the plan checked, the
plan's verdict holds.

A saved log whose format would not be detected when it is opened again gets a warning.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable

from inspector.core.check.check import Verdict, quick_verdict
from inspector.core.discovery.opening import FormatProbe, open_log
from inspector.core.errors import CannotWrite
from inspector.core.formats import UNKNOWN_FORMAT, format_of_log
from inspector.core.formats.base.format import Format, ReadOptions
from inspector.core.model.columnar_index import Columns
from inspector.core.model.session import Log
from inspector.core.repair.plan import Plan
from inspector.core.repair.record_splices import spliced_chunks, splices_of
from inspector.core.storage.json_lines import nonblank_lines
from inspector.core.storage.log_layout import RecordSequence, Splice
from inspector.core.storage.source import Source
from inspector.core.translation import tr

_FULL_READ_LIMIT = 16 * 1024 * 1024
_MAX_NEW_FRACTION = 0.1  # of the records; with more new ones, it is quicker to read all of them at once


def verdict_on_written(source: Source, plan: Plan, renamed: bool) -> Verdict:
    """Return the verdict on what was written.

    `renamed` says that the records name another session than planned. Raises UnreadableLog, CannotWrite.
    """
    proven = None if renamed else verified_columns(source, plan)
    if proven is not None and plan.verdict is not None and proven.equals_ignoring_offsets(plan.draft.columns):
        return plan.verdict
    return quick_verdict(reread_log(source, plan, proven), plan.live_sessions)


def reread_log(source: Source, plan: Plan, proven: Columns | None) -> Log:
    """Return the log that was written. Without `proven` columns it is opened like any other. Raises UnreadableLog."""
    log, format = plan.draft.log, plan.draft.format
    if proven is None:
        return open_log(source, log.format, ReadOptions(deep=log.deeply_checked))
    written = Log(source, log.format, proven, [RecordSequence(0, len(proven))], deeply_checked=log.deeply_checked)
    written.sessions = format.sessions(written, proven, written.raw)
    for old, new in zip(log.sessions, written.sessions, strict=False):
        new.other_session_ids = old.other_session_ids
    return written


def verified_columns(source: Source, plan: Plan) -> Columns | None:
    """Return the columns of a large log whose bytes are as planned, None where the log has to be read whole.

    Raises CannotWrite where other bytes were written.
    """
    log, edits = plan.draft.log, plan.draft.record_edits()
    added = (
        len(edits.replaced)
        + sum(map(len, edits.inserted_after.values()))
        + sum(map(len, edits.inserted_before.values()))
    )
    if source.size <= _FULL_READ_LIMIT or added > _MAX_NEW_FRACTION * len(log.columns) or not _is_lines(log):
        return None
    splices = splices_of(log, edits)
    _require(source, spliced_chunks(log.source, splices))
    return _columns(log, splices, plan.draft.format)


def _is_lines(log: Log) -> bool:
    """Return whether each record is a line."""
    return (
        log.source.has_lines
        and log.truncation is None
        and len(log.sequences) == 1
        and log.sequences[0].array_start is None
    )


def _require(source: Source, planned: Iterable[bytes]) -> None:
    """Raise CannotWrite unless the source holds exactly the `planned` bytes."""
    offset = 0
    for piece in planned:
        if source.read(offset, offset + len(piece)) != piece:
            break
        offset += len(piece)
    else:
        if offset == source.size:
            return
    raise CannotWrite(
        tr(
            "The output was discarded, because it differed at byte {offset} when it was read again. Check the disk.",
            offset=offset,
        )
    )


def _columns(log: Log, splices: list[Splice], format: Format) -> Columns:
    """Return the columns of a log of lines after these splices."""
    old, starts, ends = log.columns, array("Q"), array("Q")
    changes: list[tuple[int, int, Columns]] = []
    position = moved = 0
    for splice in [*splices, Splice(log.source.size, log.source.size, b"")]:
        low, high, new = bisect_left(old.starts, splice.start), bisect_left(old.starts, splice.end), Columns()
        added = list(nonblank_lines(splice.start + moved, splice.value))
        format.index_records(new, [line for _, _, line in added])
        changes.append((low, high, new))
        starts.extend(map(moved.__add__, old.starts[position:low]))
        starts.extend(start for start, _, _ in added)
        ends.extend(map(moved.__add__, old.ends[position:low]))
        ends.extend(end for _, end, _ in added)
        position, moved = high, moved + len(splice.value) - (splice.end - splice.start)
    return old.with_changes(changes).set_offsets(starts, ends)


def detection_warnings(source: Source, log: Log, path: str) -> tuple[str, ...]:
    """Return a warning where `log`, saved under `path`, would be detected as another format.

    A repair can remove the very records that distinguish two formats, and a file name can decide too. Only the head is
    read: the written file has already been read whole, in its own format.
    """
    name = source.format or FormatProbe(source, path).format.name
    if name == log.format:
        return ()
    values = {"label": format_of_log(log).label, "format": log.format}
    if name == UNKNOWN_FORMAT.name:
        return (
            tr(
                "The format will not be detected when you open this file again. Choose {label} (--log-format "
                "{format}).",
                **values,
            ),
        )
    return (
        tr(
            "This file will be detected as {name} when you open it again. Choose {label} (--log-format "
            "{format}) instead.",
            name=name,
            **values,
        ),
    )
