"""Qwen Code chats: `~/.qwen/projects/<folder>/chats/<session id>.jsonl`.

Facts: @qwen-code/qwen-code 0.24.4 (`services/chatRecordingService.ts`, `sessionService.ts`, `session-api-history.ts`,
`utils/transcript-records.ts`, `config/storage.ts`), run against a provider on the loopback address. The envelope is
Claude Code's, the messages are Gemini's: all calls of a turn in one record, each result a record of its own after it,
with telemetry between them in the chain. Archived chats lie in `chats/archive`. A chat whose records carry several
session ids, or whose first one is not of the project's folder, is not loaded.
"""

import re
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    SENDS_HALF_PAIRS,
    NextSteps,
    RequestBuilder,
    resume_steps_for,
)
from inspector.core.formats.base.block_list_formats import GeminiPartsFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.format import LinkKeys
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResultSource
from inspector.core.formats.base.stores import (
    SessionMetadata,
    StorePattern,
    first_user_text,
    host_environment,
    title_line,
)
from inspector.core.formats.base.writer import BlockEdits
from inspector.core.formats.qwen_code import reader, request, writer
from inspector.core.formats.qwen_code.reader import active_thread
from inspector.core.formats.qwen_code.request import AGENT_LABEL, LOSSY_RULES
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Log, Session
from inspector.core.model.views import RecordView
from inspector.core.providers.block_views import block_views
from inspector.core.storage.json_text import integers_at, list_at, object_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_OWN_MEMBERS = ("provenance", "toolCallResult", "systemPayload")
_SESSION_NAME = "????????-????-????-????-????????????.jsonl"  # beside `<id>.ledger.jsonl` and other side files
_TITLE_SEARCH_RECORDS = 50


