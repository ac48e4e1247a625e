"""What the formats share whose messages hold Gemini's parts: editing calls and responses in their spelling.

Facts: google-genai `types.py`. A part is spelled in camelCase or in snake_case; what is written follows what is there.
"""

from collections.abc import Iterable
from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import list_at, text_of, value_of
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.block_list import BlockListFormat
from inspector.core.formats.bases.edits import Call
from inspector.core.wire import gemini
from inspector.core.wire.spelling.tables import GEMINI


class GeminiParts(BlockListFormat):
    """A format whose records have a list of Gemini's parts at `content`."""

    spelling = GEMINI

    def signed(self, block: bytes) -> bytes:
        key, value = gemini.signed(value_of(block))
        return splice.set_member(block, "", key, text_of(value))

    def answer(self, call: Call, text: str, failed: bool = True) -> bytes:
        return text_of(gemini.response_part(value_of(json_at(call.raw, call.pointer)), text, failed))

    def media_of(self, result: Any) -> Iterable[Any]:
        return list_at(gemini.member(result, "functionResponse"), "/parts")

    def invented(self, call: Call) -> Any:
        return gemini.invented_call(value_of(json_at(call.raw, call.pointer)), call.name)
