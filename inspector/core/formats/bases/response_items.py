"""What the formats share of which a record holds an item of the Responses API: a call, an output, or a message."""

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, parse_json
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.edits import BlockEdits, Call
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import BlockFlag, Columns
from inspector.core.wire import responses
from inspector.core.wire.spelling.members import update_tool_block
from inspector.core.wire.spelling.tables import OPENAI_RESPONSES


class ResponseItems(Writer):
    """A format whose items stand at `item_at` of their records."""

    block_schema = OPENAI_RESPONSES
    results_share_record = False
    one_item_per_record = True

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows, at = columns.block_rows(record), self.item_pointer(raw)
        if rows and len(edits.drop) == len(rows):
            return None
        if edits.drop_binding_id:
            raw = responses.without_item_id(raw)
        if edits.drop_own_id:
            raw = splice.remove_member(raw, at, "id")
        if 0 in edits.replace:
            return splice.replace_value(raw, at, edits.replace[0])
        for ordinal in sorted(edits.drop, reverse=True):
            raw = splice.remove_element(raw, f"{at}/content", ordinal)
        spelled = self.block_schema.tool_specs(columns.block_kinds[rows[0]]) if rows else ()
        return update_tool_block(raw, at, spelled, *edits.for_block(0))

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return self.match_form(blocks[0], like)

    def can_invent(self, columns: Columns, row: int) -> bool:
        return responses.can_make_invented_call(BlockFlag.call_type(columns.block_flags[row]))

    def call_records(self, call: Call, note: str, seed: str) -> list[bytes]:
        output = parse_json(json_at(call.raw, call.pointer))
        items = responses.make_invented_items(output, call.id, call.name, note)
        return [self.match_form(dump_json(item), call.raw) for item in items]

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return dump_json(responses.make_user_item(text))

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return self.match_form(dump_json(responses.make_user_item(text)), like)
