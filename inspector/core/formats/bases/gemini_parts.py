"""What the formats share whose messages hold Gemini's parts: editing calls and responses in their spelling.

Facts: google-genai `types.py`. A part is spelled in camelCase or in snake_case; what is written follows what is there.
"""

from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_of
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.block_list import BlockListFormat
from inspector.core.formats.bases.terms import Call
from inspector.core.index.columns import Columns
from inspector.core.wire import gemini
from inspector.core.wire.spelling.tables import GEMINI


class GeminiParts(BlockListFormat):
    """A format whose records have a list of Gemini's parts at `content`."""

    spelling = GEMINI

    def signed(self, block: bytes) -> bytes:
        key, value = gemini.signed(value_of(block))
        return splice.set_member(block, "", key, text_of(value))

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
    return value_of(json_at(raw, pointer))
