"""The type of a rule, and the decorators that make one of a function, whose docstring is the help page.

The modules of the rules import the types that their functions name from here, too.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import cached_property
from inspect import cleandoc
from typing import Concatenate, ParamSpec, TypeAlias

from msgspec import Struct

from inspector.core.analysis.thread_context import RuleMatch, ThreadContext
from inspector.core.translation import tr

__all__ = ["Hits", "RepairStage", "Rule", "RuleMatch", "ThreadContext", "open_call_rule", "orphan_rule", "rule"]

Hits: TypeAlias = Iterator[RuleMatch]
Find: TypeAlias = Callable[[ThreadContext], Hits]
Declared = ParamSpec("Declared")


class RepairStage(IntEnum):
    """The stage of a repair. Earlier stages are repaired first.

    The order is: bytes, record tree, shapes, identity, duplicates, places, what has no counterpart, the rest. An orphan
    and an unanswered call share no record and no id, so they need no order between them.
    """

    BYTES = 0
    MESSAGE_SHAPES = 1
    RECORD_IDS = 2
    LINKS = 3
    PLACEHOLDERS = 4
    SECOND_IDS = 5
    LISTED_CALLS = 6
    CALL_SHAPES = 7
    CALL_FIELDS = 8
    REPEATED_IDS = 9
    REUSED_IDS = 10
    REPEATED_RESULTS = 11
    PLACES = 12
    REASONING = 13
    MISMATCHES = 14
    UNMATCHED = 15
    BOUND_BLOCKS = 16
    CONTENTS = 17
    SPEAKERS = 18
    FIRST_SPEAKER = 19
    CUT_EXCHANGES = 20
    REASONING_BEHIND_CHANGES = 21
    COUNTS = 22


class Rule(Struct, frozen=True, dict=True):
    """A class of anomaly: the function that finds it, and its properties.

    `find` yields every instance in a thread. It is called only where one of the `preconditions` is met: a name in
    rules.preconditions.PRECONDITIONS, or a rule code, which is met where the profile rejects it.

    `repairs` are strategies, some with a word for their target where that needs a function of its own ("normalise
    input"; repair.strategy_functions has the functions). The first is the default, unless `default` names another
    strategy. `stage` is None for what cannot be repaired.

    `loses_records`: agents lose records because of it, whatever the provider says. `by_profile`: it is legal at some
    providers, and reported only for the session's own. `adopts`: a result that another log holds repairs it.
    `ends_pass`: no other repair follows in the same pass, since what is left to do is known only afterwards.
    `of_error`: it reports an error that the log records, and not a fault of the history. `may_run`: it is no anomaly
    while the agent runs, which the log does not show. `in_request`: the request that the agent sends on resume shows
    it, too. `of_link`: it does not concern an agent that continues after the link (DamagedLink.agent_continues).
    """

    find: Find
    code: str
    slug: str
    stage: RepairStage | None
    repairs: tuple[str, ...]
    preconditions: tuple[str, ...]
    default: str = ""
    loses_records: bool = False
    by_profile: bool = False
    adopts: bool = False
    ends_pass: bool = False
    of_error: bool = False
    may_run: bool = False
    in_request: bool = False
    of_link: bool = False

    @cached_property
    def help(self) -> str:
        """The help page. Its first line is the title."""
        return cleandoc(self.find.__doc__ or "")

    @property
    def title(self) -> str:
        """The rule in a few words."""
        return tr(self.help.partition("\n")[0])

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """The names of the strategies that a person can choose."""
        return tuple(self._deeds)

    @cached_property
    def strategy(self) -> str:
        """The default strategy."""
        return self.default or self.strategies[0]

    def deed(self, strategy: str) -> str:
        """Return what a strategy does here, as a key of STRATEGY_FUNCTIONS."""
        return self._deeds.get(strategy, strategy)

    @cached_property
    def _deeds(self) -> dict[str, str]:
        return {repair.partition(" ")[0]: repair for repair in self.repairs}


def _declaring(
    made: Callable[Concatenate[Find, Declared], Rule],
) -> Callable[Declared, Callable[[Find], Rule]]:
    """Return a decorator that takes all properties of a rule but `find`, which is the decorated function."""

    def declared(*args: Declared.args, **named: Declared.kwargs) -> Callable[[Find], Rule]:
        return lambda find: made(find, *args, **named)

    return declared


rule = _declaring(Rule)


def open_call_rule(
    code: str, slug: str, preconditions: tuple[str, ...], may_run: bool = False
) -> Callable[[Find], Rule]:
    """Declare a class of calls without a result."""
    repairs = ("answer", "drop-call", "drop-exchange", "cut-tail", "leave")
    return rule(
        code, slug, RepairStage.UNMATCHED, repairs, preconditions, adopts=True, may_run=may_run, in_request=True
    )


def orphan_rule(code: str, slug: str, preconditions: tuple[str, ...]) -> Callable[[Find], Rule]:
    """Declare a class of results without a call."""
    repairs = ("invent-call", "keep-as-note", "drop", "leave")
    return rule(code, slug, RepairStage.UNMATCHED, repairs, preconditions, default="keep-as-note", in_request=True)


def link_rule(code: str, slug: str, relink: str) -> Callable[[Find], Rule]:
    """Declare a class of damaged links on the agent's path. They can also be left."""
    repairs, preconditions = (relink, "leave"), ("broken-link",)
    return rule(code, slug, RepairStage.LINKS, repairs, preconditions, loses_records=True, ends_pass=True, of_link=True)


def damage_rule(code: str, slug: str, *repairs: str) -> Callable[[Find], Rule]:
    """Declare a class of damaged records. They can also be left."""
    return rule(code, slug, RepairStage.BYTES, (*repairs, "leave"), ("bad",), loses_records=True)
