"""The results that other logs hold for open calls, as a list."""

from enum import IntEnum
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.showing.answers import OfferedResult
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line

Index = QModelIndex | QPersistentModelIndex

_NO_INDEX = QModelIndex()
_TITLES = ("Line", "Call", "Result", "From")
_CHARS = 300


class OfferColumn(IntEnum):
    """The columns of the offers."""

    LINE = 0
    CALL = 1
    RESULT = 2
    FROM = 3


class OffersModel(QAbstractTableModel):
    """Shows what other logs offer."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._offers: tuple[OfferedResult, ...] = ()
        super().__init__(parent)

    def show(self, offers: tuple[OfferedResult, ...]) -> None:
        self.beginResetModel()
        self._offers = offers
        self.endResetModel()

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._offers)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(OfferColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        offer = self._offers[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(offer, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(f"{one_line(offer.sentence, 2 * _CHARS)}\n{one_line(offer.text, _CHARS)}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            where = f"{_text(offer, OfferColumn.LINE)}, {_text(offer, OfferColumn.CALL)}"
            return f"{where}: {one_line(offer.sentence, 2 * _CHARS)}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words.tr(_TITLES[section])
        return None


def _text(offer: OfferedResult, column: int) -> str:
    match column:
        case OfferColumn.LINE:
            return f"{words.number(offer.place):,}"
        case OfferColumn.CALL:
            return one_line(offer.tool or offer.call_id, _CHARS)
        case OfferColumn.RESULT:
            return one_line(offer.text, _CHARS)
        case _:
            where = words.numbered(offer.at.record, offer.at.line)
            return one_line(f"{PurePath(offer.path).name}, {where}", _CHARS)
