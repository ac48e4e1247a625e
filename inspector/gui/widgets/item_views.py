"""What all delegates are, and paint with: the ground of a row, and texts that are laid out once and kept.

Merged; to be rewritten:
`list_delegates`: Delegates of the findings and of the changes: an icon with a word, and the box to choose a strategy.
`session_delegate`: A session or a log in a list: its verdict as icon and word, and its title.
`list_view`: What the lists below and beside the tree have in common.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QFont, QFontMetrics, QKeySequence, QPainter, QPalette, QStaticText
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from inspector.gui.common import theme, ui_text
from inspector.gui.common import theme as assets
from inspector.gui.models.base import ColumnSpec, ItemRole, ModelIndex, TableModel

_TEXT_CACHE_SIZE = 8192
_MAX_MARKS = 20
PADDING = 6
_ICON_SIZE = 14


class RowPainter:
    """Paints text, chips and badges into the rows of a view; keeps the laid-out texts."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.bold = QFont(font)
        self.bold.setWeight(QFont.Weight.DemiBold)
        self.struck = QFont(font)
        self.struck.setStrikeOut(True)
        self.small = QFont(font)
        self.small.setPointSizeF(font.pointSizeF() * 0.88)
        self._metrics = {id(f): QFontMetrics(f) for f in (self.font, self.bold, self.struck, self.small)}
        self._texts: OrderedDict[tuple[str, int, int], tuple[QStaticText, int, int]] = OrderedDict()

    @property
    def row_height(self) -> int:
        return self._metrics[id(self.font)].height() + 9

    def width(self, text: str, font: QFont | None = None) -> int:
        return self._metrics[id(font or self.font)].horizontalAdvance(text)

    def paint_background(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        """The row's ground, by selection, pointer and keyboard."""
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(option.rect, option.palette.highlight())
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, theme.tint(option.palette.highlight().color(), option.palette))
        if option.state & QStyle.StateFlag.State_HasFocus or (selected and option.widget.hasFocus()):
            # Every list keeps a selected row: that of the one that has the keyboard is framed.
            accent, row = theme.ACCENT.for_palette(option.palette), option.rect
            painter.fillRect(row.x(), row.y(), row.width(), 1, accent)
            painter.fillRect(row.x(), row.bottom(), row.width(), 1, accent)

    def paint_text(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        colour: QColor,
        font: QFont | None = None,
        right: bool = False,
    ) -> int:
        """Paint one line of text, elided to the rectangle; returns its width."""
        if not text or rect.width() <= 0:
            return 0
        font = font or self.font
        laid, width, height = self._lay_out(text, rect.width(), font)
        painter.setFont(font)
        painter.setPen(colour)
        x = rect.right() - width if right else rect.x()
        painter.drawStaticText(x, rect.y() + (rect.height() - height) // 2, laid)
        return width

    def paint_highlight(self, painter: QPainter, rect: QRect, colour: QColor) -> None:
        """Put a ground under what is painted next."""
        painter.fillRect(rect, colour)

    def match_rects(self, found: re.Pattern[str], text: str, rect: QRect, font: QFont) -> Iterator[QRect]:
        """Where a text, painted into a rectangle, has what is looked for."""
        for match in islice(found.finditer(text), _MAX_MARKS):
            left = self.width(text[: match.start()], font)
            right = min(self.width(text[: match.end()], font), rect.width())
            if left < right:
                yield QRect(rect.x() + left, rect.y() + 2, right - left, rect.height() - 4)

    def paint_chip(self, painter: QPainter, rect: QRect, text: str, colour: QColor, ground: QColor) -> int:
        """Paint a word on a round ground; returns the width that it took."""
        width = min(self.width(text, self.small) + 12, rect.width())
        height = self._metrics[id(self.small)].height() + 3
        box = QRect(rect.x(), rect.y() + (rect.height() - height) // 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 4, 4)
        self.paint_text(painter, box.adjusted(6, 0, -4, 0), text, colour, self.small)
        return width

    def paint_icon(self, painter: QPainter, x: int, rect: QRect, name: str, colour: QColor) -> int:
        """Paint an icon in the middle of a row; returns the x behind it."""
        side = max(_ICON_SIZE, self._metrics[id(self.small)].ascent())
        painter.drawPixmap(x, rect.y() + (rect.height() - side) // 2, assets.pixmap(name, colour, side))
        return x + side + 4

    def size_hint(self, width: int = 80) -> QSize:
        return QSize(width, self.row_height)

    def _lay_out(self, text: str, width: int, font: QFont) -> tuple[QStaticText, int, int]:
        key = (text, width, id(font))
        found = self._texts.get(key)
        if found is None:
            shown = self._metrics[id(font)].elidedText(text, Qt.TextElideMode.ElideRight, width)
            laid = QStaticText(shown)
            laid.setTextFormat(Qt.TextFormat.PlainText)
            laid.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            laid.prepare(font=font)
            # A fallback font (for Chinese, say) makes a line higher than the metrics of the font say.
            found = self._texts[key] = laid, self.width(shown, font), round(laid.size().height())
            if len(self._texts) > _TEXT_CACHE_SIZE:
                self._texts.popitem(last=False)
        return found


class RowDelegate(QStyledItemDelegate):
    """Paints with the tools of its view, and is as high as a row of theirs."""

    def __init__(self, painter: RowPainter, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = painter

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return self._row.size_hint()


# Delegates of the findings and of the changes: an icon with a word, and the box to choose a strategy.


class FindingDelegate(RowDelegate):
    """Icon, words and, on groups, how many."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect = self._row, option.rect.adjusted(2, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        icon, x = index.data(ItemRole.ICON), rect.x()
        count = index.data(ItemRole.COUNT)
        is_top = count is not None and not index.parent().isValid()
        if icon:
            x = tools.paint_icon(painter, x, rect, icon[0], theme.SEVERITY[icon[1]].for_palette(option.palette)) + 2
        colour = option.palette.color(QPalette.ColorRole.Text)
        font = tools.bold if is_top else tools.font
        x += (
            tools.paint_text(painter, QRect(x, rect.y(), rect.right() - x, rect.height()), index.data(), colour, font)
            + 8
        )
        if count is not None:
            muted = theme.MUTED.for_palette(option.palette)
            tools.paint_text(
                painter, QRect(x, rect.y(), rect.right() - x, rect.height()), f"{count:,}", muted, tools.small
            )


class StrategyDelegate(RowDelegate):
    """Shows the chosen strategy; a click opens a box with those that apply."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect = self._row, option.rect.adjusted(PADDING, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        text = index.data() or (ui_text.tr("Several") if index.data(ItemRole.STRATEGIES) else "")
        if not text:
            return
        colour = option.palette.color(QPalette.ColorRole.Text)
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            box = rect.adjusted(-2, 2, 2, -2)
            painter.setPen(theme.BORDER.for_palette(option.palette))
            painter.setBrush(theme.RAISED.for_palette(option.palette))
            painter.drawRoundedRect(box, 4, 4)
            tools.paint_icon(painter, box.right() - 18, rect, "expand", theme.MUTED.for_palette(option.palette))
            rect = box.adjusted(6, 0, -20, 0)
        else:
            colour = theme.MUTED.for_palette(option.palette)
        tools.paint_text(painter, rect, text, colour)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: ModelIndex) -> QWidget:
        box = QComboBox(parent)
        box.setAccessibleName(ui_text.tr("What to do about it"))
        rule = index.data(ItemRole.RULE) or ""
        for name in index.data(ItemRole.STRATEGIES):
            box.addItem(f"{ui_text.strategy_label(name)} · {ui_text.cost_label(name, rule)}", name)
        # The entries say more than the cell has room for.
        rows = box.view()
        rows.setMinimumWidth(rows.sizeHintForColumn(0) + rows.verticalScrollBar().sizeHint().width())
        box.activated.connect(lambda _: self._finish(box))
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: ModelIndex) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(index.data(ItemRole.STRATEGY)))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: ModelIndex) -> None:
        if isinstance(editor, QComboBox) and editor.currentIndex() >= 0:
            model.setData(index, editor.currentData(), ItemRole.STRATEGY)

    def _finish(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)


