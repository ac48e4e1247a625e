"""The bytes that a repair takes out of a log because nothing can read them, kept in a file beside the output."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inspector.core.bytes.source import Source
from inspector.core.bytes.temporary import AssembledSource
from inspector.core.errors import InspectorError
from inspector.core.repair.edits import QuarantinedBytes
from inspector.core.repair.plan import Plan
from inspector.core.save.atomic import write_new_file
from inspector.core.save.likeness import metadata_source

QUARANTINE_SUFFIX = ".quarantine"
_HEAD = b"--- "


@contextmanager
def quarantine_beside(plan: Plan, target: Path) -> Iterator[str]:
    """Keep them beside `target` while it is saved: the name of the file, "" when there are none.

    The file holds for each a line with place and length, then the very bytes: of a message that was put together those
    of each of its files or rows. One of an earlier save that holds the
    same serves again, any other is left alone. When the save comes to nothing, a new one goes. Raises CannotWrite.
    """
    found: list[QuarantinedBytes] = plan.draft.quarantined
    if not found:
        yield ""
        return
    source = plan.draft.log.source
    data = b"".join(entry for each in sorted(found, key=lambda each: each.offset) for entry in _entries(source, each))
    place = target.with_name(target.name + QUARANTINE_SUFFIX)
    if _holds(place, data):
        yield str(place)
        return
    made = write_new_file(target, QUARANTINE_SUFFIX, [data], metadata_source(source))
    try:
        yield str(made)
    except InspectorError:
        with suppress(OSError):
            made.unlink()
        raise


def _holds(place: Path, data: bytes) -> bool:
    try:
        if os.path.islink(place) or not place.is_file() or place.stat().st_size != len(data):
            return False
        return place.read_bytes() == data
    except OSError:
        return False


def _entries(source: Source, each: QuarantinedBytes) -> Iterator[bytes]:
    start, end = each.offset, each.offset + len(each.bytes)
    if isinstance(source, AssembledSource) and source.read(start, end) == each.bytes:
        for member in source.members_in(start, end):
            yield _entry(member.name, member.stored_bytes(source.read(member.start, member.end)))
    else:
        yield _entry(source.member_containing(start, end) or f"offset {start}", each.bytes)


def _entry(where: str, kept: bytes) -> bytes:
    head = f"{where}, {len(kept)} bytes\n".encode(errors="backslashreplace")
    return _HEAD + head + kept + b"\n"
