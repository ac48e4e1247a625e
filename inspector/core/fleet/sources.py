"""Logs in object storage, through fsspec: they are listed lazily, and copied to this machine while they are judged.

Only what a person named is listed and read. The parts of a session of the Claude Agent SDK are one log, as on a disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from inspector.core.batch.judging import JudgingOptions, LogTask, fault_result, judge_task, tasks_at
from inspector.core.discovery.opening import is_backup_or_quarantine
from inspector.core.errors import FleetError
from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.report.tables import LogResult, log_key, merge_check_results
from inspector.core.storage.session_parts import is_part_name
from inspector.core.storage.temporary_files import TemporaryPath
from inspector.core.translation import tr

if TYPE_CHECKING:
    import tempfile

    from fsspec import core as fsspec_core
    from fsspec.implementations import local as fsspec_local
else:
    tempfile = LazyModule("tempfile")
    fsspec_core = LazyModule("fsspec.core")  # an extra
    fsspec_local = LazyModule("fsspec.implementations.local")

Storage: TypeAlias = Any  # fsspec.AbstractFileSystem, which says no types
_URL = lazy_regex(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DOWNLOADS = 8  # at once
NOT_INSTALLED = tr(
    "Clusters and object storage require additional libraries. To install them, run: pip install "
    '"transcript-inspector[fleet]"'
)


def is_url(path: str) -> bool:
    """Return whether this is a URL of fsspec, such as s3://bucket/prefix, and not the path of a file."""
    return _URL.match(path) is not None


def open_storage(url: str) -> tuple[Storage, str]:
    """Return the file system of a URL or a path, and the path in it. Raises FleetError."""
    try:
        storage, path = fsspec_core.url_to_fs(url, use_listings_cache=False)
    except ImportError as error:  # fsspec itself, or what it needs for this storage
        if (error.name or "").startswith("fsspec"):
            raise FleetError(NOT_INSTALLED) from error
        raise FleetError(tr("{url} cannot be opened: {error}.", url=url, error=error)) from error
    except Exception as error:  # each storage has errors of its own
        raise FleetError(tr("{url} cannot be opened: {error}.", url=url, error=error)) from error
    return storage, path


def is_local(storage: Storage) -> bool:
    """Return whether a file system is that of the machine."""
    return isinstance(storage, fsspec_local.LocalFileSystem)


def list_tasks(sources: Iterable[str]) -> Iterator[LogTask]:
    """Yield the logs at paths and URLs, and those below folders and prefixes. Raises FleetError.

    The path of a task is a URL, or an absolute path. For a session in parts in object storage it ends in a slash.
    """
    for source in sources:
        if not is_url(source):
            yield from tasks_at([os.path.abspath(source)])
            continue
        storage, root = open_storage(source)
        if is_local(storage):
            yield from tasks_at([root])
            continue
        try:
            yield from _stored_tasks(storage, root.rstrip("/"), source)
        except FileNotFoundError:
            yield LogTask(source, source)  # judged as a file that is not there
        except Exception as error:  # each storage has errors of its own
            raise FleetError(tr("{url} cannot be listed: {error}.", url=source, error=error)) from error


def _stored_tasks(storage: Storage, root: str, source: str) -> Iterator[LogTask]:
    """Yield what is at a URL: an object, a session in parts, or what a prefix has.

    The first folder that branches is listed by itself, and each of its folders at once with all that is below it: few
    requests, and no more than one folder of the listing in memory.
    """
    entries = _entries(storage.ls(root, detail=True))
    if [entry.name for entry in entries] == [root]:
        yield LogTask(source, source, size=entries[0].size)
        return
    if parts := [entry for entry in entries if is_part_name(entry.base)]:
        yield LogTask(f"{source.rstrip('/')}/", source, size=sum(part.size for part in parts))
        return
    while len(entries) == 1 and entries[0].is_folder:
        entries = _entries(storage.ls(entries[0].name, detail=True))
    yield from _grouped(storage, root, source, entries)
    for folder in entries:
        if folder.is_folder:
            below = _entries(storage.find(folder.name, detail=True).values())
            yield from _grouped(storage, root, source, below)


