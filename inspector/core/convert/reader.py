"""Read a thread as turns: what its provider would be sent, block by block, with its calls and results paired.

Ids of calls and names of tools that the provider accepts stay. The others are changed in the call and its result alike.
"""

import re
from collections.abc import Iterator
from typing import Any

from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.analysis.unmatched_results import recorded_tool_name
from inspector.core.convert.history import ConversionNotes, Turn, TurnPart
from inspector.core.formats.base.writer import UsedIds, make_valid_id
from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_views import call_input, result_content
from inspector.core.providers.media import Media, find_media, parse_media, text_and_media_parts
from inspector.core.providers.message_fields import content_conversion_note
from inspector.core.providers.profile import Profile
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson, raw_json_at
from inspector.core.storage.json_text import dump_json, is_valid_json, parse_json, pretty_json, value_at

_MAY_HOLD_MEDIA = re.compile(rb"image|inline_?[dD]ata|file_?[dD]ata|document|base64|attachments")
_IMAGE_NAMES = re.compile(r"^\[[\w -]+\]$", re.MULTILINE)  # the name of a part that is no text, within a text
_LONG_NUMBER = re.compile(rb"\d{16}")
_STATES = {
    PairingState.DISPLACED: "it is not right after its call",
    PairingState.AFTER_OTHER_CONTENT: "it is after text",
    PairingState.DUPLICATE: "its call has another result",
    PairingState.BEFORE_CALL: "it is before its call",
    PairingState.ORPHAN: "its call is not in the history",
}

_ILLEGAL_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME_LENGTH = 60
_ANYTHING = "(?s:.+)"


def read_turns(context: ThreadContext, notes: ConversionNotes) -> Iterator[Turn]:
    """Yield the turns of a thread, in order."""
    reader = _Reader(context, notes)
    for positions in _grouped(context, notes):
        turn = reader.turn(positions)
        if turn.parts:
            yield turn


def _grouped(context: ThreadContext, notes: ConversionNotes) -> list[list[int]]:
    """Return the path positions of each turn.

    Where a call contains its result, each message of the assistant is a turn.
    """
    columns, pairing = context.columns, context.pairing
    groups: dict[tuple[int, int], list[int]] = {}
    for position, record in enumerate(pairing.path):
        role = columns.roles[record]
        if role in (Role.OPAQUE, Role.LINK):
            if columns.blocks[record]:
                notes.add("skipped", "record", "it is not a message", TurnPart(BlockKind.OTHER, record))
            continue
        alone = (
            role == Role.SYSTEM
            or pairing.turns[position] < 0
            or (context.format.inline_results and role == Role.ASSISTANT)
        )
        key = (-1, position) if alone else (pairing.turns[position], role == Role.ASSISTANT)
        groups.setdefault(key, []).append(position)
    return list(groups.values())


