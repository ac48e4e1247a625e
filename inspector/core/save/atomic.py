"""Write files atomically: a file is there whole or not at all, and a link is never followed unasked.

A lock lets one saver at a time replace a log. Two savers of the same log would each take the other's work for the
original.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias

from inspector.core.errors import CannotWrite
from inspector.core.save.file_metadata import MetadataSource, copy_metadata
from inspector.core.storage.source import is_special_file
from inspector.core.storage.temporary_files import TemporaryPath
from inspector.core.translation import tr

if sys.platform != "win32":
    import fcntl

LateMetadataSource: TypeAlias = Callable[[], MetadataSource | None]
"""Returns the metadata source when the whole file is written."""
_TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.EISDIR, errno.ENOTDIR)


@contextmanager
def lock_for_saving(path: Path) -> Iterator[None]:
    """Lock the log (a file or a folder) while it is saved in place.

    The lock ends with the process, however the process ends. Raises CannotWrite when another saver holds it.
    """
    if sys.platform == "win32":  # Windows does not replace an open file
        yield
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise CannotWrite(
            tr("{path} cannot be opened: {strerror}.", path=path, strerror=error.strerror or error)
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CannotWrite(
                tr(
                    "{path} is being saved by another process. Wait for it to finish, then open the log again.",
                    path=path,
                )
            ) from error
        except OSError:
            pass  # a file system without locks: the stamps are compared all the same
        yield
    finally:
        with suppress(OSError):  # Nothing was written through this handle.
            os.close(handle)


def write_atomically(
    target: Path,
    pieces: Iterable[bytes],
    metadata: MetadataSource | LateMetadataSource | None = None,
    verify: Callable[[Path], None] | None = None,
    final_check: Callable[[], None] | None = None,
    follow_links: bool = False,
) -> tuple[str, ...]:
    """Write `pieces` to a temporary file next to `target`, flush it to disk, and let it take the name of `target`.

    With `follow_links`, for a name that the person gave, a link stays and the file that it points to is replaced.
    Without it a link is refused. `verify` is called with the temporary file, and `final_check` right before the name is
    taken. When one of them raises, nothing has been changed.

    Returns sentences about what went wrong after the name was taken, and about metadata that could not be kept. Raises
    CannotWrite, only while nothing has been changed.
    """
    target = Path(os.path.realpath(target)) if follow_links else target
    refuse_special_file(target)
    untouched = tr("The existing file was not changed.") if os.path.lexists(target) else ""
    with temporary_beside(target) as part:
        try:
            warnings = _fill(part, pieces, metadata, verify)
            if final_check is not None:
                final_check()
            os.replace(part, target)
        except OSError as error:
            raise CannotWrite.from_error(error, target, untouched) from error
    return (*warnings, *fsync_folder(target.parent))


def write_under_free_name(
    path: Path, suffix: str, pieces: Iterable[bytes], metadata: MetadataSource | None = None
) -> Path:
    """Write `pieces` to a new file and return its path.

    The file is named `path` plus `suffix`, and a number where that name is taken. Raises CannotWrite.
    """
    with temporary_beside(path) as part:
        try:
            _fill(part, pieces, metadata, None)
            new_path = rename_to_free_name(part, path, suffix)
        except OSError as error:
            raise CannotWrite.from_error(error, f"{path}{suffix}") from error
    fsync_folder(new_path.parent)
    return new_path


def _fill(
    part: Path,
    pieces: Iterable[bytes],
    metadata: MetadataSource | LateMetadataSource | None,
    verify: Callable[[Path], None] | None,
) -> tuple[str, ...]:
    """Write, flush and verify a temporary file.

    Returns sentences about metadata that could not be kept. Raises OSError.
    """
    with part.open("wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        with ThreadPoolExecutor(1) as flusher:
            # Flush while the file is read again: both take long for a large log.
            flushed = flusher.submit(os.fsync, file.fileno())
            warnings = copy_metadata(part, metadata() if callable(metadata) else metadata)
            if verify is not None:
                verify(part)
            flushed.result()
    return warnings


@contextmanager
def temporary_beside(target: Path, is_folder: bool = False) -> Iterator[Path]:
    """Yield a new empty file or folder next to `target`, and remove it at the end if it is still there.

    Raises CannotWrite.
    """
    try:
        made = TemporaryPath(target.absolute().parent, target.name, is_folder)
    except OSError as error:
        raise CannotWrite(
            tr(
                "Cannot write to {parent}: {strerror}.",
                parent=target.parent,
                strerror=error.strerror or error,
            )
        ) from error
    with made as part:
        yield part


def rename_to_free_name(part: Path, path: Path, suffix: str) -> Path:
    """Rename a finished file or folder to `path` plus `suffix`, with a number where that name is taken.

    A file that has the name keeps it, even one that takes it at this very moment. Returns the new path. Raises OSError.
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
    raise AssertionError(tr("no unused number is left for the file name"))


def _move_to_free(part: Path, candidate: Path) -> None:
    """Rename `part` to `candidate` unless that name is taken.

    Raises OSError. An errno in `_TAKEN` means that the name is taken.
    """
    if part.is_dir() or sys.platform == "win32":
        os.rename(part, candidate)
        return
    try:
        os.link(part, candidate)  # a link never replaces a file; the first name is removed at the end
    except OSError as error:
        if error.errno in _TAKEN:
            raise
        # This file system has no hard links.
        os.close(os.open(candidate, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            os.replace(part, candidate)
        except OSError:
            with suppress(OSError):
                candidate.unlink()
            raise


@contextmanager
def stage_files(
    folder: Path, texts: Mapping[str, bytes], file_like: Callable[[str], Path]
) -> Iterator[tuple[dict[str, Path], list[str]]]:
    """Yield the temporary files that hold new bytes of files in a folder, by name, and metadata warnings.

    Each temporary file lies next to the file whose name it is to take, and has the mode and owner of the file that
    `file_like` returns. The warnings are sentences about metadata that could not be kept. Temporary files that were not
    moved away are removed at the end. Raises CannotWrite.
    """
    parts: dict[str, Path] = {}
    warnings: list[str] = []
    with ExitStack() as stack:
        try:
            for name, data in texts.items():
                parts[name] = part = stack.enter_context(temporary_beside(folder / name))
                with part.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                warnings += copy_metadata(part, MetadataSource(file_like(name), with_owner=True))
            yield parts, warnings
        except OSError as error:
            raise CannotWrite.from_error(error, folder) from error


def refuse_special_file(target: Path) -> None:
    """Raise CannotWrite where a file would take the place of a link, a pipe, a socket or a device."""
    if os.path.islink(target):
        raise CannotWrite(
            tr(
                "{target} is a symbolic link, and this program never writes to links. Choose another name, or "
                "remove the link.",
                target=target,
            )
        )
    if is_special_file(target):
        raise CannotWrite(
            tr(
                "{target} is a pipe, a socket or a device. Specify a file name, or - for standard output.",
                target=target,
            )
        )


def fsync_folder(folder: Path) -> tuple[str, ...]:
    """Flush a folder to disk, so that a new name in it lasts.

    Returns a sentence where that fails. Windows cannot open folders, and does not need to.
    """
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return ()
    try:
        os.fsync(handle)
    except OSError as error:
        return (
            tr(
                "{folder} could not be flushed to disk ({strerror}). After a power failure, check the folder.",
                folder=folder,
                strerror=error.strerror or error,
            ),
        )
    finally:
        with suppress(OSError):
            os.close(handle)
    return ()
