"""The cost of a strategy: what of the history it loses. STRATEGY_COSTS is the table."""

from enum import IntEnum
from functools import cache

from inspector.core.rules import RULES
from inspector.core.translation import tr


class CostLevel(IntEnum):
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
    CostLevel.NOTHING: tr("nothing"),
    CostLevel.PLACEHOLDER: tr("adds a placeholder"),
    CostLevel.INVENTED_CALL: tr("adds an invented call"),
    CostLevel.STRUCTURE: tr("loses structure"),
    CostLevel.REASONING: tr("loses reasoning"),
    CostLevel.MEDIA: tr("loses media"),
    CostLevel.RECORD: tr("loses a record"),
    CostLevel.RESULT: tr("loses a result"),
    CostLevel.CALL: tr("loses a call"),
    CostLevel.TURN: tr("loses a turn"),
    CostLevel.TAIL: tr("loses a tail"),
}

STRATEGY_COSTS: dict[str, CostLevel] = {
    "recover": CostLevel.NOTHING,
    "adopt": CostLevel.NOTHING,
    "move": CostLevel.NOTHING,
    "merge": CostLevel.NOTHING,
    "reorder": CostLevel.NOTHING,
    "rename": CostLevel.NOTHING,
    "match": CostLevel.NOTHING,
    "reid": CostLevel.NOTHING,
    "relink": CostLevel.NOTHING,
    "normalise": CostLevel.NOTHING,
    "salvage": CostLevel.NOTHING,
    "undo-placeholder": CostLevel.NOTHING,
    "answer": CostLevel.PLACEHOLDER,
    "prepend-user": CostLevel.PLACEHOLDER,
    "bridge": CostLevel.PLACEHOLDER,
    "invent-call": CostLevel.INVENTED_CALL,
    "keep-as-note": CostLevel.STRUCTURE,
    "strip-reasoning": CostLevel.REASONING,
    "replace-media": CostLevel.MEDIA,
    "quarantine": CostLevel.RECORD,
    "keep-first": CostLevel.RESULT,
    "keep-last": CostLevel.RESULT,
    "drop": CostLevel.RESULT,
    "drop-call": CostLevel.CALL,
    "drop-exchange": CostLevel.TURN,
    "drop-message": CostLevel.TURN,
    "cut-tail": CostLevel.TAIL,
    "leave": CostLevel.NOTHING,
}

# The cost where the word after a strategy in the table of a rule changes it. Needless results say nothing that is lost.
_ACTION_COSTS: dict[str, CostLevel] = {
    "drop needless": CostLevel.NOTHING,
    "keep-first needless": CostLevel.NOTHING,
    "keep-last needless": CostLevel.NOTHING,
    "drop reasoning": CostLevel.REASONING,
    "keep-first reasoning": CostLevel.REASONING,
    "keep-last reasoning": CostLevel.REASONING,
    "normalise channels": CostLevel.STRUCTURE,
    "normalise name": CostLevel.STRUCTURE,
    "normalise parts": CostLevel.MEDIA,
    "normalise reasoning": CostLevel.REASONING,
    "normalise references": CostLevel.STRUCTURE,
    "normalise response-name": CostLevel.STRUCTURE,
    "normalise role": CostLevel.STRUCTURE,
}


def strategy_cost(strategy: str, rule: str = "") -> CostLevel:
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
