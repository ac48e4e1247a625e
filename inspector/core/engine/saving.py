"""The saves that the commands and the window offer, by what is saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.core.errors import CannotWrite, NotVerified, UnknownName
from inspector.core.formats.base.writer import SAVE_MODES
from inspector.core.presentation.opened_log_facts import working_folder
from inspector.core.repair.plan import Plan
from inspector.core.save.save import (
    Converted,
    Written,
    converted_bytes,
    next_steps,
    output_bytes,
    rehearse_copy,
    save_conversion,
    save_copy,
    save_in_place,
    save_new_session,
)
from inspector.core.save.verify_written import detection_warnings
from inspector.core.storage.source import Source

if TYPE_CHECKING:
    from inspector.core.convert.convert import Conversion
    from inspector.core.trim.trim import Trimmed

__all__ = ["next_steps", "output_bytes"]

_TRIED_IN_MEMORY = 64 * 1024 * 1024  # for a larger log the verification of the plan is enough


def save(planned: Plan, to: str, mode: str) -> Written:
    """Save a planned repair: see `OpenLog.save`."""
    if mode not in SAVE_MODES:
        raise UnknownName(f"A log is not saved as {mode}; it is as {', '.join(SAVE_MODES)}.")
    folder = working_folder(planned.draft.log)  # read before the save: a replaced log cannot be read any more
    if mode == "in-place":
        written = save_in_place(planned)
    elif mode == "new-session":
        written = save_new_session(planned, to)
    else:
        source = planned.draft.log.source
        written = save_copy(planned, to or default_copy_path(source, source.copy_name), named=bool(to))
    return replace(written, folder=folder)


def save_trimmed(trimmed: Trimmed, to: str) -> Written:
    """Save a trimmed copy: see `OpenLog.save_trimmed`."""
    log = trimmed.plan.draft.log
    written = save_copy(trimmed.plan, to or default_copy_path(log.source, trimmed.name), named=bool(to))
    return replace(written, folder=working_folder(log))


def default_copy_path(source: Source, name: str) -> str:
    """Return the default path of a copy: next to the archive of the log, else in the current folder.

    So it is never in an agent's store. Raises CannotWrite when the current folder was removed.
    """
    try:
        return str((Path(source.archive).parent if source.archive else Path.cwd()) / name)
    except FileNotFoundError:
        raise CannotWrite("The current folder no longer exists. Choose where the copy goes.") from None


def save_converted(converted: Conversion, to: str, source: Source) -> Converted:
    """Save a converted history: see `OpenLog.save_converted`."""
    return save_conversion(converted, to or default_copy_path(source, converted.target.output_name(source)), source)


def conversion_for_printing(converted: Conversion) -> tuple[bytes, Converted]:
    """Return a converted history to print, and what is said about it."""
    return converted_bytes(converted), Converted("-")


def output_for_printing(planned: Plan) -> tuple[bytes, Written]:
    """Return a repaired log to print, and what is said about it."""
    log, data = planned.draft.log, output_bytes(planned)
    warnings = detection_warnings(Source.of_bytes(data, log.source.path), log, log.source.path)
    return data, Written("-", log.sessions[0].id, warnings=warnings)


def rehearse(planned: Plan) -> None:
    """Try out the save of a planned repair without writing it: see `OpenLog.rehearse`."""
    if not planned.verified:
        raise NotVerified(f"Nothing would be written: {planned.reason}")
    if planned.draft.log.source.size <= _TRIED_IN_MEMORY:
        rehearse_copy(planned)
