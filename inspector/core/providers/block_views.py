"""The blocks of a wire as a person reads them, and the input of a call and the content of a result as raw JSON."""

from contextlib import suppress
from typing import Any

import orjson
from msgspec import Struct

from inspector.core.model.views import CALL_KINDS, BlockKind, BlockView
from inspector.core.providers.block_schema import BlockSchema, ResultSpec, matching_spec
from inspector.core.providers.message_fields import media_parts
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson, pointer_span, raw_json_at
from inspector.core.storage.json_text import (
    coerce_to_json_object,
    coerce_to_json_string,
    dump_json,
    is_valid_json,
    list_at,
    parse_json,
    pretty_json,
    value_at,
)


def block_views(spelling: BlockSchema, content: Any, pointer: str) -> tuple[BlockView, ...]:
    """Return the views of the blocks of a parsed content. `pointer` is that of the content."""
    if isinstance(content, str) and spelling.type_key:
        return (BlockView(BlockKind.TEXT, content, pointer),)
    return tuple(block_view(spelling, block, f"{pointer}/{at}") for at, block in enumerate(list_at(content, "")))


def block_view(spelling: BlockSchema, block: Any, at: str) -> BlockView:
    """Return the view of a parsed block. `at` is its pointer."""
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
    if not spelling.type_key and kind in (BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT):
        return BlockView(kind, pretty_json(block[name]), at, name)
    if kind in CALL_KINDS:
        return call_view(block, spelling, at, kind)
    if kind in (BlockKind.RESULT, BlockKind.SERVER_RESULT):
        return result_view(block, spelling, at, kind)
    return BlockView(kind, pretty_json(block), at, name)


def call_view(call: Any, spelling: BlockSchema, at: str, kind: BlockKind = BlockKind.CALL) -> BlockView:
    """Return the view of a parsed call. `at` is its pointer."""
    row = matching_spec(spelling.calls, call)
    if row is None or not isinstance(call, dict):
        return BlockView(BlockKind.OTHER, pretty_json(call), at)
    values = (value_at(call, place, ...) for place in row.input)
    given = next((value for value in values if value is not ...), None)
    return BlockView(kind, row.shown(given), at, _text_at(call, row.name), _text_at(call, row.id))


def result_view(result: Any, spelling: BlockSchema, at: str, kind: BlockKind = BlockKind.RESULT) -> BlockView:
    """Return the view of a parsed result. `at` is the pointer that the view names."""
    row = matching_spec(spelling.results, result)
    if row is None:
        return BlockView(BlockKind.OTHER, pretty_json(result), at)
    failed = bool(row.status) and row.failed(value_at(result, row.status))
    text = row.shown(value_at(result, row.content))
    return BlockView(kind, text, at, _text_at(result, row.name), _text_at(result, row.id), failed)


def format_arguments(given: Any) -> str:
    """Return the arguments of a call for reading: JSON in a text is indented, any other text stays."""
    if isinstance(given, str):
        with suppress(orjson.JSONDecodeError):
            return pretty_json(orjson.loads(given))
    return text_or_json(given)


def text_or_json(given: Any) -> str:
    """Return a text as it is, anything else as JSON."""
    return given if isinstance(given, str) else pretty_json(given)


def _first_value_text(block: Any, places: tuple[str, ...], unsaid: str) -> str:
    """Return the first value at some places of a block as text, `unsaid` when there is none."""
    return str(next(filter(None, (value_at(block, place) for place in places)), unsaid))


def _text_at(block: Any, pointer: str) -> str:
    return str(value_at(block, pointer) or "") if pointer else ""


class CallInput(Struct, frozen=True):
    """The input of a call as a JSON object.

    `conversion_note` says how it was made an object, "" when it was one.
    """

    json: bytes
    conversion_note: str = ""


def call_input(block: bytes, displayed: str, spelling: BlockSchema) -> CallInput:
    """Return the input of the call in `block`, as the bytes of the log.

    Parsing and writing it again could change a long number. `displayed` is the input as a person sees it, for a call of
    an unknown shape.
    """
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
        raw = raw_json_at(block, place)
    if isinstance(given, dict):
        return CallInput(raw)
    what = "text, and is" if inner else "not an object, and is"
    return CallInput(b'{"input":' + raw + b"}", f"its input was {what} now under `input`")


def stored_call_input(block: bytes, spelling: BlockSchema) -> bytes:
    """Return the input of the call in `block` as it is there, an object or not, an empty object where it has none."""
    place, _ = _given(parse_json(block), spelling)
    return raw_json_at(block, place) if place else b"{}"


def coerce_call_input(call: Any, spelling: BlockSchema) -> bytes:
    """Return the input of a parsed call as the wire accepts it: an object, or a text with JSON."""
    row = matching_spec(spelling.calls, call)
    _, given = _given(call, spelling)
    return dump_json(coerce_to_json_string(given) if row is not None and row.as_text else coerce_to_json_object(given))


def _given(call: Any, spelling: BlockSchema) -> tuple[str, Any]:
    """Return the pointer and the value of the input of a parsed call, "" and None where it has none."""
    row = matching_spec(spelling.calls, call)
    values = ((place, value_at(call, place, ...)) for place in (row.input if row is not None else ()))
    return next(((place, value) for place, value in values if value is not ...), ("", None))


def result_content(block: bytes, spelling: BlockSchema) -> bytes | None:
    """Return the JSON of the content of a result, None where there is none."""
    content = _content(block, spelling)
    return None if content is None else block[content[1] : content[2]]


def replace_result_content(block: bytes, text: str, spelling: BlockSchema) -> bytes | None:
    """Return a result with `text` as its content. Its id, its flags and its other members stay.

    Return None where no text can replace the content (the screen picture of a computer call).
    """
    content = _content(block, spelling)
    if content is None:
        return None
    row, start, end = content
    if row.told is None or block[start : start + 1] not in (b'"', b"[", b"{"):
        return None
    return block[:start] + dump_json(row.told(text)) + block[end:]


def media_parts_in_result(result: Any, spelling: BlockSchema) -> list[dict[str, Any]]:
    """Return the media in a parsed result."""
    row = matching_spec(spelling.results, result)
    content = value_at(result, row.content) if row is not None and row.content else None
    return list(media_parts(content))


def _content(block: bytes, spelling: BlockSchema) -> tuple[ResultSpec, int, int] | None:
    row = matching_spec(spelling.results, parse_json(block))
    if row is None or not row.content:
        return None
    try:
        return row, *pointer_span(block, row.content)
    except (TruncatedJson, PointerNotFound):
        return None
