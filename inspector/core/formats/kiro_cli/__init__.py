"""Kiro CLI, engines v1 and v2: `~/.kiro/sessions/cli/<id>.jsonl`, with the metadata of the session in `<id>.json`.

Facts: aws/amazon-q-developer-cli at 052219486d4c and eeb60e98df72, whose crates `agent` and `chat-cli-v2` are Kiro CLI
(2.x; the program itself was not run): `session/mod.rs` (`load_log_entries` skips a line that it cannot read, and fails
at one that is not UTF-8) and `crates/agent/src/agent/mod.rs`. The next prompt is added to the messages, and
`enforce_conversation_invariants` answers each call that the next message does not answer ("Tool use was cancelled by
the user"), sends each result that does not answer a call of the message before it as text, and renames unknown tools.
`detect_invariant_violations` then stops at two messages in a row with the same role, and at an assistant message at the
beginning ("invalid conversation history received"; kirodotdev/Kiro#6110). Everything else is sent to Amazon's API,
whose one answer is "Improperly formed request." (#5068, #5701, hank9999/kiro.rs#56).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
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
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, first_user_text, title_line
from inspector.core.formats.kiro_cli import reader
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.block_schema import BlockSchema, CallSpec, ResultSpec
from inspector.core.providers.block_views import block_views
from inspector.core.providers.profile import UNANSWERED_CALL_RULES
from inspector.core.storage.json_text import list_at, parse_json, pretty_json, text_at, value_at
from inspector.core.translation import tr

_LABEL = "Kiro CLI"
_INVALID_HISTORY, _INVALID_REQUEST = "invalid conversation history received", "Improperly formed request."
_NOT_UTF8 = "stream did not contain valid UTF-8"
_SPEAKING = reader.MESSAGES.keys() | {reader.COMPACTION}
_STOPS = frozenset({"M2", "M3", "M4", "M14"})
_LOST_LINES = INVALID_JSON_LOSSES | {"F7": tr("the line with half of a surrogate pair")}
_SENT_AS_TEXT = dict.fromkeys(
    ("R2", "R3", "R4", "R8", "C1", "C3"), tr("the link between a call and a result that does not directly follow it")
)
# Rejected in the message of the first result, and sent as text in another one.
_SECOND_RESULTS = frozenset({"R5", "R6", "R7"})
_CORRECTED = frozenset((*UNANSWERED_CALL_RULES, *_SENT_AS_TEXT, "R1", "R9", "R12", "C2", "G5", "K7"))


def _shown_result(content: Any) -> str:
    """Return the texts of a result, and what its tool returned as JSON or as an image."""
    parts = content if isinstance(content, list) else [{"kind": "text", "data": content}]
    return "\n".join(
        f"[{kind}]" if kind == "image" else data if isinstance(data, str) else pretty_json(data)
        for kind, data in ((text_at(part, "/kind"), value_at(part, "/data")) for part in parts)
    )


class KiroCli(JsonLines, Agent, CallEvidenceSource):
    """Sessions of Kiro CLI."""

    name = "kiro-cli"
    label = "Kiro CLI session"
    keys = "kind"
    detection = tr("lines with version, kind (Prompt, AssistantMessage, ToolResults, …) and data")
    read = tr(
        "the messages, calls and results since the newest compaction, without those that were cancelled or cleared"
    )
    write_back = tr("no, because it could not be tested whether Kiro CLI accepts a changed log")
    resume = tr(
        "calls without a result are answered, and results that do not directly follow their call are sent as text. Two "
        "messages in a row with the same role stop the session"
    )
    unsupported = tr("sessions in the database data.sqlite3, and records in a ToolResults line of which tool was run")
    source = "aws/amazon-q-developer-cli 052219486d4c and eeb60e98df72, crates/agent and crates/chat-cli-v2"
    read_only_reason = tr(
        "Logs of Kiro CLI are only checked, because its program was not available to test a repair. To go on, start a "
        "new session, and paste an export of this log."
    )
    profile = "bedrock-converse"
    block_schema = BlockSchema(
        {
            "text": BlockKind.TEXT,
            "thinking": BlockKind.THINKING,
            "toolUse": BlockKind.CALL,
            "toolResult": BlockKind.RESULT,
            "image": BlockKind.MEDIA,
        },
        type_key="kind",
        text_pointers=("/data",),
        reasoning_pointers=("/data/text",),
        media_label_pointers=("/data/format",),
        calls=(CallSpec(id="/data/toolUseId", name="/data/name", input=("/data/input",)),),
        results=(
            ResultSpec(
                id="/data/toolUseId",
                content="/data/content",
                shown=_shown_result,
                status="/data/status",
                failed=lambda status: bool(status == "error"),
            ),
        ),
    )
    accepts_bom = False
    keeps_answers_separate = True
    stops_at_repeated_speakers = True
    stores = (StorePattern("~/.kiro", "sessions/cli/*.jsonl", "KIRO_HOME"),)
    session_store = "inspector.core.formats.kiro_cli.session_store:KiroCliStore"
    side_files = ("{name}.json",)

    def score(self, head: Head) -> float:
        kinds = [kind for line in head.lines if (kind := text_at(line, "/kind")) in reader.ENTRIES and _is_own(line)]
        if not head.is_lines or _SPEAKING.isdisjoint(kinds):
            return 0.0
        return 0.95 if 2 * len(kinds) >= len(head.lines) else 0.6

    # reading

    index_valid_record = staticmethod(reader.add_record)
    nested = staticmethod(reader.snapshot_messages)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        path = reader.loaded_path(columns, raw)
        handled = frozenset(_leading_results(columns, path))
        thread = Thread(path, agent_handled_rows=handled)
        return [Session(0, file_stem(log.source.path), range(len(columns)), [thread], self.profile)]

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        path = session.main_thread.path
        session.title = text_at(reader.session_metadata(log.source.path), "/title") or first_user_text(
            log, path, lambda raw: title_line(reader.said(parse_json(raw)))
        )

    def metadata(self, head: Head) -> SessionMetadata:
        known = reader.session_metadata(head.path)
        titles = (title_line(reader.said(line)) for line in head.lines)
        title = text_at(known, "/title") or next(filter(None, titles), "")
        return SessionMetadata(text_at(known, "/cwd"), title_line(title))

    def stored_folder(self, log: Log, session: int) -> str:
        return text_at(reader.session_metadata(log.source.path), "/cwd")

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        is_nested = columns.marks[record] & RecordMark.NO_ENVELOPE
        return f"/content/{ordinal}" if is_nested else f"/data/content/{ordinal}"

    def view(self, raw: bytes) -> RecordView:
        row = parse_json(raw)
        is_nested = bool(text_at(row, "/role")) and not text_at(row, "/kind")
        pointer, meta = ("/content", "/meta") if is_nested else ("/data/content", "/data/meta")
        kind = text_at(row, "/role" if is_nested else "/kind")
        role = reader.MESSAGES[kind].name.lower() if kind in reader.MESSAGES else kind
        blocks = block_views(self.block_schema, list_at(row, pointer), pointer)
        time = value_at(row, f"{meta}/timestamp", "")
        summary = "" if blocks else text_at(row, "/data/summary") or role or tr("no record")
        return RecordView(role, summary, blocks, str(time))

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        """Return what a line of results records of a call that it does not answer."""
        outcome = None if own else value_at(row, "/data/results", {}).get(call.id)
        result = value_at(outcome, "/result")
        if result == "Cancelled":
            return EvidenceItem(EvidenceStrength.MENTIONED, tr("Kiro CLI recorded that the call was canceled."))
        if isinstance(result, dict):
            return EvidenceItem(EvidenceStrength.RAN, tr("Kiro CLI recorded what the tool returned."))
        return None

    # what the program does

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        losses = losses_of_rules(_LOST_LINES | _SENT_AS_TEXT, rules)
        if "F5" in rules:
            return ResumeBehavior(self.name, "refuses", (), _LABEL, error=_NOT_UTF8)
        if not rules.isdisjoint(_STOPS):
            return ResumeBehavior(self.name, "refuses", losses, _LABEL, error=_INVALID_HISTORY)
        if not rules <= _CORRECTED | _LOST_LINES.keys() | _SECOND_RESULTS:
            return ResumeBehavior(
                self.name, "refuses", losses, _LABEL, error=_INVALID_REQUEST, is_rejected_request=True
            )
        outcome = "as-is" if not rules else "unknown" if rules & _SECOND_RESULTS else "mends"
        return ResumeBehavior(self.name, outcome, losses, _LABEL)

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for(_LABEL, f"kiro-cli chat --resume-id {session_id}", path, new)


def _is_own(line: dict[str, Any]) -> bool:
    """Return whether the blocks of a line, if it has any, are Kiro's own."""
    if line["kind"] not in reader.MESSAGES:
        return True
    blocks = value_at(line, "/data/content")
    return isinstance(blocks, list) and all(text_at(block, "/kind") for block in blocks)


def _leading_results(columns: Columns, path: array[int]) -> Iterator[int]:
    """Yield the results that a compaction left without their calls: Kiro sends them as text."""
    first = next((record for record in path if columns.blocks[record]), -1)
    if first >= 0 and columns.marks[first] & RecordMark.NO_ENVELOPE:
        yield from (row for row in columns.block_rows(first) if columns.block_kinds[row] == BlockKind.RESULT)
