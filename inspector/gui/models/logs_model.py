"""A list of logs as a table; it sorts and filters itself."""

import os
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QDateTime, QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.formats.bases.store import at_home
from inspector.core.showing.machine_answers import LogEntry, LogVerdict
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import byte_size, one_line
from inspector.gui.document.survey import Survey
from inspector.gui.models.roles import Role

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
_LONGEST = 200
# The worst first. A log that is judged healthy stays where it was, so that the list does not run under the pointer.
_RANKS = {"broken": 0, "unreadable": 1, "unexplained": 2, "not-judged": 3, "heals-itself": 4, "waiting": 5}
_OTHERS = 6


class LogColumn(IntEnum):
    """The columns of a list of logs, from the left."""

    VERDICT = 0
    TITLE = 1
    PROJECT = 2
    AGENT = 3
    CHANGED = 4
    SIZE = 5


class _Info(NamedTuple):
    """`text` is what a cell says, `key` what its column is sorted by; `falling` where the largest are wanted first."""

    title: str
    tip: str
    text: Callable[[LogEntry], str]
    key: Callable[[LogEntry], Any]
    falling: bool = False


def _title(log: LogEntry) -> str:
    return one_line(log.title, _LONGEST) or one_line(os.path.basename(log.path), _LONGEST)


def _project(log: LogEntry) -> str:
    return one_line(at_home(log.project), _LONGEST)


def _agent(log: LogEntry) -> str:
    return one_line(log.agent, _LONGEST)


def _changed(log: LogEntry) -> str:
    return QLocale.system().toString(QDateTime.fromSecsSinceEpoch(int(log.modified)), "yyyy-MM-dd HH:mm")


_INFO = {
    LogColumn.VERDICT: _Info("Verdict", "What judging the log came to, the worst first", lambda log: "", lambda log: 0),
    LogColumn.TITLE: _Info("Session", "What it is about", _title, lambda log: _title(log).casefold()),
    LogColumn.PROJECT: _Info("Project", "The folder that the agent worked in", _project,
                             lambda log: log.project.casefold()),
    LogColumn.AGENT: _Info("Agent", "The program that wrote the log", _agent,
                           lambda log: log.agent.casefold()),
    LogColumn.CHANGED: _Info("Last change", "When the log was last written", _changed,
                             lambda log: log.modified, falling=True),
    LogColumn.SIZE: _Info("Size", "Of the file", lambda log: byte_size(log.size) if log.size else "",
                          lambda log: log.size, falling=True),
}  # fmt: skip


