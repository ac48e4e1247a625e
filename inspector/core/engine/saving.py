"""The saves that a front can ask for, by what is saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.core.bytes.source import Source
from inspector.core.errors import NotVerified, UnknownName
from inspector.core.formats.bases.edits import MODES
from inspector.core.later import Later
from inspector.core.repair.plan import Plan
from inspector.core.save.next_steps import next_steps
from inspector.core.save.recognised import taken_for
from inspector.core.save.save import Written, output_bytes, rehearsed, save_copy, save_in_place, save_new_session
from inspector.core.showing.overview import folder_of

if TYPE_CHECKING:
    from inspector.core.convert.converting import Conversion
    from inspector.core.save import converted as converting
    from inspector.core.save.converted import Converted
    from inspector.core.trim.trimming import Trimmed
else:
    converting = Later("inspector.core.save.converted")

__all__ = ["next_steps", "output_bytes"]

_TRIED_IN_MEMORY = 64 * 1024 * 1024  # of a larger log the plan's own verification is trusted


def save(planned: Plan, to: str, mode: str) -> Written:
    """See `OpenLog.save`."""
    if mode not in MODES:
        raise UnknownName(f"A log is not saved as {mode}; it is as {', '.join(MODES)}.")
    folder = folder_of(planned.draft.log)  # before the save: a log that was replaced cannot be read any more
    if mode == "in-place":
        written = save_in_place(planned)
    elif mode == "new-session":
        written = save_new_session(planned, to)
    else:
        written = _copy(planned, to, planned.draft.log.source.copy_name)
    return replace(written, folder=folder)


def save_trimmed(trimmed: Trimmed, to: str) -> Written:
    """See `OpenLog.save_trimmed`."""
    return replace(_copy(trimmed.plan, to, trimmed.name), folder=folder_of(trimmed.plan.draft.log))


def _copy(planned: Plan, to: str, name: str) -> Written:
    return save_copy(planned, to) if to else save_copy(planned, unnamed(planned.draft.log.source, name), named=False)


def unnamed(source: Source, name: str) -> str:
    """The path of a copy for which the person named none: beside the archive that the log lies in, else in the current
    folder. It is never in an agent's store.
    """
    return str((Path(source.archive).parent if source.archive else Path.cwd()) / name)


def save_converted(converted: Conversion, to: str, source: Source) -> Converted:
    """See `OpenLog.save_converted`."""
    return converting.save_conversion(converted, to or unnamed(source, converted.target.name_for(source)), source)


def printed_conversion(converted: Conversion) -> tuple[bytes, Converted]:
    """See `OpenLog.printed_conversion`."""
    return converting.converted_bytes(converted), converting.Converted("-")


def printed(planned: Plan) -> tuple[bytes, Written]:
    """See `OpenLog.printed`."""
    log, data = planned.draft.log, output_bytes(planned)
    told = taken_for(Source.of_bytes(data, log.source.path), log, log.source.path)
    return data, Written("-", log.sessions[0].id, warnings=told)


def rehearse(planned: Plan) -> None:
    """See `OpenLog.rehearse`."""
    if not planned.verified:
        raise NotVerified(f"Nothing would be written: {planned.reason}")
    if planned.draft.log.source.size <= _TRIED_IN_MEMORY:
        rehearsed(planned)
