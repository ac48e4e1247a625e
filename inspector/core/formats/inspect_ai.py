"""inspect_ai: a sample of an evaluation, in the archive `.eval` or in a log that is one JSON document.

Facts: inspect_ai 0.3.285, log/_log.py (`EvalSample`), model/_chat_message.py, _util/content.py, tool/_tool_call.py. An
`.eval` is a zip with a file for each sample, `samples/ID_epoch_N.json`; newer releases compress them with Zstandard. A
document has them in `samples`. `messages` holds the whole conversation at the end of the sample. A call has its tool as
`function` and its input as an object in `arguments`. A sample that stops at a limit or an error does not send its last
answer: with a limit of messages, its calls were seen without results. A long text can be in `attachments`, with
`attachment://` and its hash in its place.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import StructMessages, role_of_message
from inspector.core.formats.base.openai_messages import ChatMessageReader
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import CallSpec, MediaSpec, ResultSpec
from inspector.core.providers.message_fields import DECODE_ERRORS, EMPTY_RAW, LenientDecoder, result_content_flags
from inspector.core.providers.message_misfits import (
    OBJECT,
    FieldSchema,
    ObjectSchema,
    list_field,
    message_schema_by_role,
    object_schema_by_type,
    object_schema_of_fields,
    parse_member_schemas,
    text_or_parts_field,
)
from inspector.core.providers.openai_chat import schema
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_LABEL = "inspect_ai"
_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
_NOTHING = frozenset({b"", b'""', b"[]"})
_SAMPLE_KEYS, _LOG_KEYS = {"id", "epoch", "input", "target"}, {"version", "status", "eval"}
_PARTS = object_schema_by_type(
    {
        "text": ObjectSchema(parse_member_schemas("text! text")),
        "reasoning": ObjectSchema(parse_member_schemas("reasoning! text")),
        "image": ObjectSchema(parse_member_schemas("image! text")),
        "audio": ObjectSchema(parse_member_schemas("audio! text, format! text")),
        "video": ObjectSchema(parse_member_schemas("video! text, format! text")),
        "document": ObjectSchema(parse_member_schemas("document! text")),
        "data": ObjectSchema(parse_member_schemas("data! object")),
        "tool_use": ObjectSchema(
            parse_member_schemas("tool_type! text, id! text, name! text, arguments! text, result! text")
        ),
    }
)
_PARTS = replace(_PARTS, known_types=frozenset(_PARTS.variants))
_CONTENT = text_or_parts_field(_PARTS, None, needed=True)
_CALL = ObjectSchema(parse_member_schemas("id! text, function! text", arguments=FieldSchema((OBJECT,), needed=True)))
_MESSAGE_SCHEMA = message_schema_by_role(
    {
        **dict.fromkeys(("system", "user", "tool"), object_schema_of_fields(content=_CONTENT)),
        "assistant": object_schema_of_fields(content=_CONTENT, tool_calls=list_field(_CALL, needed=False)),
    }
)


class _Call(Struct, gc=False):
    id: str | None = None
    function: str | None = None
    arguments: Raw = EMPTY_RAW


class _Error(Struct, gc=False):
    type: str | None = None


class _Message(Struct, gc=False):
    """The fields of a message that the index needs."""

    role: str | None = None
    content: Raw = EMPTY_RAW
    tool_calls: list[_Call] | None = None
    tool_call_id: Raw = EMPTY_RAW
    error: _Error | None = None


class _Sample(Struct):
    """The members before the messages that name a sample."""

    id: str | int | None = None
    epoch: int | None = None


_decode_sample = msgspec.json.Decoder(_Sample).decode


class InspectAi(StructMessages, ChatMessageReader):
    """Samples of evaluations of inspect_ai."""

    name = "inspect-ai"
    label = "inspect_ai sample"
    keys = "epoch eval"
    container = tr("JSON document, also in an .eval archive")
    detection = tr("an object with the version, status and eval of a log, or with the id, epoch and target of a sample")
    read = tr("the messages of each sample, as they were when the sample ended")
    write_back = tr("no, because inspect_ai does not continue a sample from its log")
    resume = tr("none. `inspect eval-retry` runs samples that did not complete again from the beginning")
    unsupported = tr("requests of a sample that differ from its messages, which are among its events, and attachments")
    source = "inspect_ai 0.3.285, log/_log.py, model/_chat_message.py"
    read_only_reason = tr(
        "A sample is not repaired, because inspect_ai does not continue it from its log. Convert the messages to the "
        "format of OpenAI or Anthropic, or run the sample again with `inspect eval-retry`."
    )
    profile = "openai-chat"
    block_schema = replace(
        schema.BLOCK_SCHEMA,
        calls=(CallSpec(name="/function", input=("/arguments",)),),
        results=(ResultSpec(id="/tool_call_id", name="/function", wants_name=False, status="/error"),),
        media=(
            MediaSpec(frozenset({"image"}), "/image", url=("/image",), default_type="image"),
            MediaSpec(frozenset({"document"}), "/document", url=("/document",), media_type=("/mime_type",)),
            *schema.BLOCK_SCHEMA.media,
        ),
    )
    message_schema = _MESSAGE_SCHEMA
    shapes = MessagePaths(("samples/messages", "messages"))
    is_provider_api = False
    decode = LenientDecoder(_Message)

    def score(self, head: Head) -> float:
        if head.is_lines and len(head.lines) > 1:
            return 0.0
        context, messages = head.context, head.messages_in(self.shapes)
        is_own = context.keys() >= _LOG_KEYS or context.keys() >= _SAMPLE_KEYS
        if not is_own or (messages is None and head.is_complete):
            return 0.0
        return 0.95 if all(role_of_message(message) in _ROLES for message in messages or ()) else 0.0

    def add_decoded(self, columns: Columns, start: int, end: int, message: Any, odd: bool, /) -> None:
        calls, is_text = message.tool_calls or (), bytes(memoryview(message.content)[:1]) == b'"'
        mark = RecordMark.MAYBE_MALFORMED if odd or not is_text or any(map(_is_odd_call, calls)) else 0
        role = _ROLES.get(message.role or "", Role.OPAQUE)
        columns.add_record(start, end, role, mark)
        if role == Role.TOOL:
            flags = result_content_flags(message.content) | (BlockFlag.ERROR if message.error else 0)
            columns.add_block(BlockKind.RESULT, flags, _text_of(message.tool_call_id))
            return
        if role != Role.OPAQUE and bytes(memoryview(message.content)[:3]) not in _NOTHING:
            columns.add_block(BlockKind.TEXT)
        for call in calls:
            columns.add_block(BlockKind.CALL, 0 if _is_object(call) else BlockFlag.BAD_INPUT, call.id, call.function)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        session.agent = _LABEL
        session.provider_assumed = True
        session.stops_before_tool_calls = True
        if sequence.enclosing_object is None or sequence.array_start is None:
            return
        # The events after the messages can be many times as long.
        before = log.source.read(sequence.enclosing_object[0], sequence.array_start + 1)
        with suppress(*DECODE_ERRORS):
            sample = _decode_sample(before + b"]}")
            session.id = f"{sample.id}/{sample.epoch}"


def _is_object(call: _Call) -> bool:
    return bytes(memoryview(call.arguments)[:1]) == b"{"


def _is_odd_call(call: _Call) -> bool:
    return call.id is None or call.function is None or not _is_object(call)


def _text_of(value: Raw) -> str | None:
    text = msgspec.json.decode(value) if len(value) else None
    return text if isinstance(text, str) else None
