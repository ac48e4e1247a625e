"""What the formats share whose messages hold a list of blocks under `content`: editing that list in place."""

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_at, value_of
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.terms import BlockEdits, Call
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Columns, Flag
from inspector.core.wire import anthropic
from inspector.core.wire.result_parts import HELD, media_parts
from inspector.core.wire.spelling.members import reset
from inspector.core.wire.spelling.tables import ANTHROPIC


class BlockListFormat(Writer):
    """A format whose records have their blocks at `content` ("/content", or "/message/content")."""

    content: str
    spelling = ANTHROPIC
    reorders = True
    notes_hold_media = True
    pairs_server_tools = True

    def content_of(self, columns: Columns, record: int) -> str:
        """Where this record has its blocks, in a format whose records differ in that."""
        return self.content

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        row, content = columns.first[record] + ordinal, self.content_of(columns, record)
        whole = columns.block_flags[row] & Flag.WHOLE
        return content if whole else f"{content}/{ordinal}"

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows = columns.rows(record)
        whole = bool(rows) and bool(columns.block_flags[rows[0]] & Flag.WHOLE)
        if len(edits.drop) == len(rows) and not edits.insert:
            return None
        if whole:
            return self._rewrite_whole(raw, edits)
        inserts: dict[int, list[bytes]] = {}
        for at, block in edits.insert:
            inserts.setdefault(at, []).append(block)
        array = splice.Array(raw, self.content_of(columns, record))
        for ordinal in range(len(rows), -1, -1):
            if ordinal in edits.drop:
                array.remove(ordinal)
            elif ordinal in edits.replace:
                array.items[ordinal] = edits.replace[ordinal]
            elif ordinal < len(rows):
                spelled = self.spelling.tools(columns.block_kinds[rows[ordinal]])
                array.items[ordinal] = reset(array.items[ordinal], "", spelled, *edits.of(ordinal))
            for block in reversed(inserts.get(ordinal, ())):
                array.insert(ordinal, block)
        return array.text

    def _rewrite_whole(self, raw: bytes, edits: BlockEdits) -> bytes:
        """A message whose content is one string: it becomes a list only when blocks join it."""
        if 0 in edits.replace:
            return splice.replace(raw, self.content, b"[" + edits.replace[0] + b"]")
        blocks = [block for _, block in edits.insert]
        if 0 not in edits.drop:
            blocks.append(b'{"type":"text","text":' + json_at(raw, self.content) + b"}")
        return splice.replace(raw, self.content, b"[" + b",".join(blocks) + b"]")

    def placeholder(self, call: Call, text: str) -> bytes:
        return text_of(anthropic.result_block(call.id, text))

    def result(self, call: Call, text: str) -> bytes | None:
        return text_of({"tool_use_id": call.id, "type": "tool_result", "content": text})

    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """The text, and beside it whatever media the result held."""
        block = value_of(self.block_bytes(columns, record, raw, ordinal))
        media = (part for part in media_parts(value_at(block, "/content")) if part["type"] in HELD)
        parts = [anthropic.text_block(text), *media]
        return b",".join(text_of(part) for part in parts)
