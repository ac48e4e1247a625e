"""A list of logs as a table; it sorts and filters itself."""

from enum import IntEnum
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QDateTime, QLocale, QModelIndex, QObject, Qt

from inspector.core.formats.bases.store import at_home
from inspector.core.showing.machine_answers import LogEntry, LogVerdict
from inspector.core.showing.sizes import byte_size
from inspector.gui.basics import words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.plain_text import one_line
from inspector.gui.document.survey import Survey
from inspector.gui.models.columns import NO_INDEX, Column, Index, Table, header
from inspector.gui.models.roles import Role

_LONGEST, _ROOM = 200, 24
# The worst first. A log that is judged healthy stays where it was, so that the list does not run under the pointer.
_RANKS = {"broken": 0, "unreadable": 1, "unexplained": 2, "not-judged": 3, "heals-itself": 4, "waiting": 5}
_OTHERS = 6


_HINTS = (
    "What judging the log came to, the worst first",
    "What it is about",
    "What has likely happened; logs with the same cause stand together when this is sorted",
    "The folder that the agent worked in",
    "The program that wrote the log",
    "When the log was last written",
    "Of the file",
)


class LogColumn(IntEnum):
    """The columns of a list of logs, from the left."""

    VERDICT = 0
    TITLE = 1
    CAUSE = 2
    PROJECT = 3
    AGENT = 4
    CHANGED = 5
    SIZE = 6


# What judging a log tells, and not its head.
_JUDGED = (LogColumn.VERDICT, LogColumn.CAUSE)


class Listed(NamedTuple):
    """A log by its place in the survey, with its verdict once there is one."""

    number: int
    log: LogEntry
    verdict: LogVerdict | None


def _said(row: Listed) -> str:
    return verdict_words(row.verdict)


def _cause(row: Listed) -> str:
    return row.verdict.cause if row.verdict else ""


def _title(row: Listed) -> str:
    return one_line(row.log.title, _LONGEST) or one_line(hiding.name(row.log.path), _LONGEST)


def _agent(row: Listed) -> str:
    return one_line(row.log.agent, _LONGEST)


def _changed(row: Listed) -> str:
    return QLocale.system().toString(QDateTime.fromSecsSinceEpoch(int(row.log.modified)), "yyyy-MM-dd HH:mm")


def _project(row: Listed) -> str:
    return one_line(at_home(row.log.project), _LONGEST)


def _size(row: Listed) -> str:
    return byte_size(row.log.size) if row.log.size else ""


def _rank(row: Listed) -> int:
    return _RANKS.get(row.verdict.verdict, _OTHERS) if row.verdict else _OTHERS


def _why(row: Listed) -> str:
    return one_line(row.verdict.sentence if row.verdict else hiding.place(row.log.path), 300)


def _where(row: Listed) -> str:
    return one_line(row.log.project or hiding.place(row.log.path), 300)


LOGS = Table[Listed](
    (
        Column("Verdict", _said, ("⬤ Not checked yet",), _ROOM, _HINTS[0], tip=_why, key=_rank),
        Column("Session", _title, hint=_HINTS[1], key=lambda row: _title(row).casefold()),
        Column("Likely cause", _cause, ("Claude Code was stopped while a command ran",), _ROOM, _HINTS[2], tip=_cause,
               key=lambda row: (not _cause(row), _cause(row))),
        Column("Project", _project, ("~/projects/transcript-inspector",), _ROOM, _HINTS[3], tip=_where,
               key=lambda row: row.log.project.casefold()),
        Column("Agent", _agent, ("Anthropic Messages JSON",), _ROOM, _HINTS[4], quiet=True,
               key=lambda row: row.log.agent.casefold()),
        Column("Last change", _changed, ("2026-08-28 08:58",), _ROOM, _HINTS[5], quiet=True,
               key=lambda row: row.log.modified, falling=True),
        Column("Size", _size, ("888.8 MB",), _ROOM, _HINTS[6], right=True, key=lambda row: row.log.size, falling=True),
    ),
    tip=lambda row: one_line(hiding.place(row.log.path), 300),
    spoken=lambda row: f"{_said(row)}: {_title(row)}, {_agent(row)}, {_changed(row)}",
    speaker=LogColumn.TITLE,
    roles={
        Role.POSITION: lambda row: row.number,
        Role.MARK: lambda row: row.verdict.verdict if row.verdict else "",
        Role.COUNT: lambda row: row.verdict.errors if row.verdict else 0,
    },
)  # fmt: skip


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
        """Show the logs in which each word of `text` occurs: in title, project, agent, path, verdict or cause."""
        wanted = text.casefold().split()
        if wanted != self._words:
            self._words = wanted
            self._choose_rows()

    # Qt's questions

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(LogColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        number, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole and column not in _JUDGED:
            return self._cells(number)[column]
        return LOGS.cell(self._listed(number), column, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return header(LOGS.columns, section, orientation, role)

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
        if self.sorted_by in _JUDGED and any(_rank(self._listed(number)) != _OTHERS for number in numbers):
            self._put_in_order()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(LogColumn) - 1))

    def _listed(self, number: int) -> Listed:
        return Listed(number, self._logs[number], self._verdicts[number])

    def _cells(self, number: int) -> tuple[str, ...]:
        """What the cells of a log say, made once: a list that is scrolled asks for it again and again."""
        made = self._texts.get(number)
        if made is None:
            row = self._listed(number)
            made = self._texts[number] = tuple(column.text(row) for column in LOGS.columns)
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
        key = LOGS.columns[self.sorted_by].key
        keys = {number: key(self._listed(number)) for number in sorted(numbers)}
        return sorted(keys, key=keys.__getitem__, reverse=self.turned)

    def _fits(self, number: int) -> bool:
        if not self._words:
            return True
        log, verdict = self._logs[number], self._verdicts[number]
        judged = f"{verdict_words(verdict)}\n{verdict.cause if verdict else ''}"
        text = f"{log.title}\n{log.project}\n{log.agent}\n{hiding.place(log.path)}\n{judged}".casefold()
        return all(word in text for word in self._words)


def verdict_words(verdict: LogVerdict | None) -> str:
    """A verdict in plain words, with the number of errors."""
    name = verdict.verdict if verdict else ""
    said = words.tr(words.VERDICT.get(name, name))
    return f"{said} · {verdict.errors:,}" if verdict and name == "broken" else said
