"""What keeps the members of a log that is many files or rows, and what a repair does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from inspector.core.bytes.source import FileStamp, file_stamp_if_present

if TYPE_CHECKING:
    from pathlib import Path

# By the name of a member: its new bytes, or None when it goes.
MemberChanges: TypeAlias = dict[str, bytes | None]


class MemberContainer:
    """A folder, or a database (`is_file`), at `path`. `stamps` are those of everything that was read of it."""

    is_file = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamps: dict[str, FileStamp | None] = {}

    def remember_stamp(self, path: str | Path) -> None:
        """Remember the state of a file or folder, before it is read."""
        self.stamps[str(path)] = file_stamp_if_present(path)
