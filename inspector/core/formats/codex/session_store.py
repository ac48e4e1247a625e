"""How Codex finds its sessions: by the path in its database, else by the name of the rollout; a name by two indexes.

Seen in Codex 0.169.0 (`codex exec resume`): an absolute path in `state_5.sqlite` is trusted before the files are looked
at. A missing row, or a missing or damaged database, heals by itself, and a row with a wrong path blocks. The first line
must be a `session_meta`. What is no UUID and no known name starts a new session without an error.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.session_stores import (
    NO_COMMAND_SEEN,
    NOTHING_TO_DO,
    UUID,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_and_empty_faults,
    closed_folder_faults,
    damaged_line_sentence,
    entries_in,
    file_lines,
    file_name_sentence,
    first_line,
    first_record_fault,
    first_record_problem,
    has_content,
    json_object,
    new_session_remedy,
    no_permission_sentence,
    same_id_sentence,
    shown_path,
    text_under_keys,
)
from inspector.core.storage.sqlite import open_unchanged
from inspector.core.translation import tr

_NAME = re.compile(rf"rollout-(\d{{4}})-(\d{{2}})-(\d{{2}})T[\d-]+-({UUID.pattern})\.jsonl(\.zst)?")
_DATABASE = re.compile(r"state_(\d+)\.sqlite")
_ARCHIVE = "archived_sessions"
_COLUMNS = ("rollout_path", "cwd", "archived", "name")


class CodexStore(SessionStore):
    agent, variable, seen = "Codex", "CODEX_HOME", "0.169.0"
    default_home = ".codex"
    elsewhere = tr("the session can be opened by its id, but `--last` starts a new session")

    def exists(self, home: str) -> bool:
        return any(os.path.isdir(os.path.join(home, name)) for name in ("sessions", _ARCHIVE))

    def sessions(self, home: str) -> list[StoredSession]:
        rows, titles = _rows(home), _names(home)
        by_path: dict[str, StoredSession] = {}
        for root in ("sessions", _ARCHIVE):
            for folder, _, names in os.walk(os.path.join(home, root)):
                for name in sorted(names):
                    if ".jsonl" in name:
                        path = os.path.join(folder, name)
                        by_path[path] = self._session(path, rows, titles)
        known = {session.id for session in by_path.values()}
        for thread, row in rows.items():
            if thread not in known:
                names_of_thread = tuple(filter(None, (row["name"], titles.get(thread))))
                by_path[thread] = StoredSession(self.agent, "codex", thread, "", row["cwd"], names_of_thread, row)
        return list(by_path.values())

    def _session(self, path: str, rows: dict[str, dict[str, Any]], titles: dict[str, str]) -> StoredSession:
        in_name = UUID.search(os.path.basename(path))
        meta = _metadata(path)
        inside = text_under_keys(meta, "id")
        thread = in_name[0] if in_name else inside
        row = rows.get(thread) or {}
        names = (inside if inside != thread else "", row.get("name"), titles.get(thread))
        folder = text_under_keys(meta, "cwd") or row.get("cwd") or ""
        return StoredSession(self.agent, "codex", thread, path, folder, tuple(filter(None, names)), row)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, row = session.log, session.entry or {}
        if not path:
            yield from self._entry_without_file(home, session, row)
            return
        yield from access_and_empty_faults(path, self.agent, FaultEffect.NOT_OPENED)
        if not has_content(path):
            return
        yield from self._place_faults(home, session, path)
        yield from self._row_faults(home, session, path, row)
        if not path.endswith(".jsonl"):
            return
        first = json_object(first_line(path))
        if "type" not in first and UUID.fullmatch(text_under_keys(first, "id")) and "instructions" in first:
            yield StoreFault(
                "older-layout",
                FaultEffect.NOT_OPENED,
                tr("{shown} is in the format that Codex used until September 2025.", shown=shown_path(path)),
                tr("Codex 0.169.0 opens a rollout only if every line is a record with a type."),
                NO_COMMAND_SEEN,
            )
            return
        problem = first_record_problem(path, lambda record: record.get("type") == "session_meta")
        rewrite = new_session_remedy(path)
        yield from first_record_fault(path, self.agent, "`session_meta`", problem, rewrite, makes_new_session=True)
        if not problem and _lacks_last_ordinal(path, first):
            yield StoreFault(
                "damaged-record",
                FaultEffect.NOT_OPENED,
                tr("The last record in {shown} has no ordinal.", shown=shown_path(path)),
                tr("Codex opens a paginated rollout only if its last record has an ordinal."),
                new_session_remedy(path),
                makes_new_session=True,
            )

    def _place_faults(self, home: str, session: StoredSession, path: str) -> Iterator[StoreFault]:
        name, row = os.path.basename(path), session.entry or {}
        match = _NAME.fullmatch(name)
        if not name.endswith((".jsonl", ".jsonl.zst")):
            yield StoreFault(
                "compressed",
                FaultEffect.NOT_OPENED,
                file_name_sentence(path),
                tr("Codex opens a rollout only if its name ends in .jsonl or .jsonl.zst."),
                tr("Unpack the file in the same folder."),
            )
        elif match is None:
            target = _proper_path(path, session.id)
            yield StoreFault(
                "misnamed",
                FaultEffect.NOT_OPENED,
                file_name_sentence(path),
                tr("Codex looks for a file named rollout-TIME-ID.jsonl."),
                tr("Rename the file: {command}", command=shell_command("mv", path, target)),
            )
        elif (inside := text_under_keys(_metadata(path), "id")) and inside != match[4]:
            yield StoreFault(
                "other-id",
                FaultEffect.NOT_OPENED,
                tr(
                    "The file name contains the id {match}, but the first record contains the id {inside}.",
                    match=match[4],
                    inside=inside,
                ),
                tr("Codex expects the same id in both places."),
                tr(
                    "{set_database_aside} After that, you can open the session by either id.",
                    set_database_aside=_set_database_aside(home),
                ),
            )
        if path.startswith(os.path.join(home, _ARCHIVE) + os.sep):
            by_command = row.get("archived") and row.get("rollout_path") == path
            back = (
                os.path.join(home, "sessions", *match.groups()[:3], name) if match else os.path.join(home, "sessions")
            )
            yield StoreFault(
                "archived",
                FaultEffect.NOT_OPENED,
                tr("{shown} is in the folder for archived sessions.", shown=shown_path(path)),
                tr("Codex opens an archived session only after you unarchive it."),
                tr(
                    "To unarchive the session, run: {command}",
                    command=shell_command("codex", "unarchive", session.id),
                )
                if by_command
                else tr(
                    "The file was moved, but Codex's database still has the old path. Move the file back: {command}",
                    command=shell_command("mv", path, back),
                ),
                intended=bool(by_command),
            )

    def _row_faults(self, home: str, session: StoredSession, path: str, row: dict[str, Any]) -> Iterator[StoreFault]:
        named = row.get("rollout_path") or ""
        if not row:
            if _database(home):
                yield StoreFault(
                    "file-without-entry",
                    FaultEffect.NOTE,
                    tr("Codex's database has no row for {id}.", id=session.id),
                    tr("Codex adds the row when it opens the session."),
                    NOTHING_TO_DO,
                )
        elif not _NAME.fullmatch(os.path.basename(path)) and named == _proper_path(path, session.id):
            return  # the row fits again when the file has its name back
        elif named != path and not os.path.exists(named) and not path.startswith(os.path.join(home, _ARCHIVE) + os.sep):
            yield StoreFault(
                "index-path",
                FaultEffect.NOT_OPENED,
                tr(
                    "The database refers to {named}, which does not exist. The log is at {path}.",
                    named=shown_path(named),
                    path=shown_path(path),
                ),
                tr("Codex tries the path in its database before it searches for the file."),
                _set_database_aside(home),
            )
        elif named != path and os.path.exists(named):
            yield StoreFault(
                "duplicate",
                FaultEffect.NOTE,
                same_id_sentence(path, named),
                tr("Codex opens the file that its database refers to."),
                tr("To open the other session, move {shown} out of the way.", shown=shown_path(named)),
            )

    def _entry_without_file(self, home: str, session: StoredSession, row: dict[str, Any]) -> Iterator[StoreFault]:
        kept = os.path.join(home, "thread_history_1.sqlite")
        items = (
            tr(" The text and outputs may still be in the thread_items table in {shown}.", shown=shown_path(kept))
            if os.path.exists(kept)
            else ""
        )
        yield StoreFault(
            "entry-without-file",
            FaultEffect.NOT_OPENED,
            tr(
                "The database refers to {shown}, but the store has no rollout for {id}.",
                shown=shown_path(row.get("rollout_path") or ""),
                id=session.id,
            ),
            tr("Codex reads the session from its rollout."),
            tr("Restore the file from a backup.{items}", items=items),
        )

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        index = os.path.join(home, "session_index.jsonl")
        damaged = [number for number, line in enumerate(file_lines(index), 1) if line.strip() and not json_object(line)]
        if damaged:
            yield StoreFault(
                "damaged-index",
                FaultEffect.PASSED_OVER,
                damaged_line_sentence(damaged[0], index),
                tr(
                    "Codex cannot resume the session by name, and starts a new session without showing an "
                    "error. You can still open the session by id."
                ),
                tr("Resume the session by its id. Alternatively, split or remove the damaged line."),
            )
        days = (folder for folder, _, _ in os.walk(os.path.join(home, "sessions")))
        yield from closed_folder_faults(days, self.agent)
        database = _database(home)
        if database and not os.access(database, os.R_OK):
            yield StoreFault(
                "no-permission",
                FaultEffect.NOTE,
                no_permission_sentence(database),
                tr("Codex rebuilds its database."),
                tr("To grant the permission, run: {command}", command=shell_command("chmod", "u+rw", database)),
            )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        is_open = UUID.fullmatch(session.id) and all(
            fault.cause not in ("empty", "older-layout", "entry-without-file") for fault in faults
        )
        return ("codex", "resume", session.id) if is_open else ()


def _proper_path(path: str, thread: str) -> str:
    """Return the path of a rollout under the name that Codex gives it."""
    when = text_under_keys(_metadata(path), "timestamp")[:19].replace(":", "-") or "TIME"
    return os.path.join(os.path.dirname(path), f"rollout-{when}-{thread}.jsonl")


def _set_database_aside(home: str) -> str:
    """Return the step that makes Codex look for the files again."""
    files = [entry.name for entry in entries_in(home) if entry.name.startswith("state_") and ".sqlite" in entry.name]
    aside = os.path.join(home, "set-aside")
    make = shell_command("mkdir", "-p", aside)
    move = shell_command("mv", *(os.path.join(home, name) for name in files), aside)
    return tr(
        "Close Codex, then move its database out of the way. Codex rebuilds the database from the "
        "session files the next time it starts. To move the database, run: {make} && {move}",
        make=make,
        move=move,
    )


def _database(home: str) -> str:
    """Return the newest state database of a store, "" where there is none."""
    found = [(int(match[1]), entry.path) for entry in entries_in(home) if (match := _DATABASE.fullmatch(entry.name))]
    return max(found, default=(0, ""))[1]


def _rows(home: str) -> dict[str, dict[str, Any]]:
    """Return the rows of the threads by id, none where the database cannot be read: Codex builds it again."""
    path = _database(home)
    if not path or not os.access(path, os.R_OK):
        return {}
    with suppress(sqlite3.Error, OSError, UnreadableLog), open_unchanged(Path(path)) as database:
        there = {row[0] for row in database.execute("SELECT name FROM pragma_table_info('threads')")}
        wanted = [name if name in there else f"NULL AS {name}" for name in _COLUMNS]
        rows = database.execute(f"SELECT id, {', '.join(wanted)} FROM threads").fetchall()
        return {
            str(row[0]): dict(zip(_COLUMNS, (str(row[1] or ""), str(row[2] or ""), row[3], row[4]), strict=True))
            for row in rows
        }
    return {}


def _names(home: str) -> dict[str, str]:
    """Return the names of threads by id, as the index of names has them. The last line of a thread counts."""
    records = map(json_object, file_lines(os.path.join(home, "session_index.jsonl")))
    return {
        text_under_keys(record, "id"): text_under_keys(record, "thread_name")
        for record in records
        if text_under_keys(record, "id")
    }


def _metadata(path: str) -> dict[str, Any]:
    """Return the payload of the first `session_meta` in the first lines, an empty object where there is none."""
    if not path.endswith(".jsonl"):
        return {}
    for _, line in zip(range(20), file_lines(path), strict=False):
        record = json_object(line)
        if record.get("type") == "session_meta" and isinstance(record.get("payload"), dict):
            return record["payload"]  # type: ignore[no-any-return]
    return {}


def _lacks_last_ordinal(path: str, first: dict[str, Any]) -> bool:
    if text_under_keys(first, "payload", "history_mode") != "paginated":
        return False
    last = b""
    for line in file_lines(path):
        last = line if json_object(line) else last
    return "ordinal" not in json_object(last)
