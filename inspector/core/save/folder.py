"""Changed files of a folder: in a copy of it, or where they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from inspector.core.containers.folder import Folder
from inspector.core.errors import CannotWrite, ChangedMeanwhile, HalfDone
from inspector.core.keeper import Changes
from inspector.core.save.atomic import Likeness, flush_folder, staged, write_whole
from inspector.core.save.journal import Journal
from inspector.core.source import stamp_if_there


def copy(folder: Folder, target: Path, changes: Changes) -> None:
    """The files of the log below `target`, an empty folder, with the changes made. Raises CannotWrite."""
    for name in folder.told_by:
        _make(target / name)
    for name in folder.all_names():
        if name not in changes:
            _copy(folder.path / name, target / name)
            continue
        after = changes[name]
        if after is not None:
            _make((target / name).parent)
            write_whole(target / name, [after], Likeness(folder.path / name))


def refuse_links(folder: Folder, changes: Changes) -> None:
    """Raises CannotWrite where a part of the log lies behind a link: what it points to is no part of the folder."""
    for name in changes:
        parts = [folder.path / part for part in _parts(name)]
        linked = next((part for part in parts if os.path.islink(part)), None)
        if linked is not None:
            raise CannotWrite(f"{linked} is a link, and nothing is written through it: save a copy instead.")


def _parts(name: str) -> Iterator[str]:
    pieces = name.split("/")
    yield from ("/".join(pieces[:end]) for end in range(1, len(pieces) + 1))


def back_up(folder: Folder, kept: Path, changes: Changes) -> None:
    """The files that will change, as they are, below `kept`, with a journal of what is done to them.

    Raises CannotWrite.
    """
    for name in changes:
        _copy(folder.path / name, kept / name)
    Journal.of(folder.path, changes).write(kept)


def apply(folder: Folder, kept: Path, changes: Changes) -> None:
    """Change the files where they lie. All new bytes are on the disk before the first file is touched.

    When one cannot be changed, those before it are put back out of the backup, which needs no room on the disk.
    Raises CannotWrite, ChangedMeanwhile.
    """
    with staged(folder.path, {name: after for name, after in changes.items() if after is not None}) as parts:
        done: list[str] = []
        try:
            for name in changes:
                place = folder.path / name
                if stamp_if_there(place) != folder.stamps[str(place)]:
                    raise ChangedMeanwhile(
                        f"{place} has changed since it was read. Close the agent, then open it again."
                    )
                done.append(name)
                if name in parts:
                    os.replace(parts[name], place)
                else:
                    place.unlink()
        except (ChangedMeanwhile, OSError) as error:
            put_back(folder.path, kept, done)
            if isinstance(error, OSError):
                raise CannotWrite(f"{folder.path} could not be written: {error.strerror or error}.") from error
            raise
    for place in {(folder.path / name).parent for name in changes}:
        flush_folder(place)


def put_back(store: Path, kept: Path, names: list[str]) -> None:
    """Give files their old bytes again, by moving them out of the backup.

    Raises HalfDone, with how to go on, when one stays as it is: the backup then still holds it.
    """
    failed: OSError | None = None
    for name in reversed(names):
        try:
            if (kept / name).exists() and not _is_alike(kept / name, store / name):
                os.replace(kept / name, store / name)
        except OSError as error:
            failed = error
    if failed is not None:
        raise HalfDone(
            f"{store} could not be put back: {failed.strerror or failed}. Some of its files are changed and others are "
            f"not; {kept} holds the originals. When there is room on the disk, run: transcript-inspector restore {kept}"
        ) from failed


def _is_alike(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{folder} could not be made: {error.strerror or error}.") from error


def _copy(source: Path, target: Path) -> None:
    _make(target.parent)
    try:
        shutil.copy2(source, target, follow_symlinks=False)
        with suppress(OSError), target.open("rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise CannotWrite(f"{source} could not be copied to {target}: {error.strerror or error}.") from error
