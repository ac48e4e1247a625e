"""A request as JSON in the agent's own wire.

Blocks that the log keeps in the wire's own shape go out byte for byte; the others are spelled from what they say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from inspector.core.columns import Columns, Role
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.request import Message, Request, Sent
from inspector.core.json_text import text_of, value_of
from inspector.core.views import BlockKind, BlockView
from inspector.core.wire.inputs import input_of

MEMBERS = {"anthropic": "messages", "openai-chat": "messages", "openai-responses": "input", "gemini": "contents"}
_ROLES = {Role.USER: "user", Role.ASSISTANT: "assistant", Role.TOOL: "user", Role.SYSTEM: "system"}
_ANTHROPIC = frozenset("text thinking redacted_thinking tool_use tool_result image document".split())
_GEMINI = frozenset("text thought functionCall functionResponse inlineData fileData".split())


class Spoken(Struct, frozen=True):
    """A block as it is to be spelled. `raw` is its JSON in the log, b"" for the agent's own words."""

    sent: Sent
    kind: BlockKind
    text: str
    name: str = ""
    id: str = ""
    is_error: bool = False
    raw: bytes = b""

    @property
    def input(self) -> bytes:
        return input_of(self.raw, self.text).json


class Spelled(Struct, frozen=True):
    """One message (or item) of the wire, and the blocks of the request that are in it."""

    json: bytes
    blocks: tuple[Spoken, ...]


class Speaker:
    """Reads the blocks of a request out of the log; the record that was looked at last is remembered."""

    def __init__(self, format: Format, columns: Columns, raw: Callable[[int], bytes]) -> None:
        self.format, self.columns, self.raw = format, columns, raw
        self._shown: tuple[int, dict[str, BlockView]] = (-1, {})

    def spoken(self, sent: Sent) -> Spoken:
        columns, row = self.columns, sent.row
        call_id, name = columns.call_ids[row] or "", columns.names[row] or ""
        if sent.answer:
            return Spoken(sent, BlockKind.RESULT, sent.answer, name, call_id, is_error=True)
        record = columns.record_of(row)
        ordinal = row - columns.first[record]
        view = self._views(record).get(self.format.pointer(columns, record, ordinal))
        text = sent.told or (view.text if view is not None else "")
        if sent.told:
            return Spoken(sent, BlockKind.TEXT, text)
        raw = self.format.block_bytes(columns, record, self.raw(record), ordinal)
        is_error = view is not None and view.is_error
        return Spoken(sent, BlockKind(columns.block_kinds[row]), text, name, call_id, is_error, raw)

    def _views(self, record: int) -> dict[str, BlockView]:
        if self._shown[0] != record:
            blocks = self.format.view(self.raw(record)).blocks
            self._shown = (record, {view.pointer: view for view in reversed(blocks)})
        return self._shown[1]


def spelled(request: Request, speaker: Speaker) -> Iterator[Spelled]:
    """The messages of a request in its wire, one by one: their blocks are as large as the log."""
    spell = _WIRES[request.wire]
    for message in request.messages:
        yield from spell(message, list(map(speaker.spoken, message.blocks)))


def _object(members: Iterable[tuple[str, bytes]]) -> bytes:
    return b"{" + b",".join(text_of(key) + b":" + value for key, value in members) + b"}"


def _array(values: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _kept(block: Spoken, keys: frozenset[str], member: str = "") -> bytes:
    """The block as the log has it, where it is in the wire's own shape: by its type, or by one of its keys."""
    if block.raw[:1] != b"{":
        return b""
    value = value_of(block.raw)
    own = value.get(member) in keys if member else not keys.isdisjoint(value)
    return block.raw if own else b""


def _anthropic(message: Message, blocks: list[Spoken]) -> Iterable[Spelled]:
    role = text_of(_ROLES[Role(message.role)])
    content = _array(_kept(block, _ANTHROPIC, "type") or _anthropic_block(block) for block in blocks)
    yield Spelled(_object((("role", role), ("content", content))), tuple(blocks))


def _anthropic_block(block: Spoken) -> bytes:
    if block.kind == BlockKind.CALL:
        head = {"type": "tool_use", "id": block.id, "name": block.name}
        return text_of(head)[:-1] + b',"input":' + block.input + b"}"
    if block.kind == BlockKind.RESULT:
        error = {"is_error": True} if block.is_error else {}
        return text_of({"type": "tool_result", "tool_use_id": block.id, "content": block.text, **error})
    return text_of({"type": "text", "text": block.text})


def _chat(message: Message, blocks: list[Spoken]) -> Iterable[Spelled]:
    said = [block for block in blocks if block.kind != BlockKind.RESULT]
    calls = [block for block in said if block.kind == BlockKind.CALL]
    if said or not blocks:
        words = "\n".join(block.text for block in said if block.kind in (BlockKind.TEXT, BlockKind.MEDIA))
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
    role = _ROLES[Role(message.role)]
    for block in blocks:
        item = block.raw if block.raw[:1] == b"{" and "type" in value_of(block.raw) else b""
        own = block.kind in (BlockKind.CALL, BlockKind.RESULT, BlockKind.THINKING) and item
        yield Spelled(own or _responses_item(role, block), (block,))


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
    parts = _array(_kept(block, _GEMINI) or _gemini_part(block) for block in blocks)
    yield Spelled(_object((("role", text_of(role)), ("parts", parts))), tuple(blocks))


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
    "openai-chat": _chat,
    "openai-responses": _responses,
    "gemini": _gemini,
}
