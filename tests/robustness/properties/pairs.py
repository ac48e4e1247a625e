"""Which result belongs to which call, told by the rule of the design and by nothing of the product."""

from collections.abc import Iterator

from tests.support.notation import Call, History, Result


def owners(history: History) -> Iterator[tuple[Result, list[Call]]]:
    """Each result that has an owner, with the calls that may be it: those of its id in the newest turn that has one.

    A result looks back to the newest turn with its id, never across a reuse of the id, and only while a call there is
    open. Where a turn uses an id twice, either call may be the owner.
    """
    newest: dict[str, list[Call]] = {}
    answered: dict[str, int] = {}
    for turn in history:
        calls = turn.of(Call)
        for id_ in {call.id for call in calls}:
            newest[id_] = [call for call in calls if call.id == id_]
            answered[id_] = 0
        for result in turn.of(Result):
            if answered.get(result.id, 0) < len(newest.get(result.id, [])):
                answered[result.id] += 1
                yield result, newest[result.id]
