"""Sessions of GitHub Copilot CLI: `${COPILOT_HOME:-~/.copilot}/session-state/<session id>/events.jsonl`.

Facts: @github/copilot 1.0.102, run against a provider on the loopback address with more than a hundred changed logs,
and 1.0.48, 1.0.57 and 1.0.80 with some of them. A log is a list of events; those that are messages are the history. All
calls of an answer are in its event, and each result is an event of its own. VS Code writes logs of the same shape for
hooks (`transcripts/<session id>.jsonl`, with `vscodeVersion`), which no program loads (microsoft/vscode-copilot-chat,
sessionTranscriptService.ts @31acd00).
"""

import os
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import InvalidCharacters, NextSteps, RequestBuilder, resume_steps_for
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.format import LinkKeys
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResultSource
from inspector.core.formats.base.session_stores import UUID
from inspector.core.formats.base.stores import (
    SessionMetadata,
    StorePattern,
    first_user_text,
    host_environment,
    title_line,
)
from inspector.core.formats.base.writer import BlockEdits
from inspector.core.formats.copilot_cli import lost_results, reader, request, writer
from inspector.core.formats.copilot_cli.loader import active_thread, header_of, subagent_threads
from inspector.core.formats.copilot_cli.request import AGENT_LABEL
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_misfits import Misfit
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, is_valid_json, object_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_LOG_NAME, _STORE_FOLDER = "events.jsonl", "session-state"
_TITLE_SEARCH_RECORDS = 50
_OF_VS_CODE = tr("a transcript that VS Code writes for hooks and that no program loads")
_NOT_LOADED = tr(
    "VS Code writes this transcript for hooks, and no program loads it, so it is not repaired in "
    "place. Save a copy instead."
)