class _Reader:
    def __init__(self, context: ThreadContext, notes: ConversionNotes) -> None:
        self.context, self.notes = context, notes

    def turn(self, positions: list[int]) -> Turn:
        context = self.context
        role = Role(context.columns.roles[context.pairing.path[positions[0]]])
        turn = Turn(Role.USER if role == Role.TOOL else role, [])
        for position in positions:
            record = context.pairing.path[position]
            raw = context.raw(record)
            view = context.format.view(raw)
            turn.time, turn.model = turn.time or view.time, turn.model or view.model
            rows = {
                context.format.pointer(context.columns, record, ordinal): (ordinal, row)
                for ordinal, row in enumerate(context.columns.block_rows(record))
            }
            for block in view.blocks:
                ordinal, row = rows.get(block.pointer, (-1, -1))
                part = self._part(record, raw, block, ordinal, row)
                if part is not None:
                    turn.parts.append(part)
        return turn

    def _part(self, record: int, raw: bytes, view: BlockView, ordinal: int, row: int) -> TurnPart | None:
        context = self.context
        kind = BlockKind(context.columns.block_kinds[row]) if row >= 0 else view.kind
        part = TurnPart(kind, record, (view.text,), view.name, view.call_id, is_error=view.is_error)
        tool = context.tool_by_block_row.get(row, -1)
        if kind in (BlockKind.CALL, BlockKind.RESULT, BlockKind.TOLD_RESULT) and tool >= 0:
            part.tool, part.peer = tool, context.pairing.counterparts[tool]
            part.name, part.call_id = recorded_tool_name(context, tool), context.call_id(tool)
            part.is_placeholder = kind == BlockKind.RESULT and context.is_placeholder(tool)
        if kind == BlockKind.CALL:
            return self._call(part, raw, view, ordinal)
        if kind == BlockKind.RESULT:
            return self._result(part, raw, view, ordinal)
        if kind == BlockKind.TOLD_RESULT:
            part.kind = BlockKind.RESULT if part.peer >= 0 else BlockKind.TEXT
            if part.peer >= 0:
                self.notes.add("adapted", "result", "the log has it as plain text", part)
        elif kind in (BlockKind.TEXT, BlockKind.MEDIA):
            part.pieces = self._pieces(part, raw, view)
            if any(isinstance(piece, Media) for piece in part.pieces):
                part.kind = BlockKind.MEDIA
        elif kind == BlockKind.THINKING:
            part.raw = _value_at(raw, view.pointer)
        elif kind == BlockKind.OTHER:
            what = view.name or "unknown"
            self.notes.add("skipped", what, "it is not part of a message", part)
            return None
        return part

    def _call(self, part: TurnPart, raw: bytes, view: BlockView, ordinal: int) -> TurnPart:
        context = self.context
        converted = call_input(
            context.format.block_bytes(context.columns, part.record, raw, ordinal),
            view.text,
            context.format.block_schema,
        )
        part.input = converted.json
        if converted.conversion_note:
            self.notes.add("adapted", "call", converted.conversion_note, part)
        if part.tool < 0:
            reason = "the agent adds a result itself when it sends the history, so it became text"
            self.notes.add("adapted", "call", reason, part)
            part.kind, part.pieces = BlockKind.TEXT, (f"[{part.name}] {view.text}",)
        elif part.peer < 0:
            self.notes.add("open", "call", "no result is in the history", part)
        return part

    def _result(self, part: TurnPart, raw: bytes, view: BlockView, ordinal: int) -> TurnPart | None:
        context = self.context
        if part.tool < 0:
            self.notes.add("skipped", "result", "the agent removes it when it sends the history", part)
            return None
        state = PairingState(context.pairing.states[part.tool])
        if state in _STATES:
            self.notes.add("open", "result", _STATES[state], part)
        schema = context.format.block_schema
        block = context.format.block_bytes(context.columns, part.record, raw, ordinal)
        # Only in the block: a record may hold thousands of results.
        holds_media, long_number = _MAY_HOLD_MEDIA.search(block), _LONG_NUMBER.search(block)
        content = result_content(block, schema)
        if content is None or (content[:1] == b'"' and not holds_media):
            return part
        value = parse_json(content)
        if note := content_conversion_note(value, view.text):
            self.notes.add("adapted", "result", note, part)
        if (
            long_number
            and isinstance(value, dict | list)
            and view.text in (pretty_json(value), dump_json(value).decode())
        ):
            # The displayed text was parsed, which rounds long numbers; the log's own bytes are exact.
            part.pieces = (content.decode("utf-8", "replace"),)
        if holds_media:
            pieces = text_and_media_parts(value, schema) if isinstance(value, list) else None
            media: tuple[str | Media, ...] = (
                (view.text, *find_media(parse_json(block), schema)) if pieces is None else pieces
            )
            part.pieces = media if any(isinstance(piece, Media) for piece in media) else part.pieces
        return part

    def _pieces(self, part: TurnPart, raw: bytes, view: BlockView) -> tuple[str | Media, ...]:
        """Return the texts and media of a block, or of a whole content that is shown as one text."""
        if view.kind != BlockKind.MEDIA and not _IMAGE_NAMES.search(view.text):
            return (view.text,)
        text = _value_at(raw, view.pointer)
        value = parse_json(text) if text[:1] in (b"[", b"{") else None
        media = parse_media(value, self.context.format.block_schema)
        if media is not None:
            return (media,)
        if view.kind == BlockKind.MEDIA:
            return (Media(view.text.strip("[]")),)
        if not isinstance(value, list):
            return (view.text,)
        return tuple(piece for item in value if (piece := self._piece(part, item)) is not None)

    def _piece(self, part: TurnPart, value: Any) -> str | Media | None:
        """Return one part of a content that the log shows as one text, None for reasoning.

        Reasoning in it is noted as skipped.
        """
        media = parse_media(value, self.context.format.block_schema)
        if media is not None or not isinstance(value, dict):
            return media if media is not None else str(value)
        schema = self.context.format.block_schema
        text, reasoning = (_first_text(value, places) for places in (schema.text_pointers, schema.reasoning_pointers))
        if text is not None:
            return text
        if reasoning is None:
            return Media(str(value.get("type") or "unknown"))
        self.notes.add("skipped", "reasoning", "it is inside the content of a message", part, reasoning)
        return None


