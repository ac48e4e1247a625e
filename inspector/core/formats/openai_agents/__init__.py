"""OpenAI Agents SDK: the database of its `SQLiteSession`, whose rows are items of the Responses API.

Facts: openai-agents 0.24.0 (memory/sqlite_session.py, run_internal/session_persistence.py), seen with 0.20.0, 0.22.0
and 0.24.0. The path of the database is the program's own choice. A turn is saved after its tools ran, so that a killed
program leaves its prompt alone. Seen to be damaged: an output without its call, of an agent with output guardrails
whose tool was approved (0.22.0, openai/openai-agents-python#4827); a call without its output, where the output could
not be saved (0.20.0 and 0.22.0, #4615); an output whose call was cut off by a limit or by `pop_item`.

A call that waits for an approval is saved without an output. The approval itself is in the `RunState` that the program
keeps. A list of `to_input_list()` has no tables around it: it is read as a list of items of the Responses API.
"""

from __future__ import annotations

from array import array
from types import MappingProxyType

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import (
    InvalidCharacters,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
    losses_of_rules,
)
from inspector.core.formats.base.databases import CLOSE_PROGRAM_STEP, DatabaseFormat
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.item_arrays import ResponseItemArrays, is_response_item
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.openai_agents import request
from inspector.core.formats.openai_agents.request import PLACEHOLDER_ID, profile_of
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import is_valid_json, parse_json, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

TABLES = {
    "agent_sessions": {"session_id", "created_at", "updated_at"},
    "agent_messages": {"id", "session_id", "message_data", "created_at"},
}
# The order of the rows of an `AdvancedSQLiteSession`, which has branches.
BRANCH_TABLE = "message_structure"
_SESSION_KEYS = {"session_id", "agent_messages"}
_LABEL = "OpenAI Agents SDK"
_SKIPPED_ROW_LOSSES = dict.fromkeys(("F1", "F2", "F3", "F4", "F6", "F8"), tr("the row that is not valid JSON"))


class OpenAIAgents(DatabaseFormat, ResponseItemArrays, RequestBuilder):
    """Sessions of the OpenAI Agents SDK."""

    tables = TABLES
    other_table = BRANCH_TABLE
    assembly = LazyModule("inspector.core.formats.openai_agents.assembly")
    name = "openai-agents"
    label = "OpenAI Agents SDK session"
    keys = "agent_messages"
    container = tr("SQLite database")
    detection = tr("tables named agent_sessions and agent_messages")
    read = tr("each session's rows, sorted by id, with one Responses API item per row")
    write_back = tr("yes, as a copy or in place; other sessions stay as they are, and rows after a new row get new ids")
    resume = tr("calls without an output are dropped, and the provider rejects outputs without a call")
    unsupported = tr("AdvancedSQLiteSession (branches), EncryptedSession, and tables with other names")
    source = "openai-agents 0.24.0, memory/sqlite_session.py, run_internal/"
    shapes = MessagePaths(("agent_messages",))
    is_provider_api = False
    members_are_records = True
    placeholder_item_id = PLACEHOLDER_ID
    supported_profiles = ("openai-responses", "openai-chat")
    sends_reasoning_ids = True

    # reading

    def score(self, head: Head) -> float:
        """Return how sure it is that a document holds sessions in the form in which a database is put together."""
        items = head.messages_in(self.shapes)
        if items is None or head.is_lines or not all(map(is_response_item, items)):
            return 0.0
        sessions = head.value if isinstance(head.value, list) else [head.context]
        is_own = bool(sessions) and all(isinstance(each, dict) and each.keys() >= _SESSION_KEYS for each in sessions)
        return 0.95 if is_own else 0.0

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if isinstance(source, AssembledSource):
            return self.index_assembled(source, reading)
        return super().index(source, replace(reading, deep=True))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        session.id = _session_id(log, sequence) or session.id
        session.profile, session.provider_assumed = profile_of(columns, session.main_thread.path, raw)
        session.sends_item_ids = session.profile == self.profile
        session.agent = _LABEL

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the newest response: one without an output waits for an approval.

        The outputs of the others are saved with their calls.
        """
        waiting: set[str] = set()
        for record in reversed(path):
            rows = columns.block_rows(record)
            if columns.roles[record] == Role.TOOL and not waiting:
                continue
            if columns.roles[record] != Role.ASSISTANT or any(
                columns.block_kinds[row] not in (BlockKind.CALL, BlockKind.THINKING) for row in rows
            ):
                break
            waiting.update(columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == BlockKind.CALL)
        return waiting | super().pending_calls(session, columns, path, raw)

    # what the SDK does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = MappingProxyType({"F5": InvalidCharacters.SKIPPED, "F7": InvalidCharacters.SENT})

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the SDK does with damage: it skips a row that is not JSON."""
        losses = losses_of_rules(_SKIPPED_ROW_LOSSES, rules)
        return ResumeBehavior(self.name, "mends" if losses else "as-is", losses, _LABEL)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        step = tr('Run your program with SQLiteSession("{session_id}", "{path}").', session_id=session_id, path=path)
        return NextSteps((step,), close=CLOSE_PROGRAM_STEP)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        if not isinstance(log.source, AssembledSource):
            return super().copy_steps(log, path)
        return NextSteps(
            (tr('Use "{path}" as the path of your SQLiteSession. The session ids are the same.', path=path),)
        )


def _session_id(log: Log, sequence: RecordSequence) -> str:
    """Return the id that precedes the items of a session."""
    if sequence.enclosing_object is None or sequence.array_start is None:
        return ""
    head = log.source.read(sequence.enclosing_object[0], sequence.array_start) + b"[]}"
    return text_at(parse_json(head), "/session_id") if is_valid_json(head) else ""
