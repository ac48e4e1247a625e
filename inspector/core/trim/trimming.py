"""Trimming a log: the cut, what goes with it, and the proof that what is left is a history that the agent can load."""

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from inspector.core.bytes.temporary import Assembled
from inspector.core.errors import NotVerified
from inspector.core.index.columns import Columns
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.judging.check import Report, Verdict
from inspector.core.profiles import profile_named
from inspector.core.repair.choices import Choices
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss, Reason
from inspector.core.repair.offers import Offers
from inspector.core.repair.plan import Plan, plan
from inspector.core.scene import Scene, paired
from inspector.core.trim.boundaries import Place, in_order, kept_head, messages_behind, places
from inspector.core.trim.extent import cut_out, mend_names
from inspector.core.trim.measures import Share, Tokens, blocks_of, bytes_after, removed, shares, tokens_of
from inspector.core.trim.shrinking import shrink
from inspector.core.trim.wish import Shrinking, Trimming

_ATTEMPTS = 12
_CUT_HERE = "[The beginning of this conversation was removed to shorten it: {count} messages are no longer part of it.]"
_BECAUSE = "the history was trimmed"


class Cut(Struct):
    """What became of one session: how many messages it had, were wanted and are left, and what that costs.

    `in_front` are messages that stay at its beginning, beside those that are wanted.
    `reasoning` counts the blocks of it that stay behind what was changed; `note`: one was put first; `shrunk` results
    are notes now, `stay` are of a kind that cannot be.
    """

    session: Session
    messages: int
    in_front: int
    wanted: int
    left: int
    tokens: Tokens
    reasoning: int = 0
    note: bool = False
    shrunk: int = 0
    stay: int = 0


class Trimmed(Struct):
    """A trimmed log, planned.

    `records` are those that go as the log has them, `reworked` what stood in those that the repair had changed or made;
    `shrunk` is what notes stand for.
    """

    plan: Plan
    cuts: list[Cut]
    records: list[int]
    reworked: list[Loss]
    shrunk: list[Loss]
    bytes_before: int
    bytes_after: int
    shares: dict[str, Share]

    def losses(self) -> Iterator[Loss]:
        """Everything that is not in the output, read from the log: what the repair lost, what went, what was noted."""
        yield from self.plan.draft.losses
        yield from removed(self.plan.draft, self.records)
        yield from self.reworked
        yield from self.shrunk

    @property
    def changes_nothing(self) -> bool:
        return self.plan.changes_nothing

    @property
    def name(self) -> str:
        """The name that a copy gets."""
        return self.plan.draft.log.source.copy_name.replace(".repaired", ".trimmed")


