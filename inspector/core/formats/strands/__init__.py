"""Strands Agents: the folders of its `FileSessionManager`, `session_<id>/agents/agent_<id>/messages/message_<n>.json`.

Facts: strands-agents 1.62.0 (session/file_session_manager.py, session/repository_session_manager.py, types/session.py).
The folder of the sessions is `~/.strands/sessions`, if the program does not choose another one. The messages of a
response and of its results are written when they are complete: a killed program leaves calls without results. A message
is never changed later, except for `redact_message`. How a session is sent is described in `request`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import InvalidCharacters, NextSteps, RequestBuilder, ResumeBehavior
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery
from inspector.core.formats.base.folders import FolderFormat
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResult, LostResultSource
from inspector.core.formats.base.message_arrays import MessageArrays, enclosing_request
from inspector.core.formats.base.stores import SessionMetadata, StorePattern
from inspector.core.formats.base.writer import CallContext, DerivedUpdates, deterministic_uuid
from inspector.core.formats.strands import assembly, interrupts, loader, reader, request
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockView, RecordView
from inspector.core.providers.bedrock_converse import schema
from inspector.core.providers.block_views import block_views
from inspector.core.storage.folder import FolderContainer
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import (
    dump_json,
    is_valid_json,
    list_at,
    object_at,
    parse_json,
    parse_json_cached,
    text_at,
    value_at,
)
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

_LABEL = "Strands Agents"
_KEY, _FOLDER_PREFIX = "session_messages", "session_"
_NO_FOLDER = tr("This is not the folder of a session, so it cannot be saved as a new session. Save a copy.")
_RENUMBERED = tr("the number is updated to reflect the messages that the repair added or dropped")
_SPEAKERS = {Role.ASSISTANT: "assistant"}


class Strands(BlockListFormat, MessageArrays, RequestBuilder, CallEvidenceSource, LostResultSource, FolderFormat):
    """Session folders of Strands Agents."""

    name = "strands"
    label = "Strands Agents session"
    keys = _KEY
    container = tr("folder of JSON files")
    detection = tr("a folder with messages in agents/agent_ID/messages")
    read = tr("the messages of each agent, except those that its conversation manager removed")
    write_back = tr(
        "yes, as a copy, in place or as a new session. Only the changed files are written, and messages after a new "
        "message get new numbers"
    )
    resume = tr(
        "missing results are added, and results whose ids do not match a call are dropped. A second "
        "result for the same call is sent, and the provider rejects it"
    )
    unsupported = tr(
        "sessions of SnapshotSessionManager, sessions of several agents in multi_agents, and sessions in "
        "S3 or other storage"
    )
    lost_result_places = tr("in the agent's file, which contains results while a call is waiting for an answer")
    source = "strands-agents 1.62.0, session/, event_loop/streaming.py, models/"
    profile = "bedrock-converse"
    block_schema = schema.BLOCK_SCHEMA
    shapes = MessagePaths((_KEY,), message_keys=frozenset({"message", "agent_id"}))
    is_provider_api = False
    keeps_answers_separate = True
    requires_shared_results = True
    lossy_rules = frozenset({"R10"})
    members_are_records = True
    members_are_numbered = True
    can_invent_calls = True
    supported_profiles = ("bedrock-converse", "anthropic", "openai-chat", "openai-responses", "gemini", "mistral")
    session_store = "inspector.core.formats.strands.session_store:StrandsStore"
    can_start_new_session = True
    session_pointer = "/session_id"
    stores = (StorePattern("~/.strands", "sessions/session_*", agent=_LABEL),)

    # reading

    member_pattern = assembly.MEMBER

    def claims(self, path: Path) -> bool:
        return assembly.is_session_folder(path)

    def is_complete(self, names: Collection[str]) -> bool:
        return any("/messages/" in name for name in names)

    def assemble_folder(self, path: str, folder: FolderContainer) -> AssembledSource:
        return assembly.assemble(path, self.name, folder)

    def member_name(self, beside: str, text: bytes) -> str:
        number = value_at(parse_json_cached(text), "/message_id") if is_valid_json(text) else None
        return assembly.numbered_name(beside, number) if isinstance(number, int) else beside

    def score(self, head: Head) -> float:
        """Return how sure it is that a document holds a session in the form in which a folder is put together."""
        agents = head.value if isinstance(head.value, list) else [head.context]
        is_own = bool(agents) and all(isinstance(each, dict) and each.keys() >= {"session", _KEY} for each in agents)
        files = [file for file in head.messages_in(self.shapes) or () if "message_id" in file]
        return 0.95 if is_own and 2 * sum(map(_has_known_block, files)) >= len(files) else 0.0

    def metadata(self, head: Head) -> SessionMetadata:
        return SessionMetadata("", Path(head.path).name.removeprefix(_FOLDER_PREFIX))

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if isinstance(source, AssembledSource):
            return self.index_assembled(source, reading)
        return super().index(source, replace(reading, deep=True))

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        reader.add_file(columns, raw, start, end)

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        is_replaced = columns.marks[record] & RecordMark.VARIANT_MASK == reader.REPLACED
        return f"/{reader.REPLACEMENT if is_replaced else reader.MESSAGE}/content"

    def view(self, raw: bytes) -> RecordView:
        file = parse_json(raw)
        if not isinstance(file, dict):
            return RecordView("", tr("no message"))
        member, time = reader.sent_member(file), text_at(file, "/created_at")
        if member not in file:
            return RecordView("", tr("agent {name}", name=text_at(file, "/agent_id")), (), time)
        return RecordView(text_at(file, f"/{member}/role"), "", self.block_views(file), time)

    def block_views(self, record: dict[str, Any], /) -> tuple[BlockView, ...]:
        pointer = f"/{reader.sent_member(record)}/content"
        return block_views(schema.BLOCK_SCHEMA, value_at(record, pointer), pointer)

    misfits = staticmethod(reader.file_misfits)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        records = session.records
        agent = object_at(parse_json(raw(records[0])), "") if _has_agent_file(columns, records) else {}
        stored = text_at(_enclosing_session(log, sequence), "/session_id")
        agent_id = text_at(agent, "/agent_id")
        session.id = f"{stored}/{agent_id}" if len(log.sequences) > 1 else stored or session.id
        session.agent = _LABEL
        session.main_thread.path = loader.loaded_path(log.columns, sequence, columns, records)
        session.main_thread.damaged_links = loader.damage_if_all_removed(columns, records, session.main_thread.path)
        session.profile = request.profile_of(columns, session.main_thread.path)
        session.provider_assumed = True
        if interrupts.is_waiting(agent):
            session.stops_before_tool_calls = True
            session.state = tr("interrupted while waiting for an answer")

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        return interrupts.evidence_in_agents(log, calls)

    def lost_results_beside(self, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        return interrupts.results_in_agents(log, calls)

    def recovered_block(self, call: CallContext, result: LostResult) -> bytes:
        """Return the result as Strands keeps it."""
        return dump_json({"toolResult": result.content})

    # what the program does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = MappingProxyType({"F5": InvalidCharacters.SKIPPED, "F7": InvalidCharacters.SENT})

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the program does. `build_request` says where it stops at damage."""
        return ResumeBehavior(self.name, "as-is", (), _LABEL)

    def sent_call(self, name: str, block: bytes, version: str) -> tuple[str, bytes]:
        return request.sent_name(name), request.with_object_as_input(block)

    def sent_thinking(self, block: bytes) -> bytes:
        return request.thinking_block(block)

    # writing

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a message with the time of the message `like`. `update_derived` gives it its number."""
        file = object_at(parse_json_cached(like), "")
        tracking = {"tracking_id": deterministic_uuid(seed)} if value_at(file, "/message/tracking_id") else {}
        message = b'{"role":%s,"content":%s' % (dump_json(_SPEAKERS.get(role, "user")), content)
        message += b"," + dump_json(tracking)[1:] if tracking else b"}"
        number, time = value_at(file, "/message_id"), text_at(file, "/created_at")
        rest: dict[str, Any] = {"message_id": number if isinstance(number, int) else 0, "redact_message": None}
        rest |= {"created_at": time, "updated_at": time} if time else {}
        return b'{"message":%s,%s' % (message, dump_json(rest)[1:])

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(schema.make_tool_result(call.id, text, failed))

    def text_is_enough(self, call: CallContext, text: str) -> bool:
        """Return whether the text is not blank, since Bedrock refuses blank texts."""
        return bool(text.strip())

    def media_of(self, result: Any) -> Iterable[Any]:
        return schema.media_blocks_of_result(result)

    def invented_call(self, call: CallContext) -> Any:
        return schema.make_invented_call(call.id, call.name)

    def update_derived(self, before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
        """Return the messages and agents with numbers that must change."""
        return DerivedUpdates(dict(loader.renumbered(before, after, raw)), reason=_RENUMBERED)

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        return [loader.with_all_messages(raw(record))]

    # saving as a new session, and what the person does after a save

    def save_refusal(self, log: Log, mode: str) -> str:
        return "" if mode != "new-session" or isinstance(log.source, AssembledSource) else _NO_FOLDER

    def session_file(self, log: Log, session_id: str) -> str:
        return f"{_FOLDER_PREFIX}{session_id}"

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        folder = Path(path)
        step = tr(
            'Run your program with FileSessionManager(session_id="{session_id}", storage_dir="{folder}").',
            session_id=folder.name.removeprefix(_FOLDER_PREFIX),
            folder=folder.parent,
        )
        return NextSteps((step,), close="" if new else tr("Close the program that uses this session."))

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        if not isinstance(log.source, AssembledSource):
            return super().copy_steps(log, path)
        return self.resume_steps(path, "", True)


def _has_known_block(file: dict[str, Any]) -> bool:
    blocks = list_at(file, "/message/content")
    return any(
        isinstance(block, dict) and "type" not in block and not schema.BLOCK_KEYS.isdisjoint(block) for block in blocks
    )


def _has_agent_file(columns: Columns, records: range) -> bool:
    return bool(records) and reader.is_agent_file(columns, records[0])


def _enclosing_session(log: Log, sequence: RecordSequence) -> dict[str, Any]:
    """Return the file of the session, which precedes the messages of each agent."""
    text = enclosing_request(log, sequence, sequence.enclosing_object)
    return object_at(parse_json(text), "/session") if is_valid_json(text) else {}
