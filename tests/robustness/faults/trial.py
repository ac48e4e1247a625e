"""One trial: a command in a process of its own whose n-th operation of a kind fails, and what lies there after it."""

import atexit
import io
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import traceback
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector import __main__ as program
from inspector.core.storage import temporary_files as leftovers
from tests.robustness.faults.scenarios import Scenario
from tests.robustness.faults.shim import Shim

Files = dict[str, Any]  # by path: the bytes of a file, the rows of a database


class Point(Struct, frozen=True):
    """Which operation of a scenario fails, and how."""

    scenario: int
    operation: str
    number: int
    fault: str


class Outcome(Struct):
    """What a command said and did; `code` is None for one that was killed. `files` are those after the next start.

    `left` are temporary files that even the next start did not remove, `crash` is a traceback.
    """

    code: int | None = None
    said: str = ""
    crash: str = ""
    tripped: bool = True
    counts: dict[str, int] = {}
    files: Files = {}
    left: list[str] = []


class Place:
    """The folder of all trials, with a home and a folder for temporary files that nobody else uses."""

    def __init__(self, root: Path) -> None:
        self.root, self.work = root, root / "work"
        self.home, self.spare, self.scratch = root / "home", root / "tmp", root.with_name("scratch")
        os.environ |= {"HOME": str(self.home), "XDG_STATE_HOME": str(self.home / "state"), "TMPDIR": str(self.spare)}
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR"):
            os.environ.pop(name, None)
        self.scratch.mkdir(parents=True, exist_ok=True)

    def clear(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        for folder in (self.work, self.home, self.spare):
            folder.mkdir(parents=True)
        os.chdir(self.work)
        tempfile.tempdir = str(self.spare)

    def prepared(self, scenario: Scenario) -> list[str]:
        """Everything as it is before the command, whose arguments these are."""
        self.clear()
        arguments = scenario.prepare(self.work)
        for folder in (self.home, self.spare):
            shutil.rmtree(folder)
            folder.mkdir()
        return arguments

    def files(self) -> Files:
        """What lies in the folder of the log, and below."""
        found = (Path(folder, name) for folder, _, names in os.walk(self.work) for name in names)
        return {str(path.relative_to(self.work)): self._content(path) for path in sorted(found) if _counts(path)}

    def _content(self, path: Path) -> Any:
        data = path.read_bytes()
        if not data.startswith(b"SQLite format 3\0") and ".db" not in path.name:
            return data
        place = self.scratch / "log.db"
        for suffix in ("", "-wal", "-journal"):
            Path(f"{place}{suffix}").unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{place}{suffix}")
        try:
            with closing(sqlite3.connect(place)) as database:
                return tuple(database.iterdump()) or data
        except sqlite3.Error as error:
            return f"{error}".encode()

    def temporary(self) -> list[str]:
        """What is left of temporary files: in TMPDIR, beside the log, and their notes."""
        notes = leftovers.leftover_notes_folder()
        places = [*self.spare.rglob("*"), *self.work.rglob(".*.part"), *(notes.iterdir() if notes.is_dir() else ())]
        return sorted(str(path.relative_to(self.root)) for path in places)


def _counts(path: Path) -> bool:
    """What SQLite keeps beside a database is part of it."""
    return not path.name.endswith(("-wal", "-shm", "-journal"))


def run(arguments: list[str], place: Place, shim: Shim, point: Point | None) -> Outcome:
    """Run a command in a child of this process, and start the program once more."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        told = _ran(arguments, place, shim, point)
        with os.fdopen(writing, "w") as pipe:
            json.dump(told, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        printed = pipe.read()
    os.waitpid(child, 0)
    outcome = Outcome(**json.loads(printed)) if printed else Outcome()
    leftovers.remove_leftovers()
    outcome.left = place.temporary()
    outcome.files = place.files()
    return outcome


def _ran(arguments: list[str], place: Place, shim: Shim, point: Point | None) -> dict[str, Any]:
    """In the child: the command, as it is started from a shell."""
    said = io.BytesIO()
    sys.argv = ["transcript-inspector", *arguments]
    sys.stdout = sys.stderr = io.TextIOWrapper(said, "utf-8", write_through=True)
    told: dict[str, Any] = {"crash": ""}
    atexit._clear()
    if point is None:
        shim.arm(place.root)
    else:
        shim.arm(place.root, point.operation, point.number, point.fault)
    program._leave = lambda code: sys.exit(code)  # this process has something to tell afterwards
    try:
        program.main()
        told["code"] = 0
    except SystemExit as leave:
        told["code"] = leave.code or 0
    except BaseException:
        told |= {"code": 1, "crash": traceback.format_exc()}
    atexit._run_exitfuncs()
    shim.disarm()
    return told | {"said": said.getvalue().decode(), "tripped": shim.tripped, "counts": shim.counts}
