"""Copy the metadata of the original to a new file: mode, owner and extended attributes."""

import os
import stat
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

from msgspec import Struct

from inspector.core.storage.source import Source
from inspector.core.translation import tr

_READ_OR_WRITE = 0o666


class MetadataSource(Struct, frozen=True):
    """The file whose mode a new file takes, and with `with_owner` its owner and extended attributes where allowed.

    A folder stands for the files in it: a file made of many is as private as the most private of them.
    """

    path: Path
    with_owner: bool = False


def metadata_source_of_log(source: Source, owner: bool = False) -> MetadataSource | None:
    """Return the metadata source for an open log, None for one from standard input."""
    return MetadataSource(Path(source.archive or source.path), owner) if source.path != "-" else None


def copy_metadata(new: Path, like: MetadataSource | None) -> tuple[str, ...]:
    """Copy the metadata of `like` to a new file, and return sentences about what could not be copied.

    A failure leaves the new file more private, never less. Without `like` the mode follows the umask.
    """
    if like is None or not os.path.exists(like.path):
        mask = os.umask(0)
        os.umask(mask)
        return _with_mode(new, _READ_OR_WRITE & ~mask)
    try:
        mode = file_mode(like.path)
        warnings: list[str] = []
        if like.with_owner:
            warnings, mode = _copy_owner_and_attributes(new, like.path, mode)
    except OSError as error:
        return (
            tr(
                "The permissions of {path} could not be read ({strerror}), so only you can read {new}.",
                path=like.path,
                strerror=error.strerror or error,
                new=new,
            ),
        )
    return (*warnings, *_with_mode(new, mode))


def file_mode(path: Path) -> int:
    """Return the mode of a file, or for a folder the mode that all files in it allow. Raises OSError."""
    own = stat.S_IMODE(path.stat().st_mode)
    if not path.is_dir():
        return own
    return reduce(lambda mode, file: mode & file.stat().st_mode, _files(path), own & _READ_OR_WRITE)


def _files(folder: Path) -> Iterator[Path]:
    paths = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    yield from (file for file in paths if file.is_file() and not file.is_symlink())


def _with_mode(new: Path, mode: int) -> tuple[str, ...]:
    try:
        new.chmod(mode)
    except OSError as error:
        return (
            tr(
                "The original permissions could not be preserved ({strerror}), so only you can read the new file.",
                strerror=error.strerror or error,
            ),
        )
    return ()


def _copy_owner_and_attributes(new: Path, original: Path, mode: int) -> tuple[list[str], int]:
    """Copy the owner and the extended attributes.

    Returns sentences about what could not be copied, and the mode that is right after that.
    """
    state, warnings = original.stat(), []
    if hasattr(os, "chown") and (state.st_uid, state.st_gid) != _owner_of(new):
        try:
            os.chown(new, state.st_uid, state.st_gid)
        except OSError:
            warnings.append(tr("The owner or group of {original} could not be preserved.", original=original))
            if _owner_of(new)[1] != state.st_gid:
                # The group that owns it now may do no more than everybody else.
                mode = mode & ~0o070 | (mode & 0o007) << 3
    warnings += _attributes(new, original)
    if state.st_nlink > 1:
        warnings.append(
            tr(
                "{st_nlink} other hard links to {original} still refer to the old log.",
                original=original,
                st_nlink=state.st_nlink - 1,
            )
        )
    return warnings, mode


def _owner_of(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_uid, state.st_gid


def _attributes(new: Path, original: Path) -> Iterator[str]:
    """Copy the extended attributes, and yield a sentence for each that could not be copied."""
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(original)
        there = set(os.listxattr(new)) if names else set()
    except OSError:
        return  # a file system without extended attributes
    for name in names:
        try:
            value = os.getxattr(original, name)
            if name not in there or os.getxattr(new, name) != value:
                os.setxattr(new, name, value)
        except OSError:
            yield tr(
                "The extended attribute {name} of {original} could not be preserved.", name=name, original=original
            )
