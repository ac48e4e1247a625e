"""The bytes that a repair takes out of a log because nothing can read them, kept in a file beside the output."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from inspector.core.repair.edits import Quarantined
from inspector.core.repair.plan import Plan
from inspector.core.save.atomic import Likeness, reserved, write_whole
from inspector.core.source import Source, begins_with

SUFFIX = ".quarantine"
_HEAD = b"--- "


def set_aside(plan: Plan, target: Path, like: Likeness | None) -> Path | None:
    """Write them beside `target`: for each a line with place and length, then the very bytes. None when there are none.

    An older file of this kind is replaced, another one is left alone. Raises CannotWrite.
    """
    found: list[Quarantined] = plan.draft.quarantined
    if not found:
        return None
    source = plan.draft.log.source
    place = target.with_name(target.name + SUFFIX)
    if os.path.islink(place) or not begins_with(place, _HEAD):
        place = reserved(target, SUFFIX)
    try:
        write_whole(place, (_entry(source, each) for each in sorted(found, key=lambda each: each.offset)), like)
    except BaseException:
        with suppress(OSError):
            if not place.stat().st_size:
                place.unlink()
        raise
    return place


def _entry(source: Source, each: Quarantined) -> bytes:
    where = source.place_of(each.offset, each.offset + len(each.bytes)) or f"offset {each.offset}"
    head = f"{where}, {len(each.bytes)} bytes\n".encode(errors="backslashreplace")
    return _HEAD + head + each.bytes + b"\n"
