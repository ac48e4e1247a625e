"""The loss ladder: what a strategy costs, from nothing up to the tail of the history. COSTS is the table."""

from enum import IntEnum
from functools import cache

from inspector.core.rules import RULES


class Cost(IntEnum):
    """From the cheapest up. A mended place that is only moved, joined or renamed costs nothing."""

    NOTHING = 0
    PLACEHOLDER = 1
    INVENTED_CALL = 2
    STRUCTURE = 3
    REASONING = 4
    MEDIA = 5
    RECORD = 6
    RESULT = 7
    CALL = 8
    TURN = 9
    TAIL = 10

    @property
    def label(self) -> str:
        return _WORDS[self]


_WORDS = {
    Cost.NOTHING: "nothing",
    Cost.PLACEHOLDER: "adds a placeholder",
    Cost.INVENTED_CALL: "adds an invented call",
    Cost.STRUCTURE: "loses structure",
    Cost.REASONING: "loses reasoning",
    Cost.MEDIA: "loses media",
    Cost.RECORD: "loses a record",
    Cost.RESULT: "loses a result",
    Cost.CALL: "loses a call",
    Cost.TURN: "loses a turn",
    Cost.TAIL: "loses a tail",
}

STRATEGY_COSTS: dict[str, Cost] = {
    "adopt": Cost.NOTHING,
    "move": Cost.NOTHING,
    "merge": Cost.NOTHING,
    "reorder": Cost.NOTHING,
    "rename": Cost.NOTHING,
    "match": Cost.NOTHING,
    "reid": Cost.NOTHING,
    "relink": Cost.NOTHING,
    "normalise": Cost.NOTHING,
    "salvage": Cost.NOTHING,
    "undo-placeholder": Cost.NOTHING,
    "answer": Cost.PLACEHOLDER,
    "prepend-user": Cost.PLACEHOLDER,
    "bridge": Cost.PLACEHOLDER,
    "invent-call": Cost.INVENTED_CALL,
    "keep-as-note": Cost.STRUCTURE,
    "strip-reasoning": Cost.REASONING,
    "replace-media": Cost.MEDIA,
    "quarantine": Cost.RECORD,
    "keep-first": Cost.RESULT,
    "keep-last": Cost.RESULT,
    "drop": Cost.RESULT,
    "drop-call": Cost.CALL,
    "drop-exchange": Cost.TURN,
    "drop-message": Cost.TURN,
    "cut-tail": Cost.TAIL,
    "leave": Cost.NOTHING,
}


# Where what a rule names behind a strategy tells what it costs there: what is needless says nothing that does not stay.
_ACTION_COSTS: dict[str, Cost] = {
    "drop needless": Cost.NOTHING,
    "keep-first needless": Cost.NOTHING,
    "keep-last needless": Cost.NOTHING,
    "drop reasoning": Cost.REASONING,
    "keep-first reasoning": Cost.REASONING,
    "keep-last reasoning": Cost.REASONING,
    "normalise name": Cost.STRUCTURE,
}


def strategy_cost(strategy: str, rule: str = "") -> Cost:
    """What a strategy costs, for one class or at most."""
    deed = RULES[rule].deed(strategy) if rule else strategy
    return _ACTION_COSTS.get(deed, STRATEGY_COSTS[strategy])


@cache
def sort_by_cost(strategies: tuple[str, ...], rule: str = "") -> tuple[str, ...]:
    """Strategies by what they cost; `leave` last, for it mends nothing."""
    return tuple(sorted(strategies, key=lambda name: (name == "leave", strategy_cost(name, rule))))


@cache
def cost_labels(strategies: tuple[str, ...], rule: str = "") -> dict[str, str]:
    """What each of these strategies costs, in words."""
    return {name: strategy_cost(name, rule).label for name in strategies}
