"""A plan that goes in a circle: one repair takes back what another one did, and neither comes to its end.

A placeholder that is put in for a call may be read as another call's second one, and go again. What went round waits
then, so that the repairs of later stages have their turn: one that gives either call an id of its own ends the circle.
A repair can also bring back its own finding, with one more record at each turn: what it is carried out for again and
again, with no less left to do, waits for good. Where nothing else is left to do, the plan ends where it stands, and
tells what is still refused.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import chain

from msgspec import Struct

from inspector.core.repair.draft import Draft
from inspector.core.repair.task import Task
from inspector.core.scene import CheckedThread

# How often a repair of one finding may leave as much to do as before. Copies of a record go one by one, and get fewer.
_MAX_FUTILE_ATTEMPTS = 3


class _SeenState(Struct):
    """When a state of the draft was met first: how many passes there were, and how much was lost and set aside."""

    passes: int
    losses: int
    quarantined: int


class CycleGuard:
    """Told of every task that is carried out, and asked after every pass."""

    def __init__(self, draft: Draft, judged: list[CheckedThread]) -> None:
        self._draft = draft
        self._seen: dict[int, _SeenState] = {}
        # Finding and strategy: of every pass, of this one, and of what went round.
        self._passes: list[set[tuple[str, str]]] = []
        self._carried_out: set[tuple[str, str]] = set()
        self._waiting: set[tuple[str, str]] = set()
        # How many findings there were behind a task when it was carried out last; how often there were no fewer.
        self._left: dict[tuple[str, str], int] = {}
        self._in_vain: Counter[tuple[str, str]] = Counter()
        self.end_pass(judged)

    def is_blocked(self, task: Task) -> bool:
        """Whether what a task does was taken back before, and nothing has changed since; or it was often in vain."""
        done = task.finding, task.strategy
        return done in self._waiting or self._in_vain[done] > _MAX_FUTILE_ATTEMPTS

    def record_task(self, task: Task) -> None:
        """A task that is carried out in this pass."""
        self._carried_out.add((task.finding, task.strategy))

    def end_pass(self, judged: list[CheckedThread]) -> None:
        """A pass is over: does the draft stand where it stood before?"""
        draft, state = self._draft, hash(_state_fingerprint(self._draft, judged))
        self._note_progress(sum(len(each.matches) for each in judged))
        self._passes.append(self._carried_out)
        self._carried_out = set()
        before = self._seen.get(state)
        if before is None:
            self._seen[state] = _SeenState(len(self._passes), len(draft.losses), len(draft.quarantined))
            self._waiting = set()
            return
        self._waiting = set().union(*self._passes[before.passes :])
        # What was lost on the way round is there again.
        del draft.losses[before.losses :]
        del draft.quarantined[before.quarantined :]

    def _note_progress(self, left: int) -> None:
        for done in self._carried_out:
            if left >= self._left.get(done, left + 1):
                self._in_vain[done] += 1
            self._left[done] = left


def _state_fingerprint(draft: Draft, judged: list[CheckedThread]) -> Hashable:
    """What two drafts have in common that stand at the same point of a circle.

    Records that are added anew get other ids, by which those that hang off them name them: of such only the length is
    the same.
    """
    texts, linked = draft.texts.items(), bool(draft.format.link_keys.parent)
    changed = frozenset((slot, len(text) if linked else text) for slot, text in texts if slot < draft.original_count)
    added = tuple(sorted(len(text) for slot, text in texts if slot >= draft.original_count))
    return bytes(draft.columns.roles), bytes(draft.columns.block_kinds), changed, added, _match_hash(judged)


def _match_hash(judged: Iterable[CheckedThread]) -> int:
    """All hits in one number: there may be a hundred thousand of them."""
    found = 0
    for hit in chain.from_iterable(each.matches for each in judged):
        found = hash((found, hit.rule, hit.record, hit.ordinal, hit.tool, hit.peer, hit.message))
    return found
