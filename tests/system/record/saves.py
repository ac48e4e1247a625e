"""Every kind of save, each in a process of its own: what it does to files, call by call, and what it leaves."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.packing import packed
from tests.system.record.calls import lines, names_in, watching
from tests.system.record.running import Came, Room

CASE = "out"  # the folder of a room that a case lies in, and that its command runs in
_CLAUDE, _OPENCODE, _CLINE = "claude-code-broken.jsonl", "opencode-broken.json", "cline-task-broken.json"
_TABLES = """
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL,
    directory TEXT NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL, revert TEXT,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
"""


# Each puts a log into a folder, out of a sample, and answers its name there.


def put_file(samples: Path, case: Path, sample: str = _CLAUDE) -> str:
    """The log as it is."""
    shutil.copy2(samples / sample, case / sample)
    return sample


def put_folder(samples: Path, case: Path) -> str:
    """opencode's older store: a file a message, and a file a part."""
    session, messages = _exported(samples)
    _write(case / "storage" / "session" / session["projectID"] / f"{session['id']}.json", session)
    for message in messages:
        info = message["info"]
        _write(case / "storage" / "message" / session["id"] / f"{info['id']}.json", info)
        for part in message["parts"]:
            _write(case / "storage" / "part" / info["id"] / f"{part['id']}.json", part)
    return "storage"


def put_database(samples: Path, case: Path) -> str:
    """opencode's database."""
    session, messages = _exported(samples)
    name, own = "opencode.db", session["id"]
    with closing(sqlite3.connect(case / name)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(_TABLES)
        told = (session["slug"], session["directory"], session["title"], session["version"])
        database.execute(
            "INSERT INTO session VALUES (?, ?, NULL, ?, ?, ?, ?, NULL, 1, 2)", (own, session["projectID"], *told)
        )
        for message in messages:
            info = message["info"]
            database.execute("INSERT INTO message VALUES (?, ?, 1, 2, ?)", (info["id"], own, _row(info)))
            for part in message["parts"]:
                row = (part["id"], info["id"], own, _row(part))
                database.execute("INSERT INTO part VALUES (?, ?, ?, 1, 2, ?)", row)
        database.commit()
    return name


def _task(samples: Path, case: Path) -> str:
    """Cline's: its list of tasks says which messages are left out, and is saved with the log."""
    name = "tasks/1767261600000/api_conversation_history.json"
    (case / name).parent.mkdir(parents=True)
    shutil.copy2(samples / _CLINE, case / name)
    state = [{"id": "1767261600000", "task": "go", "conversationHistoryDeletedRange": [2, 3]}]
    _write(case / "state" / "taskHistory.json", state)
    return name


def _compressed(samples: Path, case: Path) -> str:
    (case / f"{_CLAUDE}.zst").write_bytes(packed((samples / _CLAUDE).read_bytes()))
    return f"{_CLAUDE}.zst"


def _member(samples: Path, case: Path) -> str:
    with zipfile.ZipFile(case / "ticket.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(_CLAUDE), (samples / _CLAUDE).read_bytes())
    return f"ticket.zip/{_CLAUDE}"


def _exported(samples: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    export = json.loads((samples / _OPENCODE).read_bytes())
    return export["info"], export["messages"]


def _row(value: dict[str, Any]) -> str:
    return json.dumps({key: each for key, each in value.items() if key not in ("id", "sessionID", "messageID")})


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


LOGS: dict[str, Callable[[Path, Path], str]] = {
    "file": put_file,
    "folder": put_folder,
    "database": put_database,
    "task": _task,
    "compressed": _compressed,
    "member": _member,
}
_IN_PLACE, _NEW_SESSION = "repair LOG --in-place", "repair LOG --new-session"
_WAYS = (
    "repair LOG", "repair LOG -o made", "repair LOG -o there", _IN_PLACE, _NEW_SESSION, "repair LOG --plan-out made",
    "repair LOG --send-back made.zip", "trim LOG --keep 4 --repair -o made", "convert LOG --to openai -o made",
    "convert LOG --to anthropic --repaired -o there", "convert LOG --to markdown -o made", "bundle LOG -o made.zip",
    "check LOG -o made", "check LOG --format json -o there",
)  # fmt: skip


def of(name: str, samples: Path, room: Room) -> Iterator[tuple[str, Came]]:
    """All saves of one of the `LOGS`, or those over a sample that depend on its format."""
    put = LOGS.get(name)
    for way in _WAYS if put else (_IN_PLACE, _NEW_SESSION):
        log = _anew(room, samples, name)
        yield way, _seen(room, way.replace("LOG", log).split())
    for way in ("restore", "restore, the log gone") if put else ():
        log = _anew(room, samples, name)
        room.process(room.command("repair", log, "--in-place"), CASE)
        kept = room.folder / CASE / f"{log}.backup"
        if not kept.exists() or (kept.is_dir() and way != "restore"):
            continue
        if way != "restore":
            (room.folder / CASE / log).unlink()
        yield way, _seen(room, ["restore", f"{log}.backup"])
    empty(room)


def _anew(room: Room, samples: Path, name: str) -> str:
    """Lay a log and a file called `there` into an empty folder; the name of the log."""
    empty(room)
    case = room.folder / CASE
    (case / "there").write_bytes(b"an older file\n")
    put = LOGS.get(name)
    return put(samples, case) if put else put_file(samples, case, name)


def empty(room: Room) -> None:
    """Remove all that lies in a room."""
    for name in (CASE, "home", "temp"):
        shutil.rmtree(room.folder / name)
        (room.folder / name).mkdir()


def _seen(room: Room, words: list[str]) -> Came:
    folders = [room.folder / name for name in (CASE, "home", "temp")]
    known, trace = names_in(*folders), room.folder / "trace"
    came = room.start(*words, under=watching(trace), inside=CASE)
    known |= names_in(*folders) | {piece for name in came.files for piece in name.split("/")}
    roots = {str(folder): folder.name for folder in folders}
    text = "".join(f"{room.plain(each.encode()).decode()}\n" for each in lines(trace, folders[0], roots, known))
    trace.unlink()
    return replace(came, files={**came.files, "calls": text.encode()})
