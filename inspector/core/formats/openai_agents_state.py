"""OpenAI Agents SDK: a `RunState`, which a program keeps while a run waits for approvals.

Facts: openai-agents 0.24.0, run_state.py (`to_json`, schema 1.21), run_internal/items.py. The history is the text or
the items in `original_input`, and then `generated_items`, each with an item as its `raw_item`. A `tool_approval_item`
repeats a call that waits. Seen when a run goes on: a call without an output is dropped if it is in `original_input`;
in `generated_items`, it stops the run if the state says that the call was completed. An output without its call is
sent.
"""

from __future__ import annotations

from array import array

from inspector.core.formats.base.agent_behavior import Agent, ResumeBehavior
from inspector.core.formats.base.item_arrays import ResponseItemReader
from inspector.core.formats.base.log_head import Head
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import RecordView
from inspector.core.providers.openai_responses import schema
from inspector.core.providers.profile import OPEN_CALL_RULES
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import object_at, parse_json, text_at
from inspector.core.translation import tr

_KEYS = {"$schemaVersion", "original_input", "generated_items"}
_ITEM_POINTER = "/raw_item"
_APPROVAL = "tool_approval_item"
# The spelling of an item in `generated_items`, in the bits of `RecordMark.VARIANT_MASK`.
_GENERATED = 1 << RecordMark.VARIANT_SHIFT
_LABEL = "OpenAI Agents SDK"


class OpenAIAgentsState(ResponseItemReader, Agent):
    """Run states of the OpenAI Agents SDK."""

    name = "openai-agents-state"
    label = "OpenAI Agents SDK run state"
    keys = "$schemaVersion"
    container = tr("JSON document")
    detection = tr("$schemaVersion, original_input and generated_items in one object")
    read = tr(
        "original_input (if it is a list) and the items in generated_items. Calls with an approval item "
        "are waiting for approval"
    )
    write_back = tr("no, because the state refers to its items by position; repair the session instead")
    resume = tr(
        "calls without an output are dropped if they are in original_input, and can stop the run if they "
        "are in generated_items"
    )
    unsupported = tr("run states from the JavaScript SDK, pending input, and agents that run as tools")
    source = "openai-agents 0.24.0, run_state.py"
    read_only_reason = tr(
        "A run state cannot be repaired, because it refers to its items by position. Approve or reject the "
        "pending calls in your program, or repair the session and start a new run."
    )
    shapes = MessagePaths(("original_input", "generated_items"))
    is_provider_api = False
    prompt_outside_log = True
    sends_reasoning_ids = True
    placeholder_item_id = "__fake_id__"
    message_schema = None

    def score(self, head: Head) -> float:
        is_document = not head.is_lines or len(head.lines) == 1
        return 0.95 if is_document and head.context.keys() >= _KEYS else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        if not self.item_pointer(raw):
            super().index_valid_record(columns, raw, start, end)
        elif parse_json(raw).get("type") == _APPROVAL:
            columns.add_record(start, end, Role.LINK)
        else:
            super().index_valid_record(columns, raw_json_at(raw, _ITEM_POINTER), start, end)
            columns.add_marks(len(columns) - 1, _GENERATED)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        """Return the one session: its two arrays are one history."""
        (session, *others) = super().sessions(log, columns, raw)
        for other in others:
            session.main_thread.path.extend(other.main_thread.path)
        session.records = range(len(columns))
        session.id, session.agent, session.threads = "0", _LABEL, [session.main_thread]
        return [session]

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls that wait for an approval."""
        links = (parse_json(raw(record)) for record in path if columns.roles[record] == Role.LINK)
        waiting = {text_at(value, "/raw_item/call_id") for value in links if text_at(value, "/type") == _APPROVAL}
        return waiting | super().pending_calls(session, columns, path, raw)

    def item_pointer(self, raw: bytes) -> str:
        value = parse_json(raw)
        return _ITEM_POINTER if isinstance(value, dict) and "raw_item" in value else ""

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        own = super().pointer(columns, record, ordinal)
        return f"{_ITEM_POINTER}{own}" if columns.marks[record] & RecordMark.VARIANT_MASK else own

    def view(self, raw: bytes) -> RecordView:
        value = parse_json(raw)
        item = object_at(value, _ITEM_POINTER)
        if not item:
            return super().view(raw)
        views = () if value.get("type") == _APPROVAL else schema.views_of_item(item, _ITEM_POINTER)
        return RecordView(str(item.get("role") or item.get("type") or ""), str(value.get("type") or ""), views)

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        outcome = "as-is" if not rules else "unknown" if rules.issubset(OPEN_CALL_RULES) else "refuses"
        return ResumeBehavior(self.name, outcome, (), _LABEL)
