"""Which result belongs to which call, told by the rule of the design and by nothing of the product."""

from tests.notation import Call, History, Result


def owners(history: History) -> set[tuple[str, str]]:
    """The text of each result that has an owner, and the input of the call that owns it."""
    calls: list[tuple[Call, int]] = []
    answered: set[int] = set()
    found: set[tuple[str, str]] = set()
    for number, turn in enumerate(history):
        calls += [(call, number) for call in turn.of(Call)]
        for result in turn.of(Result):
            known = [at for at, (call, _) in enumerate(calls) if call.id == result.id]
            if not known:
                continue
            newest = calls[known[-1]][1]  # never across a reuse of the id
            open_ones = [at for at in known if calls[at][1] == newest and at not in answered]
            if open_ones:
                answered.add(open_ones[0])  # within one turn: first in, first out
                found.add((result.text, str(calls[open_ones[0]][0].input)))
    return found
