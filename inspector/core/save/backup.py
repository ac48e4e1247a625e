"""Backups: under a name of their own each, beside what they keep, and where `restore` finds its way back from."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from inspector.core.formats.bases.command_lines import command_line
from inspector.core.save.atomic import write_new_file
from inspector.core.save.likeness import MetadataSource

BACKUP_SUFFIX = ".backup"
_NAME = re.compile(rf"(.+){re.escape(BACKUP_SUFFIX)}(?:-\d+)?")


def back_up_file(original: Path, pieces: Iterable[bytes]) -> Path:
    """Keep the bytes of a file beside it, in a new file that nobody else writes to. Raises CannotWrite."""
    return write_new_file(original, BACKUP_SUFFIX, pieces, MetadataSource(original, with_owner=True))


def discard_backup(backup: Path) -> None:
    """Remove a backup of what was not changed after all."""
    with suppress(OSError):
        backup.unlink(missing_ok=True)


def restore_command(backup: Path) -> str:
    """What a person runs to put a backup back; without quotes where no shell could be given its name."""
    return command_line("transcript-inspector", "restore", str(backup)) or f"restore {backup}"


def original_path(backup: Path) -> Path | None:
    """What a backup is of, by its name; None for a name that is none of a backup."""
    found = _NAME.fullmatch(backup.name)
    return backup.with_name(found[1]) if found else None
