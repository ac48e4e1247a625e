"""Write repaired copies, bundles or repairs to send back of many logs, into a folder that mirrors their places.

Nothing is overwritten, and every file is verified.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from inspector.core.batch.judging import LogTask
from inspector.core.discovery.archives import LogArchive
from inspector.core.discovery.log_entry import UNREAD_KINDS, UnreadFile
from inspector.core.discovery.opening import multi_file_format_at
from inspector.core.discovery.unread_files import explain_unread_file
from inspector.core.engine.log import OpenLog
from inspector.core.engine.program_faults import raise_as_program_fault
from inspector.core.engine.shareable_files import save_send_back_package, write_bundle
from inspector.core.engine.workers import map_in_order
from inspector.core.errors import CannotWrite, InspectorError, NotJudged, NotVerified, ProgramFault, ReadOnlyFormat
from inspector.core.formats.base.format import IsCancelled
from inspector.core.presentation.engine_results import LogProduct, SendBackRecipient
from inspector.core.repair.choices import Choices
from inspector.core.storage.archive_paths import is_archive, is_archive_with_suffix
from inspector.core.translation import tr

Outcome: TypeAlias = Literal[
    "written", "planned", "unchanged", "exists", "refused", "not-judged", "unreadable", "fault"
]
_SUFFIXES: dict[LogProduct, str] = {"copy": "", "bundle": ".bundle.zip", "send-back": ".repair.zip"}


class RepairRow(Struct, frozen=True):
    """What became of a log. `reason` is a sentence, and `losses` counts what the repair gives up.

    *planned*: it would be written. *unchanged*: there is nothing to repair. *exists*: the target is there already.
    *refused*: no repair is verified, or the format cannot be written.
    """

    source: str
    outcome: Outcome
    target: str = ""
    verdict: str = ""
    losses: int = 0
    reason: str = ""


class RepairOptions(Struct, frozen=True):
    """How logs are repaired, and where to.

    `product` is what is written of each log, and `language` that of its pages. With `dry_run`, nothing is written.
    """

    folder: str
    choices: Choices
    format: str = ""
    dry_run: bool = False
    product: LogProduct = "copy"
    language: str = "en"


def repair_tasks(
    tasks: Iterable[LogTask], options: RepairOptions, jobs: int
) -> Generator[tuple[RepairRow, ...], None, None]:
    """Yield what became of the logs of each task, in their order. Close the generator.

    A file of a folder that is no log has no row.
    """
    work = partial(_repair_task, options)
    with closing(map_in_order(work, tasks, jobs, _crashed)) as rows:
        yield from rows


def _crashed(task: LogTask, sentence: str) -> tuple[RepairRow, ...]:
    return (RepairRow(task.path, "fault", reason=sentence),)


def _repair_task(options: RepairOptions, task: LogTask, cancelled: IsCancelled | None) -> tuple[RepairRow, ...]:
    return tuple(_rows(options, task))


def _rows(options: RepairOptions, task: LogTask) -> Iterator[RepairRow]:
    archived = is_archive_with_suffix(task.path) if task.is_found else is_archive(task.path)
    try:
        with raise_as_program_fault():
            if archived and multi_file_format_at(task.path) is None:
                archive = LogArchive(task.path)
                for source in archive.logs():
                    yield _repair(OpenLog(source, options.format), source.path, options, task)
                yield from _damaged(archive.unread_files())
                return
            log = (
                OpenLog.in_folder(task.path, options.format) if task.is_found else OpenLog.at(task.path, options.format)
            )
            if log is None:
                yield from _damaged([explain_unread_file(task.path)])
            else:
                yield _repair(log, task.path, options, task)
    except InspectorError as error:
        yield _refusal(task.path, error)


def _damaged(files: Iterable[UnreadFile]) -> Iterator[RepairRow]:
    """Yield the rows of files that would be logs if they were whole. Other files have no row."""
    return (RepairRow(file.path, "unreadable", reason=file.reason) for file in files if UNREAD_KINDS[file.kind].damaged)


def _repair(log: OpenLog, path: str, options: RepairOptions, task: LogTask) -> RepairRow:
    target = mirrored_path(options.folder, task.ticket, path) + _SUFFIXES[options.product]
    verdict, losses = "", 0
    with log:
        try:
            with raise_as_program_fault():
                report = log.check(options.choices.profile)
                verdict = report.verdict.word
                log.require_judged()
                if options.product != "bundle":
                    if not report.verdict.is_trouble:
                        return RepairRow(path, "unchanged", verdict=verdict)
                    plan = log.plan(options.choices)
                    losses = len(plan.draft.losses)
                    log.rehearse(plan)  # a session that nothing repairs is refused
                    if plan.changes_nothing:
                        return RepairRow(path, "unchanged", verdict=verdict)
                if os.path.lexists(target):
                    return RepairRow(path, "exists", target, verdict, losses)
                if options.dry_run:
                    return RepairRow(path, "planned", target, verdict, losses)
                _make_folder(Path(target).parent)
                return RepairRow(path, "written", _write(log, options, target), verdict, losses)
        except InspectorError as error:
            return _refusal(path, error, verdict)


def _write(log: OpenLog, options: RepairOptions, target: str) -> str:
    """Write what is wanted of a log, and return its path."""
    match options.product:
        case "copy":
            return log.save(log.plan(options.choices), target).path
        case "bundle":
            write_bundle(log, target, options.language)
        case "send-back":
            save_send_back_package(log, options.choices, SendBackRecipient("", options.language), target)
    return target


def _refusal(path: str, error: InspectorError, verdict: str = "") -> RepairRow:
    outcome: Outcome = "unreadable"
    if isinstance(error, NotJudged):
        outcome = "not-judged"
    elif isinstance(error, NotVerified | ReadOnlyFormat):
        outcome = "refused"
    elif isinstance(error, ProgramFault | CannotWrite):
        outcome = "fault"
    return RepairRow(path, outcome, verdict=verdict, reason=str(error))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(
            tr("{folder} cannot be created: {strerror}.", folder=folder, strerror=error.strerror or error)
        ) from error


def mirrored_path(folder: str, ticket: str, path: str) -> str:
    """Return the place of a log in `folder`: below the name of what the person gave, as it lies there."""
    ticket, path = os.path.abspath(ticket), os.path.abspath(path)
    return os.path.join(folder, os.path.relpath(path, os.path.dirname(ticket)))
