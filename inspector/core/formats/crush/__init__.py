"""Crush: the sessions in the database of a project.

Facts: charmbracelet/crush @37f36e9, internal/db, internal/message, internal/agent/agent.go and internal/cmd/root.go,
read and not run. The database is `.crush/crush.db` in the folder of a project, unless the option `data_directory` moves
it. Its server answers with messages of the same form. Crush saves a call before its tool runs.
"""

from __future__ import annotations

from array import array
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
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.row_sessions import RowSessions, enclosing_session, time_of_seconds
from inspector.core.formats.base.stores import StorePattern
from inspector.core.formats.base.writer import BlockEdits, CallContext, deterministic_uuid
from inspector.core.formats.crush import reader, request
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import RecordView
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage import json_edits
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
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

TABLES = {
    "messages": {"id", "session_id", "role", "parts", "created_at"},
    "sessions": {"id", "title", "message_count"},
}
_LABEL = "Crush"
_CLOSE_STEP = tr("Close Crush.")


class Crush(BlockListFormat, RowSessions):
    """Sessions of Crush."""

    tables = TABLES
    assembly = LazyModule("inspector.core.formats.crush.assembly")
    name = "crush"
    label = "Crush session"
    keys = "messages parts role"
    container = tr("SQLite database or JSON document")
    detection = tr("a table named messages with a column parts, or messages whose parts have a type and data")
    read = tr("the messages of each session by time, from the last summary on")
    write_back = tr(
        "yes, as a copy or in place. In a database, rows after a new row get a new rowid, and the number of messages "
        "of the session is updated"
    )
    resume = tr(
        "calls without a result get a placeholder, and results without a call are dropped. A result that does not "
        "follow its call is sent where it is. A session with a message that cannot be read is not loaded"
    )
    unsupported = tr(
        "databases of projects whose folder is not specified, versions after August 2026, which may move results to "
        "their calls, and text files that are attached to a prompt. What Crush does is known only from its source code"
    )
    source = "charmbracelet/crush, internal/agent/agent.go, internal/message/, internal/db/"
    profile = "anthropic"
    content_pointer = "/parts"
    block_schema = reader.BLOCK_SCHEMA
    message_schema = reader.MESSAGE_SCHEMA
    stores = (StorePattern("~/.crush", "crush.db"),)
    shapes = MessagePaths(("messages",))
    program_label, database_name = _LABEL, "crush.db"
    damage_error = request.NOT_LOADED
    can_invent_calls = True
    pairs_server_tools = False
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral")

    # reading

    def score(self, head: Head) -> float:
        messages = head.messages_in(self.shapes)
        parts = [part for message in messages or () for part in list_at(message, "/parts")]
        is_own = all(
            isinstance(part, dict) and str(part.get("type")) in reader.PART_TYPES and isinstance(part.get("data"), dict)
            for part in parts
        )
        return 0.95 if parts and is_own else 0.0

    index_valid_record = staticmethod(reader.add_message)

    def can_be_salvaged(self, columns: Columns, record: int, part: bytes) -> bool:
        """Return whether a part is a message. Of a row, there are only its parts."""
        return super().can_be_salvaged(columns, record, part) and "role" in object_at(parse_json(part), "")

    def view(self, raw: bytes) -> RecordView:
        shown, value = super().view(raw), parse_json(raw)
        created = value.get("created_at") if isinstance(value, dict) else None
        return replace(shown, time=time_of_seconds(created))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        head, path = enclosing_session(log, sequence), session.main_thread.path
        session.id = text_at(head, "/id") or session.id
        session.title, session.agent = text_at(head, "/title"), _LABEL
        if summary := text_at(head, "/summary_message_id"):
            session.main_thread.path = _path_from(summary, columns, path, raw)
        answers = (at for at in reversed(path) if columns.roles[at] == Role.ASSISTANT)
        newest = next((object_at(_parsed(raw(at)), "") for at in answers), {})
        profile = profile_name_of(text_at(newest, "/provider"), text_at(newest, "/model"))
        session.profile, session.provider_assumed = profile or self.profile, not profile

    # what Crush does

    build_request = staticmethod(request.build_request)
    sent_thinking = staticmethod(request.thinking_block)
    sent_text = staticmethod(request.sent_text)
    handles_invalid_characters = MappingProxyType(dict.fromkeys(("F5", "F7"), InvalidCharacters.REPLACED))

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        if not self.claims(Path(path)):
            return NextSteps((tr("Crush does not read messages from a file. Repair the database they come from."),))
        return NextSteps((CHANGE_FOLDER_STEP, RUN_STEP), f"crush --session {session_id}", _CLOSE_STEP)

    def store_folder(self, log: Log) -> Path | None:
        """Return the folder of the database, which is in the project's own folder."""
        is_database = isinstance(log.source, AssembledSource) and not log.source.archive
        return Path(log.source.path).absolute().parent if is_database else None

    # writing

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        """Return the changed message, None for one of which nothing but its end would be left.

        Crush sends nothing but the results of a message of tools: without any, it becomes one of the user.
        """
        parts = list_at(parse_json_cached(raw), "/parts")
        left = [part for number, part in enumerate(parts) if number not in edits.drop]
        if edits.drop and not edits.insert and all(text_at(part, "/type") == "finish" for part in left):
            return None
        changed = super().rewrite(columns, record, raw, edits)
        if changed is None or columns.roles[record] != Role.TOOL:
            return changed
        types = {text_at(part, "/type") for part in list_at(parse_json(changed), "/parts")}
        return changed if "tool_result" in types else json_edits.set_member(changed, "", "role", b'"user"')

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(reader.make_result(call.id, call.name, text, failed))

    def invented_call(self, call: CallContext) -> Any:
        return reader.make_invented_call(call.id, call.name)

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a message with an id of its own. Its time is that of the row next to it, if that has one."""
        beside = object_at(_parsed(like), "")
        is_answer = role == Role.ASSISTANT
        speaker = "assistant" if is_answer else "tool" if role == Role.TOOL else "user"
        rest: dict[str, Any] = {"id": deterministic_uuid(seed), "role": speaker}
        rest |= {key: beside[key] for key in ("created_at",) if key in beside}
        end = dump_json(reader.finish_part("tool_use" if is_answer else "stop"))
        return b'%s,"parts":%s,%s]}' % (dump_json(rest)[:-1], content[:-1], end)


def _parsed(raw: bytes) -> Any:
    return parse_json_cached(raw) if is_valid_json(raw) else {}


def _path_from(summary: str, columns: Columns, path: array[int], raw: ReadRecord) -> array[int]:
    """Return the path from the newest summary on, which Crush sends as the person's words."""
    quoted = dump_json(summary)
    for number, record in enumerate(path):
        text = raw(record)
        if quoted in text and text_at(_parsed(text), "/id") == summary:
            columns.roles[record] = Role.USER
            return path[number:]
    return path
