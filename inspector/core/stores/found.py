"""The logs of the known agents on this machine, and those in a folder: names and heads are read, never whole logs."""

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

from inspector.core.bytes.source import HEAD, LOOK, Source
from inspector.core.containers.archive.kinds import is_archive
from inspector.core.errors import UnreadableLog
from inspector.core.formats import FORMATS, RAW, detect, format_named
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.isolated import headline_of, score_of
from inspector.core.formats.bases.store import Headline, Machine, Store
from inspector.core.later import Later
from inspector.core.opening.folder import names_in
from inspector.core.opening.opening import gatherer_of, head_source
from inspector.core.stores.log_entry import LogEntry

if TYPE_CHECKING:
    from inspector.core.opening import tickets
else:
    tickets = Later("inspector.core.opening.tickets")

_AHEAD = 500
TITLE = 200
_WILD = "*?["
_DATABASE = (".db", ".sqlite", ".sqlite3")
# What the label of a format says besides the name of its agent.
_KINDS = frozenset("session log task rollout chat context events event stream UI messages".split())


class Place(Struct, frozen=True):
    """A store of a format: the folder that it begins at, the pattern of its logs below it part by part, its agent."""

    format: str
    folder: str
    pattern: tuple[str, ...]
    agent: str


class Found(Struct, frozen=True):
    """What may be a log, by its name alone. `places` are the stores that it lies in, none in other folders."""

    path: str
    places: tuple[Place, ...]
    modified: float
    size: int


def usual_folder(stores: Iterable[Store], system: str) -> str:
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


def places(machine: Machine, formats: Mapping[str, Format] = FORMATS) -> list[Place]:
    """All stores that a machine can have, each once, whether they are there or not."""
    known: dict[Place, None] = {}
    for name, format in formats.items():
        for store in format.stores:
            folder, parts = store.folder_on(machine), store.pattern.split("/")
            if not folder:
                continue
            while len(parts) > 1 and not any(sign in parts[0] for sign in _WILD):
                folder = os.path.join(folder, parts.pop(0))
            known[Place(name, folder, tuple(parts), store.agent or agent_name(format))] = None
    return list(known)


def found_in_stores(machine: Machine, agent: str = "", formats: Mapping[str, Format] = FORMATS) -> list[Found]:
    """The logs of all stores (of the agents that `agent` names), the newest first."""
    by_path: dict[str, Found] = {}
    for place in places(machine, formats):
        if not _is_named(place.format, place.agent, agent):
            continue
        for entry in _below(place.folder, place.pattern):
            known = by_path.get(entry.path)
            places_of = (*known.places, place) if known else (place,)
            by_path |= {found.path: found for found in _found(entry.path, places_of)}
    return _newest_first(by_path.values())


def found_at(paths: Iterable[str]) -> list[Found]:
    """The files that the person named, and those in the folders named, the newest first. Raises UnreadableLog."""
    by_path: dict[str, Found] = {}
    for path in paths:
        if not os.path.exists(path):
            raise UnreadableLog(f"There is nothing at {path}: name a log, or a folder that holds logs.")
        single = os.path.isfile(path) or gatherer_of(path) is not None
        for name in (path,) if single else names_in(path):
            by_path |= {found.path: found for found in _found(name, ())}
    return _newest_first(by_path.values())


def entry_of(found: Found) -> LogEntry | None:
    """A row of the list: what the head of the log tells of it. None for a file of a folder that is no known log.

    A log of a store that cannot be read keeps its row, which says why.
    """
    try:
        with _opened(found.path) as source:
            return _told_by_head(found, source)
    except UnreadableLog as error:
        possible = _possible(found)
        return _entry(found, next(iter(possible)), Headline(title=str(error))) if possible else None


def _possible(found: Found) -> dict[Format, str]:
    """The formats of the stores that a log lies in, each with its agent."""
    return {format_named(place.format): place.agent for place in found.places}


def _told_by_head(found: Found, source: Source) -> LogEntry | None:
    possible = _possible(found)
    gatherer = None if possible else gatherer_of(found.path)
    format = format_named(source.format) if source.format else next(iter(possible), gatherer or RAW)
    head = Head(source, LOOK)
    if not head.whole and (not head.is_lines or head.is_in_first_line):
        # A document, or a first line that is longer than the short look.
        head = Head(source, HEAD)
    if len(possible) > 1:
        format = max(possible, key=lambda each: score_of(each, head))
    elif not possible and gatherer is None and not source.format:
        format = detect(head)
    headline = headline_of(format, head)
    if head.faults and not headline.title:
        headline = Headline(headline.project, " ".join(head.faults))
    return _entry(found, format, headline)


