"""Sessions of pi and OpenClaw: `~/.pi/agent/sessions/--<folder>--/<time>_<session id>.jsonl`.

Facts: @mariozechner/pi-coding-agent 0.73.1 and @earendil-works/pi-coding-agent 0.87.1 and 1.5.2 (its name since 0.74),
run against a provider on the loopback address: `core/session-manager.ts`, `core/messages.ts`, `docs/session-format.md`.
A session is a header, then entries that name their parents. One entry holds all calls of an answer, and each result has
an entry of its own. OpenClaw used this format until it moved its sessions into a database.
"""

import os
import re
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    RUN_STEP,
    SENDS_HALF_PAIRS,
    NextSteps,
    RequestBuilder,
    resume_steps_for,
)
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.format import LinkKeys
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, host_environment
from inspector.core.formats.base.writer import BlockEdits
from inspector.core.formats.pi import reader, request, writer
from inspector.core.formats.pi.loader import active_thread, header_of
from inspector.core.formats.pi.record_views import record_view, session_title, texts_of_unsent_message
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, object_at, parse_json, text_at
from inspector.core.translation import tr, tr_plural

_ENTRY_TYPES = frozenset(
    "message model_change thinking_level_change compaction branch_summary custom custom_message label session_info "
    "context_edit reset".split()
)
_OPENCLAW = ".openclaw"
# The characters that are dashes in the name of a session folder; a leading separator is left out.
_LEADING_SEPARATOR, _PATH_SEPARATORS = re.compile(r"^[/\\]"), re.compile(r"[/\\:]")
_TEXT_FORMS = frozenset({reader.SUMMARY_FORM, reader.MESSAGE_FORM})


