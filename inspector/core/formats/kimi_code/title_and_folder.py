"""The title and folder that Kimi Code stores for a session outside its log.

Facts: Kimi Code 2.1.0, `readMeta`, `recoverCwd` and `normalizeSessionTitle` of its bundle: `state.json` in the folder
of the session or in `session-meta` there; the list shows the title, else the last prompt. A line of
`session_index.jsonl`, in the store's home folder, names a session's folder.
"""

import re
from contextlib import suppress
from pathlib import Path

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata, read_json_object
from inspector.core.storage.json_text import parse_json, text_at, value_at

_LOG_PATH = re.compile(r"[/\\]agents[/\\][^/\\]+[/\\]wire\.jsonl$")
_STATE_FILES = ("state.json", "session-meta/state.json")
_LARGEST_INDEX = 4 * 1024 * 1024  # bytes


def stored_metadata(path: str) -> SessionMetadata:
    """Return the stored folder and title of the session whose log is at `path`, "" for what is missing."""
    if not _LOG_PATH.search(path):
        return SessionMetadata()
    session = Path(path).parents[2]
    states = (read_json_object(session / name) for name in _STATE_FILES)
    state = next((state for state in states if state), {})
    folder = text_at(state, "/cwd") or text_at(state, "/workDir") or text_at(state, "/custom/cwd")
    title = text_at(state, "/title") or text_at(state, "/customTitle") or text_at(state, "/lastPrompt")
    return SessionMetadata(folder or _indexed_folder(session), title)


def folder_in_head(head: Head) -> str:
    """Return the folder that the log's head names, "" if it names none."""
    for row in head.lines:
        holder = row.get("environmentDisclosure") if row.get("type") == "profile.bind" else row
        if row.get("type") in ("profile.bind", "config.update") and (folder := value_at(holder, "/cwd")):
            return str(folder)
    return ""


def _indexed_folder(session: Path) -> str:
    """Return the folder in the newest line of the store's index about a session, "" if there is none."""
    folder = ""
    with suppress(OSError, IndexError):
        index = session.parents[2] / "session_index.jsonl"
        if index.stat().st_size > _LARGEST_INDEX:
            return ""
        name = session.name.encode()
        for line in index.read_bytes().splitlines():
            if name in line:
                with suppress(ValueError):
                    row = parse_json(line)
                    if text_at(row, "/sessionId") == session.name:
                        folder = text_at(row, "/workDir") or folder
    return folder
