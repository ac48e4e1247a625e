"""What every provider would answer to a session, as a list."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.showing.answers import Acceptance
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex

_NO_INDEX = QModelIndex()
_TITLES = ("Provider", "Answer", "Place", "Why")
_CHARS = 300


class AcceptanceColumn(IntEnum):
    """The columns of the answers."""

    PROVIDER = 0
    ANSWER = 1
    PLACE = 2
    WHY = 3


class AcceptanceModel(QAbstractTableModel):
    """Shows the answers to one session, in the order in which they came."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._rows: list[tuple[str, Acceptance]] = []
        super().__init__(parent)

    def show(self, answers: dict[str, Acceptance]) -> None:
        self.beginResetModel()
        self._rows = list(answers.items())
        self.endResetModel()

    def row(self, index: Index) -> tuple[str, Acceptance] | None:
        """The profile's name and its answer."""
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def row_of(self, profile: str) -> int:
        """The row of a profile, the first for one that there is not."""
        return next((number for number, (name, _) in enumerate(self._rows) if name == profile), 0)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(AcceptanceColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        name, answer = row
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(name, answer, index.column())
        if role == Role.MARK and index.column() == AcceptanceColumn.ANSWER:
            return words.ACCEPTS_ICON[answer.accepts]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(one_line(answer.error, 2 * _CHARS))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (_text(name, answer, column) for column in AcceptanceColumn)))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words.tr(_TITLES[section])
        return None


def _text(name: str, answer: Acceptance, column: int) -> str:
    match column:
        case AcceptanceColumn.PROVIDER:
            provider = words.profile(name)
            return provider[:1].upper() + provider[1:]
        case AcceptanceColumn.ANSWER:
            count = f" ({answer.refusals:,})" if answer.refusals > 1 else ""
            return words.tr(words.ACCEPTS[answer.accepts]) + count
        case AcceptanceColumn.PLACE:
            return words.place(answer.place) if answer.place else ""
        case _:
            not_run = f"{words.tr('Checks that did not run:')} {', '.join(answer.not_run)}" if answer.not_run else ""
            return one_line(answer.message or not_run, _CHARS)
