"""The tree widget: links in the pair column, columns that hide, expansion that survives a reset."""

from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QStyleOptionViewItem, QTreeView, QWidget

from inspector.core.showing.outline import Outline
from inspector.gui.basics import theme, words
from inspector.gui.basics.settings import Settings
from inspector.gui.delegates.outline_delegates import PairDelegate, PlainDelegate, SummaryDelegate
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.document.node_keys import NodeKey, key_of, node_of, path_to
from inspector.gui.models.columns import Index
from inspector.gui.models.outline_model import TREE, OutlineColumn, OutlineModel
from inspector.gui.models.roles import Role
from inspector.gui.panels.list_view import widths

_KEPT_EXPANDED = 2000
_SUMMARY_ROOM = 260
_EDGE = 3
_FIRST_TO_GO = (OutlineColumn.TOKENS, OutlineColumn.TIME, OutlineColumn.LINE)


class Arrangement(NamedTuple):
    """What is expanded, and which row is the first that shows."""

    expanded: list[NodeKey]
    top: NodeKey | None


class OutlineView(QTreeView):
    """Signals: `link_activated` (node): its counterpart is asked for; `entered` (node): what it stands for."""

    link_activated = Signal(object)
    node_activated = Signal(object)

    def __init__(self, model: OutlineModel, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.new = range(0)
        self._painter = RowPainter(self.font())
        self._empty: set[OutlineColumn] = set()
        self._unwanted = {column for column in OutlineColumn if column.name in settings.hidden_columns}
        self._widths = {OutlineColumn(column): width for column, width in widths(TREE.columns, self._painter).items()}
        self.setModel(model)
        self.setAccessibleName(words.tr("Conversation"))
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setIndentation(16)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._add_delegates()
        self._set_up_header()
        self.clicked.connect(self._on_clicked)

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().drawRow(painter, option, index)
        if self.new and index.data(Role.RECORD) in self.new:
            # What the person has not seen yet stands behind a line at the edge.
            painter.fillRect(0, option.rect.y(), _EDGE, option.rect.height(), theme.ACCENT.for_palette(option.palette))

    def reveal(self, node: int, outline: Outline) -> None:
        """Make a node current and visible."""
        model: OutlineModel = self.model()  # type: ignore[assignment]
        index = model.index_of(node)
        if not index.isValid() or (
            index.internalId() == self.currentIndex().internalId() and self.currentIndex().isValid()
        ):
            return
        self.expand_to(node, outline)
        self.setCurrentIndex(index)
        visible = self.viewport().rect().adjusted(0, self._painter.row_height, 0, -self._painter.row_height)
        if not visible.contains(self.visualRect(index).center()):
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def expand_to(self, node: int, outline: Outline) -> None:
        """Expand all that a node stands under."""
        model: OutlineModel = self.model()  # type: ignore[assignment]
        for ancestor in path_to(outline, node):
            self.expand(model.index_of(ancestor))

    def arrangement(self, outline: Outline) -> Arrangement:
        """What to restore after the model was reset."""
        model: OutlineModel = self.model()  # type: ignore[assignment]
        expanded: list[NodeKey] = []
        stack = [0]
        while stack and len(expanded) < _KEPT_EXPANDED:
            node = stack.pop()
            for child in range(outline.first[node], outline.first[node] + outline.count[node]):
                if outline.count[child] and self.isExpanded(model.index_of(child)):
                    expanded.append(key_of(outline, child))
                    stack.append(child)
        top = self.indexAt(QPoint(4, 4))
        return Arrangement(expanded, key_of(outline, top.internalId()) if top.isValid() else None)

    def restore(self, state: Arrangement, outline: Outline) -> None:
        """Expand and scroll as before."""
        model: OutlineModel = self.model()  # type: ignore[assignment]
        for key in state.expanded:
            node = node_of(outline, key)
            if node > 0 and outline.kind[node] == key.kind:
                self.expand_to(node, outline)
                self.expand(model.index_of(node))
        if state.top is not None:
            self.scrollTo(model.index_of(node_of(outline, state.top)), QAbstractItemView.ScrollHint.PositionAtTop)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # A pane that grows must not push the current row out of sight.
        was_visible = self.visualRect(self.currentIndex()).bottom() < event.oldSize().height()
        super().resizeEvent(event)
        self._fit_columns()
        if was_visible and self.visualRect(self.currentIndex()).bottom() > self.viewport().height():
            self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        node = self.currentIndex().internalId() if self.currentIndex().isValid() else 0
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and node:
            self.entered.emit(node)
            return
        super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_link = self._is_link(self.indexAt(event.position().toPoint()))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def _is_link(self, index: QModelIndex) -> bool:
        return index.isValid() and index.column() == OutlineColumn.PAIR and index.data(Role.PEER) > 0

    def _on_clicked(self, index: QModelIndex) -> None:
        if self._is_link(index):
            self.link_activated.emit(index.internalId())

    def _add_delegates(self) -> None:
        self.setItemDelegateForColumn(OutlineColumn.SUMMARY, SummaryDelegate(self._painter, self))
        self.setItemDelegateForColumn(OutlineColumn.PAIR, PairDelegate(self._painter, self))
        for column in (OutlineColumn.TIME, OutlineColumn.TOKENS, OutlineColumn.LINE):
            right = TREE.columns[column].align_right
            self.setItemDelegateForColumn(column, PlainDelegate(self._painter, right, self))

    def _set_up_header(self) -> None:
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setMinimumSectionSize(48)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_header_menu_requested)
        header.setSectionResizeMode(OutlineColumn.SUMMARY, QHeaderView.ResizeMode.Stretch)
        for column, width in self._widths.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, width)
            self.setColumnHidden(column, column in self._unwanted)

    def column_menu(self, parent: QWidget) -> QMenu:
        """A menu that shows and hides columns."""
        menu = QMenu(words.tr("Columns"), parent)
        for column in list(OutlineColumn)[1:]:
            action = menu.addAction(words.tr(TREE.columns[column].title))
            action.setCheckable(True)
            action.setChecked(column not in self._unwanted)
            action.toggled.connect(lambda shown, column=column: self._show_column(column, shown))
        return menu

    def _show_column(self, column: OutlineColumn, shown: bool) -> None:
        self._unwanted.symmetric_difference_update({column} if (column in self._unwanted) == shown else ())
        self._settings.hidden_columns = [c.name for c in OutlineColumn if c in self._unwanted]
        self._fit_columns()

    def hide_empty_columns(self, empty: set[OutlineColumn]) -> None:
        """Leave out columns that say nothing of this log: the conversation gets their room."""
        self._empty = empty
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Show the columns that the person wants; in a narrow pane the conversation needs their room."""
        header, room = self.header(), self.viewport().width()
        unwanted = self._unwanted | self._empty
        shown = [column for column in list(OutlineColumn)[1:] if column not in unwanted]
        for column in _FIRST_TO_GO:
            if column in shown and room - sum(self._widths[c] for c in shown) < _SUMMARY_ROOM:
                shown.remove(column)
        for column in list(OutlineColumn)[1:]:
            if self.isColumnHidden(column) == (column in shown):
                self.setColumnHidden(column, column not in shown)
                header.resizeSection(column, self._widths[column])

    def _on_header_menu_requested(self, position: QPoint) -> None:
        self.column_menu(self).popup(self.header().mapToGlobal(position))
