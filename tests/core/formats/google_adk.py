"""Google ADK: the JSON of a session as the API returns it, and the database of `SqliteSessionService`.

`load` reads the contents of the events in the order of their times, as they are saved: ADK puts results behind their
calls only when it sends them. Google ADK drops each call without a result before it sends a request.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.core.formats import gemini_contents
from tests.core.formats.written import NO_DEVELOPER, NO_IDS, WrittenFormat
from tests.support.notation import History, Result, Turn
from tests.system.corpus.otherwise import OfFormat

Json = dict[str, Any]

SESSION, NAME = "s-1", "session.db"
APP, PERSON, AGENT, RUN = "helper", "user", "root_agent", "e-7a2f"
TIME = 1795334512.25
TABLES = """
CREATE TABLE app_states (app_name TEXT PRIMARY KEY, state TEXT NOT NULL, update_time REAL NOT NULL);
CREATE TABLE user_states (app_name TEXT NOT NULL, user_id TEXT NOT NULL, state TEXT NOT NULL,
    update_time REAL NOT NULL, PRIMARY KEY (app_name, user_id));
CREATE TABLE sessions (app_name TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL,
    create_time REAL NOT NULL, update_time REAL NOT NULL, PRIMARY KEY (app_name, user_id, id));
CREATE TABLE events (id TEXT NOT NULL, app_name TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
    invocation_id TEXT NOT NULL, timestamp REAL NOT NULL, event_data TEXT NOT NULL,
    PRIMARY KEY (app_name, user_id, session_id, id),
    FOREIGN KEY (app_name, user_id, session_id) REFERENCES sessions(app_name, user_id, id) ON DELETE CASCADE);
"""
_SNAKE = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "invocationId": "invocation_id",
    "longRunningToolIds": "long_running_tool_ids",
    "modelVersion": "model_version",
    "isolationScope": "isolation_scope",
    "rewindBeforeInvocationId": "rewind_before_invocation_id",
    "startTimestamp": "start_timestamp",
    "endTimestamp": "end_timestamp",
    "compactedContent": "compacted_content",
    "stateDelta": "state_delta",
    "thoughtSignature": "thought_signature",
}
_CAMEL = {snake: camel for camel, snake in _SNAKE.items()}


def spelled(value: Any, names: dict[str, str]) -> Any:
    """A value with other names of members; what a tool was given or returned stays."""
    if isinstance(value, list):
        return [spelled(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        names.get(key, key): each if key in ("args", "response") else spelled(each, names)
        for key, each in value.items()
    }


def snake(event: Json) -> Json:
    return dict(spelled(event, _SNAKE))


def event(content: Json | None, number: int, author: str | None = "", **more: Any) -> Json:
    """An event in camelCase: one of the person or of the agent, by the role of its content and what is in it."""
    if author == "":
        said = content or {"role": "model", "parts": []}
        by_person = said["role"] == "user" and not any("functionResponse" in part for part in said["parts"])
        author = "user" if by_person else AGENT
    made: Json = {"content": content, "invocationId": RUN, "author": author, "actions": {"stateDelta": {}}}
    if author != "user" and content and content.get("role") == "model":
        made = {"modelVersion": "gemini-2.5-flash"} | made
    return made | {"id": f"00000000-0000-4000-8000-{number:012}", "timestamp": TIME + number} | more


def events(history: History) -> list[Json]:
    return [event(content, number) for number, content in enumerate(gemini_contents.contents(history))]


def document(made: list[Any], session: str = SESSION) -> Json:
    return {"id": session, "appName": APP, "userId": PERSON, "state": {}, "events": made, "lastUpdateTime": TIME}


def render(history: History) -> bytes:
    return json.dumps(document(events(history)), ensure_ascii=False, indent=2).encode() + b"\n"


def write_document(history: History, folder: Path) -> Path:
    path = folder / "helper.session.json"
    path.write_bytes(render(history))
    return path


def add_events(path: Path, made: Iterable[Json | str], session: str = SESSION, tables: str = TABLES) -> Path:
    """Append events to a session, as ADK does. A text is stored as it is."""
    with closing(sqlite3.connect(path)) as database:
        if not database.execute("SELECT name FROM sqlite_master WHERE name = 'events'").fetchone():
            database.executescript(tables)
        database.execute(
            "INSERT OR IGNORE INTO sessions VALUES (?, ?, ?, '{}', ?, ?)", (APP, PERSON, session, TIME, TIME)
        )
        (number,) = database.execute("SELECT count(*) FROM events").fetchone()
        for at, each in enumerate(made, number):
            known = snake(each) if isinstance(each, dict) else {}
            text = each if isinstance(each, str) else json.dumps(known)
            row = (known.get("id", f"row-{at}"), APP, PERSON, session, known.get("invocation_id", RUN))
            database.execute(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, known.get("timestamp", TIME + at), text)
            )
        database.commit()
    return path


def write_database(history: History, folder: Path) -> Path:
    return add_events(folder / NAME, events(history))


def rows(path: Path, session: str = SESSION) -> list[tuple[Any, ...]]:
    """The rows of a session, in the order in which ADK reads them."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = "SELECT id, invocation_id, timestamp, event_data FROM events WHERE session_id = ? ORDER BY 3, rowid"
        return database.execute(found, (session,)).fetchall()


def loaded(path: Path) -> list[Json]:
    """The events of a database, in camelCase."""
    return [dict(spelled(json.loads(row[3]), _CAMEL)) for row in rows(path)]


def read(found: Iterable[Json]) -> History:
    """The history of the events that say something; neighboring events with results are sent as one."""
    turns: History = []
    for turn in gemini_contents.read([each["content"] for each in found if _is_said(each.get("content"))]):
        if turns and all(isinstance(part, Result) for part in (*turns[-1].parts, *turn.parts)):
            turns[-1] = Turn(turn.role, turns[-1].parts + turn.parts)
        else:
            turns.append(turn)
    return turns


def _is_said(content: Any) -> bool:
    """Whether ADK sends a content: it has a role, and a part that is no thought and no empty text."""
    parts = content.get("parts") if isinstance(content, dict) else None
    said = any(
        part.keys() - {"text", "thought"} or (part.get("text") and not part.get("thought")) for part in parts or ()
    )
    return bool(said and content["role"])


def tear_last_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        newest = "(SELECT max(rowid) FROM events)"
        database.execute(f"UPDATE events SET event_data = substr(event_data, 1, 40) WHERE rowid = {newest}")
        database.commit()


def tear_end(path: Path) -> None:
    """Cut the document in the middle of its last event."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"author"')])


FORMAT = WrittenFormat(
    "google-adk",
    write_document,
    lambda path: read(json.loads(path.read_bytes())["events"]),
    gemini_contents.error,
    provider="gemini",
    cannot=NO_DEVELOPER | NO_IDS,
    tear=tear_end,
    bookkeeping=("invocationId", "author", "actions", "stateDelta", "modelVersion"),
)
DATABASE = WrittenFormat(
    "google-adk",
    write_database,
    lambda path: read(loaded(path)),
    FORMAT.judge,
    provider=FORMAT.provider,
    cannot=FORMAT.cannot,
    tear=tear_last_row,
    bookkeeping=("invocation_id", "author", "actions", "state_delta", "model_version"),
)
CONTAINERS = {"google-adk-database": DATABASE}
CORPUS = OfFormat(folders=("adk",), elsewhere=(), broken={"adk/*killed-in-tool.db": "D1"})
