"""The result of comparing a record with its planned repair, as a front end shows it: aligned runs of pieces."""

from typing import TypeAlias

from msgspec import Struct

from inspector.core.presentation.detail_pieces import PieceKind

# A text, and whether the other side has other words there.
MarkedText: TypeAlias = tuple[tuple[str, bool], ...]


class DiffSide(Struct, frozen=True):
    """Lines of one side, and what kind of piece they are of. Without words, the side has none.

    `title`, `gutter`: as of that piece; a line of a TABLE is a name and a value with a tab between. `picture` is the
    data of an IMAGE, "" where it is too large to be shown here.
    """

    words: MarkedText = ()
    kind: PieceKind = PieceKind.PROSE
    title: str = ""
    gutter: bool = False
    picture: str = ""


class DiffRun(Struct, frozen=True):
    """Lines that stand side by side.

    `kind`: same, changed, or folded (`count` lines that are the same, or too many, and not given). `style`: "" for what
    is said, heading for what a block is, field for the record's other members.
    """

    kind: str
    style: str = ""
    before: DiffSide = DiffSide()
    after: DiffSide = DiffSide()
    count: int = 0


class DiffRequest(Struct, frozen=True):
    """Which record is wanted: its `slot` in the plan, and what happens to it (the `mark` of its change)."""

    slot: int
    mark: str


class DiffOptions(Struct, frozen=True):
    """How records are compared: as they are read or `as_json`, with what is the same folded or not."""

    as_json: bool = False
    unfolded: bool = False
