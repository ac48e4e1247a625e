"""Anthropic messages: blocks of text, `tool_use` and `tool_result`; results come first in the user's next message.

Source of the shapes: the `anthropic` SDK's `types/*_param.py`. Reasoning is kept where Anthropic signed it, because the
signature covers the exact bytes. Reasoning of another provider has no place.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from inspector.core.convert.history import (
    ConversionNotes,
    ConversionTarget,
    HistoryMetadata,
    Turn,
    TurnPart,
    assistant_part_as_text,
    assistant_steps,
    call_as_text,
    encode_json_text,
    json_list_items,
)
from inspector.core.convert.reader import IdMapper
from inspector.core.formats.base.writer import UsedIds
from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic import schema
from inspector.core.providers.media import Media
from inspector.core.providers.registry import PROFILES
from inspector.core.storage.json_text import dump_json, parse_json

_BEGINNING_TEXT = "[The beginning of this conversation is not part of the log.]"
_MODEL, _MAX_TOKENS = "claude-sonnet-4-5", 4096
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class AnthropicTarget(ConversionTarget):
    """Messages for Anthropic's API."""

    name = "anthropic"
    summary = "Anthropic messages (a request body with `messages`)"
    suffix = ".json"
    reader_format = "anthropic-messages"

    def render(self, turns: Iterable[Turn], about: HistoryMetadata, notes: ConversionNotes) -> Iterator[bytes]:
        writer, turns = _Writer(notes), iter(turns)
        leading: list[TurnPart] = []
        first: list[Turn] = []
        for turn in turns:
            if turn.role != Role.SYSTEM:
                first = [turn]
                break
            leading += turn.parts
        yield b'{"model":' + dump_json(_MODEL) + b',"max_tokens":%d,' % _MAX_TOKENS
        notes.add("adapted", "request", "a request needs model and max_tokens: set them as you need", text=_MODEL)
        system = "\n\n".join(filter(None, (about.system, *(part.text for part in leading))))
        if system.strip():
            yield b'"system":' + encode_json_text(system, leading[0] if leading else None, notes) + b","
        yield b'"messages":['
        yield from json_list_items(writer.messages(chain(first, turns)))
        yield b"\n]}\n"


class _Writer:
    def __init__(self, notes: ConversionNotes) -> None:
        self.notes = notes
        self.ids = IdMapper(PROFILES["anthropic"], once=True, notes=notes)
        self.began = False

    def messages(self, turns: Iterable[Turn]) -> Iterator[bytes]:
        for turn, following in pairwise(chain(turns, (None,))):
            if turn is None:
                continue
            if turn.role != Role.ASSISTANT:
                yield from self._user(turn.parts, turn.role)
                continue
            for parts in assistant_steps(turn.parts if following else self._without_final_reasoning(turn.parts)):
                blocks = [block for part in parts for block in self._said(part)]
                if blocks:
                    if not self.began:
                        why = "the provider requires a user message first, so a note was added"
                        self.notes.add("adapted", "beginning", why, parts[0], _BEGINNING_TEXT)
                        yield self._message("user", [self._text(_BEGINNING_TEXT, parts[0])])
                    yield self._message("assistant", blocks)
                yield from self._user([part for part in parts if part.kind == BlockKind.RESULT], Role.USER)

    def _without_final_reasoning(self, parts: list[TurnPart]) -> list[TurnPart]:
        """Return the parts of the last message without reasoning at its end, which agents do not send either."""
        kept = list(parts)
        while kept and kept[-1].kind == BlockKind.THINKING:
            why = "the provider does not accept reasoning at the end of the history"
            self.notes.add("skipped", "reasoning", why, kept.pop())
        return kept

    def _message(self, role: str, blocks: list[bytes]) -> bytes:
        self.began = True
        return schema.encode_message(role, blocks)

    def _user(self, parts: list[TurnPart], role: Role) -> Iterator[bytes]:
        """Yield a user message: results first, then what the user says. System messages become user texts."""
        results = [self._result(part) for part in parts if part.kind == BlockKind.RESULT]
        blocks: list[bytes] = []
        for part in parts:
            if part.kind == BlockKind.RESULT:
                continue
            if role == Role.SYSTEM:
                self.notes.add("adapted", "system message", "in mid-history, so it became a user message", part)
                blocks.append(self._text(f"[system] {part.text}", part))
            elif part.kind == BlockKind.CALL:
                blocks.append(self._text(call_as_text(part, self.notes), part))
            elif part.kind != BlockKind.THINKING:
                blocks += self._pieces(part)
        if results or blocks:
            yield self._message("user", results + blocks)

    def _said(self, part: TurnPart) -> Iterator[bytes]:
        """Yield the assistant's blocks that a part becomes."""
        if part.kind == BlockKind.CALL:
            yield schema.encode_call(self.ids.call_id(part, UsedIds()), self.ids.tool_name(part), part.input)
        elif part.kind == BlockKind.THINKING:
            yield from self._reasoning(part)
        elif (text := assistant_part_as_text(part, self.notes)) is not None:
            yield self._text(text, part)
        elif part.kind == BlockKind.TEXT:
            yield from self._pieces(part)

    def _reasoning(self, part: TurnPart) -> Iterator[bytes]:
        block = parse_json(part.raw) if part.raw[:1] == b"{" else None
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "redacted_thinking" or (kind == "thinking" and isinstance(block, dict) and block.get("signature")):
            self.notes.add("kept", "reasoning", "signed by the provider, copied unchanged", part)
            yield part.raw
        else:
            self.notes.add("skipped", "reasoning", "not signed by the provider", part)

    def _result(self, part: TurnPart) -> bytes:
        if any(isinstance(piece, Media) for piece in part.pieces):
            content = b"[" + b",".join(self._pieces(part)) + b"]"
        else:
            content = encode_json_text(part.text, part, self.notes)
        return schema.encode_result(self.ids.result_id(part), part.name, content, part.is_error)

    def _pieces(self, part: TurnPart) -> Iterator[bytes]:
        for piece in part.pieces:
            if isinstance(piece, Media):
                yield self._media(piece, part)
            elif piece.strip():
                yield self._text(piece, part)

    def _media(self, media: Media, part: TurnPart) -> bytes:
        media_type = media.media_type
        kind = b"image" if media_type in _IMAGES else b"document" if media_type == "application/pdf" else b""
        if kind and media.data:
            return schema.encode_media_data(kind, media_type, media.data)
        if media.url and (kind or media.is_image):
            return schema.encode_media_url(kind or b"image", encode_json_text(media.url, part, self.notes))
        self.notes.add("adapted", "media", "the provider does not accept this type, so a text names it", part)
        return self._text(media.label, part)

    def _text(self, text: str, part: TurnPart) -> bytes:
        return schema.encode_text_block(encode_json_text(text, part, self.notes))
