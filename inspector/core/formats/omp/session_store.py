"""How omp finds its sessions: by the header, in any folder of its store; a path works where the header is sound.

Seen in omp 18.2.3: the id, or a beginning of it, is compared with the header and with the name of each .jsonl file in a
folder of the store, but not with those of symbolic links. Of several logs, the one in the folder of the current project
is opened, then the one that was modified last. The header is the first line that can be read, and only the title on
line 1 may be before it. Without a terminal, a session whose project does not exist is opened by its path only.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from inspector.core.formats.base.pi_sessions import is_omp_store
from inspector.core.formats.base.pi_sessions.reader import HEADER_TYPE, TITLE_TYPE
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
    first_line,
    first_record_fault,
    folder_gone_fault,
    is_empty,
    is_readable_file,
    json_object,
    same_id_sentence,
    shown_path,
    subfolders,
    symbolic_link_sentence,
    text_under_keys,
)
from inspector.core.formats.omp.damaged_lines import first_value
from inspector.core.storage.source import BOM
from inspector.core.translation import tr

_SEARCHED_LINES = 50


class OmpStore(SessionStore):
    agent, variable, seen = "omp", "PI_CODING_AGENT_DIR", "18.2.3"
    default_home = os.path.join(".omp", "agent")
    elsewhere = tr("the session can be opened by its id, and `--continue` starts a new session")

    def exists(self, home: str) -> bool:
        return os.path.isdir(os.path.join(home, "sessions")) and is_omp_store(home)

    def sessions(self, home: str) -> list[StoredSession]:
        root = os.path.join(home, "sessions")
        folders = [root, *(folder.path for folder in subfolders(root))]
        found = [
            self._session(entry.path)
            for folder in folders
            for entry in entries_in(folder)
            # A folder with the name of a session holds the logs of its subagents.
            if ".jsonl" in entry.name or (UUID.search(entry.name) and not os.path.isdir(entry.path))
        ]
        logs: defaultdict[str, list[str]] = defaultdict(list)
        for session in found:
            logs[session.id].append(session.log)
        for session in found:
            session.entry = [log for log in logs[session.id] if log != session.log]
        return found

    def _session(self, path: str) -> StoredSession:
        header = next((each for each in _records(path) if each.get("type") == HEADER_TYPE), {})
        in_name = UUID.search(os.path.basename(path))
        named = in_name[0] if in_name else os.path.basename(path).partition(".")[0]
        session_id = text_under_keys(header, "id") or named
        names = (named,) if named != session_id else ()
        return StoredSession(self.agent, "omp", session_id, path, text_under_keys(header, "cwd"), names)

    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        path = session.log
        yield from access_faults(path, self.agent, None)
        if not is_readable_file(path):
            return
        problem = _header_problem(path)
        again = (
            tr('Restore this record as line 1: {"type":"session","version":3,"id":"')
            + session.id
            + '","timestamp":"…","cwd":"…"}'
        )
        yield from first_record_fault(path, self.agent, "header", problem, again)
        if problem:
            return
        yield from _faults_of_the_place(home, path)
        for other in session.entry:
            yield StoreFault(
                "duplicate",
                FaultEffect.NOTE,
                same_id_sentence(path, other),
                tr(
                    "omp opens the log in the folder of the current project, or else the one that was modified last, "
                    "but it opens each of them by its path."
                ),
                OPEN_BY_PATH,
                opens_as_is=True,
            )
        yield from folder_gone_fault(
            session,
            FaultEffect.NOT_OPENED,
            tr("omp opens a session by its id only if the folder in its header exists."),
            tr("Or open the session by its file path."),
            opens_as_is=True,
        )

    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        return () if any(fault.cause == "empty" for fault in faults) else ("omp", "--resume", session.log)


def _faults_of_the_place(home: str, path: str) -> Iterator[StoreFault]:
    """Yield why omp does not look at a log when it searches for an id."""
    if os.path.islink(path):
        yield _opened_by_path(
            "link",
            symbolic_link_sentence(path),
            tr("omp does not look for an id in symbolic links. It also accepts the path of any file."),
        )
    if not path.endswith(".jsonl"):
        yield _opened_by_path(
            "misnamed",
            file_name_sentence(path),
            tr(
                "omp looks for an id only in files with names that end in .jsonl. It also accepts the path of any file."
            ),
        )
    if os.path.dirname(path) == os.path.join(home, "sessions"):
        yield _opened_by_path(
            "misplaced",
            tr("{shown} is not in the folder of a project.", shown=shown_path(path)),
            tr("omp looks for an id only in the folders of the projects. It also accepts the path of any file."),
        )


def _opened_by_path(cause: str, measured: str, expected: str) -> StoreFault:
    return StoreFault(cause, FaultEffect.NOT_OPENED, measured, expected, OPEN_BY_PATH, opens_as_is=True)


def _header_problem(path: str) -> str:
    """Return what keeps omp from reading the header, in the words of `first_record_problem`, "" for nothing."""
    if is_empty(path):
        return "empty"
    if _is_header(next(_read_records(path), {})):
        return ""
    if _is_header(json_object(b"{" + first_line(path).partition(b"}{")[2])):
        return "fused"
    return "displaced" if any(map(_is_header, _records(path))) else "missing"


def _is_header(record: dict[str, Any]) -> bool:
    return record.get("type") == HEADER_TYPE and isinstance(record.get("id"), str)


def _read_records(path: str) -> Iterator[dict[str, Any]]:
    """Yield the records at the beginning that omp reads, without a title on line 1."""
    for number, record in enumerate(_records(path)):
        if record and not (number == 0 and record.get("type") == TITLE_TYPE):
            yield record


def _records(path: str) -> Iterator[dict[str, Any]]:
    """Yield the objects with which the first lines begin, {} for a line that begins with none."""
    lines = (line for _, line in zip(range(_SEARCHED_LINES), file_lines(path), strict=False))
    return (json_object(first_value(line.removeprefix(BOM))) for line in lines)
