"""Encode a request as JSON in the agent's own wire format.

Blocks that the log keeps in the wire's own shape are sent byte for byte. The others are encoded from their content.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Any, Protocol

from msgspec import Struct

from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.anthropic import schema as anthropic
from inspector.core.providers.bedrock_converse import schema as converse
from inspector.core.providers.block_schema import BlockSchema
from inspector.core.providers.block_views import call_input, stored_call_input
from inspector.core.providers.gemini import schema as gemini
from inspector.core.providers.openai_chat import schema as chat
from inspector.core.providers.openai_responses import schema as responses
from inspector.core.storage.json_text import (
    HALF_PAIR,
    dump_json,
    parse_json,
    replace_invalid_bytes,
    replace_invalid_characters,
)

MESSAGES_KEYS = {
    "anthropic": "messages",
    "bedrock-converse": "messages",
    "gemini": "contents",
    "openai-chat": "messages",
    "openai-responses": "input",
}
# In another shape than the wire's own, the blocks of the provider's tools are left out: how they are sent is not known.
_OF_SERVER_TOOLS = (BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT)
_ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "user", Role.SYSTEM: "system"}


class BlockEncoder(Protocol):
    """The `schema` module of an API whose messages are lists of blocks."""

    def stored_block_as_sent(self, block: dict[str, Any], raw: bytes, sent_id: str, /) -> bytes: ...
    def encode_text_block(self, text: bytes, /) -> bytes: ...
    def encode_call(self, call_id: str, name: str, input: bytes, /) -> bytes: ...
    def encode_result(self, call_id: str, name: str, content: bytes, is_error: bool, /) -> bytes: ...
    def encode_message(self, role: str, blocks: Iterable[bytes], /) -> bytes: ...


class BlockToEncode(Struct, frozen=True):
    """A block to encode. `raw` is its JSON in the log, or for the agent's own result the format's JSON.

    `as_stored` says whether `raw` may be sent unchanged. `block_schema` is the log's. `passes_input_on`: the input of a
    call is sent as it is, even if it is no object.
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
    passes_input_on: bool = False

    @property
    def input(self) -> bytes:
        """The input of a call, as JSON."""
        if self.passes_input_on:
            return stored_call_input(self.raw, self.block_schema)
        return call_input(self.raw, self.text, self.block_schema).json


class EncodedMessage(Struct, frozen=True):
    """One message (or item) of the wire, and the blocks of the request that are in it."""

    json: bytes
    blocks: tuple[BlockToEncode, ...]


class BlockReader:
    """Reads the blocks of a request from the log, in order. A result gets the tool name of the newest call.

    `version` is the version of the agent. `replaces_surrogates` is that of the request. The record that was read last
    is cached.
    """

    def __init__(
        self, format: RequestBuilder, columns: Columns, raw: ReadRecord, version: str, replaces_surrogates: bool = False
    ) -> None:
        self.format, self.columns, self.raw, self.version = format, columns, raw, version
        self.replaces_surrogates = replaces_surrogates
        self._shown: tuple[int, dict[str, BlockView]] = (-1, {})
        self._tools: dict[str, str] = {}

    def read_block(self, sent: RequestBlock, as_stored: bool = True) -> BlockToEncode:
        columns, row = self.columns, sent.row
        call_id = sent.id or columns.call_ids[row] or ""
        name = columns.names[row] or self._tools.get(call_id, "")
        self._tools[call_id] = name
        if sent.stored_form:
            return BlockToEncode(sent, BlockKind.TEXT, sent.stored_form)
        record = columns.record_of_block(row)
        ordinal = row - columns.first_block[record]
        pointer = self.format.pointer(columns, record, ordinal)
        if sent.answer:
            answer = self.format.result_block(CallContext(call_id, name, self.raw(record), pointer), sent.answer)
            return BlockToEncode(sent, BlockKind.RESULT, sent.answer, name, call_id, True, answer, as_stored)
        view = self._views(record).get(pointer)
        text = view.text if view is not None else ""
        if self.replaces_surrogates:
            text = HALF_PAIR.sub("\ufffd", text)
        raw = self._well_formed(self.format.block_bytes(columns, record, self.raw(record), ordinal))
        kind, is_error = BlockKind(columns.block_kinds[row]), view is not None and view.is_error
        if kind == BlockKind.THINKING and (thinking := self.format.sent_thinking(raw)):
            return BlockToEncode(sent, kind, text, raw=thinking)
        if sent.note:
            return BlockToEncode(sent, kind, "\n".join(filter(None, (text, sent.note))), name, call_id, is_error)
        sent_text = self.format.sent_text(columns.roles[record], kind, raw, name)
        if sent_text is not None:
            return BlockToEncode(sent, kind, sent_text, name, call_id, is_error)
        if kind == BlockKind.CALL:
            name, raw = self.format.sent_call(name, raw, self.version)
        raw = self.format.sent_item(raw)
        schema, passes_on = self.format.block_schema, self.format.passes_inputs_on
        return BlockToEncode(sent, kind, text, name, call_id, is_error, raw, as_stored, schema, passes_on)

    def _well_formed(self, raw: bytes) -> bytes:
        """Return a block with U+FFFD for the invalid characters that its program does not send."""
        return replace_invalid_characters(raw) if self.replaces_surrogates else replace_invalid_bytes(raw)

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


def _stored_json(block: BlockToEncode, encode: Callable[[dict[str, Any], bytes, str], bytes]) -> bytes:
    """Return the block as it is sent where the log has it in the wire's own shape, else b""."""
    if block.raw[:1] != b"{" or not block.as_stored:
        return b""
    return encode(parse_json(block.raw), block.raw, block.sent.id)


def _block_messages(
    encode: BlockEncoder, message: RequestMessage, blocks: list[BlockToEncode]
) -> Iterable[EncodedMessage]:
    """Yield a message with a block for each block."""
    own = [encode.encode_text_block(dump_json(message.own_text))] if message.own_text else []
    known = (
        _stored_json(block, encode.stored_block_as_sent) or _encode_new_block(encode, block)
        for block in blocks
        if block.kind not in _OF_SERVER_TOOLS or block.as_stored
    )
    yield EncodedMessage(encode.encode_message(_ROLES[Role(message.role)], (*own, *known)), tuple(blocks))


def _encode_new_block(encode: BlockEncoder, block: BlockToEncode) -> bytes:
    if block.kind == BlockKind.CALL:
        return encode.encode_call(block.id, block.name, block.input)
    if block.kind == BlockKind.RESULT:
        return encode.encode_result(block.id, block.name, dump_json(block.text), block.is_error)
    return encode.encode_text_block(dump_json(block.text))


def _chat_messages(message: RequestMessage, blocks: list[BlockToEncode]) -> Iterable[EncodedMessage]:
    said = [block for block in blocks if block.kind != BlockKind.RESULT]
    if said or not blocks:
        words = message.separator.join(block.text for block in said if block.kind in (BlockKind.TEXT, BlockKind.MEDIA))
        calls = (chat.encode_call(block.id, block.name, block.input) for block in said if block.kind == BlockKind.CALL)
        yield EncodedMessage(chat.encode_message(_ROLES[Role(message.role)], dump_json(words), calls), tuple(said))
    for block in blocks:
        if block.kind == BlockKind.RESULT:
            yield EncodedMessage(chat.encode_tool_message(block.id, dump_json(block.text)), (block,))


def _items(message: RequestMessage, blocks: list[BlockToEncode]) -> Iterable[EncodedMessage]:
    """Yield an item for each block. The parts of a message that the log keeps as one item are one item."""
    role = _ROLES[Role(message.role)]
    blocks = [block for block in blocks if block.kind not in _OF_SERVER_TOOLS or block.as_stored]
    for item, alike in groupby(blocks, key=lambda block: _stored_json(block, responses.stored_item_as_sent) or block):
        item_blocks = tuple(alike)
        yield EncodedMessage(item if isinstance(item, bytes) else _encode_item(role, item_blocks[0]), item_blocks)


def _encode_item(role: str, block: BlockToEncode) -> bytes:
    if block.kind == BlockKind.CALL:
        return responses.encode_call(block.id, block.name, block.input)
    if block.kind == BlockKind.RESULT:
        return responses.encode_output(block.id, block.text)
    return responses.encode_message(role, block.text)


_ENCODERS: dict[str, Callable[[RequestMessage, list[BlockToEncode]], Iterable[EncodedMessage]]] = {
    "anthropic": partial(_block_messages, anthropic),
    "bedrock-converse": partial(_block_messages, converse),
    "openai-chat": _chat_messages,
    "openai-responses": _items,
    "gemini": partial(_block_messages, gemini),
}
