"""Backups of saved logs: how they are named, the journal of a folder's backup, and quarantined bytes.

A backup lies next to the original and its name leads back to it. The journal in a folder's backup notes which files a
save in place changes, which is enough to undo it from any point. Bytes that a repair removes because nothing can read
them are kept in a file next to the output.
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
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.repair.edits import QuarantinedBytes
from inspector.core.repair.plan import Plan
from inspector.core.save.atomic import write_atomically, write_under_free_name
from inspector.core.save.file_metadata import MetadataSource, metadata_source_of_log
from inspector.core.storage.json_text import hide_surrogates, map_strings, restore_surrogates
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

BACKUP_SUFFIX = ".backup"
JOURNAL_NAME = ".transcript-inspector.json"
QUARANTINE_SUFFIX = ".quarantine"
_NAME = re.compile(rf"(.+){re.escape(BACKUP_SUFFIX)}(?:-\d+)?")
_HEAD = b"--- "
_PIECE = 1024 * 1024


def file_pieces(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces."""
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def back_up_file(original: Path, pieces: Iterable[bytes]) -> Path:
    """Write `pieces`, the bytes of a file, to a new file next to it and return its path. Raises CannotWrite."""
    return write_under_free_name(original, BACKUP_SUFFIX, pieces, MetadataSource(original, with_owner=True))


def discard_backup(backup: Path) -> None:
    """Remove the backup of a file that was not changed after all."""
    with suppress(OSError):
        backup.unlink(missing_ok=True)


def restore_command(backup: Path) -> str:
    """Return the command that restores a backup, without quotes where no shell can quote its name."""
    return shell_command("transcript-inspector", "restore", str(backup)) or f"restore {backup}"


def original_path(backup: Path) -> Path | None:
    """Return the path of the original that a backup's name leads to, None where the name is not a backup's."""
    match = _NAME.fullmatch(backup.name)
    return backup.with_name(match[1]) if match else None


class FolderBackupJournal(Struct, frozen=True):
    """The folder that a backup belongs to, and the files in it that are changed, as relative paths with `/`.

    `added` are those of them that did not exist. The backup does not hold them, and restoring it removes them.
    """

    store: str
    members: tuple[str, ...]
    added: tuple[str, ...] = ()

    @classmethod
    def read(cls, backup: Path) -> FolderBackupJournal:
        """Read the journal of a backup. Raises UnreadableLog where there is none."""
        try:
            fields = msgspec.json.decode((backup / JOURNAL_NAME).read_bytes())
            journal = msgspec.convert(map_strings(restore_surrogates, fields), cls)
        except (OSError, msgspec.DecodeError) as error:
            raise UnreadableLog(
                tr(
                    "{backup} is not a backup of a folder, because it contains no {journal_name}.",
                    backup=backup,
                    journal_name=JOURNAL_NAME,
                )
            ) from error
        if any(name.startswith("/") or ".." in name.split("/") for name in (*journal.members, *journal.added)):
            raise UnreadableLog(
                tr(
                    "Nothing was restored, because {backup} refers to files outside the folder.",
                    backup=backup / JOURNAL_NAME,
                )
            )
        return journal

    def write(self, backup: Path) -> None:
        """Write the journal into a backup. Raises CannotWrite."""
        encoded = msgspec.json.encode(map_strings(hide_surrogates, msgspec.to_builtins(self)))
        write_atomically(backup / JOURNAL_NAME, [encoded], MetadataSource(Path(self.store)))


@contextmanager
def keep_quarantined_bytes(plan: Plan, target: Path) -> Iterator[str]:
    """Keep the quarantined bytes next to `target` while it is saved, and yield the file's path.

    Yields "" when there are none. The file has an entry for each piece: a line with its place and length, then the
    bytes. A message assembled from several files or rows has an entry for each of them. A file of an earlier save with
    the same content is used again; any other is left alone. When the save fails, the new file is removed. Raises
    CannotWrite.
    """
    quarantined: list[QuarantinedBytes] = plan.draft.quarantined
    if not quarantined:
        yield ""
        return
    source = plan.draft.log.source
    data = b"".join(
        entry for piece in sorted(quarantined, key=lambda piece: piece.offset) for entry in _entries(source, piece)
    )
    place = target.with_name(target.name + QUARANTINE_SUFFIX)
    if _holds(place, data):
        yield str(place)
        return
    new_path = write_under_free_name(target, QUARANTINE_SUFFIX, [data], metadata_source_of_log(source))
    try:
        yield str(new_path)
    except InspectorError:
        with suppress(OSError):
            new_path.unlink()
        raise


def _holds(path: Path, data: bytes) -> bool:
    try:
        if os.path.islink(path) or not path.is_file() or path.stat().st_size != len(data):
            return False
        return path.read_bytes() == data
    except OSError:
        return False


def _entries(source: Source, piece: QuarantinedBytes) -> Iterator[bytes]:
    """Yield the entries of one piece, one for each file or row that it comes from."""
    start, end = piece.offset, piece.offset + len(piece.bytes)
    if isinstance(source, AssembledSource) and source.read(start, end) == piece.bytes:
        for member in source.members_in(start, end):
            yield _entry(member.name, member.stored_bytes(source.read(member.start, member.end)))
    else:
        yield _entry(source.member_containing(start, end) or f"offset {start}", piece.bytes)


def _entry(where: str, kept: bytes) -> bytes:
    head = f"{where}, {len(kept)} bytes\n".encode(errors="backslashreplace")
    return _HEAD + head + kept + b"\n"
