"""Blocks as a person reads them.

Merged; to be rewritten:
`inputs`: The input of a call, as the bytes that the log has.
`results`: The content of a result, as the bytes that the log has, and a text in its place.
"""

from contextlib import suppress
from typing import Any

import orjson
from msgspec import Struct

from inspector.core.model.views import CALL_KINDS, BlockKind, BlockView
from inspector.core.providers.block_schema import BlockSchema, ResultSpec, matching_spec
from inspector.core.providers.message_fields import media_parts
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson, json_at, pointer_span
from inspector.core.storage.json_text import (
    as_json_object,
    as_json_string,
    dump_json,
    is_valid_json,
    list_at,
    parse_json,
    pretty_json,
    value_at,
)


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


# The input of a call, as the bytes that the log has.
#
# A parser that is followed by a writer would turn a long number into another one.


class CallInput(Struct, frozen=True):
    """A call's input as a JSON object. `changed` says what had to be done to make it one, "" for nothing."""

    json: bytes
    conversion_note: str = ""


def call_input(block: bytes, displayed: str, spelling: BlockSchema) -> CallInput:
    """The input of the call in `block`; `shown` is what a person sees of it, for a call of an unknown shape."""
    place, given = _given(parse_json(block), spelling)
    raw = displayed.encode("utf-8", "replace")
    if not place:
        raw = raw if is_valid_json(raw) else dump_json(displayed)
        given = parse_json(raw)
    inner = given.strip().encode("utf-8", "replace") if isinstance(given, str) else b""
    if inner[:1] == b"{" and is_valid_json(inner):
        return CallInput(inner)
    if given is None or (isinstance(given, str) and not inner):
        return CallInput(b"{}")
    if place:
        raw = json_at(block, place)
    if isinstance(given, dict):
        return CallInput(raw)
    what = "a text, which stands" if inner else "no object, and stands"
    return CallInput(b'{"input":' + raw + b"}", f"its input is {what} under `input` now")


def valid_call_input(call: Any, spelling: BlockSchema) -> bytes:
    """The input of a parsed call as the wire takes it: an object, or a text with JSON."""
    row = matching_spec(spelling.calls, call)
    _, given = _given(call, spelling)
    return dump_json(as_json_string(given) if row is not None and row.as_text else as_json_object(given))


def _given(call: Any, spelling: BlockSchema) -> tuple[str, Any]:
    """The place of the input of a parsed call, and its value; "" and None where it has none."""
    row = matching_spec(spelling.calls, call)
    found = ((place, value_at(call, place, ...)) for place in (row.input if row is not None else ()))
    return next(((place, value) for place, value in found if value is not ...), ("", None))


# The content of a result, as the bytes that the log has, and a text in its place.


def result_content(block: bytes, spelling: BlockSchema) -> bytes | None:
    """The JSON of a result's content, None where there is none."""
    found = _content(block, spelling)
    return None if found is None else block[found[1] : found[2]]


def replace_result_content(block: bytes, text: str, spelling: BlockSchema) -> bytes | None:
    """A result with `text` in the place of its content: its id, its flags and what else it says stay.

    None where its content is of a kind that no text can stand for (the screen picture of a computer call).
    """
    found = _content(block, spelling)
    if found is None:
        return None
    row, start, end = found
    if row.told is None or block[start : start + 1] not in (b'"', b"[", b"{"):
        return None
    return block[:start] + dump_json(row.told(text)) + block[end:]


def media_types_in_result(result: Any, spelling: BlockSchema) -> list[str]:
    """The types of the media that a parsed result holds beside text."""
    row = matching_spec(spelling.results, result)
    content = value_at(result, row.content) if row is not None and row.content else None
    return [str(part["type"]) for part in media_parts(content)]


def _content(block: bytes, spelling: BlockSchema) -> tuple[ResultSpec, int, int] | None:
    row = matching_spec(spelling.results, parse_json(block))
    if row is None or not row.content:
        return None
    try:
        return row, *pointer_span(block, row.content)
    except (TruncatedJson, PointerNotFound):
        return None
