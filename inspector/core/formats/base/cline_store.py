"""How Cline finds its sessions: by the row of its database, else by the folder of the id.

Seen in Cline CLI 3.0.65 at a terminal (`cline --id ID`): where the path in the row leads nowhere, where neither a row
nor a manifest is there, and where the messages are no JSON, Cline begins an empty conversation and writes it over the
messages, without a copy. An unknown id begins a new conversation without an error.
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
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_faults,
    entries_in,
    is_empty,
    is_readable_file,
    not_json_sentence,
    shown_path,
    subfolders,
)
from inspector.core.formats.base.stores import HostEnvironment, StorePattern, read_json_object
from inspector.core.storage.json_text import is_valid_json
from inspector.core.storage.source import BOM
from inspector.core.storage.sqlite import open_unchanged
from inspector.core.translation import tr

_HOME = StorePattern("$CLINE_DIR/data|~/.cline/data", "sessions", "CLINE_DATA_DIR")


class ClineStore(SessionStore):
    agent, variable, seen = "Cline", "CLINE_DATA_DIR", "3.0.65"
    elsewhere = tr("the session can be opened by its id")

    def home(self, machine: HostEnvironment) -> str:
        return _HOME.folder_on(machine)

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "sessions"))

    def sessions(self, home: str) -> list[StoredSession]:
        rows = _rows_of_sessions(home)
        found = {}
        for folder in subfolders(os.path.join(home, "sessions")):
            messages = os.path.join(folder.path, f"{folder.name}.messages.json")
            row = rows.get(folder.name)
            manifest = read_json_object(Path(folder.path, f"{folder.name}.json"))
            cwd = str((row or {}).get("cwd") or manifest.get("cwd") or "")
            entry = {"row": row, "manifest": manifest}
            found[folder.name] = StoredSession(self.agent, "cline-sdk", folder.name, messages, cwd, (), entry)
        for session_id, row in rows.items():
            if session_id not in found and not row["is_subagent"]:
                entry = {"row": row, "manifest": {}}
                found[session_id] = StoredSession(self.agent, "cline-sdk", session_id, "", row["cwd"], (), entry)
        return list(found.values())

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        row, manifest = session.entry["row"], session.entry["manifest"]
        path = session.log
        if not path or not os.path.exists(path) or is_empty(path):
            yield StoreFault(
                "entry-without-file",
                FaultEffect.NOT_OPENED,
                tr("The messages of {id} are missing or empty.", id=session.id),
                tr("Cline starts an empty conversation with the old id and shows no error."),
                tr("Put ID.messages.json back into its folder before you open the session."),
            )
            return
        yield from access_faults(path, self.agent, FaultEffect.NOT_RECORDED)
        if not is_readable_file(path):
            return
        if not is_valid_json(Path(path).read_bytes().removeprefix(BOM)):
            yield StoreFault(
                "damaged-record",
                FaultEffect.DESTROYS,
                not_json_sentence(path),
                tr("Cline overwrites a damaged file with an empty conversation and keeps no copy."),
                tr(
                    "Before you open the session, repair the log in place: {command}",
                    command=shell_command("transcript-inspector", "repair", "--in-place", path),
                ),
            )
        if not row and not manifest:
            yield StoreFault(
                "damaged-metadata",
                FaultEffect.DESTROYS,
                tr("This session is neither in the database nor in {id}.json.", id=session.id),
                tr("If Cline does not recognize a session, it overwrites the messages with an empty conversation."),
                tr(
                    "Before you open the session, rewrite its manifest: {shown}",
                    shown=shown_path(path.replace(".messages.json", ".json")),
                ),
            )
        for where, named in (
            ("database", (row or {}).get("messages_path")),
            ("manifest", manifest.get("messages_path")),
        ):
            if isinstance(named, str) and named and named != path and not os.path.exists(named):
                yield StoreFault(
                    "index-path",
                    FaultEffect.DESTROYS if where == "database" or not row else FaultEffect.NOTE,
                    tr(
                        "The {where} refers to {named}, which does not exist. The messages are in {path}.",
                        where=where,
                        named=shown_path(named),
                        path=shown_path(path),
                    ),
                    tr("Cline starts an empty conversation and overwrites the messages."),
                    _set_database_aside(home)
                    if where == "database"
                    else tr("Set messages_path in the manifest to {path}.", path=path),
                )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return () if any(fault.cause == "entry-without-file" for fault in faults) else ("cline", "--id", session.id)


def _rows_of_sessions(home: str) -> dict[str, dict[str, Any]]:
    """Return the rows of the sessions by id, none where the database cannot be read: Cline reads the folders then."""
    path = Path(home, "db", "sessions.db")
    query = "SELECT session_id, messages_path, cwd, is_subagent FROM sessions"
    try:
        with open_unchanged(path) as database:
            rows = database.execute(query).fetchall()
    except (sqlite3.Error, UnreadableLog, OSError):
        return {}
    return {
        str(row[0]): {"messages_path": row[1], "cwd": str(row[2] or ""), "is_subagent": bool(row[3])} for row in rows
    }


def _set_database_aside(home: str) -> str:
    folder = os.path.join(home, "db")
    files = [entry.path for entry in entries_in(folder) if entry.name.startswith("sessions.db")]
    aside = os.path.join(home, "set-aside")
    move = f"{shell_command('mkdir', '-p', aside)} && {shell_command('mv', *files, aside)}"
    return tr("Close Cline, then move its session database out of the way: {move}", move=move)
