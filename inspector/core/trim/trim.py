"""Trim a log: cut its history, remove what belongs to the cut part, and verify that the agent can load the rest.

The largest tool results can be replaced by notes. Such a result keeps its id and its place, and says that its content
was removed.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import heappush, heapreplace
from itertools import chain

from msgspec import Struct

from inspector.core.analysis.thread_context import ThreadContext, pair_thread
from inspector.core.check.check import Report, Verdict
from inspector.core.errors import NotVerified
from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_views import replace_result_content
from inspector.core.providers.error_kinds import TOO_LONG
from inspector.core.providers.error_parser import parse_error_text
from inspector.core.providers.registry import profile_named
from inspector.core.repair.choices import Choices, ResultOffers
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss, Reason
from inspector.core.repair.plan import Plan, plan_repair, require_writer
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr
from inspector.core.trim.boundaries import (
    NO_MESSAGE,
    CutPoint,
    best_cut_points,
    cut_points,
    kept_head_length,
    last_valid_end_before,
    message_positions,
)
from inspector.core.trim.fit import CUT_NOTE, FitOutcome, Fitter
from inspector.core.trim.measures import (
    ContextTokens,
    RemovedBlockTotals,
    block_losses,
    output_size,
    removed_blocks,
    removed_totals_by_kind,
    tokens_after_beginning_cut,
    tokens_after_end_cut,
)
from inspector.core.trim.options import Shrinking, Trimming

_ATTEMPTS = 12
_TRIM_REASON = tr("the history was trimmed")

_NAME = re.compile(rb'"([^"\\]{8,64})"')
# Claude Code and opencode say "[Old tool result content cleared]"; that text alone is known as a placeholder.
CLEARED_RESULT_NOTE = "[Old tool result content cleared: {size:,} bytes were removed to shorten the history.]"
CLEARED_RESULT_REASON = tr("replaced with a note to shorten the history")


class SessionTrimOutcome(Struct):
    """The outcome for one session: how many messages it had, how many were wanted and are left, and its tokens.

    `kept_in_front` are messages that stay at the beginning, in addition to those that are wanted. `invalid_reasoning`
    counts the blocks of reasoning that stay after the changed place. `note` says whether a note was put first. `shrunk`
    results are notes now; `unshrinkable` results are of a kind that cannot be replaced by a note. `is_cut` says whether
    the beginning was removed, and `fitted` what was done to fit a context window. `end` is the record before which the
    history ends now, None if its end is kept; `behind_end` are this and all later records of the session.
    """

    session: Session
    messages: int
    kept_in_front: int
    wanted: int
    left: int
    tokens: ContextTokens
    invalid_reasoning: int = 0
    note: bool = False
    shrunk: int = 0
    unshrinkable: int = 0
    is_cut: bool = False
    fitted: FitOutcome | None = None
    end: int | None = None
    behind_end: range = range(0)


class Trimmed(Struct):
    """A planned trimming of a log.

    `records` are the removed records that are still as the log has them. `reworked` are the losses from removed records
    that the repair had changed or added. `shrunk` are the results that notes replace. `repair_losses` are the losses of
    the repair that the trimming would not have removed.
    """

    plan: Plan
    cuts: list[SessionTrimOutcome]
    records: list[int]
    reworked: list[Loss]
    shrunk: list[Loss]
    repair_losses: list[Loss]
    bytes_before: int
    bytes_after: int
    shares: dict[str, RemovedBlockTotals]

    def losses(self) -> Iterator[Loss]:
        """Yield everything that is not in the output: losses of the repair, removed blocks, and replaced results."""
        yield from self.plan.draft.losses
        yield from removed_blocks(self.plan.draft, self.records)
        yield from self.reworked
        yield from self.shrunk

    @property
    def changes_nothing(self) -> bool:
        return self.plan.changes_nothing

    @property
    def is_to_be_resumed(self) -> bool:
        """Whether it was made so that the session goes on: it fits a context window, or ends at an earlier place."""
        return any(cut.fitted is not None or cut.end is not None for cut in self.cuts)

    @property
    def name(self) -> str:
        """The file name for a copy."""
        return self.plan.draft.log.source.copy_name.replace(".repaired", ".trimmed")


def plan_trim(report: Report, options: Trimming, offers: ResultOffers | None = None) -> Trimmed:
    """Plan the trimming of a judged log. Nothing is written. `offers` are for the repair before it.

    Raises NotVerified for a broken log (unless it is repaired first) and for a history that cannot be cut anywhere;
    ReadOnlyFormat; UnknownName.
    """
    require_writer(report)
    if report.verdict == Verdict.BROKEN and options.repairs is None:
        raise NotVerified(tr("The log is broken, so nothing was trimmed. Repair it first, or use `trim --repair`."))
    attempts: dict[int, int] = {}
    for _ in range(_ATTEMPTS):
        trimmer = _Trimmer(report, options, attempts)
        planned = plan_repair(report, options.repairs or Choices(), trimmer.edit, offers)
        failed = trimmer.failed(planned)
        if not failed:
            return trimmer.outcome(planned)
        for number in failed:
            attempts[number] = attempts.get(number, 0) + 1
    reason = f" ({planned.reason})" if planned.reason else ""
    raise NotVerified(tr("The agent would not be able to load the trimmed history{reason}.", reason=reason))


def _session_loading(report: Report, record: int) -> int:
    """Return the number of the session whose history has the record. Raises NotVerified."""
    for checked in report.sessions:
        if record in checked.session.main_thread.path:
            return checked.session.number
    raise NotVerified(
        tr(
            "The history cannot end before this message, because the agent does not load the message. Choose "
            "another message."
        )
    )


class _Trimmer:
    """One attempt. `attempts` counts, by session number, the best places that did not verify."""

    def __init__(self, report: Report, trimming: Trimming, attempts: dict[int, int]) -> None:
        self.report, self.trimming, self.attempts = report, trimming, attempts
        self.cuts: list[SessionTrimOutcome] = []
        self.expected: dict[int, list[int]] = {}
        self.records: list[int] = []
        self.reworked: list[Loss] = []
        self.shrunk: list[Loss] = []
        self.known_slots = 0
        self.ended_session = None if trimming.before is None else _session_loading(report, trimming.before)

    def edit(self, draft: Draft, mains: list[ThreadContext]) -> None:
        """Cut every session of the draft. Raises NotVerified when one cannot be cut."""
        self.known_slots = draft.next_slot
        gone: set[int] = set()
        before = draft.columns
        for context in mains:
            gone |= self._cut(draft, context) if self.ended_session is None else self._cut_end(context)
        for record in sorted(gone):
            draft.add_reason(record, "", _TRIM_REASON)
            slot = before.stable_numbers[record]
            if slot not in draft.texts:
                self.records.append(slot)
            elif before.blocks[record]:
                self.reworked += block_losses(draft.format, draft.raw(record), draft.original_record(record))
        draft.delete_many(gone)
        if draft.has_pending:
            draft.commit()
            clean_up_metadata(draft, before, gone)

    def _cut(self, draft: Draft, context: ThreadContext) -> set[int]:
        path, wish, fit = context.thread.path, self.trimming.wish, self.trimming.fit
        head = kept_head_length(context, wish.first)
        total, all_of_it = len(message_positions(context, head)), len(message_positions(context, 0))
        wanted = wish.messages_to_keep(total)
        fitter = Fitter(draft, context, fit) if fit is not None else None
        if fitter is None:
            point = self._place(draft, context, head, total, wanted)
        else:
            point = None if fitter.fits else self._fitting_place(fitter, draft, context, head)
        at = head if point is None else point.at
        left = all_of_it - (0 if point is None else total - point.messages_after)
        cut = SessionTrimOutcome(
            context.session, all_of_it, all_of_it - total, wanted, left, tokens_after_beginning_cut(context, at)
        )
        self.cuts.append(cut)
        kept = [*path[:head], *path[at:]]
        removed = records_to_remove(context, head, at) if point is not None else set[int]()
        if self.trimming.shrinking != Shrinking():
            marks = context.columns.marks
            own = [record for record in kept if not marks[record] & RecordMark.INHERITED]
            losses, unshrinkable = clear_large_results(draft, context, own, self.trimming.shrinking)
            cut.shrunk, cut.unshrinkable = len(losses), unshrinkable
            self.shrunk += losses
        if fitter is not None and (point is not None or fitter.replacements):
            removed |= _resolved_errors(context)
        if fitter is not None:
            cut.fitted, losses = fitter.apply(removed)
            cut.shrunk = len(losses)
            self.shrunk += losses
        columns = context.columns
        if point is not None or cut.shrunk:
            kinds = (columns.block_kinds[row] for record in path[at:] for row in columns.block_rows(record))
            cut.invalid_reasoning = sum(kind == BlockKind.THINKING for kind in kinds)
        if point is not None:
            cut.is_cut = True
            if not point.is_valid_start or (fitter is not None and fitter.can_note_cut):
                cut.note = True
                self._put_note(draft, context, path[at], total - point.messages_after)
        if removed:
            self.expected[context.session.number] = [
                columns.stable_numbers[r] for r in path if r not in removed and columns.blocks[r]
            ]
        return removed

    def _cut_end(self, context: ThreadContext) -> set[int]:
        """Return the records to remove so that the history ends before the chosen record. Raises NotVerified."""
        columns, path, chosen = context.columns, context.thread.path, self.trimming.before or 0
        slots, messages = columns.stable_numbers, message_positions(context, 0)
        count = len(messages)
        cut = SessionTrimOutcome(context.session, count, 0, count, count, tokens_after_end_cut(context, len(path)))
        self.cuts.append(cut)
        if context.session.number != self.ended_session:
            return set()
        # The chosen record may be no message, or removed by a repair: then the next message counts.
        said = [at for at, record in enumerate(path) if columns.roles[record] not in NO_MESSAGE]
        wished = next((at for at in said if chosen <= slots[path[at]] < self.known_slots), None)
        if wished is None:
            return set()
        at = last_valid_end_before(context, wished)
        if not any(columns.roles[record] in (Role.USER, Role.ASSISTANT, Role.TOOL) for record in path[:at]):
            raise NotVerified(tr("The history cannot end before this message, because nothing would be left."))
        cut.tokens = tokens_after_end_cut(context, at)
        cut.wanted = sum(position < wished for position in messages)
        removed = records_after_cut(context, at)
        if any(columns.marks[record] & RecordMark.INHERITED for record in removed):
            raise NotVerified(
                tr(
                    "The history cannot end before this message, because the message is in another log, and trimming "
                    "never changes other logs."
                )
            )
        cut.end = slots[path[at]]
        judged = next(each.session for each in self.report.sessions if each.session.number == self.ended_session)
        cut.behind_end = range(cut.end, judged.records.stop)
        self.expected[context.session.number] = [slots[r] for r in path[:at] if columns.blocks[r]]
        return removed

    def _place(self, draft: Draft, context: ThreadContext, head: int, total: int, wanted: int) -> CutPoint | None:
        """Return where this attempt cuts a session, None where nothing has to be removed. Raises NotVerified."""
        if wanted >= total:
            return None
        points = list(best_cut_points(self._cut_points(draft, context, head), wanted))
        tried = self.attempts.get(context.session.number, 0)
        if tried < len(points):
            return points[tried]
        where = tr(" of session {id}", id=context.session.id) if len(self.report.sessions) > 1 else ""
        advice = "" if self.trimming.wish.first else tr(" Trimming may be possible if you keep the first message.")
        raise NotVerified(
            tr(
                "The {total} messages{where} cannot be trimmed, because the provider would not accept any "
                "later message as the first message.{advice}",
                total=total,
                where=where,
                advice=advice,
            )
        )

    def _fitting_place(self, fitter: Fitter, draft: Draft, context: ThreadContext, head: int) -> CutPoint:
        """Return where this attempt cuts a session that must become shorter to fit. Raises NotVerified."""
        points = fitter.fitting_cuts(self._cut_points(draft, context, head), head)
        tried = self.attempts.get(context.session.number, 0)
        if tried < len(points):
            return points[tried]
        raise fitter.refusal()

    def _cut_points(self, draft: Draft, context: ThreadContext, head: int) -> list[CutPoint]:
        """Return where a session can be cut. Raises NotVerified where its beginning is in another log."""
        if context.session.unread_base is not None or context.columns.has_mark(RecordMark.INHERITED):
            raise NotVerified(
                tr(
                    "The beginning of this history cannot be removed, because it is in another log, and trimming "
                    "never changes other logs. You can replace large results in this log with notes."
                )
            )
        can_add = not isinstance(draft.log.source, AssembledSource)
        points = cut_points(context, head, self.trimming.wish.first)
        return [point for point in points if point.is_valid_start or can_add]

    def _put_note(self, draft: Draft, context: ThreadContext, record: int, count: int) -> None:
        first = draft.format.insertion_start(context.columns, record)
        text = CUT_NOTE.format(count=count)
        seed = f"{context.session.id}:trimmed:{context.columns.stable_numbers[record]}"
        raw = draft.format.user_record(draft.raw(first), text, seed)
        draft.add_before(first, raw, Reason("", tr("a note stating that the beginning was removed")))

    def failed(self, planned: Plan) -> list[int]:
        """Return the numbers of the sessions that would not be loaded as they were cut. Raises NotVerified."""
        if not planned.verified:
            if not self.expected:
                raise NotVerified(tr("Nothing was written: {reason}", reason=planned.reason))
            return list(self.expected)
        columns, expected = planned.draft.columns, self.expected
        cut = (session for session in planned.sessions if session.number in expected)
        return [
            session.number
            for session in cut
            if _message_slots(columns, session, self.known_slots) != expected[session.number]
        ]

    def outcome(self, planned: Plan) -> Trimmed:
        for cut, session in self._with_sessions(planned):
            cut.left = _messages(planned, session)
        draft = planned.draft
        cut_off = [loss for loss in draft.losses if any(loss.record in cut.behind_end for cut in self.cuts)]
        return Trimmed(
            planned,
            self.cuts,
            self.records,
            self.reworked,
            self.shrunk,
            [loss for loss in draft.losses if loss not in cut_off],
            draft.log.source.size,
            output_size(draft),
            removed_totals_by_kind(chain(removed_blocks(draft, self.records), self.reworked, cut_off)),
        )

    def _with_sessions(self, planned: Plan) -> Iterator[tuple[SessionTrimOutcome, Session]]:
        by_number = {session.number: session for session in planned.sessions}
        for cut in self.cuts:
            if cut.session.number in by_number:
                yield cut, by_number[cut.session.number]


def _resolved_errors(context: ThreadContext) -> set[int]:
    """Return the last record if it is the provider's error that the history is too long. It no longer is."""
    record, text = context.last_error
    return {record} if record >= 0 and parse_error_text(text).kind == TOO_LONG else set()


