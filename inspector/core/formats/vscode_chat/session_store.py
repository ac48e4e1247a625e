"""How VS Code finds its chats: by the index of their ids in the `state.vscdb` of the workspace, and by the file's name.

Seen with the code of VS Code 1.128.1 (`chatSessionStore.ts`) on a store with each of these faults; VS Code itself was
not run. The list of sessions shows the index alone, of which the oldest entries are cut off. One line that is not valid
JSON, or a first line that is not the operation that creates the chat, makes a chat unreadable.
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
    access_and_empty_faults,
    damaged_line_sentence,
    entries_in,
    file_lines,
    first_line,
    folder_gone_fault,
    has_content,
    json_object,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.formats.base.stores import HostEnvironment, StorePattern
from inspector.core.formats.vscode_chat.reader import INITIAL, is_operation
from inspector.core.formats.vscode_chat.settings_folders import SETTINGS_FOLDERS, workspace_folder
from inspector.core.storage.json_text import javascript_can_parse
from inspector.core.storage.source import BOM
from inspector.core.storage.sqlite import open_unchanged
from inspector.core.translation import tr

_KEY, _STATE = "chat.ChatSessionStore.index", "state.vscdb"
_QUERY = "SELECT CAST(value AS TEXT) FROM ItemTable WHERE key = ?"


class VsCodeChatStore(SessionStore):
    agent, seen = "VS Code", "1.128.1"
    elsewhere = tr("the session does not appear in the list of sessions")

    def home(self, machine: HostEnvironment) -> str:
        roots = [StorePattern(root, "").folder_on(machine) for root in SETTINGS_FOLDERS]
        folders = [os.path.join(root, "Code", "User") for root in roots if root]
        return next(filter(os.path.isdir, folders), folders[0] if folders else "")

    def exists(self, home: str) -> bool:
        return any(os.path.isdir(folder) for folder in _chat_folders(home))

    def sessions(self, home: str) -> list[StoredSession]:
        found = []
        for chats in _chat_folders(home):
            index, folder = _index_of(chats), workspace_folder(chats)
            logs = {os.path.splitext(entry.name)[0]: entry.path for entry in _files(chats)}
            titles = {id: text_under_keys(entry, "title") for id, entry in index.items() if _has_file(entry)}
            for id in dict.fromkeys((*logs, *titles)):
                names = (titles[id],) if titles.get(id) else ()
                entry = {"chats": chats, "listed": id in index}
                found.append(StoredSession(self.agent, "vscode-chat", id, logs.get(id, ""), folder, names, entry))
        return found

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, state = session.log, os.path.join(os.path.dirname(session.entry["chats"]), _STATE)
        if not path:
            yield StoreFault(
                "entry-without-file",
                FaultEffect.NOT_OPENED,
                tr("{shown} contains no log of this chat.", shown=shown_path(session.entry["chats"])),
                tr("VS Code shows an empty chat for an index entry that has no log."),
                tr("Put the log back into this folder, or delete the chat in the session list."),
            )
            return
        yield from access_and_empty_faults(path, self.agent, when_read_only=None)
        if has_content(path):
            yield from _damage(path)
        if not session.entry["listed"]:
            yield StoreFault(
                "file-without-entry",
                FaultEffect.NOT_OPENED,
                tr("The index in {shown} does not contain this chat.", shown=shown_path(state)),
                tr("VS Code lists only the chats in its index and removes the oldest entries from the index."),
                tr(
                    'Quit VS Code and back up {state}. Then, in its ItemTable table, add the id to "entries" '
                    "in the value of {key}. This fix has not been tested.",
                    state=shown_path(state),
                    key=_KEY,
                ),
            )
        yield from folder_gone_fault(
            session, FaultEffect.NOTE, tr("VS Code lists a chat only in the window that has the chat's folder open.")
        )

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        for chats in _chat_folders(home):
            state = os.path.join(os.path.dirname(chats), _STATE)
            if os.path.lexists(state) and _stored_index(state) is None:
                yield StoreFault(
                    "damaged-index",
                    FaultEffect.NOT_OPENED,
                    tr("The chat index in {shown} cannot be read.", shown=shown_path(state)),
                    tr("VS Code starts a new, empty index, so none of the chats are listed."),
                    tr("Quit VS Code, and restore the file from {backup}.", backup=f"{_STATE}.backup"),
                )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        """Return the command that opens the folder, in whose list of sessions the chat is."""
        return ("code", ".") if session.log and session.folder else ()


def _chat_folders(home: str) -> list[str]:
    folders = [os.path.join(each.path, "chatSessions") for each in subfolders(os.path.join(home, "workspaceStorage"))]
    return [*filter(os.path.isdir, folders), *filter(os.path.isdir, [_empty_window(home)])]


def _empty_window(home: str) -> str:
    return os.path.join(home, "globalStorage", "emptyWindowChatSessions")


def _files(chats: str) -> list[os.DirEntry[str]]:
    """Return the logs in a folder, a document before the log of operations that VS Code reads in its place."""
    return [entry for entry in entries_in(chats) if entry.name.endswith((".json", ".jsonl"))]


def _has_file(entry: Any) -> bool:
    """Return whether VS Code keeps a log of its own for an entry: not for one of another agent, or an empty one."""
    return isinstance(entry, dict) and not entry.get("isExternal") and not entry.get("isEmpty")


def _index_of(chats: str) -> dict[str, Any]:
    """Return the entries of the index of a folder of chats, by id."""
    entries = (_stored_index(os.path.join(os.path.dirname(chats), _STATE)) or {}).get("entries")
    return entries if isinstance(entries, dict) else {}


def _stored_index(state: str) -> dict[str, Any] | None:
    """Return the index of chats in a database, an empty one where there is none, None where it cannot be read."""
    try:
        with open_unchanged(Path(state)) as database:
            row = database.execute(_QUERY, (_KEY,)).fetchone()
    except (sqlite3.Error, UnreadableLog, OSError):
        return None
    text = row[0] if row else "{}"
    return json_object(text.encode("utf-8", "surrogatepass")) or (None if text != "{}" else {})


def _damage(path: str) -> Iterator[StoreFault]:
    """Yield the first damage of a log. A document is a single line here."""
    repair = shell_command("transcript-inspector", "repair", "--in-place", path)
    is_log = path.endswith(".jsonl")
    lines = file_lines(path) if is_log else iter([Path(path).read_bytes()])
    for number, line in enumerate(lines, 1):
        if line and (line.startswith(BOM) or not javascript_can_parse(line)):
            yield StoreFault(
                "damaged-record",
                FaultEffect.NOT_OPENED,
                damaged_line_sentence(number, path),
                tr("VS Code opens a chat only if every line of its log is valid JSON."),
                tr("Quit VS Code, and repair the log: {repair}", repair=repair),
            )
            return
    first = json_object(first_line(path))
    if is_log and not (is_operation(first) and first["kind"] == INITIAL):
        yield StoreFault(
            "first-record",
            FaultEffect.NOT_OPENED,
            tr("{shown} does not begin with the operation that creates the chat.", shown=shown_path(path)),
            tr("VS Code opens a chat only if the first line of its log has kind 0."),
            tr("Quit VS Code, and repair the log: {repair}", repair=repair),
        )
