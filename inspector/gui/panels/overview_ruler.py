"""Beside the tree: the whole log from top to bottom, with what stands where. A click goes there."""

from array import array

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygon
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.gui.basics import theme
from inspector.gui.basics.gate import set_tip
from inspector.gui.document.bookmarks import Bookmarks
from inspector.gui.document.document import Document
from inspector.gui.document.overview_marks import LAYERS, Marks, marks_of, told

_WIDTH = 18
_REACH = 3
_COLOURS = {
    "turn": theme.SCROLL,
    "hit": theme.FOUND,
    "bookmark": theme.ACCENT,
    "compaction": theme.MOVED,
    "failed": theme.WARNING,
    "info": theme.INFO,
    "warning": theme.WARNING,
    "error": theme.ERROR,
}


class OverviewRuler(QWidget):
    """Turns are thin lines, compactions dashed ones, hits bars and bookmarks flags at the left, failed tools crosses;
    an error is a square, a warning a triangle, a note a ring. A frame shows where the current row stands.
    """

    def __init__(self, document: Document, bookmarks: Bookmarks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._bookmarks = document, bookmarks
        self._marks = Marks(0, {})
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Overview of the whole log"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        for signal in (document.log_changed, document.row_filter.landmarks_changed):
            signal.connect(self._read)
        for signal in (document.search.changed, bookmarks.changed):
            signal.connect(self._on_found)
        document.place_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 60)

    def _read(self) -> None:
        log, landmarks = self._document.whole_log, self._document.row_filter.current_landmarks
        self._marks = marks_of(log, landmarks.failed, landmarks.compactions) if log else Marks(0, {})
        self._on_found()

    def _on_found(self) -> None:
        self._marks.layers["hit"] = self._document.search.records
        self._marks.layers["bookmark"] = array("i", self._bookmarks.records)
        counts = {name: len(self._marks.layers.get(name, ())) for name in LAYERS}
        self.setAccessibleDescription(told({name: count for name, count in counts.items() if count}))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, palette, height = QPainter(self), self.palette(), self.height()
        painter.fillRect(self.rect(), palette.base())
        painter.setPen(theme.LINE.for_palette(palette))
        painter.drawLine(0, 0, 0, height)
        for name in LAYERS:
            colour, last = _COLOURS[name].for_palette(palette), -_REACH
            for row in self._marks.pixel_rows(name, height):
                # Marks that touch would be one: the next is drawn where it can be told apart.
                if row - last >= _REACH:
                    _paint(painter, name, row, colour)
                    last = row
        log = self._document.log
        record = log.record_of(self._document.node) if log else -1
        if record >= 0 and self._marks.size:
            painter.setPen(QPen(theme.ACCENT.for_palette(palette), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRect(2, self._marks.row_of_record(record, height) - 4, _WIDTH - 4, 8), 2, 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        log = self._document.whole_log
        if event.button() != Qt.MouseButton.LeftButton or log is None or not self._marks.size:
            event.ignore()
            return
        record = self._marks.nearest(int(event.position().y()), self.height(), _REACH)
        positions = log.findings.positions_in_record(record)
        if positions:
            self._document.select_finding(min(positions))
        else:
            nodes = log.outline.node_of_record
            shown = next((number for number in range(record, -1, -1) if nodes[number] > 0), -1)
            self._document.select_node(nodes[shown] if shown >= 0 else -1)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            set_tip(self, self._told_at(event.pos().y()))
        return super().event(event)

    def _told_at(self, row: int) -> str:
        log, height = self._document.whole_log, self.height()
        if log is None or not self._marks.size:
            return ""
        low, high = self._marks.record_at_row(row - _REACH, height), self._marks.record_at_row(row + _REACH + 1, height)
        low, high = max(low, 0), min(max(high, low + 1), self._marks.size)
        node = log.outline.node_of_record[low]
        first = (
            f"{self.tr('Line') if log.is_numbered_by_line(low) else self.tr('Record')} {log.number_of(max(node, 0)):,}"
        )
        counts = told(self._marks.counts_in_range(low, high))
        return f"{first}: {counts}" if counts and node > 0 else counts or first


def _paint(painter: QPainter, name: str, y: int, colour: QColor) -> None:
    painter.setPen(colour)
    painter.setBrush(colour)
    match name:
        case "turn":
            painter.drawLine(3, y, 7, y)
        case "hit":
            painter.fillRect(1, y - 1, 6, 2, colour)
        case "bookmark":
            painter.drawPolygon(QPolygon([QPoint(1, y - 3), QPoint(7, y), QPoint(1, y + 3)]))
        case "compaction":
            painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine))
            painter.drawLine(1, y, _WIDTH, y)
        case "failed":
            painter.drawLine(8, y - 2, 12, y + 2)
            painter.drawLine(8, y + 2, 12, y - 2)
        case "error":
            painter.fillRect(9, y - 3, 7, 6, colour)
        case "warning":
            painter.drawPolygon(QPolygon([QPoint(9, y + 3), QPoint(15, y + 3), QPoint(12, y - 3)]))
        case "info":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPoint(12, y), 3, 3)
