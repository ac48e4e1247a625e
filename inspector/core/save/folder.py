"""Changed files of a folder: in a copy of it, or where they are."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from inspector.core.bytes.members import MemberChanges
from inspector.core.bytes.source import file_stamp_if_present
from inspector.core.containers.folder import ArchivedFolder, FolderContainer
from inspector.core.errors import CannotWrite, ChangedMeanwhile, PartlyWritten
from inspector.core.save.atomic import (
    fsync_folder,
    rename_to_free_name,
    stage_files,
    temporary_beside,
    write_atomically,
)
from inspector.core.save.backup import BACKUP_SUFFIX, restore_command
from inspector.core.save.journal import Journal
from inspector.core.save.likeness import MetadataSource


def copy_folder(folder: FolderContainer, target: Path, changes: MemberChanges) -> None:
    """The files of the log below `target`, an empty folder, with the changes made. Raises CannotWrite."""
    if isinstance(folder, ArchivedFolder):
        changes = {**folder.members, **changes}
    for name in folder.marker_folders:
        _make_folder(folder.path, target, name)
    for name in folder.names_to_copy():
        if name not in changes:
            _copy(folder.path, target, name)
            continue
        after = changes[name]
        if after is not None:
            _make_folder(folder.path, target, name.rpartition("/")[0])
            write_atomically(target / name, [after], MetadataSource(folder.path_of(name)))


def refuse_links(folder: FolderContainer, changes: MemberChanges) -> None:
    """Raises CannotWrite where a part of the log lies behind a link: what it points to is no part of the folder."""
    for name in changes:
        parts = [folder.path / part for part in _parts(name)]
        linked = next((part for part in parts if os.path.islink(part)), None)
        if linked is not None:
            raise CannotWrite(f"{linked} is a link, and nothing is written through it: save a copy instead.")


def _parts(name: str) -> Iterator[str]:
    pieces = name.split("/")
    yield from ("/".join(pieces[:end]) for end in range(1, len(pieces) + 1))


def back_up_changed_files(folder: FolderContainer, changes: MemberChanges) -> Path:
    """The files that will change, as they are, with a journal of what is done to them, in a new folder: its path.

    Raises CannotWrite.
    """
    return back_up_members(folder.path, list(changes))


def back_up_members(store: Path, names: list[str]) -> Path:
    """Those of the named files that are there, in a backup beside their folder. Raises CannotWrite."""
    with temporary_beside(store, is_folder=True) as part:
        for name in names:
            if (store / name).is_file():
                _copy(store, part, name)
        Journal(str(store.absolute()), tuple(names)).write(part)
        try:
            shutil.copymode(store, part)
            return rename_to_free_name(part, store, BACKUP_SUFFIX)
        except OSError as error:
            raise CannotWrite.from_error(error, f"{store}{BACKUP_SUFFIX}") from error


def apply_to_folder(folder: FolderContainer, backup: Path, changes: MemberChanges) -> tuple[str, ...]:
    """Change the files where they lie. All new bytes are on the disk before the first file is touched.

    When one cannot be changed, those before it are put back out of the backup, which needs no room on the disk. What
    could not be kept of them is told. Raises CannotWrite, ChangedMeanwhile.
    """
    with stage_files(folder.path, {name: after for name, after in changes.items() if after is not None}) as (
        parts,
        told,
    ):
        done: list[str] = []
        try:
            for name in changes:
                place = folder.path / name
                if file_stamp_if_present(place) != folder.stamps[str(place)]:
                    raise ChangedMeanwhile.for_path(place)
                done.append(name)
                if name in parts:
                    os.replace(parts[name], place)
                else:
                    place.unlink()
        except (ChangedMeanwhile, OSError) as error:
            restore_members(folder.path, backup, done)
            if isinstance(error, OSError):
                raise CannotWrite.from_error(error, folder.path) from error
            raise
    for place in sorted({(folder.path / name).parent for name in changes}):
        told += fsync_folder(place)
    return tuple(told)


def restore_members(store: Path, backup: Path, names: list[str]) -> None:
    """Give files their old bytes again, by moving them out of the backup.

    Raises HalfDone, with how to go on, when one stays as it is: the backup then still holds it.
    """
    failed: OSError | None = None
    for name in reversed(names):
        try:
            if (backup / name).exists() and not _is_alike(backup / name, store / name):
                os.replace(backup / name, store / name)
        except OSError as error:
            failed = error
    if failed is not None:
        raise PartlyWritten(
            f"{store} could not be put back: {failed.strerror or failed}. Some of its files are changed and others are "
            f"not; {backup} holds the originals. When there is room on the disk, run: {restore_command(backup)}"
        ) from failed


def _is_alike(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _make_folder(store: Path, copy: Path, name: str) -> None:
    """The folder `name` in a copy of the store and those above it, as private as they are there. Raises CannotWrite."""
    for part in _parts(name) if name else ():
        try:
            if not (copy / part).is_dir():
                (copy / part).mkdir(mode=0o700)
                if (store / part).is_dir():
                    shutil.copymode(store / part, copy / part)
        except OSError as error:
            raise CannotWrite(f"{copy / part} could not be made: {error.strerror or error}.") from error


def _copy(store: Path, copy: Path, name: str) -> None:
    """Raises CannotWrite."""
    _make_folder(store, copy, name.rpartition("/")[0])
    source, target = store / name, copy / name
    try:
        shutil.copy2(source, target, follow_symlinks=False)
        with suppress(OSError), target.open("rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise CannotWrite(f"{source} could not be copied to {target}: {error.strerror or error}.") from error
