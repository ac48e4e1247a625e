"""How Kiro CLI finds the sessions of its engines v1 and v2: by the file with the metadata, which is named by the id.

Known from aws/amazon-q-developer-cli at 052219486d4c, `crates/chat-cli-v2/src/agent/session/mod.rs` (`SessionDb::load`,
`list_sessions_by_cwd`); the program was not run. The log that is read has the id that the metadata name. With
`--resume-id` a session is opened from every folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from inspector.core.formats.base.session_stores import (
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_faults,
    entries_in,
    json_file_problem,
    shown_path,
)
from inspector.core.formats.kiro_cli.reader import session_metadata
from inspector.core.storage.json_text import text_at
from inspector.core.translation import tr

_LOG, _METADATA = ".jsonl", ".json"
_REQUIRED = ("session_id", "cwd", "created_at", "updated_at")
_RESTORE = tr("Restore this file of the session from a backup.")


class KiroCliStore(SessionStore):
    agent, variable, default_home, seen = "Kiro CLI", "KIRO_HOME", ".kiro", "2.x (source code)"
    elsewhere = tr("the session can also be opened by its id")

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "sessions", "cli"))

    def sessions(self, home: str) -> list[StoredSession]:
        names = [entry.name for entry in entries_in(os.path.join(home, "sessions", "cli"))]
        stems = {name.removesuffix(end) for name in names for end in (_LOG, _METADATA) if name.endswith(end)}
        return [self._session(os.path.join(home, "sessions", "cli", stem + _LOG), stem) for stem in sorted(stems)]

    def _session(self, path: str, stem: str) -> StoredSession:
        known = session_metadata(path)
        title = text_at(known, "/title")
        log = path if os.path.lexists(path) else ""
        return StoredSession(
            self.agent, "kiro-cli", stem, log, text_at(known, "/cwd"), (title,) if title else (), (path, known)
        )

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, known = session.entry
        metadata = path.removesuffix(_LOG) + _METADATA
        problem = json_file_problem(metadata)
        if problem or not all(isinstance(known.get(key), str) for key in _REQUIRED):
            is_missing = problem == "missing"
            template = tr("{shown} does not exist.") if is_missing else tr("{shown} is damaged.")
            yield StoreFault(
                "damaged-metadata",
                FaultEffect.NOT_OPENED,
                tr(template, shown=shown_path(metadata)),
                tr("Kiro CLI opens a session only if the file with its metadata is complete."),
                _RESTORE,
            )
        elif known["session_id"] != session.id:
            yield StoreFault(
                "other-id",
                FaultEffect.LEFT_OUT,
                tr("{shown} contains the id {inside}.", shown=shown_path(metadata), inside=known["session_id"]),
                tr("Kiro CLI reads the log with the id that this file contains."),
                tr("In a copy, set session_id to {name}.", name=session.id),
            )
        if not session.log:
            yield StoreFault(
                "entry-without-file",
                FaultEffect.LEFT_OUT,
                tr("{shown} does not exist.", shown=shown_path(path)),
                tr("Kiro CLI opens a session without a log with an empty history."),
                _RESTORE,
            )
        yield from access_faults(path, self.agent, when_read_only=None)

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return "kiro-cli", "chat", "--resume-id", session.id
