"""Delegates of the tree: the summary, the pair, and the plain columns."""

import re
from itertools import takewhile

from PySide6.QtCore import QRect
from PySide6.QtGui import QFont, QPainter, QPalette
from PySide6.QtWidgets import QStyleOptionViewItem, QTreeView, QWidget

from inspector.core.scene.finding import Severity
from inspector.core.showing.outline import PairMark
from inspector.gui.basics import theme
from inspector.gui.delegates.row_painter import PADDING, RowDelegate, RowPainter
from inspector.gui.models.columns import Index
from inspector.gui.models.outline_rows import Row
from inspector.gui.models.roles import Role

_CHIP_ROOM = 66
_TEXT_ROOM = 190

_PAIR_COLOURS = {
    PairMark.UNANSWERED: (theme.ERROR, "error"),
    PairMark.ORPHAN: (theme.ERROR, "error"),
    PairMark.DUPLICATE: (theme.WARNING, "warning"),
    PairMark.PENDING: (theme.INFO, "pending"),
    PairMark.RUNNING: (theme.INFO, "pending"),
}


class SummaryDelegate(RowDelegate):
    """Role or kind as a chip, the tool's name, the text; at the right what is wrong here or below."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row | None = index.data(Role.ROW)
        if row is None:
            return
        option.rect.setWidth(option.rect.width() + self._free_width_after(index))
        tools, palette, rect = self._row, option.palette, option.rect.adjusted(2, 0, -PADDING, 0)
        tools.paint_background(painter, option)
        right = self._paint_findings(painter, rect, row, palette)
        right = self._paint_note(painter, rect, right, index.data(Role.NOTE), palette)
        x = rect.x()
        if row.chip:
            colour = (theme.MUTED if row.inactive else theme.chip(row.chip)).for_palette(palette)
            room = QRect(x, rect.y(), right - x, rect.height())
            taken = tools.paint_chip(painter, room, row.chip, colour, theme.tint(colour, palette))
            x += max(taken, _CHIP_ROOM) + 6
        text = theme.MUTED.for_palette(palette) if row.inactive else palette.color(QPalette.ColorRole.Text)
        if row.name:
            x += tools.paint_text(painter, QRect(x, rect.y(), right - x, rect.height()), row.name, text, tools.bold) + 8
        found: re.Pattern[str] | None = index.data(Role.FOUND)
        if found is not None:
            tools.paint_highlight(
                painter, QRect(option.rect.x(), rect.y(), 3, rect.height()), theme.FOUND.for_palette(palette)
            )
        quiet = row.chip in ("thinking", "other") or not (row.bold or theme.chip(row.chip) != theme.MUTED)
        colour = theme.MUTED.for_palette(palette) if quiet else text
        font: QFont = tools.bold if row.bold and not row.chip else tools.font
        room = QRect(x, rect.y(), right - x - PADDING, rect.height())
        if found is not None:
            for place in tools.match_rects(found, row.text, room, font):
                tools.paint_highlight(painter, place, theme.tint(theme.FOUND.for_palette(palette), palette, 3))
        tools.paint_text(painter, room, row.text, colour, font)

    def _free_width_after(self, index: Index) -> int:
        """The width of the cells behind it that say nothing: what is said here goes on there."""
        view = self.parent()
        behind = range(index.column() + 1, index.model().columnCount())
        free = takewhile(lambda column: _is_free(index.sibling(index.row(), column)), behind)
        return sum(view.columnWidth(column) for column in free) if isinstance(view, QTreeView) else 0

    def _paint_note(self, painter: QPainter, rect: QRect, right: int, note: str | None, palette: QPalette) -> int:
        """Paint a bookmark from the right end; returns where the text must stop."""
        if note is None:
            return right
        tools, colour = self._row, theme.ACCENT.for_palette(palette)
        width = min(tools.width(note, tools.small), max(rect.width() - _TEXT_ROOM, 0) // 2)
        x = right - width - tools.row_height
        after = tools.paint_icon(painter, x, rect, "bookmark", colour)
        tools.paint_text(painter, QRect(after, rect.y(), width, rect.height()), note, colour, tools.small)
        return x - PADDING

    def _paint_findings(self, painter: QPainter, rect: QRect, row: Row, palette: QPalette) -> int:
        """Paint from the right end; returns where the text must stop."""
        tools, right = self._row, rect.right()
        if row.badge:
            severity, words = row.badge
            colour = theme.SEVERITY[severity].for_palette(palette)
            room = tools.width(words, tools.small) + 1
            if rect.width() - room < _TEXT_ROOM:
                # In a narrow column the icon stands for the words: its shape tells, and the pair column has words.
                words, room = "", -4
            x = right - room - 30
            painter.setPen(theme.tint(colour, palette))
            painter.setBrush(theme.tint(colour, palette))
            painter.drawRoundedRect(QRect(x, rect.y() + 2, right - x, rect.height() - 4), 4, 4)
            after = tools.paint_icon(painter, x + 6, rect, Severity(severity).word, colour)
            tools.paint_text(painter, QRect(after, rect.y(), room, rect.height()), words, colour, tools.small)
            return x - PADDING
        for severity, count in zip((1, 2, 3), reversed(row.counts), strict=True):
            if count:
                colour, number = theme.SEVERITY[severity].for_palette(palette), f"{count:,}"
                x = right - tools.width(number, tools.small) - 22
                after = tools.paint_icon(painter, x, rect, Severity(severity).word, colour)
                tools.paint_text(
                    painter, QRect(after, rect.y(), right - after + 8, rect.height()), number, colour, tools.small
                )
                right = x - 4
        return right - PADDING


class PairDelegate(RowDelegate):
    """The counterpart as a link, or what is missing with an icon."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tools, rect = self._row, option.rect.adjusted(PADDING, 0, -PADDING, 0)
        text: str = index.data()
        if _is_free(index):
            return
        tools.paint_background(painter, option)
        if not text:
            return
        pair, icon = _PAIR_COLOURS.get(index.data(Role.MARK), (theme.ACCENT, ""))
        colour = pair.for_palette(option.palette)
        x = tools.paint_icon(painter, rect.x(), rect, icon, colour) if icon else rect.x()
        width = tools.paint_text(painter, QRect(x, rect.y(), rect.right() - x, rect.height()), text, colour)
        if index.data(Role.PEER) > 0:
            base = rect.center().y() + tools.row_height // 3
            painter.drawLine(x, base, x + width - 1, base)


class PlainDelegate(RowDelegate):
    """A short quiet text; `right` aligns it to the right."""

    def __init__(self, painter: RowPainter, right: bool, parent: QWidget) -> None:
        super().__init__(painter, parent)
        self._right = right

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if _is_free(index):
            return
        self._row.paint_background(painter, option)
        colour = theme.MUTED.for_palette(option.palette)
        rect = option.rect.adjusted(PADDING, 0, -PADDING, 0)
        self._row.paint_text(painter, rect, index.data() or "", colour, right=self._right)


def _is_free(index: Index) -> bool:
    """Whether what the row says in its first column goes on in this cell: nothing stands here, or before it."""
    row: Row = index.data(Role.ROW)
    before = range(1, index.column() + 1)
    return not (row.badge or any(row.counts) or any(index.sibling(index.row(), column).data() for column in before))
