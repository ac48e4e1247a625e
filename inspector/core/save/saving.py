"""One saver at a time: two that replace one log at once would each take the other's work for the original."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector.core.errors import CannotWrite

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
