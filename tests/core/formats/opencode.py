"""opencode: its folder of files, its database and its export, and what it sends of them.

The fold follows anomalyco/opencode: storage.ts `list` and session/message-v2.ts `hydrate` (order), `filterCompacted`,
session/revert.ts `cleanup`, and `toModelMessages` of message-v2.ts @007a940; without its mending, so that a call that
has no outcome stays one. An input that is not valid JSON raises, as it does there.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_DEVELOPER, RESULTS_IN_CALLS, WrittenFormat, tear_file
from tests.support.judges import anthropic_error
from tests.support.notation import Call, History, NotExpressible, Part, Result, Text, Thinking, Turn

SESSION = "ses_5a1c0e77bffeKq2vXwT9mZbYdL"
PROJECT = "4b1f0c2d9e8a7b6c"
MODEL = {"providerID": "anthropic", "modelID": "claude-sonnet-4-5"}
INFO = {
    "id": SESSION, "projectID": PROJECT, "directory": "/home/ada/garden", "title": "Beans", "version": "1.1.48",
    "time": {"created": 1767261600000, "updated": 1767261700000},
}  # fmt: skip
STATES = ("pending", "running", "completed", "error")
ONE_PART = "a call and its outcome are one part"
CANNOT = (
    NO_BLANKS
    | NO_DEVELOPER
    | RESULTS_IN_CALLS
    | dict.fromkeys(("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9"), ONE_PART)
)
TABLES = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project(id), parent_id TEXT,
    slug TEXT NOT NULL, directory TEXT NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL, revert TEXT,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL REFERENCES message(id) ON DELETE CASCADE,
    session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX part_message_id_id_idx ON part(message_id, id);
"""

Message = dict[str, Any]


# --- writing


def user(number: int, *parts: dict[str, Any], session: str = SESSION) -> Message:
    """A message of the user; parts are given without their ids."""
    info = {"role": "user", "time": {"created": 1767261600000 + number}, "agent": "build", "model": MODEL}
    return _message(number, info, parts, session)


def assistant(number: int, *parts: dict[str, Any], session: str = SESSION, **more: Any) -> Message:
    """A message of the assistant in its step frame; `more` are fields of its info."""
    created = 1767261600000 + number
    info = {
        "role": "assistant", "time": {"created": created, "completed": created + 5}, "parentID": f"msg_{number - 1:04}",
        **MODEL, "mode": "build", "agent": "build", "path": {"cwd": "/", "root": "/"}, "cost": 0,
        "tokens": {"input": 1, "output": 1, "reasoning": 0, "cache": {"read": 0, "write": 0}}, "finish": "stop", **more,
    }  # fmt: skip
    return _message(number, info, ({"type": "step-start"}, *parts, {"type": "step-finish", "reason": "stop"}), session)


def _message(number: int, info: dict[str, Any], parts: tuple[dict[str, Any], ...], session: str) -> Message:
    own = {"id": f"msg_{number:04}", "sessionID": session}
    ids = {"sessionID": session, "messageID": own["id"]}
    made = [{"id": f"prt_{number:04}{place:02}", **ids, **part} for place, part in enumerate(parts)]
    return {"info": {**own, **info}, "parts": made}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def tool(call: Call, result: Result | None, status: str = "running") -> dict[str, Any]:
    """A tool part; without a result it is as far as `status` says."""
    state: dict[str, Any] = {"status": status, "input": call.input}
    if result is not None and result.error:
        state |= {"status": "error", "error": result.text, "time": {"start": 1, "end": 2}}
    elif result is not None:
        state |= {"status": "completed", "output": result.text, "title": "", "metadata": {}}
        state |= {"time": {"start": 1, "end": 2}}
    elif status == "pending":
        state |= {"input": {}, "raw": json.dumps(call.input)}
    else:
        state |= {"time": {"start": 1}}
    return {"type": "tool", "callID": call.id, "tool": call.name, "state": state}


def messages_of(history: History) -> list[Message]:
    """A history as opencode keeps it."""
    made: list[Message] = []
    outcomes = outcomes_of(history)
    for number, turn in enumerate(history):
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        if turn.role == "assistant":
            parts = [_part(part, outcomes.get((number, place))) for place, part in enumerate(turn.parts)]
            made.append(assistant(len(made) + 1, *parts))
        elif said := turn.of(Text):
            made.append(user(len(made) + 1, *(text(part.text) for part in said)))
    if history and history[-1].of(Call):
        # It was interrupted.
        del made[-1]["info"]["finish"], made[-1]["info"]["time"]["completed"], made[-1]["parts"][-1]
    return made


