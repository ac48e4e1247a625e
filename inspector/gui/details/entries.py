"""What a page of details is made of, one below the other."""

from typing import NamedTuple, TypeAlias

from inspector.core.showing.details.pieces import BlockDetails
from inspector.gui.basics import theme


class Heading(NamedTuple):
    """A line of ours above something. `note` stands behind it, quiet; `node` is where a click goes, 0 for nowhere."""

    text: str
    note: str = ""
    tone: theme.Pair = theme.ACCENT
    node: int = 0


class Line(NamedTuple):
    """A line of ours. With a `node`, a click goes there."""

    text: str
    tone: theme.Pair | None = None
    node: int = 0


class Shown(NamedTuple):
    """A part of a record under its heading. `inset`: it belongs to the one before, as a result to its call."""

    part: BlockDetails
    record: int
    heading: Heading
    inset: bool = False


Entry: TypeAlias = Heading | Line | Shown
