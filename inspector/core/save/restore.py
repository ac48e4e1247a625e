"""Putting an original back where it was, out of the backup that a save in place left."""

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.core.errors import InspectorError, UnreadableLog
from inspector.core.presentation.results import Backup, RestoreResult
from inspector.core.save import database
from inspector.core.save.atomic import exclusive_save, write_atomically
from inspector.core.save.backup import BACKUP_SUFFIX, JOURNAL_NAME, Journal, back_up_file, discard_backup, original_path
from inspector.core.save.file_metadata import MetadataSource
from inspector.core.save.multi_file import back_up_members, restore_members
from inspector.core.storage.source import file_starts_with

_SQLITE = b"SQLite format 3\0"
_CHUNK = 1024 * 1024


def backup_at(path: str) -> Backup:
    """The backup at a path, or the one of a folder that a file lies in. Raises UnreadableLog for what is none."""
    kept = Path(path)
    if kept.is_file() and original_path(kept) is None:
        kept = next((folder for folder in kept.parents if (folder / JOURNAL_NAME).is_file()), kept)
    if os.path.islink(kept) or not os.path.lexists(kept):
        raise UnreadableLog(f"{kept} is no file or folder: name the backup that a save told of.")
    if kept.is_dir():
        return Backup(str(kept), Journal.read(kept).store)
    original = original_path(kept)
    if original is None:
        raise UnreadableLog(
            f"{kept} is not named as a backup is (NAME{BACKUP_SUFFIX}), so where it belongs is not known."
        )
    if not kept.stat().st_size:
        raise UnreadableLog(f"{kept} is empty: nothing can be put back out of it.")
    return Backup(str(kept), str(original))


def restore(backup: str) -> RestoreResult:
    """Put back what a backup is of; what lies in its place is kept first, under a name of its own.

    Raises UnreadableLog for what is no backup, CannotWrite.
    """
    found = backup_at(backup)
    kept, original = Path(found.path), Path(found.original)
    if kept.is_dir():
        return _restore_folder(kept)
    if file_starts_with(kept, _SQLITE):
        return _restore_database(kept, original)
    return _restore_file(kept, original)


def _restore_file(kept: Path, original: Path) -> RestoreResult:
    now = ""
    if original.exists():
        with exclusive_save(original):
            now = str(back_up_file(original, _pieces(original)))
            try:
                told = write_atomically(original, _pieces(kept), MetadataSource(original, with_owner=True))
            except InspectorError:
                discard_backup(Path(now))
                raise
    else:
        told = write_atomically(original, _pieces(kept), MetadataSource(kept, with_owner=True))
    return RestoreResult(str(original), now, told)


def _restore_database(kept: Path, original: Path) -> RestoreResult:
    if not original.exists():
        return RestoreResult(
            str(original), "", write_atomically(original, _pieces(kept), MetadataSource(kept, with_owner=True))
        )
    with exclusive_save(original):
        now = database.back_up_database(original)
        database.restore_database(original, kept)
    return RestoreResult(str(original), str(now))


def _restore_folder(kept: Path) -> RestoreResult:
    journal = Journal.read(kept)
    store = Path(journal.store)
    if not store.is_dir():
        raise UnreadableLog(f"{store}, of which this is a backup, is no longer there.")
    with exclusive_save(store):
        now = back_up_members(store, list(journal.members))
        restore_members(store, kept, list(journal.members))
    return RestoreResult(str(store), str(now))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece
