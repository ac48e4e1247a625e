"""What the formats share whose messages hold a list of blocks under `content`: editing that list in place."""

from collections.abc import Iterable
from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, parse_json, value_at
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.edits import BlockEdits, Call
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import BlockFlag, Columns, Role
from inspector.core.index.views import BlockView, RecordView
from inspector.core.wire import anthropic
from inspector.core.wire.result_parts import MEDIA_TYPES_BESIDE_TEXT, media_parts
from inspector.core.wire.spelling.members import update_tool_block
from inspector.core.wire.spelling.shown import block_views
from inspector.core.wire.spelling.tables import ANTHROPIC


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
        array = splice.ArrayEditor(raw, self.content_pointer_of(columns, record))
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
            return splice.replace_value(raw, self.content_pointer, b"[" + edits.replace[0] + b"]")
        blocks = [block for _, block in edits.insert]
        if 0 not in edits.drop:
            blocks.append(b'{"type":"text","text":' + json_at(raw, self.content_pointer) + b"}")
        return splice.replace_value(raw, self.content_pointer, b"[" + b",".join(blocks) + b"]")

    def result_block(self, call: Call, text: str, failed: bool = True) -> bytes:
        return dump_json(anthropic.make_tool_result(call.id, text, failed))

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

    def invented_call(self, call: Call) -> Any:
        """A call of which nothing but its result is known."""
        return anthropic.make_invented_call(call.id, call.name)

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """A new record beside `like` with a content (JSON), by who speaks in it. `seed` makes its id, if it has one."""
        speaker = self.block_schema.assistant_role if role == Role.ASSISTANT else "user"
        return b'{"role":%s,%s:%s}' % (dump_json(speaker), dump_json(self.content_pointer[1:]), content)

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return self.new_record(like, Role.TOOL, b"[" + b",".join(blocks) + b"]", seed)

    def call_records(self, call: Call, note: str, seed: str) -> list[bytes]:
        content = dump_json([self.text_block(note), self.invented_call(call)])
        return [self.new_record(call.raw, Role.ASSISTANT, content, f"{seed}:call")]

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return self.new_record(
            like, Role.USER, dump_json(text if self.prompts_are_strings else [self.text_block(text)]), seed
        )