def _message_slots(columns: Columns, session: Session, known: int) -> list[int]:
    """Return the slots of a session's messages, without those added since."""
    return [slot for r in session.main_thread.path if columns.blocks[r] and (slot := columns.stable_numbers[r]) < known]


def _messages(planned: Plan, session: Session) -> int:
    pairing = pair_thread(
        planned.draft.format, planned.draft.columns, session.main_thread, profile_named(session.profile)
    )
    return len({number for number in pairing.messages if number >= 0})


def records_to_remove(context: ThreadContext, head: int, at: int) -> set[int]:
    """Return the records to remove when a history is cut before path position `at` and its first `head` records stay.

    Records off the path are removed too: those before everything that stays after the cut (abandoned branches, what a
    compaction replaced, the thread of a subagent), and progress that removed calls reported. Older versions of kept
    records stay. A boundary without text stays, because what it hides would come back.
    """
    columns, path = context.columns, context.thread.path
    hidden = RecordMark.COMPACTION
    gone = {
        record
        for record in path[head:at]
        if not (columns.roles[record] in (Role.LINK, Role.OPAQUE) and columns.marks[record] & hidden)
    }
    on_path = set(path)
    first = min(path[at:])
    stays = {columns.groups[record] for record in (*path[:head], *path[at:])} - {None}
    calls = {columns.call_ids[row] for record in gone for row in columns.block_rows(record)} - {None}
    for record in context.session.records:
        role, mark, group = columns.roles[record], columns.marks[record], columns.groups[record]
        if role == Role.OPAQUE or record in on_path:
            continue
        left_behind = record < first and not (group in stays and not mark & RecordMark.TRANSIENT)
        if (left_behind and not (role == Role.LINK and mark & hidden)) or (
            mark & RecordMark.TRANSIENT and group in calls
        ):
            gone.add(record)
    return gone


