"""Ready lists of the log in a window of their own: a row leads to its place in the tree."""

import msgspec
from PySide6.QtCore import QModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QTabWidget, QTreeView, QWidget

from inspector.core.showing.seeking import ListRow
from inspector.gui.basics import words
from inspector.gui.basics.gate import set_title
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.basics.screen import fit
from inspector.gui.document.document import Document
from inspector.gui.models.ready_lists import READY_LISTS
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.list_view import set_up_table
from inspector.gui.panels.plain_label import PlainLabel
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import LISTED


class ListsWindow(QWidget):
    """A list is asked for when it is looked at, and again when the log was read again."""

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._document = document
        self._asked: tuple[object, int] = (None, -1)
        set_title(self, self.tr("Lists of this log"))
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.state = PlainLabel(quiet=True)
        self.state.setContentsMargins(12, 6, 12, 8)
        self.models = [TableModel(ready.table, self) for ready in READY_LISTS]
        self.views = [QTreeView(self) for _ in READY_LISTS]
        for ready, model, view in zip(READY_LISTS, self.models, self.views, strict=True):
            set_up_table(view, model, words.tr(ready.title), chosen=self._go)
            view.header().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            view.setSortingEnabled(True)
            self.tabs.addTab(view, words.tr(ready.title))
        self.tabs.currentChanged.connect(self._ask)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        in_a_column(self, self.tabs, self.state, grows=self.tabs)
        fit(self, QSize(760, 480))
        document.process.answer_signal(LISTED).connect(self._on_listed)
        document.process.failed.connect(self._on_failed)
        document.state_changed.connect(self._ask)

    def open(self) -> None:
        """Show the window."""
        self.show()
        self.raise_()
        self.activateWindow()
        self._ask()
        self.tabs.currentWidget().setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask(self) -> None:
        log, tab = self._document.whole_log, self.tabs.currentIndex()
        if log is None or not self.isVisible() or (self._asked[0] is log and self._asked[1] == tab):
            return
        self._asked = log, tab
        self.models[tab].show([])
        self.state.show_text(self.tr("Reading the log…"))
        if self._document.process.alive:
            self._document.process.ask(LISTED, READY_LISTS[tab].name)
        else:
            self._document.reload()

    @Slot(object)
    def _on_listed(self, rows: list[ListRow]) -> None:
        log, tab = self._document.whole_log, self._asked[1]
        if log is None:
            return
        # Rows are numbered as the tree numbers them.
        rows = [msgspec.structs.replace(row, record=log.number_of(row.node)) for row in rows]
        ready, view = READY_LISTS[tab], self.views[tab]
        self.models[tab].show(rows)
        header = view.header()
        if header.sortIndicatorSection() >= 0:
            self.models[tab].sort(header.sortIndicatorSection(), header.sortIndicatorOrder())
        more = self.tr("; there may be more, which are not listed") if len(rows) >= ready.most else ""
        self.state.show_text(words.counted(len(rows), "row", "rows") + more if rows else words.tr(ready.empty))

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        if failure.request is LISTED:
            self.state.show_text(failure.sentence)

    def _go(self, index: QModelIndex) -> None:
        model = self.models[self.tabs.currentIndex()]
        row = model.row(index)
        if row is not None:
            self._document.select_node(row.node)
