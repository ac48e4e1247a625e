"""The cost of a strategy: what of the history it loses. STRATEGY_COSTS is the table."""

from enum import IntEnum
from functools import cache

from inspector.core.rules import RULES


class Cost(IntEnum):
    """The cost of a strategy, from the cheapest up. To move, join or rename something costs nothing."""

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

# The cost where the word after a strategy in the table of a rule changes it. Needless results say nothing that is lost.
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
    """Return the cost of a strategy for one rule, or without a rule the highest that it may have."""
    deed = RULES[rule].deed(strategy) if rule else strategy
    return _ACTION_COSTS.get(deed, STRATEGY_COSTS[strategy])


@cache
def sort_by_cost(strategies: tuple[str, ...], rule: str = "") -> tuple[str, ...]:
    """Return the strategies from the cheapest up. `leave` is last, since it repairs nothing."""
    return tuple(sorted(strategies, key=lambda name: (name == "leave", strategy_cost(name, rule))))


@cache
def cost_labels(strategies: tuple[str, ...], rule: str = "") -> dict[str, str]:
    """Return the cost of every one of these strategies, in words."""
    return {name: strategy_cost(name, rule).label for name in strategies}
