"""What a conversion cannot carry over as it is, block by block."""

from array import array
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.showing.answers import ConvertNote
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex

_NO_INDEX = QModelIndex()
_TITLES = ("What happens", "Line", "Block", "What it says")
_CHARS = 300


class NoteColumn(IntEnum):
    """The columns of the notes."""

    ACTION = 0
    LINE = 1
    WHAT = 2
    TEXT = 3


class NotesModel(QAbstractTableModel):
    """Shows notes; `lines` are the lines of the log's records, and may be empty."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._notes: tuple[ConvertNote, ...] = ()
        self._lines: array[int] = array("q")
        super().__init__(parent)

    def show(self, notes: tuple[ConvertNote, ...], lines: "array[int]") -> None:
        self.beginResetModel()
        self._notes, self._lines = notes, lines
        self.endResetModel()

    def note(self, index: Index) -> ConvertNote | None:
        return self._notes[index.row()] if index.isValid() else None

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._notes)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(NoteColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        note = self.note(index)
        if note is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(note, index.column())
        if role == Role.MARK and index.column() == NoteColumn.ACTION:
            return words.NOTE_ICON[note.action]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(one_line(note.text, _CHARS))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (self._text(note, column) for column in NoteColumn)))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words.tr(_TITLES[section])
        return None

    def _text(self, note: ConvertNote, column: int) -> str:
        match column:
            case NoteColumn.ACTION:
                return words.tr(words.NOTE[note.action])
            case NoteColumn.LINE:
                return self._line(note.record)
            case NoteColumn.WHAT:
                return one_line(note.what, _CHARS)
            case _:
                return one_line(note.text, _CHARS)

    def _line(self, record: int | None) -> str:
        if record is None:
            return ""
        return f"{self._lines[record] if record < len(self._lines) else record + 1:,}"
