"""The new checkpoint of a repaired thread. No row of the database is changed: LangGraph keeps all of them, too.

The new row is the newest checkpoint with other messages, as `update_state` would write it: a greater id, the old
checkpoint as its parent, a new version of the channel. The results of tasks that ended after the old checkpoint are in
the messages of the new one, and these tasks are not run again.
"""

import json
import sqlite3
from contextlib import suppress
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from inspector.core.errors import CannotWrite
from inspector.core.formats.langgraph import packed
from inspector.core.formats.langgraph.state import (
    BRANCH,
    START,
    TASKS,
    StoredMessage,
    ThreadState,
    answered_calls,
    calls_of_task,
    ended_tasks,
    is_current,
    other_channels,
    sent_tasks,
    thread_state,
)
from inspector.core.storage.log_layout import MemberChanges
from inspector.core.translation import tr

_INSERT = """INSERT INTO checkpoints
             (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
             VALUES (?, ?, ?, ?, ?, ?, ?)"""
_NIL = Raw(b"\xc0")


def add_checkpoints(database: sqlite3.Connection, path: str, changes: MemberChanges) -> int:
    """Add a checkpoint to each thread with changed messages, and return their number. Raises CannotWrite."""
    names = {*changes.members, *changes.added_before, *changes.added_after}
    threads: dict[tuple[Any, Any], None] = {}
    for table, row_id in sorted({_row_of(name) for name in names}):
        query = f"SELECT thread_id, checkpoint_ns FROM {table} WHERE rowid = ?"
        threads[database.execute(query, (row_id,)).fetchone()] = None
    for thread_id, namespace in threads:
        state = thread_state(database, thread_id, namespace, path)
        try:
            database.execute(_INSERT, _new_row(database, state, path, changes))
        except packed.DECODE_ERRORS as error:
            raise CannotWrite(
                tr(
                    "Nothing was written, because thread {thread} cannot be encoded: {error}.",
                    thread=thread_id,
                    error=error,
                )
            ) from error
    return len(threads)


def _row_of(name: str) -> tuple[str, int]:
    table, _, place = name.partition(":")
    return ("writes" if table == "writes" else "checkpoints"), int(place.partition("/")[0])


def _new_row(database: sqlite3.Connection, state: ThreadState, path: str, changes: MemberChanges) -> tuple[Any, ...]:
    checkpoint = state.checkpoint
    sends = sent_tasks(database, state, (state.thread_id, state.namespace), path)
    others = sorted(channel for channel in other_channels(state) if not channel.startswith(BRANCH))
    reason = ""
    if checkpoint.type != "msgpack":
        reason = tr("its newest checkpoint is not stored as msgpack")
    elif others:
        reason = tr("tasks that ended later also changed {channels}", channels=", ".join(others))
    elif sends and not is_current(checkpoint):
        reason = tr("an old version of LangGraph must run the thread's tasks first")
    new_id = _next_id(state.newest_id)
    if reason or new_id <= state.newest_id:
        raise CannotWrite(
            tr(
                "Nothing was written, because no checkpoint can be added to thread {thread}: {reason}. First continue "
                "the thread with graph.invoke(None, thread).",
                thread=state.thread_id,
                reason=reason or tr("its id cannot be continued"),
            )
        )
    messages, calls = _new_messages(state, changes)
    values, members = dict(checkpoint.values), dict(checkpoint.members)
    version = _next_version(checkpoint.versions)
    versions = checkpoint.versions | {state.channel: version}
    values[state.channel] = packed.as_list(messages, state.is_delta)
    _finish_tasks(state, sends, calls, values)
    if state.writes and TASKS not in values and not state.nodes:
        for write in state.writes:
            if write.channel.startswith(BRANCH):
                values[write.channel], versions[write.channel] = write.value, version
    members["id"] = Raw(packed.encode(new_id))
    members["channel_values"] = Raw(packed.encode(values))
    members["channel_versions"] = Raw(packed.encode(versions))
    if "updated_channels" in members:
        members["updated_channels"] = _NIL
    row = (state.thread_id, state.namespace, new_id, checkpoint.id, checkpoint.type)
    return (*row, packed.encode(members), _new_metadata(checkpoint.metadata, state.channel))


def _new_messages(state: ThreadState, changes: MemberChanges) -> tuple[list[Raw], set[str]]:
    """Return the packed messages after the changes, and the calls that have a result. Raises CannotWrite."""
    after: list[StoredMessage] = []
    for message in state.messages:
        added = changes.added_before.get(message.name, [])
        after += [StoredMessage("", text, packed.new_message(text)) for text in added]
        text = changes.members.get(message.name, message.json)
        if text is not None and text == message.json:
            after.append(message)
        elif text is not None and message.packed is not None:
            after.append(replace(message, json=text, packed=packed.edited_message(message.packed, message.json, text)))
        elif text is not None:
            after.append(StoredMessage("", text, packed.new_message(text)))
        added = changes.added_after.get(message.name, [])
        after += [StoredMessage("", text, packed.new_message(text)) for text in added]
    if any(message.packed is None for message in after):
        raise CannotWrite(
            tr("Nothing was written, because thread {thread} still has a damaged row.", thread=state.thread_id)
        )
    return [message.packed for message in after if message.packed], answered_calls(message.json for message in after)


def _finish_tasks(state: ThreadState, sends: list[Raw], answered: set[str], values: dict[str, Raw]) -> None:
    """Remove the tasks that ended, and those whose calls have a result now, from the values of a checkpoint."""
    left = [
        send
        for number, send in enumerate(sends)
        if number in state.sends and not ((calls := calls_of_task(state.sends[number])) and answered.issuperset(calls))
    ]
    values.pop(TASKS, None)
    if left:
        values[TASKS] = packed.as_list(left, False)
    for node in (path.rpartition(", ")[2] for path in ended_tasks(state.writes)):
        values.pop(START if node == START else BRANCH + node, None)


def _next_id(newest: str) -> str:
    """Return the id right after another: they are UUIDs of version 6, which begin with a time."""
    digits = newest.replace("-", "")
    with suppress(ValueError):
        if len(digits) == 32:
            digits = f"{int(digits, 16) + 1:032x}"
            return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    return ""


def _next_version(versions: dict[str, Any]) -> Any:
    """Return a version after all others. The checkpointer of SQLite counts in texts, with random digits behind them."""
    texts = [version for version in versions.values() if isinstance(version, str)]
    if texts:
        return f"{int(max(texts).partition('.')[0] or 0) + 1:032}.{0:016}"
    return max((version for version in versions.values() if isinstance(version, int | float)), default=0) + 1


def _new_metadata(stored: Any, channel: str) -> Any:
    """Return the metadata of the new checkpoint, in the type of the old."""
    known: Any = {}
    with suppress(ValueError, TypeError):
        known = json.loads(stored)
    known = known if isinstance(known, dict) else {}
    step = known.get("step")
    known |= {"source": "update", "step": step + 1 if isinstance(step, int) else 0}
    known.pop("writes", None)
    counters = known.get("counters_since_delta_snapshot")
    if isinstance(counters, dict):
        known["counters_since_delta_snapshot"] = {key: count for key, count in counters.items() if key != channel}
    text = json.dumps(known, ensure_ascii=False)
    return text if isinstance(stored, str) else text.encode("utf-8", "ignore")