class Pi(BlockListFormat, JsonLines, RequestBuilder, CallEvidenceSource):
    """Sessions of the pi coding agent and of programs built on it."""

    name = "pi"
    label = "pi session"
    keys = "parentId parentSession"
    detection = tr(
        "a header of type session with an id, followed by entries with an id, a parentId and one of pi's types"
    )
    read = tr(
        "the path that ends with the last entry, compactions, abandoned branches, the user's commands, and version "
        "1 files"
    )
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "the header comes first, parent links are repaired, the last entry stays at the end, and references in "
        "compactions and in fromId are updated"
    )
    unsupported = tr("content that was replaced by context_edit entries, and OpenClaw's database")
    lost_result_places = tr(
        "nowhere that can be found by the id of the call. Large outputs are written to a temporary file, but "
        "only the lost result contained its name"
    )
    source = (
        "@mariozechner/pi-coding-agent 0.73.1, @earendil-works/pi-coding-agent 0.87.1, 1.5.2, core/session-manager.ts"
    )
    profile = "openai-chat"
    block_schema = reader.ENTRY_BLOCK_SCHEMA
    resumes_by_path = True
    stores = (
        StorePattern("~/.pi/agent", "sessions/*/*.jsonl", "PI_CODING_AGENT_DIR"),
        StorePattern("~/.openclaw", "agents/*/sessions/*.jsonl", "OPENCLAW_STATE_DIR", "openclaw"),
    )
    session_store = "inspector.core.formats.pi.session_store:PiStore"
    content_pointer = "/message/content"
    merges_fragments = True
    keeps_answers_separate = True
    results_share_record = False
    results_are_records = True
    pairs_server_tools = False
    link_keys = LinkKeys("id", "parentId")
    message_schema = reader.ENTRY_SCHEMA
    stop_reason_pointers = ("/message/stopReason",)
    session_pointer = "/id"
    profiles_with_new_ids = frozenset({"openai-responses"})
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral")
    can_invent_calls = True
    can_start_new_session = True
    accepts_bom = False

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        first, *rest = head.lines
        entries = [line for line in rest if str(line.get("type")) in _ENTRY_TYPES]
        if first.get("type") == reader.HEADER_TYPE and isinstance(first.get("id"), str) and "message" not in first:
            known = "cwd" in first and "timestamp" in first
            return 0.95 if known and len(entries) >= len(rest) / 2 else 0.6
        own = [
            line for line in head.lines if str(line.get("type")) in _ENTRY_TYPES and {"id", "parentId"} <= line.keys()
        ]
        is_distinctive = any(_is_distinctive(line.get("message")) for line in own)
        return 0.7 if is_distinctive and len(own) > len(head.lines) / 2 else 0.0

    # reading

    index_valid_record = staticmethod(reader.add_record)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        header = header_of(columns, raw)
        tree = RecordTree(columns)
        thread = active_thread(columns, tree, log.columns, header, raw)
        known = str(header.get("id") or file_stem(log.source.path).rpartition("_")[2])
        profile, _ = request.profile_and_wire_format(columns, list(thread.path), raw)
        session = Session(
            0, known, range(len(columns)), [thread], profile or self.profile, provider_assumed=not profile
        )
        session.duplicate_records = tree.duplicate_ids
        return [session]

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        return reader.CONTENT_POINTERS[columns.marks[record] & RecordMark.VARIANT_MASK]

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        if columns.roles[record] == Role.TOOL:
            return "/message"
        if columns.marks[record] & RecordMark.VARIANT_MASK in _TEXT_FORMS:
            return self.content_pointer_of(columns, record)
        return super().pointer(columns, record, ordinal)

    view = staticmethod(record_view)

    def error_text(self, raw: bytes) -> str:
        return str(parse_json(raw)["message"].get("errorMessage") or "")

    def describe(self, log: Log, session: Session) -> None:
        session.agent = "OpenClaw" if _OPENCLAW in Path(log.source.path).parts else "pi"
        links = (record for record in range(len(log.columns) - 1, -1, -1) if log.columns.roles[record] == Role.LINK)
        named = (parse_json(raw) for raw in map(log.raw, links) if b'"session_info"' in raw)
        users = (record for record in session.main_thread.path if log.columns.roles[record] == Role.USER)
        session.title = session_title(next(named, {}), (parse_json(log.raw(record)) for record in users))
        session.state = self._unsent_calls(log, session)

    def _unsent_calls(self, log: Log, session: Session) -> str:
        """Return how many calls are in stopped messages, "" for none. No finding is about them: they are not sent."""
        marks = log.columns.marks
        stopped = [record for record in session.records if marks[record] & RecordMark.NOT_SENT]
        calls = sum(reader.count_calls_in_message(log.raw(record)) for record in stopped)
        if not calls:
            return ""
        return tr_plural(
            "{number:,} call is in an aborted or failed message, which {agent} does not send",
            "{number:,} calls are in an aborted or failed message, which {agent} does not send",
            calls,
            agent=session.agent,
        )

    def metadata(self, head: Head) -> SessionMetadata:
        named = (line for line in reversed(head.lines) if line.get("type") == "session_info")
        title = session_title(next(named, {}), head.lines)
        return SessionMetadata(str(head.lines[0].get("cwd") or ""), title)

    def system_prompt(self, log: Log, session: Session) -> str:
        """Return the newest system message, which pi records since 0.87, "" if there is none."""
        for record in reversed(session.main_thread.path):
            if log.columns.roles[record] == Role.LINK and b'"system"' in (raw := log.raw(record)):
                message = object_at(parse_json(raw), "/message")
                if message.get("role") == "system":
                    return "\n\n".join(filter(None, texts_of_unsent_message(message)))
        return ""

    evidence_in = staticmethod(reader.evidence_in_entry)

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        folder = header_of(columns, raw).get("cwd")
        return dict.fromkeys(records, folder) if isinstance(folder, str) else {}

    # what the agent does

    passes_inputs_on = True

    build_request = staticmethod(request.build_request)

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return request.sent_block_text(role, kind, block)

    handles_invalid_characters = SENDS_HALF_PAIRS

    resume_behavior = staticmethod(request.resume_behavior)

    # writing

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        if columns.roles[record] == Role.TOOL:
            return writer.rewrite_result(raw, edits)
        if columns.marks[record] & RecordMark.VARIANT_MASK in _TEXT_FORMS:
            return None if edits.drop else raw
        return super().rewrite(columns, record, raw, edits)

    result_block = staticmethod(writer.result_entry)
    result_record = staticmethod(writer.result_with_entry_id)
    user_record = staticmethod(writer.user_entry)
    call_records = staticmethod(writer.make_invented_call_entries)

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return writer.quote_result_as_user_text(raw, text)

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        entry = next(index for index, role in enumerate(columns.roles) if role)
        return [writer.make_missing_header(raw(entry), columns.uuids[entry] or ""), raw(record)]

    update_derived = staticmethod(writer.update_derived)

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        """Return a name that begins with the header's time, with dashes for characters that file names exclude."""
        when = str(header_of(log.columns, log.raw).get("timestamp") or "")
        return f"{re.sub('[:.]', '-', when)}_{session_id}.jsonl" if when else f"{session_id}.jsonl"

    def store_folder(self, log: Log) -> Path | None:
        folder = text_at(header_of(log.columns, log.raw), "/cwd")
        if not folder:
            return None
        home = self.stores[0].folder_on(host_environment())
        return Path(home, "sessions", f"--{_PATH_SEPARATORS.sub('-', _LEADING_SEPARATOR.sub('', folder))}--")

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        """Return the record with the new id if it is the header, which alone carries the id."""
        is_header = raw.lstrip().startswith(b"{") and parse_json(raw).get("type") == reader.HEADER_TYPE
        return json_edits.set_member(raw, "", "id", dump_json(new)) if is_header else raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for("pi", shell_command("pi", "--session", os.path.abspath(path)), path, new)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        """Return the steps to resume the copy: pi opens a file in any folder."""
        command = shell_command("pi", "--session", os.path.abspath(path))
        return NextSteps((CHANGE_FOLDER_STEP, RUN_STEP), command)


def _is_distinctive(message: Any) -> bool:
    """Return whether only pi has such a message."""
    return isinstance(message, dict) and (message.get("role") == "toolResult" or "stopReason" in message)
