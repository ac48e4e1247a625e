"""The fold of the records of a Kimi Code log into messages, by the rules of each of the program's readers.

Facts: MoonshotAI/kimi-code d723cc4. Engine v1: `agent-core/src/agent/context/index.ts` (`appendLoopEvent`,
`appendMessage`, `applyCompaction`, `undo`); engine v2: `agent-core-v2/src/agent/contextMemory/loopEventFold.ts`,
`contextOps.ts`, `compactionHandoff.ts`; the viewer: `apps/vis/server/src/lib/context-projector.ts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from msgspec import Struct

from inspector.core.formats.kimi_code.compaction import (
    CompactionCut,
    CutsBySlot,
    integer_member,
    is_accepted_by_engine_v2,
    kept_prompts,
)
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import ExchangeCutByCompaction
from inspector.core.model.views import BlockKind, one_based
from inspector.core.storage.json_text import object_at, objects_at, parse_json
from inspector.core.translation import tr

_CALL_OR_RESULT = (BlockKind.CALL, BlockKind.RESULT)


class ReplayRules(Struct, frozen=True):
    """The rules of one of the program's readers.

    With `delays_messages`, an open call holds messages back until the next step closes it. With `keeps_one_step`, one
    step is open at a time, and its end closes its calls (engine v2). With `keeps`, a compaction removes nothing (the
    view of the whole transcript).
    """

    label: str
    delays_messages: bool = True
    keeps_one_step: bool = False
    keeps: bool = False


ENGINE_V1_RULES = ReplayRules("Engine v1 (agent-core)")
ENGINE_V2_RULES = ReplayRules("Engine v2 (agent-core-v2)", keeps_one_step=True)
VIEWER_RULES = ReplayRules(tr("The viewer (apps/vis)"), delays_messages=False)


class FoldedMessageStatus(IntEnum):
    """The kind of a folded message. MADE: added by the reader. STRAY: recorded, but ignored. LINK: not a message."""

    MESSAGE = 0
    MADE = 1
    STRAY = 2
    LINK = 3


class FoldedMessage(Struct, gc=False):
    """A message of the history and the records that it is folded from. `call_id` is the call that a result answers."""

    kind: FoldedMessageStatus
    role: Role
    records: list[int]
    call_id: str = ""

    @property
    def counts(self) -> bool:
        return self.kind in (FoldedMessageStatus.MESSAGE, FoldedMessageStatus.MADE)


class FoldedMessageReader:
    """The facts about folded messages that are read from the bytes of their records."""

    def __init__(self, columns: Columns, raw: ReadRecord) -> None:
        self.columns, self.raw = columns, raw

    def origin(self, entry: FoldedMessage) -> str:
        """Return the origin of a message, "" if it is the user's or the model's."""
        if entry.kind == FoldedMessageStatus.MADE:
            return "injection" if entry.role == Role.USER else ""
        if entry.kind != FoldedMessageStatus.MESSAGE or self.columns.groups[entry.records[0]] is not None:
            return ""
        if self.columns.marks[entry.records[0]] & RecordMark.COMPACTION:
            return "compaction_summary"
        message = self.value(entry.records[0], "message")
        return "" if is_from_user_or_model(message.get("origin")) else str(message["origin"].get("kind"))

    def is_prompt(self, entry: FoldedMessage) -> bool:
        """Return whether this is a prompt of the user: an undo goes back to it, and a compaction keeps it."""
        return entry.kind == FoldedMessageStatus.MESSAGE and entry.role == Role.USER and not self.origin(entry)

    def calls(self, entry: FoldedMessage) -> list[tuple[str, int]]:
        """Return the calls of a message as pairs of id and block row."""
        columns = self.columns
        rows = [row for record in entry.records for row in columns.block_rows(record)]
        return [(columns.call_ids[row] or "", row) for row in rows if columns.block_kinds[row] == BlockKind.CALL]

    def is_vacuous(self, record: int) -> bool:
        """Return whether a part of a step is empty."""
        columns = self.columns
        kinds, flags = columns.block_kinds, columns.block_flags
        return all(
            kinds[row] not in _CALL_OR_RESULT and flags[row] & BlockFlag.BLANK for row in columns.block_rows(record)
        )

    def text(self, entry: FoldedMessage) -> str:
        """Return the text of a message."""
        return text_of_content(self.value(entry.records[0], "message").get("content"))

    def value(self, record: int, member: str = "") -> dict[str, Any]:
        """Return the object in a record or in one of its members, an empty one if there is none."""
        return object_at(parse_json(self.raw(record)), f"/{member}" if member else "")


def is_from_user_or_model(origin: Any) -> bool:
    """Return whether a message of this origin is typed by the user or is the model's."""
    if not isinstance(origin, dict):
        return True
    kind = origin.get("kind")
    command = kind in ("skill_activation", "plugin_command")
    return kind in (None, "user") or (command and origin.get("trigger") == "user-slash")


