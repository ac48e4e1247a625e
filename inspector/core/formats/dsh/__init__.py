"""Sessions of DeepSeek Harness: `$DSH_HOME/sessions/--<project>--/<session id>/session.jsonl[.zstd]`.

Facts: deepseek-ai/deepseek-harness 0.1.1-rc.2 (b150a551b8); the npm packages @deepseek-ai/dsh-session-persistence-jsonl
and @deepseek-ai/dsh-session 0.1.0-rc.8, whose reader was run. A log is a header, then events that are numbered without
a gap; three kinds of events are messages. Logs are usually compressed, with the header in a frame of its own and each
batch of events in another. Later generations are `session.v2.jsonl` and so on, with that version in the header; of
these only the names and the changes described in public threads are known.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import (
    SENDS_HALF_PAIRS,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
    resume_steps_for,
)
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.format import LinkKeys, ReadOptions
from inspector.core.formats.base.json_lines import JsonLines
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import (
    SessionMetadata,
    StorePattern,
    first_user_text,
    host_environment,
    title_line,
)
from inspector.core.formats.base.writer import BlockEdits
from inspector.core.formats.dsh import reader, request, writer
from inspector.core.formats.dsh.folder_and_file_names import (
    LOG_NAME,
    ZSTD_SUFFIX,
    newest_log,
    project_folder_name,
    session_folder_name,
    store_is_compressed,
)
from inspector.core.formats.dsh.loader import (
    active_thread,
    draft_number_break,
    first_number_break,
    framing_damage,
    header_of,
    is_known_version,
    log_end,
)
from inspector.core.formats.dsh.request import AGENT_LABEL
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.message_fields import message_text
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, is_valid_json, list_at, parse_json, text_at, value_at
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import DecompressedSource
from inspector.core.translation import tr

# By record, the last of the events after it that say that calls started.
_ENDS_OF_STARTS: WeakKeyDictionary[Columns, dict[int, int]] = WeakKeyDictionary()
_STORE_FOLDER = "sessions"
_WITHOUT_TERMINAL_APP = tr("If the tui profile is not installed, run `dsh web` and open the session there.")
_LATER_VERSION = tr(
    "format version {version} (the log is displayed, but not checked against the rules of the program that wrote it)"
)
_OLDER_GENERATION = tr("an older generation of the log (the program opens {name} in the same folder instead)")
_TORN = tr("the last batch of the compressed log is incomplete and was read as far as possible")
_READ_ONLY = tr(
    "This log has format version {version}. Only version 0 logs can be written, because DeepSeek Harness's "
    "requirements for later versions are not known."
)


class DeepSeekHarness(BlockListFormat, JsonLines, RequestBuilder, CallEvidenceSource):
    """Sessions of DeepSeek Harness."""

    name = "dsh"
    label = "DeepSeek Harness session"
    container = tr("JSON Lines, optionally compressed with zstd")
    keys = "createdAt delegationDepth seq seq0 surfaceOp"
    detection = tr(
        "a header of type session with createdAt, followed by events with seq, time, data and a type that contains "
        "a slash"
    )
    read = tr("the messages, including those in later format versions, with replacements applied")
    write_back = tr(
        "yes, as a copy, in place or as a new session, compressed like the original. Logs in format versions "
        "later than 0 cannot be repaired"
    )
    resume = tr("the header comes first, events are numbered without gaps, and references to events are updated")
    unsupported = tr("blank lines, attachments, and DeepSeek Harness's own checks for format versions later than 0")
    lost_result_places = tr("nowhere else, because only the event with the result contains the output")
    source = "deepseek-ai/deepseek-harness 0.1.1-rc.2; @deepseek-ai/dsh-session-persistence-jsonl 0.1.0-rc.8"
    profile = "openai-chat"
    block_schema = reader.EVENT_BLOCK_SCHEMA
    message_schema = reader.EVENT_SCHEMA
    stores = tuple(
        StorePattern("~/.dsh", f"{_STORE_FOLDER}/*/*/session*.jsonl{suffix}", "DSH_HOME")
        for suffix in ("", ZSTD_SUFFIX)
    )
    session_store = "inspector.core.formats.dsh.session_store:DeepSeekHarnessStore"
    content_pointer = "/data/message/content"
    keeps_answers_separate = True
    results_share_record = False
    results_are_records = True
    pairs_server_tools = False
    link_keys = LinkKeys("", ordinal="seq")
    session_pointer = "/id"
    can_invent_calls = True
    can_start_new_session = True
    session_has_folder = True
    accepts_bom = False

    def score(self, head: Head) -> float:
        if not head.is_lines or not head.lines:
            return 0.0
        first = head.lines[0]
        if first.get("type") == reader.HEADER_TYPE and "createdAt" in first and isinstance(first.get("id"), str):
            return 0.95
        events = sum(map(_is_event, head.lines))
        return 0.8 if events > len(head.lines) / 2 else 0.0

    # reading

    index_valid_record = staticmethod(reader.add_record)

    def index(self, source: Source, reading: ReadOptions) -> Log:
        log = super().index(source, reading)
        if not is_known_version(header_of(log.columns, log.raw)):
            for record in range(len(log.columns)):
                log.columns.marks[record] &= ~RecordMark.MAYBE_MALFORMED
        return log

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        header = header_of(columns, raw)
        is_as_read = columns is log.columns or not log.sessions
        breaks = []
        if is_known_version(header):
            breaks = (
                first_number_break(columns, header)
                if is_as_read
                else draft_number_break(log.columns, log.sessions[0].ordinal_breaks, columns)
            )
        links = framing_damage(log.source, log.columns, columns) if header and is_known_version(header) else []
        thread = active_thread(columns, log_end(columns, breaks, links), header)
        if links:
            thread.damaged_links = links
        session_id = text_at(header, "/id") or _id_in_path(log.source.path)
        session = Session(0, session_id, range(len(columns)), [thread], self.profile, provider_assumed=True)
        session.ordinal_breaks = breaks
        return [session]

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        return reader.CONTENT_POINTERS.get(Role(columns.roles[record]), self.content_pointer)

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return "" if columns.roles[record] == Role.TOOL else super().pointer(columns, record, ordinal)

    def view(self, raw: bytes) -> RecordView:
        return reader.record_view(raw)

    def describe(self, log: Log, session: Session) -> None:
        session.agent = AGENT_LABEL
        header, path = header_of(log.columns, log.raw), Path(log.source.path)
        newest = newest_log(path.name, path.parent)
        if newest != path.name:
            session.state = tr(_OLDER_GENERATION, name=newest)
        elif isinstance(log.source, DecompressedSource) and log.source.is_torn:
            session.state = _TORN
        elif not is_known_version(header):
            session.state = tr(_LATER_VERSION, version=value_at(header, "/version"))
        session.title = first_user_text(log, session.main_thread.path, lambda raw: _title(parse_json(raw)))

    def metadata(self, head: Head) -> SessionMetadata:
        folder = text_at(head.lines[0], "/cwd") if head.lines else ""
        return SessionMetadata(folder, next(filter(None, map(_title, head.lines)), ""))

    def system_prompt(self, log: Log, session: Session) -> str:
        """Return the system prompt of the newest request, which the log keeps in an event of its own."""
        for record in range(len(log.columns) - 1, -1, -1):
            if log.columns.roles[record] == Role.LINK and b'"request/header"' in (raw := log.raw(record)):
                return text_at(parse_json(raw), "/data/header/system")
        return ""

    # what the log shows of calls

    evidence_in = staticmethod(reader.evidence_in_event)

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        folder = text_at(header_of(columns, raw), "/cwd")
        return dict.fromkeys(records, folder) if folder else {}

    # what the agent does

    passes_inputs_on = True
    handles_invalid_characters = SENDS_HALF_PAIRS
    build_request = staticmethod(request.build_request)

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        return request.resume_behavior(session, rules)

    def sent_call(self, name: str, block: bytes, version: str) -> tuple[str, bytes]:
        return name, request.call_with_parsed_arguments(block)

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return request.sent_result_text(kind, block)

    # writing

    def save_refusal(self, log: Log, mode: str) -> str:
        header = header_of(log.columns, log.raw)
        return "" if is_known_version(header) else tr(_READ_ONLY, version=value_at(header, "/version"))

    writes_compressed = True

    def stored_pieces(self, name: str, pieces: Iterable[bytes]) -> Iterable[bytes]:
        return writer.compressed_pieces(pieces) if name.endswith(ZSTD_SUFFIX) else pieces

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        if columns.roles[record] == Role.TOOL:
            return writer.rewrite_result(raw, edits)
        return super().rewrite(columns, record, raw, edits)

    result_block = staticmethod(writer.result_event)
    result_record = staticmethod(writer.result_with_message_id)
    user_record = staticmethod(writer.user_event)
    call_records = staticmethod(writer.make_invented_call_events)
    renumber_from = staticmethod(writer.renumber_from)
    update_derived = staticmethod(writer.update_derived)

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return writer.user_event(raw, text, f"note:{text}")

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """Return a record after the events that say that the calls of the message started, in the same step."""
        ends = _ENDS_OF_STARTS.setdefault(columns, {})
        at = after
        while (end := ends.get(at)) is None:
            if at + 1 == len(columns) or columns.roles[at + 1] != Role.LINK or reader.boundary_of(columns, at + 1):
                end = at
                break
            at += 1
        # The calls of a message share these events, which are looked at once.
        ends.update(dict.fromkeys(range(after, at + 1), end))
        return end

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        if header_of(columns, raw):
            return [raw(record)]  # writing the log puts the header into a frame of its own
        if (misplaced := next(reader.later_headers(columns), None)) is not None:
            return [raw(misplaced), raw(record)]
        return [writer.make_missing_header(raw(record), session_id), raw(record)]

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        """Return the name of the log in its folder, compressed if the other logs of the store are."""
        store = self.store_folder(log)
        is_compressed = store_is_compressed(store.parent) if store is not None else None
        if is_compressed is None:
            is_compressed = bool(log.source.compressed_path)
        return os.path.join(session_folder_name(session_id), f"session.jsonl{ZSTD_SUFFIX if is_compressed else ''}")

    def store_folder(self, log: Log) -> Path | None:
        """Return the folder of the project: that of the log, or else the one for the folder in the header."""
        above = Path(os.path.abspath(log.source.path)).parents
        if len(above) > 2 and above[2].name == _STORE_FOLDER:
            return above[1]
        folder = text_at(header_of(log.columns, log.raw), "/cwd")
        home = self.stores[0].folder_on(host_environment())
        return Path(home, _STORE_FOLDER, project_folder_name(folder)) if folder else None

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        """Return the record with the new id if it is the header, which alone carries the id."""
        is_header = is_valid_json(raw) and text_at(parse_json(raw), "/type") == reader.HEADER_TYPE
        return json_edits.set_member(raw, "", "id", dump_json(new)) if is_header else raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        command = shell_command("dsh", "--profile", "tui", "--resume", session_id)
        steps = resume_steps_for(AGENT_LABEL, command, path, new)
        return replace(steps, steps=(*steps.steps, _WITHOUT_TERMINAL_APP))


def _is_event(line: dict[str, Any]) -> bool:
    kind = line.get("type")
    is_numbered = {"seq", "time"} <= line.keys() or {"seq0", "time0"} <= line.keys()
    return isinstance(kind, str) and is_numbered and isinstance(line.get("data"), dict)


def _id_in_path(path: str) -> str:
    """Return the name of the folder of a session."""
    location = Path(os.path.abspath(path))
    return location.parent.name if LOG_NAME.fullmatch(location.name) else location.name.partition(".")[0]


def _title(event: Any) -> str:
    is_typed = reader.is_typed_by_user(event)
    return title_line(message_text(list_at(event, "/data/content"))) if is_typed else ""