def records_after_cut(context: ThreadContext, at: int) -> set[int]:
    """Return the records to remove so that a history ends before path position `at`.

    These are the first message after those that stay, also one of an abandoned branch, and all records after it: the
    log is as it was then.
    """
    path, roles = context.thread.path, context.columns.roles
    last = max(path[:at])
    later = [record for record in context.session.records if record > last]
    end = next((record for record in later if record == path[at] or roles[record] not in NO_MESSAGE), path[at])
    return {record for record in later if record >= end}


def clean_up_metadata(draft: Draft, before: Columns, gone: Iterable[int]) -> None:
    """Remove metadata that names only removed records. Metadata that names other records too stays.

    `gone` are record numbers in `before`, the columns from before the removal; the draft has already removed the
    records.
    """
    ids = {uuid.encode() for record in gone if (uuid := before.uuids[record]) is not None}
    if not ids:
        return
    columns = draft.columns
    known = {uuid.encode() for uuid in columns.uuids if uuid is not None}
    still_named: set[bytes] = set()
    for record, role in enumerate(columns.roles):
        if role not in (Role.OPAQUE, Role.LINK):
            continue
        mentioned = set(_NAME.findall(draft.raw(record)))
        removed_ids = mentioned & ids
        if removed_ids and role == Role.OPAQUE and not mentioned & known:
            draft.delete(record)
            draft.add_reason(record, "", tr("the record refers to messages that were removed"))
        else:
            still_named |= removed_ids
    # No metadata names the other removed ids, so they need not be looked up.
    draft.dropped_uuids = {
        uuid: _survivor(draft.dropped_uuids, uuid) for uuid in draft.dropped_uuids if uuid.encode() in still_named
    }
    if draft.has_pending:
        draft.commit()


