"""How Kiro CLI's engine v3 finds its sessions: by the id, which names a folder, in the folder of any workspace.

Known from public descriptions of the engine of Kiro CLI 2.14.2, 2.15.1 and 2.21.4; the program was not run. A session
is opened from the folder of its workspace. A damaged `session.json` keeps it from being listed and opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.core.formats.base.session_stores import (
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_faults,
    entries_in,
    json_file_problem,
    shown_path,
    subfolders,
)
from inspector.core.formats.base.stores import read_json_object
from inspector.core.storage.json_text import text_at
from inspector.core.translation import tr

_LOG, _METADATA = "messages.jsonl", "session.json"


class KiroCliV3Store(SessionStore):
    agent, variable, default_home, seen = "Kiro CLI v3", "KIRO_HOME", ".kiro", "2.21 (descriptions)"
    elsewhere = tr("the session cannot be found by its id")

    def exists(self, home: str) -> bool:
        return any(self._folders(home))

    def sessions(self, home: str) -> list[StoredSession]:
        return [self._session(folder) for folder in self._folders(home)]

    @staticmethod
    def _folders(home: str) -> Iterator[str]:
        for bucket in subfolders(os.path.join(home, "sessions")):
            for folder in subfolders(bucket.path):
                if any(entry.name in (_LOG, _METADATA) for entry in entries_in(folder.path)):
                    yield folder.path

    def _session(self, folder: str) -> StoredSession:
        known, log = read_json_object(Path(folder, _METADATA)), os.path.join(folder, _LOG)
        title, own = text_at(known, "/title"), os.path.basename(folder)
        names = (title,) if title else ()
        found = log if os.path.lexists(log) else ""
        return StoredSession(self.agent, "kiro-cli-v3", own, found, text_at(known, "/workspacePaths/0"), names, folder)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        metadata = os.path.join(session.entry, _METADATA)
        if problem := json_file_problem(metadata):
            template = tr("{shown} does not exist.") if problem == "missing" else tr("{shown} is damaged.")
            yield StoreFault(
                "damaged-metadata",
                FaultEffect.NOT_OPENED,
                tr(template, shown=shown_path(metadata)),
                tr("Kiro CLI neither lists nor opens a session whose session.json it cannot read."),
                tr("Restore session.json from a backup."),
            )
        yield from access_faults(os.path.join(session.entry, _LOG), self.agent, when_read_only=None)

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return ("kiro-cli", "chat", "--v3", "--resume-id", session.id) if session.folder else ()