class CopilotCli(JsonLines, RequestBuilder, CallEvidenceSource, LostResultSource):
    """Sessions of GitHub Copilot CLI."""

    name = "copilot-cli"
    label = "Copilot CLI session"
    keys = "parentId data"
    detection = tr(
        "a session.start event, followed by events with data, id, parentId and a type made up of dot-separated words"
    )
    read = tr("the messages from the newest compaction onward, subagents, and the user's own shell commands")
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "session.start comes first, results come before the next resume or abort, and every event has the "
        "fields that Copilot requires"
    )
    unsupported = tr(
        "the user's failed shell commands, invalid events that are not messages, event ids that are not UUIDs, "
        "attachments, and files next to the log"
    )
    lost_result_places = lost_results.PLACES
    source = "@github/copilot 1.0.102; 1.0.48, 1.0.57, 1.0.80"
    profile = "openai-chat"
    block_schema = reader.EVENT_BLOCK_SCHEMA
    message_schema = reader.EVENT_SCHEMA
    stores = (StorePattern("~/.copilot", f"{_STORE_FOLDER}/*/{_LOG_NAME}", "COPILOT_HOME"),)
    session_store = "inspector.core.formats.copilot_cli.session_store:CopilotStore"
    supported_profiles = ("openai-chat", "openai-responses", "anthropic")
    link_keys = LinkKeys("id", "parentId")
    keeps_answers_separate = True
    results_share_record = False
    results_are_records = True
    can_invent_calls = True
    can_start_new_session = True
    session_has_folder = True

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        events = [line for line in head.lines if _is_event(line)]
        if head.lines and head.lines[0].get("type") == reader.HEADER_TYPE and events and events[0] is head.lines[0]:
            return 0.95
        known = sum(str(line["type"]) in reader.MESSAGE_TYPES for line in events)
        return 0.8 if known and len(events) > len(head.lines) / 2 else 0.0

    # reading

    index_valid_record = staticmethod(reader.add_record)
    pointer = staticmethod(reader.block_pointer)
    view = staticmethod(reader.record_view)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        thread = active_thread(columns, raw)
        folder = _id_in_path(log.source.path)
        session_id = folder if UUID.fullmatch(folder) else text_at(header_of(columns, raw), "/sessionId") or folder
        threads = [thread, *subagent_threads(columns)]
        session = Session(0, session_id, range(len(columns)), threads, self.profile, provider_assumed=True)
        session.duplicate_records = RecordTree(columns).duplicate_ids
        return [session]

    def describe(self, log: Log, session: Session) -> None:
        header = header_of(log.columns, log.raw)
        session.version = text_at(header, "/copilotVersion")
        session.agent = f"{AGENT_LABEL} {session.version}".strip()
        if text_at(header, "/vscodeVersion"):
            session.agent, session.state = "VS Code", _OF_VS_CODE
        path = session.main_thread.path[:_TITLE_SEARCH_RECORDS]
        session.title = first_user_text(log, path, lambda raw: _title(parse_json(raw)))

    def metadata(self, head: Head) -> SessionMetadata:
        titles = (_title(line) for line in head.lines if line.get("type") == reader.USER_TYPE)
        folders = (text_at(line, "/data/context/cwd") for line in head.lines)
        return SessionMetadata(next(filter(None, folders), ""), next(filter(None, titles), ""))

    def error_text(self, raw: bytes) -> str:
        return text_at(parse_json(raw), "/data/message")

    def system_prompt(self, log: Log, session: Session) -> str:
        """Return the newest system message. Copilot records it, and sends another one on resume."""
        for record in reversed(session.main_thread.path):
            if log.columns.roles[record] == Role.LINK and b'"system.message"' in (raw := log.raw(record)):
                return text_at(parse_json(raw), "/data/content")
        return ""

    def misfits(self, message: Any) -> list[Misfit]:
        has_other_value = value_at(message, "/ephemeral") not in (None, True)
        return [*super().misfits(message), *([reader.NOT_EPHEMERAL] if has_other_value else ())]

    # what the log shows of calls

    evidence_in = staticmethod(reader.evidence_in_event)
    lost_results_beside = staticmethod(lost_results.lost_results_of_subagents)

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        folder = text_at(header_of(columns, raw), "/context/cwd")
        return dict.fromkeys(records, folder) if folder else {}

    # what the agent does

    passes_inputs_on = True
    handles_invalid_characters = {"F5": InvalidCharacters.SKIPPED, "F7": InvalidCharacters.REPLACED}
    build_request = staticmethod(request.build_request)
    resume_behavior = staticmethod(request.resume_behavior)

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return request.sent_result_text(kind, block)

    # writing

    def save_refusal(self, log: Log, mode: str) -> str:
        is_transcript = mode != "copy" and text_at(header_of(log.columns, log.raw), "/vscodeVersion")
        return _NOT_LOADED if is_transcript else ""

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        if columns.roles[record] == Role.TOOL:
            return writer.rewrite_result(raw, edits)
        return writer.rewrite_message(columns, record, raw, edits)

    result_block = staticmethod(writer.result_event)
    result_record = staticmethod(writer.result_with_event_id)
    user_record = staticmethod(writer.user_event)
    call_records = staticmethod(writer.make_invented_call_events)

    def result_position(self, columns: Columns, call: int, after: int) -> int:
        """Return a record before the next event that closes the call, and after those that say that calls started."""
        marks = columns.marks
        if columns.has_mark(RecordMark.TURN_EVENT):
            after = next((at - 1 for at in range(call + 1, after + 1) if marks[at] & RecordMark.TURN_EVENT), after)
        while after + 1 < len(columns) and marks[after + 1] & RecordMark.TRANSIENT:
            after += 1
        return after

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        return [writer.make_missing_header(raw(record), session_id), raw(record)]

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        return os.path.join(session_id, _LOG_NAME)

    def store_folder(self, log: Log) -> Path:
        """Return the folder with a folder for each session: that of the log, or else the default one."""
        above = Path(os.path.abspath(log.source.path)).parents
        if len(above) > 1 and above[1].name == _STORE_FOLDER:
            return above[1]
        return Path(self.stores[0].folder_on(host_environment()), _STORE_FOLDER)

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        """Return the event with the new id if it is the header, which alone says which session the log is."""
        if not is_valid_json(raw) or text_at(event := parse_json(raw), "/type") != reader.HEADER_TYPE:
            return raw
        return json_edits.set_member(raw, "/data", "sessionId", dump_json(new)) if object_at(event, "/data") else raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for(AGENT_LABEL, shell_command("copilot", f"--resume={session_id}"), path, new)


def _is_event(line: dict[str, Any]) -> bool:
    kind = line.get("type")
    return isinstance(kind, str) and "." in kind and isinstance(line.get("data"), dict) and "id" in line


def _id_in_path(path: str) -> str:
    """Return the name of the folder of a session, or that of the file if it is not the usual one."""
    location = Path(os.path.abspath(path))
    return location.parent.name if location.name.startswith(_LOG_NAME) and location.parent.name else file_stem(path)


def _title(event: Any) -> str:
    return title_line(text_at(event, "/data/content")) if text_at(event, "/type") == reader.USER_TYPE else ""
