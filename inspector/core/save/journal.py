"""What a save in place does to a folder of files, noted in its backup: enough to undo it from any point."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from inspector.core.bytes.any_text import escaped, in_each_text, unescaped
from inspector.core.errors import UnreadableLog
from inspector.core.save.atomic import write_whole
from inspector.core.save.likeness import Likeness

NAME = ".transcript-inspector.json"


class Journal(Struct, frozen=True):
    """The folder that a backup is of, and the files in it that are changed, relative to it with `/`."""

    store: str
    members: tuple[str, ...]

    @classmethod
    def read(cls, kept: Path) -> Journal:
        """The journal of a backup. Raises UnreadableLog where there is none."""
        try:
            noted = msgspec.json.decode((kept / NAME).read_bytes())
            found = msgspec.convert(in_each_text(unescaped, noted), cls)
        except (OSError, msgspec.DecodeError) as error:
            raise UnreadableLog(f"{kept} is no backup of a folder: it holds no {NAME}.") from error
        if any(name.startswith("/") or ".." in name.split("/") for name in found.members):
            raise UnreadableLog(f"{kept / NAME} names files outside of the folder, so nothing was restored.")
        return found

    def write(self, kept: Path) -> None:
        """Raises CannotWrite."""
        noted = msgspec.json.encode(in_each_text(escaped, msgspec.to_builtins(self)))
        write_whole(kept / NAME, [noted], Likeness(Path(self.store)))
