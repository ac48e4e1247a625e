"""The pane with the tree of a log: the panel, the tree widget and its delegates.

The panel keeps the tree and the document at the same place.
"""

import re
from itertools import takewhile
from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from inspector.core.analysis.finding import Severity
from inspector.core.presentation.outline import NodeKind, Outline, PairMark
from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.actions import WindowActions
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.settings import Settings
from inspector.gui.models.base import ItemRole, ModelIndex
from inspector.gui.models.outline_model import (
    NARROW_ROOM,
    NARROW_TEXTS,
    OUTLINE_TABLE,
    OutlineColumn,
    OutlineModel,
    OutlineRow,
    pair_text,
)
from inspector.gui.panels.context_strip import ContextStrip
from inspector.gui.panels.overview_ruler import OverviewRuler
from inspector.gui.panels.search_strips import FilterStrip, FindStrip, GoToStrip
from inspector.gui.state.bookmarks import Bookmarks
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.state.navigation import NodeKey, ancestors_of, find_node, make_node_key
from inspector.gui.widgets.item_views import PADDING, RowDelegate, RowPainter, column_widths
from inspector.gui.worker.packed_answers import OpenedLog

_CHIP_WIDTH = 66
_MIN_TEXT_WIDTH = 190
_PAIR_COLOURS = {
    PairMark.UNANSWERED: (theme.ERROR, "error"),
    PairMark.RECOVERABLE: (theme.WARNING, "warning"),
    PairMark.ORPHAN: (theme.ERROR, "error"),
    PairMark.DUPLICATE: (theme.WARNING, "warning"),
    PairMark.PENDING: (theme.INFO, "pending"),
    PairMark.RUNNING: (theme.INFO, "pending"),
}
_MAX_KEPT_EXPANDED = 2000
_MIN_SUMMARY_WIDTH = 330
_MIN_NARROW_SUMMARY_WIDTH = 220
_INDENTATION, _NARROW_INDENTATION = 16, 11
_EDGE = 3
_ICON_ROOM = 18
_OPTIONAL_COLUMNS = (OutlineColumn.TOKENS, OutlineColumn.TIME, OutlineColumn.LINE)
_SMALL_LOG_NODES = 400
_NODES_PER_SLICE = 40
_EXPAND_LIMIT = 5000
_MAX_INACTIVE_BRANCHES = 500


