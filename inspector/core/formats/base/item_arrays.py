"""The base class of formats whose logs are arrays of items of OpenAI's Responses API."""

from __future__ import annotations

from array import array
from typing import Any

from inspector.core.formats.base.message_arrays import MessageArrays, role_of_message
from inspector.core.formats.base.openai_messages import ResponseItems
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.providers.message_misfits import ObjectSchema
from inspector.core.providers.openai_responses import schema
from inspector.core.providers.openai_responses.required_members import MESSAGE_SCHEMA
from inspector.core.storage.json_text import dump_json, parse_json
from inspector.core.translation import tr

# Members of the messages of other formats.
_FOREIGN_KEYS = frozenset({"tool_calls", "parts", "payload", "message", "uuid", "sessionID"})


class ResponseItemReader(MessageArrays):
    """A format whose records are items of the Responses API, in arrays."""

    profile = "openai-responses"
    block_schema = schema.BLOCK_SCHEMA
    one_item_per_record = True
    results_share_record = False
    message_schema: ObjectSchema | None = MESSAGE_SCHEMA
    stop_reason_pointers = ("/status",)
    placeholder_item_id: str | None = None
    """What a program writes for the own id of an item that has none."""

    def missing_text(self, raw: bytes) -> str:
        item = parse_json(raw)
        is_message = isinstance(item, dict) and item.get("type") in (None, "message")
        return "null" if is_message and item.get("content") is None else ""

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        known = _DECODE.decode_strict(raw)
        item, odd = known or schema.decode_item(parse_json(raw)), known is None
        if item.id == self.placeholder_item_id:
            item.id = None
        role = schema.item_role(item)
        mark = RecordMark.MAYBE_MALFORMED if odd or schema.may_be_malformed(item) else 0
        columns.add_record(
            start, end, role, mark | (RecordMark.WRONG_ID_PREFIX if schema.has_wrong_id_prefix(item) else 0)
        )
        if role != Role.OPAQUE:
            schema.add_item_blocks(columns, item)

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the approvals not given yet."""
        pending = super().pending_calls(session, columns, path, raw)
        for record in path:
            for row in columns.block_rows(record):
                is_call = columns.block_kinds[row] == BlockKind.CALL
                if is_call and BlockFlag.call_type(columns.block_flags[row]) == schema.APPROVAL:
                    pending.add(columns.call_ids[row] or "")
        return pending

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return schema.block_pointer(columns, record, ordinal)

    def view(self, raw: bytes) -> RecordView:
        item = parse_json(raw)
        if not isinstance(item, dict):
            return RecordView("", tr("no item"))
        return RecordView(str(item.get("role") or item.get("type") or ""), "", schema.views_of_item(item))


class ResponseItemArrays(ResponseItemReader, ResponseItems):
    """The base class of those formats that can be written back."""

    def can_answer(self, columns: Columns, row: int) -> bool:
        return schema.can_make_output(BlockFlag.call_type(columns.block_flags[row]))

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        return dump_json(schema.make_placeholder_output(parse_json(call.raw), text))

    def text_is_enough(self, call: CallContext, text: str) -> bool:
        """Return whether the output of the call is a text; a local shell's output has a form of its own."""
        return parse_json(call.raw).get("type") in schema.NAMED_CALL_TYPES


def is_response_item(value: dict[str, Any]) -> bool:
    """Return whether an object is an item of the Responses API or a short message, and not one of another format."""
    kind, role = value.get("type"), role_of_message(value)
    if not _FOREIGN_KEYS.isdisjoint(value) or role == "tool":
        return False
    if kind == "message" or kind is None:
        return role in schema.ROLE_BY_NAME or (kind is None and value.keys() == {"id"})
    if kind == "reasoning":
        return "summary" in value or "encrypted_content" in value
    return isinstance(kind, str) and kind in schema.ITEM_TYPES


_DECODE = LenientDecoder(schema.ResponsesItem)
