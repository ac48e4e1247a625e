"""Trimming a log: the cut, what goes with it, and the proof that what is left is a history that the agent can load.

Merged; to be rewritten:
`extent`: What goes when a history is cut: the messages before the cut, and what belongs to them beside the active path.
`shrinking`: Replacing the largest tool results by notes: the result keeps its id and its place, and says what stood
there.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import heappush, heapreplace
from itertools import chain

from msgspec import Struct

from inspector.core.analysis.thread import ThreadContext, pair_thread
from inspector.core.check.check import Report, Verdict
from inspector.core.errors import NotVerified
from inspector.core.model.columns import Columns, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_views import replace_result_content
from inspector.core.providers.registry import profile_named
from inspector.core.repair.choices import Choices, ResultOffers
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss, Reason
from inspector.core.repair.plan import Plan, plan_repair
from inspector.core.storage.temporary import AssembledSource
from inspector.core.trim.boundaries import CutPoint, best_cut_points, cut_points, kept_head_length, message_positions
from inspector.core.trim.measures import (
    ContextTokens,
    KindShare,
    block_losses,
    recorded_tokens,
    removed_blocks,
    shares_by_kind,
    size_after,
)
from inspector.core.trim.options import Shrinking, Trimming

_ATTEMPTS = 12
_CUT_NOTE = "[The beginning of this conversation was removed to shorten it: {count} messages are no longer part of it.]"
_TRIM_REASON = "the history was trimmed"


class SessionCut(Struct):
    """What became of one session: how many messages it had, were wanted and are left, and what that costs.

    `in_front` are messages that stay at its beginning, beside those that are wanted.
    `reasoning` counts the blocks of it that stay behind what was changed; `note`: one was put first; `shrunk` results
    are notes now, `stay` are of a kind that cannot be.
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


class Trimmed(Struct):
    """A trimmed log, planned.

    `records` are those that go as the log has them, `reworked` what stood in those that the repair had changed or made;
    `shrunk` is what notes stand for.
    """

    plan: Plan
    cuts: list[SessionCut]
    records: list[int]
    reworked: list[Loss]
    shrunk: list[Loss]
    bytes_before: int
    bytes_after: int
    shares: dict[str, KindShare]

    def losses(self) -> Iterator[Loss]:
        """Everything that is not in the output, read from the log: what the repair lost, what went, what was noted."""
        yield from self.plan.draft.losses
        yield from removed_blocks(self.plan.draft, self.records)
        yield from self.reworked
        yield from self.shrunk

    @property
    def changes_nothing(self) -> bool:
        return self.plan.changes_nothing

    @property
    def name(self) -> str:
        """The name that a copy gets."""
        return self.plan.draft.log.source.copy_name.replace(".repaired", ".trimmed")


def plan_trim(report: Report, options: Trimming, offers: ResultOffers | None = None) -> Trimmed:
    """Plan the trimming of a judged log; `offers` are for the repair before it. Nothing is written.

    Raises NotVerified for a broken log (unless it is repaired first) and for a history that cannot be cut anywhere;
    ReadOnlyFormat; UnknownName.
    """
    if report.verdict == Verdict.BROKEN and options.repairs is None:
        raise NotVerified("The log is broken, so nothing was trimmed: repair it first, or trim it with --repair.")
    attempts: dict[int, int] = {}
    for _ in range(_ATTEMPTS):
        trimmer = _Trimmer(report, options, attempts)
        planned = plan_repair(report, options.repairs or Choices(), trimmer.edit, offers)
        failed = trimmer.failed(planned)
        if not failed:
            return trimmer.outcome(planned)
        for number in failed:
            attempts[number] = attempts.get(number, 0) + 1
    why = f" ({planned.reason})" if planned.reason else ""
    raise NotVerified(f"No place was found where this history can be cut and still be loaded{why}.")