class OutlinePanel(QWidget):
    """The tree of the log, with the strips above it and the ruler next to it."""

    def __init__(
        self,
        document: Document,
        settings: Settings,
        actions: WindowActions,
        bookmarks: Bookmarks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._shown: OpenedLog | None = None
        self._shown_path = ""
        self._to_expand: list[int] = []
        self._expanded = 0
        self.model = OutlineModel(self, document.search.pattern_for_record, bookmarks.note)
        self.view = OutlineView(self.model, settings, self)
        self.find_strip = FindStrip(document, actions, self.view)
        self.filter_strip = FilterStrip(document, actions, self.view)
        self.go_to_strip = GoToStrip(document, self.view)
        self.ruler = OverviewRuler(document, bookmarks, self)
        self.context = ContextStrip(document, settings, actions, self)
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._on_slices_timeout)
        layout = stack_vertically(self, self.context, self.filter_strip, self.go_to_strip, self.find_strip)
        tree = QHBoxLayout()
        tree.setSpacing(0)
        tree.addWidget(self.view, 1)
        tree.addWidget(self.ruler)
        layout.addLayout(tree, 1)
        self.view.link_activated.connect(document.navigator.follow_pair)
        self.view.node_activated.connect(document.navigator.open_subagent_or_pair)
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        document.search.changed.connect(self.view.viewport().update)
        bookmarks.changed.connect(self.view.viewport().update)
        document.row_filter.kept_changed.connect(self._on_kept_changed)
        document.log_changed.connect(self._on_log_changed)
        document.place_changed.connect(self._on_place_changed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.context.set_room(self.height())

    def expand_below(self) -> None:
        """Expand everything below the current node, or all nodes; in slices, and up to a limit."""
        node = self._document.node
        self._to_expand, self._expanded = [node if node > 0 else 0], 0
        self._slices.start()

    def collapse_all(self) -> None:
        """Collapse the tree to its initial state."""
        self._slices.stop()
        self.view.collapseAll()
        self._expand_first()

    def toggle_inactive_branches(self) -> None:
        """Expand the branches that a resume does not load, or collapse them if all are expanded."""
        if self._shown is None:
            return
        branch_nodes = self._shown.inactive_branch_nodes[:_MAX_INACTIVE_BRANCHES]
        unfold = not all(self.view.isExpanded(self.model.index_of(node)) for node in branch_nodes)
        for node in branch_nodes:
            if unfold:
                self.view.expand_to(node, self._shown.outline)
            self.view.setExpanded(self.model.index_of(node), unfold)
        if not branch_nodes:
            self._document.show_notice(
                Notice(tr("This log has no other branches. All messages are loaded when the session is resumed."))
            )
        elif len(self._shown.inactive_branch_nodes) > len(branch_nodes):
            branches = len(self._shown.inactive_branch_nodes)
            sentence = tr(
                "The first {number:,} of {branches:,} branches are shown. Expand the remaining branches one at a time.",
                number=len(branch_nodes),
                branches=branches,
            )
            self._document.show_notice(Notice(sentence))

    def _on_log_changed(self) -> None:
        log, path = self._document.log, self._document.path
        if log is self._shown:
            return
        same = self._shown is not None and log is not None and path == self._shown_path
        state = self.view.arrangement(self._shown.outline) if same and self._shown else None
        known = len(self._shown.starts) if same and self._shown and self._document.watcher.grew else 0
        self._slices.stop()
        self._shown, self._shown_path = log, path
        self.model.show(log, self._document.reader)
        self.view.new = self._document.watcher.new_records
        if log is None:
            return
        self.view.fit_columns_to(log, self.model.empty_columns())
        self._expand_first(known)
        if state is not None:
            self.view.restore(state, log.outline, self._document.node)
            return
        self.view.scrollToTop()
        for strip in (self.find_strip, self.go_to_strip):
            if not strip.field.text():  # a text is looked for in the next log, too
                strip.close_strip()

    def _on_kept_changed(self) -> None:
        """Show the filtered rows. Expanded nodes stay expanded, and a few matching rows are all revealed."""
        log, kept = self._shown, self._document.row_filter.kept
        if log is None:
            return
        state = self.view.arrangement(log.outline)
        self._slices.stop()
        self.model.set_shown_nodes(kept)
        self._expand_first()
        if kept is not None and len(kept) <= _SMALL_LOG_NODES:
            for node in kept:
                self.view.expand(self.model.index_of(node))
        self.view.restore(state, log.outline, self._document.node)
        if state.shows_current:
            self.view.scroll_to_current()
        self._on_place_changed()

    def _expand_first(self, known: int = 0) -> None:
        """Expand what is open at first: in a small log down to the turns, in a large one the first page.

        The first `known` records were shown before, and what contains them stays as it is.
        """
        log = self._shown
        if log is None:
            return
        outline = log.outline
        if len(outline) <= _SMALL_LOG_NODES:
            for node in range(1, len(outline)):
                is_folded = outline.kind[node] in (NodeKind.SESSION, NodeKind.PAGE, NodeKind.TURN)
                if is_folded and outline.record[node] >= known:
                    self.view.expand(self.model.index_of(node))
            return
        node = outline.first[0] if outline.count[0] and not known else 0
        while node and outline.kind[node] in (NodeKind.SESSION, NodeKind.PAGE) and outline.count[node]:
            self.view.expand(self.model.index_of(node))
            node = outline.first[node]

    def _on_place_changed(self) -> None:
        if self._shown is not None and self._shown is self._document.log and self._document.node > 0:
            self.view.reveal(self._document.node, self._shown.outline)

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self._document.select_node(current.internalId())

    def _on_slices_timeout(self) -> None:
        outline = self._shown.outline if self._shown else None
        for _ in range(_NODES_PER_SLICE):
            if outline is None or not self._to_expand or self._expanded > _EXPAND_LIMIT:
                self._slices.stop()
                self._say_where_it_stopped()
                return
            # From the top down: everything above the place where it stops is expanded.
            node = self._to_expand.pop()
            self.view.expand(self.model.index_of(node))
            self._expanded += outline.count[node]
            children = range(outline.first[node], outline.first[node] + outline.count[node])
            self._to_expand.extend(child for child in reversed(children) if outline.count[child])

    def _say_where_it_stopped(self) -> None:
        """Report where expanding stopped: a tree with more than a few thousand rows would stall the window."""
        log, node = self._shown, self._to_expand[-1] if self._to_expand else 0
        if log is not None and node > 0:
            template = (
                tr(
                    "Expanded {expanded:,} rows and stopped before line {number:,}. To see more, expand the rows "
                    "from that line onward."
                )
                if log.is_numbered_by_line(log.record_of(node))
                else tr(
                    "Expanded {expanded:,} rows and stopped before record {number:,}. To see more, expand the rows "
                    "from that record onward."
                )
            )
            self._document.show_notice(Notice(tr(template, expanded=self._expanded, number=log.number_of(node))))


class TreeState(NamedTuple):
    """The nodes that are expanded, the current row and whether it is in sight, and the first visible row with its y."""

    expanded: list[NodeKey]
    current: NodeKey | None
    shows_current: bool
    top: NodeKey | None
    top_y: int


class OutlineView(QTreeView):
    """The tree of a log.

    Signals: `link_activated` (node), when the link to its counterpart is clicked; `node_activated` (node), on Enter.
    """

    link_activated = Signal(object)
    node_activated = Signal(object)

    def __init__(self, model: OutlineModel, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.new = range(0)
        self._painter = RowPainter(self.font())
        self._empty: set[OutlineColumn] = set()
        self._largest, self._marks = 0, {PairMark.ANSWERED}
        self._unwanted = {column for column in OutlineColumn if column.name in settings.hidden_columns}
        self._measure_columns()
        self._applied = dict(self._widths)
        self.is_narrow = False
        self.setModel(model)
        self.setAccessibleName(tr("Conversation"))
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(False)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setIndentation(_INDENTATION)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._add_delegates()
        self._set_up_header()
        self.clicked.connect(self._on_clicked)

    def _measure_columns(self) -> None:
        """Measure the widths of the columns, and those of a narrow window. The largest number of the log fits in."""
        self._widths = {
            OutlineColumn(column): width
            for column, width in column_widths(OUTLINE_TABLE.columns, self._painter).items()
        }
        self._narrow_widths = {
            column: min(self._widths[column], self._painter.width(tr(text)) + NARROW_ROOM)
            for column, text in NARROW_TEXTS.items()
        }
        pairs = (
            self._painter.width(pair_text(mark, self._largest)) + (_ICON_ROOM if mark in _PAIR_COLOURS else 0)
            for mark in self._marks
        )
        numbers = {
            OutlineColumn.PAIR: max(pairs, default=0),
            OutlineColumn.LINE: self._painter.width(f"{self._largest:,}"),
        }
        for column, width in numbers.items():
            for widths in (self._widths, self._narrow_widths):
                widths[column] = max(widths[column], width + 2 * PADDING + 2)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "is_narrow"):
            self._measure_columns()
            self._applied = dict.fromkeys(self._applied, 0)  # so that all widths are set again
            self._fit_columns()

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        super().drawRow(painter, option, index)
        if self.new and index.data(ItemRole.RECORD) in self.new:
            # New records have a line at the left edge.
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
        self.scroll_to_current()

    def _is_in_sight(self, index: QModelIndex) -> bool:
        """Return whether a row is visible, and not at the very edge."""
        visible = self.viewport().rect().adjusted(0, self._painter.row_height, 0, -self._painter.row_height)
        return index.isValid() and visible.contains(self.visualRect(index).center())

    def scroll_to_current(self) -> None:
        """Scroll to the current row if it is out of sight."""
        if not self._is_in_sight(self.currentIndex()):
            self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)

    def expand_to(self, node: int, outline: Outline) -> None:
        """Expand all ancestors of a node."""
        model: OutlineModel = self.model()  # type: ignore[assignment]
        for ancestor in ancestors_of(outline, node):
            self.expand(model.index_of(ancestor))

    def arrangement(self, outline: Outline) -> TreeState:
        """Return the state to restore after a reset of the model."""
        model: OutlineModel = self.model()  # type: ignore[assignment]
        expanded: list[NodeKey] = []
        stack = [0]
        while stack and len(expanded) < _MAX_KEPT_EXPANDED:
            node = stack.pop()
            for child in range(outline.first[node], outline.first[node] + outline.count[node]):
                if outline.count[child] and self.isExpanded(model.index_of(child)):
                    expanded.append(make_node_key(outline, child))
                    stack.append(child)
        rows = self.currentIndex(), self.indexAt(QPoint(4, 4))
        current, top = (make_node_key(outline, row.internalId()) if row.isValid() else None for row in rows)
        return TreeState(expanded, current, self._is_in_sight(rows[0]), top, self.visualRect(rows[1]).y())

    def restore(self, state: TreeState, outline: Outline, node: int) -> None:
        """Restore what was expanded, the scroll position, and the current row if it is still `node`."""
        model: OutlineModel = self.model()  # type: ignore[assignment]
        for key in state.expanded:
            expanded = find_node(outline, key)
            if expanded > 0 and outline.kind[expanded] == key.kind:
                self.expand_to(expanded, outline)
                self.expand(model.index_of(expanded))
        top, current = (find_node(outline, key) if key is not None else 0 for key in (state.top, state.current))
        if current == node:
            self.setAutoScroll(False)  # a current row that was out of sight stays there
            self.setCurrentIndex(model.index_of(node))
            self.setAutoScroll(True)
        if model.index_of(top).isValid():
            self.scrollTo(model.index_of(top), QAbstractItemView.ScrollHint.PositionAtTop)
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - state.top_y)
        else:
            self.scroll_to_current()

    def resizeEvent(self, event: QResizeEvent) -> None:
        # A pane that grows must not push the current row out of sight.
        was_visible = self.visualRect(self.currentIndex()).bottom() < event.oldSize().height()
        super().resizeEvent(event)
        self._fit_columns()
        if was_visible and self.visualRect(self.currentIndex()).bottom() > self.viewport().height():
            self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        node = self.currentIndex().internalId() if self.currentIndex().isValid() else 0
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and node:
            self.node_activated.emit(node)
            return
        super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_link = self._is_link(self.indexAt(event.position().toPoint()))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def _is_link(self, index: QModelIndex) -> bool:
        return index.isValid() and index.column() == OutlineColumn.PAIR and index.data(ItemRole.PEER) > 0

    def _on_clicked(self, index: QModelIndex) -> None:
        if self._is_link(index):
            self.link_activated.emit(index.internalId())

    def _add_delegates(self) -> None:
        self.setItemDelegateForColumn(OutlineColumn.SUMMARY, SummaryDelegate(self._painter, self))
        self.setItemDelegateForColumn(OutlineColumn.PAIR, PairDelegate(self._painter, self))
        for column in (OutlineColumn.TIME, OutlineColumn.TOKENS, OutlineColumn.LINE):
            right = OUTLINE_TABLE.columns[column].align_right
            self.setItemDelegateForColumn(column, QuietTextDelegate(self._painter, right, self))

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
        """Create a menu that shows and hides columns."""
        menu = QMenu(tr("Co&lumns"), parent)
        for column in list(OutlineColumn)[1:]:
            action = menu.addAction(tr(OUTLINE_TABLE.columns[column].title))
            action.setCheckable(True)
            action.setChecked(column not in self._unwanted)
            action.toggled.connect(lambda shown, column=column: self._show_column(column, shown))
        return menu

    def _show_column(self, column: OutlineColumn, shown: bool) -> None:
        self._unwanted.symmetric_difference_update({column} if (column in self._unwanted) == shown else ())
        self._settings.hidden_columns = [c.name for c in OutlineColumn if c in self._unwanted]
        self._fit_columns()

    def fit_columns_to(self, log: OpenedLog, empty: set[OutlineColumn]) -> None:
        """Give the numbers of a log the room that they need, and hide its empty columns for the conversation."""
        self._empty, self._marks = empty, set(map(PairMark, set(log.outline.mark)))
        self._largest = max(len(log.starts), log.lines[-1] if log.lines else 0)
        self._measure_columns()
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Show the columns that the person chose.

        In a narrow pane all of them are narrow, and so are chips and indentation. In a narrower one some are left out
        for the conversation.
        """
        header, room = self.header(), self.viewport().width()
        unwanted = self._unwanted | self._empty
        shown = [column for column in list(OutlineColumn)[1:] if column not in unwanted]
        is_narrow = room - sum(self._widths[column] for column in shown) < _MIN_SUMMARY_WIDTH
        widths = self._narrow_widths if is_narrow else self._widths
        for column in _OPTIONAL_COLUMNS:
            if column in shown and room - sum(widths[c] for c in shown) < _MIN_NARROW_SUMMARY_WIDTH:
                shown.remove(column)
        for column in list(OutlineColumn)[1:]:
            if self.isColumnHidden(column) == (column in shown) or widths[column] != self._applied[column]:
                self.setColumnHidden(column, column not in shown)
                header.resizeSection(column, widths[column])
                self._applied[column] = widths[column]
        if is_narrow != self.is_narrow:
            self.is_narrow = is_narrow
            self.setIndentation(_NARROW_INDENTATION if is_narrow else _INDENTATION)

    def _on_header_menu_requested(self, position: QPoint) -> None:
        self.column_menu(self).popup(self.header().mapToGlobal(position))


class SummaryDelegate(RowDelegate):
    """The first column: a chip for the role or kind, the name of the tool, the text, and the findings at the right."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        row: OutlineRow | None = index.data(ItemRole.ROW)
        if row is None:
            return
        option.rect.setWidth(option.rect.width() + self._free_width_after(index))
        tools, palette, rect = self._row, option.palette, option.rect.adjusted(2, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        right = self._paint_findings(painter, rect, row, palette, is_selected)
        right = self._paint_note(painter, rect, right, index.data(ItemRole.NOTE), palette)
        x = rect.x()
        if row.chip:
            colour = (theme.MUTED if row.inactive else theme.role_colour(row.chip)).for_palette(palette)
            room = QRect(x, rect.y(), right - x, rect.height())
            ground = theme.chip_background(colour, palette, is_selected)
            chip_width = tools.paint_chip(painter, room, row.chip, colour, ground)
            x += (chip_width if self._is_narrow else max(chip_width, _CHIP_WIDTH)) + 6
        text = theme.MUTED.for_palette(palette) if row.inactive else palette.color(QPalette.ColorRole.Text)
        if row.name:
            x += tools.paint_text(painter, QRect(x, rect.y(), right - x, rect.height()), row.name, text, tools.bold) + 8
        pattern: re.Pattern[str] | None = index.data(ItemRole.FOUND)
        if pattern is not None:
            tools.paint_highlight(
                painter, QRect(option.rect.x(), rect.y(), 3, rect.height()), theme.SEARCH_MATCH.for_palette(palette)
            )
        muted = row.chip in ("thinking", "other") or not (row.bold or theme.role_colour(row.chip) != theme.MUTED)
        colour = theme.MUTED.for_palette(palette) if muted else text
        font: QFont = tools.bold if row.bold and not row.chip else tools.font
        room = QRect(x, rect.y(), right - x - PADDING, rect.height())
        if pattern is not None:
            for match_rect in tools.match_rects(pattern, row.text, room, font):
                tools.paint_highlight(
                    painter, match_rect, theme.tint(theme.SEARCH_MATCH.for_palette(palette), palette, 3)
                )
        tools.paint_text(painter, room, row.text, colour, font)

    @property
    def _is_narrow(self) -> bool:
        view = self.parent()
        return isinstance(view, OutlineView) and view.is_narrow

    def _free_width_after(self, index: ModelIndex) -> int:
        """Return the width of the empty cells after this one: the text continues there."""
        view = self.parent()
        later_columns = range(index.column() + 1, index.model().columnCount())
        free = takewhile(lambda column: _is_empty_cell(index.sibling(index.row(), column)), later_columns)
        return sum(view.columnWidth(column) for column in free) if isinstance(view, QTreeView) else 0

    def _paint_note(self, painter: QPainter, rect: QRect, right: int, note: str | None, palette: QPalette) -> int:
        """Paint a bookmark at the right end; return the x where the text must stop."""
        if note is None:
            return right
        tools, colour = self._row, theme.ACCENT.for_palette(palette)
        width = min(tools.width(note, tools.small), max(rect.width() - _MIN_TEXT_WIDTH, 0) // 2)
        x = right - width - tools.row_height
        after = tools.paint_icon(painter, x, rect, "bookmark", colour)
        tools.paint_text(painter, QRect(after, rect.y(), width, rect.height()), note, colour, tools.small)
        return x - PADDING

    def _paint_findings(
        self, painter: QPainter, rect: QRect, row: OutlineRow, palette: QPalette, is_selected: bool
    ) -> int:
        """Paint the findings at the right end; return the x where the text must stop."""
        tools, right = self._row, rect.right()
        if row.badge:
            severity, words = row.badge
            colour = theme.SEVERITY_COLOURS[severity].for_palette(palette)
            room = tools.width(words, tools.small) + 1
            if rect.width() - room < _MIN_TEXT_WIDTH:
                # A narrow column shows the icon alone: its shape shows the severity, and the pair column has words.
                words, room = "", -4
            x = right - room - 30
            ground = theme.chip_background(colour, palette, is_selected)
            painter.setPen(ground)
            painter.setBrush(ground)
            painter.drawRoundedRect(QRect(x, rect.y() + 2, right - x, rect.height() - 4), 4, 4)
            after = tools.paint_icon(painter, x + 6, rect, Severity(severity).word, colour)
            tools.paint_text(painter, QRect(after, rect.y(), room, rect.height()), words, colour, tools.small)
            return x - PADDING
        for severity, count in zip((1, 2, 3), reversed(row.counts), strict=True):
            if count:
                colour, number = theme.SEVERITY_COLOURS[severity].for_palette(palette), f"{count:,}"
                x = right - tools.width(number, tools.small) - 22
                after = tools.paint_icon(painter, x, rect, Severity(severity).word, colour)
                tools.paint_text(
                    painter, QRect(after, rect.y(), right - after + 8, rect.height()), number, colour, tools.small
                )
                right = x - 4
        return right - PADDING


class PairDelegate(RowDelegate):
    """The pair column: the counterpart as a link, or an icon with what is missing."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect = self._row, option.rect.adjusted(PADDING, 0, -PADDING, 0)
        text: str = index.data()
        if _is_empty_cell(index):
            return
        tools.paint_background(painter, option)
        if not text:
            return
        pair, icon = _PAIR_COLOURS.get(index.data(ItemRole.MARK), (theme.ACCENT, ""))
        colour = pair.for_palette(option.palette)
        x = tools.paint_icon(painter, rect.x(), rect, icon, colour) if icon else rect.x()
        width = tools.paint_text(painter, QRect(x, rect.y(), rect.right() - x, rect.height()), text, colour)
        if index.data(ItemRole.PEER) > 0:
            base = rect.center().y() + tools.row_height // 3
            painter.drawLine(x, base, x + width - 1, base)


class QuietTextDelegate(RowDelegate):
    """A column of short, muted texts; `right` aligns them to the right."""

    def __init__(self, painter: RowPainter, right: bool, parent: QWidget) -> None:
        super().__init__(painter, parent)
        self._right = right

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        if _is_empty_cell(index):
            return
        self._row.paint_background(painter, option)
        colour = theme.MUTED.for_palette(option.palette)
        rect, text = option.rect.adjusted(PADDING, 0, -PADDING, 0), index.data() or ""
        if not self._right and self._row.width(text) > rect.width():
            text = text.partition(" ")[0]  # of a time, what follows is since when
        self._row.paint_text(painter, rect, text, colour, right=self._right)


def _is_empty_cell(index: ModelIndex) -> bool:
    """Return whether the first column may extend into this cell: it is empty, and so are those before it."""
    row: OutlineRow = index.data(ItemRole.ROW)
    before = range(1, index.column() + 1)
    return not (row.badge or any(row.counts) or any(index.sibling(index.row(), column).data() for column in before))
