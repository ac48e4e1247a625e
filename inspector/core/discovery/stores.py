"""The logs of the known agents on this machine, and those in a folder: names and heads are read, never whole logs.

Merged; to be rewritten:
`stores`: The stores in which agents keep their sessions on this machine.
`folders`: Which paths stand for many logs, and which lead into a file.
"""

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

from inspector.core.discovery.log_entry import LogEntry
from inspector.core.discovery.opening import multi_file_format_at, open_head, paths_in_folder
from inspector.core.errors import UnreadableLog
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, detect, format_named
from inspector.core.formats.base.detection import Head
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.registry import safe_metadata, safe_score
from inspector.core.formats.base.stores import HostEnvironment, SessionMetadata, Store
from inspector.core.lazy import LazyModule
from inspector.core.storage.archive import is_archive
from inspector.core.storage.source import HEAD_SIZE, SHORT_HEAD_SIZE, Source

if TYPE_CHECKING:
    from inspector.core.discovery import archives as tickets
else:
    tickets = LazyModule("inspector.core.discovery.archives")

_AHEAD = 500
MAX_TITLE_LENGTH = 200
_WILD = "*?["
_DATABASE = (".db", ".sqlite", ".sqlite3")
# What the label of a format says besides the name of its agent.
_LABEL_NOUNS = frozenset("session log task rollout chat context events event stream UI messages".split())


class StoreLocation(Struct, frozen=True):
    """A store of a format: the folder that it begins at, the pattern of its logs below it part by part, its agent."""

    format: str
    folder: str
    pattern: tuple[str, ...]
    agent: str


class CandidateFile(Struct, frozen=True):
    """What may be a log, by its name alone. `places` are the stores that it lies in, none in other folders."""

    path: str
    stores: tuple[StoreLocation, ...]
    modified: float
    size: int


def default_store_folder(stores: Iterable[Store], system: str) -> str:
    """Where such stores usually lie on a "linux", "macos" or "windows" machine, as a person finds it; "" for none."""
    homes = [(home, store.pattern.split("/")) for store in stores for home in store.home.split("|")]
    own = {"windows": "$APPDATA", "macos": "~/Library"}.get(system, "~/.config")
    chosen = [each for each in homes if each[0].startswith(own)] or [each for each in homes if each[0].startswith("~")]
    if not chosen:
        return ""
    home, parts = chosen[0]
    fixed = takewhile(lambda part: not any(sign in part for sign in _WILD), parts[:-1])
    folder = "/".join((home, *fixed))
    if system != "windows":
        return folder
    return re.sub(r"^\$(\w+)", r"%\1%", re.sub("^~", "%USERPROFILE%", folder)).replace("/", "\\")


def store_locations(machine: HostEnvironment, formats: Mapping[str, Format] = FORMATS) -> list[StoreLocation]:
    """All stores that a machine can have, each once, whether they are there or not."""
    known: dict[StoreLocation, None] = {}
    for name, format in formats.items():
        for store in format.stores:
            folder, parts = store.folder_on(machine), store.pattern.split("/")
            if not folder:
                continue
            while len(parts) > 1 and not any(sign in parts[0] for sign in _WILD):
                folder = os.path.join(folder, parts.pop(0))
            known[StoreLocation(name, folder, tuple(parts), store.agent or agent_name(format))] = None
    return list(known)


def find_logs_in_stores(
    machine: HostEnvironment, agent: str = "", formats: Mapping[str, Format] = FORMATS
) -> list[CandidateFile]:
    """The logs of all stores (of the agents that `agent` names), the newest first."""
    by_path: dict[str, CandidateFile] = {}
    for place in store_locations(machine, formats):
        if not _is_named(place.format, place.agent, agent):
            continue
        for entry in _matching_entries(place.folder, place.pattern):
            known = by_path.get(entry.path)
            places_of = (*known.stores, place) if known else (place,)
            by_path |= {found.path: found for found in _candidates_at(entry.path, places_of)}
    return _newest_first(by_path.values())


def find_logs_at(paths: Iterable[str]) -> list[CandidateFile]:
    """The files that the person named, and those in the folders named, the newest first. Raises UnreadableLog."""
    by_path: dict[str, CandidateFile] = {}
    for path in paths:
        if not os.path.exists(path):
            raise UnreadableLog(f"There is nothing at {path}: name a log, or a folder that holds logs.")
        single = os.path.isfile(path) or multi_file_format_at(path) is not None
        for name in (path,) if single else paths_in_folder(path):
            by_path |= {found.path: found for found in _candidates_at(name, ())}
    return _newest_first(by_path.values())


def log_entry_of(found: CandidateFile) -> LogEntry | None:
    """A row of the list: what the head of the log tells of it. None for a file of a folder that is no known log.

    A log of a store that cannot be read keeps its row, which says why.
    """
    try:
        with _open_for_head(found.path) as source:
            return _entry_from_head(found, source)
    except UnreadableLog as error:
        possible = _candidate_formats(found)
        return _entry(found, next(iter(possible)), SessionMetadata(title=str(error))) if possible else None


