"""What a save in place does to a folder of files, noted in its backup: enough to undo it from any point."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from inspector.core.bytes.any_text import escape_surrogates, map_strings, unescape_surrogates
from inspector.core.errors import UnreadableLog
from inspector.core.save.atomic import write_atomically
from inspector.core.save.likeness import MetadataSource

JOURNAL_NAME = ".transcript-inspector.json"


class Journal(Struct, frozen=True):
    """The folder that a backup is of, and the files in it that are changed, relative to it with `/`."""

    store: str
    members: tuple[str, ...]

    @classmethod
    def read(cls, backup: Path) -> Journal:
        """The journal of a backup. Raises UnreadableLog where there is none."""
        try:
            noted = msgspec.json.decode((backup / JOURNAL_NAME).read_bytes())
            found = msgspec.convert(map_strings(unescape_surrogates, noted), cls)
        except (OSError, msgspec.DecodeError) as error:
            raise UnreadableLog(f"{backup} is no backup of a folder: it holds no {JOURNAL_NAME}.") from error
        if any(name.startswith("/") or ".." in name.split("/") for name in found.members):
            raise UnreadableLog(f"{backup / JOURNAL_NAME} names files outside of the folder, so nothing was restored.")
        return found

    def write(self, backup: Path) -> None:
        """Raises CannotWrite."""
        noted = msgspec.json.encode(map_strings(escape_surrogates, msgspec.to_builtins(self)))
        write_atomically(backup / JOURNAL_NAME, [noted], MetadataSource(Path(self.store)))
