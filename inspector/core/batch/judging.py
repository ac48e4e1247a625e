"""Judge one source: a log, or an archive, a database or a folder of logs. The result is rows without log content."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import BinaryIO, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector.core.discovery.archives import LogArchive
from inspector.core.discovery.log_entry import UNREAD_KINDS, UnreadFile
from inspector.core.discovery.opening import multi_file_format_at, paths_in_folder, source_of_bytes
from inspector.core.discovery.unread_files import explain_unread_file
from inspector.core.engine.activity import other_files_to_watch
from inspector.core.engine.log import OpenLog
from inspector.core.engine.path_checks import contains_logs
from inspector.core.engine.program_faults import raise_as_program_fault
from inspector.core.errors import InspectorError, NotDivisible, NotJudged, ProgramFault, UnreadableLog
from inspector.core.report.shareable.builder import ShareableReportBuilder
from inspector.core.report.shareable.log_content_reader import LogContentReader
from inspector.core.report.tables import (
    FileRow,
    FindingRow,
    LogResult,
    SessionRow,
    Status,
    finding_rows,
    log_key,
    merge_check_results,
    session_rows,
)
from inspector.core.storage.archive_paths import is_archive, is_archive_with_suffix
from inspector.core.storage.source import FileStamp, Source, file_stamp_if_present
from inspector.core.translation import Sentence, encode_sentence_in_english, tr

LogSource: TypeAlias = "str | os.PathLike[str] | bytes | BinaryIO"
_CHUNK = 1 << 20
_DUPLICATE = tr("It is identical to another file in the archive.")


class JudgingOptions(Struct, frozen=True):
    """How logs are judged: `profile` and `format` as in `check`, "" for those of each log itself.

    A log that takes longer than `max_seconds`, or needs more memory than `max_memory` bytes, ends its worker process,
    and has the status `fault`. 0 is no limit. There are no limits without a worker, nor on an executor of the caller.
    """

    profile: str = ""
    format: str = ""
    deep: bool = False
    live: bool = False
    max_seconds: float = 600.0
    max_memory: int = 4 << 30


Stamps: TypeAlias = dict[str, FileStamp | None]


class JudgedTask(Struct, frozen=True):
    """The result of a task, with the stamps of all files that it depends on; None for one that does not exist.

    The keys are paths as the operating system spells them, because a name that is not UTF-8 cannot be encoded as text.
    """

    result: LogResult
    stamps: dict[bytes, FileStamp | None]


encode_judged = msgspec.msgpack.Encoder().encode
decode_judged = msgspec.msgpack.Decoder(JudgedTask).decode


class LogTask(Struct, frozen=True):
    """A file to judge: a log, or an archive of logs. `ticket` is the path that the person gave.

    A file that was found in a folder may turn out to be no log. `member` is the log of an archive that is judged at
    the moment. `without` are members that cannot be judged, with the reasons.
    """

    path: str
    ticket: str
    is_found: bool = False
    size: int = 0
    member: str = ""
    without: dict[str, str] = {}


Begin: TypeAlias = Callable[[LogTask], None]


def tasks_at(paths: Iterable[str]) -> Iterator[LogTask]:
    """Yield the files at `paths`, and those of folders and below. No file is read, except for its first bytes."""
    for path in paths:
        if not contains_logs(path) or is_archive(path):
            yield LogTask(path, path, size=_size_of(path))
            continue
        for name in paths_in_folder(path):
            yield LogTask(name, path, is_found=True, size=_size_of(name))


def _size_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def judge(source: LogSource, options: JudgingOptions | None = None) -> LogResult:
    """Judge a log, or all logs of an archive, a database or a folder. Never raises for a bad log.

    `source` is a path, the bytes of a log, or a binary file object.
    """
    options = options or JudgingOptions()
    if not isinstance(source, (str, os.PathLike)):
        data = source if isinstance(source, bytes) else source.read()
        try:
            return _judge_source(source_of_bytes(data), "-", "", options)
        except InspectorError as error:
            return _refused("-", "", error)
    return merge_check_results(judge_task(task, options).result for task in tasks_at([os.fspath(source)]))


def judge_task(task: LogTask, options: JudgingOptions, begin: Begin = lambda task: None) -> JudgedTask:
    """Judge a file, or the logs of an archive. Never raises for a bad log.

    `begin` is called before each log, with its task.
    """
    begin(task)
    stamps: Stamps = {task.path: file_stamp_if_present(task.path)}
    result = _judge_at(task, options, stamps, begin)
    return JudgedTask(result, {os.fsencode(path): stamp for path, stamp in stamps.items()})


def _judge_at(task: LogTask, options: JudgingOptions, stamps: Stamps, begin: Begin) -> LogResult:
    """Judge what is at a path. The stamps of further files that the result depends on are added to `stamps`."""
    archived = is_archive_with_suffix(task.path) if task.is_found else is_archive(task.path)
    if archived and multi_file_format_at(task.path) is None:
        return _judge_archive(task, options, begin)
    start = time.perf_counter()
    try:
        with raise_as_program_fault():
            log = (
                OpenLog.in_folder(task.path, options.format, options.deep)
                if task.is_found
                else OpenLog.at(task.path, options.format, options.deep)
            )
    except UnreadableLog as error:
        unread = explain_unread_file(task.path, error)
        if unread.kind == "no-log":
            return _refused(task.path, "", error, start)
        return LogResult((_file_row(task.path, "", "unreadable", unread.reason),))
    except InspectorError as error:
        return _refused(task.path, "", error, start)
    if log is None:
        return _unread(explain_unread_file(task.path), task.path, "")
    return _judge_log(log, task.path, "", options, start, stamps)


def _judge_archive(task: LogTask, options: JudgingOptions, begin: Begin) -> LogResult:
    archive, results = LogArchive(task.path), list[LogResult]()
    try:
        with raise_as_program_fault():
            for source in archive.logs():
                member = source.path.removeprefix(f"{task.path}/")
                if member in task.without:
                    results.append(LogResult((_file_row(task.path, member, "fault", task.without[member]),)))
                    continue
                begin(replace(task, member=member))
                results.append(_judge_source(source, task.path, member, options))
    except UnreadableLog as error:
        results.append(_unread(explain_unread_file(task.path, error), task.path, ""))
    except InspectorError as error:
        results.append(_refused(task.path, "", error))
    for unread in archive.unread_files():
        results.append(_unread(unread, task.path, unread.path.removeprefix(f"{task.path}/")))
    for member in archive.duplicate_members:
        results.append(LogResult((_file_row(task.path, member, "duplicate", _DUPLICATE),)))
    if not results:
        results.append(_unread(UnreadFile(task.path, "no-log"), task.path, ""))
    return merge_check_results(results)


def _judge_source(source: Source, path: str, member: str, options: JudgingOptions) -> LogResult:
    return _judge_log(OpenLog(source, options.format, options.deep), path, member, options, time.perf_counter(), {})


def _judge_log(
    log: OpenLog, path: str, member: str, options: JudgingOptions, start: float, stamps: Stamps
) -> LogResult:
    with log:
        digest: bytes | None = None
        rows: tuple[list[SessionRow], list[FindingRow]] = ([], [])
        key, reason = log_key(path, member, b""), ""
        status: Status = "judged"
        try:
            with raise_as_program_fault():
                digest = _digest(log.source)
                key = log_key(path, member, digest)
                try:
                    rows = _rows(log.parts(), options, key, stamps)
                except NotDivisible:
                    rows = _rows([log], options, key, stamps)
        except InspectorError as error:
            status, reason = _refusal(error)
        size, read_from = log.source.size, log.source.read_from
    file = _file_row(path, member, status, reason, key, digest.hex() if digest else None, size, start)
    file = replace(
        file, read_from=encode_sentence_in_english(read_from) if isinstance(read_from, Sentence) else read_from
    )
    sessions, findings = rows
    return LogResult((file,), tuple(sessions), tuple(findings))


def _rows(
    parts: Iterable[OpenLog], options: JudgingOptions, key: str, stamps: Stamps
) -> tuple[list[SessionRow], list[FindingRow]]:
    """Return the rows of a log from those of its parts. Raises InspectorError."""
    builder, sessions, findings = ShareableReportBuilder(), list[SessionRow](), list[FindingRow]()
    for part in parts:
        report = part.check(options.profile, options.live, release=True)
        part.require_judged()
        stamps |= other_files_to_watch(part.log, [])
        reported = builder.judged_log(report, LogContentReader(report), part.evidence())
        sessions += session_rows(key, reported)
        findings += finding_rows(key, reported)
    return sessions, findings


def _digest(source: Source) -> bytes:
    digest = sha256()
    for at in range(0, source.size, _CHUNK):
        digest.update(source.read(at, min(at + _CHUNK, source.size)))
    return digest.digest()


def _refusal(error: InspectorError) -> tuple[Status, str]:
    """Return the status of a log that could not be judged, and the reason without content of the log."""
    reason = ShareableReportBuilder().unreadable_log(error).reason
    if isinstance(error, ProgramFault):
        return "fault", reason
    return "not-judged" if isinstance(error, NotJudged) else "unreadable", reason


def _refused(path: str, member: str, error: InspectorError, start: float | None = None) -> LogResult:
    return LogResult((_file_row(path, member, *_refusal(error), start=start),))


def fault_result(task: LogTask, reason: str) -> LogResult:
    """Return the row of a log on which the program or a worker failed."""
    return LogResult((_file_row(task.path, "", "fault", reason),))


def _unread(unread: UnreadFile, path: str, member: str) -> LogResult:
    status: Status = "unreadable" if UNREAD_KINDS[unread.kind].damaged else "no-log"
    return LogResult((_file_row(path, member, status, unread.reason),))


def _file_row(
    path: str,
    member: str,
    status: Status,
    reason: str,
    key: str = "",
    digest: str | None = None,
    size: int | None = None,
    start: float | None = None,
) -> FileRow:
    mtime: str | None = None
    with suppress(OSError, ValueError):
        stat = os.stat(path)
        mtime = datetime.fromtimestamp(stat.st_mtime, UTC).isoformat(timespec="seconds")
        size = stat.st_size if size is None and not member else size
    return FileRow(
        log=key or log_key(path, member, b""),
        source=_printable(path),
        member=_printable(member),
        sha256=digest,
        size=size,
        mtime=mtime,
        status=status,
        reason=encode_sentence_in_english(reason) if isinstance(reason, Sentence) else reason,
        seconds=0.0 if start is None else round(time.perf_counter() - start, 4),
    )


def _printable(name: str) -> str:
    """Return a name that JSON can hold: bytes that are not UTF-8 are written as escapes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
