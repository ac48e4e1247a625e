"""What all delegates are, and paint with: the ground of a row, and texts that are laid out once and kept."""

import re
from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QStaticText
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from inspector.gui.basics import assets, theme
from inspector.gui.models.columns import Index

_KEPT = 8192
_MARKS = 20
PADDING = 6
_ICON = 14


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
        for match in islice(found.finditer(text), _MARKS):
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
        side = max(_ICON, self._metrics[id(self.small)].ascent())
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
            if len(self._texts) > _KEPT:
                self._texts.popitem(last=False)
        return found


class RowDelegate(QStyledItemDelegate):
    """Paints with the tools of its view, and is as high as a row of theirs."""

    def __init__(self, painter: RowPainter, parent: QWidget) -> None:
        super().__init__(parent)
        self._row = painter

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return self._row.size_hint()