def _candidate_formats(found: CandidateFile) -> dict[Format, str]:
    """The formats of the stores that a log lies in, each with its agent."""
    return {format_named(place.format): place.agent for place in found.stores}


def _entry_from_head(found: CandidateFile, source: Source) -> LogEntry | None:
    possible = _candidate_formats(found)
    gatherer = None if possible else multi_file_format_at(found.path)
    format = format_named(source.format) if source.format else next(iter(possible), gatherer or UNKNOWN_FORMAT)
    head = Head(source, SHORT_HEAD_SIZE)
    if not head.is_complete and (not head.is_lines or head.is_in_first_line):
        # A document, or a first line that is longer than the short look.
        head = Head(source, HEAD_SIZE)
    if len(possible) > 1:
        format = max(possible, key=lambda each: safe_score(each, head))
    elif not possible and gatherer is None and not source.format:
        format = detect(head)
    headline = safe_metadata(format, head)
    if head.faults and not headline.title:
        headline = SessionMetadata(headline.project, " ".join(head.faults))
    return _entry(found, format, headline)


def _entry(found: CandidateFile, format: Format, headline: SessionMetadata) -> LogEntry | None:
    if format is UNKNOWN_FORMAT:
        return None
    title = " ".join(headline.title[: 2 * MAX_TITLE_LENGTH].split())[:MAX_TITLE_LENGTH]
    agent = _candidate_formats(found).get(format) or agent_name(format)
    return LogEntry(found.path, format.name, agent, headline.project, title, found.modified, found.size)


def _open_for_head(path: str) -> Source:
    """What a head is taken of; of a log that is a folder there is nothing but its name. Raises UnreadableLog."""
    return Source.of_bytes(b"", path) if os.path.isdir(path) else open_head(path)


def list_logs(
    machine: HostEnvironment,
    paths: Iterable[str] = (),
    agent: str = "",
    project: str = "",
    other_files: list[str] | None = None,
) -> Iterator[LogEntry]:
    """The logs of the machine's stores, or those at `paths` and below, one by one, the newest first.

    What is there and is no log of a known format is added to `others`, as it is met. Raises UnreadableLog.
    """
    named, beside = list(paths), [] if other_files is None else other_files
    for found in _with_readahead(find_logs_at(named) if named else find_logs_in_stores(machine, agent)):
        is_packed = not found.stores and is_archive(found.path)
        for entry in _archived_entries(found, beside) if is_packed else _alone(found, beside):
            if _is_named(entry.format, entry.agent, agent) and project.lower() in entry.project.lower():
                yield entry


def _alone(found: CandidateFile, others: list[str]) -> Iterator[LogEntry]:
    entry = log_entry_of(found)
    if entry is None:
        others.append(found.path)
    else:
        yield entry


def _archived_entries(found: CandidateFile, others: list[str]) -> Iterator[LogEntry]:
    """The logs in an archive, in its order; the rest, or all of one that is damaged, is added to `others`."""
    ticket = tickets.LogArchive(found.path)
    try:
        for source in ticket.logs():
            entry = _entry_from_head(CandidateFile(source.path, (), found.modified, source.size), source)
            if entry is not None:
                yield replace(entry, archive=found.path)
    except UnreadableLog:
        others.append(found.path)
    others += [f"{found.path}/{name}" for name in (*ticket.other_members, *ticket.unread_members)]


def _with_readahead(logs: list[CandidateFile]) -> Iterator[CandidateFile]:
    """The logs, the system being asked early for both ends of many, where it takes such hints.

    2,000 logs that nothing has read before are listed in half the time: the disk is not asked for one after the other.
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
    """The agent whose log a format is, in words."""
    words = format.label.split()
    while words[-1] in _LABEL_NOUNS and len(words) > 1:
        words.pop()
    return " ".join(words)


def _is_named(format_name: str, agent: str, wanted: str) -> bool:
    """Whether the person means this agent: by a part of its name, or of its format's."""
    words = wanted.lower().replace("-", " ")
    return words in format_name.replace("-", " ") or words in agent.lower()


def _newest_first(found: Iterable[CandidateFile]) -> list[CandidateFile]:
    return sorted(found, key=lambda log: (-log.modified, log.path))


def _matching_entries(folder: str, parts: tuple[str, ...]) -> Iterator[os.DirEntry[str]]:
    """What lies under `folder` along the parts of a pattern; `**` is any number of folders, none of them a link."""
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
    """What is in a folder; nothing when it is not there or may not be read."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _candidates_at(path: str, places: tuple[StoreLocation, ...]) -> Iterator[CandidateFile]:
    """What is at `path`; nothing when it is a link to nowhere, or was removed while the folder was read."""
    try:
        state = os.stat(path)
    except OSError:
        return
    size, modified = 0 if S_ISDIR(state.st_mode) else state.st_size, state.st_mtime
    if path.endswith(_DATABASE):
        with suppress(OSError):
            # What was committed last lies beside the database until it is taken over.
            log = os.stat(f"{path}-wal")
            size, modified = size + log.st_size, max(modified, log.st_mtime)
    yield CandidateFile(path, places, modified, size)
