"""Writing a file so that it is there whole or not at all, and never where a link points that nobody named."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path

from msgspec import Struct

from inspector.core.errors import CannotWrite
from inspector.core.leftovers import noted
from inspector.core.source import is_special

_OWN_NAME = 100  # of a log's name, as far as the name of a temporary file begins with it


class Likeness(Struct, frozen=True):
    """Whose mode a new file takes; with `owner` its owner and extended attributes as well, where that is allowed."""

    path: Path
    owner: bool = False


def write_whole(
    target: Path,
    pieces: Iterable[bytes],
    like: Likeness | None = None,
    judge: Callable[[Path], None] | None = None,
    last_look: Callable[[], None] | None = None,
    follow: bool = False,
) -> tuple[str, ...]:
    """Write `pieces` to `target` by way of a temporary file beside it, flushed to disk before it takes the name.

    With `follow`, for a name that the person gave, a link stays and the file that it points to is replaced; without it
    a link is refused. `judge` is called with the temporary file, `last_look` right before the name is taken; when one
    raises, nothing has happened. Raises CannotWrite, and only while nothing has: what goes wrong after that is told in
    the sentences that are returned.
    """
    target = Path(os.path.realpath(target)) if follow else target
    refuse_special(target)
    part = _part_beside(target)
    with noted(part):
        try:
            with part.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                with ThreadPoolExecutor(1) as flusher:
                    # The disk is waited for while the file is read again: both take long for a large log.
                    flushed = flusher.submit(os.fsync, file.fileno())
                    told = _liken(part, like)
                    if judge is not None:
                        judge(part)
                    flushed.result()
            if last_look is not None:
                last_look()
            os.replace(part, target)
        except OSError as error:
            raise CannotWrite(
                f"{target} could not be written: {error.strerror or error}. The file that was there is untouched."
            ) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return (*told, *flush_folder(target.parent))


def _part_beside(target: Path) -> Path:
    """A new empty file beside `target`."""
    prefix = f".{target.name[:_OWN_NAME]}."
    try:
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=".part", dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise CannotWrite(f"Nothing can be written in {target.parent}: {error.strerror or error}.") from error
    return Path(name)


@contextmanager
def staged(folder: Path, texts: Mapping[str, bytes]) -> Iterator[dict[str, Path]]:
    """New bytes of files in a folder, each in a temporary file beside the one whose name and mode it is to take.

    What was not moved away is removed at the end. Raises CannotWrite.
    """
    parts: dict[str, Path] = {}
    with ExitStack() as notes:
        try:
            for name, data in texts.items():
                place = folder / name
                parts[name] = part = _part_beside(place)
                notes.enter_context(noted(part))
                with part.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                _liken(part, Likeness(place, owner=True))
            yield parts
        except OSError as error:
            raise CannotWrite(f"{folder} could not be written: {error.strerror or error}.") from error
        finally:
            for part in parts.values():
                with suppress(OSError):
                    part.unlink(missing_ok=True)


def refuse_special(target: Path) -> None:
    """Raises CannotWrite where a file would take the place of a link, a pipe or a device."""
    if os.path.islink(target):
        raise CannotWrite(f"{target} is a link, and nothing is written through it: choose another name, or remove it.")
    if is_special(target):
        raise CannotWrite(f"{target} is a pipe, a socket or a device: give the name of a file, or - for the output.")


def reserved(path: Path, suffix: str) -> Path:
    """A new empty file named `path` and a suffix, with a number where that name is taken: nobody else gets it.

    Raises CannotWrite.
    """
    for candidate in _names(path, suffix):
        try:
            os.close(os.open(candidate, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        except OSError as error:
            raise CannotWrite(f"Nothing can be written in {path.parent}: {error.strerror or error}.") from error
        return candidate
    raise AssertionError("the numbers have no end")


def reserved_folder(path: Path, suffix: str) -> Path:
    """The same for a folder."""
    for candidate in _names(path, suffix):
        try:
            candidate.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise CannotWrite(f"Nothing can be written in {path.parent}: {error.strerror or error}.") from error
        return candidate
    raise AssertionError("the numbers have no end")


def _names(path: Path, suffix: str) -> Iterable[Path]:
    yield path.with_name(path.name + suffix)
    yield from (path.with_name(f"{path.name}{suffix}-{number}") for number in count(2))


def _liken(part: Path, like: Likeness | None) -> tuple[str, ...]:
    """Give a new file the mode of another one, and what else of it is asked for; what could not be given is told."""
    if like is None or not os.path.exists(like.path):
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        return ()
    told = _own(part, like.path) if like.owner else ()
    shutil.copymode(like.path, part)
    return told


def _own(part: Path, original: Path) -> tuple[str, ...]:
    state, told = original.stat(), []
    if hasattr(os, "chown") and (state.st_uid, state.st_gid) != (part.stat().st_uid, part.stat().st_gid):
        try:
            os.chown(part, state.st_uid, state.st_gid)
        except OSError:
            told.append(f"{original} had another owner or group, which could not be kept.")
    for name in os.listxattr(original) if hasattr(os, "listxattr") else ():
        try:
            os.setxattr(part, name, os.getxattr(original, name))
        except OSError:
            told.append(f"The extended attribute {name} of {original} could not be kept.")
    if state.st_nlink > 1:
        told.append(f"{original} has {state.st_nlink - 1} more names (hard links): they still hold the old log.")
    return tuple(told)


def flush_folder(folder: Path) -> tuple[str, ...]:
    """Make a new name last; where that fails it is told. Windows cannot open folders, and does not need to."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return ()
    try:
        os.fsync(handle)
    except OSError as error:
        return (f"{folder} could not be flushed to disk ({error.strerror or error}): after a power cut look again.",)
    finally:
        os.close(handle)
    return ()
