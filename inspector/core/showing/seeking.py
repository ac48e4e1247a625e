"""What seeking in a log answers, as values that another process can be sent and a window shows."""

from array import array

from msgspec import Struct, field

from inspector.core.showing.outline import Numbers


def _none() -> Numbers:
    return array("i")


class FoundText(Struct):
    """A part of what a search for a text has found: records that hold it, ascending, and how far the search is.

    `done` and `total` are bytes. `outside` counts the pieces between records, so far, that hold it, too.
    """

    records: Numbers = field(default_factory=_none)
    done: int = 0
    total: int = 0
    outside: int = 0


class Target(Struct, frozen=True):
    """Where a number or an id leads: a node of the tree, 0 where nowhere, and `sentence` says why."""

    node: int = 0
    sentence: str = ""
