"""Codex rollouts: `${CODEX_HOME:-~/.codex}/sessions/YYYY/MM/DD/rollout-<time>-<thread id>.jsonl`, `archived_sessions`.

Facts: openai/codex, codex-rs, each at the commit named in the module that uses it: `loader` (what is rebuilt on
resume), `request` (what is repaired in memory), `reader` (ordinals), `writer` (counts, forks). Line shapes:
history/src/lib.rs, protocol/src/models.rs @001cb8e, rollout/src/policy.rs @0136a73; the first `session_meta` counts,
forks hold a second one (recorder.rs @b505ee8). Until September 2025 lines had no envelope: the first one has `id` and
`instructions`, the others are items, and `{"record_type":"state"}` between them. `event_msg` repeats the conversation
for the screen.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    UNREADABLE_LINE_LOSSES,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
    losses_of_rules,
    resume_steps_for,
)
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.json_lines import IndexedLines, JsonLines
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResult, LostResultSource
from inspector.core.formats.base.openai_messages import ResponseItems
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, first_user_text, host_environment
from inspector.core.formats.base.writer import CallContext
from inspector.core.formats.codex import call_evidence, lost_results, request, writer
from inspector.core.formats.codex.history_base import BaseRollout, HistoryBaseError, history_base_in, open_bases
from inspector.core.formats.codex.item_schemas import LINE_SCHEMA, item_as_sent, misfits_of
from inspector.core.formats.codex.loader import (
    CONTEXT_PATTERNS,
    active_path,
    item_of,
    item_pointer,
    newest_session_meta,
    starts_from_own_compaction,
)
from inspector.core.formats.codex.reader import (
    COMPACTION_SUMMARY_POINTER,
    LINE_TYPES,
    add_line_text,
    add_lines,
    decode_lines,
    ordinal_breaks,
)
from inspector.core.formats.codex.record_views import error_name, error_text, record_view
from inspector.core.formats.codex.request import LINES_WITHOUT_ENVELOPE_REASON, rows_handled_in_base
from inspector.core.formats.codex.rollout_metadata import (
    is_first_line_without_envelope,
    is_line_without_envelope,
    metadata_line_for,
    metadata_of,
    missing_metadata,
    provider_and_model,
    start_time,
    thread_id_in_name,
    title_from_item,
)
from inspector.core.formats.codex.writer import dependent_rollout
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import DamagedLink, LinkDamage, Log, Session, Thread
from inspector.core.providers.openai_responses import schema
from inspector.core.providers.registry import is_of_openai, responses_profile_name
from inspector.core.storage import json_edits
from inspector.core.storage.json_lines import decode_chunk, nonblank_lines
from inspector.core.storage.json_spans import pointer_span, raw_json_at
from inspector.core.storage.json_text import dump_json, object_at, parse_json, text_at, value_at
from inspector.core.storage.source import Source
from inspector.core.text import version_numbers
from inspector.core.translation import tr

_TITLE_SEARCH_RECORDS = 60
_PAGINATED = "paginated"
_ITEM_IDS_SINCE = (0, 169)  # the oldest version that was run
_EARLIEST_FILE_TIME = "1970-01-01T00-00-00"
_LOSSES = UNREADABLE_LINE_LOSSES | {"F7": tr("the line with half of a surrogate pair")}
_BARE_STATE = tr("written without envelopes (the format that Codex used until September 2025)")


class Codex(ResponseItems, JsonLines, RequestBuilder, CallEvidenceSource, LostResultSource):
    """Sessions of OpenAI's Codex CLI."""

    name = "codex"
    label = "Codex rollout"
    keys = "payload record_type instructions"
    marker_patterns = CONTEXT_PATTERNS
    container = tr("JSON Lines, optionally compressed with zstd")
    steps_are_independent = True
    detection = tr(
        "lines with timestamp, type and payload, or a first line with id and instructions, followed by bare items"
    )
    read = tr(
        "the list of items, rebuilt from the newest compaction and the rollbacks, with calls and outputs matched "
        "by type"
    )
    write_back = tr(
        "yes, as a copy, in place or as a new session. Paginated threads and rollouts that a fork "
        "continues cannot be repaired in place"
    )
    resume = tr(
        "the type of each output matches its call, ordinals are consecutive, and the metadata has as many "
        "entries as the replacement history"
    )
    unsupported = tr("editing a rollout that a fork continues, and the derived SQLite index")
    source = "openai/codex codex-rs (rollout_reconstruction.rs, normalize.rs, ordinal.rs)"
    profile = "openai-responses"
    stores = tuple(
        StorePattern("~/.codex", f"{folder}/rollout-*.jsonl{ending}", "CODEX_HOME")
        for folder in ("sessions/*/*/*", "archived_sessions")
        for ending in ("", ".zst")
    )
    session_store = "inspector.core.formats.codex.session_store:CodexStore"
    message_schema = LINE_SCHEMA
    stop_reason_pointers = ("/payload/status", "/status")
    session_pointer = "/payload/id"
    can_start_new_session = True
    sends_reasoning_ids = True
    accepts_bom = False

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        rows = head.lines
        wrapped = [row for row in rows if str(row.get("type")) in LINE_TYPES and isinstance(row.get("payload"), dict)]
        if any("timestamp" in row for row in wrapped[:2]):
            if rows[0] is wrapped[0] and rows[0]["type"] == "session_meta":
                return 0.95
            return 0.8 if 2 * len(wrapped) > len(rows) else 0.0
        return 0.9 if is_first_line_without_envelope(rows[0]) and all(map(is_line_without_envelope, rows[1:])) else 0.0

    # reading

    misfits = staticmethod(misfits_of)

    def add_chunk(self, found: IndexedLines, chunk: memoryview, offset: int, reading: ReadOptions) -> None:
        rows = decode_chunk(chunk, decode_lines, reading.checked_from(offset))
        if rows is not None:
            add_lines(found.columns, *rows, offset, chunk, found.sequences)
        else:
            for start, end, line in nonblank_lines(offset, bytes(chunk)):
                add_line_text(found.columns, line, start, end, found.sequences, reading.deep)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        add_line_text(columns, raw, start, end, None, False)

    def index(self, source: Source, reading: ReadOptions) -> Log:
        log = super().index(source, reading)
        base = history_base_in(metadata_of(log.columns, log.raw).fields) if reading.limit is None else None
        if base is not None:
            try:
                place = "" if source.archive or not source.bytes_path else source.path
                bases = open_bases(place, log.sessions[0].id, base, reading.cancelled)
            except HistoryBaseError as error:
                log.unread_base = error.reason
            else:
                self._add_bases(log, bases, reading)
            log.sessions = self.sessions(log, log.columns, log.raw)
        return log

    def _add_bases(self, log: Log, bases: list[BaseRollout], reading: ReadOptions) -> None:
        """Add the records of what a fork continues after its own, unless the fork has been compacted since."""
        offsets = []
        for base in bases:  # the log closes what is attached to it, also when a base cannot be read to its end
            offsets.append(log.source.end_of_attached)
            log.source.attach(base.source, base.end)
        if starts_from_own_compaction(log.columns, log.raw):
            return
        for base, offset in zip(bases, offsets, strict=True):
            limited = ReadOptions(reading.deep, base.end, cancelled=reading.cancelled)
            found = self.read_lines(base.source, limited).columns
            loaded = found.selection([(newest_session_meta(found, len(found)), len(found))])
            for record in range(len(loaded)):
                loaded.add_marks(record, RecordMark.INHERITED)
                loaded.starts[record] += offset
                loaded.ends[record] += offset
            log.columns.append(loaded)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        meta = metadata_of(columns, raw)
        session_id = meta.text("id") or thread_id_in_name(log.source.path)
        provider, model = provider_and_model(columns, raw)
        profile = responses_profile_name(provider, model)
        links = [] if meta.is_bare else missing_metadata(columns, raw)
        is_paginated = meta.text("history_mode") == _PAGINATED
        path = active_path(columns, raw, is_paginated)
        thread = Thread(path, damaged_links=links)
        if "alpha" not in meta.text("cli_version"):  # alpha builds stop at what the others correct
            thread.agent_handled_rows = rows_handled_in_base(columns, path)
        session = Session(0, session_id, range(len(columns)), [thread], profile)
        session.sends_item_ids = version_numbers(meta.text("cli_version")) >= _ITEM_IDS_SINCE
        session.is_sent_elsewhere = not is_of_openai(provider, model)
        if is_paginated:
            session.ordinal_breaks = ordinal_breaks(log, columns, raw)
        if log.unread_base is not None:
            session.unread_base = log.unread_base
            session.missing_part_reason = tr("the missing part may be in the earlier rollout that this one continues")
            links.append(
                DamagedLink(
                    0,
                    LinkDamage.MISSING_PARENT,
                    first=not log.unread_base.agent_error,
                    text=log.unread_base.text,
                    is_repairable=False,
                )
            )
        return [session]

    error_text = staticmethod(error_text)
    error_name = staticmethod(error_name)

    def describe(self, log: Log, session: Session) -> None:
        meta = metadata_of(log.columns, log.raw)
        session.version = meta.text("cli_version")
        session.state = _BARE_STATE if meta.is_bare else ""
        session.agent = f"Codex {session.version}".strip()
        session.title = first_user_text(
            log, session.main_thread.path[:_TITLE_SEARCH_RECORDS], lambda raw: title_from_item(item_of(raw))
        )

    def metadata(self, head: Head) -> SessionMetadata:
        project, title = "", ""
        for row in head.lines:
            payload = row.get("payload")
            item = payload if isinstance(payload, dict) else row
            project = project or (str(item.get("cwd") or "") if row.get("type") == "session_meta" else "")
            if not title and row.get("type") in ("response_item", "message") and item.get("role") == "user":
                title = title_from_item(item)
        return SessionMetadata(project, title)

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        mark = columns.marks[record]
        if mark & RecordMark.COMPACTION:
            return COMPACTION_SUMMARY_POINTER
        inner = schema.block_pointer(columns, record, ordinal)
        return inner if mark & RecordMark.NO_ENVELOPE else f"/payload{inner}"

    item_pointer = staticmethod(item_pointer)
    view = staticmethod(record_view)

    # what the log shows of calls

    evidence_in = staticmethod(call_evidence.evidence_in_event)
    folders_at = staticmethod(call_evidence.working_folder_by_record)
    lost_result_places = lost_results.PLACES
    lost_results_in = staticmethod(lost_results.lost_results_in_event)

    def recovered_block(self, call: CallContext, result: LostResult) -> bytes | None:
        """Return an output of several parts, as Codex writes the answer of an MCP server."""
        if result.content is None:
            return None
        return json_edits.set_member(self.result_block(call, ""), "", "output", dump_json(result.content))

    # what the agent does

    def sends_reasoning_part(self, part: Any) -> bool:
        """Return whether a part of the `content` of a reasoning item is sent: text of the model, and no other."""
        return text_at(part, "/type") == "reasoning_text"

    build_request = staticmethod(request.build_request)

    def sent_item(self, item: bytes) -> bytes:
        return item_as_sent(item)

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Report what Codex does with damaged lines.

        A line that does not parse is skipped and counted (codex-rs/rollout/src/recorder.rs @b505ee8).
        """
        agent, label = f"{self.name} {session.version}".strip(), session.agent or "Codex"
        if session.state == _BARE_STATE:
            return ResumeBehavior(
                agent, "refuses", (tr("the whole session"),), label, error=LINES_WITHOUT_ENVELOPE_REASON
            )
        base = session.unread_base
        is_known = base is None or bool(base.agent_error)
        error = "" if is_known else tr("the earlier rollout that this one continues could not be read")
        return ResumeBehavior(
            agent, "as-is" if is_known else "unknown", losses_of_rules(_LOSSES, rules), label, error=error
        )

    # writing

    def save_refusal(self, log: Log, mode: str) -> str:
        if mode != "in-place":
            return ""
        instead = tr("Save a copy, or save the rollout as a new session.")
        if metadata_of(log.columns, log.raw).text("history_mode") == _PAGINATED:
            return tr(
                "Codex keeps an index of the line numbers in this paginated thread, so the rollout cannot be "
                "changed in place. {instead}",
                instead=instead,
            )
        for identity in dict.fromkeys((log.sessions[0].id, thread_id_in_name(log.source.path))):
            fork = dependent_rollout(log.source.path, identity)
            if fork:
                return tr(
                    "{fork} is a fork of this rollout, so this rollout cannot be changed in place. {instead}",
                    fork=fork,
                    instead=instead,
                )
        return ""

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        return [metadata_line_for(columns, record, raw), raw(record)]

    update_derived = staticmethod(writer.update_derived)
    renumber_from = staticmethod(writer.renumber_from)

    def standalone_lines(self, log: Log) -> list[tuple[int, bytes]]:
        return writer.self_contained_lines(log.columns, log.raw)

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return raw_json_at(raw, item_pointer(raw))

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        """Return an output of the call's kind. Codex answers a local shell's call, too, by a function's output."""
        item = {**item_of(call.raw), "call_id": call.id}
        if item.get("type") == "local_shell_call":
            item["type"] = "function_call"
        return dump_json(schema.make_placeholder_output(item, text))

    def text_is_enough(self, call: CallContext, text: str) -> bool:
        return item_of(call.raw).get("type") in schema.TEXT_OUTPUT_CALL_TYPES

    def match_form(self, raw: bytes, beside: bytes) -> bytes:
        """Add or remove the envelope: lines have one, bare items and items of a replacement history have none."""
        at, wanted = item_pointer(raw), item_pointer(beside)
        if at == wanted:
            return raw
        start, end = pointer_span(raw, at)
        return raw[start:end] if at else _enclosed(beside, raw[start:end])

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        start = start_time(log.source.path, metadata_of(log.columns, log.raw)) or _EARLIEST_FILE_TIME
        return f"rollout-{start}-{session_id}.jsonl"

    def store_folder(self, log: Log) -> Path | None:
        when = start_time(log.source.path, metadata_of(log.columns, log.raw))
        if not when:
            return None
        year, month, day = when[:10].split("-")
        return Path(self.stores[0].folder_on(host_environment()), "sessions", year, month, day)

    def is_in_store(self, log: Log) -> bool:
        """Return whether the rollout lies below `sessions`: Codex looks for the id in all of its folders."""
        sessions = Path(self.stores[0].folder_on(host_environment()), "sessions").resolve()
        return sessions in Path(log.source.path).resolve().parents

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        with suppress(KeyError, ValueError):  # a damaged line stays as it is
            line = object_at(parse_json(raw), "") if dump_json(old) in raw else {}
            at = "/payload" if isinstance(line.get("payload"), dict) else ""
            keys = ("id", "session_id") if line.get("type") == "session_meta" or not at else ("thread_id",)
            for key in keys:
                if value_at(line, f"{at}/{key}") == old:
                    raw = json_edits.set_member(raw, at, key, dump_json(new))
        return raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for("Codex", f"codex resume {session_id}", path, new)


def _enclosed(beside: bytes, item: bytes) -> bytes:
    """Wrap an item in the envelope of a line, with time and ordinal of the line `beside`.

    Ordinals are updated later.
    """
    line = parse_json(beside)
    copied = {key: line[key] for key in ("timestamp", "ordinal") if key in line}
    return dump_json({**copied, "type": "response_item"})[:-1] + b',"payload":' + item + b"}"
