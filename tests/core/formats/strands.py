"""Strands Agents: the folder that `FileSessionManager` writes, and what `initialize` loads of it.

The fold follows strands-agents 1.62.0: session/file_session_manager.py `list_messages` (by the numbers in the names,
from `removed_message_count` on) and types/session.py `to_message`; without `_fix_broken_tool_use`, so that a call
without a result stays one.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.core.formats import bedrock_converse
from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support.notation import Call, History, Result, Turn
from tests.system.corpus.otherwise import OfFormat

SESSION, AGENT = "tide-tables", "default"
TIME = "2026-11-28T08:00:00+00:00"
Json = dict[str, Any]


def session_file() -> Json:
    return {"session_id": SESSION, "session_type": "AGENT", "created_at": TIME, "updated_at": TIME}


def agent_file(removed: int = 0, summary: Json | None = None, agent: str = AGENT, **interrupts: Any) -> Json:
    """The file of an agent. With a `summary`, its conversation manager summarizes what it removes."""
    state: Json = {"__name__": "SlidingWindowConversationManager", "removed_message_count": removed}
    if summary is not None:
        state |= {"__name__": "SummarizingConversationManager", "summary_message": summary}
    interrupt_state = {"interrupts": {}, "context": {}, "activated": False} | interrupts
    inner = {"interrupt_state": interrupt_state, "model_state": {}}
    made = {"agent_id": agent, "state": {}, "conversation_manager_state": state, "_internal_state": inner}
    return made | {"created_at": TIME, "updated_at": TIME}


def message_file(number: int, message: Json, **more: Any) -> Json:
    made = {"message": message | {"tracking_id": f"00000000-0000-4000-8000-{number:012}"}, "message_id": number}
    return made | {"redact_message": None, "created_at": TIME, "updated_at": TIME} | more


def put(path: Path, value: Any) -> Path:
    """Write a file as Strands does. A text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    path.write_text(text, "utf-8", "surrogatepass")
    return path


def write_session(folder: Path, files: list[Json | str], agent: Json | None = None) -> Path:
    """Write a session. Message `n` of `files` is in `message_<n>.json`."""
    session = folder / f"session_{SESSION}"
    put(session / "session.json", session_file())
    return add_agent(session, files, agent or agent_file())


def add_agent(session: Path, files: list[Json | str], agent: Json) -> Path:
    home = session / "agents" / f"agent_{agent['agent_id']}"
    put(home / "agent.json", agent)
    (home / "messages").mkdir()
    for number, file in enumerate(files):
        put(home / "messages" / f"message_{number}.json", file)
    return session


def stored(session: Path, agent: str = AGENT) -> dict[str, Json]:
    """The files of the messages of an agent by their names, in the order in which Strands reads them."""
    folder = session / "agents" / f"agent_{agent}" / "messages"
    paths = sorted(folder.glob("message_*.json"), key=lambda path: int(path.stem.removeprefix("message_")))
    return {path.name: json.loads(path.read_text("utf-8")) for path in paths}


def loaded_messages(agent: Json, files: list[Json]) -> list[Json]:
    kept = files[agent["conversation_manager_state"]["removed_message_count"] :]
    return [file["redact_message"] or file["message"] for file in kept]


def load_folder(session: Path) -> History:
    agent = json.loads((session / "agents" / f"agent_{AGENT}" / "agent.json").read_text("utf-8"))
    files = stored(session)
    for name, file in files.items():
        assert name == f"message_{file['message_id']}.json"
    return bedrock_converse.history_of(loaded_messages(agent, [*files.values()]))


def files_of(history: History) -> list[Json]:
    return [message_file(number, message) for number, message in enumerate(bedrock_converse.messages(history))]


def render(history: History) -> bytes:
    """The text that a folder is put together as, and that a bundle holds."""
    document = [{"session": session_file(), "session_messages": [agent_file(), *files_of(history)]}]
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def load_text(path: Path) -> History:
    files = json.loads(path.read_bytes())[0]["session_messages"]
    return bedrock_converse.history_of(loaded_messages(files[0], files[1:])) if files else []


def tear_last_message(session: Path) -> None:
    last = session / "agents" / f"agent_{AGENT}" / "messages" / [*stored(session)][-1]
    last.write_bytes(last.read_bytes()[: last.stat().st_size * 2 // 3])


def tear_end(path: Path) -> None:
    """Cut the document in the middle of its last message."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"message_id"')])


def error(history: History) -> str | None:
    """Why the loaded messages are refused, or changed by Strands: neighbours of one role are read as one by Bedrock."""
    for before, after in pairwise(history):
        calls = {call.id for call in before.of(Call)}
        if calls and after.role != "user":
            return f"the calls {calls} are answered by Strands"
    return bedrock_converse.error(joined(history))


def joined(history: History) -> History:
    """The history with neighbouring turns of one role as one. Results in the second one are not found.

    The system speaks between the turns.
    """
    turns: History = []
    for turn in (turn for number, turn in enumerate(history) if not number or turn.role != "system"):
        if turns and turns[-1].role == turn.role and not turn.of(Result):
            turns[-1] = Turn(turn.role, (*turns[-1].parts, *turn.parts))
        else:
            turns.append(turn)
    return turns


FORMAT = WrittenFormat(
    "strands",
    file_writer("session.json", render),
    load_text,
    error,
    cannot=NO_DEVELOPER,
    tear=tear_end,
    provider="bedrock-converse",
    new_session=False,
)
FOLDER = WrittenFormat(
    "strands",
    lambda history, folder: write_session(folder, [*files_of(history)]),
    load_folder,
    error,
    cannot=NO_DEVELOPER,
    tear=tear_last_message,
    provider="bedrock-converse",
)
CONTAINERS = {"strands-folder": FOLDER}
CORPUS = OfFormat(folders=(), elsewhere=(), broken={})
