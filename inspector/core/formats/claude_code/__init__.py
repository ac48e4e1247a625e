"""Claude Code session JSONL (1.0 to 2.1): `~/.claude/projects/<folder>/<session id>.jsonl`.

Facts: `cli.js` of @anthropic-ai/claude-code 2.1.112 (loader `P96`/`DtY`, send path `K0`/`YbK`) and the bundled binary
of claude-agent-sdk 0.2.187. One content block a line; fragments share `message.id`; a parallel call's result hangs
off its own fragment, so that the parents fork and the loader re-attaches siblings; `compact_boundary` starts again.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.core.formats.base.agent_behavior import (
    BROKEN_CHAIN_LOSSES,
    CYCLE_LOSSES,
    INDEXES_REPLACED_CHARACTERS,
    INVALID_JSON_LOSSES,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
    SessionAsLoaded,
    losses_of_rules,
    resume_steps_for,
)
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceQuery
from inspector.core.formats.base.format import LinkKeys, ReadOptions
from inspector.core.formats.base.json_lines import IndexedLines, JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResult, LostResultSource
from inspector.core.formats.base.registry import safe_first_words
from inspector.core.formats.base.session_stores import UUID
from inspector.core.formats.base.stores import first_user_text, host_environment
from inspector.core.formats.base.writer import CallContext, deterministic_uuid
from inspector.core.formats.claude_code import call_evidence, damaged_lines, lost_results, request, sent_calls
from inspector.core.formats.claude_code.loader import load_threads, version_of_newest_message
from inspector.core.formats.claude_code.reader import (
    LINE_DECODER,
    LINE_SCHEMA,
    add_line,
    add_lines,
    decode_line,
    is_newer_generation,
    progress_view,
    schema_misfits,
)
from inspector.core.formats.claude_code.subagents import subagents
from inspector.core.formats.claude_code.title_and_folder import STORES, session_metadata
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Log, Session, SubagentLogReference
from inspector.core.model.views import RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.message_fields import DECODE_ERRORS, result_text, string_in
from inspector.core.providers.message_misfits import Misfit
from inspector.core.storage import json_edits
from inspector.core.storage.json_lines import decode_chunk, nonblank_lines
from inspector.core.storage.json_text import (
    dump_json,
    is_valid_json,
    may_be_too_deep,
    object_at,
    parse_json,
    parse_json_cached,
    pretty_json,
    replace_invalid_characters,
    text_at,
)
from inspector.core.text import version_numbers
from inspector.core.translation import tr

if TYPE_CHECKING:
    import unicodedata
else:
    unicodedata = LazyModule("unicodedata")

_METADATA_TYPES = frozenset(
    "summary custom-title ai-title last-prompt tag agent-name agent-color agent-setting pr-link file-history-snapshot "
    "attribution-snapshot mode permission-mode worktree-state queue-operation content-replacement".split()
)
_CONTINUE_PROMPT = b"Continue from where you left off."
_LONGEST_FOLDER = 200  # longer ones get a hash that only the program itself can make
_LINES_PER_DECODE = 1000  # records that are indexed together
_LOSSES = {
    **BROKEN_CHAIN_LOSSES,
    **CYCLE_LOSSES,
    "G3": tr("everything before a turn that the agent itself inserted"),
    **INVALID_JSON_LOSSES,
}
_COPIED_MEMBERS = (
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "agentId",
    "slug",
)


class ClaudeCode(BlockListFormat, JsonLines, RequestBuilder, CallEvidenceSource, LostResultSource):
    """Sessions of Anthropic's Claude Code."""

    name = "claude-code"
    label = "Claude Code session"
    keys = "parentUuid"
    detection = tr("lines with type, uuid, parentUuid and message, or lines with Claude Code's metadata types")
    read = tr("the active path with parallel calls, sidechains, compaction and embedded progress records")
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "parent links are repaired, the last message stays at the end, fragments of a message are joined, and "
        "preserved segments are kept"
    )
    unsupported = tr(
        "files under tool-results, and the fallback for a missing parent (a record that is less than 5 seconds older)"
    )
    side_files = ("{name}/subagents",)
    source = "@anthropic-ai/claude-code 2.1.112, cli.js"
    profile = "anthropic"
    stores = STORES
    session_store = "inspector.core.formats.claude_code.session_store:ClaudeCodeStore"
    content_pointer = "/message/content"
    merges_fragments = True
    drops_blank_records = True
    keeps_answers_separate = True
    steps_are_independent = True
    results_share_record = False
    link_keys = LinkKeys(parent="parentUuid", before_compaction="logicalParentUuid", leaf=("leafUuid", "explicit"))
    message_schema = LINE_SCHEMA
    # The reason of a streamed message is known only at its end; null stands in logs of every kind.
    stop_reason_pointers = ("/message/stop_reason", "/error")
    call_record_id_members = (call_evidence.CALL_RECORD_ID_MEMBER,)
    prompts_are_strings = True
    sends_blocks_unchanged = True
    own_model_names = ("<synthetic>",)
    can_invent_calls = True
    can_start_new_session = True

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        rows = [row for row in head.lines if isinstance(row.get("type"), str)]
        full = sum("parentUuid" in row and "uuid" in row and _holds_message(row) for row in rows)
        metadata = sum(row["type"] in _METADATA_TYPES and "payload" not in row for row in rows)
        loose = sum(row["type"] in ("user", "assistant") and _holds_message(row) for row in rows)
        messages = [row for row in rows if row["type"] in ("user", "assistant") and "message" in row]
        foreign = len(messages) - sum(map(_holds_message, messages))
        if any("session_id" in row and "parentUuid" not in row for row in rows) or foreign > len(messages) / 2:
            return 0.0
        if full:
            return 0.95 if full + metadata > len(head.lines) / 3 else 0.6
        if metadata > len(head.lines) / 2:
            return 0.7
        if loose <= len(head.lines) / 2:
            return 0.0
        # What is left of a session may be a record that names no parent. No stream says whose chain it belongs to.
        return 0.6 if any("isSidechain" in row for row in rows) else 0.5

    # reading

    def misfits(self, message: Any) -> list[Misfit]:
        return schema_misfits(message)

    def add_chunk(self, found: IndexedLines, chunk: memoryview, offset: int, reading: ReadOptions) -> None:
        rows = decode_chunk(chunk, LINE_DECODER.decode_lines, reading.checked_from(offset))
        if rows is not None:
            add_lines(found.columns, *rows, offset, found.session_starts)
        else:
            for start, end, line in nonblank_lines(offset, bytes(chunk)):
                self._add_line(found.columns, line, start, end, reading.deep, found.session_starts)

    def _add_line(
        self, columns: Columns, line: bytes, start: int, end: int, deep: bool, ids: dict[str, int] | None = None
    ) -> None:
        fits = True
        try:
            row = None if (deep or may_be_too_deep(line)) and not is_valid_json(line) else LINE_DECODER.decode(line)
        except DECODE_ERRORS:
            row, fits = decode_line(parse_json(line)) if is_valid_json(line) else None, False
        if row is None:
            self._add_unreadable_line(columns, line, start, end)
            return
        add_line(columns, row, start, end)
        if not fits and row.message is not None and isinstance(row.message.content, list):
            columns.marks[-1] |= RecordMark.MAYBE_MALFORMED
        if ids is not None and row.sessionId is not None:
            ids.setdefault(row.sessionId, len(columns) - 1)

    def _add_unreadable_line(self, columns: Columns, line: bytes, start: int, end: int) -> None:
        """Index a line as the program reads it: one of which only characters are damaged holds a record."""
        readable = replace_invalid_characters(line)
        if readable != line and is_valid_json(readable):
            add_line(columns, decode_line(parse_json(readable)), start, end)
            columns.marks[-1] |= RecordMark.UNREADABLE
        else:
            columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        self._add_line(columns, raw, start, end, False)

    def index_records(self, columns: Columns, raws: list[bytes]) -> None:
        for low in range(0, len(raws), _LINES_PER_DECODE):
            part = raws[low : low + _LINES_PER_DECODE]
            decoded = decode_chunk(memoryview(bytearray(b"\n".join(part))), LINE_DECODER.decode_lines, 0)
            if decoded is not None and len(decoded[0]) == len(part):
                add_lines(columns, *decoded, 0, {})
            else:
                super().index_records(columns, part)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        tree = RecordTree(columns)
        tree.intern_ids()
        threads = load_threads(
            columns, tree, raw, version_of_newest_message(columns, raw, reversed(range(len(columns))))
        )
        session_id = file_stem(log.source.path)
        session = Session(0, session_id, range(len(columns)), threads, self.profile)
        session.duplicate_records = tree.duplicate_ids
        return [session]

    def messages_behind_first(self, session: Session) -> int:
        """Return 1 for a version that was seen to send the environment as a system message of its own (2.1.330)."""
        return int(is_newer_generation(session.version))

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the ids of calls that a PreToolUse hook deferred (`hook_deferred_tool` attachments)."""
        ids: set[str] = set()
        if not columns.has_mark(RecordMark.DEFERRED):
            return ids
        for record in path:
            if columns.marks[record] & RecordMark.DEFERRED:
                attached = object_at(parse_json(raw(record)), "/attachment")
                ids.update(value for value in attached.values() if isinstance(value, str))
        return ids

    def is_automatic_continuation(self, raw: bytes) -> bool:
        """Return whether it is the turn that a resume adds ("Continue from where you left off.").

        See anthropics/claude-code#89820.
        """
        row = parse_json(raw)
        return row.get("type") == "user" and row.get("isMeta") is True and _CONTINUE_PROMPT in raw

    def error_text(self, raw: bytes) -> str:
        row = parse_json(raw)
        message = row.get("message")
        if isinstance(message, dict):
            return "\n".join(view.text for view in schema.views_of_content(message.get("content"), ""))
        error = row.get("error")
        return pretty_json(error) if error is not None else str(row.get("content") or "")

    def error_name(self, raw: bytes) -> str:
        return string_in(parse_json(raw), "error") or ""

    def describe(self, log: Log, session: Session) -> None:
        columns = log.columns
        session.version = version_of_newest_message(columns, log.raw, reversed(session.main_thread.path))
        session.agent = f"Claude Code {session.version}".strip()
        session.title = first_user_text(
            log, session.main_thread.path[:50], lambda raw: safe_first_words(self, raw, session.faults)
        )

    def view(self, raw: bytes) -> RecordView:
        row = parse_json(raw)
        if not isinstance(row, dict):
            return RecordView("", tr("no record"))
        message = row.get("message")
        kind = str(row.get("type") or "record")
        when = str(row.get("timestamp") or "")
        if kind == "progress":
            return progress_view(row, when)
        if not isinstance(message, dict):
            detail = row.get("subtype") or row.get("summary") or row.get("content") or ""
            return RecordView(kind, f"{kind}: {detail}" if isinstance(detail, str) and detail else kind, (), when)
        usage = object_at(message, "/usage")
        return RecordView(
            str(message.get("role") or kind),
            "",
            self.block_views(row),
            when,
            str(message.get("model") or ""),
            _token_count(usage, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
            _token_count(usage, "output_tokens"),
        )

    metadata = staticmethod(session_metadata)

    def subagents(self, log: Log) -> list[SubagentLogReference]:
        return subagents(log, log.sessions[0].id)

    # what the log shows of calls

    evidence_in = staticmethod(call_evidence.evidence_in_record)
    folder_pointer = "/cwd"
    lost_result_places = lost_results.PLACES

    def has_files_beside(self, log: Log) -> bool:
        return bool(self.subagents(log))

    def lost_results_beside(self, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        return lost_results.subagent_reports_beside(log, calls, self.subagents(log))

    # what the agent does

    build_request = staticmethod(request.build_request)
    sent_call = staticmethod(sent_calls.sent_call)
    handles_invalid_characters = INDEXES_REPLACED_CHARACTERS

    def session_in_memory(self, session: Session, columns: Columns, raw: ReadRecord) -> SessionAsLoaded | None:
        return damaged_lines.session_as_loaded(session, columns, raw, self.index_valid_record)

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Report what Claude Code does: it skips lines that are not JSON, and loads nothing before a broken link."""
        outcome = "unknown" if not version_numbers(session.version) else "mends" if rules else "as-is"
        agent, label = f"{self.name} {session.version}".strip(), session.agent or "Claude Code"
        return ResumeBehavior(agent, outcome, losses_of_rules(_LOSSES, rules), label)

    # writing

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        """Return a user line as Claude Code writes it: `parentUuid` first, `timestamp` after `uuid`, no spaces."""
        line = super().result_record(like, blocks, seed)
        block = parse_json(blocks[0])
        said = {"toolUseResult": "Error: " + result_text(block.get("content"))} if block.get("is_error") else {}
        extra = {**said, "sourceToolAssistantUUID": parse_json_cached(like).get("uuid")}
        return line[:-1] + b"," + dump_json(extra)[1:]

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        """Return a line of the assistant, marked as the program marks those that no model gave."""
        message = {
            "id": f"msg_{deterministic_uuid(seed)}",
            "type": "message",
            "role": "assistant",
            "model": self.own_model_names[0],
            "content": [self.text_block(note), self.invented_call(call)],
            "stop_reason": "tool_use",
            "stop_sequence": None,
        }
        return [self._line(parse_json(call.raw), "assistant", dump_json(message), f"{seed}:call")]

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        return self._line(parse_json_cached(like), "user", b'{"role":"user","content":' + content + b"}", seed)

    def _line(self, like: dict[str, Any], kind: str, message: bytes, seed: str) -> bytes:
        copied = {key: like[key] for key in _COPIED_MEMBERS if key in like}
        head = dump_json({"parentUuid": None, **copied, "type": kind})
        tail = dump_json({"uuid": deterministic_uuid(seed), "timestamp": like.get("timestamp")})
        return head[:-1] + b',"message":' + message + b"," + tail[1:]

    def without_result_data(self, raw: bytes) -> bytes:
        for key in ("toolUseResult", "sourceToolAssistantUUID"):
            raw = json_edits.remove_member(raw, "", key)
        return raw

    def store_folder(self, log: Log) -> Path | None:
        """Return `projects/<folder>` of the configuration folder.

        The name is the project's path with dashes for signs.
        """
        for record in reversed(log.sessions[0].main_thread.path):
            if log.columns.roles[record] in (Role.USER, Role.ASSISTANT):
                folder = text_at(parse_json(log.raw(record)), "/cwd")
                if not folder:
                    return None
                home = self.stores[0].folder_on(host_environment())
                name = re.sub(r"[^A-Za-z0-9]", "-", unicodedata.normalize("NFC", folder))
                return Path(home, "projects", name) if len(name) <= _LONGEST_FOLDER else None
        return None

    def is_session_id(self, name: str) -> bool:
        return UUID.fullmatch(name.lower()) is not None

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for("Claude Code", f"claude --resume {session_id}", path, new)


def _holds_message(row: dict[str, Any]) -> bool:
    """Return whether a line is a message of Anthropic's, or a line that holds none.

    Other programs have written the same envelope (Qwen Code).
    """
    message = row.get("message")
    if "provenance" in row or "systemPayload" in row:
        return False
    if row["type"] in ("system", "attachment", "progress"):
        return True
    return isinstance(message, dict) and "parts" not in message and message.get("role") in ("user", "assistant")


def _token_count(usage: dict[str, Any], *keys: str) -> int | None:
    counts = [usage[key] for key in keys if isinstance(usage.get(key), int)]
    return sum(counts) if counts else None
