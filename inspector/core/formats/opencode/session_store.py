"""How opencode finds its sessions: rows of its database, by id, from any folder.

Seen in opencode 1.18.33: the folder of a session must exist and its project must have a row; one row that is no JSON
stops the whole session. A young session may be in the write-ahead log alone. The older store of JSON files is not read.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    NO_COMMAND_SEEN,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    entries_in,
    folder_gone_fault,
    shown_path,
    subfolders,
)
from inspector.core.formats.base.stores import HostEnvironment, read_json_object
from inspector.core.storage.sqlite import open_unchanged
from inspector.core.translation import tr

_DEFAULT = "opencode.db"
_INVALID_ROWS = (
    ("message", "SELECT id FROM message WHERE session_id = ? AND NOT json_valid(CAST(data AS TEXT)) LIMIT 5"),
    ("part", "SELECT id FROM part WHERE session_id = ? AND NOT json_valid(CAST(data AS TEXT)) LIMIT 5"),
)


class OpenCodeStore(SessionStore):
    agent, variable, seen = "opencode", "XDG_DATA_HOME", "1.18.33"
    elsewhere = tr("the session can be opened by its id, and `--continue` starts a new session")

    def home(self, machine: HostEnvironment) -> str:
        moved = machine.environment.get(self.variable, "")
        data = moved if os.path.isabs(moved) else os.path.join(machine.home, ".local", "share")
        return os.path.join(data, "opencode")

    def value_of_variable(self, home: str) -> str:
        return os.path.dirname(home)

    def exists(self, home: str) -> bool:
        return bool(_databases(home)) or os.path.isdir(os.path.join(home, "storage", "session"))

    def sessions(self, home: str) -> list[StoredSession]:
        found: dict[str, StoredSession] = {}
        for path in _databases(home):
            for row in _query(path, "SELECT id, directory, title, project_id FROM session WHERE parent_id IS NULL"):
                session_id, folder, title, project = (str(value or "") for value in row)
                entry = {"project": project}
                found[session_id] = StoredSession(
                    self.agent, "opencode", session_id, path, folder, (title,) if title else (), entry
                )
        for project_folder in subfolders(os.path.join(home, "storage", "session")):
            for file in entries_in(project_folder.path):
                stem = file.name.removesuffix(".json")
                if file.name.endswith(".json") and stem not in found:
                    info = read_json_object(Path(file.path))
                    directory = info.get("directory")
                    found[stem] = StoredSession(
                        self.agent, "opencode", stem, file.path, directory if isinstance(directory, str) else ""
                    )
        return list(found.values())

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        if session.entry is None:
            yield StoreFault(
                "older-layout",
                FaultEffect.NOT_OPENED,
                tr("The session is only in the older file store: {shown}.", shown=shown_path(session.log)),
                tr("opencode reads sessions from its database and has not imported this file."),
                NO_COMMAND_SEEN,
            )
            return
        yield from folder_gone_fault(
            session, FaultEffect.NOT_OPENED, tr("opencode opens a session only if its folder exists.")
        )
        project = session.entry["project"]
        if (
            project
            and project != "global"
            and not _query(session.log, "SELECT 1 FROM project WHERE id = ?", (project,))
        ):
            yield StoreFault(
                "pointer",
                FaultEffect.NOT_OPENED,
                tr(
                    "The session belongs to project {project}, but the database does not contain this project.",
                    project=project,
                ),
                tr("opencode cannot open a session without its project."),
                tr("Close opencode, copy the database, and set session.project_id to 'global' for this session."),
            )
        for table, query in _INVALID_ROWS:
            for (row,) in _query(session.log, query, (session.id,)):
                yield StoreFault(
                    "damaged-record",
                    FaultEffect.NOT_OPENED,
                    tr("Row {row} of table {table} is not valid JSON.", row=row, table=table),
                    tr("opencode does not open a session that has an invalid row."),
                    tr(
                        "Close opencode and back up the database. Then either restore the row's text from the "
                        "event table or delete the row."
                    ),
                )

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        for path in _databases(home):
            if not os.access(path, os.R_OK | os.W_OK):
                yield StoreFault(
                    "no-permission",
                    FaultEffect.NOT_OPENED,
                    tr("You do not have permission to read or write {shown}.", shown=shown_path(path)),
                    tr("opencode needs permission to write to its database."),
                    tr("To grant the permission, run: {command}", command=shell_command("chmod", "u+rw", path)),
                )
                continue
            try:
                with open_unchanged(Path(path)) as database:
                    tables = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'session'").fetchone()[0]
            except (sqlite3.Error, UnreadableLog, OSError) as error:
                yield StoreFault(
                    "damaged-index",
                    FaultEffect.NOT_OPENED,
                    tr("{shown} cannot be read: {error}", shown=shown_path(path), error=error),
                    tr("opencode keeps every session in this database."),
                    tr("Restore the database from a backup, together with its -wal file."),
                )
                continue
            if not tables:
                yield StoreFault(
                    "damaged-index",
                    FaultEffect.NOT_OPENED,
                    tr("{shown} has no session table.", shown=shown_path(path)),
                    tr("New sessions are only in the -wal file next to the database. Copy both files together."),
                    tr(
                        "Also copy {path}-wal from the folder that you copied the database from.",
                        path=os.path.basename(path),
                    ),
                )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return () if session.entry is None else ("opencode", "-s", session.id)

    def assignment(self, home: str, session: StoredSession, machine: HostEnvironment) -> tuple[str, str] | None:
        if session.entry is not None and os.path.basename(session.log) != _DEFAULT:
            return "OPENCODE_DB", session.log
        return super().assignment(home, session, machine)


def _databases(home: str) -> list[str]:
    return [
        entry.path for entry in entries_in(home) if entry.name.startswith("opencode") and entry.name.endswith(".db")
    ]


def _query(path: str, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a query, none where the database cannot be read: the faults of the store name it."""
    try:
        with open_unchanged(Path(path)) as database:
            return database.execute(query, values).fetchall()
    except (sqlite3.Error, UnreadableLog, OSError):
        return []