class QwenCode(GeminiPartsFormat, JsonLines, RequestBuilder, CallEvidenceSource, LostResultSource):
    """Chats of Alibaba's Qwen Code."""

    name = "qwen-code"
    label = "Qwen Code chat"
    keys = "provenance systemPayload toolCallResult"
    detection = tr("lines with type, uuid, parentUuid, sessionId and a message that contains parts")
    read = tr(
        "the active path, records that are split into fragments, and the history stored in a chat compression record"
    )
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "parent links are repaired, the last message stays at the end, and each result is a separate record "
        "right after its call"
    )
    unsupported = tr("files under tool-results, subagents, and commands that Qwen Code handles without the model")
    source = "@qwen-code/qwen-code 0.24.4, services/sessionService.ts, utils/transcript-records.ts"
    profile = "openai-chat"
    stores = (
        StorePattern("$QWEN_HOME|~/.qwen", f"projects/*/chats/{_SESSION_NAME}", "QWEN_RUNTIME_DIR"),
        StorePattern("$QWEN_HOME|~/.qwen", f"projects/*/chats/archive/{_SESSION_NAME}", "QWEN_RUNTIME_DIR"),
    )
    session_store = "inspector.core.formats.qwen_code.session_store:QwenCodeStore"
    content_pointer = "/message/parts"
    merges_fragments = True
    keeps_answers_separate = True
    results_share_record = False
    link_keys = LinkKeys(parent="parentUuid")
    message_schema = reader.LINE_SCHEMA
    lossy_rules = LOSSY_RULES
    can_invent_calls = True
    can_start_new_session = True

    def score(self, head: Head) -> float:
        records = [line for line in head.lines if _is_record(line)] if head.is_lines else []
        has_own_members = any(member in record for record in records for member in _OWN_MEMBERS)
        messages = [record["message"] for record in records if isinstance(record.get("message"), dict)]
        own = sum(isinstance(message.get("parts"), list) for message in messages)
        if not own and not (has_own_members and not messages):
            return 0.0
        return 0.95 if len(records) > len(head.lines) / 2 and own >= len(messages) / 2 else 0.6

    # reading

    index_valid_record = staticmethod(reader.add_record)
    nested = staticmethod(reader.nested_contents)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        tree = RecordTree(columns, first_wins=True)
        thread = active_thread(columns, tree)
        # The file has the same name, unless it is a copy.
        told = value_at(_first_record(columns, raw), "/sessionId")
        session_id = told if isinstance(told, str) else file_stem(log.source.path)
        session = Session(0, session_id, range(len(columns)), [thread], self.profile)
        # Of one role they are fragments of one message; of another, what a record says goes out as the first one's.
        session.duplicate_records = [
            pair for pair in tree.duplicate_ids if len({columns.roles[record] for record in pair}) > 1
        ]
        return [session]

    def error_text(self, raw: bytes) -> str:
        event = object_at(parse_json(raw), "/systemPayload/uiEvent")
        return str(event.get("error_message") or event.get("error") or "")

    def describe(self, log: Log, session: Session) -> None:
        path, columns = session.main_thread.path, log.columns
        linked = (parse_json(log.raw(record)) for record in reversed(path) if columns.uuids[record] is not None)
        session.version = next((str(row["version"]) for row in linked if isinstance(row.get("version"), str)), "")
        session.agent = f"{AGENT_LABEL} {session.version}".strip()
        session.title = first_user_text(log, path[:_TITLE_SEARCH_RECORDS], lambda raw: _title(parse_json(raw)))

    def metadata(self, head: Head) -> SessionMetadata:
        records = [line for line in head.lines if _is_record(line)]
        folders = (str(record["cwd"]) for record in records if isinstance(record.get("cwd"), str))
        said = (title for record in records if record["type"] == "user" and (title := _title(record)))
        return SessionMetadata(next(folders, ""), next(said, ""))

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        return "/parts" if columns.marks[record] & RecordMark.NO_ENVELOPE else self.content_pointer

    def view(self, raw: bytes) -> RecordView:
        row = parse_json(raw)
        if not isinstance(row, dict):
            return RecordView("", tr("no record"))
        if "type" not in row and isinstance(row.get("parts"), list):
            return RecordView(str(row.get("role") or ""), "", block_views(self.block_schema, row["parts"], "/parts"))
        kind, when, message = str(row.get("type") or "record"), str(row.get("timestamp") or ""), row.get("message")
        if not isinstance(message, dict) or kind not in reader.MESSAGE_TYPES:
            subtype = str(row.get("subtype") or "")
            return RecordView(kind, f"{kind}: {subtype}" if subtype else kind, (), when)
        counts = integers_at(row, "/usageMetadata/promptTokenCount", "/usageMetadata/candidatesTokenCount")
        return RecordView(kind, "", self.block_views(row), when, str(row.get("model") or ""), *counts)

    # what the log shows of calls

    evidence_in = staticmethod(reader.evidence_in_record)
    folder_pointer = "/cwd"
    lost_result_places = reader.LOST_RESULT_PLACES
    lost_results_in = staticmethod(reader.lost_results_in_record)

    # what the agent does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = SENDS_HALF_PAIRS

    resume_behavior = staticmethod(request.resume_behavior)

    # writing

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        new = super().rewrite(columns, record, raw, edits)
        return new if new is None or not edits.rename else writer.update_call_id_in_result_copy(new)

    new_record = staticmethod(writer.new_record)
    match_form = staticmethod(writer.convert_to_form_of)
    without_result_data = staticmethod(writer.retype_quoted_result_as_user)

    # saving as a new session

    def store_folder(self, log: Log) -> Path | None:
        """Return `projects/<folder>/chats`. The name is the project's path with dashes for signs (`sanitizeCwd`)."""
        folder = text_at(_first_record(log.columns, log.raw), "/cwd")
        if not folder:
            return None
        home = self.stores[0].folder_on(host_environment())
        return Path(home, "projects", re.sub(r"[^a-zA-Z0-9]", "-", folder), "chats")

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for(AGENT_LABEL, f"qwen --resume {session_id}", path, new, "chat")


def _is_record(line: dict[str, Any]) -> bool:
    named = all(isinstance(line.get(key), str) for key in ("uuid", "sessionId", "type"))
    return named and "parentUuid" in line and line["type"] in reader.RECORD_TYPES


def _first_record(columns: Columns, raw: ReadRecord) -> Any:
    """Return the first line that is a record of the conversation, None where there is none."""
    first = next((record for record, uuid in enumerate(columns.uuids) if uuid is not None), -1)
    return parse_json(raw(first)) if first >= 0 else None


def _title(row: dict[str, Any]) -> str:
    """Return what the person typed. A prompt that a hook extended keeps that text separately."""
    if row.get("subtype") is not None:
        return ""
    if isinstance(shown := value_at(row, "/systemPayload/displayText"), str):
        return title_line(shown)
    holder = "/message" if isinstance(row.get("message"), dict) else ""
    texts = (text_at(part, "/text") for part in list_at(row, f"{holder}/parts"))
    return next((title_line(text) for text in texts if text.strip()), "")
