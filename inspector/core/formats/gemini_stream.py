"""Events of `gemini --output-format stream-json`, an event a line.

Facts: @google/gemini-cli 0.61.0, run and killed, and its `gemini-cli-core`, `output/stream-json-formatter.ts`. A run
begins with `init` and ends with `result`. A text of the model comes in `message` events, a call in a `tool_use` event
before it runs, and all results of a response follow as `tool_result` events when its last tool is done; a killed or
canceled program leaves calls without them. The result of a tool that shows something else than a text (the changes of a
file) has no `output`. Warnings go to the other output, and are lines among the events if both were redirected to one
file. No program loads the stream again.
"""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import Any

from msgspec import Raw, Struct

from inspector.core.formats.base.agent_behavior import Agent, ResumeBehavior
from inspector.core.formats.base.json_lines import JsonLines
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import call_ids_of_newest_answer
from inspector.core.formats.base.stores import SessionMetadata, first_user_text, title_line
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_schema import BlockSchema, CallSpec, ResultSpec
from inspector.core.providers.block_views import call_view, result_view
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder
from inspector.core.storage.json_text import is_valid_json, parse_json, text_at
from inspector.core.translation import tr

_LABEL = "Gemini CLI"
_ERROR_POINTER = "/error/message"
_PROVIDER_ERROR = "[API Error"
_SCHEMA = BlockSchema(
    calls=(CallSpec(id="/tool_id", name="/tool_name", input=("/parameters",)),),
    results=(ResultSpec(id="/tool_id", content="/output", status="/status", failed="error".__eq__),),
)
# The members that an event of each type has, besides `type` and `timestamp`.
_MEMBERS = {
    "init": {"session_id", "model"},
    "message": {"role", "content"},
    "tool_use": {"tool_name", "tool_id", "parameters"},
    "tool_result": {"tool_id", "status"},
    "error": {"severity", "message"},
    "result": {"status"},
}
_SPEAKERS = {"user": Role.USER, "assistant": Role.ASSISTANT}


class _Error(Struct, gc=False):
    message: str | None = None


class _Event(Struct, gc=False):
    type: str | None = None
    session_id: str | None = None
    role: str | None = None
    tool_id: str | None = None
    tool_name: str | None = None
    parameters: Raw = EMPTY_RAW
    status: str | None = None
    error: _Error | None = None


