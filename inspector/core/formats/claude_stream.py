"""Events of `claude -p --output-format stream-json` and of the Claude Agent SDK, an event a line.

Facts: anthropics/claude-agent-sdk-python e8bde60, `_internal/message_parser.py` and `types.py`. One content block an
event, fragments share `message.id`; calls of a subagent carry the `parent_tool_use_id` of the call that started it; a
`result` event ends a turn. Unknown types are passed over. Two relatives without session_id, which tell no state, are
read as well: `{"loglines": […]}` of claude.ai/code, and user and assistant lines of which none names a parent (Claude
Code's own loader would keep the last one alone). No program loads the stream again; a repaired copy is for replaying
and converting it. Look-alikes that are not read: the streams of Factory Droid, Cursor and Gemini
CLI have the same envelope (type, session_id) and keep calls and results in events of their own.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from msgspec import Raw, Struct

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.agent_behavior import Agent, NextSteps, ResumeBehavior
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.json_lines import JsonLines
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder, string_in
from inspector.core.providers.message_misfits import ObjectSchema
from inspector.core.storage import json_edits
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import dump_json, integers_at, objects_at, parse_json, parse_json_cached
from inspector.core.storage.source import Source
from inspector.core.translation import tr, tr_plural


def describe_stream_progress(columns: Columns, session: Session, ends: list[tuple[int, dict[str, Any]]]) -> str:
    """Return how far the main thread of a stream came, in plain words, with its counts."""
    path = session.main_thread.path
    calls, results = _block_ids(columns, path, BlockKind.CALL), _block_ids(columns, path, BlockKind.RESULT)
    still_open = calls - results
    if session.stops_before_tool_calls:
        last = Counter(call_id for _, call_id in calls_of_newest_answer(columns, path))
        waiting = last & still_open
        if waiting:
            return tr(
                "waiting for {total} of {results}",
                total=waiting.total(),
                results=tr_plural("{number:,} result", "{number:,} results", last.total()),
            )
        return tr("no result event, so the stream is still running or was cut off")
    if not ends:
        return ""
    event = ends[-1][1]
    answered = tr(
        "{answered} of {calls} answered",
        answered=calls.total() - still_open.total(),
        calls=tr_plural("{number:,} call", "{number:,} calls", calls.total()),
    )
    counts = tr(
        "{turns}, {answered}",
        turns=tr_plural("{number:,} turn", "{number:,} turns", len(ends)),
        answered=answered if calls else tr("no calls"),
    )
    if event.get("is_error") or event.get("subtype") != "success":
        reason = event.get("subtype") or tr("no reason given")
        return tr("failed ({reason}): {counts}", reason=reason, counts=counts)
    if isinstance(event.get("deferred_tool_use"), dict):
        return tr("ended with a deferred call: {counts}", counts=counts)
    if still_open:
        denied = len(still_open.keys() & set(_denied_count(ends)))
        if denied:
            return tr("ended with open calls: {counts}, {denied} denied", counts=counts, denied=denied)
        return tr("ended with open calls: {counts}", counts=counts)
    return tr("complete: {counts}", counts=counts)


def _block_ids(columns: Columns, path: array[int], kind: BlockKind) -> Counter[str]:
    rows = (row for record in path for row in columns.block_rows(record))
    return Counter(columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == kind)


def _denied_count(ends: list[tuple[int, dict[str, Any]]]) -> Iterator[str]:
    for _, event in ends:
        yield from (str(denial.get("tool_use_id")) for denial in objects_at(event, "/permission_denials"))


def result_events(columns: Columns, members: range, raw: ReadRecord) -> list[tuple[int, dict[str, Any]]]:
    """Return the result events of a session, each with its record."""
    events = ((record, parse_json(raw(record))) for record in members if columns.roles[record] == Role.LINK)
    return [(record, event) for record, event in events if event.get("type") == "result"]


def continues_after_result(columns: Columns, path: array[int], ends: list[tuple[int, dict[str, Any]]]) -> bool:
    """Return whether something was said after the last result event."""
    last = ends[-1][0] if ends else -1
    return any(record > last for record in path if columns.roles[record] != Role.LINK)


def calls_of_newest_answer(columns: Columns, path: array[int]) -> list[tuple[int, str]]:
    """Return the calls of the newest message of the assistant, with their records.

    Empty when the person spoke after it.
    """
    group, calls = None, list[tuple[int, str]]()
    for record in reversed(path):
        rows = columns.block_rows(record)
        kinds = {columns.block_kinds[row] for row in rows}
        if columns.roles[record] == Role.ASSISTANT:
            if calls and (group is None or columns.groups[record] != group):
                break
            group = columns.groups[record]
            ids = (columns.call_ids[row] for row in rows if columns.block_kinds[row] == BlockKind.CALL)
            calls += [(record, call_id) for call_id in ids if call_id]
        elif columns.roles[record] == Role.USER and kinds != {BlockKind.RESULT}:
            break
    return calls


# The evidence in a stream for a call without a result.
#
# Facts: claude-agent-sdk-python, `_internal/message_parser.py` and `types.py`, and the bundled binary of 0.2.187:
# `tool_progress` and the `task_*` events of a background task name the call by `tool_use_id`; what a subagent says
# names the call that started it by `parent_tool_use_id`; a `result` lists the calls that were denied.

_ENDED_STATES = frozenset({"completed", "failed", "stopped", "killed"})


def evidence_in_event(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return the evidence in an event; see `CallEvidenceSource.evidence_in`."""
    if own or not isinstance(row, dict):
        return None
    if row.get("type") == "tool_progress" and row.get("tool_use_id") == call.id:
        return EvidenceItem(EvidenceStrength.STARTED, tr("The call reported progress (tool_progress)."))
    if row.get("type") == "result":
        denied = [each.get("tool_use_id") for each in objects_at(row, "/permission_denials")]
        return (
            EvidenceItem(EvidenceStrength.MENTIONED, tr("According to the result event, the call was denied."))
            if call.id in denied
            else None
        )
    subtype = row.get("subtype")
    if isinstance(subtype, str) and subtype.startswith("task_") and row.get("tool_use_id") == call.id:
        if str(row.get("status")) in _ENDED_STATES:
            return EvidenceItem(EvidenceStrength.RAN, tr("The background task ended: {row}.", row=row["status"]))
        return EvidenceItem(
            EvidenceStrength.STARTED, tr("The background task was started ({subtype}).", subtype=subtype)
        )
    if row.get("parent_tool_use_id") == call.id:
        return EvidenceItem(EvidenceStrength.STARTED, tr("The subagent started by the call sent a message."))
    return None


