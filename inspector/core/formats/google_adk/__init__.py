"""Google ADK: sessions in the databases of `SqliteSessionService` and `DatabaseSessionService`, and as JSON.

Facts: google-adk 2.13.0 (sessions/, cli/cli.py), seen with 2.13.0, 2.9.0 and 1.39.1. `adk run` and `adk web` keep the
sessions of an agent in `.adk/session.db` in its folder; elsewhere, the path is the program's own choice. JSON is what
the API returns, and what `adk run --save_session` writes and `adk run --resume` reads. A call is saved before its tool
runs, and the results of a turn are saved as one event when the last tool ended. So a killed program leaves calls
without results for good. What is sent of them is described in `request`.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import InvalidCharacters, NextSteps, RequestBuilder, ResumeBehavior
from inspector.core.formats.base.block_list_formats import GeminiPartsFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.databases import CLOSE_PROGRAM_STEP, DatabaseFormat
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays, enclosing_request
from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.formats.google_adk import reader, request
from inspector.core.formats.google_adk.loader import threads_of
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockView, RecordView
from inspector.core.providers.block_views import block_views
from inspector.core.providers.gemini import schema
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import (
    dump_json,
    integers_at,
    is_valid_json,
    list_at,
    object_at,
    parse_json,
    text_at,
    value_at,
)
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

_KEY_COLUMNS = {"app_name", "user_id", "id"}
TABLES = {
    "sessions": _KEY_COLUMNS | {"state"},
    "events": _KEY_COLUMNS | {"session_id", "invocation_id", "timestamp", "event_data"},
}
_INVOCATION_KEYS = ("invocationId", "invocation_id")
_APP_KEYS = {"appName", "app_name"}
_LABEL = "Google ADK"
_RAN_WITHIN = tr("The log contains an event of the agent that ran as this tool.")
_NEWEST_ANSWERS = 5
_ONE_STEP = 0.000_001


class GoogleAdk(DatabaseFormat, GeminiPartsFormat, MessageArrays, RequestBuilder, CallEvidenceSource):
    """Sessions of Google's Agent Development Kit."""

    tables = TABLES
    assembly = LazyModule("inspector.core.formats.google_adk.assembly")
    name = "google-adk"
    label = "Google ADK session"
    keys = "author events invocationId invocation_id"
    container = tr("SQLite database or JSON document")
    detection = tr(
        "tables named sessions and events (with a column event_data), or events with an author and an invocation id"
    )
    read = tr(
        "the events of each session in chronological order, except those that were rewound or "
        "summarized. Events of agents that ran as tools are side threads"
    )
    write_back = tr("yes, as a copy or in place. In a database, a new event gets a time between those of its neighbors")
    resume = tr(
        "the last result of a call is sent right after the call, and results without a call are dropped. "
        "Versions 2.10.0 and later also drop calls without a result. A session with an invalid event is "
        "not loaded"
    )
    unsupported = tr(
        "databases with pickled actions (DatabaseSessionService before 1.22), live transcriptions, evaluation sets, "
        "how the request to LiteLLM represents results, and a call right after a summary, which Gemini can reject"
    )
    source = "google-adk 2.13.0, sessions/, flows/llm_flows/context/, flows/llm_flows/tools/_rearranger.py"
    profile = "gemini"
    content_pointer = reader.PARTS
    shapes = MessagePaths(("events",), message_keys=frozenset({"author", *_INVOCATION_KEYS}))
    is_provider_api = False
    members_are_records = True
    keeps_answers_separate = True
    can_invent_calls = True
    supported_profiles = ("gemini", "openai-chat", "anthropic")

    # reading

    def score(self, head: Head) -> float:
        are_lines = head.is_lines and self.is_message_line(head.lines[0])
        events = head.lines if are_lines else head.messages_in(self.shapes) or []
        sessions = head.value if isinstance(head.value, list) else [head.context]
        is_session = bool(sessions) and all(isinstance(each, dict) and _APP_KEYS & each.keys() for each in sessions)
        recognized = any if is_session else all
        return 0.95 if events and recognized(map(_is_event, events)) else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return _is_event(first)

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if isinstance(source, AssembledSource):
            return self.index_assembled(source, reading)
        return super().index(source, replace(reading, deep=True))

    index_valid_record = staticmethod(reader.add_event)
    misfits = staticmethod(reader.misfits_of)

    def can_be_salvaged(self, columns: Columns, record: int, part: bytes) -> bool:
        """Return whether a part is an event. With any other object, ADK does not load the session."""
        return super().can_be_salvaged(columns, record, part) and "author" in object_at(parse_json(part), "")

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        return reader.SUMMARY_PARTS.get(columns.marks[record] & RecordMark.VARIANT_MASK, reader.PARTS)

    def _content_of(self, columns: Columns, record: int, raw: ReadRecord) -> bytes:
        return raw_json_at(raw(record), self.content_pointer_of(columns, record).removesuffix("/parts"))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        head = enclosing_request(log, sequence, sequence.enclosing_object)
        session.id = text_at(parse_json(head) if is_valid_json(head) else {}, "/id") or session.id
        session.threads = threads_of(columns, session.main_thread.path, raw)
        path = session.main_thread.path
        session.profile, session.provider_assumed = _profile_of(columns, path, raw)
        session.agent = _LABEL
        if session.profile == self.profile:
            schema.pair_calls_by_name(columns, path, lambda record: self._content_of(columns, record, raw))

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the long-running calls: their results come later."""
        readable = (raw(record) for record in path if not columns.marks[record] & RecordMark.UNREADABLE)
        return {call for event in readable if _may_wait(event) for call in reader.decode(event).long_running_ids}

    def view(self, raw: bytes) -> RecordView:
        event = parse_json(raw)
        if not isinstance(event, dict):
            return RecordView("", tr("no event"))
        known, blocks = reader.decode(raw), self.block_views(event)
        tokens = integers_at(
            object_at(event, "/usageMetadata") or object_at(event, "/usage_metadata"),
            *("/promptTokenCount", "/candidatesTokenCount"),
        )
        when = ""
        with suppress(ValueError, OverflowError, OSError):
            when = datetime.fromtimestamp(known.timestamp, UTC).isoformat() if known.timestamp else ""
        return RecordView(known.author, "" if blocks else _summary(event), blocks, when, known.model_version, *tokens)

    def block_views(self, record: dict[str, Any], /) -> tuple[BlockView, ...]:
        places = (*reader.SUMMARY_PARTS.values(), reader.PARTS)
        pointer = next((place for place in places if list_at(record, place)), reader.PARTS)
        return block_views(self.block_schema, value_at(record, pointer), pointer)

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        """Return whether an event is one of an agent that ran as the tool of a call."""
        scopes = (text_at(row, f"/{key}") for key in ("isolationScope", "isolation_scope"))
        branches = text_at(row, "/branch").split(".")
        is_within = call.id in (*scopes, *(branch.partition("@")[2] for branch in branches))
        return EvidenceItem(EvidenceStrength.STARTED, _RAN_WITHIN) if call.id and is_within else None

    # what ADK does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = MappingProxyType(dict.fromkeys(("F5", "F7"), InvalidCharacters.SKIPPED))

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what ADK does with damage: it does not load the session."""
        agent = f"{self.name} {session.version}".strip()
        if any(rule.startswith("F") for rule in rules):
            return ResumeBehavior(agent, "refuses", (), _LABEL, error=request.NOT_LOADED)
        return ResumeBehavior(agent, "as-is", (), _LABEL)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        if not self.claims(Path(path)):
            return self._steps_of_document(path)
        if Path(path).match(".adk/session.db"):
            step = tr(
                "Run adk web in the folder that contains the agent's folder, and choose session {id}.", id=session_id
            )
        else:
            step = tr('Open session "{id}" with a session service for "{path}".', id=session_id, path=path)
        return NextSteps((step,), close=CLOSE_PROGRAM_STEP)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        if not isinstance(log.source, AssembledSource):
            return self._steps_of_document(path)
        return NextSteps(
            (tr('Use "{path}" as the database of your session service. The session ids are the same.', path=path),)
        )

    @staticmethod
    def _steps_of_document(path: str) -> NextSteps:
        return NextSteps((tr("Run adk run --resume {path} AGENT, where AGENT is the path of your agent.", path=path),))

    # writing

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return an event of the agent and the run that the event `like` belongs to, right after it or before it."""
        event = reader.decode(like)
        is_camel = b'"invocation_id"' not in like
        speaker = schema.BLOCK_SCHEMA.assistant_role if role == Role.ASSISTANT else "user"
        author = reader.USER if role == Role.USER else event.author
        step = _ONE_STEP if role == Role.TOOL else -_ONE_STEP
        rest = {
            _INVOCATION_KEYS[0 if is_camel else 1]: event.invocation_id,
            "author": author,
            "id": deterministic_uuid(seed),
            "timestamp": event.timestamp + step,
        }
        return b'{"content":{"parts":%s,"role":"%s"},%s' % (content, speaker.encode(), dump_json(rest)[1:])


def _is_event(value: dict[str, Any]) -> bool:
    """Return whether an object is an event."""
    is_said = isinstance(value.get("content"), dict | None)
    return isinstance(value.get("author"), str) and is_said and any(key in value for key in _INVOCATION_KEYS)


def _may_wait(raw: bytes) -> bool:
    return b"longRunningToolIds" in raw or b"long_running_tool_ids" in raw


def _profile_of(columns: Columns, path: array[int], raw: ReadRecord) -> tuple[str, bool]:
    """Return the profile of the newest model that a response names, and whether that is a guess."""
    answers = [record for record in path if columns.roles[record] == Role.ASSISTANT][-_NEWEST_ANSWERS:]
    models = (reader.decode(raw(record)).model_version for record in reversed(answers))
    model = next(filter(None, models), "")
    profile = profile_name_of("", model)
    return profile or ("openai-chat" if model else GoogleAdk.profile), not profile


def _summary(event: dict[str, Any]) -> str:
    """Return what an event without a content does."""
    actions = object_at(event, "/actions")
    done = [key for key, value in actions.items() if value not in (None, {}, [], False)]
    error = text_at(event, "/errorMessage") or text_at(event, "/error_message")
    return error or ", ".join(done)
