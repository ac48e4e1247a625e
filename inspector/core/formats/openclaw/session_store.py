"""How OpenClaw finds its sessions: by the id in the index of an agent, or else by the name of the log.

Seen in OpenClaw 2026.6.11, with `openclaw agent --local --session-id`: without an entry, the log that is named after
the id is opened, and an entry is added. A path in an entry is followed within the agent's folder, and to a folder of
the same agent in any other store; other paths are ignored. Where there is no log, a new history begins under the same
id without an error. Of several entries with one id, the newest is taken. A log without a header is given one, and a
copy of it is kept. A chat finds its session by its entry only. The databases of later versions are not examined.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    NOTHING_TO_DO,
    RESTORE_FILE,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_and_empty_faults,
    entries_in,
    first_line,
    json_file_problem,
    json_object,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.formats.base.stores import read_json_object
from inspector.core.translation import tr

_INDEX = "sessions.json"
_LOG = ".jsonl"
# Traces, and the copies that are made before a compaction and before a repair.
_DERIVED = re.compile(r"\.trajectory\.jsonl$|\.checkpoint\.[0-9a-f-]{36}\.jsonl$|\.jsonl\.corrupt-[^.]+\.jsonl$")
_ARCHIVED = re.compile(r"(.+)\.jsonl\.(?:reset|deleted)\.[0-9TZ.-]+$")
_NO_ENTRY: dict[str, Any] = {}


class _Place(Struct, frozen=True):
    """The agent that a session belongs to, its entry in the index, and the log that the entry leads to."""

    agent: str
    entry: dict[str, Any]
    named: str


class OpenClawStore(SessionStore):
    agent, variable, seen = "OpenClaw", "OPENCLAW_STATE_DIR", "2026.6.11"
    default_home = ".openclaw"
    elsewhere = tr("the session can also be opened by its id")

    def exists(self, home: str) -> bool:
        return any(_session_folders(home))

    def sessions(self, home: str) -> list[StoredSession]:
        return [session for folder in _session_folders(home) for session in self._sessions_in(folder)]

    def _sessions_in(self, folder: str) -> Iterator[StoredSession]:
        agent = os.path.basename(os.path.dirname(folder))
        rows = [row for row in read_json_object(Path(folder, _INDEX)).values() if text_under_keys(row, "sessionId")]
        # OpenClaw takes the newest of several entries with one id.
        entries = {text_under_keys(row, "sessionId"): row for row in sorted(rows, key=_updated)}
        places = {id: _Place(agent, entry, _followed_path(folder, id, entry)) for id, entry in entries.items()}
        ids = {_real_path(place.named): id for id, place in places.items()}
        left = dict(places)
        for file in entries_in(folder):
            archived = _ARCHIVED.match(file.name)
            if _DERIVED.search(file.name) or not (archived or file.name.endswith(_LOG)):
                continue
            stem = archived[1] if archived else file.name.removesuffix(_LOG)
            if archived and os.path.exists(os.path.join(folder, stem + _LOG)):
                continue
            id = stem if stem in places or archived else ids.get(_real_path(file.path), stem)
            left.pop(id, None)
            yield self._session(id, file.path, places.get(id, _Place(agent, _NO_ENTRY, "")))
        for id, place in left.items():
            yield self._session(id, place.named if os.path.exists(place.named) else "", place)

    def _session(self, id: str, log: str, place: _Place) -> StoredSession:
        header = json_object(first_line(log)) if log else {}
        own = text_under_keys(header, "id")
        names = (own,) if own and own != id else ()
        return StoredSession(self.agent, "openclaw", id, log, text_under_keys(header, "cwd"), names, place)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, place = session.log, session.entry
        if not path:
            yield StoreFault(
                "entry-without-file",
                FaultEffect.NOT_OPENED,
                tr("The index refers to {shown}, which does not exist.", shown=shown_path(place.named)),
                tr("OpenClaw starts a new history under the same id if there is no log."),
                RESTORE_FILE,
            )
            return
        yield from access_and_empty_faults(path, self.agent, None)
        archived = _ARCHIVED.match(os.path.basename(path))
        if archived:
            log = os.path.join(os.path.dirname(path), archived[1] + _LOG)
            yield StoreFault(
                "archived",
                FaultEffect.NOT_OPENED,
                tr("The log is archived as {path}.", path=os.path.basename(path)),
                tr("OpenClaw opens only logs with names that end in .jsonl."),
                tr("Move the file back: {command}", command=shell_command("mv", path, log)),
                intended=True,
            )
        elif place.entry and _real_path(place.named) != _real_path(path):
            yield StoreFault(
                "index-path",
                FaultEffect.NOT_OPENED,
                tr(
                    "The index refers to {named}, but the log is at {path}.",
                    named=shown_path(place.named),
                    path=shown_path(path),
                ),
                tr("OpenClaw reads the path in its index, and starts a new history if the file does not exist."),
                tr("Open the session under a new session key."),
                opens_as_is=True,
            )
        elif not place.entry and not json_file_problem(os.path.join(os.path.dirname(path), _INDEX)):
            yield StoreFault(
                "file-without-entry",
                FaultEffect.NOTE,
                tr("The index has no entry for {id}.", id=session.id),
                tr("OpenClaw adds an entry when it opens the session by its id."),
                NOTHING_TO_DO,
            )

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        for folder in _session_folders(home):
            path = os.path.join(folder, _INDEX)
            problem = json_file_problem(path)
            if problem and any(entry.name.endswith(_LOG) for entry in entries_in(folder)):
                yield StoreFault(
                    "damaged-index",
                    FaultEffect.PASSED_OVER,
                    tr("{shown} is {problem}.", shown=shown_path(path), problem=problem),
                    tr(
                        "OpenClaw writes a new index, and each chat starts a new session. Sessions can still be "
                        "opened by their ids."
                    ),
                    tr("Stop OpenClaw, and restore the file from a backup."),
                )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        causes = {fault.cause for fault in faults}
        if causes & {"empty", "entry-without-file"}:
            return ()
        agent = session.entry.agent
        key = ("--session-key", f"agent:{agent}:explicit:{session.id}") if "index-path" in causes else ()
        return (
            "openclaw",
            "agent",
            "--local",
            "--agent",
            agent,
            *key,
            "--session-id",
            session.id,
            "--message",
            "Go on.",
        )


def _session_folders(home: str) -> Iterator[str]:
    for agent in subfolders(os.path.join(home, "agents")):
        folder = os.path.join(agent.path, "sessions")
        if os.path.isdir(folder):
            yield folder


def _updated(entry: dict[str, Any]) -> float:
    updated = entry.get("updatedAt")
    return updated if isinstance(updated, int | float) else 0


def _followed_path(folder: str, id: str, entry: dict[str, Any]) -> str:
    """Return the log that OpenClaw opens for an entry: the path in it, where OpenClaw follows that."""
    own = os.path.join(folder, id + _LOG)
    named = text_under_keys(entry, "sessionFile").strip()
    if not named:
        return own
    path = os.path.normpath(os.path.join(folder, named))
    is_inside = path.startswith(folder + os.sep)
    is_in_other_store = os.path.dirname(path).split(os.sep)[-3:] == folder.split(os.sep)[-3:]
    return path if is_inside or is_in_other_store else own


def _real_path(path: str) -> str:
    """Return a path without links; the path itself where no file can have it."""
    with suppress(ValueError):
        return os.path.realpath(path)
    return path
