"""The places that a pasted text is about, as a list."""

from enum import IntEnum
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.formats.bases.store import at_home
from inspector.core.showing.machine_answers import PastedAnswer, PastedPlace
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line

Index = QModelIndex | QPersistentModelIndex

_NO_INDEX = QModelIndex()
_TITLES = ("Session", "Place", "What is there", "How")
_CHARS = 300


class PlaceColumn(IntEnum):
    """The columns of the places."""

    LOG = 0
    PLACE = 1
    WHAT = 2
    HOW = 3


class PlacesModel(QAbstractTableModel):
    """Shows the places of an answer."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._places: tuple[PastedPlace, ...] = ()
        super().__init__(parent)

    def show(self, answer: PastedAnswer | None) -> None:
        self.beginResetModel()
        self._places = answer.places if answer else ()
        self.endResetModel()

    def place(self, index: Index) -> PastedPlace | None:
        return self._places[index.row()] if index.isValid() else None

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._places)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(PlaceColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        place = self.place(index)
        if place is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(place, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(f"{one_line(at_home(place.path), 2 * _CHARS)}\n{one_line(place.sentence, 2 * _CHARS)}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(_text(place, column) for column in PlaceColumn)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words.tr(_TITLES[section])
        return None


def _text(place: PastedPlace, column: int) -> str:
    match column:
        case PlaceColumn.LOG:
            path = PurePath(place.path)
            return one_line(f"{path.name} · {path.parent.name}", _CHARS)
        case PlaceColumn.PLACE:
            return words.place(place.place)
        case PlaceColumn.WHAT:
            return one_line(place.sentence, _CHARS)
        case _:
            return words.tr(words.FOUND[place.how])
