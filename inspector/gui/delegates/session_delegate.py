"""A session or a log in a list: its verdict as icon and word, and its title."""

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyleOptionViewItem

from inspector.gui.basics import theme, words
from inspector.gui.delegates.row_painter import PADDING, RowDelegate
from inspector.gui.models.columns import Index
from inspector.gui.models.roles import Role


class SessionDelegate(RowDelegate):
    """Two lines: the title, and under it the verdict with the number of errors."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tools, height = self._row, self._row.row_height
        tools.paint_background(painter, option)
        rect = option.rect.adjusted(PADDING + 4, 3, -PADDING, 0)
        first = QRect(rect.x(), rect.y(), rect.width(), height - 2)
        second = first.translated(0, height - 5)
        tools.paint_text(painter, first, index.data(), option.palette.color(QPalette.ColorRole.Text))
        verdict, errors = index.data(Role.MARK), index.data(Role.COUNT)
        colour = theme.VERDICT.get(verdict, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, second.x(), second, words.VERDICT_ICON.get(verdict, "info"), colour)
        text = words.VERDICT.get(verdict, verdict)
        if errors:
            text = f"{text} · {words.counted(errors, 'error', 'errors')}"
        tools.paint_text(
            painter, QRect(x + 2, second.y(), second.right() - x, second.height()), text, colour, tools.small
        )

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, self._row.row_height * 2)


class VerdictDelegate(RowDelegate):
    """A verdict in a cell: icon, word and colour."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tools, rect, verdict = self._row, option.rect.adjusted(PADDING + 4, 0, -2, 0), index.data(Role.MARK)
        tools.paint_background(painter, option)
        colour = theme.VERDICT.get(verdict, theme.MUTED).for_palette(option.palette)
        x = tools.paint_icon(painter, rect.x(), rect, words.VERDICT_ICON.get(verdict, "info"), colour) + 2
        tools.paint_text(painter, QRect(x, rect.y(), rect.right() - x, rect.height()), index.data(), colour)
