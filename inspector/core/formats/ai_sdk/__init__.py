"""Vercel AI SDK: model messages (`ModelMessage[]`, in version 4 `CoreMessage[]`), as a program keeps them.

A list, an object with `messages`, a message a line or a conversation a line. Facts: the npm package `ai` in the
versions that `reader` and `base/ai_sdk.py` name. An approval is a `tool-approval-request` beside its call and a
`tool-approval-response` in the tool message.
"""

from __future__ import annotations

from array import array
from typing import Any

from inspector.core.formats.ai_sdk import reader, request
from inspector.core.formats.base import ai_sdk
from inspector.core.formats.base.agent_behavior import SENDS_HALF_PAIRS, RequestBuilder
from inspector.core.formats.base.ai_sdk import AiSdkProgram
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MESSAGE_CONTAINER_KEYS, StructMessages, role_of_message
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_misfits import Misfit
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import (
    dump_json,
    list_at,
    object_at,
    objects_at,
    parse_json,
    parse_json_cached,
    text_at,
    value_at,
)
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_ROLE_NAMES = {role: name for name, role in reader.ROLES.items()}
# Members of the messages of other programs, and of UI messages.
_FOREIGN_KEYS = frozenset("uuid parentUuid type parts tool_calls tool_call_id ts sessionId toolInvocations".split())
# The members by which one knows the parts that only these messages have.
_OWN_MEMBERS = {
    "tool-call": "toolCallId",
    "tool-result": "toolCallId",
    reader.APPROVAL_REQUEST: "approvalId",
    reader.APPROVAL_RESPONSE: "approvalId",
    "redacted-reasoning": "data",
}


class AiSdk(BlockListFormat, StructMessages, AiSdkProgram, RequestBuilder):
    """The model messages of the AI SDK."""

    name = "ai-sdk"
    label = "Vercel AI SDK messages"
    keys = MESSAGE_CONTAINER_KEYS
    detection = tr("messages that contain parts of type tool-call or tool-result with a toolCallId")
    read = tr("a list, an object with messages, one message per line, or one conversation per line (versions 4 to 7)")
    write_back = tr("yes, as a copy or in place. New messages have the fields that the log's version uses")
    resume = tr(
        "in version 6 and later, every call has a result before the next user message. Approved calls in the "
        "last message run first"
    )
    unsupported = tr(
        "histories without calls, results or provider options (which look like histories of other APIs), "
        "and how the request represents calls that the provider runs"
    )
    source = ai_sdk.SOURCE
    profile = "openai-chat"
    block_schema = reader.BLOCK_SCHEMA
    content_pointer = "/content"
    is_provider_api = False
    results_share_record = False
    requires_result_names = True  # up to version 6
    can_invent_calls = True

    # reading

    decode = reader.DECODE
    add_decoded = staticmethod(reader.add_message)
    block_views = staticmethod(reader.views_of_message)

    def score(self, head: Head) -> float:
        full = [message for message in ai_sdk.first_messages(head) if message]
        if not full or any(role_of_message(each) not in reader.ROLES for each in full):
            return 0.0
        parts = [part for message in full for part in objects_at(message, "/content")]
        is_foreign = any(not _FOREIGN_KEYS.isdisjoint(message) for message in full)
        if is_foreign or any(text_at(part, "/type") not in reader.PART_TYPES for part in parts):
            return 0.0
        if any(text_at(part, f"/{_OWN_MEMBERS.get(part['type'])}") for part in parts):
            return 0.95
        return 0.9 if any(map(reader.has_options, (*full, *parts))) else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return isinstance(first.get("role"), str)

    def misfits(self, message: Any) -> list[Misfit]:
        return reader.misfits_of(message)

    def missing_text(self, raw: bytes) -> str:
        return reader.missing_text(parse_json(raw))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        is_of_version_4 = reader.is_of_version_4(columns, session.main_thread.path, raw)
        ai_sdk.set_program(session, columns, raw, "content", is_of_version_4)

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the last response that wait for an approval, or to be run after one."""
        waiting: set[str] = set()
        for record in reversed(path):
            if columns.roles[record] not in (Role.TOOL, Role.LINK, Role.ASSISTANT):
                break
            parts = list_at(parse_json(raw(record)), "/content")
            requests = (part for part in parts if value_at(part, "/type") == reader.APPROVAL_REQUEST)
            waiting.update(text_at(part, "/toolCallId") for part in requests)
            if columns.roles[record] == Role.ASSISTANT:
                break
        return waiting | super().pending_calls(session, columns, path, raw)

    # what the SDK does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = SENDS_HALF_PAIRS
    sent_thinking = staticmethod(ai_sdk.anthropic_thinking_block)
    sent_call = staticmethod(ai_sdk.compact_call)
    passes_inputs_on = True

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        part = parse_json(block) if kind == BlockKind.RESULT else {}
        return reader.sent_output(part.get("output", {"value": part.get("result")})) if part else None

    # writing

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        named = {"type": "tool-result", "toolCallId": call.id, "toolName": call.name}
        if "args" in object_at(parse_json_cached(call.raw), call.pointer):
            return dump_json(named | {"result": text} | ({"isError": True} if failed else {}))
        return dump_json(named | {"output": {"type": "error-text" if failed else "text", "value": text}})

    def invented_call(self, call: CallContext) -> Any:
        is_of_version_4 = "result" in object_at(parse_json_cached(call.raw), call.pointer)
        named = {"type": "tool-call", "toolCallId": call.id, "toolName": call.name or "unknown"}
        return named | {"args" if is_of_version_4 else "input": {}}

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        return b'{"role":"%s","content":%s}' % (_ROLE_NAMES[role].encode(), content)

    def without_result_data(self, raw: bytes) -> bytes:
        """Return the message as the user's: a tool message holds only results."""
        is_tool = text_at(parse_json(raw), "/role") == "tool"
        return json_edits.set_member(raw, "", "role", b'"user"') if is_tool else raw
