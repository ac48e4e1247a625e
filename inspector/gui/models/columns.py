"""Lists as data: what a column says of a row, how wide it is, and what a whole row is to who hovers or listens."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from inspector.gui.basics import theme, words
from inspector.gui.basics.gate import tip
from inspector.gui.models.roles import Role

Index: TypeAlias = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()

R = TypeVar("R")
_SIDES = {False: Qt.AlignmentFlag.AlignLeft, True: Qt.AlignmentFlag.AlignRight}


def _unsaid(_: Any) -> str:
    return ""


class Column(NamedTuple, Generic[R]):
    """One column. `text` is what a cell says, nothing where the model itself tells it; `hint` explains the title.

    The column is as wide as the longest of `widest`, with `room` pixels around it; without any it takes what is left.
    A cell is `quiet` or stands on the `right`. Where there are `colours` it begins with an icon, which `mark` names.
    `tip` is the tooltip of a cell where it is not that of the row. By `key` rows are sorted; `falling` where the
    largest are wanted first.
    """

    title: str
    text: Callable[[R], str] = _unsaid
    widest_texts: Collection[str] = ()
    padding: int = 14
    hint: str = ""
    muted: bool = False
    align_right: bool = False
    icon_key: Callable[[R], str | None] | None = None
    colours: Mapping[str, theme.Pair] | None = None
    tip: Callable[[R], str] | None = None
    key: Callable[[R], Any] = _unsaid
    descending_first: bool = False


class Table(NamedTuple, Generic[R]):
    """The columns of a list. `tip` is the tooltip of a row, `roles` what delegates and panels ask for besides.

    A screen reader says `spoken`, by default what all cells say: of every cell, or of those of one column (`speaker`).
    """

    columns: tuple[Column[R], ...]
    tip: Callable[[R], str] = _unsaid
    accessible_text: Callable[[R], str] | None = None
    accessible_column: int | None = None
    roles: Mapping[int, Callable[[R], Any]] = {}

    def cell_data(self, row: R, number: int, role: int) -> Any:
        """What a cell has to say in a role."""
        column = self.columns[number]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.ToolTipRole:
                return tip((column.tip or self.tip)(row))
            case Qt.ItemDataRole.AccessibleTextRole if self.accessible_column in (None, number):
                return self.accessible_text(row) if self.accessible_text else self.row_text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _SIDES[True] | Qt.AlignmentFlag.AlignVCenter if column.align_right else None
            case Role.MARK if column.icon_key:
                return column.icon_key(row)
        known = self.roles.get(role)
        return known(row) if known else None

    def row_text(self, row: R) -> str:
        return ", ".join(filter(None, (column.text(row) for column in self.columns)))


def header(columns: Sequence[Column[Any]], section: int, orientation: Qt.Orientation, role: int) -> Any:
    """What a list says above a column."""
    if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(columns):
        return None
    column = columns[section]
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return words.tr(column.title)
        case Qt.ItemDataRole.ToolTipRole:
            return tip(words.tr(column.hint))
        case Qt.ItemDataRole.TextAlignmentRole:
            return _SIDES[column.align_right] | Qt.AlignmentFlag.AlignVCenter
        case Qt.ItemDataRole.InitialSortOrderRole:
            return Qt.SortOrder.DescendingOrder if column.descending_first else Qt.SortOrder.AscendingOrder
    return None