class MarkDelegate(RowDelegate):
    """A mark, of a change or an answer: icon, word and colour."""

    def __init__(
        self, painter: RowPainter, parent: QWidget, pairs: Mapping[str, theme.ColourPair] = theme.CHANGE
    ) -> None:
        super().__init__(painter, parent)
        self._pairs = pairs

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect, mark = self._row, option.rect.adjusted(PADDING, 0, -2, 0), index.data(ItemRole.MARK)
        tools.paint_background(painter, option)
        colour = self._pairs.get(mark, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, rect.x(), rect, mark, colour) if mark else rect.x()
        tools.paint_text(painter, QRect(x + 2, rect.y(), rect.right() - x - 2, rect.height()), index.data(), colour)


class TextDelegate(RowDelegate):
    """A text of one line, quiet if it is less than the others or the row changes nothing, struck if the row goes."""

    def __init__(self, painter: RowPainter, parent: QWidget, right: bool = False, quiet: bool = False) -> None:
        super().__init__(painter, parent)
        self._right = right
        self._quiet = quiet or right

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        self._row.paint_background(painter, option)
        mark = index.data(ItemRole.MARK)
        quiet = self._quiet or mark in ("kept", "skipped", "rejected", "dropped")
        colour = theme.MUTED.for_palette(option.palette) if quiet else option.palette.color(QPalette.ColorRole.Text)
        rect = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        font = self._row.struck if mark == "dropped" and not self._right else self._row.font
        self._row.paint_text(painter, rect, index.data() or "", colour, font, self._right)


