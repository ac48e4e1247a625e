"""Vercel AI SDK: model messages (`ModelMessage[]`, in version 4 `CoreMessage[]`), as a program keeps them.

A list, an object with `messages`, a message a line or a conversation a line. Facts: the npm package `ai` 4.3.19,
5.0.277, 6.0.326 and 7.0.173 (`modelMessageSchema`, `coreMessageSchema`, and what `base/ai_sdk.py` names). A call has
its `input`, in version 4 its `args`; a result has an `output` with a type, in version 4 a `result`. The results in
messages of the assistant are those of tools that the provider ran. An approval is a `tool-approval-request` beside its
call and a `tool-approval-response` in the tool message.
"""

from __future__ import annotations

from array import array
from collections.abc import Container
from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base import ai_sdk
from inspector.core.formats.base.agent_behavior import SENDS_HALF_PAIRS, RequestBuilder
from inspector.core.formats.base.ai_sdk import APPROVED_TEXT, DENIED_TEXT, AiSdkProgram
from inspector.core.formats.base.block_list_formats import BlockListFormat, is_string_token
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MESSAGE_CONTAINER_KEYS, StructMessages, role_of_message
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columnar_index import BlockFlag, BlockRow, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    encode_string,
    split_type_names,
    typed_text_encoder,
    typed_text_list_encoder,
)
from inspector.core.providers.block_views import block_views, text_or_json
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    SkippedObject,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import (
    OBJECT,
    REQUIRED_TEXT,
    FieldSchema,
    Misfit,
    message_schema_by_role,
    object_schema_by_type,
    object_schema_of_fields,
    parts_list_field,
    text_or_parts_field,
)
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, list_at, object_at, objects_at, parse_json, text_at, value_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
_ROLE_NAMES = {role: name for name, role in _ROLES.items()}
_APPROVAL_REQUEST, _APPROVAL_RESPONSE = "tool-approval-request", "tool-approval-response"
_FAILED_OUTPUTS = ("error-text", "error-json", "execution-denied")
# Members of the messages of other programs, and of UI messages.
_FOREIGN_KEYS = frozenset("uuid parentUuid type parts tool_calls tool_call_id ts sessionId toolInvocations".split())
# The parts that only these messages have.
_OWN_PART_TYPES = frozenset({"tool-call", "tool-result", _APPROVAL_REQUEST, _APPROVAL_RESPONSE, "redacted-reasoning"})
_PART_TYPES_BY_ROLE = {
    "user": split_type_names("text image file"),
    "assistant": split_type_names("text reasoning redacted-reasoning reasoning-file file custom tool-call tool-result")
    | {_APPROVAL_REQUEST},
    "tool": frozenset({"tool-result", _APPROVAL_RESPONSE}),
}
_PART_TYPES = frozenset().union(*_PART_TYPES_BY_ROLE.values())
_OPTIONS = ("providerOptions", "experimental_providerMetadata")
# What the versions that validate messages say of a call or result without an id or a name.
_SCHEMA_ERRORS = {
    4: "AI_InvalidPromptError: Invalid prompt: message must be a CoreMessage or a UI message",
    5: "AI_InvalidPromptError: Invalid prompt: The messages must be a ModelMessage[].",
    6: "AI_InvalidPromptError: Invalid prompt: The messages do not match the ModelMessage[] schema.",
}
_MALFORMED_STOPS = tr("the SDK stops at a message with an invalid structure")
_TOOL_KINDS = (BlockKind.CALL, BlockKind.RESULT, BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT)


def _sent_output(output: Any) -> str:
    """Return an output as the model reads it."""
    if value_at(output, "/type") == "execution-denied":
        return text_at(output, "/reason") or DENIED_TEXT
    value = value_at(output, "/value")
    return value if isinstance(value, str) else dump_json(value).decode()