class _Trimmer:
    """One attempt: `attempts` says how many of the best places of a session did not verify."""

    def __init__(self, report: Report, trimming: Trimming, attempts: dict[int, int]) -> None:
        self.report, self.trimming, self.attempts = report, trimming, attempts
        self.cuts: list[SessionCut] = []
        self.expected: dict[int, list[int]] = {}
        self.records: list[int] = []
        self.reworked: list[Loss] = []
        self.shrunk: list[Loss] = []
        self.known_slots = 0

    def edit(self, draft: Draft, mains: list[ThreadContext]) -> None:
        """Cut every session of the draft. Raises NotVerified when one cannot be cut."""
        self.known_slots = draft.next_slot
        gone: set[int] = set()
        before = draft.columns
        for scene in mains:
            gone |= self._cut(draft, scene)
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

    def _cut(self, draft: Draft, scene: ThreadContext) -> set[int]:
        path, wish = scene.thread.path, self.trimming.wish
        head = kept_head_length(scene, wish.first)
        total, all_of_it = len(message_positions(scene, head)), len(message_positions(scene, 0))
        wanted = wish.messages_to_keep(total)
        place = self._place(draft, scene, head, total, wanted)
        at = head if place is None else place.at
        left = all_of_it - (0 if place is None else total - place.messages_after)
        cut = SessionCut(scene.session, all_of_it, all_of_it - total, wanted, left, recorded_tokens(scene, at))
        self.cuts.append(cut)
        kept = [*path[:head], *path[at:]]
        if self.trimming.shrinking != Shrinking():
            lost, stay = shrink_results(draft, scene, kept, self.trimming.shrinking)
            cut.shrunk, cut.unshrinkable = len(lost), stay
            self.shrunk += lost
        columns = scene.columns
        if place is not None or cut.shrunk:
            kinds = (columns.block_kinds[row] for record in path[at:] for row in columns.block_rows(record))
            cut.invalid_reasoning = sum(kind == BlockKind.THINKING for kind in kinds)
        if place is None:
            return set()
        if not place.is_valid_start:
            cut.note = True
            self._put_note(draft, scene, path[at], total - place.messages_after)
        gone = records_to_remove(scene, head, at)
        self.expected[scene.session.number] = [
            columns.stable_numbers[r] for r in path if r not in gone and columns.blocks[r]
        ]
        return gone

    def _place(self, draft: Draft, scene: ThreadContext, head: int, total: int, wanted: int) -> CutPoint | None:
        """Where this attempt cuts a session, None where nothing has to go."""
        if wanted >= total:
            return None
        can_add = not isinstance(draft.log.source, AssembledSource)
        found = list(
            best_cut_points(cut_points(scene, head, self.trimming.wish.first), wanted, only_fitting=not can_add)
        )
        tried = self.attempts.get(scene.session.number, 0)
        if tried < len(found):
            return found[tried]
        where = f" of session {scene.session.id}" if len(self.report.sessions) > 1 else ""
        more = "" if self.trimming.wish.first else " Keeping the first message may allow it."
        raise NotVerified(
            f"The {total} messages{where} cannot be cut: there is no place behind the first one that no exchange spans "
            f"and that the provider accepts as a beginning.{more}"
        )

    def _put_note(self, draft: Draft, scene: ThreadContext, record: int, count: int) -> None:
        first = draft.format.insertion_start(scene.columns, record)
        text = _CUT_NOTE.format(count=count)
        seed = f"{scene.session.id}:trimmed:{scene.columns.stable_numbers[record]}"
        raw = draft.format.user_record(draft.raw(first), text, seed)
        draft.add_before(first, raw, Reason("", "says that the beginning was removed"))

    def failed(self, planned: Plan) -> list[int]:
        """The sessions that would not be loaded as they were cut."""
        if not planned.verified:
            if not self.expected:
                raise NotVerified(f"Nothing was written: {planned.reason}")
            return list(self.expected)
        columns, expected = planned.draft.columns, self.expected
        cut = (session for session in planned.sessions if session.number in expected)
        return [each.number for each in cut if _message_slots(columns, each, self.known_slots) != expected[each.number]]

    def outcome(self, planned: Plan) -> Trimmed:
        for cut, session in self._with_sessions(planned):
            cut.left = _messages(planned, session)
        draft = planned.draft
        return Trimmed(
            planned,
            self.cuts,
            self.records,
            self.reworked,
            self.shrunk,
            draft.log.source.size,
            size_after(draft),
            shares_by_kind(chain(removed_blocks(draft, self.records), self.reworked)),
        )

    def _with_sessions(self, planned: Plan) -> Iterator[tuple[SessionCut, Session]]:
        by_number = {session.number: session for session in planned.sessions}
        for cut in self.cuts:
            if cut.session.number in by_number:
                yield cut, by_number[cut.session.number]


def _message_slots(columns: Columns, session: Session, known: int) -> list[int]:
    """The slots of what a session says, what was added meanwhile left out."""
    return [slot for r in session.main_thread.path if columns.blocks[r] and (slot := columns.stable_numbers[r]) < known]


def _messages(planned: Plan, session: Session) -> int:
    pairing = pair_thread(
        planned.draft.format, planned.draft.columns, session.main_thread, profile_named(session.profile)
    )
    return len({number for number in pairing.messages if number >= 0})


# What goes when a history is cut: the messages before the cut, and what belongs to them beside the active path.

_NAME = re.compile(rb'"([^"\\]{8,64})"')


def records_to_remove(scene: ThreadContext, head: int, at: int) -> set[int]:
    """The records that go when a history is cut before path position `at`, its first `head` records kept.

    Beside the path: what stands in the log before all that stays behind the cut (branches that were left, what a
    compaction stands for, the thread of a subagent), and what calls that go reported while they ran. Older versions of
    what stays are kept. A boundary that holds no words stays: what it hides would come back.
    """
    columns, path = scene.columns, scene.thread.path
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
    for record in scene.session.records:
        role, mark, group = columns.roles[record], columns.marks[record], columns.groups[record]
        if role == Role.OPAQUE or record in on_path:
            continue
        left_behind = record < first and not (group in stays and not mark & RecordMark.TRANSIENT)
        if (left_behind and not (role == Role.LINK and mark & hidden)) or (
            mark & RecordMark.TRANSIENT and group in calls
        ):
            gone.add(record)
    return gone


