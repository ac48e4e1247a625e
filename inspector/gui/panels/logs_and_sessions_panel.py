"""The lists left of the tree: the logs of the list that the open log is from, and the sessions of the open log."""

from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QListView, QSplitter, QToolButton, QVBoxLayout, QWidget

from inspector.core.translation import tr
from inspector.gui.common.actions import Action, WindowActions
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.models.base import ItemRole, TableModel
from inspector.gui.models.list_columns import SESSIONS_TABLE, session_rows
from inspector.gui.models.logs_model import LogColumn, LogsModel
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import RowPainter, SessionDelegate, add_row_action
from inspector.gui.widgets.labels import PlainLabel

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class LogsAndSessionsPanel(QWidget):
    """The lists of logs and of sessions; hidden when there is nothing to choose.

    Choosing a session shows it in the tree; a click or Enter opens a log.

    Signals: `open_wanted` (path).
    """

    open_wanted = Signal(object)

    def __init__(
        self, document: Document, logs: LogsModel, actions: WindowActions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._logs = logs
        self._has_room = self._shows_current = True
        self.model = TableModel(SESSIONS_TABLE, self)
        self.view = _NarrowList(self.model, tr("Sessions"), self)
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        self.logs_view = _NarrowList(logs, tr("Logs"), self)
        self.logs_view.setModelColumn(LogColumn.TITLE)
        self.logs_view.chosen.connect(self._on_log_chosen)
        add_row_action(self.logs_view, tr("Open"), lambda: self._on_log_chosen(self.logs_view.currentIndex().row()))
        back = QToolButton(self)
        back.setDefaultAction(actions[Action.SHOW_LIST])
        back.setAutoRaise(True)
        self._logs_part = _part(tr("Logs"), self.logs_view, self, back)
        self._sessions_part = _part(tr("Sessions, worst first"), self.view, self)
        parts = QSplitter(Qt.Orientation.Vertical, self)
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        for part in (self._logs_part, self._sessions_part):
            parts.addWidget(part)
        stack_vertically(self, parts)
        self.setMinimumWidth(160)
        self.refresh()
        document.log_changed.connect(self._on_log_changed)
        document.place_changed.connect(self._on_place_changed)
        logs.modelReset.connect(self.refresh)
        logs.rowsInserted.connect(self.refresh)
        logs.layoutAboutToBeChanged.connect(self._on_rows_moving)
        logs.layoutChanged.connect(self._on_rows_moved)

    def set_has_room(self, has_room: bool) -> None:
        """Hide the lists while the window is too narrow for them."""
        if has_room != self._has_room:
            self._has_room = has_room
            self.refresh()

    def refresh(self) -> None:
        """Show the lists that have more than one entry."""
        several = self.model.rowCount() > 1
        listed = self._logs.rowCount() > 1 and self._logs.index_of(self._document.path).isValid()
        self._logs_part.setVisible(listed)
        self._sessions_part.setVisible(several)
        self.setVisible((listed or several) and self._has_room)
        if not self.logs_view.currentIndex().isValid():
            self.logs_view.setCurrentIndex(self._logs.index_of(self._document.path))

    def _on_log_changed(self) -> None:
        log = self._document.log
        self.model.show(session_rows(log.overview.sessions) if log else ())
        self.refresh()
        self._on_place_changed()
        index = self._logs.index_of(self._document.path)
        if index.isValid():
            self.logs_view.setCurrentIndex(index)

    def _on_rows_moving(self) -> None:
        view = self.logs_view
        self._shows_current = view.viewport().rect().intersects(view.visualRect(view.currentIndex()))

    def _on_rows_moved(self) -> None:
        """Keep the open log in sight, unless the person scrolled away from it."""
        if self._shows_current:
            self.logs_view.scrollTo(self.logs_view.currentIndex())

    def _on_place_changed(self) -> None:
        log = self._document.log
        session = log.session_of(self._document.node) if log and self.model.rowCount() > 1 else -1
        if session >= 0 and self.view.currentIndex().data(ItemRole.POSITION) != session:
            self.view.setCurrentIndex(self.model.find(lambda row: row.position == session))

    def _on_current_changed(self, current: QModelIndex) -> None:
        log, session = self._document.log, current.data(ItemRole.POSITION)
        if log is not None and session is not None and session != log.session_of(self._document.node):
            self._document.select_node(log.node_of_session(session))

    def _on_log_chosen(self, row: int) -> None:
        log = self._logs.log_at(row)
        self._logs.set_expanded(row)
        if log is not None and Path(log.path) != Path(self._document.path):
            self.open_wanted.emit(log.path)


class _NarrowList(QListView):
    """A list whose rows have two lines.

    Signals: `chosen` (row), by a click or Enter.
    """

    chosen = Signal(int)

    def __init__(self, model: QAbstractItemModel, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setAccessibleName(name)
        self.setItemDelegate(SessionDelegate(RowPainter(self.font()), self))
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # A panel that gets lower must not cut the current row.
        was_visible = self.visualRect(self.currentIndex()).intersects(QRect(QPoint(), event.oldSize()))
        super().resizeEvent(event)
        if was_visible:
            self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTER and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


def _part(title: str, view: QWidget, parent: QWidget, button: QWidget | None = None) -> QWidget:
    """Create a list below its title, with an optional button next to the title."""
    part, label = QWidget(parent), PlainLabel(title, quiet=True, parent=parent)
    label.setContentsMargins(10, 6, 10, 6)
    column = QVBoxLayout(part)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    head = QHBoxLayout()
    head.addWidget(label, 1)
    if button is not None:
        head.addWidget(button)
    column.addLayout(head)
    column.addWidget(view)
    return part
