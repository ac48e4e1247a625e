"""Backups: under a name of their own each, beside what they keep, and where `restore` finds its way back from."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from inspector.core.formats.bases.command_lines import command_line
from inspector.core.save.atomic import write_new
from inspector.core.save.likeness import Likeness

SUFFIX = ".backup"
_NAME = re.compile(rf"(.+){re.escape(SUFFIX)}(?:-\d+)?")


def back_up(original: Path, pieces: Iterable[bytes]) -> Path:
    """Keep the bytes of a file beside it, in a new file that nobody else writes to. Raises CannotWrite."""
    return write_new(original, SUFFIX, pieces, Likeness(original, owner=True))


def discard(kept: Path) -> None:
    """Remove a backup of what was not changed after all."""
    with suppress(OSError):
        kept.unlink(missing_ok=True)


def restore_command(kept: Path) -> str:
    """What a person runs to put a backup back; without quotes where no shell could be given its name."""
    return command_line("transcript-inspector", "restore", str(kept)) or f"restore {kept}"


def original_of(kept: Path) -> Path | None:
    """What a backup is of, by its name; None for a name that is none of a backup."""
    found = _NAME.fullmatch(kept.name)
    return kept.with_name(found[1]) if found else None
