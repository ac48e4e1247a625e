"""Listing the logs in the stores of agents on this machine, or at given paths. Only names and heads are read."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import takewhile
from stat import S_ISDIR
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.discovery.opening import is_log_of_many_files, multi_file_format_at, open_head, paths_in_folder
from inspector.core.discovery.unread_files import explain_unread_file
from inspector.core.errors import UnreadableLog
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, detect_format, format_named
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.registry import safe_metadata, safe_score
from inspector.core.formats.base.stores import HostEnvironment, SessionMetadata, StorePattern
from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.storage.archive_paths import is_archive
from inspector.core.storage.session_parts import is_parts_folder, open_parts
from inspector.core.storage.source import HEAD_SIZE, SHORT_HEAD_SIZE, Source
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.discovery import archives
else:
    archives = LazyModule("inspector.core.discovery.archives")

_AHEAD = 500  # logs for which the system gets a read-ahead hint at once
MAX_TITLE_LENGTH = 200
_WILD = "*?["
_DATABASE = (".db", ".sqlite", ".sqlite3")
# Words in the label of a format that do not belong to the name of its agent.
_LABEL_NOUNS = frozenset("session log task rollout chat context events event stream UI messages".split())


class StoreLocation(Struct, frozen=True):
    """A store of a format: its folder, the parts of the pattern of its logs below that folder, and its agent."""

    format: str
    folder: str
    pattern: tuple[str, ...]
    agent: str


class CandidateFile(Struct, frozen=True):
    """A file or folder that may be a log, judged by its name alone. `stores` are the stores that it is in, if any."""

    path: str
    stores: tuple[StoreLocation, ...]
    modified: float
    size: int


_UUID = lazy_regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST_REPAIRS = 20


def default_store_folder(stores: Iterable[StorePattern], system: str) -> str:
    """Return the usual folder of these stores on a "linux", "macos" or "windows" machine, as users write it.

    "" if there is none.
    """
    homes = [(home, store.pattern.split("/")) for store in stores for home in store.home.split("|")]
    system_home = {"windows": "$APPDATA", "macos": "~/Library"}.get(system, "~/.config")
    chosen = [item for item in homes if item[0].startswith(system_home)]
    chosen = chosen or [item for item in homes if item[0].startswith("~")]
    if not chosen:
        return ""
    home, parts = chosen[0]
    fixed_parts = takewhile(lambda part: not any(sign in part for sign in _WILD), parts[:-1])
    folder = "/".join((home, *fixed_parts))
    if system != "windows":
        return folder
    return re.sub(r"^\$(\w+)", r"%\1%", re.sub("^~", "%USERPROFILE%", folder)).replace("/", "\\")


def possible_store_locations(machine: HostEnvironment, formats: Mapping[str, Format] = FORMATS) -> list[StoreLocation]:
    """Return all stores that a machine can have, each of them once, whether they exist or not."""
    locations: dict[StoreLocation, None] = {}
    for name, format in formats.items():
        for store in format.stores:
            folder, parts = store.folder_on(machine), store.pattern.split("/")
            if not folder:
                continue
            while len(parts) > 1 and not any(sign in parts[0] for sign in _WILD):
                folder = os.path.join(folder, parts.pop(0))
            locations[StoreLocation(name, folder, tuple(parts), store.agent or agent_name(format))] = None
    return list(locations)


def find_logs_in_stores(
    machine: HostEnvironment, agent: str = "", formats: Mapping[str, Format] = FORMATS
) -> list[CandidateFile]:
    """Return the logs of all stores (of the agents that `agent` names), the newest first."""
    by_path: dict[str, CandidateFile] = {}
    for location in possible_store_locations(machine, formats):
        if not matches_agent_name(location.format, location.agent, agent):
            continue
        for entry in _matching_entries(location.folder, location.pattern):
            known = by_path.get(entry.path)
            stores = (*known.stores, location) if known else (location,)
            by_path |= {candidate.path: candidate for candidate in _candidates_at(entry.path, stores)}
    return _newest_first(by_path.values())


def find_logs_at(paths: Iterable[str]) -> list[CandidateFile]:
    """Return the files among `paths`, and the files in the folders among them, the newest first.

    Raises UnreadableLog.
    """
    by_path: dict[str, CandidateFile] = {}
    for path in paths:
        if not os.path.exists(path):
            raise UnreadableLog(
                tr("{path} does not exist. Give the path of a log, or of a folder with logs.", path=path)
            )
        single = os.path.isfile(path) or is_log_of_many_files(path)
        for name in (path,) if single else paths_in_folder(path):
            by_path |= {candidate.path: candidate for candidate in _candidates_at(name, ())}
    return _newest_first(by_path.values())


def log_entry_of(found: CandidateFile) -> LogEntry | None:
    """Return the entry of a log as its head describes it. None for a file in a folder that is not a known log.

    A log of a store that cannot be read gets an entry whose title says why.
    """
    try:
        return _read_entry(found)
    except UnreadableLog:
        return None


def _read_entry(found: CandidateFile) -> LogEntry | None:
    """Return the same as `log_entry_of`. Raises UnreadableLog for a file that is not in a store."""
    try:
        with _open_for_head(found.path) as source:
            return _entry_from_head(found, source)
    except UnreadableLog as error:
        formats = _candidate_formats(found)
        if not formats:
            raise
        return _entry(found, next(iter(formats)), SessionMetadata(title=str(error)))


def _candidate_formats(candidate: CandidateFile) -> dict[Format, str]:
    """Return the formats of the stores that a log is in, with the agent of each of them."""
    return {format_named(store.format): store.agent for store in candidate.stores}


def _entry_from_head(candidate: CandidateFile, source: Source) -> LogEntry | None:
    formats = _candidate_formats(candidate)
    multi_file_format = None if formats else multi_file_format_at(candidate.path)
    format = format_named(source.format) if source.format else next(iter(formats), multi_file_format or UNKNOWN_FORMAT)
    head = Head(source, SHORT_HEAD_SIZE)
    if not head.is_complete and (not head.is_lines or head.is_in_first_line):
        # A document, or a first line that is longer than the short head.
        head = Head(source, HEAD_SIZE)
    if len(formats) > 1:
        format = max(formats, key=lambda candidate_format: safe_score(candidate_format, head))
    elif not formats and multi_file_format is None and not source.format:
        format = detect_format(head)
    metadata = safe_metadata(format, head)
    if head.faults and not metadata.title:
        metadata = SessionMetadata(metadata.project, " ".join(head.faults))
    return _entry(candidate, format, metadata)


def _entry(candidate: CandidateFile, format: Format, metadata: SessionMetadata) -> LogEntry | None:
    if format is UNKNOWN_FORMAT:
        return None
    title = " ".join(metadata.title[: 2 * MAX_TITLE_LENGTH].split())[:MAX_TITLE_LENGTH]
    agent = _candidate_formats(candidate).get(format) or agent_name(format)
    return LogEntry(candidate.path, format.name, agent, metadata.project, title, candidate.modified, candidate.size)


def _open_for_head(path: str) -> Source:
    """Open a log to read its head. A log that is a folder has only a name, unless its files are parts of a text.

    Raises UnreadableLog.
    """
    if is_parts_folder(path):
        return open_parts(path)
    return Source.of_bytes(b"", path) if os.path.isdir(path) else open_head(path)


def list_logs(
    machine: HostEnvironment,
    paths: Iterable[str] = (),
    agent: str = "",
    project: str = "",
    other_files: list[UnreadFile] | None = None,
) -> Iterator[LogEntry]:
    """Yield the logs of the machine's stores, or those at `paths` and below, the newest first.

    Files that are not logs of a known format are added to `other_files` as they are found, and so are paths that do not
    exist, if there are several. Raises UnreadableLog.
    """
    named_paths, others = list(paths), [] if other_files is None else other_files
    if len(named_paths) > 1 and other_files is not None:
        existing = set(filter(os.path.exists, named_paths))
        others += [explain_unread_file(path) for path in named_paths if path not in existing]
        candidates = find_logs_at(path for path in named_paths if path in existing)
    else:
        candidates = find_logs_at(named_paths) if named_paths else find_logs_in_stores(machine, agent)
    for candidate in _with_readahead(candidates):
        is_packed = not candidate.stores and is_archive(candidate.path)
        for entry in _archived_entries(candidate, others) if is_packed else _single_entry(candidate, others):
            if matches_agent_name(entry.format, entry.agent, agent) and project.lower() in entry.project.lower():
                yield entry


def repaired_session_paths(entries: Iterable[LogEntry]) -> frozenset[str]:
    """Return the paths of logs that are repairs of other logs in a list, saved as new sessions.

    The id of a new session is derived from that of the original. The ids are taken from the names of the files, so that
    no log is read.
    """
    paths: dict[tuple[str, str], str] = {}
    for entry in entries:
        if match := _UUID.search(os.path.basename(entry.path)):
            paths[entry.format, match[0]] = entry.path
    repaired = set()
    for name, old in list(paths):
        agent = agent_of(format_named(name))
        for attempt in range(1, _MOST_REPAIRS + 1):
            new = agent.new_session_id(old, attempt)
            if new is None or (name, new) not in paths:
                break
            repaired.add(paths[name, new])
    return frozenset(repaired)


def is_database(path: str) -> bool:
    """Return whether a log is a database, which holds the sessions of several projects."""
    return path.lower().endswith(_DATABASE)


def _single_entry(candidate: CandidateFile, others: list[UnreadFile]) -> Iterator[LogEntry]:
    failure: UnreadableLog | None = None
    try:
        entry = _read_entry(candidate)
    except UnreadableLog as error:
        entry, failure = None, error
    if entry is None:
        others.append(explain_unread_file(candidate.path, failure))
    else:
        yield entry


def _archived_entries(candidate: CandidateFile, others: list[UnreadFile]) -> Iterator[LogEntry]:
    """Yield the logs in an archive, in its order. Add the others, and a damaged or empty archive, to `others`."""
    archive, unread, is_empty = archives.LogArchive(candidate.path), list[UnreadFile](), True
    try:
        for source in archive.logs():
            is_empty = False
            entry = _entry_from_head(CandidateFile(source.path, (), candidate.modified, source.size), source)
            if entry is not None:
                yield replace(entry, archive=candidate.path)
            else:
                unread.append(UnreadFile(source.path, "no-log"))
    except UnreadableLog as error:
        unread.append(explain_unread_file(candidate.path, error))
    unread += archive.unread_files()
    others += unread or ([UnreadFile(candidate.path, "empty")] if is_empty else [])


def _with_readahead(logs: list[CandidateFile]) -> Iterator[CandidateFile]:
    """Yield the logs, and let the system read both ends of many of them ahead where it takes such hints.

    2,000 logs that are not in the system's cache are listed in half the time, because the reads are not sequential.
    """
    for at in range(0, len(logs), _AHEAD):
        for log in logs[at : at + _AHEAD] if hasattr(os, "posix_fadvise") else ():
            with suppress(OSError):
                if os.path.isfile(log.path):
                    with open(log.path, "rb", buffering=0) as file:
                        for start in (0, max(0, log.size - SHORT_HEAD_SIZE)):
                            os.posix_fadvise(file.fileno(), start, SHORT_HEAD_SIZE, os.POSIX_FADV_WILLNEED)
        yield from logs[at : at + _AHEAD]


def agent_name(format: Format) -> str:
    """Return the name of the agent that writes a format."""
    words = format.label.split()
    while words[-1] in _LABEL_NOUNS and len(words) > 1:
        words.pop()
    return " ".join(words)


def matches_agent_name(format_name: str, agent: str, wanted: str) -> bool:
    """Return whether `wanted` is a part of the agent's name or of the format's name."""
    words = wanted.lower().replace("-", " ")
    return words in format_name.replace("-", " ") or words in agent.lower()


def _newest_first(candidates: Iterable[CandidateFile]) -> list[CandidateFile]:
    return sorted(candidates, key=lambda log: (-log.modified, log.path))


def _matching_entries(folder: str, parts: tuple[str, ...]) -> Iterator[os.DirEntry[str]]:
    """Yield what matches the parts of a pattern below `folder`. `**` is any number of folders that are not links."""
    first, rest = parts[0], parts[1:]
    if first == "**":
        yield from _matching_entries(folder, rest)
        for entry in _scan_folder(folder):
            if entry.is_dir(follow_symlinks=False):
                yield from _matching_entries(entry.path, parts)
    else:
        for entry in _scan_folder(folder):
            if not fnmatchcase(entry.name, first):
                continue
            if not rest:
                yield entry
            elif os.path.isdir(entry.path):
                yield from _matching_entries(entry.path, rest)


def _scan_folder(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, none if it does not exist or cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _candidates_at(path: str, stores: tuple[StoreLocation, ...]) -> Iterator[CandidateFile]:
    """Yield the file or folder at `path`; nothing if it is a broken link, or was removed while its folder was read."""
    try:
        state = os.stat(path)
    except OSError:
        return
    size, modified = 0 if S_ISDIR(state.st_mode) else state.st_size, state.st_mtime
    if is_database(path):
        with suppress(OSError):
            # The newest changes are in the write-ahead log until they are moved into the database.
            wal = os.stat(f"{path}-wal")
            size, modified = size + wal.st_size, max(modified, wal.st_mtime)
    yield CandidateFile(path, stores, modified, size)
