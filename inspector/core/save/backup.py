"""Backups: under a name of their own each, beside what they keep, and where `restore` finds its way back from.

Merged; to be rewritten:
`journal`: What a save in place does to a folder of files, noted in its backup: enough to undo it from any point.
`aside`: The bytes that a repair takes out of a log because nothing can read them, kept in a file beside the output.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from inspector.core.errors import InspectorError, UnreadableLog
from inspector.core.formats.base.shell_commands import shell_command
from inspector.core.repair.edits import QuarantinedBytes
from inspector.core.repair.plan import Plan
from inspector.core.save.atomic import write_atomically, write_new_file
from inspector.core.save.file_metadata import MetadataSource, metadata_source
from inspector.core.storage.json_text import escape_surrogates, map_strings, unescape_surrogates
from inspector.core.storage.source import Source
from inspector.core.storage.temporary import AssembledSource

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
    return shell_command("transcript-inspector", "restore", str(backup)) or f"restore {backup}"


def original_path(backup: Path) -> Path | None:
    """What a backup is of, by its name; None for a name that is none of a backup."""
    found = _NAME.fullmatch(backup.name)
    return backup.with_name(found[1]) if found else None


# What a save in place does to a folder of files, noted in its backup: enough to undo it from any point.

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


# The bytes that a repair takes out of a log because nothing can read them, kept in a file beside the output.

QUARANTINE_SUFFIX = ".quarantine"
_HEAD = b"--- "


@contextmanager
def quarantine_beside(plan: Plan, target: Path) -> Iterator[str]:
    """Keep them beside `target` while it is saved: the name of the file, "" when there are none.

    The file holds for each a line with place and length, then the very bytes: of a message that was put together those
    of each of its files or rows. One of an earlier save that holds the
    same serves again, any other is left alone. When the save comes to nothing, a new one goes. Raises CannotWrite.
    """
    found: list[QuarantinedBytes] = plan.draft.quarantined
    if not found:
        yield ""
        return
    source = plan.draft.log.source
    data = b"".join(entry for each in sorted(found, key=lambda each: each.offset) for entry in _entries(source, each))
    place = target.with_name(target.name + QUARANTINE_SUFFIX)
    if _holds(place, data):
        yield str(place)
        return
    made = write_new_file(target, QUARANTINE_SUFFIX, [data], metadata_source(source))
    try:
        yield str(made)
    except InspectorError:
        with suppress(OSError):
            made.unlink()
        raise


def _holds(place: Path, data: bytes) -> bool:
    try:
        if os.path.islink(place) or not place.is_file() or place.stat().st_size != len(data):
            return False
        return place.read_bytes() == data
    except OSError:
        return False


def _entries(source: Source, each: QuarantinedBytes) -> Iterator[bytes]:
    start, end = each.offset, each.offset + len(each.bytes)
    if isinstance(source, AssembledSource) and source.read(start, end) == each.bytes:
        for member in source.members_in(start, end):
            yield _entry(member.name, member.stored_bytes(source.read(member.start, member.end)))
    else:
        yield _entry(source.member_containing(start, end) or f"offset {start}", each.bytes)


def _entry(where: str, kept: bytes) -> bytes:
    head = f"{where}, {len(kept)} bytes\n".encode(errors="backslashreplace")
    return _HEAD + head + kept + b"\n"
