"""Helpers and delegates for lists and trees: the painter of rows, delegates, and the common setup of views.

The painter keeps texts that are laid out, so that scrolling only has to draw them.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar
from weakref import WeakSet

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

from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.models.base import ColumnSpec, ItemRole, ModelIndex, TableModel

_TEXT_CACHE_SIZE = 8192
_MAX_MARKS = 20
PADDING = 6
_ICON_SIZE = 14


class RowPainter:
    """The painter of the rows of a view: text, chips and icons. It caches the laid-out texts."""

    _all: ClassVar[WeakSet["RowPainter"]] = WeakSet()

    def __init__(self, font: QFont) -> None:
        self._all.add(self)
        self._set_font(font)

    @classmethod
    def set_font_of_all(cls, font: QFont) -> None:
        """Paint all rows in another font."""
        for painter in cls._all:
            painter._set_font(font)

    def _set_font(self, font: QFont) -> None:
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
        """Paint the background of a row, by selection, pointer and focus."""
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(option.rect, option.palette.highlight())
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, theme.tint(option.palette.highlight().color(), option.palette))
        has_focus = option.state & QStyle.StateFlag.State_HasFocus or (selected and option.widget.hasFocus())
        if has_focus or selected:
            # Every list has a selected row; the one of the list with the focus has another frame.
            edge, row = (theme.ACCENT if has_focus else theme.EDGE).for_palette(option.palette), option.rect
            painter.fillRect(row.x(), row.y(), row.width(), 1, edge)
            painter.fillRect(row.x(), row.bottom(), row.width(), 1, edge)

    def paint_text(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        colour: QColor,
        font: QFont | None = None,
        right: bool = False,
    ) -> int:
        """Paint one line of text, elided to the rectangle; return its width."""
        if not text or rect.width() <= 0:
            return 0
        font = font or self.font
        static_text, width, height = self._lay_out(text, rect.width(), font)
        painter.setFont(font)
        painter.setPen(colour)
        x = rect.right() - width if right else rect.x()
        painter.drawStaticText(x, rect.y() + (rect.height() - height) // 2, static_text)
        return width

    def paint_highlight(self, painter: QPainter, rect: QRect, colour: QColor) -> None:
        """Paint a background under what is painted next."""
        painter.fillRect(rect, colour)

    def match_rects(self, found: re.Pattern[str], text: str, rect: QRect, font: QFont) -> Iterator[QRect]:
        """Yield the rectangles of the matches in a text that is painted into `rect`."""
        for match in islice(found.finditer(text), _MAX_MARKS):
            left = self.width(text[: match.start()], font)
            right = min(self.width(text[: match.end()], font), rect.width())
            if left < right:
                yield QRect(rect.x() + left, rect.y() + 2, right - left, rect.height() - 4)

    def paint_chip(self, painter: QPainter, rect: QRect, text: str, colour: QColor, ground: QColor) -> int:
        """Paint a word on a rounded background; return the width of the chip."""
        width = min(self.width(text, self.small) + 12, rect.width())
        height = self._metrics[id(self.small)].height() + 3
        box = QRect(rect.x(), rect.y() + (rect.height() - height) // 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 4, 4)
        self.paint_text(painter, box.adjusted(6, 0, -4, 0), text, colour, self.small)
        return width

    def paint_icon(self, painter: QPainter, x: int, rect: QRect, name: str, colour: QColor) -> int:
        """Paint an icon, vertically centred in a row; return the x after it."""
        side = max(_ICON_SIZE, self._metrics[id(self.small)].ascent())
        painter.drawPixmap(x, rect.y() + (rect.height() - side) // 2, theme.pixmap(name, colour, side))
        return x + side + 4

    def size_hint(self, width: int = 80) -> QSize:
        return QSize(width, self.row_height)

    def _lay_out(self, text: str, width: int, font: QFont) -> tuple[QStaticText, int, int]:
        key = (text, width, id(font))
        entry = self._texts.get(key)
        if entry is None:
            shown = self._metrics[id(font)].elidedText(text, Qt.TextElideMode.ElideRight, width)
            static_text = QStaticText(shown)
            static_text.setTextFormat(Qt.TextFormat.PlainText)
            static_text.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            static_text.prepare(font=font)
            # A fallback font (for Chinese, say) makes a line higher than the metrics of the font say.
            entry = self._texts[key] = static_text, self.width(shown, font), round(static_text.size().height())
            if len(self._texts) > _TEXT_CACHE_SIZE:
                self._texts.popitem(last=False)
        return entry


class RowDelegate(QStyledItemDelegate):
    """The base of all delegates: it paints with the painter of its view, in rows of the same height."""

    def __init__(self, painter: RowPainter, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = painter

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return self._row.size_hint()


class FindingDelegate(RowDelegate):
    """A finding: icon, text and, for a group, its count."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect = self._row, option.rect.adjusted(2, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        icon, x = index.data(ItemRole.ICON), rect.x()
        count = index.data(ItemRole.COUNT)
        is_top = count is not None and not index.parent().isValid()
        if icon:
            x = (
                tools.paint_icon(painter, x, rect, icon[0], theme.SEVERITY_COLOURS[icon[1]].for_palette(option.palette))
                + 2
            )
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
    """The chosen strategy; a click opens a box with the strategies that apply."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect = self._row, option.rect.adjusted(PADDING, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        text = index.data() or (tr("Several") if index.data(ItemRole.STRATEGIES) else "")
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
        box.setAccessibleName(tr("Repair"))
        rule = index.data(ItemRole.RULE) or ""
        for name in index.data(ItemRole.STRATEGIES):
            box.addItem(f"{ui_text.strategy_label(name)} · {ui_text.strategy_cost_label(name, rule)}", name)
        # The entries are wider than the cell.
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
    """The mark of a change or of an answer: icon, word and colour."""

    def __init__(
        self, painter: RowPainter, parent: QWidget, pairs: Mapping[str, theme.ColourPair] = theme.CHANGE_COLOURS
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
    """A text of one line, muted in unimportant columns and in rows without a change, struck out in removed rows."""

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


class SessionDelegate(RowDelegate):
    """A session or a log in two lines: the title, and below it the verdict with the number of errors."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, height = self._row, self._row.row_height
        tools.paint_background(painter, option)
        rect = option.rect.adjusted(PADDING + 4, 3, -PADDING, 0)
        first = QRect(rect.x(), rect.y(), rect.width(), height - 2)
        second = first.translated(0, height - 5)
        tools.paint_text(painter, first, index.data(), option.palette.color(QPalette.ColorRole.Text))
        verdict, errors = index.data(ItemRole.MARK), index.data(ItemRole.COUNT)
        colour = theme.VERDICT_COLOURS.get(verdict, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, second.x(), second, ui_text.VERDICT_ICONS.get(verdict, "info"), colour)
        text = ui_text.VERDICT_WORDS.get(verdict, verdict)
        if errors:
            text = tr("{text} · {errors}", text=text, errors=tr_plural("{number:,} error", "{number:,} errors", errors))
        tools.paint_text(
            painter, QRect(x + 2, second.y(), second.right() - x, second.height()), text, colour, tools.small
        )

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return QSize(120, self._row.row_height * 2)


