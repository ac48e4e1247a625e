"""What Kimi Code notes of a session beside its log: title and folder.

Facts: Kimi Code 2.1.0, `readMeta`, `recoverCwd` and `normalizeSessionTitle` of its bundle: `state.json` in the folder
of the session or in `session-meta` there; the list shows the title, else the last prompt. A line of
`session_index.jsonl`, at the home of the store, tells a session's folder.
"""

import re
from contextlib import suppress
from pathlib import Path

from inspector.core.formats.base.detection import Head
from inspector.core.formats.base.stores import SessionMetadata, read_json_object
from inspector.core.storage.json_text import parse_json, text_at, value_at

_LOG_PATH = re.compile(r"[/\\]agents[/\\][^/\\]+[/\\]wire\.jsonl$")
_STATE_FILES = ("state.json", "session-meta/state.json")
_LARGEST_INDEX = 4 * 1024 * 1024  # of an index


def stored_metadata(path: str) -> SessionMetadata:
    """Folder and title of the session that the log at `path` belongs to, as far as they are noted beside it."""
    if not _LOG_PATH.search(path):
        return SessionMetadata()
    session = Path(path).parents[2]
    states = (read_json_object(session / name) for name in _STATE_FILES)
    state = next((each for each in states if each), {})
    folder = text_at(state, "/cwd") or text_at(state, "/workDir") or text_at(state, "/custom/cwd")
    title = text_at(state, "/title") or text_at(state, "/customTitle") or text_at(state, "/lastPrompt")
    return SessionMetadata(folder or _indexed_folder(session), title)


def folder_in_head(head: Head) -> str:
    """The folder that the log itself tells of, "" when its head does not."""
    for row in head.lines:
        told = row.get("environmentDisclosure") if row.get("type") == "profile.bind" else row
        if row.get("type") in ("profile.bind", "config.update") and (folder := value_at(told, "/cwd")):
            return str(folder)
    return ""


def _indexed_folder(session: Path) -> str:
    """The folder that the store's index has for a session, by its newest line."""
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
