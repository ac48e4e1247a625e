"""Putting an original back where it was, out of the backup that a save in place left."""

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.core.bytes.source import begins_with
from inspector.core.errors import InspectorError, UnreadableLog
from inspector.core.save import database
from inspector.core.save.atomic import write_whole
from inspector.core.save.backup import SUFFIX, back_up, discard, original_of
from inspector.core.save.folder import kept_apart, put_back
from inspector.core.save.journal import NAME, Journal
from inspector.core.save.likeness import Likeness
from inspector.core.save.saving import only_saver
from inspector.core.showing.machine_answers import Backup, Restored

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
            try:
                told = write_whole(original, _pieces(kept), Likeness(original, owner=True))
            except InspectorError:
                discard(Path(now))
                raise
    else:
        told = write_whole(original, _pieces(kept), Likeness(kept, owner=True))
    return Restored(str(original), now, told)


def _restore_database(kept: Path, original: Path) -> Restored:
    if not original.exists():
        return Restored(str(original), "", write_whole(original, _pieces(kept), Likeness(kept, owner=True)))
    with only_saver(original):
        now = database.back_up(original)
        database.restore(original, kept)
    return Restored(str(original), str(now))


def _restore_folder(kept: Path) -> Restored:
    journal = Journal.read(kept)
    store = Path(journal.store)
    if not store.is_dir():
        raise UnreadableLog(f"{store}, of which this is a backup, is no longer there.")
    with only_saver(store):
        now = kept_apart(store, list(journal.members))
        put_back(store, kept, list(journal.members))
    return Restored(str(store), str(now))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece
