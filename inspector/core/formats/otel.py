"""Traces of OpenTelemetry: the last request to a model in each trace, with its response.

Facts: the semantic conventions for generative AI (`gen_ai.input.messages`, `gen_ai.output.messages`: messages with a
role and parts; the id of a call is optional, and the contents may be left out), and `storage/trace_spans.py`, which
puts the messages together as this document. pydantic-ai-slim 2.68.0 writes `result` for `response`, and `user` as the
role of results. A span of a tool says that its call ran (`gen_ai.tool.call.id`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Raw, Struct, field

from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.logged_requests import LoggedRequests
from inspector.core.formats.base.message_arrays import StructMessages, enclosing_request
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.block_schema import ALL_MEDIA_SPECS, BlockSchema, CallSpec, ResultSpec
from inspector.core.providers.block_views import block_views, format_arguments, text_or_json
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder, is_blank_json
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import is_valid_json, list_at, objects_at, parse_json, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_INPUT, _OUTPUT = "input_messages", "output_messages"  # of the document that the spans become
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}
_BLOCK_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        **dict.fromkeys(("reasoning", "thinking"), BlockKind.THINKING),
        "tool_call": BlockKind.CALL,
        "tool_call_response": BlockKind.RESULT,
        "server_tool_call": BlockKind.SERVER_CALL,
        "server_tool_call_response": BlockKind.SERVER_RESULT,
        **dict.fromkeys(("blob", "file", "uri", "image", "audio", "video", "document"), BlockKind.MEDIA),
    },
    text_pointers=("/content",),
    reasoning_pointers=("/content",),
    calls=(CallSpec(input=("/arguments",), shown=format_arguments),),
    results=(
        ResultSpec(has="/response", name="/name", wants_name=False, content="/response", shown=text_or_json),
        ResultSpec(name="/name", wants_name=False, content="/result", shown=text_or_json),  # of Pydantic AI
    ),
    media=ALL_MEDIA_SPECS,
)
# The providers that the conventions name in another way than the logs of agents.
_PROFILES = {
    "gcp.gemini": "gemini",
    "gcp.gen_ai": "gemini",
    "gcp.vertex_ai": "gemini",
    "aws.bedrock": "bedrock-converse",
    "azure.ai.openai": "openai-chat",
    "azure.ai.inference": "openai-chat",
}


class _Part(Struct, gc=False):
    type: str | None = None
    id: str | None = None
    name: str | None = None
    content: Raw = EMPTY_RAW
    arguments: Raw = EMPTY_RAW


class _Message(Struct, gc=False):
    role: str | None = None
    parts: list[_Part] = field(default_factory=list)


class OpenTelemetryTrace(LoggedRequests, StructMessages, CallEvidenceSource):
    """The requests in traces of OpenTelemetry."""

    name = "otel"
    label = "OpenTelemetry trace"
    keys = "input_messages output_messages"
    container = tr("spans as JSON: an array, one span per line, the output of ConsoleSpanExporter, or OTLP")
    detection = tr("spans with gen_ai.input.messages or the older attributes and events of the gen_ai conventions")
    read = tr(
        "in each trace, the request whose span ended last, with its response. The calls of the response are waiting "
        "for their results"
    )
    write_back = tr("no, because no program loads a trace. Repair the log of the agent that sent the requests")
    resume = tr("none, because a trace is not used to resume a session")
    unsupported = tr(
        "earlier requests of a trace, the attributes of OpenInference (llm.input_messages), and messages in log events"
    )
    lost_result_places = tr("nowhere. A span of a tool shows only that its call ran")
    source = "OpenTelemetry semantic conventions for generative AI; opentelemetry-sdk 1.45.2; pydantic-ai-slim 2.68.0"
    read_only_reason = tr(
        "A trace is not repaired, because no program loads it. Open and repair the log of the agent that sent the "
        "request, or convert the messages of this trace and repair the converted messages."
    )
    profile = "openai-chat"
    block_schema = _BLOCK_SCHEMA
    shapes = MessagePaths((_INPUT,), (_OUTPUT,))
    is_provider_api = False

    def score(self, head: Head) -> float:
        requests = head.value if isinstance(head.value, list) else [head.context]
        is_own = bool(requests) and all(
            isinstance(each, dict) and not {_INPUT, _OUTPUT}.isdisjoint(each) for each in requests
        )
        messages = head.messages_in(self.shapes) if is_own else ()
        return 0.95 if messages and all(isinstance(each.get("parts"), list) for each in messages) else 0.0

    # reading

    decode = LenientDecoder(_Message)

    def add_decoded(self, columns: Columns, start: int, end: int, message: _Message, odd: bool) -> None:
        columns.add_record(start, end, _ROLES.get(message.role or "", Role.USER), RecordMark.MAYBE_MALFORMED * odd)
        for part in message.parts:
            kind = _BLOCK_SCHEMA.block_kind(part.type or "")
            is_tool = kind in (BlockKind.CALL, BlockKind.RESULT)
            columns.add_block(
                kind, _flags(kind, part), part.id if is_tool else None, part.name if kind == BlockKind.CALL else None
            )

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        _pair_by_order(columns, session.main_thread.path)
        request = _described(log, sequence)
        provider = text_at(request, "/gen_ai.provider.name") or text_at(request, "/gen_ai.system")
        session.model = text_at(request, "/gen_ai.response.model") or text_at(request, "/gen_ai.request.model")
        profile = _PROFILES.get(provider) or profile_name_of(provider, session.model)
        session.profile, session.provider_assumed = profile or self.profile, not profile
        session.id = text_at(request, "/trace_id") or session.id
        if text_at(request, "/status") == "ERROR":
            error = text_at(request, "/error.type")
            session.state = tr("the request failed ({error})", error=error) if error else tr("the request failed")

    def system_prompt(self, log: Log, session: Session) -> str:
        texts = objects_at(_described(log, _sequence_of(log, session.records.start)), "/gen_ai.system_instructions")
        return "\n\n".join(filter(None, (text_at(each, "/content") for each in texts)))

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return f"/parts/{ordinal}"

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", tr("no message"))
        return RecordView(
            text_at(message, "/role"), "", block_views(_BLOCK_SCHEMA, list_at(message, "/parts"), "/parts")
        )

    # what the log shows of calls

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        return None

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        """Yield the spans of tools that name a call."""
        described: dict[int, dict[str, EvidenceItem]] = {}
        for number, call in enumerate(calls):
            sequence = _sequence_of(log, call.record)
            if sequence.low not in described:
                described[sequence.low] = dict(_tool_spans(_described(log, sequence)))
            if item := described[sequence.low].get(call.id):
                yield number, item


def _flags(kind: BlockKind, part: _Part) -> int:
    if kind == BlockKind.TEXT:
        # A content that was left out is not an empty one.
        return BlockFlag.BLANK if part.content and is_blank_json(part.content) else 0
    return 0


def _pair_by_order(columns: Columns, path: Iterable[int]) -> None:
    """Give calls without an id one, and results without an id that of the next such call of the message before them."""
    ids, kinds, waiting = columns.call_ids, columns.block_kinds, deque[int]()
    for record in path:
        rows = columns.block_rows(record)
        calls = [row for row in rows if kinds[row] == BlockKind.CALL]
        if calls:
            waiting = deque(row for row in calls if not ids[row])
        for row in waiting if calls else ():
            ids[row] = f"no-id:{row}"
        for row in rows:
            if kinds[row] == BlockKind.RESULT and not ids[row] and waiting:
                ids[row] = ids[waiting.popleft()]
                columns.block_flags[row] |= BlockFlag.BORROWED_ID


def _sequence_of(log: Log, record: int) -> RecordSequence:
    return log.sequences[bisect_right(log.sequences, record, key=lambda sequence: sequence.low) - 1]


def _described(log: Log, sequence: RecordSequence) -> Any:
    """Return the object around the messages of a sequence."""
    text = enclosing_request(log, sequence, sequence.outermost_object)
    return parse_json(text) if is_valid_json(text) else None


def _tool_spans(request: Any) -> Iterator[tuple[str, EvidenceItem]]:
    for span in objects_at(request, "/tool_spans"):
        failed = span.get("status") == "ERROR"
        item = (
            EvidenceItem(EvidenceStrength.STARTED, tr("In the trace, the span of the tool ended with an error."))
            if failed
            else EvidenceItem(EvidenceStrength.RAN, tr("In the trace, the span of the tool ended without an error."))
        )
        yield text_at(span, "/gen_ai.tool.call.id"), item
