"""opencode: Anthropic Messages here; a part a row in a database, a call and its result in one."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import CHARACTERS, COPY_ID, SAID, Breaking, Record

_SETTINGS = {
    "autoupdate": False,
    "share": "disabled",
    "model": "fake/claude-x",
    "small_model": "fake/claude-x",
    "permission": {"*": "allow"},
}
_CONVERSATION = ("session", "message", "part")
_MODELS = {"claude-x": {"name": "claude-x", "tool_call": True, "limit": {"context": 200_000, "output": 8000}}}


class _Parts(Breaking):
    """What can happen to the part of a call."""

    def breaks(self, path: Path, how: str) -> bool:
        if how in CHARACTERS:
            return _spoil(path, CHARACTERS[how])
        if how not in _EDITS:
            return False
        number, edit = _EDITS[how]
        with closing(sqlite3.connect(path)) as database:
            rows = database.execute("SELECT id, data FROM part ORDER BY id").fetchall()
            parts = [(id_, part) for id_, data in rows if (part := json.loads(data))["type"] == "tool"]
            edit(database, *parts[number])
            database.commit()
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return True

    def results(self, path: Path) -> str:
        with closing(sqlite3.connect(path)) as database:
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            return "".join(data for (data,) in database.execute("SELECT data FROM part"))


def _spoil(path: Path, text: bytes) -> bool:
    """Put other bytes where the model's first text is. SQLite stores any bytes as text."""
    with closing(sqlite3.connect(path)) as database:
        database.text_factory = bytes
        rows = database.execute("SELECT id, data FROM part").fetchall()
        for id_, data in rows:
            if SAID in data:
                spoilt = data.replace(SAID, text)
                database.execute("UPDATE part SET data = CAST(? AS TEXT) WHERE id = ?", (spoilt, id_.decode()))
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return True


def _lose_result(database: sqlite3.Connection, id_: str, part: Record) -> None:
    state = part["state"]
    running = {"status": "running", "input": state["input"], "time": {"start": state["time"]["start"]}}
    _store(database, id_, json.dumps(part | {"state": running}))


def _repeat(database: sqlite3.Connection, id_: str, part: Record) -> None:
    columns = [row[1] for row in database.execute("PRAGMA table_info(part)") if row[1] != "id"]
    names = ", ".join(f'"{column}"' for column in columns)
    copy = f"{id_[:-3]}{COPY_ID[-3:]}"
    database.execute(f"INSERT INTO part (id, {names}) SELECT ?, {names} FROM part WHERE id = ?", (copy, id_))


def _damage(database: sqlite3.Connection, id_: str, part: Record) -> None:
    text = json.dumps(part)
    _store(database, id_, text[: len(text) // 2])


def _store(database: sqlite3.Connection, id_: str, data: str) -> None:
    database.execute("UPDATE part SET data = ? WHERE id = ?", (data, id_))


# Which of the calls it happens to, and what.
_EDITS: dict[str, tuple[int, Callable[[sqlite3.Connection, str, Record], None]]] = {
    "result lost": (0, _lose_result),
    "last result lost": (-1, _lose_result),
    "result twice": (0, _repeat),
    "damaged middle": (0, _damage),
}


class OpenCode(Agent):
    name = "opencode-1.18.33"
    logs = ".local/share/opencode/opencode.db"
    typed = "opencode"
    saves = ("in place",)
    breaking = _Parts()

    def files(self, url: str) -> dict[str, Any]:
        options = {"baseURL": f"{url}/v1", "apiKey": "none"}
        provider = {"npm": "@ai-sdk/anthropic", "name": "Fake", "options": options, "models": _MODELS}
        return {".config/opencode/opencode.json": _SETTINGS | {"provider": {"fake": provider}}}

    def environment(self, url: str) -> dict[str, str]:
        off = "AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"
        return {f"OPENCODE_DISABLE_{what}": "1" for what in off}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "bash", {"command": command, "description": "Run it"}

    def begin(self, prompt: str) -> list[str]:
        return ["run", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["run", "--session", session, prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return ["run"], [prompt]

    def session(self, log: Path) -> str:
        with closing(sqlite3.connect(log)) as database:
            newest = database.execute("SELECT id FROM session ORDER BY time_created DESC").fetchone()
        return str(newest[0])

    def keepsake(self, log: Path) -> tuple[str, bytes]:
        """As the commands that make its tables of the conversation."""
        with closing(sqlite3.connect(log)) as database, closing(sqlite3.connect(":memory:")) as copy:
            database.backup(copy)
            for (table,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                if table not in _CONVERSATION and not table.startswith("sqlite_"):
                    copy.execute(f'DROP TABLE "{table}"')
            return ".sql", "\n".join(copy.iterdump()).encode()
