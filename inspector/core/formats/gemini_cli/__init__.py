"""Gemini CLI chats: `~/.gemini/tmp/<project>/chats/session-<time>-<id8>.jsonl`, or a `.json` document before that.

Facts: @google/gemini-cli-core 0.61.0, `services/chatRecordingService.js` (`loadConversationRecord`, `rewindTo`,
`updateMessagesFromHistory`), `utils/sessionUtils.js` (`convertSessionToClientHistory`), `utils/historyHardening.js`,
`core/geminiChat.js`; @google/gemini-cli 0.61.0 (`SessionSelector`: `--resume` takes a number, an id or "latest").
A line that is not JSON is skipped. A call holds its result. 0.61 also writes the responses of a turn as a user's
message, and the reader counts them once. The program fills in missing results before it sends them only if the
experimental context management is on, which is off by default. Otherwise it sends the history as it is stored.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    SENDS_HALF_PAIRS,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
    resume_steps_for,
)
from inspector.core.formats.base.call_evidence import CallEvidenceSource
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.json_lines import JsonLines
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.formats.base.stores import SessionMetadata, StorePattern
from inspector.core.formats.base.writer import CallContext, DerivedUpdates, deterministic_uuid
from inspector.core.formats.gemini_cli import reader, request, writer
from inspector.core.formats.gemini_cli.loader import active_path, message_versions, reappearing_versions
from inspector.core.formats.gemini_cli.reader import (
    is_message,
    is_metadata,
    is_single_document,
    message_array_start,
    nested_message_array,
    session_id,
)
from inspector.core.formats.gemini_cli.request import (
    INVALID_DOCUMENT_REASON,
    NO_SESSION_ID_REASON,
    SINGLE_DOCUMENT_AGENT_LABEL,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Log, Session, SubagentLogReference, Thread
from inspector.core.model.views import RecordView
from inspector.core.storage import json_edits
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import (
    dump_json,
    integers_at,
    is_valid_json,
    object_at,
    objects_at,
    parse_json,
    parse_json_cached,
    unescape_keys,
)
from inspector.core.storage.source import HEAD_SIZE, Source
from inspector.core.translation import tr

_LABEL = "Gemini CLI"
_SESSION_ID_LINE = re.compile(rb'(  "sessionId": ")([^"\\]*)(",?\s*)')
_FILE_NAME = re.compile(r"(session-.*)-[^-]{1,8}\.jsonl?$")
_LONGEST_PATH = 4096
_PROJECT_HASH = re.compile(r"[0-9a-f]{64}")


class GeminiCli(MessageArrays, JsonLines, RequestBuilder, CallEvidenceSource):
    """Chats of Google's Gemini CLI."""

    name = "gemini-cli"
    label = "Gemini CLI chat"
    keys = "projectHash $set $rewindTo"
    marker_patterns = reader.RECOGNIZED_TEXT_PATTERNS
    container = tr("JSON Lines, or one JSON document (older versions)")
    detection = tr("sessionId and projectHash, followed by messages of type user, gemini, info, error or warning")
    read = tr(
        "checkpoints, rewinds, and the newest version of each message, with results in their calls or as "
        "separate responses"
    )
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "results are stored in their calls, and a message is emptied instead of dropped if other records "
        "may refer to its id"
    )
    unsupported = tr("files under tool-outputs, and checking whether the API rejects a response that is sent twice")
    lost_result_places = tr(
        "nowhere, because a call and its result are recorded together, and neither is recorded if the turn is "
        "interrupted"
    )
    source = "@google/gemini-cli-core 0.61.0, services/chatRecordingService.js"
    profile = "gemini"
    block_schema = reader.CHAT_BLOCK_SCHEMA
    shapes = MessagePaths(("messages",))
    is_provider_api = False
    inline_results = True
    stores = (
        StorePattern("~", ".gemini/tmp/*/chats/session-*.jsonl", "GEMINI_CLI_HOME"),
        StorePattern("~", ".gemini/tmp/*/chats/session-*.json", "GEMINI_CLI_HOME"),
    )
    session_store = "inspector.core.formats.gemini_cli.session_store:GeminiCliStore"
    can_start_new_session = True
    accepts_bom = False

    def score(self, head: Head) -> float:
        if head.is_lines:
            if any(is_metadata(line) for line in head.lines[:5]):
                return 0.95
            own = sum(is_message(line) or "$set" in line or "$rewindTo" in line for line in head.lines)
            return 0.8 if own > len(head.lines) / 2 else 0.0
        messages = head.messages_in(self.shapes)
        known = b'"projectHash"' in head.plain and b'"sessionId"' in head.plain
        if messages is None or not (known or b'"projectHash"' in head.tail):
            return 0.0
        return 0.95 if all(isinstance(message.get("type"), str) for message in messages) else 0.0

    # reading

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if not Head(source).is_lines:
            return super().index(source, reading)
        return JsonLines.index(self, source, reading)

    nested = staticmethod(nested_message_array)
    index_valid_record = staticmethod(reader.add_record)
    misfits = staticmethod(reader.misfits_of)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        path = active_path(columns, is_single_document(log))
        return [Session(0, session_id(log, columns), range(len(columns)), [Thread(path)], self.profile)]

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the ids of the calls in the newest message that wait for the user's approval."""
        last = next((record for record in reversed(path) if columns.roles[record] != Role.LINK), -1)
        entries = objects_at(parse_json(raw(last)), "/toolCalls") if last >= 0 else ()
        return {str(entry.get("id")) for entry in entries if entry.get("status") == "awaiting_approval"}

    def error_text(self, raw: bytes) -> str:
        return reader.text_of_message(parse_json(raw))

    def describe(self, log: Log, session: Session) -> None:
        super().describe(log, session)
        session.agent = SINGLE_DOCUMENT_AGENT_LABEL if is_single_document(log) else _LABEL
        if not is_single_document(log) and not any(log.columns.uuids):
            session.state = tr(
                "{no_session_id_reason}, so Gemini CLI does not load this chat",
                no_session_id_reason=NO_SESSION_ID_REASON,
            )

    def metadata(self, head: Head) -> SessionMetadata:
        """Return the project's folder, or its name in a store unless that is a hash, and the first prompt."""
        messages: Iterable[Any] = head.lines if head.is_lines else head.messages_in(self.shapes) or ()
        prompts = (reader.text_of_message(message).strip() for message in messages if message.get("type") == "user")
        chats = Path(head.path).parent
        folder = chats.parent
        name = folder.name if chats.name == "chats" and not _PROJECT_HASH.fullmatch(folder.name) else ""
        return SessionMetadata(
            _recorded_folder(folder) or name,
            next((text for text in prompts if text and not text.startswith(reader.UNSENT_PREFIXES)), ""),
        )

    def stored_folder(self, log: Log, session: int) -> str:
        return _recorded_folder(Path(log.source.path).parent.parent)

    def subagents(self, log: Log) -> list[SubagentLogReference]:
        """Return the files `chats/<session id>/<agent id>.jsonl`, each with the call that started the subagent."""
        name = log.sessions[0].id
        folder = Path(log.source.path).parent / name
        # An id with a path in it must not lead to another folder.
        is_plain_name = name and Path(name).name == name != ".." and log.source.path != "-"
        files = sorted(folder.glob("*.jsonl")) if is_plain_name and os.path.isdir(folder) else []
        calls = _subagent_calls(log) if files else {}
        return [SubagentLogReference(str(file), *calls.get(file.stem, ("Subagent", ""))) for file in files]

    pointer = staticmethod(reader.block_pointer)

    def view(self, raw: bytes) -> RecordView:
        value = parse_json(raw)
        if not isinstance(value, dict):
            return RecordView("", tr("no record"))
        kind, when = str(value.get("type") or ""), str(value.get("timestamp") or "")
        columns = Columns()
        reader.add_record(columns, raw, 0, 0)
        if columns.roles[0] in (Role.OPAQUE, Role.LINK):
            return RecordView(kind or "metadata", _summary(value, kind), (), when)
        blocks = tuple(map(reader.block_view, reader.blocks_of(value)))
        counts = integers_at(value, "/tokens/input", "/tokens/output")
        return RecordView(kind, "", blocks, when, str(value.get("model") or ""), *counts)

    evidence_in = staticmethod(reader.evidence_in_record)

    # what the agent does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = SENDS_HALF_PAIRS

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the program does with damage: it skips a line that is not JSON, but loads no such document."""
        is_damaged = any(rule.startswith("F") for rule in rules)
        unread = (
            INVALID_DOCUMENT_REASON
            if is_damaged and session.agent == SINGLE_DOCUMENT_AGENT_LABEL
            else NO_SESSION_ID_REASON
            if session.state
            else ""
        )
        if unread:
            return ResumeBehavior(self.name, "refuses", (tr("the whole chat"),), _LABEL, error=unread)
        return ResumeBehavior(
            self.name, "as-is", (tr("the content of the unreadable lines"),) if is_damaged else (), _LABEL
        )

    # writing

    def save_refusal(self, log: Log, mode: str) -> str:
        if mode != "new-session":
            return ""
        around = log.source.read(0, message_array_start(log)).split(b"\n") if is_single_document(log) else []
        if is_single_document(log) and not any(map(_SESSION_ID_LINE.fullmatch, around)):
            return tr("This chat has no session id that can be replaced. Save a copy, or save in place.")
        if not is_single_document(log) and b'"kind":"subagent"' in log.source.read(0, HEAD_SIZE).partition(b"\n")[0]:
            return tr("Gemini CLI cannot resume a subagent's chat on its own. Save a copy, or save in place.")
        return ""

    def update_derived(self, before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
        return DerivedUpdates(
            deleted=reappearing_versions(before, after), reason=tr("an older version of a dropped message")
        )

    def insertion_start(self, columns: Columns, record: int) -> int:
        """Return the first version of the message, because an id keeps the position at which it first appeared."""
        _, live = message_versions(columns)
        return live.get(columns.groups[record] or "", [record])[0]

    rewrite = staticmethod(writer.rewrite_message)

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return writer.block_at(raw, self.pointer(columns, record, ordinal))

    def sent_call(self, name: str, block: bytes, version: str) -> tuple[str, bytes]:
        """Return an entry of `toolCalls` with the members that the program makes a part of."""
        call = parse_json(block)
        is_part = "functionCall" in call
        return name, block if is_part else dump_json({key: call[key] for key in ("id", "name", "args") if key in call})

    def holds_results(self, columns: Columns, record: int) -> bool:
        return columns.roles[record] == Role.ASSISTANT

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        call_fields = {"id": call.id, "name": call.name} if call.id else {"name": call.name}
        return dump_json({"functionResponse": {**call_fields, "response": {"error" if failed else "output": text}}})

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return _message(like, b"[" + b",".join(blocks) + b"]", seed)

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return dump_json({"text": text})

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return _message(like, dump_json([{"text": text}]), seed)

    # saving as a new session

    def session_file(self, log: Log, session_id: str) -> str:
        """Return the old name with the new id. The time stays, because the program sorts its list by the name."""
        name = Path(log.source.path).name
        known = _FILE_NAME.match(name)
        stem = known[1] if known else f"session-{Path(name).stem}"
        return f"{stem}-{session_id[:8]}{'.json' if is_single_document(log) else '.jsonl'}"

    def with_session_id(self, raw: bytes, old: str, new: str) -> bytes:
        if b'"sessionId"' not in unescape_keys(raw):
            return raw
        line = _SESSION_ID_LINE.fullmatch(raw)
        if line is not None and line[2] == old.encode():
            return line[1] + new.encode() + line[3]
        value = parse_json(raw) if is_valid_json(raw) else None
        for at in ("", "/$set"):
            holder = object_at(value, at)
            if "id" not in holder and holder.get("sessionId") == old:
                raw = json_edits.set_member(raw, at, "sessionId", dump_json(new))
        return raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for("Gemini CLI", f"gemini --resume {session_id}", path, new, "chat")


def _recorded_folder(store: Path) -> str:
    """Return the project's folder as Gemini CLI 0.61 writes it into its store, "" where it did not."""
    try:
        with open(store / ".project_root", encoding="utf-8") as file:
            return file.read(_LONGEST_PATH).strip()
    except (OSError, ValueError):
        return ""


def _subagent_calls(log: Log) -> dict[str, tuple[str, str]]:
    """Return label and call id by agent id, for the subagents that the chat's calls name."""
    calls = {}
    for record in log.sessions[0].main_thread.path:
        if log.columns.roles[record] == Role.ASSISTANT:
            for entry in objects_at(parse_json(log.raw(record)), "/toolCalls"):
                if isinstance(entry.get("agentId"), str):
                    calls[entry["agentId"]] = (tr("Subagent {entry}", entry=entry.get("name")), str(entry.get("id")))
    return calls


def _summary(value: dict[str, Any], kind: str) -> str:
    if "$rewindTo" in value:
        return tr("rewound to the point before {value}", value=value["$rewindTo"])
    if "$set" in value:
        return "sets " + ", ".join(value["$set"]) if isinstance(value["$set"], dict) else "sets nothing"
    text = reader.text_of_message(value).strip()
    return f"{kind}: {text}" if text else kind or "metadata"


def _message(like: bytes, content: bytes, seed: str) -> bytes:
    when = parse_json_cached(like).get("timestamp")
    head = dump_json({"id": deterministic_uuid(seed), "timestamp": when, "type": "user"})
    return head[:-1] + b',"content":' + content + b"}"
