"""mini-swe-agent: a trajectory, `INSTANCE.traj.json`.

Facts: mini-swe-agent 2.4.6, agents/default.py and models/. `messages` holds the whole history. The program takes
`extra` out of each message before it sends it, and adds a message with the role `exit` when a run ends. A model that
uses the Responses API keeps each response as a whole, sends the items in its `output`, and answers calls by items.
Releases before 2 have no calls. A run that is interrupted between an answer and its results goes on with a message of
the user (agents/interactive.py). A run that ends in a call, as the one that submits, does not send its last answer.
Older trajectories are a list of chat messages, which is read as such.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import StructMessages
from inspector.core.formats.base.openai_messages import ChatMessageReader
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.message_fields import LenientDecoder, message_text
from inspector.core.providers.message_misfits import Misfit, find_misfits
from inspector.core.providers.openai_chat import schema
from inspector.core.providers.openai_responses import schema as responses
from inspector.core.providers.openai_responses.required_members import MESSAGE_SCHEMA as ITEM_SCHEMA
from inspector.core.storage.json_text import list_at, object_at, parse_json, value_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_FORMAT_KEY = re.compile(rb'"trajectory_format"\s*:\s*"')
_LABEL = "mini-swe-agent"
_SUFFIX = ".traj"
_EXIT, _SAID = "exit", "message"
# Records of the Responses API, in the bits of `RecordMark.VARIANT_MASK`: a response, and an item.
_RESPONSE, _ITEM = 1 << RecordMark.VARIANT_SHIFT, 2 << RecordMark.VARIANT_SHIFT


class _Message(schema.ChatMessage, gc=False):
    """A chat message, or what stands for one with the Responses API."""

    object: str | None = None
    type: str | None = None


class MiniSweAgent(StructMessages, ChatMessageReader):
    """Trajectories of mini-swe-agent."""

    name = "mini-swe-agent"
    label = "mini-swe-agent trajectory"
    keys = "trajectory_format info"
    container = tr("JSON document")
    detection = tr("an object with a trajectory_format next to its info and messages")
    read = tr("the messages in `messages`, without the message that says how the run ended")
    write_back = tr("no, because mini-swe-agent does not load a trajectory to continue the run")
    resume = tr("none. The history is checked as the next request of the run would send it")
    unsupported = tr("actions in the text of answers, which releases before 2 use instead of calls")
    source = "mini-swe-agent 2.4.6, agents/default.py, models/"
    read_only_reason = tr(
        "A trajectory is not repaired, because mini-swe-agent does not load it to continue the run. Convert the "
        "history to messages for OpenAI or Anthropic, or start the run again."
    )
    profile = "openai-chat"
    block_schema = replace(
        schema.BLOCK_SCHEMA,
        calls=(*responses.BLOCK_SCHEMA.calls[:-1], *schema.BLOCK_SCHEMA.calls),
        results=(replace(responses.BLOCK_SCHEMA.results[-1], has="/call_id"), *schema.BLOCK_SCHEMA.results),
    )
    message_schema = schema.REQUEST_SCHEMA
    is_provider_api = False
    decode = LenientDecoder(_Message)

    def score(self, head: Head) -> float:
        if head.is_lines and len(head.lines) > 1:
            return 0.0
        # The patch in `info` can be longer than the head, and then only the end has the key.
        named = _FORMAT_KEY.search(head.text) or _FORMAT_KEY.search(head.tail)
        has_messages = head.messages is not None or not head.is_complete
        return 0.95 if named and "info" in head.context and has_messages else 0.0

    def add_decoded(self, columns: Columns, start: int, end: int, message: Any, odd: bool, /) -> None:
        mark = RecordMark.MAYBE_MALFORMED if odd or schema.may_be_malformed(message) else 0
        schema.add_message(columns, start, end, message, mark)

    def add_whole(self, columns: Columns, raw: bytes | memoryview, start: int, end: int) -> bool:
        message = self.decode.decode_strict(raw)
        if message is None or message.object or message.type or message.role == _EXIT:
            return self.index_record(columns, bytes(raw), start, end)
        return super().add_whole(columns, raw, start, end)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        message = object_at(parse_json(raw), "")
        if message.get("object") == "response":
            columns.add_record(start, end, Role.ASSISTANT, _RESPONSE | RecordMark.MAYBE_MALFORMED)
            for item in list_at(message, "/output"):
                _add_item(columns, item)
        elif "type" in message:
            item = responses.decode_item(message)
            columns.add_record(start, end, responses.item_role(item), _ITEM | RecordMark.MAYBE_MALFORMED)
            responses.add_item_blocks(columns, item)
        elif message.get("role") == _EXIT:
            columns.add_record(start, end, Role.LINK)
        else:
            super().index_valid_record(columns, raw, start, end)

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        variant = columns.marks[record] & RecordMark.VARIANT_MASK
        if variant == _RESPONSE:
            return f"/output/{ordinal}"
        return (responses.block_pointer if variant else schema.block_pointer)(columns, record, ordinal)

    def view(self, raw: bytes) -> RecordView:
        message = object_at(parse_json(raw), "")
        if message.get("object") == "response":
            items = enumerate(list_at(message, "/output"))
            return RecordView("assistant", "", tuple(_view_of_item(item, f"/output/{n}") for n, item in items))
        if "type" in message:
            return RecordView(str(message.get("role") or "tool"), "", responses.views_of_item(message))
        if message.get("role") == _EXIT:
            return RecordView(_EXIT, message_text(message.get("content")))
        return super().view(raw)

    def misfits(self, message: Any) -> list[Misfit]:
        fields = object_at(message, "")
        if fields.get("object") == "response":
            items = enumerate(list_at(fields, "/output"))
            return [fit for n, item in items for fit in find_misfits(item, ITEM_SCHEMA, Misfit(f"/output/{n}", ""))]
        return find_misfits(message, ITEM_SCHEMA) if "type" in fields else super().misfits(message)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        session.id = Path(log.source.path).name.partition(_SUFFIX)[0]
        session.agent = _LABEL
        session.provider_assumed = True
        path = session.main_thread.path
        if path and columns.roles[path[-1]] == Role.LINK:
            session.stops_before_tool_calls = True
            session.state = tr("the run has ended")
        if any(columns.marks[record] & RecordMark.VARIANT_MASK for record in session.main_thread.path):
            session.profile = "openai-responses"


def _add_item(columns: Columns, item: Any) -> None:
    """Append the block of an item of a response to the newest record. A message is one text, whatever its parts."""
    if value_at(item, "/type") == _SAID:
        columns.add_block(BlockKind.TEXT)
    else:
        responses.add_item_blocks(columns, responses.decode_item(item))


def _view_of_item(item: Any, at: str) -> BlockView:
    if value_at(item, "/type") == _SAID:
        return BlockView(BlockKind.TEXT, message_text(value_at(item, "/content")), at)
    return responses.views_of_item(object_at(item, ""), at)[0]