def outcomes_of(history: History) -> dict[tuple[int, int], Result]:
    """The result of each call, by the call's place: of the newest turn with its id, first in, first out."""
    found: dict[tuple[int, int], Result] = {}
    newest: dict[str, list[tuple[int, int]]] = {}
    for number, turn in enumerate(history):
        newest |= {id_: [] for id_ in {call.id for call in turn.of(Call)}}
        for place, part in enumerate(turn.parts):
            if isinstance(part, Call):
                newest[part.id].append((number, place))
            elif isinstance(part, Result) and newest.get(part.id):
                found[newest[part.id].pop(0)] = part
    return found


def _part(part: Any, outcome: Result | None) -> dict[str, Any]:
    if isinstance(part, Call):
        return tool(part, outcome)
    if isinstance(part, Thinking):
        return {"type": "reasoning", "text": part.text, "time": {"start": 1, "end": 2}}
    return text(part.text)


def write_folder(messages: list[Message], root: Path, info: dict[str, Any] = INFO) -> Path:
    """The store of a session in files, indented as `Storage.write` does it."""
    _put(root / "project" / f"{PROJECT}.json", {"id": PROJECT, "worktree": "/home/ada/garden"})
    _put(root / "session" / PROJECT / f"{info['id']}.json", info)
    (root / "message").mkdir(exist_ok=True)
    for message in messages:
        _put(root / "message" / info["id"] / f"{message['info']['id']}.json", message["info"])
        for part in message["parts"]:
            _put(root / "part" / part["messageID"] / f"{part['id']}.json", part)
    return root


def _put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2), "utf-8")


def write_database(messages: list[Message], path: Path, info: dict[str, Any] = INFO) -> Path:
    """The database, in WAL mode; without the ids, which are columns, every row's JSON is compact."""
    with closing(sqlite3.connect(path)) as database:
        fill(database, messages, info)
    return path


def fill(database: sqlite3.Connection, messages: list[Message], info: dict[str, Any] = INFO) -> None:
    """Make the tables if need be, and put a session into them."""
    database.execute("PRAGMA journal_mode = WAL")
    if not database.execute("SELECT name FROM sqlite_master WHERE name = 'part'").fetchone():
        database.executescript(TABLES)
        database.execute("INSERT INTO project VALUES (?, '/')", (PROJECT,))
    revert = json.dumps(info["revert"]) if "revert" in info else None
    row = (info["id"], PROJECT, None, "slug", info["directory"], info["title"], info["version"], revert, 1, 2)
    database.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    put_in(database, messages, info["id"])


def put_in(database: sqlite3.Connection, messages: list[Message], session: str) -> None:
    """Put messages of a session into the tables."""
    for message in messages:
        own, created = message["info"]["id"], message["info"]["time"]["created"]
        row_of_message = (own, session, created, created, _without_ids(message["info"]))
        database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row_of_message)
        for part in message["parts"]:
            row_of_part = (part["id"], own, session, created, created, _without_ids(part))
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row_of_part)
    database.commit()


def _without_ids(value: dict[str, Any]) -> str:
    rest = {key: each for key, each in value.items() if key not in ("id", "sessionID", "messageID")}
    return json.dumps(rest, ensure_ascii=False, separators=(",", ":"))


def write_export(messages: list[Message], path: Path, info: dict[str, Any] = INFO) -> Path:
    """What `opencode export` prints."""
    _put(path, {"info": info, "messages": messages})
    return path


# --- what opencode loads


def folder_messages(root: Path, session: str = SESSION) -> list[Message]:
    found = []
    for path in sorted((root / "message" / session).glob("*.json")):
        parts = sorted((root / "part" / path.stem).glob("*.json"))
        found.append({"info": json.loads(path.read_text("utf-8")), "parts": [json.loads(p.read_text()) for p in parts]})
    return found


def database_messages(path: Path, session: str = SESSION) -> list[Message]:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = database.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session,)
        ).fetchall()
        return [
            {
                "info": {**json.loads(data), "id": own},
                "parts": [
                    {**json.loads(part), "id": key}
                    for key, part in database.execute(
                        "SELECT id, data FROM part WHERE message_id = ? ORDER BY id", (own,)
                    )
                ],
            }
            for own, data in rows
        ]


