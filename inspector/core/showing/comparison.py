"""A record as it is beside the record as it is planned, as what a front shows of it: aligned runs of lines."""

from typing import TypeAlias

from msgspec import Struct

# A text, and whether the other side has other words there.
Words: TypeAlias = tuple[tuple[str, bool], ...]


class Run(Struct, frozen=True):
    """Lines that stand side by side; the words of a side are empty where it has none.

    `kind`: same, changed, or folded (`count` lines that are the same, or too many, and not given). `style`: "" for what
    is said, heading for what a block is, field for the record's other members.
    """

    kind: str
    style: str = ""
    before: Words = ()
    after: Words = ()
    count: int = 0


class Wanted(Struct, frozen=True):
    """Which record is wanted: its `slot` in the plan, and what happens to it (the `mark` of its change)."""

    slot: int
    mark: str


class Manner(Struct, frozen=True):
    """How records are compared: as they are read or `as_json`, with what is the same folded or not."""

    as_json: bool = False
    unfolded: bool = False
