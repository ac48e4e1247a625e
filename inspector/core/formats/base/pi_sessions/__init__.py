"""What pi and the programs built on it share: a session of entries that name their parents.

A session is a header, then entries. One entry holds all calls of an answer, and each result has an entry of its own.
The programs differ in what they load, send and repair by themselves, and in where they keep their sessions. A log
belongs to the program whose store it is in, or else to the one whose entries it holds; most of them are pi's own.
"""

import os
import re
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.formats.base.agent_behavior import SENDS_HALF_PAIRS, RequestBuilder
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.format import LinkKeys
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.pi_sessions import reader, request, writer
from inspector.core.formats.base.pi_sessions.loader import active_thread, header_of
from inspector.core.formats.base.pi_sessions.record_views import record_view, session_title, texts_of_unsent_message
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.base.writer import BlockEdits
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, object_at, parse_json, text_at
from inspector.core.translation import tr_plural

# The folder of a program's store, and its format.
_STORES = {".pi": "pi", ".openclaw": "openclaw", ".omp": "omp"}
# What only entries of one program have: types, types of `custom` entries, and the provider of its own messages.
_OMP_TYPES = frozenset(
    "title title_change session_init service_tier_change mode_change ttsr_injection reset_boundary".split()
)
_ENTRY_TYPES = _OMP_TYPES.union(
    "message model_change thinking_level_change compaction branch_summary custom custom_message label session_info "
    "context_edit reset leaf".split()
)
_OMP_CUSTOM_TYPES = frozenset({"tool_execution", "tool_execution_start", "session_exit"})
_OPENCLAW_CUSTOM_TYPES = frozenset({"model-snapshot"})
_OPENCLAW = "openclaw"
_OMP_DATABASE = "agent.db"
_TEXT_FORMS = frozenset({reader.SUMMARY_FORM, reader.MESSAGE_FORM})


class PiSessions(BlockListFormat, JsonLines, RequestBuilder, CallEvidenceSource):
    """Sessions of a program built on pi: what a format of one has by being one."""

    keys = "parentId parentSession"
    profile = "openai-chat"
    program: ClassVar[str]
    """Its name as a sentence has it."""
    block_schema = reader.ENTRY_BLOCK_SCHEMA
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
        if not head.is_lines or program_of(head) != self.name:
            return 0.0
        first, *rest = head.lines[1:] if _is_title(head.lines[0]) and len(head.lines) > 1 else head.lines
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
        thread = self.loaded_thread(columns, tree, log.columns, header, raw)
        known = str(header.get("id") or file_stem(log.source.path).rpartition("_")[2])
        profile, _ = request.profile_and_wire_format(columns, list(thread.path), raw)
        session = Session(
            0, known, range(len(columns)), [thread], profile or self.profile, provider_assumed=not profile
        )
        session.duplicate_records = tree.duplicate_ids
        return [session]

    def loaded_thread(
        self, columns: Columns, tree: RecordTree, read: Columns, header: dict[str, Any], raw: ReadRecord
    ) -> Thread:
        """Return the entries that the program loads. `read` are the columns as read; `columns` may be planned ones."""
        return active_thread(columns, tree, read, header, raw)

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
        session.agent = self.program
        links = (record for record in reversed(session.records) if log.columns.roles[record] == Role.LINK)
        named = (parse_json(raw) for raw in map(log.raw, links) if b'"session_info"' in raw)
        users = (record for record in session.main_thread.path if log.columns.roles[record] == Role.USER)
        session.title = session_title(next(named, {}), (parse_json(log.raw(record)) for record in users))
        session.state = self._unsent_calls(log, session)

    def _unsent_calls(self, log: Log, session: Session) -> str:
        """Return how many calls are in stopped messages, "" for none. No finding is about them: they are not sent."""
        marks = log.columns.marks
        stopped = [record for record in session.records if marks[record] & RecordMark.NOT_SENT]
        calls = sum(len(reader.ids_of_calls_in_message(log.raw(record))) for record in stopped)
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
        header = next((line for line in head.lines if line.get("type") == reader.HEADER_TYPE), {})
        return SessionMetadata(str(header.get("cwd") or ""), title)

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

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return request.sent_block_text(role, kind, block)

    handles_invalid_characters = SENDS_HALF_PAIRS

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

    media_of = staticmethod(writer.media_of_result)

    def relink(self, columns: Columns, record: int, raw: ReadRecord, session_id: str) -> list[bytes]:
        entries = [index for index, role in enumerate(columns.roles) if role]
        # A damaged first line may be read as an entry, and shows nothing of the version.
        entry = next((index for index in entries if columns.uuids[index] is not None), entries[0])
        return [writer.make_missing_header(raw(entry), columns.uuids[entry] or ""), raw(record)]

    update_derived = staticmethod(writer.update_derived)

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        """Return a name that begins with the header's time, with dashes for characters that file names exclude."""
        when = str(header_of(log.columns, log.raw).get("timestamp") or "")
        return f"{re.sub('[:.]', '-', when)}_{session_id}.jsonl" if when else f"{session_id}.jsonl"

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        """Return the record with the new id if it is the header, which alone carries the id."""
        is_header = raw.lstrip().startswith(b"{") and parse_json(raw).get("type") == reader.HEADER_TYPE
        return json_edits.set_member(raw, "", "id", dump_json(new)) if is_header else raw


def is_omp_store(home: str) -> bool:
    """Return whether a folder is omp's store and not pi's: one environment variable moves both."""
    return ".omp" in Path(home).parts or os.path.isfile(os.path.join(home, _OMP_DATABASE))


def program_of(head: Head) -> str:
    """Return the format of the program that wrote a log of such entries."""
    own = (name for folder, name in _STORES.items() if folder in Path(head.path).parts)
    return next(own, "") or next(filter(None, map(_program_of_entry, head.lines)), "pi")


def _program_of_entry(entry: dict[str, Any]) -> str:
    """Return the format that an entry shows by itself, "" for none: one that all programs write."""
    kind, custom = str(entry.get("type")), str(entry.get("customType"))
    if kind in _OMP_TYPES or custom in _OMP_CUSTOM_TYPES:
        return "omp"
    is_openclaws = custom in _OPENCLAW_CUSTOM_TYPES or custom.startswith(_OPENCLAW)
    return "openclaw" if is_openclaws or text_at(entry, "/message/provider") == _OPENCLAW else ""


def _is_title(line: dict[str, Any]) -> bool:
    """Return whether a line holds the title that omp writes before the header."""
    return line.get("type") == reader.TITLE_TYPE and "id" not in line


def _is_distinctive(message: Any) -> bool:
    """Return whether only pi has such a message."""
    return isinstance(message, dict) and (message.get("role") == "toolResult" or "stopReason" in message)