_CALL = CallSpec(id="/toolCallId", name="/toolName", input=("/input", "/args"))
_RESULT = ResultSpec(
    id="/toolCallId",
    name="/toolName",
    has="/output/value",
    content="/output/value",
    shown=text_or_json,
    status="/output/type",
    failed=lambda kind: kind in _FAILED_OUTPUTS,
)
BLOCK_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        **dict.fromkeys(("reasoning", "redacted-reasoning"), BlockKind.THINKING),
        "tool-call": BlockKind.CALL,
        "tool-result": BlockKind.RESULT,
        **dict.fromkeys(("file", "image", "reasoning-file"), BlockKind.MEDIA),
    },
    reasoning_pointers=("/text",),
    media_label_pointers=("/filename", "/mediaType", "/mimeType"),
    calls=(replace(_CALL, has="/args", input=("/args",)), _CALL),
    results=(
        # An output of the type `content` is a list of parts.
        replace(_RESULT, has="/output/value/0/type", told=typed_text_list_encoder("text")),
        _RESULT,
        replace(_RESULT, has="/result", content="/result", status="/isError", failed=bool),
        replace(
            _RESULT, has="", content="/output", told=lambda text: {"type": "text", "value": text}, shown=_sent_output
        ),
    ),
    media=ALL_MEDIA_SPECS,
    text=typed_text_encoder("text"),
    media_keys=("content",),
    kept_in=("output", "value"),
)
_PART = object_schema_by_type(
    {
        "text": object_schema_of_fields(text=REQUIRED_TEXT),
        "reasoning": object_schema_of_fields(text=REQUIRED_TEXT),
        "tool-result": object_schema_of_fields(output=FieldSchema((OBJECT,))),
    }
)


def _result_without_call(text: str) -> Any:
    """Return what a text in a tool message is: a result whose call is not known."""
    output = {"type": "text", "value": text}
    return {"type": "tool-result", "toolCallId": "", "toolName": "unknown", "output": output}


_CONTENT_BY_ROLE = {
    role: text_or_parts_field(replace(_PART, known_types=types), typed_text_encoder("text"))
    for role, types in _PART_TYPES_BY_ROLE.items()
}
_TOOL_PART = replace(_PART, known_types=_PART_TYPES_BY_ROLE["tool"])
_CONTENT_BY_ROLE["tool"] = parts_list_field(_TOOL_PART, _result_without_call)
MESSAGE_SCHEMA = message_schema_by_role(
    {
        "system": object_schema_of_fields(content=replace(REQUIRED_TEXT, text_encoder=encode_string)),
        **{role: object_schema_of_fields(content=content) for role, content in _CONTENT_BY_ROLE.items()},
    }
)


class Output(Struct, gc=False):
    type: str | None = None
    value: Raw = EMPTY_RAW


class ModelPart(Struct, gc=False):
    """The fields of a part that the index needs."""

    type: str | None = None
    toolCallId: str | None = None
    toolName: str | None = None
    text: Raw = EMPTY_RAW
    input: SkippedObject | None = None
    args: SkippedObject | None = None
    output: Output | None = None
    result: Raw = EMPTY_RAW
    isError: bool | None = None
    providerExecuted: bool | None = None
    providerOptions: Raw = EMPTY_RAW


class ModelMessage(Struct, gc=False):
    role: str | None = None
    content: str | list[ModelPart] | None = None


_DECODE = LenientDecoder(ModelMessage)


def _flags_of_string(text: str) -> int:
    return BlockFlag.PLAIN_STRING | (0 if text.strip() else BlockFlag.BLANK)


def _is_left_out(part: ModelPart) -> bool:
    """Return whether a part is a text without length for which the provider has no options."""
    return part.type == "text" and bytes(part.text) == b'""' and not part.providerOptions


def _is_call(part: ModelPart) -> bool:
    return part.type == "tool-call" and not part.providerExecuted


