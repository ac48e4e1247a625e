"""The findings below the tree, worst first, with what can be done about them."""

from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTreeView,
    QWidget,
)

from inspector.core.translation import tr
from inspector.gui.common import ui_text
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import set_safe_tooltip
from inspector.gui.models.base import ItemRole
from inspector.gui.models.findings_model import FindingColumn, FindingsModel
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.widgets.item_views import FindingDelegate, RowPainter, StrategyDelegate, set_up_columns, set_up_list
from inspector.gui.widgets.labels import ElidedLabel, PlainLabel

_OPEN_RULES = 12
_MIN_HEIGHT = 60


class FindingsPanel(QWidget):
    """The list of findings, and the explanation of the current one.

    Signals: `page_wanted` (a rule).
    """

    page_wanted = Signal(str)

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.model = FindingsModel(document.repair, self)
        self.view = QTreeView(self)
        self._refusals = ElidedLabel(self)
        self.help = QPushButton(tr("What is this?"), self)
        set_safe_tooltip(
            self.help, tr("Why this is a problem, how each provider would respond, and how to repair it (F1)")
        )
        self.help.clicked.connect(self.ask_for_page)
        self._empty = PlainLabel(quiet=True, parent=self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._set_up_view()
        self._lay_out()
        document.log_changed.connect(self._on_log_changed)
        document.place_changed.connect(self._on_place_changed)
        document.state_changed.connect(self._say_why_empty)
        document.repair.plan_changed.connect(self.model.strategies_changed)
        document.repair.choices_changed.connect(self.model.strategies_changed)

    def minimumSizeHint(self) -> QSize:
        # Labels that wrap would request the height that they need in the narrowest pane.
        return QSize(200, _MIN_HEIGHT * 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = min(self._strategy_width, self.width() * 2 // 5)
        self.view.header().resizeSection(FindingColumn.STRATEGY, width)

    def ask_for_page(self) -> None:
        """Request the help page for the rule of the current row, or of the current finding."""
        log, position = self._document.log, self._document.finding
        rule = (
            self.view.currentIndex().siblingAtColumn(0).data(ItemRole.RULE)
            if self.view.currentIndex().isValid()
            else ""
        )
        if not rule and log is not None and 0 <= position < len(log.findings):
            rule = log.findings[position].rule
        if rule:
            self.page_wanted.emit(rule)

    def decide(self) -> None:
        """Open the strategy box of the current row, or of the current finding."""
        index = self.view.currentIndex()
        if not index.isValid():
            index = self.model.index_of_leaf(self._document.finding)
        strategy = index.siblingAtColumn(FindingColumn.STRATEGY)
        if strategy.flags() & Qt.ItemFlag.ItemIsEditable:
            self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
            self.view.edit(strategy)

    def _on_menu_requested(self, position: QPoint) -> None:
        """Show the menu of the strategies for the current row, and of the actions of the list."""
        index = self.view.currentIndex()
        menu = QMenu(self.view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rule, chosen = index.siblingAtColumn(0).data(ItemRole.RULE) or "", index.data(ItemRole.STRATEGY)
        for name in index.data(ItemRole.STRATEGIES) or ():
            entry = menu.addAction(f"{ui_text.strategy_label(name)} · {ui_text.strategy_cost_label(name, rule)}")
            entry.setCheckable(True)
            entry.setChecked(name == chosen)
            entry.triggered.connect(partial(self.model.setData, index, name, ItemRole.STRATEGY))
        menu.addSeparator()
        menu.addActions(self.view.actions())
        menu.popup(self.view.viewport().mapToGlobal(position))

    def _on_log_changed(self) -> None:
        log = self._document.log
        self.model.show(log)
        for row in range(self.model.rowCount()):
            top = self.model.index(row, 0)
            self.view.expand(top)
            for rule in range(self.model.rowCount(top)):
                index = self.model.index(rule, 0, top)
                self.view.setExpanded(index, rule < _OPEN_RULES and self.model.rowCount(index) <= _OPEN_RULES)
        self._stack.setCurrentIndex(1 if self.model.rowCount() else 0)
        self._say_why_empty()
        self._explain()

    def _say_why_empty(self) -> None:
        """Show why the list is empty.

        The panel is hidden for a log without findings: the verdict says whether it is healthy or was not judged.
        """
        document, log = self._document, self._document.log
        self.setHidden(log is not None and log.complete and not len(log.findings))
        if log is None or not log.complete:
            reading = document.phase == Phase.LOADING
            self._empty.show_text(tr("Reading…") if reading else tr(ui_text.LOG_READ_PARTLY))

    def _on_place_changed(self) -> None:
        self._explain()
        selected = self._document.selection.findings
        if selected != self.model.positions(self.view.currentIndex()):
            index = self.model.index_of_leaf(selected.start) if selected else QModelIndex()
            self.view.selectionModel().clearSelection()
            self.view.scrollTo(index)
            self.view.setCurrentIndex(index)

    def _explain(self) -> None:
        """Show what providers would answer in a line. The message is in the row, and the details have all of it."""
        log, position = self._document.log, self._document.finding
        known = log is not None and 0 <= position < len(log.findings)
        self._below.setVisible(known)
        if log is not None and known:
            refused_by = log.findings[position].refused_by
            self._refusals.show_text(" · ".join(ui_text.provider_refusal_lines(refused_by)))

    def _on_current_changed(self, current: QModelIndex) -> None:
        self._document.selection.select_findings(self.model.positions(current))

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            self.view.edit(index)

    def _set_up_view(self) -> None:
        view, tools = self.view, RowPainter(self.font())
        set_up_list(view, self.model, tr("Findings"), _MIN_HEIGHT)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._on_menu_requested)
        QShortcut(QKeySequence("Alt+Down"), view, self.decide).setContext(Qt.ShortcutContext.WidgetShortcut)
        set_up_columns(view, self.model.TABLE.columns, tools)
        view.setItemDelegateForColumn(FindingColumn.FINDING, FindingDelegate(tools, view))
        view.setItemDelegateForColumn(FindingColumn.STRATEGY, StrategyDelegate(tools, view))
        self._strategy_width = view.columnWidth(FindingColumn.STRATEGY)
        view.selectionModel().currentChanged.connect(self._on_current_changed)
        view.clicked.connect(self._on_clicked)

    def _lay_out(self) -> None:
        self._below = QWidget(self)
        below = QHBoxLayout(self._below)
        below.setContentsMargins(14, 3, 8, 3)
        below.addWidget(self._refusals, 1)
        below.addWidget(self.help)
        page = QWidget(self)
        stack_vertically(page, self.view, self._below, grows=self.view)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)
        stack_vertically(self, self._stack)
