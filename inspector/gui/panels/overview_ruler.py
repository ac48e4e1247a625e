"""The overview ruler next to the tree: marks for the whole log from top to bottom. A click goes to a mark.

The marks are kept as sorted record numbers, by layer.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygon
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.core.presentation.outline import NodeKind, Numbers
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme
from inspector.gui.common.safe_text import set_safe_tooltip
from inspector.gui.state.bookmarks import Bookmarks
from inspector.gui.state.document import Document
from inspector.gui.worker.packed_answers import OpenedLog

_IS_TURN = bytes(kind == NodeKind.TURN for kind in range(256))
# From structure to errors: where two marks are in one place, the later layer takes precedence.
LAYERS = ("turn", "hit", "bookmark", "compaction", "failed", "info", "warning", "error")
_SEVERITIES = {1: "info", 2: "warning", 3: "error"}
_LAYER_COUNTS: dict[str, Callable[[int], str]] = {
    "turn": lambda count: tr_plural("{number:,} turn", "{number:,} turns", count),
    "hit": lambda count: tr_plural("{number:,} record contains the text", "{number:,} records contain the text", count),
    "bookmark": lambda count: tr_plural("{number:,} bookmark", "{number:,} bookmarks", count),
    "compaction": lambda count: tr_plural("{number:,} compaction", "{number:,} compactions", count),
    "failed": lambda count: tr_plural("{number:,} failed tool call", "{number:,} failed tool calls", count),
    "info": lambda count: tr_plural("{number:,} note", "{number:,} notes", count),
    "warning": lambda count: tr_plural("{number:,} warning", "{number:,} warnings", count),
    "error": lambda count: tr_plural("{number:,} error", "{number:,} errors", count),
}
_WIDTH = 18
_CLICK_TOLERANCE = 3
_COLOURS = {
    "turn": theme.SCROLLBAR,
    "hit": theme.SEARCH_MATCH,
    "bookmark": theme.ACCENT,
    "compaction": theme.MOVED,
    "failed": theme.WARNING,
    "info": theme.INFO,
    "warning": theme.WARNING,
    "error": theme.ERROR,
}


class OverviewRuler(QWidget):
    """The ruler. Each layer has its own shape.

    Turns are thin lines, compactions dashed lines, failed tools crosses; hits are bars and bookmarks flags at the left.
    An error is a square, a warning a triangle, a note a ring. A frame shows the place of the current row.
    """

    def __init__(self, document: Document, bookmarks: Bookmarks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._bookmarks = document, bookmarks
        self._marks = OverviewMarks(0, {})
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Overview of the whole log"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        for signal in (document.log_changed, document.row_filter.facets_changed):
            signal.connect(self._read)
        for signal in (document.search.changed, bookmarks.changed):
            signal.connect(self._on_found)
        document.place_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 60)

    def _read(self) -> None:
        log, facets = self._document.whole_log, self._document.row_filter.current_facets
        self._marks = collect_marks(log, facets.failed, facets.compactions) if log else OverviewMarks(0, {})
        self._on_found()

    def _on_found(self) -> None:
        self._marks.layers["hit"] = self._document.search.records
        self._marks.layers["bookmark"] = array("i", self._bookmarks.records)
        counts = {name: len(self._marks.layers.get(name, ())) for name in LAYERS}
        self.setAccessibleDescription(describe_counts({name: count for name, count in counts.items() if count}))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, palette, height = QPainter(self), self.palette(), self.height()
        painter.fillRect(self.rect(), palette.base())
        painter.setPen(theme.BORDER.for_palette(palette))
        painter.drawLine(0, 0, 0, height)
        for name in LAYERS:
            colour, last = _COLOURS[name].for_palette(palette), -_CLICK_TOLERANCE
            for row in self._marks.pixel_rows(name, height):
                # Marks that touch would look like one: the next is drawn where it can be distinguished.
                if row - last >= _CLICK_TOLERANCE:
                    _paint_mark(painter, name, row, colour)
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
        record = self._marks.nearest(int(event.position().y()), self.height(), _CLICK_TOLERANCE)
        positions = log.findings.positions_in_record(record)
        if positions:
            self._document.select_finding(min(positions))
        else:
            nodes = log.outline.node_of_record
            shown_record = next((number for number in range(record, -1, -1) if nodes[number] > 0), -1)
            self._document.select_node(nodes[shown_record] if shown_record >= 0 else -1)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            set_safe_tooltip(self, self._told_at(event.pos().y()))
        return super().event(event)

    def _told_at(self, row: int) -> str:
        log, height = self._document.whole_log, self.height()
        if log is None or not self._marks.size:
            return ""
        low, high = (
            self._marks.record_at_row(row - _CLICK_TOLERANCE, height),
            self._marks.record_at_row(row + _CLICK_TOLERANCE + 1, height),
        )
        low, high = max(low, 0), min(max(high, low + 1), self._marks.size)
        node = log.outline.node_of_record[low]
        first = tr(
            "{text} {number:,}",
            text=tr("Line") if log.is_numbered_by_line(low) else tr("Record"),
            number=log.number_of(max(node, 0)),
        )
        counts = describe_counts(self._marks.counts_in_range(low, high))
        return f"{first}: {counts}" if counts and node > 0 else counts or first


class OverviewMarks(NamedTuple):
    """The records of each layer, in ascending order; `size` is the number of records in the log."""

    size: int
    layers: dict[str, Numbers]

    def counts_in_range(self, low: int, high: int) -> dict[str, int]:
        """Return the number of marks of each layer in the records from `low` to before `high`."""
        counts = {name: bisect_left(records, high) - bisect_left(records, low) for name, records in self.layers.items()}
        return {name: count for name, count in counts.items() if count}

    def pixel_rows(self, name: str, height: int) -> Iterator[int]:
        """Yield the pixel rows that have a mark of a layer; `height` is the number of pixel rows."""
        records, at = self.layers.get(name, array("i")), 0
        while at < len(records):
            row = self.row_of_record(records[at], height)
            yield row
            at = bisect_left(records, self.record_at_row(row + 1, height), at + 1)

    def row_of_record(self, record: int, height: int) -> int:
        return record * height // max(self.size, 1)

    def record_at_row(self, row: int, height: int) -> int:
        """Return the first record of a pixel row."""
        return -(-row * self.size // max(height, 1))

    def nearest(self, row: int, height: int, reach: int) -> int:
        """Return the record for a click: the mark of highest precedence within `reach`, else the record there."""
        low, high = self.record_at_row(row - reach, height), self.record_at_row(row + reach + 1, height)
        for name in reversed(LAYERS):
            records = self.layers.get(name, array("i"))
            candidates = records[bisect_left(records, low) : bisect_left(records, high)]
            if candidates:
                middle = self.record_at_row(row, height)
                return min(candidates, key=lambda record: abs(record - middle))
        return min(max(self.record_at_row(row, height), 0), self.size - 1)


def collect_marks(log: OpenedLog, failed: Numbers, compactions: Numbers) -> OverviewMarks:
    """Collect the marks of a log; `failed` and `compactions` are nodes."""
    outline, book = log.outline, log.findings
    layers = {
        "turn": _records_of_nodes(log, compress(range(len(outline)), outline.kind.translate(_IS_TURN))),
        "failed": _records_of_nodes(log, failed),
        "compaction": _records_of_nodes(log, compactions),
    }
    for severity, name in _SEVERITIES.items():
        groups = (group for group in book.groups if group.severity == severity)
        layers[name] = _records_of_nodes(
            log, (node for group in groups for node in book.nodes[group.start : group.stop])
        )
    return OverviewMarks(len(log.starts), layers)


def describe_counts(counts: dict[str, int]) -> str:
    """Return the counts of layers in words, worst first."""
    return ", ".join(_LAYER_COUNTS[name](counts[name]) for name in reversed(LAYERS) if name in counts)


def _records_of_nodes(log: OpenedLog, nodes: Iterable[int]) -> Numbers:
    return array("i", sorted(record for record in map(log.outline.record.__getitem__, nodes) if record >= 0))


def _paint_mark(painter: QPainter, name: str, y: int, colour: QColor) -> None:
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