def _row_of(part: ModelPart, own_calls: Container[str | None] | None) -> BlockRow:
    """Return a part as a row. `own_calls` are the calls of a message of the assistant that the program runs.

    Another result in the message is that of a tool that the provider ran; its call may be in an earlier message.
    """
    kind, call_id = BLOCK_SCHEMA.block_kind(part.type or ""), part.toolCallId
    if kind == BlockKind.TEXT:
        blank = BlockFlag.BLANK if is_blank_json(part.text) else 0
        return BlockKind.OTHER if _is_left_out(part) else kind, blank, None, None
    if kind == BlockKind.THINKING:
        has_empty_signature = b'"signature":""' in bytes(part.providerOptions).replace(b" ", b"")
        return kind, 0 if has_empty_signature else BlockFlag.SIGNED, None, None
    if kind == BlockKind.CALL:
        has_input = part.input is not None or part.args is not None
        return (
            BlockKind.SERVER_CALL if part.providerExecuted else kind,
            0 if has_input else BlockFlag.BAD_INPUT,
            call_id,
            part.toolName,
        )
    if kind == BlockKind.RESULT:
        output = part.output or Output()
        is_error = bool(part.isError) or output.type in _FAILED_OUTPUTS
        flags = 0 if output.type == "execution-denied" else result_content_flags(output.value or part.result)
        served = own_calls is not None and call_id not in own_calls
        flags |= BlockFlag.ERROR if is_error else 0
        return BlockKind.SERVER_RESULT if served else kind, flags, call_id, part.toolName
    return kind, 0, None, None


def _may_be_malformed(message: ModelMessage) -> bool:
    known = _PART_TYPES_BY_ROLE.get(message.role or "")
    if known is None or not isinstance(message.content, list):
        return message.role not in _ROLES or not isinstance(message.content, str) or message.role == "tool"
    return any(
        part.type not in known or (part.type in ("text", "reasoning") and not is_string_token(part.text))
        for part in message.content
    )


