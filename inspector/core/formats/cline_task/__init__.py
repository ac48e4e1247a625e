"""Tasks of Cline (classic), Roo Code and Kilo Code: `tasks/<id>/api_conversation_history.json`.

One JSON array of Anthropic messages, rewritten whole on every change. Facts: cline/cline `src/core/storage/disk.ts`;
RooCodeInc/Roo-Code `src/core/task-persistence/apiMessages.ts` and `src/utils/storage.ts`; Kilo Code 4 and 5 are forks
of Roo Code. The modules of this package have the sources for what is sent, what lies next to it, and what is done
on resume. A call written as XML in a text is text: such tasks have no calls.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.core.errors import WrongFormat
from inspector.core.formats.base.agent_behavior import Agent, NextSteps, ResumeBehavior
from inspector.core.formats.base.block_list_formats import CLINE_BLOCK_SCHEMA, CLINE_MESSAGE_SCHEMA, BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResult, LostResultSource
from inspector.core.formats.base.message_arrays import StructMessages, call_ids_of_newest_answer
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, title_line
from inspector.core.formats.base.writer import BlockEdits, SidecarEdit
from inspector.core.formats.cline_task import call_evidence, loader
from inspector.core.formats.cline_task.loader import CLINE, KILO, LOG_NAMES, ROO, active_path, mark_truncated
from inspector.core.formats.cline_task.reader import (
    TEXT_RESULT_PATTERNS,
    add_message,
    decode_message,
    newest_model,
    pair_text_results,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_text import dump_json, parse_json, parse_json_cached, value_at
from inspector.core.storage.source import Source
from inspector.core.translation import tr

_EXTENSIONS = {
    "saoudrizwan.claude-dev": CLINE,
    "rooveterinaryinc.roo-cline": ROO,
    "kilocode.kilo-code": KILO,
}
# The folders that editors keep their `User/globalStorage` in: on Linux, macOS and Windows, and on a remote machine.
_EDITORS = (
    ("$XDG_CONFIG_HOME|~/.config", "*/User"),
    ("~/Library/Application Support", "*/User"),
    ("$APPDATA", "*/User"),
    ("~/.local/share/code-server", "User"),
    ("~/.vscode-server/data", "User"),
    ("~/.cursor-server/data", "User"),
)
_OWN_MEMBERS = frozenset(
    "ts isSummary condenseId condenseParent truncationId truncationParent isTruncationMarker reasoning_content".split()
)
_OWN_PHRASES = (b"<environment_details>", b"[TASK RESUMPTION]", b"<user_message>", b"] Result:", b"<task>")
_ROO_VERSION_2 = re.compile(rb'\s*\{\s*"version"\s*:\s*2\s*,\s*"messages"\s*:\s*\[')
_INTERRUPTED = ("[Response interrupted by user]", "[Response interrupted by API Error]")
_SEARCHED_BYTES = 200  # enough for the beginning of version 2 of Roo Code's file
_FOLDER = re.compile(r"# Current (?:Workspace|Working) Directory \(([^)\n]+)\)")
_TAG = re.compile(r"</?(?:task|user_message|feedback|answer)>")
# These wait for the person by what they are: a task that ends with one of them is not interrupted.
_WAITING_TOOLS = frozenset({"attempt_completion", "ask_followup_question", "plan_mode_respond", "new_task"})


class ClineTask(BlockListFormat, StructMessages, Agent, CallEvidenceSource, LostResultSource):
    """Tasks of Cline (classic), Roo Code and Kilo Code."""

    name = "cline-task"
    label = "Cline, Roo Code or Kilo Code task"
    container = tr("JSON document")
    detection = tr(
        "the file name api_conversation_history.json, or an array of messages with ts, condensing tags, or "
        "phrases that Cline uses"
    )
    read = tr("the messages that the agent sends (those after the last summary, except truncated and deleted messages)")
    write_back = tr(
        "yes, as a copy, or in place with the deleted range updated, but not as a new session, which would "
        "need an entry in the task list"
    )
    resume = tr(
        "results are in the next user message, ranges and positions in the UI log are message indexes, and Roo "
        "repairs only the last exchange"
    )
    unsupported = tr("edits in context_history.json, and version 2 of Roo Code's history format (AI SDK messages)")
    side_files = (loader.UI_FILE, "history_item.json")
    marker_patterns = (
        *TEXT_RESULT_PATTERNS,
        *(re.escape(text.decode()) for text in _OWN_PHRASES),
        *map(re.escape, _INTERRUPTED),
    )
    source = "cline/cline src/core; RooCodeInc/Roo-Code src/core/condense, src/core/task"
    profile = "anthropic"
    block_schema = CLINE_BLOCK_SCHEMA
    content_pointer = "/content"
    message_schema = CLINE_MESSAGE_SCHEMA
    is_provider_api = False
    keeps_answers_separate = True
    writes_whole_history = True
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse", "mistral")
    stores = (
        *(
            StorePattern(home, f"{user}/globalStorage/{extension}/tasks/*/{LOG_NAMES[0]}", agent=agent)
            for home, user in _EDITORS
            for extension, agent in _EXTENSIONS.items()
        ),
        StorePattern("$CLINE_DIR/data|~/.cline/data", f"tasks/*/{LOG_NAMES[0]}", "CLINE_DATA_DIR", CLINE),
    )

    # reading
    can_invent_calls = True

    def score(self, head: Head) -> float:
        if _ROO_VERSION_2.match(head.plain) is not None and b'"tool-' in head.plain:
            # A shape of this format that `index` refuses: another format would take it for something else.
            return 0.97
        messages = None if head.is_lines or head.text.lstrip()[:1] != b"[" else head.messages
        if messages is None or any("tool_calls" in message for message in messages):
            return 0.0
        roles = [message.get("role") for message in messages if message.get("type") != "reasoning"]
        if any(role not in ("user", "assistant") for role in roles):
            return 0.0
        if Path(head.path).name.endswith(LOG_NAMES) and (roles or b'"role"' in head.plain or head.value == []):
            return 0.97
        if any(not _OWN_MEMBERS.isdisjoint(message) for message in messages):
            return 0.95
        return 0.93 if roles and sum(phrase in head.text for phrase in _OWN_PHRASES) > 1 else 0.0

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if _ROO_VERSION_2.match(source.read(source.start, source.start + _SEARCHED_BYTES)) is not None:
            raise WrongFormat(
                tr("{path} uses version 2 of Roo Code's history format, which is not supported yet.", path=source.path)
            )
        return super().index(source, reading)

    decode = decode_message
    add_decoded = staticmethod(add_message)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        originals = log.columns
        if columns is originals:
            end = loader.deleted_range_end(log.source.path)
        else:
            end = max((record for record, mark in enumerate(originals.marks) if mark & RecordMark.NOT_SENT), default=-1)
        settled = mark_truncated(columns, len(originals), end)
        pair_text_results(columns)
        thread = Thread(active_path(columns, raw), agent_handled_rows=settled)
        found = profile_name_of(*newest_model(columns, thread.path, raw))
        session = Session(0, loader.task_id(log.source.path), range(len(columns)), [thread], found or self.profile)
        session.provider_assumed = not found
        return [session]

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        last = call_ids_of_newest_answer(columns, path)
        waits = {
            id
            for id, name in zip(columns.call_ids, columns.names, strict=True)
            if id in last and name in _WAITING_TOOLS
        }
        return {id for id in waits if id is not None}

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """Return the note at the end of an answer that Cline stopped ("[Response interrupted by user]")."""
        for view in self.view(raw(record)).blocks:
            if view.kind == BlockKind.TEXT and view.text.rstrip().endswith(_INTERRUPTED):
                return view.text.rstrip().rpartition("[")[2].rstrip("]")
        return ""

    def view(self, raw: bytes) -> RecordView:
        message = parse_json(raw)
        if not isinstance(message, dict):
            return RecordView("", tr("no message"))
        blocks = self.block_views(message)
        summary = "reasoning" if not blocks and message.get("type") == "reasoning" else ""
        return RecordView(str(message.get("role", "")), summary, blocks)

    def describe(self, log: Log, session: Session) -> None:
        path = Path(log.source.path)
        session.agent = _agent(log)
        session.title = _title(parse_json(log.raw(0))) if len(log.columns) and log.columns.roles[0] else ""
        total = sum(role in (Role.USER, Role.ASSISTANT) for role in log.columns.roles)
        sent = sum(log.columns.roles[record] in (Role.USER, Role.ASSISTANT) for record in session.main_thread.path)
        if sent < total:
            session.state = tr(
                "{total} of {all} messages in {name} were condensed or cut and are not sent",
                total=total - sent,
                all=total,
                name=path.name,
            )

    def metadata(self, head: Head) -> SessionMetadata:
        first = (head.messages or [{}])[0]
        folder = _FOLDER.search(head.text.decode("utf-8", "replace"))
        return SessionMetadata(folder[1] if folder else "", _title(first))

    # what the log shows of calls

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        return call_evidence.evidence_beside(log.source.path, calls)

    lost_result_places = call_evidence.LOST_RESULT_PLACES

    def lost_results_beside(self, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        return call_evidence.lost_results_beside(log, calls)

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        """Return the folder that the first message names."""
        match = _FOLDER.search(raw(0).decode("utf-8", "replace")) if len(columns) else None
        return dict.fromkeys(records, match[1]) if match else {}

    # what the agent does

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        return loader.resume_behavior(session, rules)

    # writing

    def sidecar_edits(self, log: Log, after: Columns, raw: ReadRecord) -> list[SidecarEdit]:
        return loader.sidecar_edits(log.source.path, len(log.columns), after)

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        rows = columns.block_rows(record)
        text_results = [
            ordinal for ordinal in edits.rename if columns.block_kinds[rows[ordinal]] == BlockKind.TOLD_RESULT
        ]
        for ordinal in text_results:
            # It names no id.
            del edits.rename[ordinal]
        return super().rewrite(columns, record, raw, edits)

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        """Return a message with the time of the one that it belongs to."""
        message, time = super().new_record(like, role, content, seed), parse_json_cached(like).get("ts")
        return message[:-1] + b',"ts":' + dump_json(time) + b"}" if isinstance(time, int | float) else message

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return loader.resume_steps(path, next((name for part, name in _EXTENSIONS.items() if part in path.lower()), ""))


def _agent(log: Log) -> str:
    """Return which of the three extensions wrote the log, as far as its path and the files next to it show."""
    path = log.source.path
    named = next((agent for part, agent in _EXTENSIONS.items() if part in path.lower()), "")
    if named or path == "-":
        return named
    folder = Path(path).resolve().parent
    if os.path.exists(folder.parent.parent / "state" / "taskHistory.json"):
        return CLINE
    if os.path.exists(folder / "history_item.json") or os.path.exists(folder.parent / "_index.json"):
        return ROO
    return ""


def _title(first: Any) -> str:
    """Return the person's first request."""
    views = schema.views_of_content(value_at(first, "/content"), "")
    said = next((view.text for view in views if view.kind == BlockKind.TEXT), "")
    return title_line(_TAG.sub("", said))
