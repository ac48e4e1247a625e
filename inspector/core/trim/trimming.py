"""Trimming a log: the cut, what goes with it, and the proof that what is left is a history that the agent can load."""

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from inspector.core.bytes.temporary import AssembledSource
from inspector.core.errors import NotVerified
from inspector.core.index.columns import Columns
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.judging.check import Report, Verdict
from inspector.core.profiles import profile_named
from inspector.core.repair.choices import Choices
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss, Reason
from inspector.core.repair.offers import ResultOffers
from inspector.core.repair.plan import Plan, plan_repair
from inspector.core.scene import ThreadContext, pair_thread
from inspector.core.trim.boundaries import CutPoint, best_cut_points, cut_points, kept_head_length, message_positions
from inspector.core.trim.extent import clean_up_metadata, records_to_remove
from inspector.core.trim.measures import (
    ContextTokens,
    KindShare,
    block_losses,
    recorded_tokens,
    removed_blocks,
    shares_by_kind,
    size_after,
)
from inspector.core.trim.shrinking import shrink_results
from inspector.core.trim.wish import Shrinking, Trimming

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
