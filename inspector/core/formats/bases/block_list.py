"""What the formats share whose messages hold a list of blocks under `content`: editing that list in place."""

from typing import Any

from inspector.core import splice
from inspector.core.columns import Columns, Flag
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.terms import BlockEdits, Call
from inspector.core.json_text import text_of, value_of
from inspector.core.spans import locate
from inspector.core.views import BlockKind
from inspector.core.wire import anthropic


class BlockListFormat(Format):
    """A format whose records have their blocks at `content` ("/content", or "/message/content")."""

    content: str
    notes_hold_media = True

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        row = columns.first[record] + ordinal
        whole = columns.block_flags[row] & Flag.WHOLE
        return self.content if whole else f"{self.content}/{ordinal}"

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        start, end = locate(raw, self.pointer(columns, record, ordinal))
        return raw[start:end]

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
        for ordinal in range(len(rows), -1, -1):
            pointer = f"{self.content}/{ordinal}"
            if ordinal in edits.drop:
                raw = splice.remove_element(raw, self.content, ordinal)
            elif ordinal in edits.replace:
                raw = splice.replace(raw, pointer, edits.replace[ordinal])
            else:
                if ordinal in edits.rename:
                    raw = self.set_id(columns, rows[ordinal], raw, pointer, edits.rename[ordinal])
                if ordinal in edits.inputs:
                    raw = self.set_input(raw, pointer, edits.inputs[ordinal])
            for block in reversed(inserts.get(ordinal, ())):
                raw = splice.insert_element(raw, self.content, ordinal, block)
        return raw

    def _rewrite_whole(self, raw: bytes, edits: BlockEdits) -> bytes:
        """A message whose content is one string: it becomes a list only when blocks join it."""
        if 0 in edits.replace:
            return splice.replace(raw, self.content, b"[" + edits.replace[0] + b"]")
        blocks = [block for _, block in edits.insert]
        if 0 not in edits.drop:
            start, end = locate(raw, self.content)
            blocks.append(b'{"type":"text","text":' + raw[start:end] + b"}")
        return splice.replace(raw, self.content, b"[" + b",".join(blocks) + b"]")

    def set_input(self, raw: bytes, pointer: str, value: bytes) -> bytes:
        """The record with the input of the call at `pointer` set."""
        return splice.set_member(raw, pointer, "input", value)

    def set_id(self, columns: Columns, row: int, raw: bytes, pointer: str, new: str) -> bytes:
        """The record with the id of the call or result at `pointer` set."""
        return splice.set_member(raw, pointer, self.id_member(columns, row, raw, pointer), text_of(new))

    def id_member(self, columns: Columns, row: int, raw: bytes, pointer: str) -> str:
        """The name of the member that holds the id of a call or result block."""
        return "id" if columns.block_kinds[row] == BlockKind.CALL else "tool_use_id"

    def placeholder(self, call: Call, text: str) -> bytes:
        return text_of(anthropic.result_block(call.id, text))

    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """The text, and beside it whatever media the result held."""
        block = value_of(self.block_bytes(columns, record, raw, ordinal))
        inner: Any = block.get("content") if isinstance(block, dict) else None
        parts = [anthropic.text_block(text)]
        if isinstance(inner, list):
            parts += [part for part in inner if isinstance(part, dict) and part.get("type") in ("image", "document")]
        return b",".join(text_of(part) for part in parts)
