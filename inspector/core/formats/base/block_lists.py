"""What the formats share whose messages hold a list of blocks under `content`: editing that list in place.

Merged; to be rewritten:
`handed_on`: Messages that an agent hands on within its records: what of them no provider takes, and no agent can read.
`gemini_parts`: What the formats share whose messages hold Gemini's parts: editing calls and responses in their
spelling.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw

from inspector.core.formats.base.writer import BlockEdits, CallContext, Writer
from inspector.core.model.columns import BlockFlag, Columns, Role
from inspector.core.model.views import BlockView, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.block_schema import (
    encode_string,
    typed_text_encoder,
    typed_text_list_encoder,
    update_tool_block,
)
from inspector.core.providers.block_tables import ANTHROPIC, GEMINI
from inspector.core.providers.block_views import block_views
from inspector.core.providers.gemini import schema as gemini
from inspector.core.providers.message_fields import MEDIA_TYPES_BESIDE_TEXT, media_parts
from inspector.core.providers.message_schema import LIST, OBJECT, TEXT, FieldSchema, ObjectSchema
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import json_at
from inspector.core.storage.json_text import dump_json, list_at, parse_json, value_at

# Messages that an agent hands on within its records: what of them no provider takes, and no agent can read.
#
# A member of a record holds the message. What an agent notes of its own (pictures, results) is not judged; that a text
# is
# a text is.

_REQUIRED_TEXT = FieldSchema((TEXT,), needed=True)


# What the agents have in common: blocks that tell their type, and texts that are texts. Older logs of Kimi Code keep
# the words of reasoning under another key; 2.1.0 trims what stands under this one, and falls over null.
AGENT_BLOCK = ObjectSchema(
    type_key="type",
    variants={
        "text": ObjectSchema({"text": _REQUIRED_TEXT}),
        "thinking": ObjectSchema({"thinking": _REQUIRED_TEXT}),
        "think": ObjectSchema({"think": FieldSchema((TEXT,), nullable=False)}),
    },
)
BLOCK_LIST_FIELD = FieldSchema(
    (LIST,),
    needed=True,
    of=AGENT_BLOCK,
    text_encoder=typed_text_list_encoder("text"),
    element_encoder=typed_text_encoder("text"),
)
TEXT_OR_BLOCKS_FIELD = FieldSchema(
    (TEXT, LIST), needed=True, of=AGENT_BLOCK, text_encoder=encode_string, element_encoder=typed_text_encoder("text")
)


def record_with_message(member: str, held: ObjectSchema, needed: bool = False) -> ObjectSchema:
    """A record with a message under `member`; `needed` where the agent falls over one without."""
    return ObjectSchema({member: FieldSchema((OBJECT,), needed, held)})


def is_json_string(value: Raw) -> bool:
    """Whether a value is a JSON string, told by its first byte."""
    return bytes(memoryview(value)[:1]) == b'"'


def has_odd_block(blocks: Iterable[Any]) -> bool:
    """Whether one of the decoded blocks needs a closer look: it tells no type, or says nothing that is a text."""
    return any(
        not block.type or (block.type in AGENT_BLOCK.variants and not is_json_string(_text_of_block(block)))
        for block in blocks
    )


def _text_of_block(block: Any) -> Raw:
    words: Raw = getattr(block, block.type, block.text)
    return words


class BlockListFormat(Writer):
    """A format whose records have their blocks at `content` ("/content", or "/message/content")."""

    content_pointer: str
    block_schema = ANTHROPIC
    prompts_are_strings = False
    """What a person says stands as a text where its program writes it, and not in a block."""
    can_reorder_blocks = True
    quotes_keep_media = True
    pairs_server_tools = True

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        """Where this record has its blocks, in a format whose records differ in that."""
        return self.content_pointer

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        row, content = columns.first_block[record] + ordinal, self.content_pointer_of(columns, record)
        whole = columns.block_flags[row] & BlockFlag.PLAIN_STRING
        return content if whole else f"{content}/{ordinal}"

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", "no message")
        return RecordView(str(message.get("role", "")), "", self.block_views(message))

    def block_views(self, record: dict[str, Any], /) -> tuple[BlockView, ...]:
        """The blocks of a parsed record, for showing."""
        return block_views(self.block_schema, value_at(record, self.content_pointer), self.content_pointer)

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows = columns.block_rows(record)
        whole = bool(rows) and bool(columns.block_flags[rows[0]] & BlockFlag.PLAIN_STRING)
        if len(edits.drop) == len(rows) and not edits.insert:
            return None
        if whole:
            return self._rewrite_whole(raw, edits)
        inserts: dict[int, list[bytes]] = {}
        for at, block in edits.insert:
            inserts.setdefault(at, []).append(block)
        array = json_edits.ArrayEditor(raw, self.content_pointer_of(columns, record))
        for ordinal in range(len(rows), -1, -1):
            if ordinal in edits.drop:
                array.remove(ordinal)
            elif ordinal in edits.replace:
                array.items[ordinal] = edits.replace[ordinal]
            elif ordinal < len(rows):
                spelled = self.block_schema.tool_specs(columns.block_kinds[rows[ordinal]])
                array.items[ordinal] = update_tool_block(array.items[ordinal], "", spelled, *edits.for_block(ordinal))
            for block in reversed(inserts.get(ordinal, ())):
                array.insert(ordinal, block)
        return array.text

    def _rewrite_whole(self, raw: bytes, edits: BlockEdits) -> bytes:
        """A message whose content is one string: it becomes a list only when blocks join it."""
        if 0 in edits.replace:
            return json_edits.replace_value(raw, self.content_pointer, b"[" + edits.replace[0] + b"]")
        blocks = [block for _, block in edits.insert]
        if 0 not in edits.drop:
            blocks.append(b'{"type":"text","text":' + json_at(raw, self.content_pointer) + b"}")
        return json_edits.replace_value(raw, self.content_pointer, b"[" + b",".join(blocks) + b"]")

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(schema.make_tool_result(call.id, text, failed))

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """The text, and beside it whatever media the result held."""
        block = parse_json(self.block_bytes(columns, record, raw, ordinal))
        return b",".join(map(dump_json, (self.text_block(text), *self.media_of(block))))

    def media_of(self, result: Any) -> Iterable[Any]:
        """What a parsed result holds that can stand beside a text in a message."""
        return (part for part in media_parts(value_at(result, "/content")) if part["type"] in MEDIA_TYPES_BESIDE_TEXT)

    # new records

    def text_block(self, text: str) -> Any:
        """A text as a block."""
        return self.block_schema.text(text) if self.block_schema.text is not None else text

    def invented_call(self, call: CallContext) -> Any:
        """A call of which nothing but its result is known."""
        return schema.make_invented_call(call.id, call.name)

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """A new record beside `like` with a content (JSON), by who speaks in it. `seed` makes its id, if it has one."""
        speaker = self.block_schema.assistant_role if role == Role.ASSISTANT else "user"
        return b'{"role":%s,%s:%s}' % (dump_json(speaker), dump_json(self.content_pointer[1:]), content)

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return self.new_record(like, Role.TOOL, b"[" + b",".join(blocks) + b"]", seed)

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        content = dump_json([self.text_block(note), self.invented_call(call)])
        return [self.new_record(call.raw, Role.ASSISTANT, content, f"{seed}:call")]

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return self.new_record(
            like, Role.USER, dump_json(text if self.prompts_are_strings else [self.text_block(text)]), seed
        )


# What the formats share whose messages hold Gemini's parts: editing calls and responses in their spelling.
#
# Facts: google-genai `types.py`. A part is spelled in camelCase or in snake_case; what is written follows what is
# there.


class GeminiParts(BlockListFormat):
    """A format whose records have a list of Gemini's parts at `content`."""

    block_schema = GEMINI

    def with_signature(self, block: bytes) -> bytes:
        key, value = gemini.placeholder_signature(parse_json(block))
        return json_edits.set_member(block, "", key, dump_json(value))

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(gemini.make_function_response(parse_json(json_at(call.raw, call.pointer)), text, failed))

    def media_of(self, result: Any) -> Iterable[Any]:
        return list_at(gemini.part_member(result, "functionResponse"), "/parts")

    def invented_call(self, call: CallContext) -> Any:
        return gemini.make_invented_call(parse_json(json_at(call.raw, call.pointer)), call.name)