class VerdictDelegate(RowDelegate):
    """A verdict: icon, word and colour."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        tools, rect, verdict = self._row, option.rect.adjusted(PADDING + 4, 0, -2, 0), index.data(ItemRole.MARK)
        tools.paint_background(painter, option)
        colour = theme.VERDICT_COLOURS.get(verdict, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, rect.x(), rect, ui_text.VERDICT_ICONS.get(verdict, "info"), colour) + 2
        tools.paint_text(painter, QRect(x, rect.y(), rect.right() - x, rect.height()), index.data(), colour)


def set_up_list(view: QTreeView, model: QAbstractItemModel, name: str, least_height: int) -> None:
    """Set up a list with rows of one height that scrolls by pixels; `name` is its accessible name."""
    view.setModel(model)
    view.setAccessibleName(name)
    view.setUniformRowHeights(True)
    view.setMinimumHeight(least_height)
    view.setAllColumnsShowFocus(False)
    view.setIndentation(16)
    view.setMouseTracking(True)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def add_row_action(view: QAbstractItemView, text: str, slot: Callable[[], object], keys: str = "") -> None:
    """Add an action on the current row to the context menu of a list; `keys` is its shortcut."""
    action = QAction(text, view)
    action.setShortcut(QKeySequence(keys))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(lambda _=False: slot())
    view.addAction(action)


def column_widths(columns: Sequence[ColumnSpec[Any]], tools: RowPainter) -> dict[int, int]:
    """Return the width in pixels of each column that does not take the rest of the width."""
    return {
        number: tools.width(max(map(ui_text.tr, column.widest_texts), key=len)) + column.padding
        for number, column in enumerate(columns)
        if column.widest_texts
    }


def width_limit_per_share(wanted: Sequence[tuple[int, int]], room: int) -> float:
    """Return the width per share at which columns are cut, so that together they fill the room.

    Columns that need less are shown whole. `wanted` contains the width and the share of each column: a column of share
    3 may be three times as wide as one of share 1.
    """
    left, shares, limit = max(room, 0), sum(share for _, share in wanted), 0.0
    for width, share in sorted(wanted, key=lambda pair: pair[0] / pair[1]):
        limit = left / shares
        if width > limit * share:
            return limit
        left, shares = left - width, shares - share
    return max((width / share for width, share in wanted), default=0)


def make_delegate(column: ColumnSpec[Any], tools: RowPainter, view: QWidget) -> QStyledItemDelegate:
    """Create the delegate of a column."""
    if column.colours is not None:
        return MarkDelegate(tools, view, column.colours)
    return TextDelegate(tools, view, right=column.align_right, quiet=column.muted)


def set_up_columns(view: QTreeView, columns: Sequence[ColumnSpec[Any]], tools: RowPainter) -> None:
    """Set the delegates and the widths of columns according to their specifications."""
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
    """Set up a flat list, and return the height of a row in pixels.

    `chosen` is called on a click on a row, and on Enter.
    """
    tools = RowPainter((view.parentWidget() or view).font())
    set_up_list(view, model, name, least_height)
    view.setRootIsDecorated(False)
    set_up_columns(view, model.table.columns, tools)
    if chosen is not None:
        view.clicked.connect(chosen)
        view.activated.connect(chosen)
        add_row_action(view, tr("Go there"), lambda: chosen(view.currentIndex()))
    return tools.row_height
