"""OpenHands: the events of a conversation, as a folder of the SDK, one on each line, in a list, or in `output.jsonl`.

Facts: OpenHands/software-agent-sdk @611629e (read, not run). The SDK keeps a file for each event. Before each request,
it leaves out what it cannot send (context/view/properties/): a second result of a call, a result without a call, and a
call without a result with all other calls and results of its answer. A benchmark writes a conversation on each line of
`output.jsonl`, in `history`. What an event is in the history is in `reader`.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import ResumeBehavior, losses_of_rules
from inspector.core.formats.base.folders import FolderFormat
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays, enclosing_request
from inspector.core.formats.base.stores import StorePattern
from inspector.core.formats.openhands import assembly, loader, reader
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.providers.message_misfits import Misfit
from inspector.core.providers.profile import UNANSWERED_CALL_RULES, UNPAIRED_RULES
from inspector.core.storage.folder import FolderContainer
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import is_valid_json, object_at, parse_json, text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

_LABEL = "OpenHands"
# What is left out before a request, by rule.
_LEFT_OUT = {
    **dict.fromkeys(
        UNANSWERED_CALL_RULES,
        tr("the calls without a result, with the other calls and results of their answers"),
    ),
    "R1": tr("the results without a call"),
    **dict.fromkeys(("R5", "R6", "R7"), tr("the second results of a call")),
}


class OpenHands(MessageArrays, FolderFormat):
    """Conversations of OpenHands."""

    name = "openhands"
    label = "OpenHands events"
    keys = "kind source history events"
    container = tr("folder of JSON files, JSON document or JSON Lines")
    detection = tr(
        "a folder with base_state.json and events, or events with a source and a kind, action or observation"
    )
    read = tr(
        "the events that are sent after the condensations, also those in the history of each line of output.jsonl"
    )
    write_back = tr("no, because OpenHands repairs the history itself before each request")
    resume = tr(
        "calls without a result are left out with the other calls and results of their answer, and so are results "
        "without a call and second results"
    )
    unsupported = tr("branches of a conversation, and events of ACP agents")
    source = "OpenHands/software-agent-sdk @611629e, sdk/event/, sdk/context/view/"
    read_only_reason = tr(
        "Events are not repaired, because OpenHands itself leaves out what it cannot send. Resume the conversation, or "
        "convert the events to messages for OpenAI or Anthropic."
    )
    profile = "openai-chat"
    block_schema = reader.BLOCK_SCHEMA
    message_schema = reader.EVENT_SCHEMA
    shapes = MessagePaths(("history", "events"), message_keys=frozenset({"kind", "action", "observation", "source"}))
    is_provider_api = False
    one_item_per_record = True
    results_share_record = False
    results_are_records = True
    members_are_records = True
    stores = (StorePattern("~/.openhands", "conversations/*"),)

    # a folder

    member_pattern = assembly.MEMBER
    is_part_of_folder = True

    def claims(self, path: Path) -> bool:
        return assembly.is_conversation_folder(path)

    def is_complete(self, names: Collection[str]) -> bool:
        return assembly.STATE_FILE in names and len(names) > 1

    def assemble_folder(self, path: str, folder: FolderContainer) -> AssembledSource:
        return assembly.assemble(path, self.name, folder)

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if isinstance(source, AssembledSource):
            return self.index_assembled(source, reading)
        return super().index(source, reading)

    # reading

    def score(self, head: Head) -> float:
        lines = head.is_lines and _is_event(head.lines[0])
        if lines and head.is_complete and len(head.lines) < 2:
            return 0.0  # This is the file of one event, a part of a folder.
        events = head.lines if lines else head.messages_in(self.shapes) or []
        known = sum(map(_is_event, events))
        return 0.95 if known and known == len(events) and any(map(_is_sent, events)) else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return _is_event(first)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        reader.add_event(columns, raw, start, end)

    pointer = staticmethod(reader.block_pointer)
    view = staticmethod(reader.view_of_event)

    def misfits(self, message: Any) -> list[Misfit]:
        """Return what the SDK does not read. The shapes of the events before it are not known."""
        return super().misfits(message) if "kind" in object_at(message, "") else []

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        loader.bind_results_to_actions(columns, session.records, raw)
        session.main_thread.path = loader.sent_path(columns, session.main_thread.path, raw)
        session.agent = _LABEL
        session.provider_assumed = True
        session.stops_before_tool_calls = True
        request = enclosing_request(log, sequence, sequence.enclosing_object)
        value = parse_json(request) if is_valid_json(request) else None
        own_id = text_at(value, "/base_state/id") or text_at(value, "/instance_id")
        session.id = own_id or session.id

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        if not rules:
            return ResumeBehavior(self.name, "as-is", (), _LABEL)
        if rules <= _LEFT_OUT.keys():
            return ResumeBehavior(self.name, "mends", losses_of_rules(_LEFT_OUT, rules), _LABEL)
        # A result in another place than behind its call is sent as it is.
        outcome = "refuses" if rules <= {*_LEFT_OUT, *UNPAIRED_RULES} else "unknown"
        return ResumeBehavior(self.name, outcome, (), _LABEL)


def _is_event(value: Any) -> bool:
    """Return whether an object is an event of the SDK or of a release before it."""
    fields = object_at(value, "")
    kind = text_at(fields, "/kind")
    if kind:
        return "id" in fields and "timestamp" in fields and kind[:1].isupper()
    is_older = isinstance(fields.get("action") or fields.get("observation"), str)
    return is_older and "source" in fields and ("args" in fields or "content" in fields)


def _is_sent(value: dict[str, Any]) -> bool:
    return bool(reader.event_of(value).role)
