"""What the formats share of which a record holds an item of the Responses API: a call, an output, or a message."""

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_of
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.edits import BlockEdits, Call
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Columns, Flag
from inspector.core.wire import responses
from inspector.core.wire.spelling.members import reset
from inspector.core.wire.spelling.tables import OPENAI_RESPONSES


class ResponseItems(Writer):
    """A format whose items stand at `item_at` of their records."""

    spelling = OPENAI_RESPONSES
    together = False
    items = True

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows, at = columns.rows(record), self.item_at(raw)
        if rows and len(edits.drop) == len(rows):
            return None
        if edits.unbind:
            raw = responses.unbound(raw)
        if edits.unnamed:
            raw = splice.remove_member(raw, at, "id")
        if 0 in edits.replace:
            return splice.replace(raw, at, edits.replace[0])
        for ordinal in sorted(edits.drop, reverse=True):
            raw = splice.remove_element(raw, f"{at}/content", ordinal)
        spelled = self.spelling.tools(columns.block_kinds[rows[0]]) if rows else ()
        return reset(raw, at, spelled, *edits.of(0))

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return self.fit(blocks[0], like)

    def can_invent(self, columns: Columns, row: int) -> bool:
        return responses.can_be_invented(Flag.family(columns.block_flags[row]))

    def call_records(self, call: Call, note: str, seed: str) -> list[bytes]:
        output = value_of(json_at(call.raw, call.pointer))
        items = responses.invented_items(output, call.id, call.name, note)
        return [self.fit(text_of(item), call.raw) for item in items]

    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return text_of(responses.user_item(text))

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return self.fit(text_of(responses.user_item(text)), like)