class AiSdkMessages(BlockListFormat, StructMessages, AiSdkProgram, RequestBuilder):
    """The model messages of the AI SDK."""

    name = "ai-sdk"
    label = "Vercel AI SDK messages"
    keys = MESSAGE_CONTAINER_KEYS
    detection = tr("messages with parts of the type tool-call or tool-result that have a toolCallId")
    read = tr("a list, an object with messages, one message per line, or one conversation per line (versions 4 to 7)")
    write_back = tr("yes, as a copy or in place, with the fields of version 4 or of later versions as they are used")
    resume = tr(
        "from version 6 on, every call has a result before the next user message. Approvals in the last message are "
        "carried out first"
    )
    unsupported = tr(
        "histories without a call, a result or provider options, which look like those of other APIs, and what the "
        "request contains of calls that the provider runs"
    )
    source = "npm ai 4.3.19, 5.0.277, 6.0.326, 7.0.173"
    profile = "openai-chat"
    block_schema = BLOCK_SCHEMA
    content_pointer = "/content"
    message_schema = MESSAGE_SCHEMA
    is_provider_api = False
    results_share_record = False
    requires_result_names = True  # up to version 6
    can_invent_calls = True

    # reading

    decode = _DECODE

    def score(self, head: Head) -> float:
        messages = head.lines if self._is_lines(head) else head.messages or []
        full = [message for message in messages if message]
        if not full or any(role_of_message(each) not in _ROLES or not _FOREIGN_KEYS.isdisjoint(each) for each in full):
            return 0.0
        parts = [part for message in full for part in objects_at(message, "/content")]
        if any(text_at(part, "/type") not in _PART_TYPES for part in parts):
            return 0.0
        if any(text_at(part, "/type") in _OWN_PART_TYPES and _is_own_part(part) for part in parts):
            return 0.95
        return 0.9 if any(not each.keys().isdisjoint(_OPTIONS) for each in (*full, *parts)) else 0.0

    def _is_lines(self, head: Head) -> bool:
        return head.is_lines and not head.other_lines and self.is_message_line(head.lines[0])

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return isinstance(first.get("role"), str)

    def add_decoded(self, columns: Columns, start: int, end: int, message: ModelMessage, odd: bool) -> None:
        """Index a message. A tool message without results is a link: it may answer an approval."""
        role, content = _ROLES.get(message.role or "", Role.OPAQUE), message.content
        mark = RecordMark.MAYBE_MALFORMED if odd or _may_be_malformed(message) else 0
        if isinstance(content, str):
            rows: list[BlockRow] = [(BlockKind.TEXT, _flags_of_string(content), None, None)]
        else:
            own_calls = (
                {part.toolCallId for part in content or () if _is_call(part)} if role == Role.ASSISTANT else None
            )
            rows = [_row_of(part, own_calls) for part in content or ()]
        if role == Role.TOOL and not any(kind for kind, *_ in rows):
            role = Role.LINK
        if role == Role.USER and isinstance(content, list) and all(map(_is_left_out, content)):
            rows = [(BlockKind.TEXT, BlockFlag.BLANK, None, None) for _ in rows]
        columns.add_record(start, end, role, mark)
        for row in rows:
            columns.add_block(*row)

    def misfits(self, message: Any) -> list[Misfit]:
        """Return the misfits of a message. One of the user with nothing but results is a tool message."""
        parts = list_at(message, "/content")
        if value_at(message, "/role") == "user" and {value_at(part, "/type") for part in parts} == {"tool-result"}:
            return [Misfit("/role", tr("a message of the user holds results"), default_json=b'"tool"')]
        return super().misfits(message)

    def missing_text(self, raw: bytes) -> str:
        """Return "list" also for a message of the user of which no part is sent. White space is sent."""
        message = parse_json(raw)
        content = value_at(message, "/content")
        texts = (text_at(part, "/text") for part in content) if isinstance(content, list) else content
        is_left_out = value_at(message, "/role") == "user" and content != "" and not any(texts or ())
        return "null" if content is None else "list" if is_left_out else ""

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        path = session.main_thread.path
        profile = ai_sdk.profile_in_metadata(columns, path, raw, "content")
        session.profile, session.provider_assumed = profile or self.profile, not profile
        session.agent, session.version = ai_sdk.LABEL, "4" if _is_of_version_4(columns, path, raw) else ""

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the last response that wait for an approval, or to be run after one."""
        waiting: set[str] = set()
        for record in reversed(path):
            if columns.roles[record] not in (Role.TOOL, Role.LINK, Role.ASSISTANT):
                break
            waiting.update(
                text_at(part, "/toolCallId")
                for part in list_at(parse_json(raw(record)), "/content")
                if value_at(part, "/type") == _APPROVAL_REQUEST
            )
            if columns.roles[record] == Role.ASSISTANT:
                break
        return waiting | super().pending_calls(session, columns, path, raw)

    def block_views(self, record: dict[str, Any], /) -> tuple[BlockView, ...]:
        views = block_views(self.block_schema, record.get("content"), self.content_pointer)
        if record.get("role") != "assistant" or not isinstance(record.get("content"), list):
            return views
        parts = [object_at(part, "") for part in record["content"]]
        served = [part.get("providerExecuted") is True for part in parts]
        own = {view.call_id for view, is_served in zip(views, served, strict=True) if not is_served and _calls(view)}
        return tuple(
            replace(view, kind=BlockKind.SERVER_CALL)
            if is_served and _calls(view)
            else replace(view, kind=BlockKind.SERVER_RESULT)
            if view.kind == BlockKind.RESULT and view.call_id not in own
            else view
            for view, is_served in zip(views, served, strict=True)
        )

    # what the SDK does

    handles_invalid_characters = SENDS_HALF_PAIRS
    sent_thinking = staticmethod(ai_sdk.anthropic_thinking_block)
    passes_inputs_on = True

    def build_request(self, session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
        if ai_sdk.cannot_be_parsed(session, columns, raw):
            return ResumeRequest(ai_sdk.wire_of(session), [], stop_reason=ai_sdk.INVALID_JSON_STOPS)
        schema_error = _SCHEMA_ERRORS.get(ai_sdk.major_version(session), "")
        if schema_error and _lacks_id_or_name(columns, session.main_thread.path):
            return ResumeRequest(ai_sdk.wire_of(session), [], stop_reason=schema_error)
        odd = (record for record in session.main_thread.path if columns.marks[record] & RecordMark.MAYBE_MALFORMED)
        if any(self.misfits(parse_json(raw(record))) for record in odd):
            return ResumeRequest(ai_sdk.wire_of(session), [], stop_reason=schema_error or _MALFORMED_STOPS)
        calls: dict[str, int] = {}
        approvals: dict[str, str] = {}
        carried_out: set[int] = set()
        messages = []
        signs = ai_sdk.wire_of(session) == "anthropic"
        for record in session.main_thread.path:
            role, rows = columns.roles[record], columns.block_rows(record)
            if role == Role.OPAQUE:
                continue
            content = list_at(parse_json(raw(record)), "/content") if _has_odd_kind(columns, rows) else []
            blocks = []
            for row, part in zip(rows, content or [{}] * len(rows), strict=True):
                kind = columns.block_kinds[row]
                if kind == BlockKind.CALL:
                    calls[columns.call_ids[row] or ""] = row
                if value_at(part, "/type") == _APPROVAL_REQUEST:
                    approvals[text_at(part, "/approvalId")] = text_at(part, "/toolCallId")
                elif value_at(part, "/type") == _APPROVAL_RESPONSE:
                    call = calls.get(approvals.get(text_at(part, "/approvalId"), ""), -1)
                    if call >= 0:
                        carried_out.add(call)
                        blocks.append(RequestBlock(call, _answer_to_approval(part)))
                elif kind == BlockKind.THINKING:
                    blocks += [RequestBlock(row)] if signs and _is_signed(part) else []
                elif kind != BlockKind.OTHER:
                    blocks.append(RequestBlock(row))
            role = Role.TOOL if role == Role.LINK else role
            messages.append(RequestMessage(role, blocks))
        return ai_sdk.request_of(session, columns, messages, carried_out)

    sent_call = staticmethod(ai_sdk.compact_call)

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        """Return a result as the model reads it: a text, or JSON."""
        if kind != BlockKind.RESULT:
            return None
        part = parse_json(block)
        return _sent_output(part.get("output", {"value": part.get("result")}))

    # writing

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        named = {"type": "tool-result", "toolCallId": call.id, "toolName": call.name}
        if "args" in object_at(parse_json(call.raw), call.pointer):
            return dump_json(named | {"result": text} | ({"isError": True} if failed else {}))
        return dump_json(named | {"output": {"type": "error-text" if failed else "text", "value": text}})

    def invented_call(self, call: CallContext) -> Any:
        is_of_version_4 = "result" in object_at(parse_json(call.raw), call.pointer)
        named = {"type": "tool-call", "toolCallId": call.id, "toolName": call.name or "unknown"}
        return named | {"args" if is_of_version_4 else "input": {}}

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        return b'{"role":"%s","content":%s}' % (_ROLE_NAMES[role].encode(), content)

    def without_result_data(self, raw: bytes) -> bytes:
        """Return the message as the user's: a tool message holds only results."""
        is_tool = text_at(parse_json(raw), "/role") == "tool"
        return json_edits.set_member(raw, "", "role", b'"user"') if is_tool else raw


