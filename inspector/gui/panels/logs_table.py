"""The table of a list of logs."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from inspector.core.stores.log_entry import LogEntry
from inspector.gui.basics import words
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.delegates.session_delegate import VerdictDelegate
from inspector.gui.models.logs_columns import LOGS, LogColumn
from inspector.gui.models.logs_model import LogsModel
from inspector.gui.panels.list_view import delegate_of, limit, offer, widths

# What can be cut where all is wider than the window, and how many times as wide as others it may be then.
_CUT: dict[int, int] = {
    LogColumn.VERDICT: 3, LogColumn.TITLE: 3, LogColumn.CAUSE: 3, LogColumn.PROJECT: 2, LogColumn.AGENT: 2
}  # fmt: skip
_MEASURED = 300  # rows
_SOON_MS = 100
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_FOLDING: dict[int, bool] = {Qt.Key.Key_Right: True, Qt.Key.Key_Left: False}
_STEPS = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown)


class LogsTable(QTableView):
    """Rows of one height; Enter and double click open a log, or unfold a ticket. Signals: `open_wanted` (path)."""

    open_wanted = Signal(object)

    def __init__(self, model: LogsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._logs = model
        self._current_path, self._seen_at = "", -1
        self.setModel(model)
        self.setAccessibleName(self.tr("Logs"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self._tools = RowPainter(self.font())
        self._set_up_headers()
        self._set_up_delegates()
        self.doubleClicked.connect(self._open)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        offer(self, self.tr("Open"), lambda: self._open(self.currentIndex()))
        for signal in (model.modelAboutToBeReset, model.layoutAboutToBeChanged):
            signal.connect(self._remember)
        model.modelReset.connect(self._restore_current)
        model.rowsInserted.connect(self._restore_current)
        model.layoutChanged.connect(self._restore_place)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._distribute_widths)
        for changed in (model.modelReset, model.rowsInserted, model.dataChanged):
            changed.connect(self._soon.start)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chosen = self.selectionModel().hasSelection()
        if not chosen and event.key() in (*_ENTER, *_STEPS) and self._logs.rowCount():
            # Nothing is seen to be current yet: the first key goes to the first row.
            self.setCurrentIndex(self._logs.index(0, 0))
        elif chosen and event.key() in _ENTER:
            self._open(self.currentIndex())
        elif chosen and event.key() in _FOLDING:
            self._logs.set_expanded(self.currentIndex().row(), _FOLDING[event.key()])
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        index = self.indexAt(at)
        if index.column() == LogColumn.TITLE and at.x() < self.visualRect(index).left() + self._tools.row_height:
            self._logs.set_expanded(index.row())
        super().mousePressEvent(event)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._distribute_widths()

    def _distribute_widths(self) -> None:
        """Each column is as wide as what it holds; where that is too much, the widest ones give way."""
        wanted = widths(LOGS.columns, self._tools)
        for column in _CUT:
            held = self._tools.width(self._longest(column)) + LOGS.columns[LogColumn.VERDICT].padding
            wanted[column] = max(held, wanted[column]) if column == LogColumn.CAUSE else held  # they come one by one
        room = self.viewport().width() - sum(width for column, width in wanted.items() if column not in _CUT)
        most = limit([(wanted[column], share) for column, share in _CUT.items()], room)
        for column, width in wanted.items():
            if column != LogColumn.TITLE:
                self.horizontalHeader().resizeSection(column, min(width, int(most * _CUT.get(column, width))))

    def _longest(self, column: int) -> str:
        """The longest text of the first rows, and of the title above them with the sign of sorting."""
        rows = range(min(self._logs.rowCount(), _MEASURED))
        title = f"{words.tr(LOGS.columns[column].title)}    "
        icon = "⬤ " if column == LogColumn.VERDICT else ""
        return max((title, *(f"{icon}{self._logs.index(row, column).data()}" for row in rows)), key=len)

    def _open(self, index: QModelIndex | QPersistentModelIndex) -> None:
        log = self._logs.log_at(index.row())
        if log is not None:
            self.open_wanted.emit(log.path)
        else:
            self._logs.set_expanded(index.row())

    def selected_logs(self) -> list[LogEntry]:
        """The logs of the rows that are selected."""
        return self._logs.logs_at(sorted({index.row() for index in self.selectionModel().selectedRows()}))

    def _remember(self) -> None:
        """Which log was chosen, and how far down it is seen: verdicts that come in must not move it away."""
        current = self.currentIndex()
        if not self._logs.rowCount():
            return
        log = self._logs.log_at(current.row()) if self.selectionModel().hasSelection() else None
        self._current_path = log.path if log else ""
        self._seen_at = self.visualRect(current).top() if log else -1

    def _restore_current(self) -> None:
        lost = self._current_path and not self.selectionModel().hasSelection()
        index = self._logs.index_of_path(self._current_path) if lost else QModelIndex()
        if index.isValid():
            self.setCurrentIndex(index)

    def _restore_place(self) -> None:
        current = self.currentIndex()
        if self._current_path and 0 <= self._seen_at < self.viewport().height():
            moved = self.visualRect(current).top() - self._seen_at
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + moved)

    def _set_up_headers(self) -> None:
        rows, header = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setMinimumSectionSize(self._tools.row_height)
        rows.setDefaultSectionSize(self._tools.row_height)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(LogColumn.TITLE, QHeaderView.ResizeMode.Stretch)
        header.setSortIndicator(LogColumn.VERDICT, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def _set_up_delegates(self) -> None:
        tools = self._tools
        for number, column in enumerate(LOGS.columns):
            self.setItemDelegateForColumn(number, delegate_of(column, tools, self))
        self.setItemDelegateForColumn(LogColumn.VERDICT, VerdictDelegate(tools, self))
