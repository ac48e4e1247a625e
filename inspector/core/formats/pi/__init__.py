"""pi's sessions, and OpenClaw's: `~/.pi/agent/sessions/--<folder>--/<time>_<session id>.jsonl`.

Facts: @mariozechner/pi-coding-agent 0.73.1 and @earendil-works/pi-coding-agent 0.87.1 (its name since 0.74), run
against a provider on the loopback address: `core/session-manager.ts`, `core/messages.ts`, `docs/session-format.md`. A
header, then entries that name their parents. All calls of an answer stand in one entry, each result is one of its own.
OpenClaw kept its sessions so until it moved them into a database.
"""

import os
import re
from pathlib import Path
from typing import Any

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, object_at, parse_json, text_at
from inspector.core.formats.bases.agent import Sender
from inspector.core.formats.bases.block_list import BlockListFormat
from inspector.core.formats.bases.command_lines import command_line
from inspector.core.formats.bases.edits import BlockEdits
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.json_lines import JsonLines, file_stem
from inspector.core.formats.bases.next_steps import GO_THERE, RUN, NextSteps, resuming
from inspector.core.formats.bases.row import LinkKeys
from inspector.core.formats.bases.store import Headline, Store, this_machine
from inspector.core.formats.bases.tracer import Tracer
from inspector.core.formats.pi import rows, traces, writing
from inspector.core.formats.pi.resume import on_resume
from inspector.core.formats.pi.sends import as_sent, judged_by, request_of
from inspector.core.formats.pi.shown import record_view, texts_of, title_of
from inspector.core.formats.pi.threads import header_of, thread_of
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.record_tree import RecordTree
from inspector.core.index.session import Log, Session
from inspector.core.index.views import BlockKind

_TYPES = frozenset(
    "message model_change thinking_level_change compaction branch_summary custom custom_message label session_info "
    "context_edit reset".split()
)
_OPENCLAW = ".openclaw"
_ROOT, _APART = re.compile(r"^[/\\]"), re.compile(r"[/\\:]")  # what a folder's name has dashes for
_WHOLE = frozenset({rows.SUMMARY, rows.AT_MESSAGE})


