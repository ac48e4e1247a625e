"""OpenAI Responses items: a list, a request body, a batch line, an item a line, or what a response holds.

Facts: the `openai` SDK's `types/responses`, and the public error reports named in
`providers/openai_responses/profiles.py`. A request that names `previous_response_id` or a `conversation`, or that
holds an `item_reference`, leaves a part of its history on the server (openai/openai-agents-python#673). Unmatched calls
and results in it cannot be judged.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from inspector.core.formats.base.item_arrays import ResponseItemArrays, is_response_item
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MESSAGE_CONTAINER_KEYS, enclosing_request, requested_model
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import DECODE_ERRORS
from inspector.core.providers.openai_responses import schema
from inspector.core.providers.registry import is_of_openai, responses_profile_name
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_ITEM_SHAPES = MessagePaths(
    ("input", "body/input"), response_paths=("output", "response/output", "response/body/output", "body/output")
)
_DISTINCTIVE_TYPES = schema.ITEM_TYPES - {"message"}
_PART_TYPES = frozenset({"input_text", "output_text", "input_image", "input_file", "refusal"})


class _Request(Struct):
    """The members of a request that refer to items outside of it."""

    previous_response_id: str | None = None
    conversation: str | dict[str, Any] | None = None


class OpenAIResponses(ResponseItemArrays):
    """The items of OpenAI's Responses API, such as the Agents SDK makes with `to_input_list()`."""

    name = "openai-responses"
    label = "OpenAI Responses JSON"
    keys = MESSAGE_CONTAINER_KEYS
    detection = tr("items with a Responses API type (function_call, reasoning, ...), or `input` with messages")
    read = tr("a list, a request body, a response, lines of a batch file, or one item per line")
    write_back = tr("yes, as a copy or in place")
    resume = tr(
        "each call has exactly one output, which comes after the call. Ids are unique across the input, and "
        "reasoning is dropped with its call"
    )
    unsupported = tr("adding a made-up screenshot or approval (a call that needs one is dropped or stays pending)")
    source = "openai SDK types/responses"
    shapes = _ITEM_SHAPES

    def score(self, head: Head) -> float:
        items = head.lines if self._items_a_line(head) else head.messages_in(_ITEM_SHAPES)
        if not items or not all(is_response_item(item) for item in items):
            return 0.0
        if any(item.get("type") in _DISTINCTIVE_TYPES or _has_parts(item) for item in items):
            return 0.9
        # For plain messages, only the key `input` shows that they are items of this API.
        return 0.6 if "input" in head.context else 0.0

    def _items_a_line(self, head: Head) -> bool:
        return head.is_lines and not head.other_lines and all(is_response_item(line) for line in head.lines)

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return is_response_item(first)

    def why_incomplete(self, log: Log, columns: Columns, sequence: RecordSequence, members: range) -> str:
        request = _request(log, sequence)
        if request.previous_response_id:
            return tr(
                "the request continues the response {previous_response_id}, which is stored on the server",
                previous_response_id=request.previous_response_id,
            )
        if request.conversation:
            return tr("the request continues a conversation that is stored on the server")
        low, high = columns.first_block[members.start], columns.first_block[members.stop]
        if "item_reference" in columns.names[low:high]:
            return tr("the request refers to items that are stored on the server")
        return ""

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        model = requested_model(log, sequence)
        session.profile, session.is_sent_elsewhere = responses_profile_name(model), not is_of_openai("", model)

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the approvals not given yet, or all calls if a part of the history is elsewhere."""
        pending = super().pending_calls(session, columns, path, raw)
        for record in path if session.missing_part_reason else ():
            rows = columns.block_rows(record)
            pending.update(columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == BlockKind.CALL)
        return pending


def _request(log: Log, sequence: RecordSequence) -> _Request:
    """Return the request around an array of items, an empty one if it cannot be read."""
    with suppress(*DECODE_ERRORS):
        return _REQUEST(enclosing_request(log, sequence, sequence.enclosing_object) or b"{}")
    return _Request()


def _has_parts(item: dict[str, Any]) -> bool:
    content = item.get("content")
    parts = content if isinstance(content, list) else []
    return any(
        part.get("type") in _PART_TYPES
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("type"), str)
    )


_REQUEST: Callable[[bytes], _Request] = msgspec.json.Decoder(_Request).decode
