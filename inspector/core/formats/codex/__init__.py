"""Codex rollouts: `${CODEX_HOME:-~/.codex}/sessions/YYYY/MM/DD/rollout-<time>-<thread id>.jsonl`, `archived_sessions`.

Facts: openai/codex, codex-rs, each at the commit named in the module that rests on it: `history` (what is rebuilt on
resume), `sends` (what is mended in memory), `ordinals`, `settling`, `bases` (forks). Line shapes: history/src/lib.rs,
protocol/src/models.rs @001cb8e, rollout/src/policy.rs @0136a73; the first `session_meta` counts, forks hold a second
one (recorder.rs @b505ee8). Until September 2025 lines had no envelope: the first one has `id` and `instructions`, the
others are items, and `{"record_type":"state"}` between them. `event_msg` repeats the conversation for the screen.
"""

from contextlib import suppress
from pathlib import Path

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, object_at, parse_json, value_at
from inspector.core.bytes.spans import json_at, pointer_span
from inspector.core.containers.lines import decode_chunk, nonblank_lines
from inspector.core.formats.bases.agent import Sender
from inspector.core.formats.bases.edits import Call
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.json_lines import JsonLines, Lines
from inspector.core.formats.bases.next_steps import NextSteps, resuming
from inspector.core.formats.bases.on_resume import UNREAD_LINES, OnResume, losses
from inspector.core.formats.bases.reading import Reading
from inspector.core.formats.bases.response_items import ResponseItems
from inspector.core.formats.bases.store import Headline, Store, first_said, this_machine
from inspector.core.formats.bases.tracer import Tracer
from inspector.core.formats.codex import traces
from inspector.core.formats.codex.bases import built_on
from inspector.core.formats.codex.heading import (
    begun,
    headless,
    is_bare_line,
    is_bare_start,
    meta_before,
    meta_of,
    server_of,
    thread_in_name,
    title_of,
)
from inspector.core.formats.codex.history import SIGNS, item_of, item_pointer, path_of
from inspector.core.formats.codex.ordinals import uncounted
from inspector.core.formats.codex.rows import LINES, SHAPE, SUMMARY, add_rows, add_text, decode_lines
from inspector.core.formats.codex.sends import BARE, request_of
from inspector.core.formats.codex.settling import counted_on, settle
from inspector.core.formats.codex.showing import error_name, error_text, view
from inspector.core.index.columns import Columns, ReadRecord, RecordMark
from inspector.core.index.session import Log, Session, Thread
from inspector.core.profiles import responses_profile_for
from inspector.core.wire import responses

_TITLE_LOOK = 60
_PAGINATED = "paginated"
_LONG_AGO = "1970-01-01T00-00-00"
_LOSSES = UNREAD_LINES | {"F7": "the line with half of a surrogate pair"}
_BARE_STATE = "written without envelopes, as until September 2025"


class Codex(ResponseItems, JsonLines, Sender, Tracer):
    """Sessions of OpenAI's Codex CLI."""

    name = "codex"
    label = "Codex rollout"
    keys = "payload record_type instructions"
    marker_patterns = SIGNS
    container = "JSON Lines, also zstd"
    steps_are_independent = True
    detection = "lines of timestamp, type and payload; or a first line with id and instructions, then bare items"
    read = "the list rebuilt from the newest compaction and rollbacks; calls and outputs by kind"
    write_back = "yes: a copy, in place, as a new session; not in place: paginated threads, bases of forks"
    resume = "outputs of the call's kind, ordinals consecutive, metadata as long as its replacement history"
    unsupported = "history that a fork shares with the rollout it begins in; the derived SQLite index"
    source = "openai/codex codex-rs (rollout_reconstruction.rs, normalize.rs, ordinal.rs)"
    profile = "openai-responses"
    stores = tuple(
        Store("~/.codex", f"{folder}/rollout-*.jsonl{ending}", "CODEX_HOME")
        for folder in ("sessions/*/*/*", "archived_sessions")
        for ending in ("", ".zst")
    )
    message_schema = SHAPE
    stop_reason_pointers = ("/payload/status", "/status")
    session_pointer = "/payload/id"
    can_start_new_session = True
    accepts_bom = False

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        rows = head.lines
        wrapped = [row for row in rows if str(row.get("type")) in LINES and isinstance(row.get("payload"), dict)]
        if any("timestamp" in row for row in wrapped[:2]):
            if rows[0] is wrapped[0] and rows[0]["type"] == "session_meta":
                return 0.95
            return 0.8 if 2 * len(wrapped) > len(rows) else 0.0
        return 0.9 if is_bare_start(rows[0]) and all(map(is_bare_line, rows[1:])) else 0.0

    # reading

    def add_chunk(self, found: Lines, chunk: memoryview, offset: int, reading: Reading) -> None:
        rows = decode_chunk(chunk, decode_lines, reading.checked_from(offset))
        if rows is not None:
            add_rows(found.columns, *rows, offset, chunk, found.sequences)
        else:
            for start, end, line in nonblank_lines(offset, bytes(chunk)):
                add_text(found.columns, line, start, end, found.sequences, reading.deep)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        add_text(columns, raw, start, end, None, False)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        meta = meta_of(columns, raw)
        session_id = meta.text("id") or thread_in_name(log.source.path)
        profile = responses_profile_for(*server_of(columns, raw))
        links = [] if meta.is_bare else headless(columns, raw)
        session = Session(
            0, session_id, range(len(columns)), [Thread(path_of(columns, raw), damaged_links=links)], profile
        )
        if meta.text("history_mode") == _PAGINATED:
            session.ordinal_breaks = uncounted(log, columns, raw)
        return [session]

    error_text = staticmethod(error_text)
    error_name = staticmethod(error_name)

    def describe(self, log: Log, session: Session) -> None:
        meta = meta_of(log.columns, log.raw)
        session.version = meta.text("cli_version")
        session.state = _BARE_STATE if meta.is_bare else ""
        session.agent = f"Codex {session.version}".strip()
        session.title = first_said(log, session.main_thread.path[:_TITLE_LOOK], lambda raw: title_of(item_of(raw)))

    def metadata(self, head: Head) -> Headline:
        project, title = "", ""
        for row in head.lines:
            payload = row.get("payload")
            item = payload if isinstance(payload, dict) else row
            project = project or (str(item.get("cwd") or "") if row.get("type") == "session_meta" else "")
            if not title and row.get("type") in ("response_item", "message") and item.get("role") == "user":
                title = title_of(item)
        return Headline(project, title)

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        mark = columns.marks[record]
        if mark & RecordMark.COMPACTION:
            return SUMMARY
        inner = responses.block_pointer(columns, record, ordinal)
        return inner if mark & RecordMark.NO_ENVELOPE else f"/payload{inner}"

    item_pointer = staticmethod(item_pointer)
    view = staticmethod(view)

    # what the log shows of calls

    evidence_in = staticmethod(traces.trace)
    folders_at = staticmethod(traces.folders)

    # what the agent does

    build_request = staticmethod(request_of)

    def resume_behavior(self, session: Session, rules: set[str]) -> OnResume:
        """A line that does not parse is skipped and counted (codex-rs/rollout/src/recorder.rs @b505ee8)."""
        agent, label = f"{self.name} {session.version}".strip(), session.agent or "Codex"
        if session.state == _BARE_STATE:
            return OnResume(agent, "refuses", ("the whole session",), label, error=BARE)
        return OnResume(agent, "as-is", losses(_LOSSES, rules), label)

    # writing

    def save_refusal(self, log: Log, mode: str) -> str:
        if mode != "in-place":
            return ""
        instead = "Save a copy, or save it as a new session."
        if meta_of(log.columns, log.raw).text("history_mode") == _PAGINATED:
            return (
                f"Codex keeps an index of this paginated thread that counts its lines, so it stays as it is. {instead}"
            )
        for identity in dict.fromkeys((log.sessions[0].id, thread_in_name(log.source.path))):
            fork = built_on(log.source.path, identity)
            if fork:
                return f"{fork} is a fork that builds on this rollout, so it stays as it is. {instead}"
        return ""

    def relink(self, columns: Columns, record: int, raw: ReadRecord) -> list[bytes]:
        return [meta_before(columns, record, raw), raw(record)]

    update_derived = staticmethod(settle)
    renumber_from = staticmethod(counted_on)

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return json_at(raw, item_pointer(raw))

    def result_block(self, call: Call, text: str, failed: bool = True) -> bytes:
        """An output of the call's kind. Codex answers a local shell's call, too, by a function's output."""
        item = {**item_of(call.raw), "call_id": call.id}
        if item.get("type") == "local_shell_call":
            item["type"] = "function_call"
        return dump_json(responses.make_placeholder_output(item, text))

    def text_is_enough(self, call: Call, text: str) -> bool:
        return item_of(call.raw).get("type") in responses.TEXT_OUTPUT_CALL_TYPES

    def match_form(self, raw: bytes, beside: bytes) -> bytes:
        """With an envelope among lines, without one among bare items and the items of a replacement history."""
        at, wanted = item_pointer(raw), item_pointer(beside)
        if at == wanted:
            return raw
        start, end = pointer_span(raw, at)
        return raw[start:end] if at else _line(beside, raw[start:end])

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        return f"rollout-{begun(log.source.path, meta_of(log.columns, log.raw)) or _LONG_AGO}-{session_id}.jsonl"

    def store_folder(self, log: Log) -> Path | None:
        when = begun(log.source.path, meta_of(log.columns, log.raw))
        if not when:
            return None
        year, month, day = when[:10].split("-")
        return Path(self.stores[0].folder_on(this_machine()), "sessions", year, month, day)

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        with suppress(KeyError, ValueError):  # a damaged line stays as it is
            line = object_at(parse_json(raw), "") if dump_json(old) in raw else {}
            at = "/payload" if isinstance(line.get("payload"), dict) else ""
            keys = ("id", "session_id") if line.get("type") == "session_meta" or not at else ("thread_id",)
            for key in keys:
                if value_at(line, f"{at}/{key}") == old:
                    raw = splice.set_member(raw, at, key, dump_json(new))
        return raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resuming("Codex", f"codex resume {session_id}", path, new)


def _line(beside: bytes, item: bytes) -> bytes:
    """An item in the envelope of a line, with time and ordinal of the line `beside`; ordinals are settled later."""
    line = parse_json(beside)
    copied = {key: line[key] for key in ("timestamp", "ordinal") if key in line}
    return dump_json({**copied, "type": "response_item"})[:-1] + b',"payload":' + item + b"}"
