"""The result of comparing a record with its planned repair, as a front end shows it: aligned runs of pieces."""

from typing import TypeAlias

from msgspec import Struct

from inspector.core.presentation.detail_pieces import PieceKind

# A text, and whether the other side has other words there.
MarkedText: TypeAlias = tuple[tuple[str, bool], ...]


class DiffSide(Struct, frozen=True):
    """Lines of one side, and the kind of piece that they belong to; without `words` the side is empty.

    `title` and `gutter` are those of that piece. A line of a TABLE is a name and a value with a tab between them.
    `picture` is the data of an IMAGE, "" where it is too large to be shown here.
    """

    words: MarkedText = ()
    kind: PieceKind = PieceKind.PROSE
    title: str = ""
    gutter: bool = False
    picture: str = ""


class DiffRun(Struct, frozen=True):
    """Lines that are shown side by side.

    `kind` is same, changed or folded; a folded run gives only the number of its lines in `count`, because they are the
    same or too many. `style` is "" for the content, heading for the title of a block, field for the other members of
    the record.
    """

    kind: str
    style: str = ""
    before: DiffSide = DiffSide()
    after: DiffSide = DiffSide()
    count: int = 0


class DiffRequest(Struct, frozen=True):
    """A record to compare: its `slot` in the plan, and the `mark` of its change."""

    slot: int
    mark: str


class DiffViewOptions(Struct, frozen=True):
    """How records are compared: as their details or `as_json`, with unchanged lines folded or `unfolded`."""

    as_json: bool = False
    unfolded: bool = False