def _entry(found: Found, format: Format, headline: Headline) -> LogEntry | None:
    if format is RAW:
        return None
    title = " ".join(headline.title[: 2 * TITLE].split())[:TITLE]
    agent = _possible(found).get(format) or agent_name(format)
    return LogEntry(found.path, format.name, agent, headline.project, title, found.modified, found.size)


def _opened(path: str) -> Source:
    """What a head is taken of; of a log that is a folder there is nothing but its name. Raises UnreadableLog."""
    return Source.of_bytes(b"", path) if os.path.isdir(path) else head_source(path)


def entries(
    machine: Machine, paths: Iterable[str] = (), agent: str = "", project: str = "", others: list[str] | None = None
) -> Iterator[LogEntry]:
    """The logs of the machine's stores, or those at `paths` and below, one by one, the newest first.

    What is there and is no log of a known format is added to `others`, as it is met. Raises UnreadableLog.
    """
    named, beside = list(paths), [] if others is None else others
    for found in _with_heads(found_at(named) if named else found_in_stores(machine, agent)):
        is_packed = not found.places and is_archive(found.path)
        for entry in _packed_in(found, beside) if is_packed else _alone(found, beside):
            if _is_named(entry.format, entry.agent, agent) and project.lower() in entry.project.lower():
                yield entry


def _alone(found: Found, others: list[str]) -> Iterator[LogEntry]:
    entry = entry_of(found)
    if entry is None:
        others.append(found.path)
    else:
        yield entry


def _packed_in(found: Found, others: list[str]) -> Iterator[LogEntry]:
    """The logs in an archive, in its order; the rest, or all of one that is damaged, is added to `others`."""
    ticket = tickets.Ticket(found.path)
    try:
        for source in ticket.logs():
            entry = _told_by_head(Found(source.path, (), found.modified, source.size), source)
            if entry is not None:
                yield replace(entry, archive=found.path)
    except UnreadableLog:
        others.append(found.path)
    others += [f"{found.path}/{name}" for name in (*ticket.others, *ticket.unread)]


def _with_heads(logs: list[Found]) -> Iterator[Found]:
    """The logs, the system being asked early for both ends of many, where it takes such hints.

    2,000 logs that nothing has read before are listed in half the time: the disk is not asked for one after the other.
    """
    for at in range(0, len(logs), _AHEAD):
        for log in logs[at : at + _AHEAD] if hasattr(os, "posix_fadvise") else ():
            with suppress(OSError):
                if os.path.isfile(log.path):
                    with open(log.path, "rb", buffering=0) as file:
                        for start in (0, max(0, log.size - LOOK)):
                            os.posix_fadvise(file.fileno(), start, LOOK, os.POSIX_FADV_WILLNEED)
        yield from logs[at : at + _AHEAD]


def agent_name(format: Format) -> str:
    """The agent whose log a format is, in words."""
    words = format.label.split()
    while words[-1] in _KINDS and len(words) > 1:
        words.pop()
    return " ".join(words)


def _is_named(format_name: str, agent: str, wanted: str) -> bool:
    """Whether the person means this agent: by a part of its name, or of its format's."""
    words = wanted.lower().replace("-", " ")
    return words in format_name.replace("-", " ") or words in agent.lower()


def _newest_first(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda log: (-log.modified, log.path))


def _below(folder: str, parts: tuple[str, ...]) -> Iterator[os.DirEntry[str]]:
    """What lies under `folder` along the parts of a pattern; `**` is any number of folders, none of them a link."""
    first, rest = parts[0], parts[1:]
    if first == "**":
        yield from _below(folder, rest)
        for entry in _listed(folder):
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry.path, parts)
    else:
        for entry in _listed(folder):
            if not fnmatchcase(entry.name, first):
                continue
            if not rest:
                yield entry
            elif os.path.isdir(entry.path):
                yield from _below(entry.path, rest)


def _listed(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing when it is not there or may not be read."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _found(path: str, places: tuple[Place, ...]) -> Iterator[Found]:
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
    yield Found(path, places, modified, size)