def _survivor(gone: dict[str, str | None], uuid: str) -> str | None:
    """Return the nearest ancestor of a removed record that stays, None when there is none."""
    parent = gone[uuid]
    while parent in gone:
        parent = gone[parent]
    return parent


class LargeResult(Struct, frozen=True):
    """A result: its size in bytes of text, its record, its ordinal in the record, its call id, and its text."""

    size: int
    record: int
    ordinal: int
    call_id: str
    text: str


def clear_large_results(
    draft: Draft, context: ThreadContext, records: Iterable[int], options: Shrinking
) -> tuple[list[Loss], int]:
    """Replace the chosen results among `records` by notes.

    Returns the losses in the order of the log, and how many results are of a kind that no text can replace.
    """
    losses, unshrinkable = [], 0
    for large in sorted(_chosen(draft, context, records, options), key=lambda result: (result.record, result.ordinal)):
        note = CLEARED_RESULT_NOTE.format(size=large.size)
        block = context.format.block_bytes(draft.columns, large.record, draft.raw(large.record), large.ordinal)
        new_block = replace_result_content(block, note, context.format.block_schema)
        unshrinkable += new_block is None
        if new_block is None or len(note) >= large.size:
            continue
        draft.block_edits(large.record).replace[large.ordinal] = new_block
        reason = tr("a result of {size:,} bytes was replaced with a note", size=large.size)
        draft.add_reason(large.record, "", reason, block=draft.block_origin(large.record, large.ordinal))
        losses.append(Loss("result", large.text, CLEARED_RESULT_REASON, draft.original_record(large.record)))
    return losses, unshrinkable


