"""Where opencode keeps its sessions: folders of JSON files, or tables of a database, told by their names alone."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from inspector.core.storage.source import file_starts_with

SQLITE_MAGIC = b"SQLite format 3\0"
_TABLES = {
    "session": {"id", "title", "directory"},
    "message": {"id", "session_id", "time_created", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}


class StoreLayout(Struct, frozen=True):
    """Where a folder keeps its sessions, messages and parts; `root` is the folder, `only` the one session asked for."""

    root: Path
    sessions: str
    messages: str
    parts: str
    nested: bool = False
    only: str = ""


def layout_of(path: Path) -> StoreLayout | None:
    """The store in a folder, or the one that a session's file lies in; None for anything else."""
    if os.path.isdir(path):
        return _folder_layout(path, "")
    if path.suffix != ".json" or not os.path.isfile(path):
        return None
    if path.parent.name == "info" and path.parent.parent.name == "session":
        return _folder_layout(path.parents[2], path.name)
    if path.parent.parent.name == "session":
        return _folder_layout(path.parents[2], f"{path.parent.name}/{path.name}")
    return None


def _folder_layout(root: Path, only: str) -> StoreLayout | None:
    if os.path.isdir(root / "session" / "info") and os.path.isdir(root / "session" / "message"):
        return StoreLayout(root, "session/info", "session/message", "session/part", True, only)
    if os.path.isdir(root / "session") and os.path.isdir(root / "message"):
        return StoreLayout(root, "session", "message", "part", False, only)
    return None


def is_database(path: Path) -> bool:
    """Whether the file at `path` is a database with opencode's tables."""
    if not file_starts_with(path, SQLITE_MAGIC):
        return False
    from inspector.core.storage.sqlite import table_columns  # noqa: PLC0415 - a check of a file needs no database

    return _has_tables(table_columns(path))


_PART = re.compile(r"(?:(.*)/)?(session|message|part|project|todo|permission|session_\w+)/.*\.json", re.DOTALL)


def is_packed_part(name: str, data: bytes) -> bool:
    """Whether a member of an archive can be a file of a store, or is a database."""
    return _PART.fullmatch(name) is not None or data.startswith(SQLITE_MAGIC)


def packed_layouts(archive: str, names: Iterable[str]) -> Iterator[tuple[str, StoreLayout]]:
    """The folders of an archive that are stores, each by its name there."""
    has: dict[str, set[str]] = {}
    for name in names:
        if found := _PART.fullmatch(name):
            has.setdefault(found[1] or "", set()).update((found[2], "/".join(name.split("/")[-3:-1])))
    for root in sorted(has):
        place, within = Path(archive, root), has.get(f"{root}/session" if root else "session", set())
        if "session/info" in has[root] and "message" in within:
            yield root, StoreLayout(place, "session/info", "session/message", "session/part", True)
        elif {"session", "message"} <= has[root]:
            yield root, StoreLayout(place, "session", "message", "part")


def is_packed_database(data: bytes) -> bool:
    """Whether it is a database with opencode's tables."""
    if not data.startswith(SQLITE_MAGIC):
        return False
    from inspector.core.storage.sqlite import table_columns_in_memory  # noqa: PLC0415 - as above

    return _has_tables(table_columns_in_memory(data))


def _has_tables(found: dict[str, set[str]]) -> bool:
    return all(wanted <= found.get(table, set()) for table, wanted in _TABLES.items())
