"""Restore an original from the backup that a save in place left."""

import os
from pathlib import Path

from inspector.core.errors import InspectorError, UnreadableLog
from inspector.core.presentation.engine_results import Backup, RestoreResult
from inspector.core.save import database
from inspector.core.save.atomic import lock_for_saving, write_atomically
from inspector.core.save.backup import (
    BACKUP_SUFFIX,
    JOURNAL_NAME,
    FolderBackupJournal,
    back_up_file,
    discard_backup,
    file_pieces,
    original_path,
)
from inspector.core.save.file_metadata import MetadataSource
from inspector.core.save.multi_member import back_up_members, restore_members
from inspector.core.storage.source import file_starts_with
from inspector.core.translation import tr

_SQLITE = b"SQLite format 3\0"


def backup_at(path: str) -> Backup:
    """Return the backup at a path, or the backup of a folder that contains the path.

    Raises UnreadableLog for a path that is not a backup.
    """
    kept = Path(path)
    if kept.is_file() and original_path(kept) is None:
        kept = next((folder for folder in kept.parents if (folder / JOURNAL_NAME).is_file()), kept)
    if os.path.islink(kept) or not os.path.lexists(kept):
        raise UnreadableLog(
            tr(
                "{kept} is not a file or folder. Specify the path of a backup. The path is displayed after each save.",
                kept=kept,
            )
        )
    if kept.is_dir():
        return Backup(str(kept), FolderBackupJournal.read(kept).store)
    original = original_path(kept)
    if original is None:
        raise UnreadableLog(
            tr(
                "{kept} is not named like a backup (NAME{backup_suffix}), so the original path is unknown.",
                kept=kept,
                backup_suffix=BACKUP_SUFFIX,
            )
        )
    if not kept.stat().st_size:
        raise UnreadableLog(tr("{kept} is empty, so nothing can be restored.", kept=kept))
    return Backup(str(kept), str(original))


def restore(backup: str) -> RestoreResult:
    """Restore the original of a backup. The current file or folder is first kept in a backup of its own.

    Raises UnreadableLog for what is not a backup, and CannotWrite.
    """
    found_backup = backup_at(backup)
    backup_path, original = Path(found_backup.path), Path(found_backup.original)
    if backup_path.is_dir():
        return _restore_folder(backup_path)
    if file_starts_with(backup_path, _SQLITE):
        return _restore_database(backup_path, original)
    return _restore_file(backup_path, original)


def _restore_file(backup: Path, original: Path) -> RestoreResult:
    new_backup = ""
    if original.exists():
        with lock_for_saving(original):
            new_backup = str(back_up_file(original, file_pieces(original)))
            try:
                warnings = write_atomically(original, file_pieces(backup), MetadataSource(original, with_owner=True))
            except InspectorError:
                discard_backup(Path(new_backup))
                raise
    else:
        warnings = write_atomically(original, file_pieces(backup), MetadataSource(backup, with_owner=True))
    return RestoreResult(str(original), new_backup, warnings)


def _restore_database(backup: Path, original: Path) -> RestoreResult:
    if not original.exists():
        return RestoreResult(
            str(original), "", write_atomically(original, file_pieces(backup), MetadataSource(backup, with_owner=True))
        )
    with lock_for_saving(original):
        new_backup = database.back_up_database(original)
        database.restore_database(original, backup)
    return RestoreResult(str(original), str(new_backup))


def _restore_folder(backup: Path) -> RestoreResult:
    journal = FolderBackupJournal.read(backup)
    store = Path(journal.store)
    if not store.is_dir():
        raise UnreadableLog(tr("This is a backup of {store}, which no longer exists.", store=store))
    with lock_for_saving(store):
        new_backup = back_up_members(store, list(journal.members))
        restore_members(store, backup, list(journal.members))
    return RestoreResult(str(store), str(new_backup))
