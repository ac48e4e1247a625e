"""The layouts of opencode's stores, recognized by names alone: folders of JSON files, or tables of a database."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from inspector.core.formats.base.databases import SQLITE_MAGIC
from inspector.core.lazy import lazy_regex

TABLES = {
    "session": {"id", "title", "directory"},
    "message": {"id", "session_id", "time_created", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}


class StoreLayout(Struct, frozen=True):
    """The places of sessions, messages and parts in the folder `root`. `only` is the one session to read, else ""."""

    root: Path
    sessions: str
    messages: str
    parts: str
    nested: bool = False
    only: str = ""


def layout_of(path: Path) -> StoreLayout | None:
    """Return the store in a folder, or the store that holds a session's file; None for anything else."""
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


_PART = lazy_regex(r"(?:(.*)/)?(session|message|part|project|todo|permission|session_\w+)/.*\.json", re.DOTALL)


def is_store_member_of_archive(name: str, data: bytes) -> bool:
    """Return whether a member of an archive can be a file of a store, or is a database."""
    return _PART.fullmatch(name) is not None or data.startswith(SQLITE_MAGIC)


def layouts_in_archive(archive: str, names: Iterable[str]) -> Iterator[tuple[str, StoreLayout]]:
    """Yield the folders of an archive that are stores, each with its name there."""
    subfolders: dict[str, set[str]] = {}
    for name in names:
        if match := _PART.fullmatch(name):
            subfolders.setdefault(match[1] or "", set()).update((match[2], "/".join(name.split("/")[-3:-1])))
    for root in sorted(subfolders):
        path, nested = Path(archive, root), subfolders.get(f"{root}/session" if root else "session", set())
        if "session/info" in subfolders[root] and "message" in nested:
            yield root, StoreLayout(path, "session/info", "session/message", "session/part", True)
        elif {"session", "message"} <= subfolders[root]:
            yield root, StoreLayout(path, "session", "message", "part")
