"""The sessions that a pasted text names, by id, path or name, in the stores of all agents on a machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from inspector.core.discovery.stores import CandidateFile, agent_name, log_entry_of
from inspector.core.doctor.machine import ExaminedSession, StoreOnMachine, examine_session, store_around, stores_on
from inspector.core.formats import format_named
from inspector.core.formats.base.agent_behavior import CHANGE_FOLDER_STEP, agent_of
from inspector.core.formats.base.copyable_commands import is_plain_word
from inspector.core.formats.base.session_stores import (
    FaultEffect,
    OpeningCommand,
    StoredSession,
    StoreFault,
    command_in_folder,
)
from inspector.core.formats.base.stores import HostEnvironment
from inspector.core.providers.error_parser import remove_spaces, strip_decoration

_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
# opencode's ids, and those of Cline.
_OTHER_IDS = re.compile(r"\bses_[A-Za-z0-9]{8,}|\b\d{13}_[a-z0-9]{3,8}\b")
_SHORT_ID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{1,12}){0,4}(?![\w-])")
# What follows an option or a command that resumes is an id, a path or a name.
_AFTER_RESUME = re.compile(r"(?:--(?:resume|session|session-id|id|session-file)|\bresume|\s-[rs])[ =]+(\S+)")
_QUOTED = re.compile(r"(?<!\w)([\"'`])([^\"'`\n]{1,400})\1")
_PATH = re.compile(r"(?:(?<![\w.])~|(?<![\w:/.])|(?<!\w)[A-Za-z]:)[/\\][^\s\"'`<>|*?\x00-\x1f]+")
LONGEST_NAME = 200
"""The most characters of a line that may be a name or a command, and no longer text."""
_ENDINGS = (".jsonl", ".json", ".db", ".zst", ".gz")
_MOST = 3
_SHORTEST_PREFIX = 8
_MOST_NAMED = 50


class Mentions(Struct, frozen=True):
    """What a text names: full ids, beginnings of ids, paths, and words that may be the name of a session."""

    ids: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.ids or self.beginnings or self.paths or self.names)


class SessionMatch(Struct, frozen=True, kw_only=True):
    """A session that a text names, and what stands between it and its agent.

    `how` is id, path, name, beginning (the text has only the beginning of the id), capitals (the id is written in
    capitals), folder (the text names the folder of its project), or agent (the text names no session, and this one of
    its agent has a fault). `store_faults` are those of the store that block it. `elsewhere` says what the agent does
    where it is asked in another folder.
    """

    agent: str
    format: str
    how: str
    examined: ExaminedSession
    store_faults: tuple[StoreFault, ...] = ()
    is_known_agent: bool = True
    elsewhere: str = ""


class MentionedSessions(Struct, frozen=True, kw_only=True):
    """The sessions that a text names, and how many sessions of how many stores were compared."""

    matches: tuple[SessionMatch, ...] = ()
    store_faults: tuple[StoreFault, ...] = ()
    sessions: int = 0
    stores: tuple[str, ...] = ()


def mentions_in(text: str, about_session: bool) -> Mentions:
    """Return what a text names. `about_session`: the text is about a session, so that single words may name one."""
    clean = strip_decoration(text)
    words = [match[1].strip("\"'`.,;") for match in _AFTER_RESUME.finditer(clean)]
    quoted = [match[2] for match in _QUOTED.finditer(clean)]
    ids = [*_UUID.findall(clean), *_UUID.findall(remove_spaces(clean)), *_OTHER_IDS.findall(clean)]
    paths = [match[0].rstrip(".,;:)") for match in _PATH.finditer(clean)]
    paths += [each for each in (*quoted, *words) if each.startswith(("/", "~"))]
    line = clean.strip()
    is_bare = "\n" not in line and len(line) <= LONGEST_NAME
    beginnings = _SHORT_ID.findall(clean) if about_session or words or is_bare else []
    names = [*words, *(quoted if about_session else ()), *([line] if is_bare else ())]
    return Mentions(*map(_once, (ids, beginnings, paths, names)))


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))[:_MOST_NAMED]


def find_sessions(
    mentions: Mentions, machine: HostEnvironment, agent: str, logs: list[CandidateFile]
) -> MentionedSessions:
    """Return the sessions that a text names. `agent` is the format of the agent that the text is from, "" for any.

    Where the text names none, the sessions of that agent with faults are returned. `logs` are those of all stores.
    """
    places = stores_on(machine)
    stored = [(place, session) for place in places for session in place.store.sessions(place.home)]
    found: list[tuple[StoreOnMachine, StoredSession, str]] = []
    for how_wanted in ("path", "id", "name", "capitals", "beginning"):
        found = [(place, session, how_wanted) for place, session in stored if _matches(session, mentions, how_wanted)]
        if found:
            break
    if not found:
        found = [*_at_other_places(mentions, machine), *_by_title(mentions, stored, agent, logs)]
    if not found and agent:
        folders = {os.path.expanduser(path).rstrip(os.sep) for path in mentions.paths}
        found = [(place, session, "folder") for place, session in stored if session.folder in folders]
    found = [each for each in found if each[0].format == agent] or found
    found.sort(key=lambda each: -_changed(each[1].log))
    matches = [_match(place, session, how, machine) for place, session, how in found[:_MOST]]
    if not matches:
        matches = list(_of_other_agents(mentions, logs))[:_MOST]
    own = [place for place in places if place.format == agent]
    names_nothing = not (mentions.ids or mentions.beginnings or mentions.paths)
    if not matches and own and names_nothing:
        matches = _troubled(stored, agent, machine)
    store_faults = tuple(fault for place in own if not matches for fault in place.store.store_faults(place.home))
    stores = tuple(dict.fromkeys(place.store.agent for place in places))
    return MentionedSessions(matches=tuple(matches), store_faults=store_faults, sessions=len(stored), stores=stores)


def _matches(session: StoredSession, mentions: Mentions, how: str) -> bool:
    known = (session.id, *session.names)
    match how:
        case "path":
            return any(_is_path_of(session, os.path.expanduser(path)) for path in mentions.paths)
        case "id":
            return any(each in known for each in mentions.ids)
        case "name":
            return any(each in known for each in mentions.names)
        case "capitals":
            return any(each.lower() == session.id.lower() for each in (*mentions.ids, *mentions.names))
    return any(
        len(each) >= _SHORTEST_PREFIX and (session.id.startswith(each) or session.id.endswith(f"_{each}"))
        for each in mentions.beginnings
    )


def _is_path_of(session: StoredSession, path: str) -> bool:
    """Return whether a path is that of a session's log, of the folder of the session, or the one that its index has."""
    if not session.log:
        return isinstance(session.entry, dict) and path in session.entry.values()
    if os.path.basename(path) == os.path.basename(session.log):
        # A path on another machine, or before the store was moved, ends with the same name.
        is_same_file = path == session.log or os.path.realpath(path) == os.path.realpath(session.log)
        return is_same_file or session.id in os.path.basename(path)
    return session.id in path and os.path.dirname(session.log).startswith(os.path.join(path, ""))


