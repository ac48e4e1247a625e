"""Hermes Agent: the sessions in its database, its exports, and the rows of a session as JSON.

Facts: hermes-agent 0.19.0 (hermes_state.py, hermes_cli/, agent/), run on broken sessions. All sessions of a profile are
in `state.db` in its home: `${HERMES_HOME:-~/.hermes}`, and `profiles/NAME` in it. Rows that were taken back, or
summarized in place, have `active = 0` and are not loaded. `hermes sessions export` writes a session on each line, as it
is put together here. Hermes saves a call before its tool runs. So a killed program leaves calls without results.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from types import MappingProxyType
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    RUN_STEP,
    InvalidCharacters,
    NextSteps,
)
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MESSAGE_CONTAINER_KEYS
from inspector.core.formats.base.openai_messages import ChatMessages
from inspector.core.formats.base.row_sessions import RowSessions, enclosing_session
from inspector.core.formats.base.stores import StorePattern
from inspector.core.formats.base.writer import BlockEdits, CallContext
from inspector.core.formats.hermes import reader, request
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import Log, Session
from inspector.core.providers.openai_chat import schema
from inspector.core.storage import json_edits
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import dump_json, is_valid_json, object_at, parse_json, parse_json_cached, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

TABLES = {
    "messages": {"id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp"},
}
# The members of a row that a new one beside it has too.
_OF_SESSION = ("session_id", "timestamp")
# Without content, a message with calls is sent, and one that has only these forms of reasoning is not.
_IN_PLACE_OF_CONTENT = ("tool_calls", "reasoning_details", "codex_reasoning_items")
_SNAPSHOT_KEYS = {"session_id", "session_start", "messages"}
_LABEL = "Hermes"
_CLOSE_STEP = tr("Close Hermes, and its gateway if it is running.")


class Hermes(ChatMessages, RowSessions):
    """Sessions of Hermes Agent."""

    tables = TABLES
    assembly = LazyModule("inspector.core.formats.hermes.assembly")
    name = "hermes"
    label = "Hermes session"
    keys = f"{MESSAGE_CONTAINER_KEYS} session_id session_start"
    container = tr("SQLite database, JSON document or JSON Lines")
    detection = tr(
        "a table named messages with the columns tool_calls and tool_name, messages with a session_id, or messages "
        "whose tool_calls are a string"
    )
    read = tr("the active rows of each session, in the order of their ids")
    write_back = tr(
        "yes, as a copy or in place. In a database, only the changed columns are written, rows after a new row get "
        "new ids, and the search index is updated"
    )
    resume = tr(
        "calls without a result get a placeholder. Results that are not in the turn of their call, and calls and "
        "results whose id was used before, are dropped"
    )
    unsupported = tr(
        "how Hermes converts messages for the Anthropic, Bedrock and Responses APIs, calls whose id and call_id "
        "differ, and what its gateway and its new interface drop at the end of a session"
    )
    source = "hermes-agent 0.19.0, hermes_state.py, agent/agent_runtime_helpers.py, agent/conversation_loop.py"
    profile = "openai-chat"
    block_schema = reader.BLOCK_SCHEMA
    message_schema = reader.MESSAGE_SCHEMA
    stores = (
        StorePattern("~/.hermes", "state.db", "HERMES_HOME"),
        StorePattern("~/.hermes", "profiles/*/state.db", "HERMES_HOME"),
        StorePattern("$LOCALAPPDATA/hermes", "state.db"),
    )
    shapes = MessagePaths(("messages",))
    program_label, database_name = _LABEL, "state.db"
    damage_error = request.INVALID_TEXT
    read_damage = frozenset({"F7"})
    lossy_rules = frozenset({"K1"})

    # reading

    def score(self, head: Head) -> float:
        if head.is_lines and self.is_message_line(head.lines[0]):
            messages = head.lines
        else:
            messages = head.messages_in(self.shapes) or []
            heads = head.lines if head.is_lines else [head.context]
            if all(each.keys() >= _SNAPSHOT_KEYS for each in heads) and all(map(_has_role, messages)):
                return 0.95
        if not messages or not all(map(_has_role, messages)):
            return 0.0
        is_row = all(map(_is_row, messages)) or any(map(_has_calls_as_text, messages))
        return 0.95 if is_row else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return _has_role(first) and (_is_row(first) or _has_calls_as_text(first))

    index_valid_record = staticmethod(reader.add_row)
    view = staticmethod(reader.record_view)

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return reader.call_in_string(columns, record, raw, ordinal) or super().block_bytes(
            columns, record, raw, ordinal
        )

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        path = session.main_thread.path
        session.main_thread.path = array("I", (at for at in path if not columns.marks[at] & RecordMark.NOT_SENT))
        head = _head_of(log, sequence)
        first = next((raw(at) for at in path if not columns.marks[at] & RecordMark.UNREADABLE), b"{}")
        own_id = text_at(head, "/id") or text_at(head, "/session_id") or text_at(parse_json(first), "/session_id")
        session.id = own_id or session.id
        session.title, session.agent, session.provider_assumed = text_at(head, "/title"), _LABEL, True

    def stored_folder(self, log: Log, session: int) -> str:
        return text_at(_head_of(log, log.sequences[session]), "/cwd") if session < len(log.sequences) else ""

    def missing_text(self, raw: bytes) -> str:
        message = parse_json(raw)
        if not isinstance(message, dict) or any(map(message.get, _IN_PLACE_OF_CONTENT)):
            return ""
        return "null" if message.get("content") is None else "list" if message["content"] == [] else ""

    # what Hermes does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = MappingProxyType({"F5": InvalidCharacters.SKIPPED, "F7": InvalidCharacters.REPLACED})

    def sent_call(self, name: str, block: bytes, version: str) -> tuple[str, bytes]:
        return request.sent_call(name, block)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        if not self.claims(Path(path)):
            return super().resume_steps(path, session_id, new)
        return NextSteps((CHANGE_FOLDER_STEP, RUN_STEP), f"hermes --resume {session_id}", _CLOSE_STEP)

    # writing

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        plain, is_string = reader.with_calls_as_list(raw)
        after = super().rewrite(columns, record, plain, edits)
        if after is None:
            return None
        after = reader.with_both_ids(plain, after, edits)
        return reader.with_calls_as_string(after) if is_string else after

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        name = {"tool_name": call.name} if call.name else {}
        return _beside(call.raw, {"role": "tool", "tool_call_id": call.id, **name, "content": text})

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        message = schema.make_invented_call_message(call.id, call.name, note)
        is_string = isinstance(object_at(parse_json_cached(call.raw), "").get("tool_calls"), str)
        made = _beside(call.raw, message)
        return [reader.with_calls_as_string(made) if is_string else made]

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return _beside(like, schema.make_user_message(text))

    def assistant_record(self, text: str) -> bytes:
        return dump_json({"role": "assistant", "content": text})

    def match_form(self, raw: bytes, beside: bytes) -> bytes:
        return _with_session(raw, beside)


def _has_role(message: dict[str, Any]) -> bool:
    return isinstance(message.get("role"), str)


def _is_row(message: dict[str, Any]) -> bool:
    """Return whether a message has what a row has, and no other program's messages."""
    return isinstance(message.get("session_id"), str) and "timestamp" in message


def _has_calls_as_text(message: dict[str, Any]) -> bool:
    calls = message.get("tool_calls")
    return isinstance(calls, str) and bool(reader.list_of_calls(dump_json(calls)))


def _head_of(log: Log, sequence: RecordSequence) -> Any:
    """Return the session around an array of messages: its own members, or those of an export's `session`."""
    head = enclosing_session(log, sequence)
    return object_at(head, "/session") or head


def _beside(like: bytes, message: dict[str, Any]) -> bytes:
    return _with_session(dump_json(message), like)


def _with_session(raw: bytes, like: bytes) -> bytes:
    """Return a record with the session and the time of another one, where that has them and it has none."""
    known, own = object_at(parse_json_cached(like), "") if is_valid_json(like) else {}, object_at(parse_json(raw), "")
    for key in _OF_SESSION:
        if key in known and key not in own:
            raw = json_edits.set_member(raw, "", key, dump_json(known[key]))
    return raw
