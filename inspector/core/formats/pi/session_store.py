"""How pi finds its sessions: by the header in their first line; a path always works where the header is sound.

Seen in pi 0.87.1: the id, or a beginning of it that is unique, is compared with the header, not with the name of the
file. A session of another project leads to a question, and to nothing without a terminal.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from inspector.core.formats.base.pi_sessions import is_omp_store
from inspector.core.formats.base.session_stores import (
    OPEN_BY_PATH,
    UUID,
    FaultEffect,
    SessionStore,
    StoredSession,
    StoreFault,
    access_faults,
    entries_in,
    file_lines,
    file_name_sentence,
    first_record_fault,
    first_record_problem,
    folder_gone_fault,
    is_readable_file,
    json_object,
    shown_path,
    subfolders,
    text_under_keys,
)
from inspector.core.storage.source import BOM
from inspector.core.translation import tr

_HEADER = "session"


class PiStore(SessionStore):
    agent, variable, seen = "pi", "PI_CODING_AGENT_DIR", "0.87.1"
    default_home = os.path.join(".pi", "agent")
    elsewhere = tr("pi asks whether to fork the session, and `--continue` starts a new session")

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "sessions")) and not is_omp_store(home)

    def sessions(self, home: str) -> list[StoredSession]:
        return [
            self._session(entry.path)
            for project in subfolders(os.path.join(home, "sessions"))
            for entry in entries_in(project.path)
            if ".jsonl" in entry.name or UUID.search(entry.name)
        ]

    def _session(self, path: str) -> StoredSession:
        header = next((r for r in _records(path) if r.get("type") == _HEADER), {})
        in_name = UUID.search(os.path.basename(path))
        session_id = text_under_keys(header, "id") or (
            in_name[0] if in_name else os.path.basename(path).partition(".")[0]
        )
        names = (in_name[0],) if in_name and in_name[0] != session_id else ()
        return StoredSession(self.agent, "pi", session_id, path, text_under_keys(header, "cwd"), names, header)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path, name = session.log, os.path.basename(session.log)
        yield from access_faults(path, self.agent, FaultEffect.NOT_OPENED)
        if not is_readable_file(path):
            return
        problem = first_record_problem(path, lambda record: record.get("type") == _HEADER)
        again = (
            tr('Restore this record as line 1: {"type":"session","version":3,"id":"')
            + session.id
            + '","timestamp":"…","cwd":"…"}'
        )
        yield from first_record_fault(path, self.agent, "header", problem, again)
        if problem:
            return
        if not name.endswith(".jsonl"):
            yield StoreFault(
                "misnamed",
                FaultEffect.NOT_OPENED,
                file_name_sentence(path),
                tr(
                    "pi looks for an id only in files with names that end in .jsonl. It also accepts the path of "
                    "any file."
                ),
                OPEN_BY_PATH,
                opens_as_is=True,
            )
        if session.folder and os.path.basename(os.path.dirname(path)) != _slug(session.folder):
            yield StoreFault(
                "other-folder",
                FaultEffect.NOT_OPENED,
                tr(
                    "The file is in {dirname}, but its header refers to the folder {shown}.",
                    dirname=os.path.basename(os.path.dirname(path)),
                    shown=shown_path(session.folder),
                ),
                tr(
                    "pi asks whether to fork a session that belongs to another project. Without a terminal, pi "
                    "does nothing."
                ),
                OPEN_BY_PATH,
                opens_as_is=True,
            )
        yield from folder_gone_fault(
            session,
            FaultEffect.NOT_OPENED,
            tr("pi opens a session only if the folder in its header exists."),
            tr("Or change `cwd` in the header of a copy."),
        )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return () if any(fault.cause == "empty" for fault in faults) else ("pi", "--session", session.log)


def _slug(folder: str) -> str:
    name = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", folder))
    return f"--{name}--"


def _records(path: str) -> Iterator[dict[str, object]]:
    lines = (line for _, line in zip(range(20), file_lines(path), strict=False))
    return (json_object(line.removeprefix(BOM)) for line in lines)
