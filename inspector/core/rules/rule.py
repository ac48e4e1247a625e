"""What a rule is, and the decorators that make one of a function: its docstring is the help page.

A family imports the types that its functions name from here, too.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import cached_property
from inspect import cleandoc
from typing import Concatenate, ParamSpec, TypeAlias

from msgspec import Struct

from inspector.core.analysis.thread import Match, ThreadContext

__all__ = ["Hits", "Match", "Rule", "Stage", "ThreadContext", "open_call_rule", "orphan_rule", "rule"]

Hits: TypeAlias = Iterator[Match]
Find: TypeAlias = Callable[[ThreadContext], Hits]
Declared = ParamSpec("Declared")


class Stage(IntEnum):
    """The order in which the classes are mended, by what of the log is in order behind each.

    Bytes, tree, shapes, identity, doubles, places, what has no counterpart, the rest. An orphan and an unanswered call
    share no record and no id, so they need no order between them.
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
    """A class of anomaly: how it is found, and what is declared of it.

    `find` yields every instance in a thread. It is asked only where one of the `preconditions` is met: a name among
    scene.signs.PRECONDITIONS, or a code, which is met where the profile that is asked refuses that.

    `repairs` are what can be done: strategies, and behind some a word for what the strategy is done to where that takes
    work of its own ("normalise input"; repair.deeds.DEEDS has the work). The first is the default, unless `default`
    names another strategy. `stage` is None for what cannot be repaired.

    `loses_records`: agents lose records over it, whatever the provider says. `by_profile`: it is legal at one
    provider and not at another, and told of the one that is asked. `adopts`: a result that another log holds mends
    it. `ends_pass`: nothing else is mended beside one of its findings, since what is left to mend is known only
    then. `of_error`: it tells of an error that the log records, and not of the history. `may_run`: it is none while
    the agent is at work, which the log cannot tell. `in_request`: what the agent sends on resume tells of it too:
    where each call and result stands there, or that it does not, and under which name. `of_link`: it is none to an
    agent that goes on behind the link (Link.bridged).
    """

    find: Find
    code: str
    slug: str
    stage: Stage | None
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
        """The help page, of which the first line is the title."""
        return cleandoc(self.find.__doc__ or "")

    @property
    def title(self) -> str:
        """The rule in a few words."""
        return self.help.partition("\n")[0]

    @cached_property
    def strategies(self) -> tuple[str, ...]:
        """The names by which a person chooses."""
        return tuple(self._deeds)

    @cached_property
    def strategy(self) -> str:
        """The strategy that is taken where nothing else was chosen."""
        return self.default or self.strategies[0]

    def deed(self, strategy: str) -> str:
        """What a strategy does here, by its name among DEEDS."""
        return self._deeds.get(strategy, strategy)

    @cached_property
    def _deeds(self) -> dict[str, str]:
        return {repair.partition(" ")[0]: repair for repair in self.repairs}


def _declaring(
    made: Callable[Concatenate[Find, Declared], Rule],
) -> Callable[Declared, Callable[[Find], Rule]]:
    """Return a decorator that takes all that a rule declares but `find`, for which it takes the function under it."""

    def declared(*args: Declared.args, **named: Declared.kwargs) -> Callable[[Find], Rule]:
        return lambda find: made(find, *args, **named)

    return declared


rule = _declaring(Rule)


def open_call_rule(
    code: str, slug: str, preconditions: tuple[str, ...], may_run: bool = False
) -> Callable[[Find], Rule]:
    """Declare a class of calls without a result."""
    repairs = ("answer", "drop-call", "drop-exchange", "cut-tail", "leave")
    return rule(code, slug, Stage.UNMATCHED, repairs, preconditions, adopts=True, may_run=may_run, in_request=True)


def orphan_rule(code: str, slug: str, preconditions: tuple[str, ...]) -> Callable[[Find], Rule]:
    """Declare a class of results without a call."""
    repairs = ("invent-call", "keep-as-note", "drop", "leave")
    return rule(code, slug, Stage.UNMATCHED, repairs, preconditions, default="keep-as-note", in_request=True)
