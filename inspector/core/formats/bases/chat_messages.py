"""What the formats share whose records are OpenAI chat messages: `tool_calls`, and a `tool` message a result."""

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, parse_json
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.edits import BlockEdits, Call
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Columns, Role
from inspector.core.index.views import BlockKind, RecordView
from inspector.core.wire import openai
from inspector.core.wire.spelling.members import update_tool_block
from inspector.core.wire.spelling.tables import OPENAI_CHAT


class ChatMessages(Writer):
    """A format of which a record is one chat message."""

    can_invent_calls = True
    results_share_record = False
    results_are_records = True
    block_schema = OPENAI_CHAT

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return openai.block_pointer(columns, record, ordinal)

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", "no message")
        return RecordView(str(message.get("role", "")), "", openai.views_of_message(message))

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows = columns.block_rows(record)
        calls = [ordinal for ordinal, row in enumerate(rows) if columns.block_kinds[row] == BlockKind.CALL]
        if columns.roles[record] == Role.TOOL:
            return self._rewrite_result(raw, edits)
        if len(edits.drop) == len(rows) and rows:
            return None
        if not {*edits.drop, *edits.replace, *edits.rename, *edits.inputs, *edits.names}.isdisjoint(calls):
            array = splice.ArrayEditor(raw, "/tool_calls")
            for index in reversed(range(len(calls))):
                if calls[index] in edits.drop:
                    array.remove(index)
                else:
                    call = edits.replace.get(calls[index], array.items[index])
                    array.items[index] = update_tool_block(
                        call, "", self.block_schema.calls, *edits.for_block(calls[index])
                    )
            raw = array.text
        if edits.no_empty_calls or (calls and all(ordinal in edits.drop for ordinal in calls)):
            raw = splice.remove_member(raw, "", "tool_calls")
        for ordinal in edits.drop.difference(calls):
            raw = splice.replace_value(raw, self.pointer(columns, record, ordinal), b'""')
        return raw

    def _rewrite_result(self, raw: bytes, edits: BlockEdits) -> bytes | None:
        if edits.drop:
            return None
        return (
            edits.replace[0]
            if edits.replace
            else update_tool_block(raw, "", self.block_schema.results, *edits.for_block(0))
        )

    def result_block(self, call: Call, text: str, failed: bool = True) -> bytes:
        """A message of a tool does not say whether it failed."""
        flat = parse_json(json_at(call.raw, call.pointer))
        if isinstance(flat, dict) and "requestor" in flat:
            return dump_json({"id": call.id, "role": "tool", "content": text, "requestor": flat["requestor"]})
        return dump_json(openai.make_tool_message(call.id, text))

    def call_records(self, call: Call, note: str, seed: str) -> list[bytes]:
        return [dump_json(openai.make_invented_call_message(call.id, call.name, note))]

    def assistant_record(self, text: str) -> bytes:
        return dump_json({"role": "assistant", "content": text})

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return dump_json(openai.make_user_message(text))