def clean_up_metadata(draft: Draft, before: Columns, gone: Iterable[int]) -> None:
    """Let metadata that tells of nothing but removed records go; what names one of them beside others stays.

    `before` are the columns in which `gone` are numbers; the draft has carried their removal out.
    """
    ids = {uuid.encode() for record in gone if (uuid := before.uuids[record]) is not None}
    if not ids:
        return
    columns = draft.columns
    known = {uuid.encode() for uuid in columns.uuids if uuid is not None}
    named: set[bytes] = set()
    for record, role in enumerate(columns.roles):
        if role not in (Role.OPAQUE, Role.LINK):
            continue
        names = set(_NAME.findall(draft.raw(record)))
        lost = names & ids
        if lost and role == Role.OPAQUE and not names & known:
            draft.delete(record)
            draft.add_reason(record, "", "tells of messages that were removed")
        else:
            named |= lost
    # Every other id that went is named by nothing, and need not be looked for.
    draft.dropped_uuids = {
        uuid: _survivor(draft.dropped_uuids, uuid) for uuid in draft.dropped_uuids if uuid.encode() in named
    }
    if draft.has_pending:
        draft.commit()


def _survivor(gone: dict[str, str | None], uuid: str) -> str | None:
    """The record that a removed one hung off in the end."""
    parent = gone[uuid]
    while parent in gone:
        parent = gone[parent]
    return parent


# Replacing the largest tool results by notes: the result keeps its id and its place, and says what stood there.

# Claude Code and opencode say "[Old tool result content cleared]"; that text alone is known as a placeholder.
CLEARED_RESULT_NOTE = "[Old tool result content cleared: {size:,} bytes were removed to shorten the history.]"
CLEARED_RESULT_REASON = "replaced by a note to shorten the history"


class LargeResult(Struct, frozen=True):
    """One result: its size in bytes of text, its record, ordinal in it, call id, and text."""

    size: int
    record: int
    ordinal: int
    call_id: str
    text: str


def shrink_results(
    draft: Draft, scene: ThreadContext, records: Iterable[int], options: Shrinking
) -> tuple[list[Loss], int]:
    """Replace the results that are asked for among `records`: what is lost, in the order of the log.

    Beside that how many of them are of a kind that no text can stand for.
    """
    lost, stay = [], 0
    for large in sorted(_chosen(draft, scene, records, options), key=lambda each: (each.record, each.ordinal)):
        note = CLEARED_RESULT_NOTE.format(size=large.size)
        block = scene.format.block_bytes(draft.columns, large.record, draft.raw(large.record), large.ordinal)
        new = replace_result_content(block, note, scene.format.block_schema)
        stay += new is None
        if new is None or len(note) >= large.size:
            continue
        draft.block_edits(large.record).replace[large.ordinal] = new
        why = f"a result of {large.size:,} bytes is now a note"
        draft.add_reason(large.record, "", why, block=draft.block_origin(large.record, large.ordinal))
        lost.append(Loss("result", large.text, CLEARED_RESULT_REASON, draft.original_record(large.record)))
    return lost, stay


def _chosen(draft: Draft, scene: ThreadContext, records: Iterable[int], wish: Shrinking) -> list[LargeResult]:
    if wish.over is not None:
        over = wish.over
        long = (record for record in records if _length(draft, record) > over)
        return [large for record in long for large in _results(draft, scene, record) if large.size > over]
    most = wish.most or 0
    found: list[tuple[int, int, LargeResult]] = []
    for number, record in enumerate(sorted(records, key=lambda record: -_length(draft, record)) if most else ()):
        if len(found) == most and found[0][0] >= _length(draft, record):
            break  # No text is longer than its record.
        for large in _results(draft, scene, record):
            entry = (large.size, -number, large)
            if len(found) < most:
                heappush(found, entry)
            elif entry[:2] > found[0][:2]:
                heapreplace(found, entry)
    return [large for _, _, large in found]


def _length(draft: Draft, record: int) -> int:
    """The length of a record's bytes, without reading it where it is as it was."""
    slot = draft.columns.stable_numbers[record]
    if slot in draft.texts:
        return len(draft.texts[slot])
    return draft.log.columns.ends[slot] - draft.log.columns.starts[slot]


def _results(draft: Draft, scene: ThreadContext, record: int) -> Iterator[LargeResult]:
    columns = draft.columns
    rows = columns.block_rows(record)
    if all(columns.block_kinds[row] != BlockKind.RESULT for row in rows):
        return
    views: dict[str, BlockView] = {view.pointer: view for view in scene.format.view(draft.raw(record)).blocks}
    for ordinal, row in enumerate(rows):
        if columns.block_kinds[row] == BlockKind.RESULT:
            view = views.get(scene.format.pointer(columns, record, ordinal))
            if view is not None and view.kind == BlockKind.RESULT:
                size = len(view.text.encode("utf-8", "surrogatepass"))
                yield LargeResult(size, record, ordinal, columns.call_ids[row] or "", view.text)
