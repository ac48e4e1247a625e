"""What can be carried out in one pass, in the order of the stages that the rules name."""

from collections.abc import Iterator
from functools import cache
from operator import itemgetter

from inspector.core.repair.task import Task
from inspector.core.rules import RULES
from inspector.core.rules.rule import Stage


def first_of_each_exchange(tasks: list[Task]) -> Iterator[Task]:
    """The tasks that can be carried out in one pass: those of the earliest stage of every exchange.

    What belongs to a later stage waits while an earlier one works on the same exchange or the next, since that may
    change what is to be done; exchanges further apart do not touch each other. A cut touches all that follows.
    """
    staged = sorted(((_stage(task.hit.rule), task) for task in tasks), key=itemgetter(0))
    first = staged[0][0] if staged else Stage.BYTES
    # Up to the links a stage changes which records are on the path.
    alone = first <= Stage.LINKS or any(task.hit.tool < 0 for stage, task in staged if stage == first)
    claimed: dict[int, int] = {}
    for stage, task in staged:
        by_itself = RULES[task.hit.rule].ROW.alone
        if stage > first and (alone or task.hit.tool < 0 or by_itself):
            return  # whole records, which others may be linked to, are changed when nothing else is
        cuts = task.strategy == "cut-tail"
        if cuts and claimed:
            return
        turns = _turns_around(task)
        if all(claimed.setdefault(turn, stage) == stage for turn in turns):
            yield task
            if cuts or by_itself:
                return


@cache
def _stage(rule: str) -> int:
    stage = RULES[rule].ROW.stage
    assert stage is not None, "a class without a stage can only be left as it is"
    return int(stage)


def _turns_around(task: Task) -> set[int]:
    """The turns that a task may touch, and one on either side."""
    pairing, hit = task.scene.pairing, task.hit
    turns = {pairing.turn(tool) for tool in (hit.tool, hit.peer) if tool >= 0}
    return {near for turn in turns for near in range(turn - 2, turn + 3)}
