"""Goose: the sessions in its database, and its export of a session as JSON.

Facts: aaif-goose/goose (earlier block/goose), crates/goose/src/session/session_manager.rs @017176d and config/paths.rs,
read and not run. All sessions are in `sessions/sessions.db` in the data folder, which `GOOSE_PATH_ROOT` moves. An
export is a session with its messages in `conversation`. Goose saves a call before its tool runs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    RUN_STEP,
    InvalidCharacters,
    NextSteps,
)
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.row_sessions import RowSessions, enclosing_session, time_of_seconds
from inspector.core.formats.base.stores import StorePattern
from inspector.core.formats.base.writer import CallContext, deterministic_uuid
from inspector.core.formats.goose import reader, request
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import RecordView
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import (
    dump_json,
    is_valid_json,
    list_at,
    object_at,
    parse_json,
    parse_json_cached,
    text_at,
)
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

TABLES = {"messages": {"id", "session_id", "role", "content_json", "created_timestamp"}, "sessions": {"id"}}
_KEY = "conversation"
_LABEL = "Goose"
_CLOSE_STEP = tr("Close Goose.")
_OWN_KEYS = {"created", "metadata"}
_OWN_TYPES = reader.BLOCK_TYPES - {"text", "image", "thinking", "reasoning"}


class Goose(BlockListFormat, RowSessions):
    """Sessions of Goose."""

    tables = TABLES
    assembly = LazyModule("inspector.core.formats.goose.assembly")
    name = "goose"
    label = "Goose session"
    keys = f"{_KEY} working_dir"
    container = tr("SQLite database or JSON document")
    detection = tr("a table named messages with a column content_json, or messages in conversation")
    read = tr("the messages of each session by time and id, except those that the agent does not see")
    write_back = tr("yes, as a copy or in place. In a database, rows after a new row get new ids")
    resume = tr(
        "results that do not follow their call, and calls without a result, are dropped. A session with a message "
        "that cannot be read is not loaded"
    )
    unsupported = tr(
        "sessions in JSON Lines (versions before 1.10), calls that the model wrote in an invalid form, and how a "
        "provider gets reasoning without a signature. What Goose does is known only from its source code"
    )
    source = "aaif-goose/goose, crates/goose/src/session/session_manager.rs, crates/goose/src/conversation/"
    profile = "anthropic"
    content_pointer = "/content"
    block_schema = reader.BLOCK_SCHEMA
    message_schema = reader.MESSAGE_SCHEMA
    stores = (
        StorePattern("$XDG_DATA_HOME/goose|~/.local/share/goose", "sessions/sessions.db"),
        StorePattern("$GOOSE_PATH_ROOT/data", "sessions/sessions.db"),
        StorePattern("~/Library/Application Support/Block/goose", "sessions/sessions.db"),
        StorePattern("$APPDATA/Block/goose/data", "sessions/sessions.db"),
    )
    shapes = MessagePaths((_KEY,))
    program_label, database_name = _LABEL, "sessions.db"
    damage_error = request.NOT_LOADED
    can_invent_calls = True
    pairs_server_tools = False
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral")

    # reading

    def score(self, head: Head) -> float:
        messages = head.messages_in(self.shapes)
        if messages is None:
            return 0.0
        heads = head.lines if head.is_lines else head.value if isinstance(head.value, list) else [head.context]
        if not heads or not all(isinstance(each, dict) and _KEY in each for each in heads):
            return 0.0
        blocks = (block for message in messages for block in list_at(message, "/content") if isinstance(block, dict))
        types = {str(block.get("type")) for block in blocks}
        has_own = not types.isdisjoint(_OWN_TYPES) or all("working_dir" in each for each in heads)
        has_own = has_own or any(not _OWN_KEYS.isdisjoint(message) for message in messages)
        is_own = types <= reader.BLOCK_TYPES and (has_own or not messages)
        return 0.95 if is_own and (messages or "working_dir" in head.context) else 0.0

    index_valid_record = staticmethod(reader.add_message)

    def can_be_salvaged(self, columns: Columns, record: int, part: bytes) -> bool:
        """Return whether a part is a message. Of a row, there is only its content."""
        return super().can_be_salvaged(columns, record, part) and "role" in object_at(parse_json(part), "")

    def view(self, raw: bytes) -> RecordView:
        shown, value = super().view(raw), parse_json(raw)
        created = value.get("created") if isinstance(value, dict) else None
        return replace(shown, time=time_of_seconds(created))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        path = session.main_thread.path
        session.main_thread.path = array("I", (at for at in path if not columns.marks[at] & RecordMark.NOT_SENT))
        head = enclosing_session(log, sequence)
        session.id = text_at(head, "/id") or session.id
        session.title, session.agent = text_at(head, "/name"), _LABEL
        model = text_at(head, "/model_config_json/model_name") or text_at(head, "/model_config/model_name")
        profile = profile_name_of(text_at(head, "/provider_name"), model)
        session.profile, session.provider_assumed = profile or self.profile, not profile

    def stored_folder(self, log: Log, session: int) -> str:
        known = session < len(log.sequences)
        return text_at(enclosing_session(log, log.sequences[session]), "/working_dir") if known else ""

    # what Goose does

    build_request = staticmethod(request.build_request)
    sent_thinking = staticmethod(request.thinking_block)
    handles_invalid_characters = MappingProxyType(dict.fromkeys(("F5", "F7"), InvalidCharacters.SKIPPED))

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        if not self.claims(Path(path)):
            return NextSteps((RUN_STEP,), shell_command("goose", "session", "import", path))
        command = f"goose session --resume --session-id {session_id}"
        return NextSteps((CHANGE_FOLDER_STEP, RUN_STEP), command, _CLOSE_STEP)

    # writing

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(reader.make_result(call.id, text, failed))

    def invented_call(self, call: CallContext) -> Any:
        return reader.make_invented_call(call.id, call.name)

    def media_of(self, result: Any) -> Iterable[Any]:
        parts = list_at(result, "/toolResult/value/content") or list_at(result, "/toolResult/value")
        return (part for part in parts if isinstance(part, dict) and part.get("type") == "image")

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a message with the time of the message `like`, if it has one: a row has its time in a column."""
        beside = object_at(parse_json_cached(like), "") if is_valid_json(like) else {}
        rest: dict[str, Any] = {"id": f"msg_{deterministic_uuid(seed)}"} if beside.get("id") else {}
        rest["role"] = "assistant" if role == Role.ASSISTANT else "user"
        rest |= {"created": beside["created"]} if "created" in beside else {}
        visible = dump_json({"userVisible": True, "agentVisible": True})
        return b'%s,"content":%s,"metadata":%s}' % (dump_json(rest)[:-1], content, visible)
