"""Writing a file so that it is there whole or not at all, and never where a link points that nobody named.

Merged; to be rewritten:
`saving`: One saver at a time: two that replace one log at once would each take the other's work for the original.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path

from inspector.core.errors import CannotWrite
from inspector.core.save.file_metadata import MetadataSource, copy_metadata
from inspector.core.storage.source import is_special_file
from inspector.core.storage.temporary import TemporaryPath

_TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR, errno.ENOTDIR)


def write_atomically(
    target: Path,
    pieces: Iterable[bytes],
    metadata: MetadataSource | None = None,
    verify: Callable[[Path], None] | None = None,
    final_check: Callable[[], None] | None = None,
    follow_links: bool = False,
) -> tuple[str, ...]:
    """Write `pieces` to `target` by way of a temporary file beside it, flushed to disk before it takes the name.

    With `follow`, for a name that the person gave, a link stays and the file that it points to is replaced; without it
    a link is refused. `judge` is called with the temporary file, `last_look` right before the name is taken; when one
    raises, nothing has happened. Raises CannotWrite, and only while nothing has: what goes wrong after that is told in
    the sentences that are returned.
    """
    target = Path(os.path.realpath(target)) if follow_links else target
    refuse_special_file(target)
    with temporary_beside(target) as part:
        try:
            told = _fill(part, pieces, metadata, verify)
            if final_check is not None:
                final_check()
            os.replace(part, target)
        except OSError as error:
            raise CannotWrite.from_error(error, target, "The file that was there is untouched.") from error
    return (*told, *fsync_folder(target.parent))


def write_new_file(path: Path, suffix: str, pieces: Iterable[bytes], metadata: MetadataSource | None = None) -> Path:
    """Write `pieces` to a new file named `path` and a suffix, with a number where that name is taken; its name.

    Raises CannotWrite.
    """
    with temporary_beside(path) as part:
        try:
            _fill(part, pieces, metadata, None)
            made = rename_to_free_name(part, path, suffix)
        except OSError as error:
            raise CannotWrite.from_error(error, f"{path}{suffix}") from error
    fsync_folder(made.parent)
    return made


def _fill(
    part: Path, pieces: Iterable[bytes], like: MetadataSource | None, judge: Callable[[Path], None] | None
) -> tuple[str, ...]:
    """Write, flush and judge a temporary file; what of its likeness could not be kept is told. Raises OSError."""
    with part.open("wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        with ThreadPoolExecutor(1) as flusher:
            # The disk is waited for while the file is read again: both take long for a large log.
            flushed = flusher.submit(os.fsync, file.fileno())
            told = copy_metadata(part, like)
            if judge is not None:
                judge(part)
            flushed.result()
    return told


@contextmanager
def temporary_beside(target: Path, is_folder: bool = False) -> Iterator[Path]:
    """A new empty file or folder beside `target`, gone at the end if it is still there. Raises CannotWrite."""
    try:
        made = TemporaryPath(target.absolute().parent, target.name, is_folder)
    except OSError as error:
        raise CannotWrite(f"Nothing can be written in {target.parent}: {error.strerror or error}.") from error
    with made as part:
        yield part


def rename_to_free_name(part: Path, path: Path, suffix: str) -> Path:
    """Give a finished file or folder the name of `path` and a suffix, with a number where that is taken.

    Whoever has the name keeps it, also one who takes it at this very moment. Raises OSError.
    """
    for number in count(1):
        candidate = path.with_name(f"{path.name}{suffix}{f'-{number}' if number > 1 else ''}")
        if os.path.lexists(candidate):
            continue
        try:
            _move_to_free(part, candidate)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
            continue
        return candidate
    raise AssertionError("the numbers have no end")


def _move_to_free(part: Path, candidate: Path) -> None:
    """Raises OSError, of which `_TAKEN` says that somebody has the name."""
    if part.is_dir() or sys.platform == "win32":
        os.rename(part, candidate)
        return
    try:
        os.link(part, candidate)  # a second name is given only where there is none; the first one goes with the rest
    except OSError as error:
        if error.errno in _TAKEN:
            raise
        # No file has two names on this file system.
        os.close(os.open(candidate, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            os.replace(part, candidate)
        except OSError:
            with suppress(OSError):
                candidate.unlink()
            raise


@contextmanager
def stage_files(folder: Path, texts: Mapping[str, bytes]) -> Iterator[tuple[dict[str, Path], list[str]]]:
    """New bytes of files in a folder, each in a temporary file beside the one whose name and mode it is to take.

    With them comes what could not be kept of the files. What was not moved away is removed at the end. Raises
    CannotWrite.
    """
    parts: dict[str, Path] = {}
    told: list[str] = []
    with ExitStack() as stack:
        try:
            for name, data in texts.items():
                place = folder / name
                parts[name] = part = stack.enter_context(temporary_beside(place))
                with part.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                told += copy_metadata(part, MetadataSource(place, with_owner=True))
            yield parts, told
        except OSError as error:
            raise CannotWrite.from_error(error, folder) from error


def refuse_special_file(target: Path) -> None:
    """Raises CannotWrite where a file would take the place of a link, a pipe or a device."""
    if os.path.islink(target):
        raise CannotWrite(f"{target} is a link, and nothing is written through it: choose another name, or remove it.")
    if is_special_file(target):
        raise CannotWrite(f"{target} is a pipe, a socket or a device: give the name of a file, or - for the output.")


def fsync_folder(folder: Path) -> tuple[str, ...]:
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
        with suppress(OSError):
            os.close(handle)
    return ()


# One saver at a time: two that replace one log at once would each take the other's work for the original.

if sys.platform != "win32":
    import fcntl


@contextmanager
def exclusive_save(path: Path) -> Iterator[None]:
    """Hold the log (a file or a folder) while it is saved in place. Raises CannotWrite when another saver holds it.

    The hold ends with the process, whatever becomes of it.
    """
    if sys.platform == "win32":  # a file that is open is not replaced there
        yield
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be opened: {error.strerror or error}.") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CannotWrite(f"{path} is being saved by another run: wait for it, then open the log again.") from error
        except OSError:
            pass  # a file system without locks: the stamps are looked at all the same
        yield
    finally:
        os.close(handle)
