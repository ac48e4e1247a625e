"""Delegates of the findings and of the changes: an icon with a word, and the box to choose a strategy."""

from collections.abc import Mapping

from PySide6.QtCore import QAbstractItemModel, QRect, Qt, QTimer
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QComboBox, QStyleOptionViewItem, QWidget

from inspector.gui.basics import theme, words
from inspector.gui.delegates.row_painter import PADDING, RowDelegate, RowPainter
from inspector.gui.models.columns import Index
from inspector.gui.models.roles import Role


class FindingDelegate(RowDelegate):
    """Icon, words and, on groups, how many."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tools, rect = self._row, option.rect.adjusted(2, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        icon, x = index.data(Role.ICON), rect.x()
        count = index.data(Role.COUNT)
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

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tools, rect = self._row, option.rect.adjusted(PADDING, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        text = index.data() or (words.tr("Several") if index.data(Role.STRATEGIES) else "")
        if not text:
            return
        colour = option.palette.color(QPalette.ColorRole.Text)
        if index.flags() & Qt.ItemFlag.ItemIsEditable:
            box = rect.adjusted(-2, 2, 2, -2)
            painter.setPen(theme.LINE.for_palette(option.palette))
            painter.setBrush(theme.RAISED.for_palette(option.palette))
            painter.drawRoundedRect(box, 4, 4)
            tools.paint_icon(painter, box.right() - 18, rect, "expand", theme.MUTED.for_palette(option.palette))
            rect = box.adjusted(6, 0, -20, 0)
        else:
            colour = theme.MUTED.for_palette(option.palette)
        tools.paint_text(painter, rect, text, colour)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        box = QComboBox(parent)
        box.setAccessibleName(words.tr("What to do about it"))
        rule = index.data(Role.RULE) or ""
        for name in index.data(Role.STRATEGIES):
            box.addItem(f"{words.strategy(name)} · {words.cost(name, rule)}", name)
        # The entries say more than the cell has room for.
        rows = box.view()
        rows.setMinimumWidth(rows.sizeHintForColumn(0) + rows.verticalScrollBar().sizeHint().width())
        box.activated.connect(lambda _: self._finish(box))
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(index.data(Role.STRATEGY)))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox) and editor.currentIndex() >= 0:
            model.setData(index, editor.currentData(), Role.STRATEGY)

    def _finish(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)


class MarkDelegate(RowDelegate):
    """A mark, of a change or an answer: icon, word and colour."""

    def __init__(self, painter: RowPainter, parent: QWidget, pairs: Mapping[str, theme.Pair] = theme.CHANGE) -> None:
        super().__init__(painter, parent)
        self._pairs = pairs

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tools, rect, mark = self._row, option.rect.adjusted(PADDING, 0, -2, 0), index.data(Role.MARK)
        tools.paint_background(painter, option)
        colour = self._pairs.get(mark, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, rect.x(), rect, mark, colour) if mark else rect.x()
        tools.paint_text(painter, QRect(x + 2, rect.y(), rect.right() - x - 2, rect.height()), index.data(), colour)


class LineDelegate(RowDelegate):
    """A text of one line, quiet if it is less than the others or the row changes nothing, struck if the row goes."""

    def __init__(self, painter: RowPainter, parent: QWidget, right: bool = False, quiet: bool = False) -> None:
        super().__init__(painter, parent)
        self._right = right
        self._quiet = quiet or right

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self._row.paint_background(painter, option)
        mark = index.data(Role.MARK)
        quiet = self._quiet or mark in ("kept", "skipped", "rejected", "dropped")
        colour = theme.MUTED.for_palette(option.palette) if quiet else option.palette.color(QPalette.ColorRole.Text)
        rect = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        font = self._row.struck if mark == "dropped" and not self._right else self._row.font
        self._row.paint_text(painter, rect, index.data() or "", colour, font, self._right)