class LogsModel(QAbstractTableModel):
    """The logs of a survey. POSITION is a log's place in it, MARK its verdict ("" when there is none yet)."""

    def __init__(self, survey: Survey, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._survey = survey
        self._logs, self._verdicts = survey.logs, survey.verdicts
        self._texts: dict[int, tuple[str, ...]] = {}
        self._rows: list[int] = []
        self._words: list[str] = []
        self.sorted_by = LogColumn.VERDICT
        self.turned = False
        survey.restarted.connect(self._on_restarted)
        survey.listed.connect(self._on_listed)
        survey.judged.connect(self._on_judged)

    def log_at(self, row: int) -> LogEntry | None:
        return self._logs[self._rows[row]] if 0 <= row < len(self._rows) else None

    def index_of_path(self, path: str, column: int = LogColumn.TITLE) -> QModelIndex:
        """The row of a log; invalid when it is not shown."""
        row = next((row for row, number in enumerate(self._rows) if self._logs[number].path == path), -1)
        return self.index(row, column)

    def show_only(self, text: str) -> None:
        """Show the logs in which each word of `text` occurs: in title, project, agent, path or verdict."""
        wanted = text.casefold().split()
        if wanted != self._words:
            self._words = wanted
            self._choose_rows()

    # Qt's questions

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(LogColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        number, column = self._rows[index.row()], index.column()
        log, verdict = self._logs[number], self._verdicts[number]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells(number)[column] if column else verdict_words(verdict)
        match role:
            case Role.POSITION:
                return number
            case Role.MARK:
                return verdict.verdict if verdict else ""
            case Role.COUNT:
                return verdict.errors if verdict else 0
            case Qt.ItemDataRole.ToolTipRole:
                return tip(_explained(log, verdict, column))
            case Qt.ItemDataRole.AccessibleTextRole if column == LogColumn.TITLE:
                return f"{verdict_words(verdict)}: {_title(log)}, {_agent(log)}, {_changed(log)}"
            case Qt.ItemDataRole.TextAlignmentRole if column == LogColumn.SIZE:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(LogColumn):
            return None
        info = _INFO[LogColumn(section)]
        if role == Qt.ItemDataRole.DisplayRole:
            return words.tr(info.title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(words.tr(info.tip))
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            return Qt.SortOrder.DescendingOrder if info.falling else Qt.SortOrder.AscendingOrder
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == LogColumn.SIZE else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sorted_by, self.turned = LogColumn(max(column, 0)), order == Qt.SortOrder.DescendingOrder
        self._put_in_order()

    # the survey

    def _on_restarted(self) -> None:
        self.beginResetModel()
        self._logs, self._verdicts = self._survey.logs, self._survey.verdicts
        self._texts, self._rows = {}, []
        self.endResetModel()

    def _on_listed(self, logs: list[LogEntry]) -> None:
        total = len(self._logs)
        added = [number for number in range(total - len(logs), total) if self._fits(number)]
        if added:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(added) - 1)
            self._rows += added
            self.endInsertRows()
            self._put_in_order()

    def _on_judged(self, numbers: list[int]) -> None:
        if self._words:
            shown = set(self._rows)
            if any(self._fits(number) != (number in shown) for number in numbers):
                self._choose_rows()
                return
        if self.sorted_by == LogColumn.VERDICT and any(self._rank(number) != _OTHERS for number in numbers):
            self._put_in_order()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(LogColumn) - 1))

    def _cells(self, number: int) -> tuple[str, ...]:
        """What the cells of a log say, made once: a list that is scrolled asks for it again and again."""
        made = self._texts.get(number)
        if made is None:
            made = self._texts[number] = tuple(info.text(self._logs[number]) for info in _INFO.values())
        return made

    # order

    def _choose_rows(self) -> None:
        self.beginResetModel()
        self._rows = self._sorted([number for number in range(len(self._logs)) if self._fits(number)])
        self.endResetModel()

    def _put_in_order(self) -> None:
        rows = self._sorted(self._rows)
        if rows == self._rows:
            return
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        numbers = [self._rows[index.row()] for index in kept]
        self._rows = rows
        place = {number: row for row, number in enumerate(rows)} if kept else {}
        moved = [self.index(place[number], old.column()) for number, old in zip(numbers, kept, strict=True)]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _sorted(self, numbers: list[int]) -> list[int]:
        """Positions in the order that is chosen; among equals the newest first, as the survey found them."""
        info, logs = _INFO[self.sorted_by], self._logs
        by_verdict = self.sorted_by == LogColumn.VERDICT
        keys = {number: self._rank(number) if by_verdict else info.key(logs[number]) for number in sorted(numbers)}
        return sorted(keys, key=keys.__getitem__, reverse=self.turned)

    def _rank(self, number: int) -> int:
        verdict = self._verdicts[number]
        return _RANKS.get(verdict.verdict, _OTHERS) if verdict else _OTHERS

    def _fits(self, number: int) -> bool:
        if not self._words:
            return True
        log, verdict = self._logs[number], self._verdicts[number]
        text = f"{log.title}\n{log.project}\n{log.agent}\n{log.path}\n{verdict_words(verdict)}".casefold()
        return all(word in text for word in self._words)


def verdict_words(verdict: LogVerdict | None) -> str:
    """A verdict in plain words, with the number of errors."""
    name = verdict.verdict if verdict else ""
    said = words.tr(words.VERDICT.get(name, name))
    return f"{said} · {verdict.errors:,}" if verdict and name == "broken" else said


def _explained(log: LogEntry, verdict: LogVerdict | None, column: int) -> str:
    if column == LogColumn.VERDICT and verdict:
        return one_line(verdict.sentence, 300)
    return one_line(log.project if column == LogColumn.PROJECT and log.project else log.path, 300)
