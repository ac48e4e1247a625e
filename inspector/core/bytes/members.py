"""What keeps the members of a log that is many files or rows, and what a repair does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from inspector.core.bytes.source import Stamp, stamp_if_there

if TYPE_CHECKING:
    from pathlib import Path

# By the name of a member: its new bytes, or None when it goes.
Changes: TypeAlias = dict[str, bytes | None]


class Keeper:
    """A folder, or a database (`is_file`), at `path`. `stamps` are those of everything that was read of it."""

    is_file = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stamps: dict[str, Stamp | None] = {}

    def note(self, path: str | Path) -> None:
        """Remember the state of a file or folder, before it is read."""
        self.stamps[str(path)] = stamp_if_there(path)