def _chosen(draft: Draft, context: ThreadContext, records: Iterable[int], options: Shrinking) -> list[LargeResult]:
    if options.over is not None:
        over = options.over
        long_records = (record for record in records if _length(draft, record) > over)
        return [large for record in long_records for large in _results(draft, context, record) if large.size > over]
    most = options.most or 0
    largest: list[tuple[int, int, int, LargeResult]] = []
    for number, record in enumerate(sorted(records, key=lambda record: -_length(draft, record)) if most else ()):
        if len(largest) == most and largest[0][0] >= _length(draft, record):
            break  # No text is longer than its record.
        for large in _results(draft, context, record):
            entry = (large.size, -number, -large.ordinal, large)
            if len(largest) < most:
                heappush(largest, entry)
            elif entry[:3] > largest[0][:3]:
                heapreplace(largest, entry)
    return [large for *_, large in largest]


def _length(draft: Draft, record: int) -> int:
    """Return the length of a record in bytes. An unchanged record is not read."""
    slot = draft.columns.stable_numbers[record]
    if slot in draft.texts:
        return len(draft.texts[slot])
    return draft.log.columns.ends[slot] - draft.log.columns.starts[slot]


def _results(draft: Draft, context: ThreadContext, record: int) -> Iterator[LargeResult]:
    columns = draft.columns
    rows = columns.block_rows(record)
    if all(columns.block_kinds[row] != BlockKind.RESULT for row in rows):
        return
    views: dict[str, BlockView] = {view.pointer: view for view in context.format.view(draft.raw(record)).blocks}
    for ordinal, row in enumerate(rows):
        if columns.block_kinds[row] == BlockKind.RESULT:
            view = views.get(context.format.pointer(columns, record, ordinal))
            if view is not None and view.kind == BlockKind.RESULT:
                size = len(view.text.encode("utf-8", "surrogatepass"))
                yield LargeResult(size, record, ordinal, columns.call_ids[row] or "", view.text)
