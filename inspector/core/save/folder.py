"""Changed files of a folder: in a copy of it, or where they are."""

from __future__ import annotations

import shutil
from pathlib import Path

from inspector.core.containers.folder import Folder
from inspector.core.errors import CannotWrite, ChangedMeanwhile, InspectorError
from inspector.core.keeper import Changes
from inspector.core.save.atomic import write_whole
from inspector.core.source import stamp_if_there


def copy(folder: Folder, target: Path, changes: Changes) -> None:
    """The files of the log below `target`, an empty folder, with the changes made. Raises CannotWrite."""
    for name in folder.told_by:
        (target / name).mkdir(parents=True, exist_ok=True)
    for name in folder.all_names():
        if name not in changes:
            _copy(folder.path / name, target / name)
            continue
        after = changes[name]
        if after is not None:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(target / name, [after], folder.path / name)


def backup(folder: Folder, target: Path, changes: Changes) -> None:
    """The files that will change, as they are, below `target`. Raises CannotWrite."""
    for name in changes:
        _copy(folder.path / name, target / name)


def apply(folder: Folder, changes: Changes) -> None:
    """Change the files where they lie, each whole or not at all; when one cannot be, those before it are put back.

    Raises CannotWrite, ChangedMeanwhile.
    """
    before: dict[Path, bytes] = {}
    try:
        for name, after in changes.items():
            place = folder.path / name
            if stamp_if_there(place) != folder.stamps[str(place)]:
                raise ChangedMeanwhile(f"{place} has changed since it was read. Close the agent, then open it again.")
            before[place] = place.read_bytes()
            if after is None:
                place.unlink()
            else:
                write_whole(place, [after], place)
    except (InspectorError, OSError) as error:
        for place, data in before.items():
            write_whole(place, [data], place)
        if isinstance(error, OSError):
            raise CannotWrite(f"{folder.path} could not be written: {error.strerror or error}.") from error
        raise


def restore(folder: Folder, kept: Path, changes: Changes) -> None:
    """Put a backup back. Raises CannotWrite."""
    for name in changes:
        _copy(kept / name, folder.path / name)


def _copy(source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
    except OSError as error:
        raise CannotWrite(f"{source} could not be copied to {target}: {error.strerror or error}.") from error
