"""Run a command in this process as `python -m inspector` would, and keep all that it prints and writes."""

from __future__ import annotations

import gc
import os
import re
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

_SQLITE = b"SQLite format 3"


@dataclass(frozen=True)
class Came:
    """What came of a command. `files` are those it left in the folder `out`, by their path there."""

    code: int
    out: bytes
    err: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)


class Left(BaseException):
    """The program ended its process."""


class Room:
    """A folder that a process works in, with a home of its own. Logs lie beside it, in `../logs`."""

    @classmethod
    def here(cls, folder: Path) -> Room:
        """A room for the program that is imported."""
        return cls(folder.resolve(), str(import_module("inspector").__version__))

    def __init__(self, folder: Path, version: str) -> None:
        self.folder = folder
        self._version = re.compile(
            rb'(transcript-inspector"?(?:[ /]|, version )|"(?:semanticV|v)ersion": ?")' + re.escape(version).encode()
        )
        for name in ("home", "out", "temp"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def enter(self) -> None:
        """Work here from now on, with nothing of the person's own environment."""
        os.chdir(self.folder)
        environment = self.environment()
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONHASHSEED", "PYTHONPATH") if name in os.environ}
        own = {"HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "temp")}
        fixed = {"TZ": "UTC", "LANG": "C.UTF-8", "COLUMNS": "100", "LINES": "40", "QT_QPA_PLATFORM": "offscreen"}
        return kept | own | fixed | more

    def run(self, *words: str, home: str = "") -> Came:
        """Run a command."""
        before = os.environ["HOME"]
        os.environ["HOME"] = str(self.folder / home) if home else before
        try:
            with _captured() as printed:
                code = _call(words)
        finally:
            os.environ["HOME"] = before
        out, err = (path.read_bytes() for path in printed)
        return self.came(code, out, err)

    def start(self, *words: str, under: tuple[str, ...] = (), inside: str = "") -> Came:
        """Run a command in a process of its own, `under` another program and `inside` a folder of this one."""
        done = self.process((*under, *self.command(*words)), inside)
        return self.came(done.returncode, done.stdout, done.stderr)

    def command(self, *words: str) -> tuple[str, ...]:
        """A command of the program, as one of the system."""
        return sys.executable, "-m", "inspector", *words

    def process(self, words: tuple[str, ...], inside: str = "") -> subprocess.CompletedProcess[bytes]:
        """Run a program as the commands are run."""
        return subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd=self.folder / inside,
            env=self.environment(),
        )  # fmt: skip

    def came(self, code: int, out: bytes, err: bytes, takes: bool = True) -> Came:
        """What came of a command, without what differs from run to run; the folder `out` is empty after it.

        Unless it `takes` nothing from there.
        """
        files = {name: self.plain(data) for name, data in _taken(self.folder / "out")} if takes else {}
        return Came(code, self.plain(out), self.plain(err), files)

    def plain(self, data: bytes) -> bytes:
        """Bytes without the place of this folder and the version of the program."""
        data = data.replace(os.fsencode(self.folder.parent), b"<here>").replace(
            os.fsencode(self.folder.name), b"<room>"
        )
        return self._version.sub(rb"\1VERSION", data)


@contextmanager
def _captured() -> Iterator[tuple[Path, Path]]:
    """Both streams go to files, as a shell directs them: also what is written below Python's streams."""
    paths = (Path("temp/stdout"), Path("temp/stderr"))
    own = [os.dup(number) for number in (0, 1, 2)]
    opened = [os.open(os.devnull, os.O_RDONLY), *(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC) for path in paths)]
    for number, each in enumerate(opened):
        os.dup2(each, number)
        os.close(each)
    with (
        open(1, "w", encoding="utf-8", closefd=False) as out,
        open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False) as err,
        patch.multiple(sys, stdout=out, stderr=err),
    ):
        try:
            yield paths
        finally:
            out.flush()
            err.flush()
            for number, each in enumerate(own):
                os.dup2(each, number)
                os.close(each)


def _call(words: tuple[str, ...]) -> int:
    """The exit code. The program leaves by os._exit, which is to end the command alone."""
    process, leave = os.getpid(), os._exit
    left: list[int] = []

    def note(code: int) -> None:
        if os.getpid() != process:
            leave(code)  # a process that the command started
        left.append(code)
        raise Left

    try:
        with patch.object(os, "_exit", note), patch.object(sys, "argv", ["inspector", *words]):
            import_module("inspector.__main__").main()
    except Left:
        return left[0]
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except Exception as error:
        # Not its traceback: modules and functions in it may be renamed.
        print(f"It failed: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    finally:
        gc.collect()
    return 0


def _taken(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a folder, which is removed; of a database and of a ZIP file what it holds."""
    for path in sorted(folder.rglob("*"), reverse=True):
        name = str(path.relative_to(folder))
        if path.is_symlink() or not path.is_dir():
            yield name, os.fsencode(os.readlink(path)) if path.is_symlink() else contents(path)
            path.unlink()
        else:
            yield f"{name}/", b""
            path.rmdir()


def contents(path: Path) -> bytes:
    """The bytes of a file, or where it has no order of its own or holds times, what it says."""
    data = path.read_bytes()
    if data.startswith(_SQLITE):
        try:
            connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
            connection.text_factory = os.fsdecode
            try:
                return "\n".join(connection.iterdump()).encode("utf-8", "surrogateescape")
            finally:
                connection.close()
        except (sqlite3.Error, ValueError):
            return data
    if data.startswith(b"PK") and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            return b"".join(b"== %s\n%s\n" % (each.encode(), packed.read(each)) for each in packed.namelist())
    return data


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()