def filter_compacted(messages: list[Message]) -> list[Message]:
    """The newest compaction that was carried out, its summary, what it kept, and what came after."""
    result: list[Message] = []
    completed: set[str] = set()
    tail = ""
    for message in reversed(messages):
        info = message["info"]
        result.append(message)
        if tail:
            if info["id"] == tail:
                break
            continue
        compaction = next((part for part in message["parts"] if part["type"] == "compaction"), None)
        if info["role"] == "user" and info["id"] in completed and compaction:
            tail = compaction.get("tail_start_id", "")
            if not tail or tail == info["id"]:
                break
            continue
        if info["role"] == "assistant" and info.get("summary") and info.get("finish") and not info.get("error"):
            completed.add(info["parentID"])
    result.reverse()
    at = next((n for n in reversed(range(len(result))) if _keeps_a_tail(result[n])), -1)
    if at < 0:
        return result
    ids = [message["info"]["id"] for message in result]
    start = ids.index(tail) if tail in ids else -1
    summary = next((n for n in range(at + 1, len(result)) if _sums_up(result[n], ids[at])), -1)
    if 0 <= start < at < summary:
        return result[at : summary + 1] + result[start:at] + result[summary + 1 :]
    return result


def _keeps_a_tail(message: Message) -> bool:
    return message["info"]["role"] == "user" and any("tail_start_id" in part for part in message["parts"])


def _sums_up(message: Message, compaction: str) -> bool:
    info = message["info"]
    return info["role"] == "assistant" and bool(info.get("summary")) and info["parentID"] == compaction


def sent(messages: list[Message]) -> Iterator[Turn]:
    """`toModelMessages`, with an open call left open."""
    for message in messages:
        info, parts = message["info"], message["parts"]
        if info["role"] == "user":
            said = [Text(part["text"]) for part in parts if part["type"] == "text" and not part.get("ignored")]
            said = [part for part in said if part.text != ""]  # `normalizeMessages` of provider/transform.ts drops them
            said += [Text("What did we do so far?") for part in parts if part["type"] == "compaction"]
            if said:
                yield Turn("user", tuple(said))
            continue
        if info["role"] != "assistant":
            continue  # `toModelMessages` asks for these two roles, and makes nothing of another
        aborted = (info.get("error") or {}).get("name") == "MessageAbortedError"
        real = any(part["type"] not in ("step-start", "reasoning") for part in parts)
        if info.get("error") and not (aborted and real):
            continue
        # `toModelMessages` has a case for each state, and makes nothing of another one.
        calls = [part for part in parts if part["type"] == "tool" and part["state"]["status"] in STATES]
        shown: list[Part] = [Thinking(part["text"]) for part in parts if part["type"] == "reasoning"]
        shown += [Text(part["text"]) for part in parts if part["type"] == "text" and part["text"].strip()]
        shown += [Call(part["callID"], part["tool"], part["state"]["input"]) for part in calls]
        if shown:
            yield Turn("assistant", tuple(shown))
        if results := tuple(result for part in calls for result in _outcome(part)):
            yield Turn("user", results)


def _outcome(part: dict[str, Any]) -> Iterator[Result]:
    state = part["state"]
    if state["status"] == "completed":
        yield Result(part["callID"], state["output"])
    elif state["status"] == "error":
        assert isinstance(state["time"]["start"], int)
        assert isinstance(state["time"]["end"], int)
        yield Result(part["callID"], state["error"], True)


def loaded(messages: list[Message]) -> History:
    return list(sent(filter_compacted(messages)))


# --- the three containers


def tear_last_part(root: Path) -> None:
    tear_file(max((root / "part").rglob("*.json")))


def tear_last_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE part SET data = substr(data, 1, 20) WHERE id = (SELECT max(id) FROM part)")
        database.commit()


def tear_end(path: Path) -> None:
    """Cut an export in the middle of its last message."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"parts"') - 20])


_AGENT = ("agent", "mode")  # the name of one of its agents
FORMAT = WrittenFormat(
    "opencode",
    lambda history, folder: write_folder(messages_of(history), folder / "storage"),
    lambda path: loaded(folder_messages(path)),
    anthropic_error,
    CANNOT,
    tear_last_part,
    bookkeeping=_AGENT,
    is_message=lambda value: "info" in value and "parts" in value,
)
DATABASE = WrittenFormat(
    "opencode",
    lambda history, folder: write_database(messages_of(history), folder / "opencode.db"),
    lambda path: loaded(database_messages(path)),
    anthropic_error,
    CANNOT,
    tear_last_row,
    bookkeeping=_AGENT,
)
EXPORT = WrittenFormat(
    "opencode",
    lambda history, folder: write_export(messages_of(history), folder / "export.json"),
    lambda path: loaded(json.loads(path.read_text("utf-8"))["messages"]),
    anthropic_error,
    CANNOT,
    tear_end,
    bookkeeping=_AGENT,
)
CONTAINERS = {"opencode-database": DATABASE, "opencode-export": EXPORT}
