"""What the formats share whose messages hold Gemini's parts: editing calls and responses in their spelling.

Facts: google-genai `types.py`. A part is spelled in camelCase or in snake_case; what is written follows what is there.
"""

from __future__ import annotations

from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import object_of, text_of, value_of
from inspector.core.bytes.spans import locate
from inspector.core.formats.bases.block_list import BlockListFormat
from inspector.core.formats.bases.terms import Call
from inspector.core.index.columns import Columns
from inspector.core.index.views import BlockKind
from inspector.core.wire import gemini


class GeminiParts(BlockListFormat):
    """A format whose records have a list of Gemini's parts at `content`."""

    def set_id(self, columns: Columns, row: int, raw: bytes, pointer: str, new: str) -> bytes:
        key = "functionCall" if columns.block_kinds[row] == BlockKind.CALL else "functionResponse"
        return splice.set_member(raw, f"{pointer}/{_key_in(raw, pointer, key)}", "id", text_of(new))

    def set_input(self, raw: bytes, pointer: str, value: bytes) -> bytes:
        return splice.set_member(raw, f"{pointer}/{_key_in(raw, pointer, 'functionCall')}", "args", value)

    def set_name(self, columns: Columns, row: int, raw: bytes, pointer: str, new: str) -> bytes:
        """A response names its function as well."""
        key = "functionCall" if columns.block_kinds[row] == BlockKind.CALL else "functionResponse"
        return splice.set_member(raw, f"{pointer}/{_key_in(raw, pointer, key)}", "name", text_of(new))

    def sound_input(self, call: Any) -> bytes:
        return text_of(object_of(gemini.member(call, "functionCall").get("args")))

    def signed(self, block: bytes) -> bytes:
        key, value = gemini.signed(value_of(block))
        return splice.set_member(block, "", key, text_of(value))

    def text_block(self, text: str) -> bytes:
        return text_of({"text": text})

    def placeholder(self, call: Call, text: str) -> bytes:
        return text_of(gemini.response_part(part_at(call.raw, call.pointer), text))

    def result(self, call: Call, text: str) -> bytes | None:
        part = gemini.response_part(part_at(call.raw, call.pointer), text)
        for response in part.values():
            response["response"] = {"output": text}
        return text_of(part)

    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        response = gemini.member(part_at(raw, self.pointer(columns, record, ordinal)), "functionResponse")
        media = response.get("parts")
        return b",".join(text_of(part) for part in [{"text": text}, *(media if isinstance(media, list) else ())])


def part_at(raw: bytes, pointer: str) -> Any:
    return value_of(raw[slice(*locate(raw, pointer))])


def _key_in(raw: bytes, pointer: str, key: str) -> str:
    return gemini.spelling(part_at(raw, pointer), key)
