"""How DeepSeek Harness finds its sessions: by the id, which names the folder, in the folder of any project.

Seen with the store reader of @deepseek-ai/dsh-session-persistence-jsonl 0.1.0-rc.8, which was run on a store with each
of these faults. The header must name the folders in which the log is. A log beside the folders of a project, or one
that is not compressed in a store of compressed logs, keeps the reader from all sessions, not only from its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
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
    entries_in,
    first_line,
    has_content,
    json_object,
    new_session_remedy,
    same_id_sentence,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.formats.base.stores import HostEnvironment
from inspector.core.formats.dsh.folder_and_file_names import (
    LOG_NAME,
    ZSTD_SUFFIX,
    newest_log,
    project_folder_name,
    session_folder_name,
    store_is_compressed,
)
from inspector.core.storage.json_lines import decompress_file_head, is_zstd_file
from inspector.core.translation import tr

_SESSIONS, _HEADER, _DEFAULT = "sessions", "session", "session.jsonl"
_HEADER_SIZE = 64 * 1024


class DeepSeekHarnessStore(SessionStore):
    agent, variable, seen = "DeepSeek Harness", "DSH_HOME", "0.1.0-rc.8"
    elsewhere = tr("the session can also be opened by its id")

    def home(self, machine: HostEnvironment) -> str:
        moved = machine.environment.get(self.variable, "").strip()
        return moved if os.path.isabs(moved) else os.path.join(machine.home, ".dsh")

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, _SESSIONS))

    def sessions(self, home: str) -> list[StoredSession]:
        found = []
        for project in subfolders(os.path.join(home, _SESSIONS)):
            folders = [folder.path for folder in subfolders(project.path)]
            newest = (os.path.join(folder, newest_log(_DEFAULT, folder)) for folder in folders)
            paths = filter(os.path.lexists, newest)
            flat = [entry.path for entry in entries_in(project.path) if _is_flat(entry)]
            found += [_session(self.agent, path) for path in (*paths, *flat)]
        return found

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path = session.log
        yield from access_and_empty_faults(path, self.agent, when_read_only=None)
        if not has_content(path):
            return
        if not session.entry:
            yield StoreFault(
                "first-record",
                FaultEffect.NOT_OPENED,
                tr("{shown} does not begin with a session header.", shown=shown_path(path)),
                tr("DeepSeek Harness opens only logs that begin with this header."),
                new_session_remedy(path),
                makes_new_session=True,
            )
            return
        if not LOG_NAME.fullmatch(os.path.basename(path)):
            yield _flat_fault(session)
        else:
            yield from _place_faults(home, session)
        yield from _encoding_faults(home, path)
        for other in self.sessions(home):
            if other.id == session.id and other.log != path:
                yield StoreFault(
                    "duplicate",
                    FaultEffect.NOT_OPENED,
                    same_id_sentence(path, other.log),
                    tr("DeepSeek Harness opens a session only if its id exists in exactly one project folder."),
                    tr("Move one of the two folders out of the store."),
                )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        is_empty_log = any(fault.cause == "empty" for fault in faults)
        return () if is_empty_log else ("dsh", "--profile", "tui", "--resume", session.id)


def _session(agent: str, path: str) -> StoredSession:
    header = _header(path)
    above = os.path.basename(os.path.dirname(path))
    is_own_folder = LOG_NAME.fullmatch(os.path.basename(path))
    name = above if is_own_folder else os.path.basename(path).partition(".")[0]
    session_id = text_under_keys(header, "id") or name
    names = (name,) if name != session_id else ()
    return StoredSession(agent, "dsh", session_id, path, text_under_keys(header, "cwd"), names, header)


def _header(path: str) -> dict[str, Any]:
    line = b""
    with suppress(UnreadableLog):
        if os.path.isfile(path) and is_zstd_file(path):
            source = decompress_file_head(path, _HEADER_SIZE)
            line = source.read(0, source.size).partition(b"\n")[0]
        else:
            line = first_line(path)
    header = json_object(line)
    return header if header.get("type") == _HEADER and text_under_keys(header, "id") else {}


def _is_flat(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith((".jsonl", f".jsonl{ZSTD_SUFFIX}")) and entry.is_file()


def _flat_fault(session: StoredSession) -> StoreFault:
    path = session.log
    suffix = f".jsonl{ZSTD_SUFFIX}" if path.endswith(ZSTD_SUFFIX) else ".jsonl"
    own = os.path.join(os.path.dirname(path), session_folder_name(session.id))
    move = f"{shell_command('mkdir', '-p', own)} && {shell_command('mv', path, os.path.join(own, f'session{suffix}'))}"
    return StoreFault(
        "older-layout",
        FaultEffect.NOT_OPENED,
        tr("{shown} is not in a session folder.", shown=shown_path(path)),
        tr("DeepSeek Harness does not open any session in a store that contains a log outside a session folder."),
        tr("Move the file: {move}", move=move),
    )


def _place_faults(home: str, session: StoredSession) -> Iterator[StoreFault]:
    """Yield that a log is not in the folders that its header names."""
    own = os.path.dirname(session.log)
    project = project_folder_name(session.folder)
    wanted = os.path.join(home, _SESSIONS, project, session_folder_name(session.id))
    if os.path.realpath(own) == os.path.realpath(wanted):
        return
    is_other_id = os.path.basename(own) != session_folder_name(session.id)
    move = f"{shell_command('mkdir', '-p', os.path.dirname(wanted))} && {shell_command('mv', own, wanted)}"
    yield StoreFault(
        "other-id" if is_other_id else "other-folder",
        FaultEffect.NOT_OPENED,
        tr("The log is in {own}, but its header refers to {wanted}.", own=shown_path(own), wanted=shown_path(wanted)),
        tr("DeepSeek Harness opens a log only from the folder that its header specifies."),
        tr("Move the folder: {move}", move=move),
    )


def _encoding_faults(home: str, path: str) -> Iterator[StoreFault]:
    """Yield that a log is not compressed, while others of the store are."""
    if path.endswith(ZSTD_SUFFIX):
        return
    if store_is_compressed(Path(home, _SESSIONS)):
        yield StoreFault(
            "compressed",
            FaultEffect.NOT_OPENED,
            tr("{shown} is not compressed, but other logs in the store are.", shown=shown_path(path)),
            tr(
                "DeepSeek Harness does not open sessions in a store that contains both compressed and uncompressed "
                "logs."
            ),
            tr("Move this log's folder out of the store."),
        )
