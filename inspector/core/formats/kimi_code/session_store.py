"""How Kimi Code finds its sessions: by the name of their folder and its `state.json`.

Seen in Kimi Code 2.1.0: `session_index.jsonl` is not needed. Opening a session cuts `wire.jsonl` at the first line that
is no JSON, but for the last one; a copy stays in `wire.jsonl.bak`, and only a log line says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_faults,
    closed_folder_faults,
    damaged_line_sentence,
    file_lines,
    folder_gone_fault,
    is_empty,
    json_file_problem,
    json_object,
    no_permission_sentence,
    not_json_sentence,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.formats.base.stores import read_json_object
from inspector.core.storage.json_text import is_valid_json
from inspector.core.storage.source import BOM
from inspector.core.translation import tr

_WIRE = os.path.join("agents", "main", "wire.jsonl")
_SEARCHED_LINES = 20


class KimiCodeStore(SessionStore):
    agent, variable, seen = "Kimi Code", "KIMI_CODE_HOME", "2.1.0"
    default_home = ".kimi-code"
    elsewhere = tr("Kimi Code rejects the session id, and `--continue` starts a new session")

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "sessions"))

    def sessions(self, home: str) -> list[StoredSession]:
        indexed = {
            text_under_keys(row, "sessionId"): text_under_keys(row, "workDir")
            for row in map(json_object, file_lines(os.path.join(home, "session_index.jsonl")))
        }
        found = []
        for workspace in subfolders(os.path.join(home, "sessions")):
            for folder in subfolders(workspace.path):
                if not folder.name.startswith("session_"):
                    continue
                state = read_json_object(Path(folder.path, "state.json"))
                cwd = text_under_keys(state, "cwd") or indexed.get(folder.name, "")
                names = (folder.name.removeprefix("session_"), text_under_keys(state, "title"))
                log = os.path.join(folder.path, _WIRE)
                session = StoredSession(self.agent, "kimi-code", folder.name, log, cwd, tuple(filter(None, names)))
                session.entry = state
                found.append(session)
        return found

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        wire, folder = session.log, os.path.dirname(os.path.dirname(os.path.dirname(session.log)))
        yield from self._state_faults(session, folder)
        yield from self._place_faults(home, session, folder)
        yield from access_faults(wire, self.agent, FaultEffect.NOT_RECORDED)
        backup = f"{wire}.bak"
        if not os.path.exists(wire) or is_empty(wire):
            yield StoreFault(
                "empty",
                FaultEffect.NOT_OPENED,
                tr("{path} is empty.", path=shown_path(wire))
                if os.path.exists(wire)
                else tr("{path} is missing.", path=shown_path(wire)),
                tr(
                    "Kimi Code reads the session from this file. If the file is missing, Kimi Code creates a new "
                    "session."
                ),
                tr("Move the file back: {command}", command=shell_command("cp", backup, wire))
                if os.path.exists(backup)
                else tr("Restore the file from a backup before you open the session."),
            )
            return
        damaged = _damaged_line(wire)
        if damaged:
            yield StoreFault(
                "damaged-record",
                FaultEffect.DESTROYS,
                damaged_line_sentence(damaged, wire),
                tr("When Kimi Code opens the session, it truncates the log at the first damaged line."),
                tr("Before you open the session, repair the log in place: {repair}", repair=_repair(wire)),
            )
        elif os.path.exists(backup) and (lost := _count_lines(backup) - _count_lines(wire)) > 0:
            yield StoreFault(
                "cut",
                FaultEffect.LOST,
                tr("{shown} has {lost:,} lines that are missing from the log.", shown=shown_path(backup), lost=lost),
                tr("Kimi Code creates this copy when it truncates the log at a damaged line."),
                tr(
                    "Close Kimi Code, restore the copy and repair it: {command} && {repair}",
                    command=shell_command("cp", backup, wire),
                    repair=_repair(wire),
                ),
            )

    def _state_faults(self, session: StoredSession, folder: str) -> Iterator[StoreFault]:
        path = os.path.join(folder, "state.json")
        problem = json_file_problem(path)
        if problem:
            yield StoreFault(
                "damaged-metadata",
                FaultEffect.NOT_OPENED,
                tr("{shown} is {problem}.", shown=shown_path(path), problem=problem),
                tr("Kimi Code finds a session only if this file contains the session's id and folder."),
                tr(
                    'Write {{"id":"{id}","cwd":"{folder}"}} to this file.',
                    id=session.id,
                    folder=session.folder or tr("THE PROJECT"),
                ),
            )
        elif session.entry and session.entry.get("archived") is True:
            yield StoreFault(
                "archived",
                FaultEffect.PASSED_OVER,
                tr("The session is archived."),
                tr("`kimi --continue` skips an archived session, but you can open the session by its id."),
                tr("Resume the session by its id."),
                intended=True,
            )
        yield from folder_gone_fault(
            session,
            FaultEffect.NOT_OPENED,
            tr("Kimi Code opens a session only from the folder specified in its state.json."),
            tr(
                'If the project was renamed, set "cwd" in {shown} to the new folder. Do not move any files.',
                shown=shown_path(path),
            ),
        )

    def _place_faults(self, home: str, session: StoredSession, folder: str) -> Iterator[StoreFault]:
        sessions = os.path.join(home, "sessions")
        workspace = os.path.basename(os.path.dirname(folder))
        bound = _bound_workspace(session.log)
        twin = next(
            (
                other.path
                for other in subfolders(sessions)
                if other.name != workspace and os.path.isdir(os.path.join(other.path, session.id))
            ),
            "",
        )
        if twin:
            yield StoreFault(
                "duplicate",
                FaultEffect.NOT_OPENED,
                tr(
                    "The session {id} is in both {workspace} and {twin}.",
                    id=session.id,
                    workspace=workspace,
                    twin=os.path.basename(twin),
                ),
                tr("Depending on its index, Kimi Code opens one of the two copies or neither."),
                tr("Move the copy that is not in {bound} to another location.", bound=bound or tr("the project")),
            )
        elif bound and bound != workspace:
            target = os.path.join(sessions, bound, session.id)
            yield StoreFault(
                "misplaced",
                FaultEffect.NOT_OPENED,
                tr(
                    "The session is in {workspace}, but its records belong to {bound}.",
                    workspace=workspace,
                    bound=bound,
                ),
                tr("Kimi Code opens a session only in the workspace specified in its records."),
                tr("Move the file back: {command}", command=shell_command("mv", folder, target)),
            )

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        path = os.path.join(home, "workspaces.json")
        if json_file_problem(path) in ("damaged", "empty"):
            yield StoreFault(
                "damaged-index",
                FaultEffect.NOT_OPENED,
                not_json_sentence(path),
                tr(
                    "Because of this file, Kimi Code cannot open any session. If the file is missing, Kimi Code "
                    "creates a new one."
                ),
                tr("Move the file out of the way: {command}", command=shell_command("mv", path, f"{path}.damaged")),
            )
        index = os.path.join(home, "session_index.jsonl")
        if os.path.exists(index) and not os.access(index, os.R_OK):
            yield StoreFault(
                "no-permission",
                FaultEffect.NOT_OPENED,
                no_permission_sentence(index),
                tr(
                    "Kimi Code stops if it does not have permission to read the index, even though it does not need "
                    "the index."
                ),
                tr("To grant the permission, run: {command}", command=shell_command("chmod", "u+rw", index)),
            )
        workspaces = subfolders(os.path.join(home, "sessions"))
        folders = (folder.path for workspace in workspaces for folder in (workspace, *subfolders(workspace.path)))
        yield from closed_folder_faults(folders, self.agent)

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return ("kimi", "--session", session.id)


def _repair(wire: str) -> str:
    return shell_command("transcript-inspector", "repair", "--in-place", wire)


def _damaged_line(path: str) -> int:
    """Return the number of the first line that is no JSON and not the last one, 0 for none."""
    bad = 0
    for number, line in enumerate(file_lines(path), 1):
        if bad and line.strip():
            return bad
        text = line.removeprefix(BOM) if number == 1 else line
        if not bad and text.strip() and not is_valid_json(text):
            bad = number
    return bad if bad == 1 else 0


def _bound_workspace(path: str) -> str:
    """Return the workspace that the records name, "" where they name none."""
    for _, line in zip(range(_SEARCHED_LINES), file_lines(path), strict=False):
        record = json_object(line)
        if record.get("type") == "runtime.set_binding":
            return text_under_keys(record, "workspaceId")
    return ""


def _count_lines(path: str) -> int:
    return sum(1 for line in file_lines(path) if line.strip())
