"""OpenAI chat messages: a text and `tool_calls` of the assistant, and a `tool` message for each result.

Source of the shapes: the `openai` SDK's `types/chat/*_message_param.py`. Reasoning has no place in them, and a tool
message holds text alone.
"""

from collections.abc import Iterable, Iterator

from inspector.core.convert.reader import IdMapper
from inspector.core.convert.turns import (
    ConversionNotes,
    ConversionTarget,
    HistoryMetadata,
    Turn,
    TurnPart,
    assistant_steps,
    encode_text,
    group_by_record,
    joined_text,
    server_tool_text,
)
from inspector.core.formats.base.writer import UsedIds
from inspector.core.model.columns import Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.media import Media
from inspector.core.providers.registry import PROFILES
from inspector.core.storage.json_text import dump_json

_SERVER = (BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT)


class OpenAITarget(ConversionTarget):
    """Messages for OpenAI's chat API and its many compatible servers."""

    name = "openai"
    summary = "OpenAI chat messages (a request body with `messages`)"
    suffix = ".json"
    reader_format = "openai-chat"

    def render(self, turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
        yield b'{"messages":['
        separator = b"\n"
        for message in _messages(turns, about, notes):
            yield separator + message
            separator = b",\n"
        yield b"\n]}\n"


def _messages(turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
    ids = IdMapper(PROFILES["openai-chat"], once=False, notes=notes)
    if about.system:
        yield b'{"role":"system","content":' + encode_text(about.system, None, notes) + b"}"
    for turn in turns:
        if turn.role == Role.ASSISTANT:
            for parts in assistant_steps(turn.parts):
                yield from _assistant(parts, ids, notes)
                yield from _results(parts, ids, notes)
        else:
            role = b"system" if turn.role == Role.SYSTEM else b"user"
            yield from _results(turn.parts, ids, notes)
            for parts in group_by_record(turn.parts):
                yield from _spoken_message(parts, role, notes)


def _assistant(parts: list[TurnPart], ids: IdMapper, notes: ConversionNotes) -> Iterator[bytes]:
    texts, calls = [], []
    in_turn = UsedIds()
    for part in parts:
        if part.kind == BlockKind.CALL:
            calls.append(_call(part, ids, in_turn))
        elif part.kind == BlockKind.THINKING:
            notes.add("skipped", "reasoning", "chat messages have no place for it", part)
        elif part.kind in _SERVER:
            notes.add("adapted", "server tool", "told as text", part)
            texts.append(TurnPart(BlockKind.TEXT, part.record, (server_tool_text(part),)))
        elif part.kind == BlockKind.MEDIA:
            notes.add("adapted", "media", "an assistant's message holds text alone: named in it", part)
            texts.append(TurnPart(BlockKind.TEXT, part.record, (part.text,)))
        elif part.kind == BlockKind.TEXT:
            texts.append(part)
    text = joined_text(texts)
    if not text and not calls:
        return
    content = encode_text(text, texts[0], notes) if text else b"null"
    tools = b',"tool_calls":[' + b",".join(calls) + b"]" if calls else b""
    yield b'{"role":"assistant","content":' + content + tools + b"}"


def _call(part: TurnPart, ids: IdMapper, in_turn: UsedIds) -> bytes:
    call_id = dump_json(ids.call_id(part, in_turn))
    function = b'{"name":' + dump_json(ids.tool_name(part)) + b',"arguments":' + dump_json(part.input.decode()) + b"}"
    return b'{"id":' + call_id + b',"type":"function","function":' + function + b"}"


def _results(parts: list[TurnPart], ids: IdMapper, notes: ConversionNotes) -> Iterator[bytes]:
    for part in parts:
        if part.kind != BlockKind.RESULT:
            continue
        if part.is_error:
            notes.add("adapted", "result", "chat messages have no flag for an error", part)
        if any(isinstance(piece, Media) for piece in part.pieces):
            notes.add("adapted", "media", "a tool message holds text alone: named in it", part)
        call_id, text = dump_json(ids.result_id(part)), encode_text(part.text, part, notes)
        yield b'{"role":"tool","tool_call_id":' + call_id + b',"content":' + text + b"}"


def _spoken_message(parts: list[TurnPart], role: bytes, notes: ConversionNotes) -> Iterator[bytes]:
    """Yield a message of the user or the system: a text, or a list where it has images too."""
    pieces: list[bytes] = []
    plain: list[TurnPart] = []
    for part in parts:
        if part.kind == BlockKind.CALL:
            notes.add("adapted", "call", "it is not the assistant's: told as text", part)
            plain.append(
                TurnPart(BlockKind.TEXT, part.record, (f"[{part.name}] {part.input.decode('utf-8', 'replace')}",))
            )
        elif part.kind in (BlockKind.TEXT, *_SERVER):
            plain.append(part)
        elif part.kind == BlockKind.MEDIA:
            pieces += _media(part, role, notes)
    text = joined_text(plain)
    if text and not pieces:
        yield b'{"role":"' + role + b'","content":' + encode_text(text, plain[0], notes) + b"}"
    elif text or pieces:
        if text:
            pieces.insert(0, b'{"type":"text","text":' + encode_text(text, plain[0], notes) + b"}")
        yield b'{"role":"' + role + b'","content":[' + b",".join(pieces) + b"]}"


def _media(part: TurnPart, role: bytes, notes: ConversionNotes) -> Iterator[bytes]:
    for piece in part.pieces:
        if isinstance(piece, str):
            if piece.strip():
                yield b'{"type":"text","text":' + encode_text(piece, part, notes) + b"}"
        elif piece.is_image and role == b"user" and (piece.data or piece.url):
            url = piece.url or f"data:{piece.media_type};base64,{piece.data}"
            yield b'{"type":"image_url","image_url":{"url":' + encode_text(url, part, notes) + b"}}"
        else:
            notes.add("adapted", "media", "chat messages hold images of the user alone: named in a text", part)
            yield b'{"type":"text","text":' + encode_text(piece.label, part, notes) + b"}"
