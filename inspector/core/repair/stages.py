"""What can be carried out in one pass, in the order of the stages that the rules name."""

from collections.abc import Iterator
from functools import cache
from operator import itemgetter

from inspector.core.repair.task import Task
from inspector.core.rules import RULES
from inspector.core.rules.rule import Stage


def schedule_pass(tasks: list[Task]) -> Iterator[Task]:
    """The tasks that can be carried out in one pass: those of the earliest stage of every exchange.

    What belongs to a later stage waits while an earlier one works on the same exchange or one nearby, since that may
    change what is to be done; exchanges further apart do not touch each other. A cut touches all that follows.
    """
    staged = sorted(((_stage(task.hit.rule), task) for task in tasks), key=itemgetter(0))
    first = staged[0][0] if staged else Stage.BYTES
    # Up to the links a stage changes which records are on the path.
    records_first = first <= Stage.LINKS or any(
        _changes_whole_records(task) for stage, task in staged if stage == first
    )
    claimed: dict[int, int] = {}
    for stage, task in staged:
        if stage > first and (records_first or _changes_whole_records(task) or _ends_pass(task)):
            return
        if _cuts(task) and claimed:
            return
        if all(claimed.setdefault(turn, stage) == stage for turn in _affected_turns(task)):
            yield task
            if _cuts(task) or _ends_pass(task):
                return


def _changes_whole_records(task: Task) -> bool:
    """Whether it changes whole records, which others may be linked to: that is done when nothing else is."""
    return task.hit.tool < 0


def _ends_pass(task: Task) -> bool:
    """Whether no other task may be carried out behind it in one pass."""
    return RULES[task.hit.rule].ends_pass


def _cuts(task: Task) -> bool:
    return task.strategy == "cut-tail"


@cache
def _stage(rule: str) -> int:
    stage = RULES[rule].stage
    assert stage is not None, "a class without a stage can only be left as it is"
    return int(stage)


def _affected_turns(task: Task) -> set[int]:
    """The turns of a task's call and result, and two on either side: those that it may touch, and their neighbours."""
    pairing, hit = task.scene.pairing, task.hit
    turns = {pairing.turn_of(tool) for tool in (hit.tool, hit.peer) if tool >= 0}
    return {near for turn in turns for near in range(turn - 2, turn + 3)}
