"""LangGraph: the database that `SqliteSaver` writes, and the messages that a graph loads of its newest checkpoint.

The packed values are those of langgraph-checkpoint 4.3 (`serde/jsonplus.py`): a message is extension 5, an array of
module, class, fields and the name of a method.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec.msgpack import Decoder, Ext, encode

from tests.core.formats import langchain
from tests.core.formats.written import NO_BLANKS, NO_THINKING, RESULTS_FIRST, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import History
from tests.system.corpus.otherwise import OfFormat

THREAD = "thread-1"
NAME = "checkpoints.db"
TABLES = """
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT,
    value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
"""
TIME = "2026-11-28T08:00:00+00:00"
CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage", "system": "SystemMessage"}

Message = dict[str, Any]


def version(number: int) -> str:
    return f"{number:032}.{'5' * 16}"


def checkpoint_id(number: int) -> str:
    return f"1f1e64ad-{number:04x}-6175-8000-0135ef9941fb"


def extension(module: str, name: str, argument: Any, code: int = 5) -> Ext:
    return Ext(code, encode([module, name, argument, *(["model_validate_json"] if code == 5 else [])]))


def packed(message: Any) -> Any:
    """A message as LangGraph stores it; what is no message with a type is stored as it is."""
    kind = message.get("type") if isinstance(message, dict) else None
    if kind == "remove":
        return extension("langchain_core.messages.modifier", "RemoveMessage", message)
    return extension(f"langchain_core.messages.{kind}", CLASSES[kind], message) if kind in CLASSES else message


def send(call: Message) -> Ext:
    """A task that runs one call, as `create_react_agent` and `create_agent` send it."""
    return extension("langgraph.types", "Send", ["tools", {"__type": "tool_call_with_context", "tool_call": call}], 1)


def checkpoint(
    number: int,
    messages: Sequence[Any] | None,
    values: dict[str, Any] | None = None,
    seen: Iterable[str] = ("agent", "tools"),
) -> dict[str, Any]:
    """A checkpoint with these messages. A graph whose messages are stored as changes has none (`messages` is None)."""
    held = {} if messages is None else {"messages": [packed(message) for message in messages]}
    held |= values or {}
    return {
        "v": 4,
        "ts": TIME,
        "id": checkpoint_id(number),
        "channel_values": held,
        "channel_versions": {"messages": version(number), **dict.fromkeys(held, version(number))},
        "versions_seen": {name: {f"branch:to:{name}": version(number - 1)} for name in seen},
        "updated_channels": ["messages"],
    }


def add_checkpoint(path: Path, stored: dict[str, Any] | bytes, number: int, thread: str = THREAD, ns: str = "") -> Path:
    """Add a checkpoint to the database. Bytes are stored as they are."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        if not database.execute("SELECT name FROM sqlite_master WHERE name = 'checkpoints'").fetchone():
            database.executescript(TABLES)
        blob = stored if isinstance(stored, bytes) else encode(stored)
        metadata = json.dumps({"source": "loop", "step": number, "parents": {}}).encode()
        parent = checkpoint_id(number - 1) if number > 1 else None
        row = (thread, ns, checkpoint_id(number), parent, "msgpack", blob, metadata)
        database.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        database.commit()
    return path


def add_write(path: Path, number: int, task: str, channel: str, value: Any, idx: int = 0, thread: str = THREAD) -> Path:
    """Add what a task wrote after a checkpoint. Bytes are stored as they are."""
    with closing(sqlite3.connect(path)) as database:
        kind, blob = (
            ("null", b"") if value is None else ("msgpack", value if isinstance(value, bytes) else encode(value))
        )
        row = (thread, "", checkpoint_id(number), f"id of {task}", f"~__pregel_{task}", idx, channel, kind, blob)
        database.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        database.commit()
    return path


def _extension(code: int, data: memoryview) -> Any:
    inner = decode(bytes(data))
    return inner if code == 7 else inner[2]


decode = Decoder(ext_hook=_extension).decode


def rows(path: Path, thread: str = THREAD) -> list[tuple[Any, ...]]:
    """The checkpoints of a thread, in the order of their ids."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return database.execute("SELECT * FROM checkpoints WHERE thread_id = ? ORDER BY 3", (thread,)).fetchall()


def newest(path: Path, thread: str = THREAD) -> dict[str, Any]:
    return dict(decode(rows(path, thread)[-1][5]))


def state_messages(path: Path) -> list[Message]:
    """The messages of the newest checkpoint, which has no pending writes."""
    return list(newest(path)["channel_values"]["messages"])


def write_database(history: History, folder: Path) -> Path:
    messages = langchain.fields(history)
    path = add_checkpoint(folder / NAME, checkpoint(1, messages[:-1]), 1)
    add_write(path, 1, "pull, agent", "messages", [packed(message) for message in messages[-1:]])
    return add_checkpoint(path, checkpoint(2, messages), 2)


def tear_newest(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        newest_row = "(SELECT max(rowid) FROM checkpoints)"
        database.execute(f"UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 90) WHERE rowid = {newest_row}")
        database.commit()


def thread_as_text(messages: list[Message], thread: str = THREAD, **more: Any) -> dict[str, Any]:
    """A thread in the text that a database is put together as, and that a bundle holds."""
    identity = {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": checkpoint_id(1)}
    state = {"next": [], "pending_calls": [], "pending_writes": 0, "interrupts": [], "nodes": ["agent", "tools"]}
    return {"checkpoint": identity, **state, **more, "values": {"messages": messages}}


def render(history: History) -> bytes:
    return json.dumps([thread_as_text(langchain.fields(history))], ensure_ascii=False, indent=2).encode() + b"\n"


def tear_end(path: Path) -> None:
    """Cut the document in the middle of its last message."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"content"')])


FORMAT = WrittenFormat(
    "langgraph",
    file_writer("threads.json", render),
    lambda path: langchain.read(json.loads(path.read_bytes())[0]["values"]["messages"]),
    JUDGES["openai"][0],
    provider="openai-chat",
    also=("keeps-inputs",),
    cannot=NO_BLANKS | NO_THINKING | RESULTS_FIRST,
    tear=tear_end,
    bookkeeping=("model_name", "system_fingerprint"),
    is_message=lambda value: "content" in value and "type" in value,
)
DATABASE = WrittenFormat(
    "langgraph",
    write_database,
    lambda path: langchain.read(state_messages(path)),
    FORMAT.judge,
    provider=FORMAT.provider,
    also=FORMAT.also,
    cannot=FORMAT.cannot,
    tear=tear_newest,
    bookkeeping=FORMAT.bookkeeping,
    is_message=FORMAT.is_message,
)
CONTAINERS = {"langgraph-database": DATABASE}
CORPUS = OfFormat(folders=("langgraph-sqlite",), elsewhere=(), broken={})