def _is_own_part(part: dict[str, Any]) -> bool:
    return isinstance(part.get("toolCallId", part.get("approvalId", part.get("data"))), str)


def _is_of_version_4(columns: Columns, path: array[int], raw: ReadRecord) -> bool:
    """Return whether the first call or result is spelled as in version 4."""
    for record in path:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] in _TOOL_KINDS:
                part = object_at(parse_json(raw(record)), f"/content/{ordinal}")
                return ("args" in part or "result" in part) and part.keys().isdisjoint({"input", "output"})
    return False


def _calls(view: BlockView) -> bool:
    return view.kind == BlockKind.CALL


def _has_odd_kind(columns: Columns, rows: range) -> bool:
    """Return whether a part of a message must be read to know what is sent of it."""
    return any(columns.block_kinds[row] in (BlockKind.OTHER, BlockKind.THINKING) for row in rows)


def _is_signed(part: Any) -> bool:
    return any(ai_sdk.is_signed(part, key) for key in _OPTIONS)


def _lacks_id_or_name(columns: Columns, path: array[int]) -> bool:
    rows = (row for record in path for row in columns.block_rows(record) if columns.block_kinds[row] in _TOOL_KINDS)
    return any(columns.call_ids[row] is None or columns.names[row] is None for row in rows)


def _answer_to_approval(response: Any) -> str:
    return APPROVED_TEXT if response.get("approved") is True else text_at(response, "/reason") or DENIED_TEXT
