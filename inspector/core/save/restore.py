"""Putting an original back where it was, out of the backup that a save in place left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from inspector.core.answers import Backup, Restored
from inspector.core.errors import CannotWrite, UnreadableLog
from inspector.core.save import database
from inspector.core.save.atomic import Likeness, reserved, reserved_folder, write_whole
from inspector.core.save.backup import SUFFIX, back_up, original_of
from inspector.core.save.folder import put_back
from inspector.core.save.journal import NAME, Journal
from inspector.core.save.saving import only_saver
from inspector.core.source import begins_with

_SQLITE = b"SQLite format 3\0"
_CHUNK = 1024 * 1024


def backup_at(path: str) -> Backup:
    """The backup at a path, or the one of a folder that a file lies in. Raises UnreadableLog for what is none."""
    kept = Path(path)
    if kept.is_file() and original_of(kept) is None:
        kept = next((folder for folder in kept.parents if (folder / NAME).is_file()), kept)
    if os.path.islink(kept) or not os.path.lexists(kept):
        raise UnreadableLog(f"{kept} is no file or folder: name the backup that a save told of.")
    if kept.is_dir():
        return Backup(str(kept), Journal.read(kept).store)
    original = original_of(kept)
    if original is None:
        raise UnreadableLog(f"{kept} is not named as a backup is (NAME{SUFFIX}), so where it belongs is not known.")
    if not kept.stat().st_size:
        raise UnreadableLog(f"{kept} is empty: nothing can be put back out of it.")
    return Backup(str(kept), str(original))


def restore(backup: str) -> Restored:
    """Put back what a backup is of; what lies in its place is kept first, under a name of its own.

    Raises UnreadableLog for what is no backup, CannotWrite.
    """
    found = backup_at(backup)
    kept, original = Path(found.path), Path(found.original)
    if kept.is_dir():
        return _restore_folder(kept)
    if begins_with(kept, _SQLITE):
        return _restore_database(kept, original)
    return _restore_file(kept, original)


def _restore_file(kept: Path, original: Path) -> Restored:
    now = ""
    if original.exists():
        with only_saver(original):
            now = str(back_up(original, _pieces(original)))
            told = write_whole(original, _pieces(kept), Likeness(original, owner=True))
    else:
        told = write_whole(original, _pieces(kept), Likeness(kept))
    return Restored(str(original), now, told)


def _restore_database(kept: Path, original: Path) -> Restored:
    now = ""
    if original.exists():
        place = reserved(original, SUFFIX)
        database.restore(place, original)
        now = str(place)
    database.restore(original, kept)
    return Restored(str(original), now)


def _restore_folder(kept: Path) -> Restored:
    journal = Journal.read(kept)
    store = Path(journal.store)
    if not store.is_dir():
        raise UnreadableLog(f"{store}, of which this is a backup, is no longer there.")
    with only_saver(store):
        now = reserved_folder(store, SUFFIX)
        there = [name for name in journal.members if (store / name).is_file()]
        try:
            for name in there:
                (now / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(store / name, now / name, follow_symlinks=False)
            Journal(journal.store, tuple(journal.members)).write(now)
        except OSError as error:
            raise CannotWrite(f"{now} could not be written, so nothing was restored: {error.strerror}.") from error
        put_back(store, kept, list(journal.members))
    return Restored(str(store), str(now))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece
