"""A request as JSON in the agent's own wire.

Blocks that the log keeps in the wire's own shape go out byte for byte; the others are spelled from what they say.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec import Struct

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_of
from inspector.core.formats.bases.agent import Sender
from inspector.core.formats.bases.edits import Call
from inspector.core.formats.bases.request import Message, Request, Sent
from inspector.core.index.columns import Columns, RawOf, Role
from inspector.core.index.views import BlockKind, BlockView
from inspector.core.wire import responses
from inspector.core.wire.inputs import input_of
from inspector.core.wire.spelling.rows import Spelling
from inspector.core.wire.spelling.tables import ANTHROPIC

MEMBERS = {
    "anthropic": "messages",
    "bedrock-converse": "messages",
    "gemini": "contents",
    "openai-chat": "messages",
    "openai-responses": "input",
}
_ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "user", Role.SYSTEM: "system"}
_GEMINI = frozenset("text thought functionCall functionResponse inlineData fileData".split())


class Spoken(Struct, frozen=True):
    """A block as it is to be spelled. `raw` is its JSON in the log; the agent's own result is spelled by the format.

    `as_stored`: it may go out as it is. `spelling` is the log's.
    """

    sent: Sent
    kind: BlockKind
    text: str
    name: str = ""
    id: str = ""
    is_error: bool = False
    raw: bytes = b""
    as_stored: bool = True
    spelling: Spelling = Spelling()

    @property
    def input(self) -> bytes:
        return input_of(self.raw, self.text, self.spelling).json


class Spelled(Struct, frozen=True):
    """One message (or item) of the wire, and the blocks of the request that are in it."""

    json: bytes
    blocks: tuple[Spoken, ...]


class Speaker:
    """Reads the blocks of a request out of the log, in their order: a result goes by the tool of the newest call.

    The record that was looked at last is remembered.
    """

    def __init__(self, format: Sender, columns: Columns, raw: RawOf) -> None:
        self.format, self.columns, self.raw = format, columns, raw
        self._shown: tuple[int, dict[str, BlockView]] = (-1, {})
        self._tools: dict[str, str] = {}

    def spoken(self, sent: Sent, as_stored: bool = True) -> Spoken:
        columns, row = self.columns, sent.row
        call_id = sent.id or columns.call_ids[row] or ""
        name = columns.names[row] or self._tools.get(call_id, "")
        self._tools[call_id] = name
        if sent.told:
            return Spoken(sent, BlockKind.TEXT, sent.told)
        record = columns.record_of(row)
        ordinal = row - columns.first[record]
        pointer = self.format.pointer(columns, record, ordinal)
        if sent.answer:
            answer = self.format.answer(Call(call_id, name, self.raw(record), pointer), sent.answer)
            return Spoken(sent, BlockKind.RESULT, sent.answer, name, call_id, True, answer, as_stored)
        view = self._views(record).get(pointer)
        text = view.text if view is not None else ""
        raw = self.format.block_bytes(columns, record, self.raw(record), ordinal)
        kind, is_error = BlockKind(columns.block_kinds[row]), view is not None and view.is_error
        worded = self.format.worded(columns.roles[record], kind, raw, name)
        if worded is not None:
            return Spoken(sent, kind, worded, name, call_id, is_error)
        return Spoken(sent, kind, text, name, call_id, is_error, raw, as_stored, self.format.spelling)

    def _views(self, record: int) -> dict[str, BlockView]:
        if self._shown[0] != record:
            blocks = self.format.view(self.raw(record)).blocks
            self._shown = (record, {view.pointer: view for view in reversed(blocks)})
        return self._shown[1]


def spelled(request: Request, speaker: Speaker) -> Iterator[Spelled]:
    """The messages of a request in its wire, one by one: their blocks are as large as the log."""
    spell = _WIRES[request.wire]
    for message in request.messages:
        yield from spell(message, [speaker.spoken(block, request.as_stored) for block in message.blocks])


def _object(members: Iterable[tuple[str, bytes]]) -> bytes:
    return b"{" + b",".join(text_of(key) + b":" + value for key, value in members) + b"}"


def _array(values: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _kept(block: Spoken, is_own: Callable[[dict[str, Any]], bool]) -> bytes:
    """The block as the log has it, where it is in the wire's own shape."""
    if block.raw[:1] != b"{" or not block.as_stored:
        return b""
    return block.raw if is_own(value_of(block.raw)) else b""


def _is_anthropic(block: dict[str, Any]) -> bool:
    """Blocks of the provider's own tools, too, are told by their type."""
    return ANTHROPIC.kind_of(str(block.get("type"))) != BlockKind.OTHER


def _is_of_gemini(part: dict[str, Any]) -> bool:
    return not _GEMINI.isdisjoint(part)


def _is_of_responses(item: dict[str, Any]) -> bool:
    return str(item.get("type")) in responses.TYPES


def _anthropic(message: Message, blocks: list[Spoken]) -> Iterable[Spelled]:
    role = text_of(_ROLES[Role(message.role)])
    own = [text_of({"type": "text", "text": message.words})] if message.words else []
    content = _array([*own, *(_kept(block, _is_anthropic) or _anthropic_block(block) for block in blocks)])
    yield Spelled(_object((("role", role), ("content", content))), tuple(blocks))


def _anthropic_block(block: Spoken) -> bytes:
    if block.kind == BlockKind.CALL:
        head = {"type": "tool_use", "id": block.id, "name": block.name}
        return text_of(head)[:-1] + b',"input":' + block.input + b"}"
    if block.kind == BlockKind.RESULT:
        error = {"is_error": True} if block.is_error else {}
        return text_of({"type": "tool_result", "tool_use_id": block.id, "content": block.text, **error})
    return text_of({"type": "text", "text": block.text})


def _converse(message: Message, blocks: list[Spoken]) -> Iterable[Spelled]:
    role, content = text_of(_ROLES[Role(message.role)]), _array(map(_converse_block, blocks))
    yield Spelled(_object((("role", role), ("content", content))), tuple(blocks))


def _converse_block(block: Spoken) -> bytes:
    if block.kind == BlockKind.CALL:
        call = (("toolUseId", text_of(block.id)), ("name", text_of(block.name)), ("input", block.input))
        return _object((("toolUse", _object(call)),))
    if block.kind == BlockKind.RESULT:
        status = {"status": "error"} if block.is_error else {}
        return text_of({"toolResult": {"toolUseId": block.id, "content": [{"text": block.text}], **status}})
    return text_of({"text": block.text})


def _chat(message: Message, blocks: list[Spoken]) -> Iterable[Spelled]:
    said = [block for block in blocks if block.kind != BlockKind.RESULT]
    calls = [block for block in said if block.kind == BlockKind.CALL]
    if said or not blocks:
        words = message.between.join(block.text for block in said if block.kind in (BlockKind.TEXT, BlockKind.MEDIA))
        members = [("role", text_of(_ROLES[Role(message.role)])), ("content", text_of(words))]
        if calls:
            members.append(("tool_calls", _array(map(_chat_call, calls))))
        yield Spelled(_object(members), tuple(said))
    for block in blocks:
        if block.kind == BlockKind.RESULT:
            told = {"role": "tool", "tool_call_id": block.id, "content": block.text}
            yield Spelled(text_of(told), (block,))


def _chat_call(call: Spoken) -> bytes:
    arguments = call.input.decode("utf-8", "replace")
    return text_of({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})


def _responses(message: Message, blocks: list[Spoken]) -> Iterable[Spelled]:
    """An item for each block; the parts of a message that the log keeps as an item are that one item."""
    role = _ROLES[Role(message.role)]
    for item, alike in groupby(blocks, key=lambda block: _kept(block, _is_of_responses) or block):
        same = tuple(alike)
        yield Spelled(item if isinstance(item, bytes) else _responses_item(role, same[0]), same)


def _responses_item(role: str, block: Spoken) -> bytes:
    if block.kind == BlockKind.CALL:
        arguments = block.input.decode("utf-8", "replace")
        call = {"type": "function_call", "call_id": block.id, "name": block.name, "arguments": arguments}
        return text_of(call)
    if block.kind == BlockKind.RESULT:
        return text_of({"type": "function_call_output", "call_id": block.id, "output": block.text})
    kind = "output_text" if role == "assistant" else "input_text"
    return text_of({"type": "message", "role": role, "content": [{"type": kind, "text": block.text}]})


def _gemini(message: Message, blocks: list[Spoken]) -> Iterable[Spelled]:
    role = "model" if message.role == Role.ASSISTANT else "user"
    parts = _array(_renamed(_kept(block, _is_of_gemini), block) or _gemini_part(block) for block in blocks)
    yield Spelled(_object((("role", text_of(role)), ("parts", parts))), tuple(blocks))


def _renamed(part: bytes, block: Spoken) -> bytes:
    """A part under the id that it is sent by."""
    holder = "functionCall" if block.kind == BlockKind.CALL else "functionResponse"
    return splice.set_member(part, f"/{holder}", "id", text_of(block.id)) if part and block.sent.id else part


def _gemini_part(block: Spoken) -> bytes:
    if block.kind == BlockKind.CALL:
        call = _object((("id", text_of(block.id)), ("name", text_of(block.name)), ("args", block.input)))
        return _object((("functionCall", call),))
    if block.kind == BlockKind.RESULT:
        response = {"id": block.id, "name": block.name, "response": {"output": block.text}}
        return text_of({"functionResponse": response})
    return text_of({"text": block.text})


_WIRES: dict[str, Callable[[Message, list[Spoken]], Iterable[Spelled]]] = {
    "anthropic": _anthropic,
    "bedrock-converse": _converse,
    "openai-chat": _chat,
    "openai-responses": _responses,
    "gemini": _gemini,
}
