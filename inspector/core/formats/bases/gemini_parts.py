"""What the formats share whose messages hold Gemini's parts: editing calls and responses in their spelling.

Facts: google-genai `types.py`. A part is spelled in camelCase or in snake_case; what is written follows what is there.
"""

from collections.abc import Iterable
from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, list_at, parse_json
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.block_list import BlockListFormat
from inspector.core.formats.bases.edits import Call
from inspector.core.wire import gemini
from inspector.core.wire.spelling.tables import GEMINI


class GeminiParts(BlockListFormat):
    """A format whose records have a list of Gemini's parts at `content`."""

    block_schema = GEMINI

    def with_signature(self, block: bytes) -> bytes:
        key, value = gemini.placeholder_signature(parse_json(block))
        return splice.set_member(block, "", key, dump_json(value))

    def result_block(self, call: Call, text: str, failed: bool = True) -> bytes:
        return dump_json(gemini.make_function_response(parse_json(json_at(call.raw, call.pointer)), text, failed))

    def media_of(self, result: Any) -> Iterable[Any]:
        return list_at(gemini.part_member(result, "functionResponse"), "/parts")

    def invented_call(self, call: Call) -> Any:
        return gemini.make_invented_call(parse_json(json_at(call.raw, call.pointer)), call.name)
