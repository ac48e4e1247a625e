"""Pydantic AI: the messages of a run (`ModelMessage` lists), as `ModelMessagesTypeAdapter.dump_json` writes them.

A list, an object with `messages`, a message a line or a conversation a line. Where they are kept is up to the program.
Facts: pydantic-ai-slim 2.68.0, run on broken histories (`request`), 1.107.10 and 2.10.0. A run that stops while its
tools run leaves a request with the results so far and the state `interrupted`. A run that ends with
`DeferredToolRequests` leaves calls that wait for an approval or for results.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any

from inspector.core.formats.base.agent_behavior import InvalidCharacters, NextSteps, RequestBuilder, ResumeBehavior
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import StructMessages
from inspector.core.formats.base.writer import CallContext
from inspector.core.formats.pydantic_ai import reader, request
from inspector.core.formats.pydantic_ai.request import decode_envelope
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_text import dump_json, is_valid_json, list_at, parse_json, parse_json_cached, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_LABEL = "Pydantic AI"
_OF_OPENAI = ("openai", "azure")
_KIND_NAMES = {Role.USER: "request", Role.TOOL: "request", Role.ASSISTANT: "response"}
_INTERRUPTED_RUN = tr(
    "The message after the call has the state `interrupted`, so the run stopped before the message was sent."
)
_NEWEST_ANSWERS = 5


class PydanticAi(BlockListFormat, StructMessages, RequestBuilder, CallEvidenceSource):
    """The messages of Pydantic AI."""

    name = "pydantic-ai"
    label = "Pydantic AI messages"
    keys = "kind parts messages"
    detection = tr("messages that have a kind (request or response) and whose parts have a part_kind")
    read = tr("a list, an object with messages, one message per line, or one conversation per line")
    write_back = tr("yes, as a copy or in place")
    resume = tr(
        "in version 2.10.0 and later, missing results are added, and results without a call are dropped. "
        "A new prompt after a call without a result stops the run. Second results for the same call and "
        "misplaced results are sent"
    )
    unsupported = tr(
        "compactions, changes to the instructions and tools within a history, files in results, invalid "
        "times, and how the request represents failed results and calls that the provider runs"
    )
    source = "pydantic-ai-slim 2.68.0, messages.py, _agent_graph.py, models/"
    profile = "openai-chat"
    block_schema = reader.BLOCK_SCHEMA
    message_schema = reader.MESSAGE_SCHEMA
    content_pointer = reader.PARTS
    is_provider_api = False
    pairs_server_tools = False
    requires_result_names = True
    can_invent_calls = True
    stop_reason_pointers = ("/state", "/finish_reason")
    supported_profiles = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "mistral")

    # reading

    decode = reader.DECODE
    add_decoded = staticmethod(reader.add_message)
    block_views = staticmethod(reader.views_of_message)

    def score(self, head: Head) -> float:
        are_lines = head.is_lines and not head.other_lines and self.is_message_line(head.lines[0])
        messages = [message for message in (head.lines if are_lines else head.messages or []) if message]
        if any(text_at(message, "/kind") not in reader.ROLES for message in messages):
            return 0.0
        return 0.95 if any(_is_part(part) for each in messages for part in list_at(each, reader.PARTS)) else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return text_at(first, "/kind") in reader.ROLES and isinstance(first.get("parts"), list)

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", tr("no message"))
        return RecordView(str(message.get("kind") or ""), "", self.block_views(message), text_at(message, "/timestamp"))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        path = session.main_thread.path
        profile = _profile_of(columns, path, raw)
        session.profile, session.provider_assumed, session.agent = profile or self.profile, not profile, _LABEL
        ids = (text_at(_parsed(raw(record)), "/conversation_id") for record in reversed(path[-_NEWEST_ANSWERS:]))
        session.id = next(filter(None, ids), session.id)
        is_damaged = log.columns.has_mark(RecordMark.UNREADABLE)
        session.stops_before_tool_calls = not is_damaged and _ends_before_tools(columns, path, raw)

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the last response, if the next run runs them or gets their results."""
        answers = (record for record in reversed(path) if columns.roles[record] == Role.ASSISTANT)
        rows = columns.block_rows(next(answers)) if session.stops_before_tool_calls else ()
        return {columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == BlockKind.CALL}

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        """Yield the state of the request that should have the result."""
        for number, call in enumerate(calls):
            after = call.record + 1
            if after < len(log.columns) and log.columns.roles[after] != Role.OPAQUE:
                envelope = decode_envelope(log.raw(after))
                if (envelope.kind, envelope.state) == ("request", "interrupted"):
                    yield number, EvidenceItem(EvidenceStrength.MENTIONED, _INTERRUPTED_RUN, after)

    # what a run does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = MappingProxyType(dict.fromkeys(("F5", "F7"), InvalidCharacters.SKIPPED))

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what a run does with damage: it does not load it."""
        agent = f"{self.name} {session.version}".strip()
        if any(rule.startswith("F") for rule in rules):
            return ResumeBehavior(agent, "refuses", (), _LABEL, error=request.INVALID_STOPS)
        return ResumeBehavior(agent, "as-is", (), _LABEL)

    def sent_thinking(self, block: bytes) -> bytes:
        part = parse_json(block)
        return dump_json({"type": "thinking", "thinking": part["content"], "signature": part["signature"]})

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return request.sent_result(parse_json(block)) if kind == BlockKind.RESULT else None

    def sent_call(self, name: str, block: bytes, version: str) -> tuple[str, bytes]:
        return name, request.with_object_as_input(block)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return NextSteps(
            (
                tr("Load {path} with ModelMessagesTypeAdapter.validate_json.", path=path),
                tr("Pass the messages to the next run of your agent as message_history."),
            )
        )

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        return self.resume_steps(path, "", False)

    # writing

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        """Return a result with the time of the response. Versions before 2.10 refuse the outcome `interrupted`."""
        made = {"tool_name": call.name, "content": text, "tool_call_id": call.id}
        time = {"timestamp": value} if (value := text_at(parse_json_cached(call.raw), "/timestamp")) else {}
        return dump_json(made | time | ({"outcome": "failed"} if failed else {}) | {"part_kind": "tool-return"})

    def invented_call(self, call: CallContext) -> Any:
        name = call.name or "unknown"
        return {"tool_name": name, "args": {}, "tool_call_id": call.id, "part_kind": "tool-call"}

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        content = dump_json([reader.response_text(note), self.invented_call(call)])
        return [self.new_record(call.raw, Role.ASSISTANT, content, f"{seed}:call")]

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a message of the run and the conversation that the message `like` belongs to."""
        known = {key: value for key in ("run_id", "conversation_id") if (value := text_at(_parsed(like), f"/{key}"))}
        rest = dump_json({"kind": _KIND_NAMES[role]} | known)[1:]
        return b'{"parts":%s,%s' % (content, rest)


