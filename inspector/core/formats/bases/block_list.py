"""What the formats share whose messages hold a list of blocks under `content`: editing that list in place."""

from collections.abc import Iterable
from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_at, value_of
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.edits import BlockEdits, Call
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Columns, Flag, Role
from inspector.core.index.views import BlockView, RecordView
from inspector.core.wire import anthropic
from inspector.core.wire.result_parts import HELD, media_parts
from inspector.core.wire.spelling.members import reset
from inspector.core.wire.spelling.shown import block_views
from inspector.core.wire.spelling.tables import ANTHROPIC


class BlockListFormat(Writer):
    """A format whose records have their blocks at `content` ("/content", or "/message/content")."""

    content: str
    spelling = ANTHROPIC
    bare_words = False
    """What a person says stands as a text where its program writes it, and not in a block."""
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

    def view(self, raw: bytes) -> RecordView:
        message = value_of(raw)
        if not isinstance(message, dict):
            return RecordView("", "no message")
        return RecordView(str(message.get("role", "")), "", self.blocks_of(message))

    def blocks_of(self, record: dict[str, Any], /) -> tuple[BlockView, ...]:
        """The blocks of a parsed record, for showing."""
        return block_views(self.spelling, value_at(record, self.content), self.content)

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

    def answer(self, call: Call, text: str, failed: bool = True) -> bytes:
        return text_of(anthropic.result_block(call.id, text, failed))

    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """The text, and beside it whatever media the result held."""
        block = value_of(self.block_bytes(columns, record, raw, ordinal))
        return b",".join(map(text_of, (self.said(text), *self.media_of(block))))

    def media_of(self, result: Any) -> Iterable[Any]:
        """What a parsed result holds that can stand beside a text in a message."""
        return (part for part in media_parts(value_at(result, "/content")) if part["type"] in HELD)

    # new records

    def said(self, text: str) -> Any:
        """A text as a block."""
        return self.spelling.text(text) if self.spelling.text is not None else text

    def invented(self, call: Call) -> Any:
        """A call of which nothing but its result is known."""
        return anthropic.invented_call(call.id, call.name)

    def record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """A new record beside `like` with a content (JSON), by who speaks in it. `seed` makes its id, if it has one."""
        speaker = self.spelling.model if role == Role.ASSISTANT else "user"
        return b'{"role":%s,%s:%s}' % (text_of(speaker), text_of(self.content[1:]), content)

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return self.record(like, Role.TOOL, b"[" + b",".join(blocks) + b"]", seed)

    def call_records(self, call: Call, note: str, seed: str) -> list[bytes]:
        content = text_of([self.said(note), self.invented(call)])
        return [self.record(call.raw, Role.ASSISTANT, content, f"{seed}:call")]

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return self.record(like, Role.USER, text_of(text if self.bare_words else [self.said(text)]), seed)
