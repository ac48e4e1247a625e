"""The window with the predefined lists of a log. A row leads to its place in the tree."""

import msgspec
from PySide6.QtCore import QModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QTabWidget, QTreeView, QWidget

from inspector.core.presentation.engine_results import PredefinedListRow
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import ui_text
from inspector.gui.common.qt_helpers import fit_to_screen, show_beside, stack_vertically
from inspector.gui.common.safe_text import set_window_title
from inspector.gui.models.base import TableModel
from inspector.gui.models.list_columns import CONTENT_LISTS
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import set_up_table
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import CONTENT_LIST


class ContentListsWindow(QWidget):
    """The window of lists, one per tab. A list is requested when its tab is shown, and after the log is read again."""

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._document = document
        self._asked: tuple[object, int] = (None, -1)
        set_window_title(self, tr("Lists for this log"))
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.state = PlainLabel(quiet=True)
        self.state.setContentsMargins(12, 6, 12, 8)
        self.models = [TableModel(log_list.table, self) for log_list in CONTENT_LISTS]
        self.views = [QTreeView(self) for _ in CONTENT_LISTS]
        for log_list, model, view in zip(CONTENT_LISTS, self.models, self.views, strict=True):
            set_up_table(view, model, tr(log_list.title), chosen=self._go)
            view.header().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            view.setSortingEnabled(True)
            self.tabs.addTab(view, tr(log_list.title))
        self.tabs.currentChanged.connect(self._ask)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        stack_vertically(self, self.tabs, self.state, grows=self.tabs)
        fit_to_screen(self, QSize(760, 480))
        document.process.answer_signal(CONTENT_LIST).connect(self._on_listed)
        document.process.failed.connect(self._on_failed)
        document.state_changed.connect(self._ask)

    def open(self) -> None:
        """Show the window."""
        show_beside(self)
        self._ask()
        self.tabs.currentWidget().setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask(self) -> None:
        log, tab = self._document.whole_log, self.tabs.currentIndex()
        if log is None and self._asked[0] is not None:
            # What is shown may be content that is hidden by now.
            self._asked = None, -1
            for model in self.models:
                model.show([])
            self.state.show_text(tr(ui_text.LOG_NOT_READ_YET))
        if log is None or not self.isVisible() or (self._asked[0] is log and self._asked[1] == tab):
            return
        self._asked = log, tab
        self.models[tab].show([])
        self.state.show_text(tr("Reading the log…"))
        if self._document.process.alive:
            self._document.process.ask(CONTENT_LIST, CONTENT_LISTS[tab].name)
        else:
            self._document.reload()

    @Slot(object)
    def _on_listed(self, rows: list[PredefinedListRow]) -> None:
        log, tab = self._document.whole_log, self._asked[1]
        if log is None:
            return
        # Rows have the same numbers as in the tree.
        rows = [msgspec.structs.replace(row, record=log.number_of(row.node)) for row in rows]
        log_list, view = CONTENT_LISTS[tab], self.views[tab]
        self.models[tab].show(rows)
        header = view.header()
        if header.sortIndicatorSection() >= 0:
            self.models[tab].sort(header.sortIndicatorSection(), header.sortIndicatorOrder())
        note = tr("; there may be more") if len(rows) >= log_list.most else ""
        self.state.show_text(
            tr_plural("{number:,} row", "{number:,} rows", len(rows)) + note if rows else tr(log_list.empty)
        )

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is CONTENT_LIST or (failure.died and self.isVisible()):
            self.state.show_text(failure.sentence)

    def _go(self, index: QModelIndex) -> None:
        model = self.models[self.tabs.currentIndex()]
        row = model.row(index)
        if row is not None:
            self._document.select_node(row.node)