# A session or a log in a list: its verdict as icon and word, and its title.


class SessionDelegate(RowDelegate):
    """Two lines: the title, and under it the verdict with the number of errors."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, height = self._row, self._row.row_height
        tools.paint_background(painter, option)
        rect = option.rect.adjusted(PADDING + 4, 3, -PADDING, 0)
        first = QRect(rect.x(), rect.y(), rect.width(), height - 2)
        second = first.translated(0, height - 5)
        tools.paint_text(painter, first, index.data(), option.palette.color(QPalette.ColorRole.Text))
        verdict, errors = index.data(ItemRole.MARK), index.data(ItemRole.COUNT)
        colour = theme.VERDICT.get(verdict, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, second.x(), second, ui_text.VERDICT_ICON.get(verdict, "info"), colour)
        text = ui_text.VERDICT.get(verdict, verdict)
        if errors:
            text = f"{text} · {ui_text.pluralize(errors, 'error', 'errors')}"
        tools.paint_text(
            painter, QRect(x + 2, second.y(), second.right() - x, second.height()), text, colour, tools.small
        )

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return QSize(120, self._row.row_height * 2)


class VerdictDelegate(RowDelegate):
    """A verdict in a cell: icon, word and colour."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect, verdict = self._row, option.rect.adjusted(PADDING + 4, 0, -2, 0), index.data(ItemRole.MARK)
        tools.paint_background(painter, option)
        colour = theme.VERDICT.get(verdict, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, rect.x(), rect, ui_text.VERDICT_ICON.get(verdict, "info"), colour) + 2
        tools.paint_text(painter, QRect(x, rect.y(), rect.right() - x, rect.height()), index.data(), colour)


# What the lists below and beside the tree have in common.


def set_up_list(view: QTreeView, model: QAbstractItemModel, name: str, least_height: int) -> None:
    """Rows of one height over `model`, scrolled by the pixel; `name` is what a screen reader says."""
    view.setModel(model)
    view.setAccessibleName(name)
    view.setUniformRowHeights(True)
    view.setMinimumHeight(least_height)
    view.setAllColumnsShowFocus(True)
    view.setIndentation(16)
    view.setMouseTracking(True)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def add_row_action(view: QAbstractItemView, text: str, slot: Callable[[], object], keys: str = "") -> None:
    """Put something that can be done with the current row into the menu of the list; `keys` do it, too."""
    action = QAction(text, view)
    action.setShortcut(QKeySequence(keys))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(lambda _=False: slot())
    view.addAction(action)


def column_widths(columns: Sequence[ColumnSpec[Any]], tools: RowPainter) -> dict[int, int]:
    """The width of each column that does not take what is left, in pixels."""
    return {
        number: tools.width(max(map(ui_text.tr, column.widest_texts), key=len)) + column.padding
        for number, column in enumerate(columns)
        if column.widest_texts
    }


def shared_width_limit(wanted: Sequence[tuple[int, int]], room: int) -> float:
    """The width beyond which columns are cut, so that together they fill the room: what is narrower is shown whole.

    Wanted are widths, each with how many times as wide as others its column may be.
    """
    left, shares, most = max(room, 0), sum(share for _, share in wanted), 0.0
    for width, share in sorted(wanted, key=lambda each: each[0] / each[1]):
        most = left / shares
        if width > most * share:
            return most
        left, shares = left - width, shares - share
    return max((width / share for width, share in wanted), default=0)


def make_delegate(column: ColumnSpec[Any], tools: RowPainter, view: QWidget) -> QStyledItemDelegate:
    """Who paints a column."""
    if column.colours is not None:
        return MarkDelegate(tools, view, column.colours)
    return TextDelegate(tools, view, right=column.align_right, quiet=column.muted)


def set_up_columns(view: QTreeView, columns: Sequence[ColumnSpec[Any]], tools: RowPainter) -> None:
    """Paint and measure columns as they say."""
    header, measured = view.header(), column_widths(columns, tools)
    header.setStretchLastSection(False)
    for number, column in enumerate(columns):
        view.setItemDelegateForColumn(number, make_delegate(column, tools, view))
        if number in measured:
            header.resizeSection(number, measured[number])
        else:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)


def set_up_table(
    view: QTreeView,
    model: TableModel[Any],
    name: str,
    least_height: int = 0,
    chosen: Callable[[QModelIndex], None] | None = None,
) -> int:
    """A flat list; `chosen` hears a click on a row, and Enter. The height of a row is answered, in pixels."""
    tools = RowPainter((view.parentWidget() or view).font())
    set_up_list(view, model, name, least_height)
    view.setRootIsDecorated(False)
    set_up_columns(view, model.table.columns, tools)
    if chosen is not None:
        view.clicked.connect(chosen)
        view.activated.connect(chosen)
        add_row_action(view, ui_text.tr("Go there"), lambda: chosen(view.currentIndex()))
    return tools.row_height