def text_of_content(content: Any) -> str:
    """Return the text parts of a message's content, joined."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text")) for part in objects_at(content, "") if part.get("type") == "text")


class HistoryFold:
    """A reader's walk over the records. `history` holds the messages that the reader would hold.

    `closed` is the record at which a call was closed without its result, by the call's id. `unheard` are results in the
    log that are ignored, and `homeless` are parts of no open step. `cuts` are compactions by record. `notes` are
    sentences for the user, with their records. For a planned log, `known` are the cuts in the log as read. With
    `cutoffs`, those of micro compactions are followed too.
    """

    def __init__(
        self,
        columns: Columns,
        raw: ReadRecord,
        reader: ReplayRules,
        known: CutsBySlot | None = None,
        cutoffs: bool = False,
    ) -> None:
        self.columns, self.reader = columns, reader
        self.entries = FoldedMessageReader(columns, raw)
        self.known, self.cutoffs = known or {}, cutoffs
        self.history: list[FoldedMessage] = []
        self.open: dict[str, FoldedMessage] = {}
        self.pending: dict[str, int] = {}
        self.waiting: list[FoldedMessage] = []
        self.closed: dict[str, int] = {}
        self.cut_off: dict[str, ExchangeCutByCompaction] = {}
        self.all_cut_off: list[ExchangeCutByCompaction] = []
        self.split: list[ExchangeCutByCompaction] = []
        self.unheard: list[int] = []
        self.homeless: list[int] = []
        self.cuts: dict[int, CompactionCut] = {}
        self.notes: list[tuple[int, str]] = []

    def run(self) -> HistoryFold:
        columns = self.columns
        for record, role in enumerate(columns.roles):
            if role == Role.OPAQUE:
                continue
            mark = columns.marks[record]
            if mark & RecordMark.GROUP_START:
                self._begin(record)
            elif mark & RecordMark.GROUP_END:
                self._end(record)
            elif mark & RecordMark.COMPACTION:
                self._compact(record)
            elif role == Role.LINK:
                self._cut_back(record)
            elif columns.groups[record] is None:
                self._message(record, Role(role))
            elif role == Role.TOOL:
                self._result(record)
            else:
                self._fragment(record)
        return self

    def finish(self) -> HistoryFold:
        """Close what is still open, as at the end of a resume."""
        self._close(-1)
        return self

    # records

    def _begin(self, record: int) -> None:
        if self.reader.keeps_one_step:
            self._settle(record)
        elif self.reader.delays_messages:
            self._close(record)
        entry = FoldedMessage(FoldedMessageStatus.MESSAGE, Role.ASSISTANT, [record])
        self.history.append(entry)
        self.open[self.columns.groups[record] or ""] = entry

    def _fragment(self, record: int) -> None:
        entry = self.open.get(self.columns.groups[record] or "")
        if entry is None:
            self.homeless.append(record)
            return
        entry.records.append(record)
        row = self.columns.first_block[record]
        if self.columns.block_kinds[row] == BlockKind.CALL:
            call_id = self.columns.call_ids[row] or ""
            self.pending.setdefault(call_id, record)
            self.closed.pop(call_id, None)
            self.cut_off.pop(call_id, None)

    def _result(self, record: int) -> None:
        call_id = self.columns.call_ids[self.columns.first_block[record]] or ""
        if call_id in self.pending or not self.reader.delays_messages:
            self.history.append(FoldedMessage(FoldedMessageStatus.MESSAGE, Role.TOOL, [record], call_id))
            self.pending.pop(call_id, None)
            self._flush()
            return
        self.history.append(FoldedMessage(FoldedMessageStatus.STRAY, Role.TOOL, [record], call_id))
        self.unheard.append(record)
        cut = self.cut_off.pop(call_id, None)
        if cut is not None:
            cut.result = record
        self.notes.append((record, self._why_unheard(record, call_id)))

    def _message(self, record: int, role: Role) -> None:
        call_id = ""
        rows = self.columns.block_rows(record)
        if role == Role.TOOL:
            call_id = self.columns.call_ids[rows[0]] or ""
            if call_id in self.pending or call_id in self.closed:
                self.unheard.append(record)
        elif role == Role.ASSISTANT:
            for row in rows:
                self.closed.pop(self.columns.call_ids[row] or "", None)
        entry = FoldedMessage(FoldedMessageStatus.MESSAGE, role, [record], call_id)
        if self.pending and self.reader.delays_messages:
            self.waiting.append(entry)
        else:
            self.history.append(entry)

    def _end(self, record: int) -> None:
        self.history.append(FoldedMessage(FoldedMessageStatus.LINK, Role.LINK, [record]))
        if not self.reader.keeps_one_step:
            self.open.pop(self.columns.groups[record] or "", None)
            self._flush()
        elif self.entries.value(record, "event").get("finishReason") not in ("interrupted", "error"):
            self._settle(record)

    def _cut_back(self, record: int) -> None:
        value = self.entries.value(record)
        kind = value.get("type")
        if kind == "micro_compaction.apply":
            if self.cutoffs:
                self.cuts[record] = self._cut(record, integer_member(value, "cutoff"))
        elif kind == "context.clear":
            self.history.clear()
            self.all_cut_off.clear()
            self.split.clear()
            self._forget(record)
        elif self._undo(integer_member(value, "count") or 0):
            self._forget(record)

    # what is open

    def _close(self, record: int) -> None:
        """Answer the open calls, and append the messages that waited for them."""
        for call_id, call in self.pending.items():
            self.history.append(FoldedMessage(FoldedMessageStatus.MADE, Role.TOOL, [], call_id))
            self.closed[call_id] = record
            left = tr("at record {record}, where the step ends", record=one_based(record))
            where = left if record >= 0 else tr("when the resume finishes")
            self.notes.append(
                (
                    call,
                    tr(
                        "The call {call_id!r} is closed {where} with a result that reports the call as interrupted.",
                        call_id=call_id,
                        where=where,
                    ),
                )
            )
        self.pending.clear()
        self._flush()

    def _settle(self, record: int) -> None:
        """End the open step, and drop it if it is empty (engine v2)."""
        self._close(record)
        for entry in self.open.values():
            if all(self.entries.is_vacuous(fragment) for fragment in entry.records):
                entry.kind = FoldedMessageStatus.LINK
        self.open.clear()

    def _flush(self) -> None:
        if self.pending or not self.waiting:
            return
        for entry in self.waiting:
            text = tr(
                "This message was recorded while a call had no result, so it is placed after the results of that "
                "exchange."
            )
            self.notes.append((entry.records[0], text))
        self.history += self.waiting
        self.waiting = []

    def _forget(self, record: int) -> None:
        """Close everything and drop waiting messages, as a compaction, an undo or a clear does."""
        self.closed |= dict.fromkeys(self.pending, record)
        for entry in self.waiting:
            text = tr(
                "This message was dropped at record {record} while it was waiting for the result of a call.",
                record=one_based(record),
            )
            self.notes.append((entry.records[0], text))
        self.open.clear()
        self.pending.clear()
        self.waiting = []

    # what takes messages away

    def _undo(self, count: int) -> bool:
        """Take back `count` prompts of the user. Return False if nothing is taken back."""
        if count <= 0:
            return False
        kept: list[FoldedMessage] = []
        taken = len(self.history)
        users = 0
        while taken and users < count:
            taken -= 1
            entry = self.history[taken]
            origin = self.entries.origin(entry)
            if origin == "compaction_summary":
                taken += 1
                break
            if origin == "injection":
                kept.append(entry)
            users += self.entries.is_prompt(entry)
        if self.reader.keeps_one_step:
            if users < count:
                return False
            kept = []
        self.history[taken:] = reversed(kept)
        return True

    def _compact(self, record: int) -> None:
        value = self.entries.value(record)
        if self.reader.keeps_one_step and not is_accepted_by_engine_v2(value):
            return
        summary = FoldedMessage(FoldedMessageStatus.MESSAGE, Role.USER, [record])
        users = integer_member(value, "keptUserMessageCount")
        count = integer_member(value, "compactedCount" if "compactedCount" in value else "count")
        cut = self.cuts[record] = self._cut(record, count if users is None else None, users)
        legacy = users is None and (
            cut.at < cut.length or self.reader.keeps_one_step or not self.reader.delays_messages
        )
        if self.reader.keeps:
            self.history.append(summary)
        elif legacy:
            index = self._index_of(cut.at)
            self._note_split(record, index)
            self.history = [summary, *self.history[index:]]
        else:
            prompts = [entry for entry in self.history if self.entries.is_prompt(entry)]
            self.history = [*kept_prompts(prompts, value, cut.users, self.entries.text), summary]
            if integer_member(value, "keptHeadUserMessageCount") is not None:
                self.history.insert(len(self.history) - 1, FoldedMessage(FoldedMessageStatus.MADE, Role.USER, []))
        self._note_cut_off(record)
        self._forget(record)

    def _cut(self, record: int, number: int | None, users: int | None = None) -> CompactionCut:
        """Return the cut of a compaction in the current history: counts of the log as read are valid only there."""
        slot_of = self.columns.stable_numbers
        slots = [slot_of[entry.records[0]] if entry.records else -1 for entry in self.history if entry.counts]
        prompts = sum(map(self.entries.is_prompt, self.history)) if users is not None else 0
        return CompactionCut.made(self.known.get(self.columns.stable_numbers[record]), number, users, slots, prompts)

    def _index_of(self, at: int) -> int:
        """Return the index in the history of message number `at`."""
        number = -1
        for index, entry in enumerate(self.history):
            number += entry.counts
            if number == at:
                return index
        return len(self.history)

    def _note_split(self, record: int, index: int) -> None:
        """Note results after the cut whose calls are before it."""
        calls: dict[str, tuple[int, int, int]] = {}
        number = -1
        for place, entry in enumerate(self.history):
            number += entry.counts
            if entry.role == Role.ASSISTANT:
                calls |= {call_id: (place, number, row) for call_id, row in self.entries.calls(entry)}
            elif place >= index and entry.kind == FoldedMessageStatus.MESSAGE and entry.call_id in calls:
                called, at, row = calls[entry.call_id]
                if called < index:
                    cut = ExchangeCutByCompaction(
                        self.columns.record_of_block(row), row, record, entry.records[0], cut_before=at
                    )
                    self.split.append(cut)

    def _note_cut_off(self, record: int) -> None:
        if not self.pending:
            return
        kept = {fragment for entry in self.history for fragment in entry.records}
        for call_id, call in self.pending.items():
            cut = ExchangeCutByCompaction(
                call, self.columns.first_block[call], record, call_kept=call in kept, lost_messages=len(self.waiting)
            )
            self.cut_off[call_id] = cut
            self.all_cut_off.append(cut)
            when = tr("when the history was compacted at record {record}", record=one_based(record))
            text = tr(
                "The call {call_id!r} had no result {when}, and its result can no longer be added.",
                call_id=call_id,
                when=when,
            )
            self.notes.append((call, text))

    def path(self) -> Iterable[int]:
        """Return the records in the order of the messages, with the ignored ones."""
        return (record for entry in self.history for record in entry.records)

    def _why_unheard(self, record: int, call_id: str) -> str:
        if call_id not in self.closed:
            return tr(
                "This result is dropped, because no call with the id {call_id!r} is waiting for a result.",
                call_id=call_id,
            )
        is_placeholder = self.columns.block_flags[self.columns.first_block[record]] & BlockFlag.PLACEHOLDER
        subject = tr("This placeholder from an earlier repair") if is_placeholder else tr("This result")
        return tr(
            "{subject} is skipped, because the call {call_id!r} was closed at record {closed}.",
            subject=subject,
            call_id=call_id,
            closed=one_based(self.closed[call_id]),
        )