def _ends_before_tools(columns: Columns, path: array[int], raw: ReadRecord) -> bool:
    """Return whether a run ended with calls, or with the results of some of them, and was not interrupted.

    The next run then runs the calls, or gets their results. Before the messages had a state, that was not to be known.
    """
    for record in reversed(path):
        kinds = {columns.block_kinds[row] for row in columns.block_rows(record)}
        if decode_envelope(raw(record)).state != "complete" or columns.roles[record] == Role.ASSISTANT:
            return decode_envelope(raw(record)).state == "complete" and BlockKind.CALL in kinds
        if kinds != {BlockKind.RESULT}:
            return False
    return False


def _is_part(part: Any) -> bool:
    return text_at(part, "/part_kind") in reader.PART_KINDS


def _parsed(raw: bytes) -> Any:
    return parse_json_cached(raw) if is_valid_json(raw) else {}


def _profile_of(columns: Columns, path: Iterable[int], raw: ReadRecord) -> str:
    """Return the profile of the provider that made the newest response that names one."""
    answers = [record for record in path if columns.roles[record] == Role.ASSISTANT][-_NEWEST_ANSWERS:]
    for record in reversed(answers):
        envelope = decode_envelope(raw(record))
        provider, model = envelope.provider_name or "", envelope.model_name or ""
        if provider.startswith(_OF_OPENAI) and (envelope.provider_response_id or "").startswith("resp_"):
            return "openai-responses"
        if profile := profile_name_of(provider, model):
            return profile
    return ""
