"""What seeking in a log answers, as values that another process can be sent and a window shows."""

from array import array

from msgspec import Struct, field

from inspector.core.showing.outline import Numbers


def _none() -> Numbers:
    return array("i")


class TextMatches(Struct):
    """A part of what a search for a text has found: records that hold it, ascending, and how far the search is.

    `done` and `total` are bytes. `outside` counts the pieces between records, so far, that hold it, too.
    """

    records: Numbers = field(default_factory=_none)
    done: int = 0
    total: int = 0
    outside_matches: int = 0


class JumpTarget(Struct, frozen=True):
    """Where a number or an id leads: a node of the tree, 0 where nowhere, and `sentence` says why."""

    node: int = 0
    sentence: str = ""


class FilterResult(Struct):
    """What a filter line leaves: the nodes that it keeps with all above them, ascending.

    `rows` of `total` fit; `hidden` findings stand on none of them. `fault` is the sentence on a line that cannot be
    understood, which leaves nothing; `doubt` on what it names that is nowhere.
    """

    kept: Numbers = field(default_factory=_none)
    rows: int = 0
    total: int = 0
    hidden: int = 0
    fault: str = ""
    doubt: str = ""


class Facets(Struct):
    """What there is to steer by in a log: its tools with how often each is called, and some rows.

    `states` counts the rows that a word of a filter (`is:`) leaves.
    """

    tools: dict[str, int] = {}
    states: dict[str, int] = {}
    failed: Numbers = field(default_factory=_none)
    compactions: Numbers = field(default_factory=_none)


class ListRow(Struct, frozen=True, array_like=True):
    """A row of a ready list: the node and the record that it tells of, what that is, and its first words.

    `measure` is what the list is about: bytes, milliseconds (-1 where it is not told), or how often; `count` the rows.
    """

    node: int
    record: int
    what: str
    text: str
    measure: int
    count: int = 0
