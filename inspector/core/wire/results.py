"""The content of a result, as the bytes that the log has, and a text in its place."""

from typing import Any

from inspector.core.bytes.json_text import dump_json, parse_json, value_at
from inspector.core.bytes.spans import PointerNotFound, TruncatedJson, pointer_span
from inspector.core.wire.result_parts import media_parts
from inspector.core.wire.spelling.rows import BlockSchema, ResultSpec, matching_spec


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
