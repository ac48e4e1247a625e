"""Vercel AI SDK: UI messages (`UIMessage[]`), as programs with `useChat` keep them.

A list, an object with `messages` (and the `id` of the chat), a message a line or a conversation a line. Facts: the npm
package `ai` 5.0.277, 6.0.326 and 7.0.173 (`uiMessagesSchema`, `convertToModelMessages`) and 4.3.19
(`convertToCoreMessages`), run on broken messages. A part of the assistant's message holds a call and its result. The
states that leave a call without a result are `input-streaming`, `input-available`, `approval-requested` and
`approval-responded`, and so does a missing state (vercel/ai#18451, #7258, #12709). A preliminary output is sent as the
result.
"""

from __future__ import annotations

from array import array
from typing import Any

from inspector.core.formats.ai_sdk_ui import reader, writer
from inspector.core.formats.ai_sdk_ui.request import Converter
from inspector.core.formats.base import ai_sdk
from inspector.core.formats.base.agent_behavior import SENDS_HALF_PAIRS, RequestBuilder
from inspector.core.formats.base.ai_sdk import AiSdkProgram
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import (
    MESSAGE_CONTAINER_KEYS,
    StructMessages,
    enclosing_request,
    role_of_message,
)
from inspector.core.formats.base.request import ResumeRequest
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_misfits import Misfit
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
from inspector.core.translation import tr

_OWN_PART_TYPES = frozenset(
    "step-start source-url source-document dynamic-tool tool-invocation steering-message".split()
)
_TEXT_TYPES = frozenset({"text", "reasoning"})
_WAITING_STATES = ("approval-requested", "approval-responded")
_STREAMING = ("input-streaming", "partial-call")
# Members of the messages of other programs.
_FOREIGN_KEYS = frozenset("uuid parentUuid type info tool_calls sessionId".split())
_EVIDENCE = {
    "input-streaming": tr("The state of the call is `input-streaming`, so its input was not complete."),
    "partial-call": tr("The state of the call is `partial-call`, so its input was not complete."),
    "approval-requested": tr("The state of the call is `approval-requested`, so the call was waiting for approval."),
    "approval-responded": tr("The state of the call is `approval-responded`, so the call had not run yet."),
}


class AiSdkUi(StructMessages, AiSdkProgram, RequestBuilder, CallEvidenceSource):
    """The UI messages of the AI SDK."""

    name = "ai-sdk-ui"
    label = "Vercel AI SDK UI messages"
    keys = f"{MESSAGE_CONTAINER_KEYS} parts toolInvocations"
    detection = tr(
        "messages with a role and parts that have a type (such as text, step-start, tool-NAME or tool-invocation), or "
        "with toolInvocations"
    )
    read = tr("a list, an object with messages, one message per line, or one conversation per line (versions 4 to 7)")
    write_back = tr("yes, as a copy or in place. New messages have the states that the log's version uses")
    resume = tr(
        "version 7 leaves out calls with incomplete input and calls that were waiting for approval when "
        "the user continued. Versions 6 and 7 stop at any other call without a result, and version 5 "
        "sends it"
    )
    unsupported = tr(
        "data parts that a program converts itself, preliminary outputs (which are sent as results), and "
        "how the request represents calls that the provider runs"
    )
    source = ai_sdk.SOURCE
    profile = "openai-chat"
    block_schema = reader.UI_BLOCK_SCHEMA
    is_provider_api = False
    inline_results = True

    # reading

    decode = reader.DECODE
    add_decoded = staticmethod(reader.add_message)
    pointer = staticmethod(reader.block_pointer)
    view = staticmethod(reader.record_view)

    def score(self, head: Head) -> float:
        full = [message for message in ai_sdk.first_messages(head) if message]
        if not full or not all(map(_is_message, full)):
            return 0.0
        parts = [part for message in full for part in list_at(message, reader.PARTS)]
        if any("toolInvocations" in message for message in full) or any(map(_is_own_part, parts)):
            return 0.95
        return 0.9 if parts and all("parts" in message for message in full) else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return isinstance(first.get("role"), str)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        path = session.main_thread.path
        is_of_version_4 = any(columns.marks[record] & RecordMark.VARIANT_MASK for record in path)
        ai_sdk.set_program(session, columns, raw, "parts", is_of_version_4)
        request = enclosing_request(log, sequence, sequence.enclosing_object)
        session.id = (text_at(parse_json(request), "/id") if is_valid_json(request) else "") or session.id

    def missing_text(self, raw: bytes) -> str:
        """Return "list" for a message of the user of which no part is sent. White space is sent."""
        message = parse_json(raw)
        texts = (text_at(part, "/text") for part in list_at(message, reader.PARTS))
        return "list" if value_at(message, "/role") == "user" and "parts" in message and not any(texts) else ""

    def misfits(self, message: Any) -> list[Misfit]:
        return reader.misfits_of(message)

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the last message that wait for an approval, or to be run after one."""
        last = next((record for record in reversed(path) if columns.roles[record] != Role.LINK), -1)
        parts = list_at(parse_json(raw(last)), reader.PARTS) if last >= 0 and columns.blocks[last] else []
        waiting = {text_at(part, "/toolCallId") for part in parts if value_at(part, "/state") in _WAITING_STATES}
        return waiting | super().pending_calls(session, columns, path, raw)

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """Return the state of a call whose input was not complete."""
        part = object_at(parse_json_cached(raw(record)), pointer)
        states = (text_at(part, "/state"), text_at(part, "/toolInvocation/state"))
        return next((state for state in states if state in _STREAMING), "")

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        """Return the part of a block. The part of a call holds its result, too."""
        return writer.part_bytes(raw, reader.part_pointer(columns, record, ordinal))

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        """Return what the state of a call shows, see `CallEvidenceSource`."""
        part = object_at(row, call.pointer) if own else {}
        sentence = _EVIDENCE.get(text_at(part, "/state") or text_at(part, "/toolInvocation/state"))
        return EvidenceItem(EvidenceStrength.MENTIONED, sentence) if sentence is not None else None

    # what the SDK does

    handles_invalid_characters = SENDS_HALF_PAIRS
    sent_thinking = staticmethod(ai_sdk.anthropic_thinking_block)
    sent_call = staticmethod(ai_sdk.compact_call)
    passes_inputs_on = True

    def build_request(self, session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
        return Converter(session, columns, raw).request()

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return reader.sent_result(parse_json(block)) if kind == BlockKind.RESULT else None

    # writing

    rewrite = staticmethod(writer.rewrite_message)
    result_block = staticmethod(writer.final_state)
    user_record = staticmethod(writer.user_record)

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return dump_json(writer.text_part(text))


def _is_message(message: dict[str, Any]) -> bool:
    """Return whether an object can be a UI message: it has typed parts, or it is one of version 4."""
    if role_of_message(message) not in reader.ROLES or not _FOREIGN_KEYS.isdisjoint(message):
        return False
    parts = message.get("parts")
    if not isinstance(parts, list):
        return parts is None and isinstance(message.get("content"), str)
    return all(isinstance(part, dict) and isinstance(part.get("type"), str) and _has_text(part) for part in parts)


def _has_text(part: dict[str, Any]) -> bool:
    """Return whether a part with words has them where UI messages have them."""
    return part["type"] not in _TEXT_TYPES or "content" not in part


def _is_own_part(part: dict[str, Any]) -> bool:
    return part["type"] in _OWN_PART_TYPES or (reader.is_tool_type(part["type"]) and "toolCallId" in part)
