"""Where opencode keeps its sessions: folders of JSON files, or tables of a database, told by their names alone."""

import os
from pathlib import Path

from msgspec import Struct

from inspector.core.bytes.source import begins_with

MAGIC = b"SQLite format 3\0"
_TABLES = {
    "session": {"id", "title", "directory"},
    "message": {"id", "session_id", "time_created", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}


class Layout(Struct, frozen=True):
    """Where a folder keeps its sessions, messages and parts; `root` is the folder, `only` the one session asked for."""

    root: Path
    sessions: str
    messages: str
    parts: str
    nested: bool = False
    only: str = ""


def layout_of(path: Path) -> Layout | None:
    """The store in a folder, or the one that a session's file lies in; None for anything else."""
    if os.path.isdir(path):
        return _folder(path, "")
    if path.suffix != ".json" or not os.path.isfile(path):
        return None
    if path.parent.name == "info" and path.parent.parent.name == "session":
        return _folder(path.parents[2], path.name)
    if path.parent.parent.name == "session":
        return _folder(path.parents[2], f"{path.parent.name}/{path.name}")
    return None


def _folder(root: Path, only: str) -> Layout | None:
    if os.path.isdir(root / "session" / "info") and os.path.isdir(root / "session" / "message"):
        return Layout(root, "session/info", "session/message", "session/part", True, only)
    if os.path.isdir(root / "session") and os.path.isdir(root / "message"):
        return Layout(root, "session", "message", "part", False, only)
    return None


def is_database(path: Path) -> bool:
    """Whether the file at `path` is a database with opencode's tables."""
    if not begins_with(path, MAGIC):
        return False
    from inspector.core.containers.sqlite import columns_of  # noqa: PLC0415 - a check of a file needs no database

    found = columns_of(path)
    return all(wanted <= found.get(table, set()) for table, wanted in _TABLES.items())
