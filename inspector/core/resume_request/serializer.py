"""Encode a request as JSON in the agent's own wire format.

Blocks that the log keeps in the wire's own shape are sent byte for byte. The others are encoded from their content.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columns import Columns, ReadRecord, Role
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.anthropic import schema as anthropic
from inspector.core.providers.block_schema import BlockSchema
from inspector.core.providers.block_views import call_input
from inspector.core.providers.openai_responses import schema
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, parse_json

MESSAGES_KEYS = {
    "anthropic": "messages",
    "bedrock-converse": "messages",
    "gemini": "contents",
    "openai-chat": "messages",
    "openai-responses": "input",
}
_ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "user", Role.SYSTEM: "system"}
_GEMINI = frozenset("text thought functionCall functionResponse inlineData fileData".split())


class ResolvedBlock(Struct, frozen=True):
    """A block to encode. `raw` is its JSON in the log, or for the agent's own result the format's JSON.

    `as_stored` says whether `raw` may be sent unchanged. `block_schema` is the log's.
    """

    sent: RequestBlock
    kind: BlockKind
    text: str
    name: str = ""
    id: str = ""
    is_error: bool = False
    raw: bytes = b""
    as_stored: bool = True
    block_schema: BlockSchema = BlockSchema()

    @property
    def input(self) -> bytes:
        """The input of a call, as JSON."""
        return call_input(self.raw, self.text, self.block_schema).json


class EncodedMessage(Struct, frozen=True):
    """One message (or item) of the wire, and the blocks of the request that are in it."""

    json: bytes
    blocks: tuple[ResolvedBlock, ...]


class BlockReader:
    """Reads the blocks of a request from the log, in order. A result gets the tool name of the newest call.

    The record that was read last is cached.
    """

    def __init__(self, format: RequestBuilder, columns: Columns, raw: ReadRecord) -> None:
        self.format, self.columns, self.raw = format, columns, raw
        self._shown: tuple[int, dict[str, BlockView]] = (-1, {})
        self._tools: dict[str, str] = {}

    def read_block(self, sent: RequestBlock, as_stored: bool = True) -> ResolvedBlock:
        columns, row = self.columns, sent.row
        call_id = sent.id or columns.call_ids[row] or ""
        name = columns.names[row] or self._tools.get(call_id, "")
        self._tools[call_id] = name
        if sent.stored_form:
            return ResolvedBlock(sent, BlockKind.TEXT, sent.stored_form)
        record = columns.record_of_block(row)
        ordinal = row - columns.first_block[record]
        pointer = self.format.pointer(columns, record, ordinal)
        if sent.answer:
            answer = self.format.result_block(CallContext(call_id, name, self.raw(record), pointer), sent.answer)
            return ResolvedBlock(sent, BlockKind.RESULT, sent.answer, name, call_id, True, answer, as_stored)
        view = self._views(record).get(pointer)
        text = view.text if view is not None else ""
        raw = self.format.block_bytes(columns, record, self.raw(record), ordinal)
        kind, is_error = BlockKind(columns.block_kinds[row]), view is not None and view.is_error
        sent_text = self.format.sent_text(columns.roles[record], kind, raw, name)
        if sent_text is not None:
            return ResolvedBlock(sent, kind, sent_text, name, call_id, is_error)
        return ResolvedBlock(sent, kind, text, name, call_id, is_error, raw, as_stored, self.format.block_schema)

    def _views(self, record: int) -> dict[str, BlockView]:
        if self._shown[0] != record:
            blocks = self.format.view(self.raw(record)).blocks
            self._shown = (record, {view.pointer: view for view in reversed(blocks)})
        return self._shown[1]


def encode_messages(request: ResumeRequest, reader: BlockReader) -> Iterator[EncodedMessage]:
    """Yield the messages of a request in its wire format, one by one: their blocks are as large as the log."""
    encode = _ENCODERS[request.wire]
    for message in request.messages:
        yield from encode(message, [reader.read_block(block, request.as_stored) for block in message.blocks])


def _object(members: Iterable[tuple[str, bytes]]) -> bytes:
    return b"{" + b",".join(dump_json(key) + b":" + value for key, value in members) + b"}"


def _array(values: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _stored_json(block: ResolvedBlock, is_own: Callable[[dict[str, Any]], bool]) -> bytes:
    """Return the block as the log has it where it is in the wire's own shape, else b""."""
    if block.raw[:1] != b"{" or not block.as_stored:
        return b""
    return block.raw if is_own(parse_json(block.raw)) else b""


def _is_anthropic(block: dict[str, Any]) -> bool:
    """Return whether a block is of the provider's shape. Blocks of its own tools have a known type too."""
    return anthropic.BLOCK_SCHEMA.block_kind(str(block.get("type"))) != BlockKind.OTHER


def _is_of_gemini(part: dict[str, Any]) -> bool:
    return not _GEMINI.isdisjoint(part)


def _is_of_responses(item: dict[str, Any]) -> bool:
    return str(item.get("type")) in schema.ITEM_TYPES


