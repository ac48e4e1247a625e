"""What is common to the saves of commands and the window: default names, output to print, and saves that only try."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.core.analysis.finding import Severity
from inspector.core.errors import CannotWrite, NotVerified
from inspector.core.formats.base.agent_behavior import RUN_STEP, folder_step
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.plan import Plan
from inspector.core.save.save import checked_copy_bytes, converted_bytes, output_bytes, undo_step
from inspector.core.save.verify_written import detection_warnings
from inspector.core.storage.source import CombinedSource, Source
from inspector.core.translation import tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.check.check import Report
    from inspector.core.convert.convert import Conversion
    from inspector.core.formats.base.writer import Writer
    from inspector.core.model.session import Log

_MAX_REMAINING = 20  # errors that are listed after a partial repair
_TRIED_IN_MEMORY = 64 * 1024 * 1024  # for a larger log the verification of the plan is enough


def default_copy_path(source: Source, name: str) -> str:
    """Return the default path of a copy: next to the archive of the log, else in the current folder.

    So it is never in an agent's store. Raises CannotWrite when the current folder was removed.
    """
    try:
        return str((Path(source.archive).parent if source.archive not in ("", source.path) else Path.cwd()) / name)
    except FileNotFoundError:
        raise CannotWrite(tr("The current folder no longer exists. Choose where to save the copy.")) from None


def standalone_source(log: Log, format: Writer) -> CombinedSource | None:
    """Return a log in memory that holds what a log continues, and itself continues nothing.

    None is returned if the format cannot write one.
    """
    lines = format.standalone_lines(log)
    if not lines:
        return None
    source = CombinedSource.of_bytes(b"".join(line + b"\n" for _, line in lines), log.source.path)
    ends = accumulate((len(line) + 1 for _, line in lines), initial=0)
    source.origins = [
        (start, log.source.attached_path(at) or log.source.path) for start, (at, _) in zip(ends, lines, strict=False)
    ]
    source.stamps = dict(log.source.stamps)
    for attached in log.source.attached:
        source.stamps |= attached.source.stamps
    return source


def conversion_for_printing(converted: Conversion) -> tuple[bytes, SaveResult]:
    """Return a converted history to print, and what is said about it."""
    return converted_bytes(converted), SaveResult("-", made="converted")


def repaired_log_for_printing(planned: Plan) -> tuple[bytes, SaveResult]:
    """Return a repaired log to print, and what is said about it."""
    log, data = planned.draft.log, output_bytes(planned)
    warnings = detection_warnings(Source.of_bytes(data, log.source.path), log, log.source.path)
    return data, SaveResult("-", log.sessions[0].id, warnings=warnings)


def rehearse_save(planned: Plan) -> None:
    """Try out the save of a planned repair without writing it: see `OpenLog.rehearse`."""
    if not planned.verified:
        raise NotVerified(tr("Nothing would be written: {reason}", reason=planned.reason))
    if planned.draft.log.source.size <= _TRIED_IN_MEMORY:
        checked_copy_bytes(planned)


def partial_repair_result(written: SaveResult, report: Report, reason: str) -> SaveResult:
    """Return the result of saving a partial repair, with what is still wrong in it, as it was read again."""
    errors = [finding for each in report.sessions for finding in each.findings if finding.severity == Severity.ERROR]
    remaining = [
        tr("Line {line} still has a problem: {message}", line=finding.place.line, message=finding.message)
        if finding.place.line is not None
        else tr("A problem remains: {message}", message=finding.message)
        for finding in errors[:_MAX_REMAINING]
    ]
    if len(errors) > _MAX_REMAINING:
        rest = len(errors) - _MAX_REMAINING
        remaining.append(
            tr_plural("{number:,} more error remains.", "{number:,} more errors remain.", rest),
        )
    if not remaining:
        remaining.append(reason)
    return replace(
        written,
        made="partly-repaired",
        warnings=(*remaining, *written.warnings),
        beside=(),
        steps=(
            tr("The partly repaired copy is at {path}. The agent cannot resume this copy.", path=written.path),
            tr("Open the copy to repair the remaining problems."),
            undo_step(written),
        ),
    )


def without_steps_of_command(written: SaveResult) -> SaveResult:
    """Return the result without the steps that its command does: to change the folder, and to run the agent."""
    change, _, command = written.command.rpartition(" && ")
    in_last_line = {tr(RUN_STEP, command=command)} if command else set()
    if change:
        in_last_line.add(folder_step(written.folder))
    return replace(written, steps=tuple(step for step in written.steps if step not in in_last_line))