class _Entry(NamedTuple):
    name: str
    size: int
    is_folder: bool

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]

    @property
    def log(self) -> str:
        """The name of the log that it belongs to. That of a session in parts is its folder, with a slash."""
        return self.name.removesuffix(self.base) if is_part_name(self.base) else self.name


def _entries(listed: Iterable[Mapping[str, Any]]) -> list[_Entry]:
    entries = (
        _Entry(entry["name"].rstrip("/"), entry.get("size") or 0, entry["type"] == "directory") for entry in listed
    )
    return sorted(entries, key=itemgetter(0))


def _grouped(storage: Storage, root: str, source: str, entries: Iterable[_Entry]) -> Iterator[LogTask]:
    """Yield the logs that objects are, each session in parts as one log. Folders are left out."""
    kept = (
        entry
        for entry in entries
        if not entry.is_folder and not any(map(is_backup_or_quarantine, entry.name.removeprefix(root).split("/")))
    )
    for name, parts in groupby(sorted(kept, key=lambda entry: entry.log), key=lambda entry: entry.log):
        url: str = storage.unstrip_protocol(name)
        yield LogTask(url, source, is_found=True, size=sum(part.size for part in parts))


class LocalTask(NamedTuple):
    """A task with a path on this machine, and the name that its rows have. `fault` says why it could not be copied."""

    task: LogTask
    source: str
    fault: str = ""

    def named(self, result: LogResult) -> LogResult:
        """Return the result with the name of the source instead of that of a copy."""
        if self.source == self.task.path:
            return result
        keys, files = {}, []
        for file in result.files:
            keys[file.log] = log_key(self.source, file.member, bytes.fromhex(file.sha256 or ""))
            files.append(replace(file, source=self.source, log=keys[file.log], mtime=None))
        return LogResult(
            tuple(files),
            tuple(replace(row, log=keys[row.log]) for row in result.sessions),
            tuple(replace(row, log=keys[row.log]) for row in result.findings),
        )

    def fault_result(self) -> LogResult:
        """Return the row of a log that could not be copied."""
        return fault_result(replace(self.task, path=self.source), self.fault)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that is removed at the end, or by the next start if this process is killed."""
    with TemporaryPath(Path(tempfile.gettempdir()), "transcript-inspector", is_folder=True) as folder:
        yield folder


def copy_tasks(tasks: Sequence[LogTask], folder: Path) -> list[LocalTask]:
    """Copy the logs that are not on this machine to a folder, and return all of them in their order."""
    if not any(is_url(task.path) for task in tasks):
        return [LocalTask(task, task.path) for task in tasks]
    with ThreadPoolExecutor(_DOWNLOADS) as threads:
        return list(threads.map(_copy, tasks, (folder / str(number) for number in count())))


def _copy(task: LogTask, folder: Path) -> LocalTask:
    if not is_url(task.path):
        return LocalTask(task, task.path)
    source = task.path.rstrip("/")
    target = folder / os.path.basename(source)
    copied = replace(task, path=str(target))
    try:
        storage, name = open_storage(task.path)
        folder.mkdir()
        if task.path.endswith("/"):
            target.mkdir()
            for part in storage.ls(name, detail=False):
                if is_part_name(os.path.basename(part)):
                    storage.get_file(part, str(target / os.path.basename(part)))
        else:
            storage.get_file(name, str(target))
    except FileNotFoundError:
        pass  # removed since it was listed: judged as a file that is not there
    except Exception as error:  # each storage has errors of its own
        reason = tr("The log could not be copied from storage: {error}.", error=type(error).__name__)
        return LocalTask(copied, source, reason)
    return LocalTask(copied, source)


def judge_url(url: str, options: JudgingOptions) -> LogResult:
    """Judge the logs at a URL in this process, one after another. Raises FleetError if the storage fails."""
    return merge_check_results(_judge_here(task, options) for task in list_tasks([url]))


def _judge_here(task: LogTask, options: JudgingOptions) -> LogResult:
    with temporary_folder() as folder:
        (local,) = copy_tasks([task], folder)
        return local.fault_result() if local.fault else local.named(judge_task(local.task, options).result)
