"""Discovery of the logs at a path: the log itself, or those of a folder or an archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.discovery.log_entry import UnreadFile, most_telling_unread_file
from inspector.core.discovery.opening import multi_file_format_at, paths_in_folder
from inspector.core.engine.log import OpenLog
from inspector.core.engine.path_checks import contains_logs
from inspector.core.errors import NoLogsFound, UnreadableLog
from inspector.core.formats.base.format import Progress
from inspector.core.lazy import LazyModule
from inspector.core.storage.archive_paths import is_archive, is_archive_with_suffix
from inspector.core.storage.source import Source
from inspector.core.translation import joined, tr_plural

if TYPE_CHECKING:
    from inspector.core.discovery import archives
    from inspector.core.discovery.archives import LogArchive
else:
    archives = LazyModule("inspector.core.discovery.archives")


class LogCandidate(NamedTuple):
    """What may be a log: a path, with its `source` if it is in an archive; `refusal` says why it is no log.

    A file that was found in a `folder` may turn out to be no log. After the last file of a folder comes an entry for
    the folder itself: its `archives` is the number of archives in the folder. In all other entries it is None.
    """

    path: str
    source: Source | None = None
    refusal: NoLogsFound | UnreadableLog | None = None
    folder: str = ""
    archives: int | None = None

    @property
    def stays(self) -> bool:
        """Whether this process handles it: it cannot be sent to another one, or there is nothing to read."""
        return (self.source, self.refusal, self.archives) != (None, None, None)

    def log(
        self, format: str = "", deep: bool = False, jobs: int = 1, progress: Progress | None = None
    ) -> OpenLog | None:
        """Open the log, to be read by `jobs` processes. Return None for a file of a folder that is no log.

        `progress(done, total)` is called with the bytes of a file that was named itself.

        Raises InspectorError.
        """
        if self.refusal is not None:
            raise self.refusal
        if self.source is not None:
            return OpenLog(self.source, format, deep)
        if self.folder:
            return OpenLog.in_folder(self.path, format, deep, jobs)
        return OpenLog.at(self.path, format, deep, progress, jobs=jobs)


class OtherFilesAndArchives:
    """What else was found: the number of files that are no logs, by folder, and the archives that were read."""

    def __init__(self) -> None:
        self.others: dict[str, int] = {}
        self.archives: list[LogArchive] = []
        self._logs = self._files = 0

    def note(self, found: LogCandidate, is_log: bool) -> LogCandidate | None:
        """Note whether a file is a log. To be called for all candidates in the order in which they were found.

        Returns None, except after the last file of a folder without a log: then that folder with a refusal.
        """
        if found.archives is None:
            self._logs, self._files = self._logs + (is_log and bool(found.folder)), self._files + bool(found.folder)
            return None
        logs, files = self._logs + found.archives, self._files + found.archives
        self._logs = self._files = 0
        if not logs:
            return LogCandidate(found.path, refusal=_without_logs(found.path, files))
        if files > logs:
            self.others[found.path] = files - logs
        return None


def find_log_candidates(path: str, skipped: OtherFilesAndArchives) -> Iterator[LogCandidate]:
    """Yield the logs at `path` as soon as they are found: every file of a folder, every log of an archive.

    A folder that is one log is yielded itself. The archives that are found are added to `skipped`; the caller, who
    opens the files of a folder, notes there which are logs. An archive without a log is yielded with a refusal.
    """
    if is_archive(path) or not contains_logs(path):
        yield from _in_archive(path, skipped) if is_archive(path) else [LogCandidate(path)]
        return
    archives = 0
    for name in paths_in_folder(path):
        if is_archive_with_suffix(name) and multi_file_format_at(name) is None:
            archives += 1
            yield from _in_archive(name, skipped)
        else:
            yield LogCandidate(name, folder=path)
    yield LogCandidate(path, folder=path, archives=archives)


def _in_archive(path: str, skipped: OtherFilesAndArchives) -> Iterator[LogCandidate]:
    archive, logs = archives.LogArchive(path), 0
    skipped.archives.append(archive)
    try:
        for source in archive.logs():
            logs += 1
            yield LogCandidate(source.path, source)
    except UnreadableLog as error:
        yield LogCandidate(path, refusal=error)
        return
    if not logs:
        unread = archive.unread_files()
        yield LogCandidate(path, refusal=_without_logs(path, len(unread), most_telling_unread_file(unread)))


def _without_logs(path: str, count: int, unread: UnreadFile | None = None) -> NoLogsFound:
    """Return the error for a folder or an archive without a log. `unread` is the file that explains it best."""
    sentence = tr_plural(
        "{path} contains {number} file, which is not a supported log.",
        "{path} contains {number} files, none of which is a supported log.",
        count,
        path=path,
    )
    if unread is None or unread.kind == "no-log":
        return NoLogsFound(sentence)
    error = NoLogsFound(joined(" ", (sentence, unread.reason)))
    error.reason = unread.reason
    return error