def trim(report: Report, trimming: Trimming, offers: Offers | None = None) -> Trimmed:
    """Plan the trimming of a judged log; `offers` are for the repair before it. Nothing is written.

    Raises NotVerified for a broken log (unless it is repaired first) and for a history that cannot be cut anywhere;
    ReadOnlyFormat; UnknownName.
    """
    if report.verdict == Verdict.BROKEN and trimming.repairs is None:
        raise NotVerified("The log is broken, so nothing was trimmed: repair it first, or trim it with --repair.")
    attempts: dict[int, int] = {}
    for _ in range(_ATTEMPTS):
        trimmer = _Trimmer(report, trimming, attempts)
        planned = plan(report, trimming.repairs or Choices(), trimmer.edit, offers)
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
        self.cuts: list[Cut] = []
        self.expected: dict[int, list[int]] = {}
        self.records: list[int] = []
        self.reworked: list[Loss] = []
        self.shrunk: list[Loss] = []
        self.known_slots = 0

    def edit(self, draft: Draft, mains: list[Scene]) -> None:
        """Cut every session of the draft. Raises NotVerified when one cannot be cut."""
        self.known_slots = draft.next_slot
        gone: set[int] = set()
        before = draft.columns
        for scene in mains:
            gone |= self._cut(draft, scene)
        for record in sorted(gone):
            draft.because(record, "", _BECAUSE)
            slot = before.slots[record]
            if slot not in draft.texts:
                self.records.append(slot)
            elif before.blocks[record]:
                self.reworked += blocks_of(draft.format, draft.raw(record), draft.original(record))
        draft.delete_all(gone)
        if draft.has_pending:
            draft.commit()
            mend_names(draft, before, gone)

    def _cut(self, draft: Draft, scene: Scene) -> set[int]:
        path, wish = scene.thread.path, self.trimming.wish
        head = kept_head(scene, wish.first)
        total, all_of_it = len(messages_behind(scene, head)), len(messages_behind(scene, 0))
        wanted = wish.of(total)
        place = self._place(draft, scene, head, total, wanted)
        at = head if place is None else place.at
        left = all_of_it - (0 if place is None else total - place.messages)
        cut = Cut(scene.session, all_of_it, all_of_it - total, wanted, left, tokens_of(scene, at))
        self.cuts.append(cut)
        kept = [*path[:head], *path[at:]]
        if self.trimming.shrinking != Shrinking():
            lost, stay = shrink(draft, scene, kept, self.trimming.shrinking)
            cut.shrunk, cut.stay = len(lost), stay
            self.shrunk += lost
        columns = scene.columns
        if place is not None or cut.shrunk:
            kinds = (columns.block_kinds[row] for record in path[at:] for row in columns.rows(record))
            cut.reasoning = sum(kind == BlockKind.THINKING for kind in kinds)
        if place is None:
            return set()
        if not place.fits:
            cut.note = True
            self._put_note(draft, scene, path[at], total - place.messages)
        gone = cut_out(scene, head, at)
        self.expected[scene.session.number] = [columns.slots[r] for r in path if r not in gone and columns.blocks[r]]
        return gone

    def _place(self, draft: Draft, scene: Scene, head: int, total: int, wanted: int) -> Place | None:
        """Where this attempt cuts a session, None where nothing has to go."""
        if wanted >= total:
            return None
        can_add = not isinstance(draft.log.source, Assembled)
        found = list(in_order(places(scene, head, self.trimming.wish.first), wanted, only_fitting=not can_add))
        tried = self.attempts.get(scene.session.number, 0)
        if tried < len(found):
            return found[tried]
        where = f" of session {scene.session.id}" if len(self.report.sessions) > 1 else ""
        more = "" if self.trimming.wish.first else " Keeping the first message may allow it."
        raise NotVerified(
            f"The {total} messages{where} cannot be cut: there is no place behind the first one that no exchange spans "
            f"and that the provider accepts as a beginning.{more}"
        )

    def _put_note(self, draft: Draft, scene: Scene, record: int, count: int) -> None:
        first = draft.format.beginning(scene.columns, record)
        text = _CUT_HERE.format(count=count)
        seed = f"{scene.session.id}:trimmed:{scene.columns.slots[record]}"
        raw = draft.format.user_record(draft.raw(first), text, seed)
        draft.add_first(first, raw, Reason("", "says that the beginning was removed"))

    def failed(self, planned: Plan) -> list[int]:
        """The sessions that would not be loaded as they were cut."""
        if not planned.verified:
            if not self.expected:
                raise NotVerified(f"Nothing was written: {planned.reason}")
            return list(self.expected)
        columns, expected = planned.draft.columns, self.expected
        cut = (session for session in planned.sessions if session.number in expected)
        return [each.number for each in cut if _said(columns, each, self.known_slots) != expected[each.number]]

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
            bytes_after(draft),
            shares(chain(removed(draft, self.records), self.reworked)),
        )

    def _with_sessions(self, planned: Plan) -> Iterator[tuple[Cut, Session]]:
        by_number = {session.number: session for session in planned.sessions}
        for cut in self.cuts:
            if cut.session.number in by_number:
                yield cut, by_number[cut.session.number]


def _said(columns: Columns, session: Session, known: int) -> list[int]:
    """The slots of what a session says, what was added meanwhile left out."""
    return [slot for r in session.main.path if columns.blocks[r] and (slot := columns.slots[r]) < known]


def _messages(planned: Plan, session: Session) -> int:
    pairing = paired(planned.draft.format, planned.draft.columns, session.main, profile_named(session.profile))
    return len({number for number in pairing.messages if number >= 0})
