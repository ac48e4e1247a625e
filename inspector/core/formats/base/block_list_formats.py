"""The base classes of formats whose messages are lists of blocks, or of Gemini's parts, which are edited in place."""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from inspector.core.formats.base.writer import BlockEdits, CallContext, Writer
from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.views import BlockView, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.block_schema import CallSpec, typed_text_encoder, update_tool_block
from inspector.core.providers.block_views import block_views
from inspector.core.providers.gemini import schema as gemini
from inspector.core.providers.message_fields import MEDIA_TYPES_BESIDE_TEXT, media_parts
from inspector.core.providers.message_misfits import (
    OBJECT,
    OPTIONAL_TEXT,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    object_schema_by_type,
    object_schema_of_fields,
    parts_list_field,
    text_or_parts_field,
)
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, list_at, parse_json, value_at
from inspector.core.translation import tr

# The schemas of messages that an agent passes on, held by a member of a record. The agent's own notes (pictures,
# results) are not judged, but a text must be a text.

# What the agents have in common: blocks with a type, and texts that are strings. Older logs of Kimi Code keep the words
# of reasoning under another key; 2.1.0 trims the value under this one, and fails on null.
AGENT_BLOCK_SCHEMA = object_schema_by_type(
    {
        "text": object_schema_of_fields(text=REQUIRED_TEXT),
        "thinking": object_schema_of_fields(thinking=REQUIRED_TEXT),
        "think": object_schema_of_fields(think=FieldSchema((TEXT,), nullable=False)),
    }
)
BLOCK_LIST_FIELD_SCHEMA = parts_list_field(AGENT_BLOCK_SCHEMA, typed_text_encoder("text"), needed=True)
TEXT_OR_BLOCKS_FIELD_SCHEMA = text_or_parts_field(AGENT_BLOCK_SCHEMA, typed_text_encoder("text"), needed=True)

# As Cline keeps Anthropic messages: with the item id of a call, and with the steps of a tool in a list. It converts
# them, so that its images, results and signatures have a form of their own.
CLINE_BLOCK_SCHEMA = replace(schema.BLOCK_SCHEMA, calls=(CallSpec(alternative_ids=("/call_id",)),), kept_in=("result",))
CLINE_MESSAGE_SCHEMA = object_schema_of_fields(
    role=schema.MESSAGE_SCHEMA.fields["role"],
    content=text_or_parts_field(
        object_schema_by_type(
            {
                "text": object_schema_of_fields(text=OPTIONAL_TEXT),
                "thinking": object_schema_of_fields(thinking=REQUIRED_TEXT),
            }
        ),
        typed_text_encoder("text"),
    ),
)


def record_schema_with_message(member: str, message: ObjectSchema, needed: bool = False) -> ObjectSchema:
    """Return the schema of a record with a message under `member`.

    `needed` where the agent fails on a record without one.
    """
    return ObjectSchema({member: FieldSchema((OBJECT,), needed, message)})


def is_string_token(value: Raw) -> bool:
    """Return whether a value is a JSON string, judged by its first byte."""
    return bytes(memoryview(value)[:1]) == b'"'


def has_suspect_block(blocks: Iterable[Any]) -> bool:
    """Return whether one of the decoded blocks needs a closer look: it has no type, or its text is not a string."""
    return any(
        not block.type or (block.type in AGENT_BLOCK_SCHEMA.variants and not is_string_token(_text_of_block(block)))
        for block in blocks
    )


def _text_of_block(block: Any) -> Raw:
    text: Raw = getattr(block, block.type, block.text)
    return text


class BlockListFormat(Writer):
    """A format whose records have their blocks at `content_pointer` ("/content", or "/message/content")."""

    content_pointer: str
    block_schema = schema.BLOCK_SCHEMA
    prompts_are_strings = False
    """The program writes the person's words as a string, not as a block."""
    can_reorder_blocks = True
    pairs_server_tools = True

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        """Return the pointer of the blocks of this record, in a format whose records differ in that."""
        return self.content_pointer

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        row, content_pointer = columns.first_block[record] + ordinal, self.content_pointer_of(columns, record)
        is_string = columns.block_flags[row] & BlockFlag.PLAIN_STRING
        return content_pointer if is_string else f"{content_pointer}/{ordinal}"

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", tr("no message"))
        return RecordView(str(message.get("role", "")), "", self.block_views(message))

    def block_views(self, record: dict[str, Any], /) -> tuple[BlockView, ...]:
        """Return the blocks of a parsed record, for showing."""
        return block_views(self.block_schema, value_at(record, self.content_pointer), self.content_pointer)

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows = columns.block_rows(record)
        is_string = bool(rows) and bool(columns.block_flags[rows[0]] & BlockFlag.PLAIN_STRING)
        if len(edits.drop) == len(rows) and not edits.insert:
            return None
        if is_string:
            return self._rewrite_whole(raw, edits)
        inserts: dict[int, list[bytes]] = {}
        for ordinal_before, block in edits.insert:
            inserts.setdefault(ordinal_before, []).append(block)
        array = json_edits.ArrayEditor(raw, self.content_pointer_of(columns, record))
        for ordinal in range(len(rows), -1, -1):
            if ordinal in edits.drop:
                array.remove(ordinal)
            elif ordinal in edits.replace:
                array.items[ordinal] = edits.replace[ordinal]
            elif ordinal < len(rows):
                specs = self.block_schema.tool_specs(columns.block_kinds[rows[ordinal]])
                array.items[ordinal] = update_tool_block(array.items[ordinal], "", specs, *edits.for_block(ordinal))
            for block in reversed(inserts.get(ordinal, ())):
                array.insert(ordinal, block)
        return array.text

    def _rewrite_whole(self, raw: bytes, edits: BlockEdits) -> bytes:
        """Rewrite a message whose content is one string. It becomes a list only when blocks are added."""
        if 0 in edits.replace:
            return json_edits.replace_value(raw, self.content_pointer, b"[" + edits.replace[0] + b"]")
        blocks = [block for _, block in edits.insert]
        if 0 not in edits.drop:
            blocks.append(b'{"type":"text","text":' + raw_json_at(raw, self.content_pointer) + b"}")
        return json_edits.replace_value(raw, self.content_pointer, b"[" + b",".join(blocks) + b"]")

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(schema.make_tool_result(call.id, text, failed))

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """Return the text, and after it the media that the result held."""
        block = parse_json(self.block_bytes(columns, record, raw, ordinal))
        return b",".join(map(dump_json, (self.text_block(text), *self.media_of(block))))

    def media_of(self, result: Any) -> Iterable[Any]:
        """Return the parts of a parsed result that `quoted_result` keeps next to the text."""
        return (part for part in media_parts(value_at(result, "/content")) if part["type"] in MEDIA_TYPES_BESIDE_TEXT)

    # new records

    def text_block(self, text: str) -> Any:
        """Return a text as a block."""
        return self.block_schema.text(text) if self.block_schema.text is not None else text

    def invented_call(self, call: CallContext) -> Any:
        """Return a call for a result whose own call is not known."""
        return schema.make_invented_call(call.id, call.name)

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a new record next to `like` with the speaker of `role` and a content (JSON).

        `seed` makes its id, if it has one.
        """
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


class GeminiPartsFormat(BlockListFormat):
    """A format whose records have a list of Gemini's parts at `content_pointer`.

    Facts: google-genai `types.py`. A part is spelled in camelCase or in snake_case; what is written follows what is
    there.
    """

    block_schema = gemini.BLOCK_SCHEMA

    def with_signature(self, block: bytes) -> bytes:
        key, value = gemini.placeholder_signature(parse_json(block))
        return json_edits.set_member(block, "", key, dump_json(value))

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(gemini.make_function_response(parse_json(raw_json_at(call.raw, call.pointer)), text, failed))

    def media_of(self, result: Any) -> Iterable[Any]:
        return list_at(gemini.part_member(result, "functionResponse"), "/parts")

    def invented_call(self, call: CallContext) -> Any:
        return gemini.make_invented_call(parse_json(raw_json_at(call.raw, call.pointer)), call.name)
