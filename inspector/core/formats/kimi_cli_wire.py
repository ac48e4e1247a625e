"""The event file of kimi-cli: `wire.jsonl`, next to `context.jsonl`, with the events that its window showed.

Facts: MoonshotAI/kimi-cli 1.49.0, `wire/file.py`, `wire/types.py`. A line is `{timestamp, message: {type, payload}}`;
the first names the protocol version (none before 1.2). A `ToolCallPart` continues the arguments of the newest call.
A subagent's events are shown under the call that started it, and not judged with the main thread. The program does
not load this file to resume a session, and skips lines that it cannot read.
"""

from array import array
from collections.abc import Iterator
from typing import Any

from inspector.core.formats.base.agent_behavior import Agent, ResumeBehavior
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.kimi_cli_events import EVENTS_FILE, event_of, evidence_of_call
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata, first_user_text, title_line
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.message_fields import message_text, result_text, string_in
from inspector.core.storage.json_text import object_at, parse_json, pretty_json, value_at
from inspector.core.translation import tr

_LABEL = "kimi-cli"
_PAYLOAD_POINTER = "/message/payload"
_USER_EVENTS = frozenset({"TurnBegin", "SteerInput"})
_PART_KINDS = {"text": BlockKind.TEXT, "think": BlockKind.THINKING}


class KimiCliWire(JsonLines, Agent, CallEvidenceSource):
    """The event files of kimi-cli."""

    name = "kimi-cli-wire"
    label = "kimi-cli events"
    keys = "protocol_version"
    detection = tr(
        "a metadata line without created_at, followed by lines with a timestamp and a message that "
        "contains a type and a payload"
    )
    read = tr("the messages, calls and results of the main thread. Subagent events are displayed but not checked")
    write_back = tr("no, because the program does not load this file. Repair context.jsonl next to it instead")
    resume = tr("none, because this file is not used to resume a session")
    unsupported = tr("calls and results inside SubagentEvent events")
    source = "MoonshotAI/kimi-cli 1.49.0, wire/file.py, wire/types.py"
    read_only_reason = tr(
        "Repairing this file would have no effect, because kimi-cli does not load it to resume a session. Open "
        "and repair context.jsonl in the same folder instead."
    )
    profile = "openai-chat"
    results_share_record = False
    one_item_per_record = True

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        first = head.lines[0]
        header = first.get("type") == "metadata" and "protocol_version" in first and "created_at" not in first
        rows = head.lines[1:] if header else head.lines
        events = sum(event_of(row) is not None and "timestamp" in row for row in rows)
        if events:
            return 0.95 if events == len(rows) else 0.6
        return 0.9 if header and not rows else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        kind, payload = event_of(parse_json(raw)) or ("", {})
        if kind in _USER_EVENTS:
            columns.add_record(start, end, Role.USER)
            columns.add_block(BlockKind.TEXT)
        elif kind == "ContentPart":
            columns.add_record(start, end, Role.ASSISTANT)
            columns.add_block(_PART_KINDS.get(str(payload.get("type")), BlockKind.MEDIA))
        elif kind == "ToolCall":
            columns.add_record(start, end, Role.ASSISTANT)
            columns.add_block(
                BlockKind.CALL, 0, string_in(payload, "id"), string_in(object_at(payload, "/function"), "name")
            )
        elif kind == "ToolResult":
            columns.add_record(start, end, Role.TOOL)
            failed = BlockFlag.ERROR if object_at(payload, "/return_value").get("is_error") is True else 0
            columns.add_block(BlockKind.RESULT, failed, string_in(payload, "tool_call_id"))
        elif kind == "SubagentEvent":
            columns.add_record(
                start, end, Role.LINK, RecordMark.TRANSIENT, group=string_in(payload, "parent_tool_call_id")
            )
        elif kind == "StepBegin":
            columns.add_record(start, end, Role.LINK, RecordMark.GROUP_START)
        else:
            columns.add_record(start, end, Role.LINK if kind == "ToolCallPart" else Role.OPAQUE)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        path = array("I", _in_sent_order(columns))
        folder, _, name = log.source.path.replace("\\", "/").rpartition("/")
        session_id = folder.rpartition("/")[2] if name == EVENTS_FILE and folder else file_stem(name)
        return [Session(0, session_id, range(len(columns)), [Thread(path)], self.profile)]

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return _PAYLOAD_POINTER

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return raw

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        session.state = tr("displayed events (the conversation itself is in context.jsonl in the same folder)")
        session.title = first_user_text(log, session.main_thread.path, lambda raw: _title(parse_json(raw)))

    def metadata(self, head: Head) -> SessionMetadata:
        return SessionMetadata("", next((title for title in map(_title, head.lines) if title), ""))

    def view(self, raw: bytes) -> RecordView:
        row = parse_json(raw)
        event = event_of(row)
        if event is None:
            kind = str(row.get("type") or "record") if isinstance(row, dict) else tr("no record")
            return RecordView(kind, kind)
        kind, payload = event
        when = str(row.get("timestamp") or "")
        role, block = _block_views(kind, payload)
        return RecordView(role or kind, "" if block else _summary(kind, payload), (block,) if block else (), when)

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        return None if own else evidence_of_call(row, call.id)

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        return ResumeBehavior(
            self.name, "as-is", (), tr("{label} (which reads context.jsonl instead of this file)", label=_LABEL)
        )


def _in_sent_order(columns: Columns) -> Iterator[int]:
    """Yield the records as the model sees them: results follow all calls of their step."""
    results: list[int] = []
    for record, role in enumerate(columns.roles):
        if role == Role.USER or columns.marks[record] & RecordMark.GROUP_START:
            yield from results
            results.clear()
        if role == Role.TOOL:
            results.append(record)
        elif role:
            yield record
    yield from results


def _block_views(kind: str, payload: dict[str, Any]) -> tuple[str, BlockView | None]:
    if kind in _USER_EVENTS:
        return "user", BlockView(BlockKind.TEXT, message_text(payload.get("user_input")), _PAYLOAD_POINTER)
    if kind == "ContentPart":
        part = str(payload.get("type"))
        return "assistant", BlockView(
            _PART_KINDS.get(part, BlockKind.MEDIA), str(payload.get(part) or f"[{part}]"), _PAYLOAD_POINTER
        )
    if kind == "ToolCall":
        function = object_at(payload, "/function")
        text, name = str(function.get("arguments") or ""), str(function.get("name") or "")
        return "assistant", BlockView(BlockKind.CALL, text, _PAYLOAD_POINTER, name, str(payload.get("id") or ""))
    if kind == "ToolResult":
        value = object_at(payload, "/return_value")
        text = "\n".join(filter(None, (str(value.get("message") or ""), result_text(value.get("output")))))
        failed = value.get("is_error") is True
        return "tool", BlockView(
            BlockKind.RESULT, text, _PAYLOAD_POINTER, "", str(payload.get("tool_call_id") or ""), failed
        )
    return "", None


def _summary(kind: str, payload: dict[str, Any]) -> str:
    if kind == "SubagentEvent":
        event = value_at(payload, "/event/type", None if isinstance(payload.get("event"), dict) else "")
        return f"{payload.get('subagent_type') or 'subagent'} {payload.get('agent_id') or ''}: {event}"
    if kind == "ToolCallPart":
        return tr("more arguments: {payload}", payload=payload.get("arguments_part") or "")
    return f"{kind} {pretty_json(payload)}" if payload else kind


def _title(row: Any) -> str:
    event = event_of(row)
    if event is None or event[0] != "TurnBegin":
        return ""
    return title_line(message_text(event[1].get("user_input")))
