"""The state of a LangGraph thread, read from its rows: its messages, and the tasks that run next.

Facts: langgraph 1.2.24 and langgraph-checkpoint-sqlite 3.1.2. The newest checkpoint is the one with the greatest id.
The rows of `writes` with its id are the results of tasks that ended before the program did: they belong to the state,
and are applied when the thread continues. deepagents stores the messages as a `DeltaChannel`: what the checkpoint
itself lacks is in the `writes` of the checkpoints before it (checkpoint/sqlite/_delta.py). Messages are merged by id
(`add_messages`). A task is a `Send` in the channel `__pregel_tasks`, or a node whose channel `branch:to:NODE` has a
value (pregel/_algo.py `prepare_next_tasks`). A row that cannot be decoded stops LangGraph.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Raw, Struct, field

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.databases import encrypted_messages
from inspector.core.formats.langgraph import packed
from inspector.core.model.session import Session
from inspector.core.storage.json_text import is_valid_json, list_at, object_at, objects_at, parse_json
from inspector.core.translation import tr

TASKS, BRANCH, START = "__pregel_tasks", "branch:to:", "__start__"
PUSHED, _PULLED = "~__pregel_push, ", "~__pregel_pull, "
# A task that wrote only to these has not ended.
_UNFINISHED = ("__error__", "__interrupt__", "__resume__", "__error_source_node__")
_RESERVED = (*_UNFINISHED, "__no_writes__", "__return__", "__scheduled__")
_REMOVE_ALL = "__remove_all__"
_OVERWRITE = "__overwrite__"
_SUMMARY = "_summarization_event"
_OF_THREAD = "thread_id = ? AND checkpoint_ns = ?"
_CHECKPOINTS = f"""SELECT rowid, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints
                   WHERE {_OF_THREAD} ORDER BY checkpoint_id DESC"""
_CHECKPOINT = f"""SELECT rowid, parent_checkpoint_id, type, checkpoint FROM checkpoints
                  WHERE {_OF_THREAD} AND checkpoint_id = ?"""


class StoredMessage(Struct, frozen=True):
    """A message of a thread: the name of its place in the database, its packed value, and its JSON.

    A row that cannot be decoded has no value; `json` are its bytes.
    """

    name: str
    json: bytes
    packed: Raw | None = None
    id: str = ""


class Write(Struct, frozen=True):
    """A row of `writes`: the channel and the new value that a task wrote."""

    name: str
    path: str
    channel: str
    value: Raw


class Checkpoint(Struct):
    """The newest checkpoint that can be decoded: its row, its members, and the values of its channels."""

    row_id: int = 0
    id: str = ""
    parent: str | None = None
    type: str = ""
    metadata: Any = None
    members: dict[str, Raw] = {}
    values: dict[str, Raw] = {}

    @property
    def versions(self) -> dict[str, Any]:
        """The version of each channel."""
        return self._decoded("channel_versions")

    @property
    def seen(self) -> dict[str, Any]:
        """The versions of channels that each node has seen."""
        return self._decoded("versions_seen")

    def _decoded(self, member: str) -> dict[str, Any]:
        return object_at(packed.decode(self.members[member]), "") if member in self.members else {}


class ThreadState(Struct):
    """A thread as LangGraph loads it.

    `newest_id` is the greatest id, also of a checkpoint that cannot be decoded. `is_delta`: its messages are stored as
    changes. `writes` are those of tasks that ended after the checkpoint. `sends` are the numbers of the tasks that were
    sent and did not end, and `nodes` are the other nodes that run next.
    """

    thread_id: Any
    namespace: Any
    newest_id: str = ""
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    channel: str = "messages"
    is_delta: bool = False
    messages: list[StoredMessage] = []
    writes: list[Write] = []
    sends: dict[int, Any] = {}
    nodes: list[str] = []
    pending_calls: list[str] = []
    interrupts: list[Any] = []

    @property
    def description(self) -> dict[str, Any]:
        """What the text of a log has of the thread around its messages."""
        nodes = [str(list_at(send, "")[0]) for send in self.sends.values() if list_at(send, "")] + self.nodes
        return {
            "checkpoint": {
                "thread_id": self.thread_id,
                "checkpoint_ns": self.namespace,
                "checkpoint_id": self.checkpoint.id,
            },
            "next": list(dict.fromkeys(nodes)),
            "pending_calls": self.pending_calls,
            "pending_writes": sum(write.channel == self.channel for write in self.writes),
            "interrupts": self.interrupts,
            "nodes": sorted(name for name in self.checkpoint.seen if not name.startswith("__")),
        }

    @property
    def summary(self) -> Any:
        """What deepagents knows of the messages that it replaced by a summary."""
        return packed.decode(self.checkpoint.values[_SUMMARY]) if _SUMMARY in self.checkpoint.values else None


def key_of(session: Session) -> tuple[str, str]:
    """Return the id of the thread of a session, and its namespace: only that of a subgraph has one, without a slash."""
    if not session.main_thread.is_side:
        return session.id, ""
    thread, _, namespace = session.id.rpartition("/")
    return thread, namespace


def thread_state(database: sqlite3.Connection, thread_id: Any, namespace: Any, path: str) -> ThreadState:
    """Return the state of a thread. Raises UnreadableLog for a thread that is encrypted or pickled."""
    state = ThreadState(thread_id, namespace)
    key = (thread_id, namespace)
    damaged: list[StoredMessage] = []
    for row_id, checkpoint_id, parent, kind, data, metadata in database.execute(_CHECKPOINTS, key):
        state.newest_id = state.newest_id or str(checkpoint_id)
        found = _members_and_values(_packed_value(kind, data, path))
        if found is not None:
            state.checkpoint = Checkpoint(row_id, checkpoint_id, parent, kind, metadata, *found)
            break
        damaged.append(StoredMessage(f"checkpoints:{row_id}", _stored_bytes(data)))
    _read_messages(database, state, key, path)
    stored = len(state.messages)
    pending = list(_writes(database, key, state.checkpoint.id, path))
    damaged += [write for write in pending if isinstance(write, StoredMessage)]
    state.writes = [write for write in pending if isinstance(write, Write)]
    newest = state.messages[-1] if state.messages else None
    state.messages = _merged(state.messages, (write for write in state.writes if write.channel == state.channel))
    _read_tasks(database, state, key, path, newest if stored else None)
    state.messages += damaged
    return state


def _stored_bytes(data: Any) -> bytes:
    return data if isinstance(data, bytes) else str(data or "").encode("utf-8", "surrogatepass")


def _packed_value(kind: Any, data: Any, path: str) -> Raw | None:
    """Return a stored value as msgpack, None for one that cannot be decoded. Raises UnreadableLog."""
    kind = str(kind or "")
    if "+" in kind:
        raise encrypted_messages(path)
    if kind == "pickle":
        raise UnreadableLog(
            tr(
                "{path} contains pickled values. They are not read, because reading them would run the code that "
                "they contain.",
                path=path,
            )
        )
    try:
        if kind == "json":
            return Raw(packed.encode(parse_json(_stored_bytes(data))))
        if kind in ("null", "bytes", "bytearray"):
            return Raw(packed.encode(None if kind == "null" else data))
        packed.decode(data)
        return Raw(data)
    except packed.DECODE_ERRORS:
        return None


def _members_and_values(blob: Raw | None) -> tuple[dict[str, Raw], dict[str, Raw]] | None:
    """Return the members of a checkpoint, and the values of its channels; None if it cannot be decoded."""
    try:
        members = packed.members(blob or b"")
        return members, packed.members(members["channel_values"])
    except (*packed.DECODE_ERRORS, KeyError):
        return None


def _writes(
    database: sqlite3.Connection, key: tuple[Any, Any], checkpoint_id: str, path: str
) -> Iterator[Write | StoredMessage]:
    """Yield the writes after a checkpoint in the order in which they are applied; a damaged one as a record."""
    columns = {name for (name,) in database.execute("SELECT name FROM pragma_table_info('writes')")}
    task_path = "task_path" if "task_path" in columns else "''"
    rows = database.execute(
        f"SELECT rowid, {task_path}, channel, type, value FROM writes WHERE {_OF_THREAD} AND checkpoint_id = ? "
        "ORDER BY 2, task_id, idx",
        (*key, checkpoint_id),
    )
    for row_id, place, channel, kind, data in rows:
        value = _packed_value(kind, data, path)
        if value is not None:
            yield Write(f"writes:{row_id}", str(place), str(channel), value)
        else:
            yield StoredMessage(f"writes:{row_id}", _stored_bytes(data))


def _read_messages(database: sqlite3.Connection, state: ThreadState, key: tuple[Any, Any], path: str) -> None:
    """Read the messages of the checkpoint, or put them together from the checkpoints before it."""
    checkpoint = state.checkpoint
    if state.channel not in checkpoint.values and state.channel not in checkpoint.versions:
        state.channel = next((name for name, value in checkpoint.values.items() if _holds_messages(value)), "messages")
    changes: list[list[Write]] = []
    damaged: list[StoredMessage] = []
    values, holder, parent, visited = checkpoint.values, checkpoint.row_id, checkpoint.parent, {checkpoint.id}
    state.is_delta = state.channel not in values and state.channel in checkpoint.versions
    while state.is_delta and state.channel not in values and parent is not None and parent not in visited:
        visited.add(parent)
        found = list(_writes(database, key, parent, path))
        damaged += [write for write in found if isinstance(write, StoredMessage)]
        changes.append([write for write in found if isinstance(write, Write) and write.channel == state.channel])
        row = database.execute(_CHECKPOINT, (*key, parent)).fetchone()
        if row is None:
            break
        holder, parent, kind, data = row
        values = (_members_and_values(_packed_value(kind, data, path)) or ({}, {}))[1]
    if state.channel in values:
        value = values[state.channel]
        state.is_delta = state.is_delta or packed.extension(value)[0] == packed.SNAPSHOT
        state.messages = _stored_messages(f"checkpoints:{holder}", value)
    writes = (write for group in reversed(changes) for write in group)
    state.messages = [*_merged(state.messages, writes), *damaged]


def _holds_messages(value: Raw) -> bool:
    if packed.extension(value)[0] not in (-1, packed.SNAPSHOT) or not isinstance(packed.decode(value), list):
        return False
    found = packed.list_elements(value)
    return bool(found) and all(packed.class_name(each).endswith(("Message", "MessageChunk")) for each in found)


def _stored_messages(name: str, value: Raw) -> list[StoredMessage]:
    found = []
    for number, each in enumerate(packed.list_elements(value)):
        fields = packed.message_fields(each)
        own_id = fields.get("id") if isinstance(fields, dict) else None
        text = own_id if isinstance(own_id, str) else ""
        found.append(StoredMessage(f"{name}/{number}", packed.to_json(fields), each, text))
    return found


def _merged(messages: list[StoredMessage], writes: Iterable[Write]) -> list[StoredMessage]:
    """Return the messages after some writes: one with a known id replaces the other, and one can be removed."""
    merged: list[StoredMessage | None] = list(messages)
    places = {message.id: place for place, message in enumerate(messages) if message.id}
    for write in writes:
        replaced = _overwriting(write.value)
        if replaced is not None:
            merged, places = [], {}
        for message in _stored_messages(write.name, write.value if replaced is None else replaced):
            is_removed = packed.class_name(message.packed or b"") == "RemoveMessage"
            place = places.get(message.id) if message.id else None
            if is_removed and message.id == _REMOVE_ALL:
                merged, places = [], {}
            elif is_removed and place is not None:
                merged[places.pop(message.id)] = None
            elif place is not None:
                merged[place] = message
            elif not is_removed:
                places[message.id] = len(merged)
                merged.append(message)
    return [message for message in merged if message is not None]


def _overwriting(value: Raw) -> Raw | None:
    """Return the value that replaces the whole list (`langgraph.types.Overwrite`), None for a write that adds to it."""
    code, parts = packed.extension(value)
    if code == packed.KEYWORDS and packed.class_name(value) == "Overwrite":
        return packed.members(parts[2]).get("value")
    plain = packed.decode(value) if code == -1 else None
    return packed.members(value)[_OVERWRITE] if isinstance(plain, dict) and plain.keys() == {_OVERWRITE} else None


# the tasks that run next


def _read_tasks(
    database: sqlite3.Connection, state: ThreadState, key: tuple[Any, Any], path: str, newest: StoredMessage | None
) -> None:
    """Find the tasks that did not end, and the calls that they will run. `newest` is the newest stored message."""
    checkpoint, ended = state.checkpoint, ended_tasks(state.writes)
    answered = answered_calls(message.json for message in state.messages)
    for number, send in enumerate(sent_tasks(database, state, key, path)):
        data = packed.decode(send)
        calls = calls_of_task(data)
        if f"{PUSHED}{number:010}" not in ended and not (calls and answered.issuperset(calls)):
            state.sends[number] = data
            state.pending_calls += calls
    state.nodes = [node for node in _triggered(checkpoint) if _PULLED + node not in ended]
    if state.nodes and newest is not None and not state.sends:
        ids = [call.get("id") for call in objects_at(_fields(newest), "/tool_calls")]
        state.pending_calls += [call for call in ids if isinstance(call, str) and call not in answered]
    state.interrupts = [packed.decode(write.value) for write in state.writes if write.channel == "__interrupt__"]


def answered_calls(messages: Iterable[bytes]) -> set[str]:
    """Return the ids of the results after the newest message of the assistant."""
    answered: set[str] = set()
    for message in messages:
        fields = object_at(parse_json(message), "") if is_valid_json(message) else {}
        if fields.get("type") in ("ai", "AIMessageChunk"):
            answered.clear()
        elif isinstance(fields.get("tool_call_id"), str):
            answered.add(fields["tool_call_id"])
    return answered


def ended_tasks(writes: list[Write]) -> set[str]:
    """Return the paths of the tasks that ended: a sent one by its number, another by the name of its node."""
    paths = {write.path for write in writes if write.channel not in _UNFINISHED}
    return {path[: len(PUSHED) + 10] if path.startswith(PUSHED) else path for path in paths}


def sent_tasks(database: sqlite3.Connection, state: ThreadState, key: tuple[Any, Any], path: str) -> list[Raw]:
    """Return the tasks that were sent: up to version 3 of a checkpoint, they are in the writes before it."""
    checkpoint = state.checkpoint
    if TASKS in checkpoint.values:
        return packed.list_elements(checkpoint.values[TASKS])
    if is_current(checkpoint) or checkpoint.parent is None:
        return []
    earlier = _writes(database, key, checkpoint.parent, path)
    return [write.value for write in earlier if isinstance(write, Write) and write.channel == TASKS]


def is_current(checkpoint: Checkpoint) -> bool:
    """Return whether the version of a checkpoint is one in which it holds its own tasks."""
    version = packed.decode(checkpoint.members.get("v", b"\xc0"))
    return isinstance(version, int) and version >= 4


def calls_of_task(task: Any) -> list[str]:
    """Return the ids of the calls that a sent task runs: `[node, call]`, also with the call in a list or in a state."""
    argument = task[1] if isinstance(task, list) and len(task) > 1 else None
    call = object_at(argument, "/tool_call") or argument
    found = [each.get("id") for each in (call if isinstance(call, list) else [call]) if isinstance(each, dict)]
    return [each for each in found if isinstance(each, str)]


def _triggered(checkpoint: Checkpoint) -> list[str]:
    """Return the nodes with a channel that has a value which they have not seen."""
    found = []
    for channel in checkpoint.values:
        node = channel.removeprefix(BRANCH)
        if channel == START or node != channel:
            found += [node] if _is_newer(checkpoint, node, channel) else []
    for node, channels in checkpoint.seen.items():
        if not node.startswith("__") and isinstance(channels, dict):
            triggers = (channel for channel in channels if channel in checkpoint.values)
            found += [node] if any(_is_newer(checkpoint, node, channel) for channel in triggers) else []
    return list(dict.fromkeys(found))


def _is_newer(checkpoint: Checkpoint, node: str, channel: str) -> bool:
    seen: Any = object_at(checkpoint.seen.get(node), "").get(channel)
    version: Any = checkpoint.versions.get(channel)
    return seen is None or (type(seen) is type(version) and version > seen)


def _fields(message: StoredMessage) -> dict[str, Any]:
    return object_at(parse_json(message.json), "") if message.packed is not None else {}


def other_channels(state: ThreadState) -> set[str]:
    """Return the channels other than the messages to which tasks wrote that ended after the checkpoint."""
    return {write.channel for write in state.writes} - {state.channel, *_RESERVED}
