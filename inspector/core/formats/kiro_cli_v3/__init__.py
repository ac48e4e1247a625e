"""Kiro CLI, engine v3, and the Kiro IDE: `~/.kiro/sessions/<bucket>/sess_<id>/messages.jsonl`, beside `session.json`.

Facts: `reader`; public descriptions of the engine of Kiro CLI 2.15.1 and 2.21.4, whose source is closed. The program
itself was not run. A call is written after its approval, and its result right behind it: a question that was not
answered stands for a call that is not in the log yet.
"""

from __future__ import annotations

import os
from array import array
from pathlib import Path
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    INVALID_JSON_LOSSES,
    Agent,
    NextSteps,
    ResumeBehavior,
    losses_of_rules,
    resume_steps_for,
)
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import (
    SessionMetadata,
    StorePattern,
    first_user_text,
    read_json_object,
    title_line,
)
from inspector.core.formats.kiro_cli_v3 import reader
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import Log, Session, Thread
from inspector.core.storage.json_text import parse_json, text_at
from inspector.core.translation import tr

_LABEL = "Kiro CLI"
_LOG, _METADATA = "messages.jsonl", "session.json"


class KiroCliV3(JsonLines, Agent, CallEvidenceSource):
    """Sessions of Kiro CLI's engine v3."""

    name = "kiro-cli-v3"
    label = "Kiro CLI v3 session"
    keys = "payload"
    detection = tr("lines with a timestamp and a payload whose type is user, assistant, tool_call, turn_end, …")
    read = tr("the messages, calls and results that no tombstone removed, and questions that wait for an answer")
    write_back = tr("no, because the source of the engine is closed, and a changed log could not be tested with it")
    resume = tr("lines that do not fit their schema are skipped. What is done with damaged histories is not known")
    unsupported = tr("large results in tool-outputs, and snapshots of files")
    source = "aws/amazon-q-developer-cli 1f3b2fd0b588, crates/chat-cli-v2/src/agent/kas"
    read_only_reason = tr(
        "Logs of Kiro CLI's engine v3 are only checked, because what it does with a damaged history is not known. To "
        "go on, start a new session, and paste an export of this log."
    )
    profile = "bedrock-converse"
    results_share_record = False
    one_item_per_record = True
    stores = (
        StorePattern("~/.kiro", f"sessions/*/*/{_LOG}", "KIRO_HOME"),
        StorePattern("~/.kiro", "sessions/*/*/sub-executions/*.jsonl", "KIRO_HOME"),
    )
    session_store = "inspector.core.formats.kiro_cli_v3.session_store:KiroCliV3Store"
    side_files = (_METADATA,)

    def score(self, head: Head) -> float:
        payloads = [line["payload"] for line in head.lines if isinstance(line.get("payload"), dict)]
        own = [text_at(payload, "/type") for payload in payloads if reader.is_own(payload)]
        if not head.is_lines or reader.MESSAGES.isdisjoint(own):
            return 0.0
        return 0.95 if 2 * len(own) >= len(head.lines) else 0.6

    # reading

    index_valid_record = staticmethod(reader.add_record)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        path = reader.loaded_path(columns, raw)
        return [Session(0, _session_id(log.source.path), range(len(columns)), [Thread(path)], self.profile)]

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        waiting = (record for record in path if columns.marks[record] & RecordMark.DEFERRED)
        return {columns.call_ids[row] or "" for record in waiting for row in columns.block_rows(record)}

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        known = self._known(log.source.path)
        session.title = known.title or first_user_text(log, session.main_thread.path, _title)

    def metadata(self, head: Head) -> SessionMetadata:
        known = self._known(head.path)
        said = (title_line(reader.said(line)) for line in head.lines)
        return SessionMetadata(known.project, known.title or next(filter(None, said), ""))

    def stored_folder(self, log: Log, session: int) -> str:
        return self._known(log.source.path).project

    @staticmethod
    def _known(path: str) -> SessionMetadata:
        """Return what the file beside the log says of its session."""
        known = read_json_object(Path(path).with_name(_METADATA)) if os.path.basename(path) == _LOG else {}
        return SessionMetadata(text_at(known, "/workspacePaths/0"), title_line(text_at(known, "/title")))

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return reader.PAYLOAD

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return raw

    view = staticmethod(reader.view)

    def error_text(self, raw: bytes) -> str:
        return text_at(parse_json(raw), "/payload/message")

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        if own or text_at(row, "/payload/toolCallId") != call.id:
            return None
        kind = text_at(row, "/payload/type")
        if kind == "interaction_resolved":
            text = tr("The user was asked to allow the call, and answered: {answer}.", answer=reader.answer(row))
            return EvidenceItem(EvidenceStrength.MENTIONED, text)
        if kind == "tool_revert":
            return EvidenceItem(EvidenceStrength.RAN, tr("Kiro CLI reverted what the call did."))
        return None

    # what the program does

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        losses = losses_of_rules(INVALID_JSON_LOSSES, rules)
        outcome = "as-is" if not rules else "mends" if rules <= INVALID_JSON_LOSSES.keys() else "unknown"
        return ResumeBehavior(self.name, outcome, losses, _LABEL)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for(_LABEL, f"kiro-cli chat --v3 --resume-id {session_id}", path, new)


def _session_id(path: str) -> str:
    folder, _, name = path.replace("\\", "/").rpartition("/")
    return folder.rpartition("/")[2] if name == _LOG and folder else file_stem(name)


def _title(raw: bytes) -> str:
    return title_line(reader.said(parse_json(raw)))
