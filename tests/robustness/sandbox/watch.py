"""What this process may not do while the product works: Python reports it before it is done (PEP 578)."""

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.core.storage.temporary_files import leftover_notes_folder

# Nothing of these at all, by how their names begin.
FORBIDDEN = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "pty.",
    "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.", "imaplib.", "poplib.", "telnetlib.", "pickle.find_class",
    "compile_command", "sqlite3.enable_load_extension", "sqlite3.load_extension",
)  # fmt: skip
# What changes a file or a folder: which of its arguments are paths.
CHANGES = {
    "os.remove": (0,), "os.rename": (0, 1), "os.rmdir": (0,), "os.mkdir": (0,), "os.link": (1,), "os.symlink": (1,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.setxattr": (0,), "os.removexattr": (0,),
    "os.utime": (0,), "shutil.rmtree": (0,), "shutil.move": (0, 1), "tempfile.mkstemp": (0,), "tempfile.mkdtemp": (0,),
}  # fmt: skip
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Trespass(BaseException):
    """The product did what it may not do; nothing in it catches this."""


class _Watch:
    """One for the whole process, as no hook can be taken away again."""

    def __init__(self) -> None:
        self.folders: list[str] | None = None
        self.seen: list[str] = []
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folders is None:
            return
        if event.startswith(FORBIDDEN):
            self._object(f"{event} {arguments!r:.200}")
        elif event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES:
            self._require_inside(event, arguments[0], -1)
        elif event in CHANGES:
            folder = arguments[-1] if isinstance(arguments[-1], int) and event != "os.truncate" else -1
            for place in CHANGES[event]:
                self._require_inside(event, arguments[place], folder)
        elif event == "sqlite3.connect" and "mode=ro" not in str(arguments[0]) and arguments[0] != ":memory:":
            self._require_inside(event, str(arguments[0]).removeprefix("file://").partition("?")[0], -1)

    def _require_inside(self, event: str, path: Any, folder: int) -> None:
        """A path is in one of the folders, whatever links lead to it; what is reached by a handle was judged before."""
        if isinstance(path, int) or path is None or folder >= 0:
            return
        folders, self.folders = self.folders or [], None  # what is asked for here is no event
        try:
            real = os.path.realpath(os.path.abspath(os.fsdecode(path)))
            allowed = [*folders, os.path.realpath(tempfile.gettempdir()), os.path.realpath(leftover_notes_folder())]
        finally:
            self.folders = folders
        inside = any(real == each or real.startswith(each + os.sep) for each in allowed)
        above = event == "os.mkdir" and any(each.startswith(real + os.sep) for each in allowed)
        if not (inside or above or real == os.devnull):
            self._object(f"{event} {real}")

    def _object(self, what: str) -> None:
        if _is_of_the_product():
            self.seen.append(what)
            raise Trespass(what)


def _is_of_the_product() -> bool:
    """Whether the product is among the callers: a test may do what it likes."""
    frame = sys._getframe()
    while frame is not None and f"{os.sep}inspector{os.sep}" not in frame.f_code.co_filename:
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None


_WATCH: list[_Watch] = []


@contextmanager
def watching(folders: Iterable[Path]) -> Iterator[None]:
    """Nothing is changed outside of `folders`, of the folder for temporary files and of the program's own notes."""
    if not _WATCH:
        _WATCH.append(_Watch())
    (watch,) = _WATCH
    watch.folders, watch.seen = [os.path.realpath(folder) for folder in folders], []
    # A module that is imported late has its bytecode written by Python itself, beside the module.
    keeps_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        watch.folders, sys.dont_write_bytecode = None, keeps_bytecode
    assert watch.seen == []
