"""The order in which the classes are mended, and what of it can be carried out in one pass."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.repair.task import Task

# The order of passes of the catalogue (d): bytes, graph, shape, identity, duplicates, places, unmatched, the rest.
# An orphan and an unanswered call share no record and no id, so they need no order between them.
STAGES: tuple[tuple[str, ...], ...] = (
    ("F1", "F2", "F3", "F4", "F5", "F6", "F7"),
    ("M12",),
    ("G4",),
    ("G1", "G2", "G3", "G7"),
    ("R13",),
    ("K5", "K10"),
    ("D7",),
    ("K9",),
    ("K3", "K4", "K6", "K7"),
    ("K2",),
    ("K1",),
    ("R5", "R6", "R7"),
    ("R2", "R3", "R4", "R9", "R11", "G5"),
    ("T1", "T2", "T7"),
    ("R8",),
    ("R1", "R12", "C2", "D1", "D2", "D3", "D4", "D5", "D6", "C1"),
    ("X1", "X2", "T4", "T5", "T6", "V1"),
    ("M6", "M7", "M8", "M9", "R10"),
    ("M2", "M3", "M10", "M11"),
    ("M4",),
    ("C3",),
    ("T3",),
)
_ALONE = frozenset({"G1", "G2", "G3", "C3"})  # one walk to the root mends every break on it; a cut counts what is there
_GRAPH = 3  # up to here a stage changes which records are on the path, and goes alone
STAGE_OF = {rule: number for number, rules in enumerate(STAGES) for rule in rules}


def first_of_each_exchange(tasks: list[Task]) -> Iterator[Task]:
    """The tasks that can be carried out in one pass: those of the earliest stage of every exchange.

    What belongs to a later stage waits while an earlier one works on the same exchange or the next, since that may
    change what is to be done; exchanges further apart do not touch each other. A cut touches all that follows.
    """
    tasks.sort(key=lambda task: STAGE_OF[task.hit.rule])
    first = STAGE_OF[tasks[0].hit.rule] if tasks else 0
    alone = first <= _GRAPH or any(task.hit.tool < 0 for task in tasks if STAGE_OF[task.hit.rule] == first)
    claimed: dict[int, int] = {}
    for task in tasks:
        stage = STAGE_OF[task.hit.rule]
        if stage > first and (alone or task.hit.tool < 0 or task.hit.rule in _ALONE):
            return  # whole records, which others may be linked to, are changed when nothing else is
        cuts = task.strategy == "cut-tail"
        if cuts and claimed:
            return
        turns = _turns_around(task)
        if all(claimed.setdefault(turn, stage) == stage for turn in turns):
            yield task
            if cuts or task.hit.rule in _ALONE:
                return


def _turns_around(task: Task) -> set[int]:
    """The turns that a task may touch, and one on either side."""
    pairing, hit = task.scene.pairing, task.hit
    turns = {pairing.turn(tool) for tool in (hit.tool, hit.peer) if tool >= 0}
    return {near for turn in turns for near in range(turn - 2, turn + 3)}
