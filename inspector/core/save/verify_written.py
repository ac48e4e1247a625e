"""What was written, read again.

A small log is read as any other is, and so is one that is mostly new. Of a large one what should be the bytes of the
log as read is compared with them, in which case it means what it meant; only lines that are not in that log are read
anew. So each byte is proven, and few are decoded twice. Where the records that were read are those that the plan
judged, so is the verdict.

Merged; to be rewritten:
`recognised`: As which format a saved log will be read when it is opened again, and no format is named.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable

from inspector.core.check.check import Verdict, quick_verdict
from inspector.core.discovery.opening import open_log
from inspector.core.errors import CannotWrite
from inspector.core.formats import UNKNOWN_FORMAT, detect, format_of
from inspector.core.formats.base.detection import Head
from inspector.core.formats.base.format import Format, ReadOptions
from inspector.core.model.columns import Columns
from inspector.core.model.session import Log
from inspector.core.repair.plan import Plan
from inspector.core.repair.record_splices import spliced_chunks, splices_of
from inspector.core.storage.lines import nonblank_lines
from inspector.core.storage.source import Source
from inspector.core.storage.splices import RecordSequence, Splice

_FULL_READ_LIMIT = 16 * 1024 * 1024
_MAX_NEW_FRACTION = 0.1  # of the records: of more, reading all of them at once is quicker than each new one by itself


def verify_written(source: Source, plan: Plan, renamed: bool) -> Verdict:
    """The verdict on what was written; `renamed` where its records are not as planned but name another session.

    Raises UnreadableLog, CannotWrite.
    """
    proven = None if renamed else verified_columns(source, plan)
    if proven is not None and plan.verdict is not None and proven.equals_ignoring_offsets(plan.draft.columns):
        return plan.verdict
    return quick_verdict(reread_log(source, plan, proven), plan.live_sessions)


def reread_log(source: Source, plan: Plan, proven: Columns | None) -> Log:
    """The log that was written, opened like any other where not all of it is `proven`. Raises UnreadableLog."""
    log, format = plan.draft.log, plan.draft.format
    if proven is None:
        return open_log(source, log.format, ReadOptions(deep=log.deeply_checked))
    found = Log(source, log.format, proven, [RecordSequence(0, len(proven))], deeply_checked=log.deeply_checked)
    found.sessions = format.sessions(found, proven, found.raw)
    for old, new in zip(log.sessions, found.sessions, strict=False):
        new.other_session_ids = old.other_session_ids
    return found


def verified_columns(source: Source, plan: Plan) -> Columns | None:
    """The columns of a large log whose bytes are as planned, None of what is to be read as a whole.

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
    """Whether each record is a line."""
    return (
        log.source.has_lines
        and log.truncation is None
        and len(log.sequences) == 1
        and log.sequences[0].array_start is None
    )


def _require(source: Source, planned: Iterable[bytes]) -> None:
    """Raises CannotWrite unless these are the bytes of a source."""
    at = 0
    for piece in planned:
        if source.read(at, at + len(piece)) != piece:
            break
        at += len(piece)
    else:
        if at == source.size:
            return
    raise CannotWrite(
        f"What was written is not what is read again from byte {at} on, so it was discarded: look at the disk."
    )


def _columns(log: Log, splices: list[Splice], format: Format) -> Columns:
    """The columns of a log of lines with these splices made."""
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


# As which format a saved log will be read when it is opened again, and no format is named.


def detection_warnings(source: Source, log: Log, path: str) -> tuple[str, ...]:
    """What is to be told where the repaired `log`, saved under `path`, is no longer taken for what it is.

    A repair can take away the very records that told one format from another; a name can tell it, too. Only the head
    is looked at: what was written has been read whole, as the format that it has.
    """
    name = source.format or _guess(source, path)
    if name == log.format:
        return ()
    seen = "it will not be recognised" if name == UNKNOWN_FORMAT.name else f"it will be taken for {name}"
    return (f"Opened again, {seen}: choose {format_of(log).label} then (--log-format {log.format}).",)


def _guess(source: Source, path: str) -> str:
    head = Head(source)
    head.path = path
    return UNKNOWN_FORMAT.name if head.is_empty else detect(head).name
