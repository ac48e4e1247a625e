"""OpenAI Responses items: a list, a request body, a batch line, an item a line, or what a response holds.

Facts: the `openai` SDK's `types/responses`, and the public error reports named in `profiles/openai_responses.py`. A
request that names `previous_response_id` or a `conversation`, or that holds an `item_reference`, leaves a part of its
history on the server (openai/openai-agents-python#673): what looks unmatched there cannot be told.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from inspector.core.bytes.json_text import text_of, value_of
from inspector.core.bytes.sequences import Sequence
from inspector.core.containers.document import Shapes
from inspector.core.formats.bases.edits import Call
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.message_arrays import MESSAGE_KEYS, MessageArrays, role_of
from inspector.core.formats.bases.request_body import model_asked, request_around
from inspector.core.formats.bases.response_items import ResponseItems
from inspector.core.index.columns import Columns, Flag, Mark, RawOf, Role
from inspector.core.index.session import Log, Session
from inspector.core.index.views import BlockKind, RecordView
from inspector.core.profiles import responses_at
from inspector.core.wire import responses
from inspector.core.wire.fields import UNFIT, Decoder
from inspector.core.wire.shapes import suspicion, tables

_SHAPES = Shapes(("input", "body/input"), replies=("output", "response/output", "response/body/output", "body/output"))
_TELLING = responses.TYPES - {"message"}
_FOREIGN = frozenset({"tool_calls", "parts", "payload", "message", "uuid", "sessionID"})
_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file", "refusal"})


class _Request(Struct):
    """What a request says of items that it does not hold."""

    previous_response_id: str | None = None
    conversation: str | dict[str, Any] | None = None


class OpenAIResponses(MessageArrays, ResponseItems):
    """The items of OpenAI's Responses API, which the Agents SDK keeps as its sessions."""

    name = "openai-responses"
    label = "OpenAI Responses JSON"
    keys = MESSAGE_KEYS
    detection = "items with a type of the Responses API (function_call, reasoning, ...), or `input` with messages"
    read = "a list, a request body, a response, batch lines, an item a line"
    write_back = "yes: a copy, in place"
    resume = "an output behind its call, one a call; ids once in the whole input; reasoning goes with its call"
    unsupported = "a screen picture or an approval is never made up: such a call is dropped, or left waiting"
    source = "openai SDK types/responses"
    profile = "openai-responses"
    shapes = _SHAPES
    shape = tables.OPENAI_RESPONSES
    stops = ("/status",)

    def score(self, head: Head) -> float:
        items = head.lines if self._items_a_line(head) else head.messages_in(_SHAPES)
        if not items or not all(_is_item(item) for item in items):
            return 0.0
        if any(item.get("type") in _TELLING or _has_parts(item) for item in items):
            return 0.9
        # Plain messages: only the key `input` tells whose they are.
        return 0.6 if "input" in head.context else 0.0

    def _items_a_line(self, head: Head) -> bool:
        return head.is_lines and not head.odd_lines and all(_is_item(line) for line in head.lines)

    def lacks_text(self, raw: bytes) -> str:
        item = value_of(raw)
        is_message = isinstance(item, dict) and item.get("type") in (None, "message")
        return "null" if is_message and item.get("content") is None else ""

    def message_a_line(self, first: dict[str, Any]) -> bool:
        return _is_item(first)

    def add_sound(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        known = _DECODE.strict(raw)
        item, odd = known or responses.item_of(value_of(raw)), known is None
        role = responses.role_of(item)
        mark = Mark.ODD if odd or suspicion.of_item(item) else 0
        columns.add_record(start, end, role, mark | (Mark.MISNAMED if responses.is_misnamed(item) else 0))
        if role != Role.OPAQUE:
            responses.add_blocks(columns, item)

    def elsewhere(self, log: Log, columns: Columns, sequence: Sequence, members: range) -> str:
        request = _request(log, sequence)
        if request.previous_response_id:
            return f"the request goes on from the response {request.previous_response_id}, kept on the server"
        if request.conversation:
            return "the request goes on with a conversation that is kept on the server"
        low, high = columns.first[members.start], columns.first[members.stop]
        if "item_reference" in columns.names[low:high]:
            return "the request names items that are kept on the server"
        return ""

    def tell(self, session: Session, log: Log, columns: Columns, sequence: Sequence, raw: RawOf) -> None:
        session.profile = responses_at(model_asked(log, sequence))

    def pending(self, session: Session, columns: Columns, path: array[int], raw: RawOf) -> set[str]:
        """Approvals that the person has not given yet; and everything, where a part of the history is elsewhere."""
        found = super().pending(session, columns, path, raw)
        for record in path:
            for row in columns.rows(record):
                if columns.block_kinds[row] == BlockKind.CALL:
                    family = Flag.family(columns.block_flags[row])
                    if session.elsewhere or family == responses.APPROVAL:
                        found.add(columns.call_ids[row] or "")
        return found

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return responses.pointer(columns, record, ordinal)

    def view(self, raw: bytes) -> RecordView:
        item = value_of(raw)
        if not isinstance(item, dict):
            return RecordView("", "no item")
        return RecordView(str(item.get("role") or item.get("type") or ""), "", responses.views(item))

    def can_answer(self, columns: Columns, row: int) -> bool:
        return responses.can_be_answered(Flag.family(columns.block_flags[row]))

    def answer(self, call: Call, text: str, failed: bool = True) -> bytes:
        return text_of(responses.placeholder(value_of(call.raw), text))

    def is_told_by(self, call: Call, text: str) -> bool:
        """A local shell's output has a form of its own."""
        return value_of(call.raw).get("type") in responses.NAMED


def _request(log: Log, sequence: Sequence) -> _Request:
    """What stands around an array of items."""
    with suppress(*UNFIT):
        return _REQUEST(request_around(log, sequence, sequence.context) or b"{}")
    return _Request()


def _is_item(value: dict[str, Any]) -> bool:
    """Whether an object is an item of the Responses API, or a short message, and nothing that only looks like one."""
    kind, role = value.get("type"), role_of(value)
    if not _FOREIGN.isdisjoint(value) or role == "tool":
        return False
    if kind == "message" or kind is None:
        return role in responses.ROLES or (kind is None and value.keys() == {"id"})
    if kind == "reasoning":
        return "summary" in value or "encrypted_content" in value
    return isinstance(kind, str) and kind in responses.TYPES


def _has_parts(item: dict[str, Any]) -> bool:
    content = item.get("content")
    parts = content if isinstance(content, list) else []
    return any(
        part.get("type") in _PARTS for part in parts if isinstance(part, dict) and isinstance(part.get("type"), str)
    )


_DECODE = Decoder(responses.Item)
_REQUEST: Callable[[bytes], _Request] = msgspec.json.Decoder(_Request).decode