_EVENT_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_OTHER_PROGRAMS = frozenset({"tool_call", "tool_result", "tool_use", "message", "completion"})
_OWN_EVENT_TYPES = frozenset(
    {"system", "result", "stream_event", "rate_limit_event", "control_request", "control_response"}
)
_COPIED_MEMBERS = ("timestamp", "parent_tool_use_id", "session_id")


class _Event(Struct, gc=False):
    type: str | None = None
    subtype: str | None = None
    session_id: str | None = None
    parent_tool_use_id: str | None = None
    message: schema.AnthropicMessage | None = None
    is_error: bool | None = None
    result: Raw = EMPTY_RAW
    error: Raw = EMPTY_RAW


class ClaudeStream(BlockListFormat, MessageArrays, JsonLines, Agent, CallEvidenceSource):
    """Event streams of Claude Code. The parent of a record is the call whose subagent speaks in it."""

    name = "claude-stream"
    label = "Claude Code event stream"
    keys = "session_id loglines"
    marker_patterns = ("API Error",)
    container = tr("JSON Lines, or one JSON document")
    detection = tr("lines with type, session_id and message but no parentUuid, or a document with `loglines`")
    read = tr("the main thread, one thread per subagent, and the session's state according to its result events")
    write_back = tr("yes, as a copy or in place, but not as a new session, because no program loads a stream")
    resume = tr("results come first in the next user message, and fragments of a message are joined")
    unsupported = tr("checking raw stream_event deltas, which are only displayed")
    source = "anthropics/claude-agent-sdk-python, _internal/message_parser.py"
    profile = "anthropic"
    content_pointer = "/message/content"
    shapes = MessagePaths(("loglines",))
    is_provider_api = False
    merges_fragments = True
    keeps_answers_separate = True
    results_share_record = False
    prompt_outside_log = True
    prompts_are_strings = True
    sends_blocks_unchanged = True
    stop_reason_pointers = ("/message/stop_reason",)
    session_pointer = "/session_id"
    message_schema = block_list_formats.record_schema_with_message(
        "message", ObjectSchema({"content": schema.CONTENT_FIELD})
    )

    def score(self, head: Head) -> float:
        if not head.is_lines:
            logged = head.messages_in(self.shapes) or []
            return 0.9 if logged and all(_holds_message(each) for each in logged) else 0.0
        rows = head.lines
        if any(_kind(row) in _OTHER_PROGRAMS or "parentUuid" in row for row in rows):
            return 0.0
        messages = sum(map(_holds_message, rows))
        streamed = sum(_holds_message(row) or _kind(row) in _OWN_EVENT_TYPES for row in rows if "session_id" in row)
        if streamed > len(rows) / 2 and any(_is_distinctive(row) for row in rows):
            return 0.95
        return 0.55 if messages > len(rows) / 2 else 0.0

    # reading

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if _is_document(Head(source)):
            return super().index(source, reading)
        return JsonLines.index(self, source, reading)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        _add(columns, _DECODE(raw), start, end)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        starts, ids = [0], [_first_id(columns, raw)]
        for record, group in enumerate(columns.groups):
            if group is not None and columns.roles[record] == Role.LINK and group != ids[-1] is not None:
                starts.append(record)
                ids.append(group)
        found = []
        for number, (low, high) in enumerate(pairwise([*starts, len(columns)])):
            threads = _threads(columns, range(low, high))
            session = Session(number, ids[number] or str(number), range(low, high), threads, self.profile)
            # Without a session's id it is no stream, and the end of the log is no sign of anything.
            session.stops_before_tool_calls = ids[number] is not None and continues_after_result(
                columns, threads[0].path, result_events(columns, session.records, raw)
            )
            found.append(session)
        return found

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return calls that a hook deferred, and those that the stream ends with before any result event."""
        ends = result_events(columns, session.records, raw)
        deferred = (event.get("deferred_tool_use") for _, event in ends)
        found = {str(each.get("id")) for each in deferred if isinstance(each, dict)}
        if session.stops_before_tool_calls:
            last = ends[-1][0] if ends else -1
            found.update(call_id for record, call_id in calls_of_newest_answer(columns, path) if record > last)
        return found

    def error_text(self, raw: bytes) -> str:
        event = parse_json(raw)
        message = event.get("message")
        if isinstance(message, dict):
            return "\n".join(view.text for view in schema.views_of_content(message.get("content"), ""))
        return str(event.get("result") or "")

    def error_name(self, raw: bytes) -> str:
        return string_in(parse_json(raw), "error") or ""

    def describe(self, log: Log, session: Session) -> None:
        super().describe(log, session)
        started = _init_event(log, session)
        session.version = str(started.get("claude_code_version") or "")
        session.agent = f"Claude Code {session.version}".strip()
        session.state = describe_stream_progress(
            log.columns, session, result_events(log.columns, session.records, log.raw)
        )

    def metadata(self, head: Head) -> SessionMetadata:
        """Return the folder of the first event, and the person's first words, where the stream repeats them."""
        folders = (row["cwd"] for row in head.lines if isinstance(row.get("cwd"), str))
        said = (view for row in head.lines if row.get("type") == "user" for view in self.block_views(row))
        texts = (view.text.strip() for view in said if view.kind == BlockKind.TEXT)
        return SessionMetadata(next(folders, ""), next(filter(None, texts), ""))

    def view(self, raw: bytes) -> RecordView:
        event = parse_json(raw)
        if not isinstance(event, dict):
            return RecordView("", tr("no event"))
        message, kind = event.get("message"), str(event.get("type") or "event")
        when = str(event.get("timestamp") or "")
        if not isinstance(message, dict):
            told = [str(event[key]) for key in ("subtype", "result") if isinstance(event.get(key), str)]
            return RecordView(kind, ": ".join([kind, *told]), (), when)
        counts = integers_at(message, "/usage/input_tokens", "/usage/output_tokens")
        return RecordView(kind, "", self.block_views(event), when, str(message.get("model") or ""), *counts)

    # what the log shows of calls

    evidence_in = staticmethod(evidence_in_event)

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        """Return the folder in the newest event before each record that begins a session."""
        starts = [record for record, role in enumerate(columns.roles) if role == Role.LINK and columns.groups[record]]
        told = [parse_json(raw(record)).get("cwd") for record in starts]
        at = ((record, bisect_right(starts, record) - 1) for record in records)
        found = {record: told[number] for record, number in at if number >= 0}
        return {record: folder for record, folder in found.items() if isinstance(folder, str)}

    # what reads it

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        return ResumeBehavior(self.name, "refuses" if rules else "as-is", (), tr("A program that replays the stream"))

    # writing

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a user event in the thread of `like`, with the members that the events of this stream have."""
        event = parse_json_cached(like)
        copied = {key: event[key] for key in _COPIED_MEMBERS if key in event}
        tail = dump_json(copied | ({"uuid": deterministic_uuid(seed)} if "uuid" in event else {}))
        head = b'{"type":"user","message":{"role":"user","content":' + content + b"}"
        return head + (b"," + tail[1:] if len(tail) > 2 else b"}")

    def without_result_data(self, raw: bytes) -> bytes:
        return json_edits.remove_member(raw, "", "tool_use_result")

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        own = _session_file_step(log.sessions[0].id)
        return NextSteps((tr("This stream cannot be loaded directly as a session. Replay or convert it first."), own))

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return NextSteps(
            (tr("The repaired stream is at {path}. Replay or convert it.", path=path), _session_file_step(session_id))
        )


def _session_file_step(session_id: str) -> str:
    """Return the step that leads from a stream to the file that Claude Code resumes."""
    return tr(
        "Claude Code resumes from its own log of the session, {session_id}.jsonl. Open and repair that log.",
        session_id=session_id,
    )


def _threads(columns: Columns, members: range) -> list[Thread]:
    """Return the main thread, and that of each subagent, in the order of their events."""
    paths: dict[str | None, array[int]] = {None: array("I")}
    for record in members:
        if columns.roles[record]:
            paths.setdefault(columns.parents[record], array("I")).append(record)
    return [Thread(path, is_side=parent is not None) for parent, path in paths.items()]


def _first_id(columns: Columns, raw: ReadRecord) -> str | None:
    """Return the id of the first session, named by one of its first events."""
    for record in range(min(len(columns), 20)):
        if not columns.marks[record] & RecordMark.UNREADABLE:
            event = parse_json(raw(record))
            if isinstance(event, dict) and isinstance(event.get("session_id"), str):
                return str(event["session_id"])
    return None


def _init_event(log: Log, session: Session) -> dict[str, Any]:
    """Return the event that a session begins with, {} when the stream has none."""
    for record in session.records:
        if log.columns.roles[record] == Role.LINK and log.columns.groups[record] is not None:
            event = parse_json(log.raw(record))
            return event if isinstance(event, dict) else {}
    return {}


def _add(columns: Columns, event: _Event, start: int, end: int) -> None:
    role = _EVENT_ROLES.get(event.type or "") if event.message is not None else None
    if role is not None and bytes(event.error) not in (b"", b"null"):
        columns.add_record(start, end, Role.LINK, RecordMark.API_ERROR, None, event.parent_tool_use_id)
    elif role is not None and event.message is not None:
        blocks = event.message.content
        odd = isinstance(blocks, list) and any(map(schema.may_be_malformed_block, blocks))
        mark = RecordMark.MAYBE_MALFORMED if odd else 0
        columns.add_record(start, end, role, mark, None, event.parent_tool_use_id, event.message.id)
        schema.add_blocks(columns, event.message.content)
    elif event.type == "system" and event.subtype == "init":
        columns.add_record(start, end, Role.LINK, group=event.session_id)
    elif event.type == "result":
        failed = event.is_error and bytes(event.result).startswith(b'"API Error')
        columns.add_record(start, end, Role.LINK, RecordMark.API_ERROR if failed else 0)
    else:
        columns.add_record(start, end, Role.OPAQUE)


def _is_document(head: Head) -> bool:
    """Return whether a log is one document with `loglines`, however its text is divided into lines."""
    if not head.is_damaged:
        return "loglines" in head.context
    return b'"loglines"' in head.text and not any(line.startswith(b'{"type"') for line in head.text.split(b"\n")[1:])


def _kind(event: dict[str, Any]) -> str:
    kind = event.get("type")
    return kind if isinstance(kind, str) else ""


def _holds_message(event: dict[str, Any]) -> bool:
    message = event.get("message")
    if _kind(event) not in _EVENT_ROLES or not isinstance(message, dict) or "parts" in message:
        return False
    return isinstance(message.get("content"), str | list)


def _is_distinctive(event: dict[str, Any]) -> bool:
    """Return whether an event is one that only Claude Code writes in this form."""
    return _holds_message(event) or (_kind(event) in ("system", "result") and "subtype" in event)


_DECODE = LenientDecoder(_Event)
