"""The unanswered calls that may have changed something, as a list."""

from enum import IntEnum
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.evidence.evidence import Evidence
from inspector.core.scene.finding import Finding
from inspector.gui.answers.evidence_book import EvidenceBook
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.roles import Role

Index = QModelIndex | QPersistentModelIndex

_NO_INDEX = QModelIndex()
_TITLES = ("Did it run?", "Line", "Call", "Folder")
_CHARS = 300
_FOLDERS = 2


class OpenCallColumn(IntEnum):
    """The columns of the open calls."""

    RAN = 0
    LINE = 1
    CALL = 2
    FOLDER = 3


class OpenCallsModel(QAbstractTableModel):
    """Shows the calls that an EvidenceBook lists."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._log: OpenedLog | None = None
        self._book: EvidenceBook | None = None
        super().__init__(parent)

    def show(self, log: OpenedLog | None, book: EvidenceBook | None) -> None:
        self.beginResetModel()
        self._log, self._book = log, book
        self.endResetModel()

    def position(self, index: Index) -> int:
        """The position of the finding of a row, -1 for none."""
        return self._book.changing[index.row()] if self._book is not None and index.isValid() else -1

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() or self._log is None or self._book is None else len(self._book.changing)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(OpenCallColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        position = self.position(index)
        evidence = self._book.of_finding(position) if self._book is not None and position >= 0 else None
        if evidence is None or self._log is None:
            return None
        if role == Role.POSITION:
            return position
        finding = self._log.findings[position]
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(finding, evidence, index.column())
        if role == Role.MARK and index.column() == OpenCallColumn.RAN:
            return words.RAN_ICON[evidence.verdict]
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = (one_line(evidence.command, 2 * _CHARS), one_line(evidence.folder, _CHARS), evidence.sentence)
            return tip("\n".join(filter(None, lines)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (_text(finding, evidence, column) for column in OpenCallColumn)))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words.tr(_TITLES[section])
        return None


def _text(finding: Finding, evidence: Evidence, column: int) -> str:
    match column:
        case OpenCallColumn.RAN:
            return words.tr(words.RAN[evidence.verdict])
        case OpenCallColumn.LINE:
            return f"{words.number(finding.place):,}"
        case OpenCallColumn.CALL:
            tool = finding.tool or words.tr("an unnamed tool")
            return one_line(f"{tool}: {evidence.command}" if evidence.command else tool, _CHARS)
        case _:
            # The end of a path tells folders apart.
            parts = PurePath(evidence.folder).parts
            folder = str(PurePath("…", *parts[-_FOLDERS:])) if len(parts) > _FOLDERS + 1 else evidence.folder
            return one_line(folder, _CHARS)