def _first_text(value: Any, pointers: tuple[str, ...]) -> str | None:
    values = (value_at(value, pointer) for pointer in pointers)
    return next((text for text in values if isinstance(text, str)), None)


def _value_at(raw: bytes, pointer: str) -> bytes:
    try:
        value = raw_json_at(raw, pointer)
    except (TruncatedJson, PointerNotFound):
        return b""
    return value if is_valid_json(value) else b""


class IdMapper:
    """Maps call ids and tool names to ones that the provider accepts.

    With `once` an id may be used once in the whole history, else once in a turn.
    """

    def __init__(self, profile: Profile, once: bool, notes: ConversionNotes) -> None:
        self.profile, self.unique_in_history, self.notes = profile, once, notes
        self._ids = profile.call_id_pattern or _ANYTHING
        self._taken = UsedIds()
        self._of_tool: dict[int, str] = {}

    def call_id(self, part: TurnPart, in_turn: UsedIds) -> str:
        """Return the id for a call, and remember it. `in_turn` are the ids of its turn; the id is added to them."""
        taken = self._taken if self.unique_in_history else in_turn
        legal = self._takes(part.call_id)
        new_id = part.call_id if legal and part.call_id not in taken else make_valid_id(part.call_id, self._ids, taken)
        self._taken.add(new_id)
        in_turn.add(new_id)
        if part.tool >= 0:
            self._of_tool[part.tool] = new_id
        if new_id != part.call_id:
            reason = "the id was already used" if legal else "the provider does not accept this id"
            self.notes.add(
                "adapted", "id", f"{reason}; its result has the new id, too", part, f"{part.call_id} → {new_id}"
            )
        return new_id

    def result_id(self, part: TurnPart) -> str:
        """Return the id of the call that a result answers, or the result's own id where there is no call."""
        call_id = self._of_tool.get(part.peer)
        if call_id is not None:
            return call_id
        return part.call_id if self._takes(part.call_id) else make_valid_id(part.call_id, self._ids, UsedIds())

    def tool_name(self, part: TurnPart) -> str:
        """Return the name for a call's tool."""
        name = part.name
        if name and re.fullmatch(self.profile.tool_name_pattern or _ANYTHING, name):
            return name
        new_name = _ILLEGAL_CHARACTERS.sub("_", name)[:_MAX_NAME_LENGTH] or "unnamed_tool"
        self.notes.add("adapted", "tool name", "the provider does not accept this name", part, f"{name} → {new_name}")
        return new_name

    def _takes(self, call_id: str) -> bool:
        """Return whether the provider accepts an id. An empty id is never accepted."""
        return bool(call_id) and re.fullmatch(self._ids, call_id) is not None