class GeminiStream(JsonLines, Agent):
    """The event streams of Gemini CLI."""

    name = "gemini-stream"
    label = "Gemini CLI event stream"
    keys = "session_id tool_id"
    detection = tr("lines with a type and a timestamp, of which the first has the type init, a session_id and a model")
    read = tr(
        "the texts, calls and results, and the session's state according to its result events. Lines that do not begin "
        "with `{` are output of the terminal, and are not checked"
    )
    write_back = tr("no, because no program loads a stream. Repair Gemini CLI's own log of the session instead")
    resume = tr("none, because Gemini CLI resumes from its own log of the session")
    unsupported = tr("results that were not displayed as text, and what `@` in a prompt adds to it")
    source = "@google/gemini-cli-core 0.61.0, output/stream-json-formatter.ts"
    read_only_reason = tr(
        "Repairing this stream would have no effect, because no program loads it. Gemini CLI resumes from its own log "
        "of the session, chats/session-TIME-ID.jsonl in a folder of ~/.gemini/tmp, where ID is the beginning of the "
        "session's id. Open and repair that log, or convert the stream and repair the converted messages."
    )
    profile = "gemini"
    block_schema = _SCHEMA
    results_share_record = False
    one_item_per_record = True

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        own = [row for row in head.lines if _is_event(row)]
        if 2 * len(own) <= len(head.lines):
            return 0.0
        return 0.95 if any(row["type"] in ("init", "tool_use", "tool_result") for row in own) else 0.6

    # reading

    def index_record(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        if raw.startswith(b"{"):
            return super().index_record(columns, raw, start, end)
        columns.add_record(start, end, Role.OPAQUE)
        return True

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        event = _DECODE(raw)
        if event.type == "message" and event.role in _SPEAKERS:
            columns.add_record(start, end, _SPEAKERS[event.role])
            columns.add_block(BlockKind.TEXT)
        elif event.type == "tool_use":
            columns.add_record(start, end, Role.ASSISTANT)
            bad = not bytes(event.parameters).startswith(b"{")
            columns.add_block(BlockKind.CALL, BlockFlag.BAD_INPUT if bad else 0, event.tool_id, event.tool_name)
        elif event.type == "tool_result":
            columns.add_record(start, end, Role.TOOL)
            columns.add_block(BlockKind.RESULT, BlockFlag.ERROR if event.status == "error" else 0, event.tool_id)
        elif event.type == "init":
            columns.add_record(start, end, Role.LINK, group=event.session_id)
        elif event.type == "result":
            reported = event.error is not None and (event.error.message or "").startswith(_PROVIDER_ERROR)
            columns.add_record(start, end, Role.LINK, RecordMark.TURN_EVENT | (RecordMark.API_ERROR if reported else 0))
        else:
            columns.add_record(start, end, Role.OPAQUE)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        """Return the runs of each session. A resumed session goes on under its id."""
        starts, ids = [0], [next(filter(None, columns.groups), None)]
        for record, group in enumerate(columns.groups):
            if group is not None and group != ids[-1]:
                starts.append(record)
                ids.append(group)
        found = []
        for number, (low, high) in enumerate(pairwise([*starts, len(columns)])):
            path = array("I", (record for record in range(low, high) if columns.roles[record]))
            session = Session(number, ids[number] or str(number), range(low, high), [Thread(path)], self.profile)
            last = next(
                (record for record in reversed(path) if _ends_run(columns, record) or _speaks(columns, record)), -1
            )
            session.stops_before_tool_calls = last >= 0 and not _ends_run(columns, last)
            found.append(session)
        return found

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of the newest response, if the stream ends before the end of the run."""
        return call_ids_of_newest_answer(columns, path) if session.stops_before_tool_calls else set()

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return ""

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return raw

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        session.title = first_user_text(log, session.main_thread.path, _title_of)
        path = session.main_thread.path
        ends = [record for record in path if _ends_run(log.columns, record)]
        if session.stops_before_tool_calls:
            session.state = tr("no result event, so the stream is still running or was cut off")
        elif ends:
            end = parse_json(log.raw(ends[-1]))
            error = text_at(end, "/error/type")
            if text_at(end, "/status") == "success":
                session.state = tr("complete")
            else:
                session.state = tr("failed ({error})", error=error) if error else tr("failed")

    def metadata(self, head: Head) -> SessionMetadata:
        prompts = (row for row in head.lines if row.get("type") == "message" and row.get("role") == "user")
        return SessionMetadata("", next(filter(None, (title_line(text_at(row, "/content")) for row in prompts)), ""))

    def view(self, raw: bytes) -> RecordView:
        if not raw.startswith(b"{"):
            return RecordView("", raw.decode("utf-8", "replace"))
        event = parse_json(raw)
        kind, when = text_at(event, "/type"), text_at(event, "/timestamp")
        if kind == "message" and event.get("role") in _SPEAKERS:
            return RecordView(
                str(event["role"]), "", (BlockView(BlockKind.TEXT, text_at(event, "/content"), ""),), when
            )
        if kind == "tool_use":
            return RecordView("assistant", "", (call_view(event, _SCHEMA, ""),), when)
        if kind == "tool_result":
            shown = result_view(event, _SCHEMA, "")
            text = shown.text or text_at(event, _ERROR_POINTER)
            view = BlockView(shown.kind, text, shown.pointer, shown.name, shown.call_id, shown.is_error)
            return RecordView("tool", "", (view,), when)
        words = (text_at(event, place) for place in ("/session_id", "/status", "/message", _ERROR_POINTER))
        return RecordView(kind or "event", ": ".join(filter(None, (kind, *words))), (), when)

    def error_text(self, raw: bytes) -> str:
        return text_at(parse_json(raw), _ERROR_POINTER)

    # what reads it

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        return ResumeBehavior(self.name, "refuses" if rules else "as-is", (), tr("A program that replays the stream"))


def _is_event(row: dict[str, Any]) -> bool:
    members = _MEMBERS.get(text_at(row, "/type"))
    if members is None or "timestamp" not in row or not row.keys() >= members:
        return False
    return row["type"] != "message" or isinstance(row["content"], str)


def _speaks(columns: Columns, record: int) -> bool:
    return columns.roles[record] != Role.LINK


def _ends_run(columns: Columns, record: int) -> bool:
    return bool(columns.marks[record] & RecordMark.TURN_EVENT)


def _title_of(raw: bytes) -> str:
    return title_line(text_at(parse_json(raw), "/content")) if is_valid_json(raw) else ""


_DECODE = LenientDecoder(_Event)
