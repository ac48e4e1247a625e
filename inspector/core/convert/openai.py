"""OpenAI chat messages: a text and `tool_calls` of the assistant, and a `tool` message for each result.

Source of the shapes: the `openai` SDK's `types/chat/*_message_param.py`. Reasoning has no place in them, and a tool
message holds text alone.
"""

from collections.abc import Iterable, Iterator

from inspector.core.convert.history import (
    SERVER_KINDS,
    ConversionNotes,
    ConversionTarget,
    HistoryMetadata,
    Turn,
    TurnPart,
    assistant_part_as_text,
    assistant_steps,
    call_as_text,
    encode_json_text,
    joined_text,
    json_list_items,
    non_results_by_record,
)
from inspector.core.convert.reader import IdMapper
from inspector.core.formats.base.writer import UsedIds
from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.media import Media
from inspector.core.providers.openai_chat import schema
from inspector.core.providers.registry import PROFILES


class OpenAITarget(ConversionTarget):
    """Messages for OpenAI's chat API and its many compatible servers."""

    name = "openai"
    summary = "OpenAI chat messages (a request body with `messages`)"
    suffix = ".json"
    reader_format = "openai-chat"

    def render(self, turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
        yield b'{"messages":['
        yield from json_list_items(_messages(turns, about, notes))
        yield b"\n]}\n"


def _messages(turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
    ids = IdMapper(PROFILES["openai-chat"], once=False, notes=notes)
    if about.system:
        yield schema.encode_message("system", encode_json_text(about.system, None, notes))
    for turn in turns:
        if turn.role == Role.ASSISTANT:
            for parts in assistant_steps(turn.parts):
                yield from _assistant(parts, ids, notes)
                yield from _results(parts, ids, notes)
        else:
            role = "system" if turn.role == Role.SYSTEM else "user"
            yield from _results(turn.parts, ids, notes)
            for parts in non_results_by_record(turn.parts):
                yield from _spoken_message(parts, role, notes)


def _assistant(parts: list[TurnPart], ids: IdMapper, notes: ConversionNotes) -> Iterator[bytes]:
    texts, calls = [], []
    in_turn = UsedIds()
    for part in parts:
        if part.kind == BlockKind.CALL:
            calls.append(schema.encode_call(ids.call_id(part, in_turn), ids.tool_name(part), part.input))
        elif part.kind == BlockKind.THINKING:
            notes.add("skipped", "reasoning", "chat messages cannot hold it", part)
        elif (told := assistant_part_as_text(part, notes)) is not None:
            texts.append(TurnPart(BlockKind.TEXT, part.record, (told,)))
        elif part.kind == BlockKind.TEXT:
            texts.append(part)
    text = joined_text(texts)
    if text or calls:
        yield schema.encode_message("assistant", encode_json_text(text, texts[0], notes) if text else b"null", calls)


def _results(parts: list[TurnPart], ids: IdMapper, notes: ConversionNotes) -> Iterator[bytes]:
    for part in parts:
        if part.kind != BlockKind.RESULT:
            continue
        if part.is_error:
            notes.add("adapted", "result", "chat messages cannot mark a result as an error", part)
        if any(isinstance(piece, Media) for piece in part.pieces):
            notes.add("adapted", "media", "tool messages hold only text, so a text names it", part)
        yield schema.encode_tool_message(ids.result_id(part), encode_json_text(part.text, part, notes))


def _spoken_message(parts: list[TurnPart], role: str, notes: ConversionNotes) -> Iterator[bytes]:
    """Yield a message of the user or the system: a text, or a list where it has images too."""
    pieces: list[bytes] = []
    plain: list[TurnPart] = []
    for part in parts:
        if part.kind == BlockKind.CALL:
            plain.append(TurnPart(BlockKind.TEXT, part.record, (call_as_text(part, notes),)))
        elif part.kind in (BlockKind.TEXT, *SERVER_KINDS):
            plain.append(part)
        elif part.kind == BlockKind.MEDIA:
            pieces += _media(part, role, notes)
    text = joined_text(plain)
    if text and not pieces:
        yield schema.encode_message(role, encode_json_text(text, plain[0], notes))
    elif text or pieces:
        if text:
            pieces.insert(0, schema.encode_text_part(encode_json_text(text, plain[0], notes)))
        yield schema.encode_message(role, b"[%s]" % b",".join(pieces))


def _media(part: TurnPart, role: str, notes: ConversionNotes) -> Iterator[bytes]:
    for piece in part.pieces:
        if isinstance(piece, str):
            if piece.strip():
                yield schema.encode_text_part(encode_json_text(piece, part, notes))
        elif piece.is_image and role == "user" and (piece.data or piece.url):
            url = piece.url or f"data:{piece.media_type};base64,{piece.data}"
            yield schema.encode_image(encode_json_text(url, part, notes))
        else:
            notes.add("adapted", "media", "only user messages can hold images, so a text names it", part)
            yield schema.encode_text_part(encode_json_text(piece.label, part, notes))
