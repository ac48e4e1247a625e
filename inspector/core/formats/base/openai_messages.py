"""The base classes of formats whose records are OpenAI chat messages, or items of the Responses API.

A chat message has `tool_calls`, and each result is a `tool` message. An item is a call, an output, or a message.
"""

from inspector.core.formats.base.format import Format
from inspector.core.formats.base.writer import BlockEdits, CallContext, Writer
from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.block_schema import update_tool_block
from inspector.core.providers.openai_chat import schema
from inspector.core.providers.openai_responses import schema as responses
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, parse_json
from inspector.core.translation import tr


class ChatMessageReader(Format):
    """A format whose records are chat messages. Its `block_schema` says where the members of calls and results are."""

    results_share_record = False
    results_are_records = True
    block_schema = schema.BLOCK_SCHEMA

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return schema.block_pointer(columns, record, ordinal)

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", tr("no message"))
        return RecordView(str(message.get("role", "")), "", schema.views_of_message(message, self.block_schema))


class ChatMessages(ChatMessageReader, Writer):
    """The base class of those formats that can be written back."""

    can_invent_calls = True

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows = columns.block_rows(record)
        calls = [ordinal for ordinal, row in enumerate(rows) if columns.block_kinds[row] == BlockKind.CALL]
        if columns.roles[record] == Role.TOOL:
            return self._rewrite_result(raw, edits)
        if len(edits.drop) == len(rows) and rows:
            return None
        if not {*edits.drop, *edits.replace, *edits.rename, *edits.inputs, *edits.names}.isdisjoint(calls):
            array = json_edits.ArrayEditor(raw, "/tool_calls")
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
            raw = json_edits.remove_member(raw, "", "tool_calls")
        for ordinal in edits.drop.difference(calls):
            raw = json_edits.replace_value(raw, self.pointer(columns, record, ordinal), b'""')
        return raw

    def _rewrite_result(self, raw: bytes, edits: BlockEdits) -> bytes | None:
        if edits.drop:
            return None
        return (
            edits.replace[0]
            if edits.replace
            else update_tool_block(raw, "", self.block_schema.results, *edits.for_block(0))
        )

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        """Return a message of the tool, which cannot say whether it failed."""
        own_call = parse_json(raw_json_at(call.raw, call.pointer))
        if isinstance(own_call, dict) and "requestor" in own_call:
            return dump_json({"id": call.id, "role": "tool", "content": text, "requestor": own_call["requestor"]})
        return dump_json(schema.make_tool_message(call.id, text))

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        return [dump_json(schema.make_invented_call_message(call.id, call.name, note))]

    def assistant_record(self, text: str) -> bytes:
        return dump_json({"role": "assistant", "content": text})

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return dump_json(schema.make_user_message(text))


class ResponseItems(Writer):
    """A format whose records hold an item of the Responses API at `item_pointer`."""

    block_schema = responses.BLOCK_SCHEMA
    results_share_record = False
    one_item_per_record = True

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows, pointer = columns.block_rows(record), self.item_pointer(raw)
        if rows and len(edits.drop) == len(rows):
            return None
        if edits.drop_binding_id:
            raw = responses.without_item_id(raw)
        if edits.drop_own_id:
            raw = json_edits.remove_member(raw, pointer, "id")
        if 0 in edits.replace:
            return json_edits.replace_value(raw, pointer, edits.replace[0])
        for ordinal in sorted(edits.drop, reverse=True):
            raw = json_edits.remove_element(raw, f"{pointer}/content", ordinal)
        specs = self.block_schema.tool_specs(columns.block_kinds[rows[0]]) if rows else ()
        return update_tool_block(raw, pointer, specs, *edits.for_block(0))

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return self.match_form(blocks[0], like)

    def can_invent(self, columns: Columns, row: int) -> bool:
        return responses.can_make_invented_call(BlockFlag.call_type(columns.block_flags[row]))

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        output = parse_json(raw_json_at(call.raw, call.pointer))
        items = responses.make_invented_call_items(output, call.id, call.name, note)
        return [self.match_form(dump_json(item), call.raw) for item in items]

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return dump_json(responses.make_user_item(text))

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return self.match_form(dump_json(responses.make_user_item(text)), like)
