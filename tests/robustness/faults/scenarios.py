"""What is saved, in every way there is: a table of scenarios, each with the files that lie there before."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from tests.core.formats import cline_task, opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.support import packing, product
from tests.support.notation import SESSION, Call, claude_code, parse
from tests.support.paths import SAMPLES

BROKEN = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"'))
DAMAGED = BROKEN.replace(b"\n", b"\n{torn\n", 1)
STORED = [
    user(1, text("go")), assistant(2, tool(Call("A"), None)), user(3, text("stop")),
    assistant(4, tool(Call("B"), None)), user(5, text("stop")), assistant(6, text("ok")),
]  # fmt: skip
# What a copy may have to be written over, and what lies beside and is nobody's business.
OLD, PRECIOUS = b"an older copy\n", b"precious\n"
REPORT = "out/made"

Maker = Callable[[Path], Path]


class Scenario(Struct, frozen=True):
    """A command over a log that `make` puts into a folder; LOG and OUT stand for the log and a free name beside it.

    `over`: a file has the name OUT already.
    """

    name: str
    make: Maker
    command: str
    over: bool = False

    def prepare(self, folder: Path) -> list[str]:
        """Put everything into `folder`; the arguments of the command."""
        log = self.make(folder)
        (folder / "bystander.jsonl").write_bytes(PRECIOUS)
        out = folder / REPORT
        out.parent.mkdir()
        if self.over:
            out.write_bytes(OLD)
        places = {"LOG": str(log), "OUT": str(out)}
        return [places.get(word, word) for word in self.command.split()]


# --- logs


def _bytes(data: bytes, name: str, folder: Path) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def _sample(name: str, folder: Path) -> Path:
    return Path(shutil.copy(SAMPLES / name, folder / name))


def _owned(folder: Path) -> Path:
    """A private log of another owner, with an attribute and a second name."""
    log = _bytes(DAMAGED, f"{SESSION}.jsonl", folder)
    log.chmod(0o600)
    os.link(log, folder / "second-name")
    with suppress(OSError):
        os.chown(log, 12345, 23456)
    with suppress(OSError):
        os.setxattr(log, "user.origin", b"a case")
    return log


def _folder(folder: Path, torn: bool = False) -> Path:
    store = opencode.write_folder(STORED, folder / "data" / "storage")
    if torn:
        opencode.tear_last_part(store)
    return store


def _database(folder: Path, torn: bool = False) -> Path:
    (folder / "data").mkdir()
    database = opencode.write_database(STORED, folder / "data" / "opencode.db")
    if torn:
        opencode.tear_last_row(database)
    return database


def _database_with_wal(folder: Path) -> Path:
    """What a killed agent leaves: what it wrote last lies beside the database."""
    (folder / "case").mkdir()
    source = opencode.write_database(STORED, folder / "case.db")
    with closing(sqlite3.connect(source)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.execute("PRAGMA wal_autocheckpoint = 0")
        agent.execute("UPDATE session SET title = 'of the WAL'")
        agent.commit()
        for suffix in ("", "-wal"):
            shutil.copy(f"{source}{suffix}", folder / "case" / f"opencode.db{suffix}")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{source}{suffix}").unlink(missing_ok=True)
    return folder / "case" / "opencode.db"


def _task(folder: Path) -> Path:
    """A task of Cline's, whose list of tasks says which messages it leaves out, and must be changed with it."""
    made = cline_task.messages(parse('a"hello" | u"go" | a{A} | r(A=a) | a{B} | r(B=b) | a"done"'))
    log = cline_task.write_messages(made, folder)
    cline_task.write_range(folder, 2, 3)
    note = {"ts": 1, "conversationHistoryIndex": 3, "conversationHistoryDeletedRange": [2, 3]}
    log.with_name("ui_messages.json").write_text(json.dumps([note]), "utf-8")
    return log


def _saved(make: Maker, folder: Path) -> Path:
    """The backup that a save in place left of a log."""
    with closing(product.Door(make(folder))) as door:
        return Path(door.save("in-place").backup)


_LOG = f"{SESSION}.jsonl"
_KINDS: dict[str, Maker] = {
    "log": partial(_bytes, BROKEN, _LOG),
    "damaged log": partial(_bytes, DAMAGED, _LOG),
    "packed log": partial(_bytes, packing.packed(DAMAGED), f"{_LOG}.zst"),
    "another's log": _owned,
    "folder": _folder,
    "torn folder": partial(_folder, torn=True),
    "database": _database,
    "torn database": partial(_database, torn=True),
    "database with WAL": _database_with_wal,
    "task": _task,
}
_WAYS = {
    "in place": "repair LOG --in-place",
    "copy": "repair LOG -o OUT",
    "page": "convert LOG --to markdown -o OUT",
    "report": "check LOG -o OUT",
}
_FILES = ("log", "damaged log", "packed log", "another's log", "task")


def _scenarios() -> Iterator[Scenario]:
    for kind, make in _KINDS.items():
        for way, command in _WAYS.items():
            yield Scenario(f"{kind}: {way}", make, command)
    for kind in _FILES:
        yield Scenario(f"{kind}: over a copy", _KINDS[kind], "repair LOG -o OUT", over=True)
        yield Scenario(f"{kind}: trim", _KINDS[kind], "trim LOG --keep 2 --repair -o OUT")
        yield Scenario(f"{kind}: report over one", _KINDS[kind], "check LOG --format json -o OUT", over=True)
        yield Scenario(f"{kind}: messages", _KINDS[kind], "convert LOG --to openai --repaired -o OUT", over=True)
        yield Scenario(f"{kind}: new name", _KINDS[kind], "repair LOG")
    for kind in ("log", "damaged log", "another's log"):
        yield Scenario(f"{kind}: new session", _KINDS[kind], "repair LOG --new-session")
    for kind in ("log", "another's log", "folder", "torn folder", "database"):
        yield Scenario(f"{kind}: restore", partial(_saved, _KINDS[kind]), "restore LOG")
    for sample in sorted(SAMPLES.glob("*-broken.json*")):
        yield Scenario(f"{sample.name}: in place", partial(_sample, sample.name), "repair LOG --in-place")


SCENARIOS = tuple(_scenarios())
