"""The content of a result, as the bytes that the log has, and a text in its place."""

from typing import Any

from inspector.core.bytes.json_text import text_of, value_at, value_of
from inspector.core.bytes.spans import CutShort, NothingThere, locate
from inspector.core.wire.result_parts import media_parts
from inspector.core.wire.spelling.rows import ResultRow, Spelling, row_of


def content_of(block: bytes, spelling: Spelling) -> bytes | None:
    """The JSON of a result's content, None where there is none."""
    found = _content(block, spelling)
    return None if found is None else block[found[1] : found[2]]


def cleared(block: bytes, text: str, spelling: Spelling) -> bytes | None:
    """A result with `text` in the place of its content: its id, its flags and what else it says stay.

    None where its content is of a kind that no text can stand for (the screen picture of a computer call).
    """
    found = _content(block, spelling)
    if found is None:
        return None
    row, start, end = found
    if row.told is None or block[start : start + 1] not in (b'"', b"[", b"{"):
        return None
    return block[:start] + text_of(row.told(text)) + block[end:]


def kinds_of_media(result: Any, spelling: Spelling) -> list[str]:
    """The types of the media that a parsed result holds beside text."""
    row = row_of(spelling.results, result)
    content = value_at(result, row.content) if row is not None and row.content else None
    return [str(part["type"]) for part in media_parts(content)]


def _content(block: bytes, spelling: Spelling) -> tuple[ResultRow, int, int] | None:
    row = row_of(spelling.results, value_of(block))
    if row is None or not row.content:
        return None
    try:
        return row, *locate(block, row.content)
    except (CutShort, NothingThere):
        return None