def _anthropic(message: RequestMessage, blocks: list[ResolvedBlock]) -> Iterable[EncodedMessage]:
    role = dump_json(_ROLES[Role(message.role)])
    own = [dump_json({"type": "text", "text": message.own_text})] if message.own_text else []
    content = _array([*own, *(_stored_json(block, _is_anthropic) or _anthropic_block(block) for block in blocks)])
    yield EncodedMessage(_object((("role", role), ("content", content))), tuple(blocks))


def _anthropic_block(block: ResolvedBlock) -> bytes:
    if block.kind == BlockKind.CALL:
        head = {"type": "tool_use", "id": block.id, "name": block.name}
        return dump_json(head)[:-1] + b',"input":' + block.input + b"}"
    if block.kind == BlockKind.RESULT:
        error = {"is_error": True} if block.is_error else {}
        return dump_json({"type": "tool_result", "tool_use_id": block.id, "content": block.text, **error})
    return dump_json({"type": "text", "text": block.text})


def _converse(message: RequestMessage, blocks: list[ResolvedBlock]) -> Iterable[EncodedMessage]:
    role, content = dump_json(_ROLES[Role(message.role)]), _array(map(_converse_block, blocks))
    yield EncodedMessage(_object((("role", role), ("content", content))), tuple(blocks))


def _converse_block(block: ResolvedBlock) -> bytes:
    if block.kind == BlockKind.CALL:
        call = (("toolUseId", dump_json(block.id)), ("name", dump_json(block.name)), ("input", block.input))
        return _object((("toolUse", _object(call)),))
    if block.kind == BlockKind.RESULT:
        status = {"status": "error"} if block.is_error else {}
        return dump_json({"toolResult": {"toolUseId": block.id, "content": [{"text": block.text}], **status}})
    return dump_json({"text": block.text})


def _chat(message: RequestMessage, blocks: list[ResolvedBlock]) -> Iterable[EncodedMessage]:
    said = [block for block in blocks if block.kind != BlockKind.RESULT]
    calls = [block for block in said if block.kind == BlockKind.CALL]
    if said or not blocks:
        words = message.separator.join(block.text for block in said if block.kind in (BlockKind.TEXT, BlockKind.MEDIA))
        members = [("role", dump_json(_ROLES[Role(message.role)])), ("content", dump_json(words))]
        if calls:
            members.append(("tool_calls", _array(map(_chat_call, calls))))
        yield EncodedMessage(_object(members), tuple(said))
    for block in blocks:
        if block.kind == BlockKind.RESULT:
            result = {"role": "tool", "tool_call_id": block.id, "content": block.text}
            yield EncodedMessage(dump_json(result), (block,))


def _chat_call(call: ResolvedBlock) -> bytes:
    arguments = call.input.decode("utf-8", "replace")
    return dump_json({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})


def _responses(message: RequestMessage, blocks: list[ResolvedBlock]) -> Iterable[EncodedMessage]:
    """Yield an item for each block. The parts of a message that the log keeps as one item are one item."""
    role = _ROLES[Role(message.role)]
    for item, alike in groupby(blocks, key=lambda block: _stored_json(block, _is_of_responses) or block):
        item_blocks = tuple(alike)
        yield EncodedMessage(item if isinstance(item, bytes) else _responses_item(role, item_blocks[0]), item_blocks)


def _responses_item(role: str, block: ResolvedBlock) -> bytes:
    if block.kind == BlockKind.CALL:
        arguments = block.input.decode("utf-8", "replace")
        call = {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": arguments}
        return dump_json(call)
    if block.kind == BlockKind.RESULT:
        return dump_json({"type": "function_call_output", "call_id": block.id, "output": block.text})
    kind = "output_text" if role == "assistant" else "input_text"
    return dump_json({"type": "message", "role": role, "content": [{"type": kind, "text": block.text}]})


def _gemini(message: RequestMessage, blocks: list[ResolvedBlock]) -> Iterable[EncodedMessage]:
    role = "model" if message.role == Role.ASSISTANT else "user"
    parts = _array(_with_sent_id(_stored_json(block, _is_of_gemini), block) or _gemini_part(block) for block in blocks)
    yield EncodedMessage(_object((("role", dump_json(role)), ("parts", parts))), tuple(blocks))


def _with_sent_id(part: bytes, block: ResolvedBlock) -> bytes:
    """Return a part with the id that it is sent by."""
    holder = "functionCall" if block.kind == BlockKind.CALL else "functionResponse"
    return json_edits.set_member(part, f"/{holder}", "id", dump_json(block.id)) if part and block.sent.id else part


def _gemini_part(block: ResolvedBlock) -> bytes:
    if block.kind == BlockKind.CALL:
        call = _object((("id", dump_json(block.id)), ("name", dump_json(block.name)), ("args", block.input)))
        return _object((("functionCall", call),))
    if block.kind == BlockKind.RESULT:
        response = {"id": block.id, "name": block.name, "response": {"output": block.text}}
        return dump_json({"functionResponse": response})
    return dump_json({"text": block.text})


_ENCODERS: dict[str, Callable[[RequestMessage, list[ResolvedBlock]], Iterable[EncodedMessage]]] = {
    "anthropic": _anthropic,
    "bedrock-converse": _converse,
    "openai-chat": _chat,
    "openai-responses": _responses,
    "gemini": _gemini,
}
