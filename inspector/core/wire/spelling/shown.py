"""Blocks as a person reads them."""

from contextlib import suppress
from typing import Any

import orjson

from inspector.core.bytes.json_text import list_at, pretty_json, value_at
from inspector.core.index.views import CALL_KINDS, BlockKind, BlockView
from inspector.core.wire.spelling.rows import BlockSchema, matching_spec


def block_views(spelling: BlockSchema, content: Any, pointer: str) -> tuple[BlockView, ...]:
    """The blocks of a parsed content; `pointer` is the content's own."""
    if isinstance(content, str) and spelling.has_type_key:
        return (BlockView(BlockKind.TEXT, content, pointer),)
    return tuple(block_view(spelling, block, f"{pointer}/{at}") for at, block in enumerate(list_at(content, "")))


def block_view(spelling: BlockSchema, block: Any, at: str) -> BlockView:
    """A parsed block that stands at a pointer."""
    if not isinstance(block, dict):
        return BlockView(BlockKind.OTHER, pretty_json(block), at)
    name = spelling.block_type(block)
    kind = spelling.block_kind(name)
    if kind == BlockKind.TEXT:
        is_thought = spelling.thought_pointer and value_at(block, spelling.thought_pointer)
        return BlockView(
            BlockKind.THINKING if is_thought else kind, _first_value_text(block, spelling.text_pointers, ""), at
        )
    if kind == BlockKind.THINKING:
        return BlockView(kind, _first_value_text(block, spelling.reasoning_pointers, spelling.redacted_text), at)
    if kind == BlockKind.MEDIA:
        return BlockView(kind, f"[{_first_value_text(block, spelling.media_label_pointers, name)}]", at)
    if not spelling.has_type_key and kind in (BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT):
        return BlockView(kind, pretty_json(block[name]), at, name)
    if kind in CALL_KINDS:
        return call_view(block, spelling, at, kind)
    if kind in (BlockKind.RESULT, BlockKind.SERVER_RESULT):
        return result_view(block, spelling, at, kind)
    return BlockView(kind, pretty_json(block), at, name)


def call_view(call: Any, spelling: BlockSchema, at: str, kind: BlockKind = BlockKind.CALL) -> BlockView:
    """A parsed call that stands at a pointer."""
    row = matching_spec(spelling.calls, call)
    if row is None or not isinstance(call, dict):
        return BlockView(BlockKind.OTHER, pretty_json(call), at)
    found = (value_at(call, place, ...) for place in row.input)
    given = next((value for value in found if value is not ...), None)
    return BlockView(kind, row.shown(given), at, _text_at(call, row.name), _text_at(call, row.id))


def result_view(result: Any, spelling: BlockSchema, at: str, kind: BlockKind = BlockKind.RESULT) -> BlockView:
    """A parsed result that is told to stand at a pointer."""
    row = matching_spec(spelling.results, result)
    if row is None:
        return BlockView(BlockKind.OTHER, pretty_json(result), at)
    failed = bool(row.status) and row.failed(value_at(result, row.status))
    text = row.shown(value_at(result, row.content))
    return BlockView(kind, text, at, _text_at(result, row.name), _text_at(result, row.id), failed)


def format_arguments(given: Any) -> str:
    """The arguments of a call that are a text with JSON, for reading; of what is none, the text or the JSON."""
    if isinstance(given, str):
        with suppress(orjson.JSONDecodeError):
            return pretty_json(orjson.loads(given))
    return text_or_json(given)


def text_or_json(given: Any) -> str:
    """A text as it is, anything else as JSON."""
    return given if isinstance(given, str) else pretty_json(given)


def _first_value_text(block: Any, places: tuple[str, ...], unsaid: str) -> str:
    """What stands first at some places of a block."""
    return str(next(filter(None, (value_at(block, place) for place in places)), unsaid))


def _text_at(block: Any, pointer: str) -> str:
    return str(value_at(block, pointer) or "") if pointer else ""