def _at_other_places(
    mentions: Mentions, machine: HostEnvironment
) -> Iterator[tuple[StoreOnMachine, StoredSession, str]]:
    """Yield the sessions at paths in stores that the agents of this machine do not look in."""
    paths = [os.path.abspath(os.path.expanduser(path)) for path in mentions.paths]
    for path in paths:
        place = store_around(path, machine) if path.endswith(_ENDINGS) and os.path.isfile(path) else None
        if place is not None:
            sessions = place.store.sessions(place.home)
            yield from ((place, session, "path") for session in sessions if session.log == path)


def _by_title(
    mentions: Mentions, stored: list[tuple[StoreOnMachine, StoredSession]], agent: str, logs: list[CandidateFile]
) -> Iterator[tuple[StoreOnMachine, StoredSession, str]]:
    """Yield the sessions of the agent that the text is from, by the titles in their logs."""
    by_log = {session.log: (place, session) for place, session in stored if place.format == agent}
    for log in logs if mentions.names else ():
        if log.path in by_log and (entry := log_entry_of(log)) is not None and entry.title in mentions.names:
            yield *by_log[log.path], "name"


def _match(place: StoreOnMachine, session: StoredSession, how: str, machine: HostEnvironment) -> SessionMatch:
    blocking = tuple(f for f in place.store.store_faults(place.home) if f.effect >= FaultEffect.NOT_OPENED)
    return SessionMatch(
        agent=place.store.agent,
        format=place.format,
        how=how,
        examined=examine_session(place, session, machine),
        store_faults=blocking,
        elsewhere=place.store.elsewhere,
    )


def _troubled(
    stored: list[tuple[StoreOnMachine, StoredSession]], agent: str, machine: HostEnvironment
) -> list[SessionMatch]:
    """Return the newest sessions of an agent that have faults: those of the current folder come first."""
    own = [(place, session) for place, session in stored if place.format == agent]
    own.sort(key=lambda each: (each[1].folder != os.getcwd(), -_changed(each[1].log)))
    matches = (_match(place, session, "agent", machine) for place, session in own)
    troubled = (each for each in matches if each.examined.effect > FaultEffect.NOTE)
    return [match for _, match in zip(range(_MOST), troubled, strict=False)]


def _of_other_agents(mentions: Mentions, logs: list[CandidateFile]) -> Iterator[SessionMatch]:
    """Yield the logs whose path has an id, of agents of which it is not known how they find their sessions."""
    wanted = [each for each in (*mentions.ids, *mentions.names) if len(each) >= _SHORTEST_PREFIX]
    paths = {os.path.expanduser(path) for path in mentions.paths}
    for log in logs:
        if not log.stores or not (log.path in paths or any(each in log.path for each in wanted)):
            continue
        format = format_named(log.stores[0].format)
        entry = None if format.session_store else log_entry_of(log)
        if entry is None:
            continue
        name = next((each for each in wanted if each in log.path), os.path.basename(log.path).partition(".")[0])
        steps = agent_of(format).resume_steps(log.path, name, False)
        folder = entry.project if CHANGE_FOLDER_STEP in steps.steps and os.path.isdir(entry.project) else ""
        words = tuple(steps.command.split()) if steps.command and is_plain_word(name) else ()
        session = StoredSession(entry.agent or agent_name(format), format.name, name, log.path, entry.project)
        opening = OpeningCommand(command_in_folder(words, folder))
        examined = ExaminedSession(session=session, faults=(), opening=opening)
        yield SessionMatch(agent=session.agent, format=format.name, how="id", examined=examined, is_known_agent=False)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