class Pi(BlockListFormat, JsonLines, Sender, Tracer):
    """Sessions of the pi coding agent, and of what is built on it."""

    name = "pi"
    label = "pi session"
    keys = "parentId parentSession"
    detection = "a header of type session with an id, then entries with id, parentId and a type of pi's"
    read = (
        "the path from the last entry, compactions, branches left behind, commands of the person's, files of version 1"
    )
    write_back = "yes: a copy, in place, as a new session"
    resume = (
        "header first, parents re-linked, the leaf kept last, the first kept entry of a compaction and fromId followed"
    )
    unsupported = "contents replaced by context_edit entries; OpenClaw's database"
    source = "@mariozechner/pi-coding-agent 0.73.1, @earendil-works/pi-coding-agent 0.87.1, core/session-manager.ts"
    profile = "openai-chat"
    block_schema = rows.SPELLING
    stores = (
        Store("~/.pi/agent", "sessions/*/*.jsonl", "PI_CODING_AGENT_DIR"),
        Store("~/.openclaw", "agents/*/sessions/*.jsonl", "OPENCLAW_STATE_DIR", "openclaw"),
    )
    content_pointer = "/message/content"
    merges_fragments = True
    keeps_answers_separate = True
    results_share_record = False
    results_are_records = True
    pairs_server_tools = False
    link_keys = LinkKeys("id", "parentId")
    message_schema = rows.SHAPE
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
        entries = [line for line in rest if str(line.get("type")) in _TYPES]
        if first.get("type") == rows.HEADER and isinstance(first.get("id"), str) and "message" not in first:
            known = "cwd" in first and "timestamp" in first
            return 0.95 if known and len(entries) >= len(rest) / 2 else 0.6
        own = [line for line in head.lines if str(line.get("type")) in _TYPES and {"id", "parentId"} <= line.keys()]
        told = any(_is_telling(line.get("message")) for line in own)
        return 0.7 if told and len(own) > len(head.lines) / 2 else 0.0

    # reading

    index_valid_record = staticmethod(rows.add)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        header = header_of(columns, raw)
        tree = RecordTree(columns)
        thread = thread_of(columns, tree, log.columns, header, raw)
        known = str(header.get("id") or file_stem(log.source.path).rpartition("_")[2])
        profile, _ = judged_by(columns, list(thread.path), raw)
        session = Session(
            0, known, range(len(columns)), [thread], profile or self.profile, provider_assumed=not profile
        )
        session.duplicate_records = tree.duplicate_ids
        return [session]

    def content_pointer_of(self, columns: Columns, record: int) -> str:
        return rows.CONTENT[columns.marks[record] & RecordMark.VARIANT_MASK]

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        if columns.roles[record] == Role.TOOL:
            return "/message"
        if columns.marks[record] & RecordMark.VARIANT_MASK in _WHOLE:
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
        session.title = title_of(next(named, {}), (parse_json(log.raw(record)) for record in users))

    def metadata(self, head: Head) -> Headline:
        named = (line for line in reversed(head.lines) if line.get("type") == "session_info")
        title = title_of(next(named, {}), head.lines)
        return Headline(str(head.lines[0].get("cwd") or ""), title)

    def system_prompt(self, log: Log, session: Session) -> str:
        """The newest message of the system: since 0.87 pi notes what it told the model."""
        for record in reversed(session.main_thread.path):
            if log.columns.roles[record] == Role.LINK and b'"system"' in (raw := log.raw(record)):
                message = object_at(parse_json(raw), "/message")
                if message.get("role") == "system":
                    return "\n\n".join(filter(None, texts_of(message)))
        return ""

    evidence_in = staticmethod(traces.trace)

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        folder = header_of(columns, raw).get("cwd")
        return dict.fromkeys(records, folder) if isinstance(folder, str) else {}

    # what the agent does

    build_request = staticmethod(request_of)

    def sent_text(self, role: int, kind: BlockKind, block: bytes, tool: str) -> str | None:
        return as_sent(block) if role == Role.USER and kind == BlockKind.TEXT else None

    resume_behavior = staticmethod(on_resume)

    # writing

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        if columns.roles[record] == Role.TOOL:
            return writing.rewrite_result(raw, edits)
        if columns.marks[record] & RecordMark.VARIANT_MASK in _WHOLE:
            return None if edits.drop else raw
        return super().rewrite(columns, record, raw, edits)

    result_block = staticmethod(writing.answer)
    result_record = staticmethod(writing.result_record)
    user_record = staticmethod(writing.user_record)
    call_records = staticmethod(writing.call_records)

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return writing.note(raw, text)

    def relink(self, columns: Columns, record: int, raw: ReadRecord) -> list[bytes]:
        entry = next(each for each, role in enumerate(columns.roles) if role)
        return [writing.header_before(raw(entry), columns.uuids[entry] or ""), raw(record)]

    update_derived = staticmethod(writing.settle)

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        """The name begins with the time of the header, in which the signs that no file name takes are dashes."""
        when = str(header_of(log.columns, log.raw).get("timestamp") or "")
        return f"{re.sub('[:.]', '-', when)}_{session_id}.jsonl" if when else f"{session_id}.jsonl"

    def store_folder(self, log: Log) -> Path | None:
        folder = text_at(header_of(log.columns, log.raw), "/cwd")
        if not folder:
            return None
        home = self.stores[0].folder_on(this_machine())
        return Path(home, "sessions", f"--{_APART.sub('-', _ROOT.sub('', folder))}--")

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        """The header alone carries the id."""
        is_header = raw.lstrip().startswith(b"{") and parse_json(raw).get("type") == rows.HEADER
        return splice.set_member(raw, "", "id", dump_json(new)) if is_header else raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resuming("pi", command_line("pi", "--session", path), path, new)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        """pi resumes a file wherever it lies."""
        command = command_line("pi", "--session", os.path.abspath(path))
        return NextSteps((GO_THERE, RUN), command)


def _is_telling(message: Any) -> bool:
    """Whether no other program has such a message."""
    return isinstance(message, dict) and (message.get("role") == "toolResult" or "stopReason" in message)
