"""The strip above the tree: the tokens of the context at each answer as bars, and what happened to it.

A click goes to the answer, or to a mark near it. The series is made in the child process. Painting looks at each bar
once, and draws at most one bar for each pixel.
"""

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from inspector.core.presentation.engine_results import ContextSeries
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme
from inspector.gui.common.actions import Action, WindowActions
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import SafeLabel, set_safe_tooltip
from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.worker.packed_answers import OpenedLog
from inspector.gui.worker.requests import CONTEXT_SERIES

_HEIGHT, _MARKS_HEIGHT, _MARGIN = 44, 6, 6
_WIDEST_BAR = 16
_REACH = 3  # pixels around a click in which a mark takes precedence over a bar
_NEAR = 0.8  # of the limit, from which bars have another colour
_FEWEST_MESSAGES = 2  # of a session with an answer
# Pane heights in pixels, below which the bars, and then the whole strip, leave their room to the tree.
_MIN_PANE_FOR_BARS, _MIN_PANE = 300, 180


class Bar(NamedTuple):
    """A bar to draw: its left edge and width in pixels, and the positions in the series that it stands for."""

    x: int
    width: int
    first: int
    last: int
    tokens: int


def layout_bars(tokens: list[int], width: int) -> Iterator[Bar]:
    """Yield the bars of a strip of so many pixels. Where answers share a pixel, the largest is drawn."""
    slot = min(width / max(len(tokens), 1), _WIDEST_BAR)
    first = 0
    while first < len(tokens):
        x = int(first * slot)
        last = first
        while last + 1 < len(tokens) and int((last + 1) * slot) == x:
            last += 1
        next_x = int((last + 1) * slot)
        gap = 1 if next_x - x > 2 else 0
        yield Bar(x, max(next_x - x - gap, 1), first, last, max(tokens[first : last + 1]))
        first = last + 1


class ContextStrip(QWidget):
    """The sentence on the context, the way to shorten it, and the bars.

    It is shown for a log with answers, if the person wants it and the pane is tall enough. Where there are no bars, it
    keeps its height and a sentence says why: the tree must not move when the series has come.
    """

    def __init__(self, document: Document, settings: Settings, actions: WindowActions, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._settings = document, settings
        self._asked: tuple[OpenedLog, int] | None = None
        self._path = ""
        self._is_known = False  # whether the series of the log has come
        self._room = _MIN_PANE_FOR_BARS
        self.sentence = SafeLabel(parent=self)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.trim = QToolButton(self)
        self.trim.setDefaultAction(actions[Action.TRIM])
        self.trim.setAutoRaise(True)
        self.trim.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.bars = ContextBars(document, self)
        for widget in (self.bars, self.sentence):
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
            widget.addActions([actions[Action.TRIM], actions[Action.SHOW_CONTEXT]])
        line = QHBoxLayout()
        line.setContentsMargins(_MARGIN, 2, 2, 0)
        line.addWidget(self.sentence, 1)
        line.addWidget(self.trim)
        stack_vertically(self, line, self.bars)
        self._pause = QTimer(self, singleShot=True, interval=0)
        self._pause.timeout.connect(self._ask)
        document.process.answer_signal(CONTEXT_SERIES).connect(self._on_answered)
        document.log_changed.connect(self._on_changed)
        document.place_changed.connect(self._on_changed)
        self.refresh()

    def set_room(self, height: int) -> None:
        """Fit the strip into a pane of so many pixels."""
        if height != self._room:
            self._room = height
            self.refresh()

    def refresh(self) -> None:
        """Show the strip, part of it, or nothing."""
        series = self.bars.series
        wanted = self._settings.show_context and self._has_answers
        self.setVisible(wanted and self._room >= _MIN_PANE)
        self.bars.setVisible(self._room >= _MIN_PANE_FOR_BARS)
        self.trim.setVisible(series.near_limit)
        self.sentence.setMinimumHeight(self.trim.sizeHint().height())
        no_bars = tr("The log does not record the size of the context.")
        self.sentence.setText(series.summary or (no_bars if self._is_known else tr("Measuring the context…")))
        set_safe_tooltip(self.sentence, series.summary)
        if wanted and self._asked is None:
            self._pause.start()

    @property
    def _has_answers(self) -> bool:
        """Whether the log holds answers of a model, or may do so while it is being read."""
        log = self._document.log
        if log is None or not log.complete:
            return log is not None and self._document.phase == Phase.LOADING
        return any(each.messages >= _FEWEST_MESSAGES for each in log.overview.sessions)

    def _on_changed(self) -> None:
        # After the plan of the repair is requested: this can wait for it.
        if self._document.path != self._path:
            self._path, self._asked, self._is_known = self._document.path, None, False
            self._show(ContextSeries())
        elif not self._is_known:
            self.refresh()
        self._pause.start()

    def _ask(self) -> None:
        log, process = self._document.whole_log, self._document.process
        if log is None or not self._settings.show_context or not process.alive:
            return
        wanted = log, max(log.session_of(self._document.node), 0)
        if self._asked is None or self._asked[0] is not log or self._asked[1] != wanted[1]:
            self._asked = wanted
            process.ask(CONTEXT_SERIES, wanted[1])

    @Slot(object)
    def _on_answered(self, series: ContextSeries) -> None:
        if self._asked is not None and self._asked[0] is self._document.log:
            self._is_known = True
            self._show(series)

    def _show(self, series: ContextSeries) -> None:
        self.bars.show_series(series)
        self.refresh()


class ContextBars(QWidget):
    """The bars. A dashed line across is the limit of the model, one down a compaction; crosses are failed tools.

    The thick line with a square is the place where the session broke. Left and Right go from answer to answer.
    """

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self.series = ContextSeries()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        document.place_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)

    def show_series(self, series: ContextSeries) -> None:
        self.series = series
        self.setEnabled(bool(series.records))
        # A screen reader reads the name first: it is the sentence that others see.
        self.setAccessibleName(series.summary or tr("Context"))
        self.setAccessibleDescription(tr("Use the Left and Right arrow keys to move between answers."))
        self.update()

    # Where things are

    @property
    def _slot(self) -> float:
        return min((self.width() - 2 * _MARGIN) / max(len(self.series.records), 1), _WIDEST_BAR)

    def x_of_record(self, record: int) -> int:
        """Return where a record is: at the end of the last answer up to it."""
        return _MARGIN + int((self.series.position_of(record) + 1) * self._slot)

    def x_of_position(self, position: int) -> int:
        """Return the middle of a bar."""
        return _MARGIN + int((position + 0.5) * self._slot)

    def record_at(self, x: int) -> int:
        """Return the record for a click: the break, a compaction, a failure near it, else the answer there."""
        series = self.series
        for records in ([series.broken] if series.broken >= 0 else [], series.compactions, series.failures):
            near = [record for record in records if abs(self.x_of_record(record) - x) <= _REACH]
            if near:
                return min(near, key=lambda record: abs(self.x_of_record(record) - x))
        return series.records[self._position_at(x)]

    def _position_at(self, x: int) -> int:
        return min(max(int((x - _MARGIN) / self._slot), 0), len(self.series.records) - 1)

    def _go_to(self, record: int) -> None:
        log = self._document.whole_log
        if log is None:
            return
        nodes = log.outline.node_of_record
        # Metadata that holds tokens may have no row: the row before it is about the same answer.
        shown = next((number for number in range(min(record, len(nodes) - 1), -1, -1) if nodes[number] > 0), -1)
        if shown >= 0:
            self._document.select_node(nodes[shown])

    # Events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.series.records:
            event.ignore()
            return
        record = self.record_at(int(event.position().x()))
        log = self._document.whole_log
        positions = log.findings.positions_in_record(record) if log is not None else ()
        if record == self.series.broken and positions:
            self._document.select_finding(min(positions))
        else:
            self._go_to(record)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        last, position = len(self.series.records) - 1, self._current_position()
        if event.key() in steps:
            position += steps[Qt.Key(event.key())]
        elif event.key() == Qt.Key.Key_Home:
            position = 0
        elif event.key() == Qt.Key.Key_End:
            position = last
        else:
            super().keyPressEvent(event)
            return
        if last >= 0:
            position = min(max(position, 0), last)
            self.setAccessibleDescription(self.describe(range(position, position + 1)))
            self._go_to(self.series.records[position])

    def _current_position(self) -> int:
        log = self._document.log
        record = log.record_of(self._document.node) if log is not None else -1
        return self.series.position_of(record) if record >= 0 else -1

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self.series.records:
            x = event.pos().x()
            near = range(self._position_at(x - _REACH), self._position_at(x + _REACH) + 1)
            set_safe_tooltip(self, self.describe(near))
        return super().event(event)

    def describe(self, positions: range) -> str:
        """Return the figures of the largest of some answers, and what happened from them on, a line each."""
        series = self.series
        position = max(positions, key=series.tokens.__getitem__)
        turn, tokens = series.turns[position], series.tokens[position]
        template = (
            tr("Turn {turn:,}: {tokens:,} tokens")
            if series.is_recorded
            else tr("Turn {turn:,}: about {tokens:,} tokens (estimated)")
        )
        lines = [tr(template, turn=turn, tokens=tokens)]
        if series.limit:
            share = round(100 * tokens / series.limit)
            lines.append(
                tr(
                    "{share}% of {model}'s {limit:,}-token limit",
                    share=share,
                    limit=series.limit,
                    model=series.model,
                )
            )
            lines.append(tr("Source of the limit: {source}", source=series.source))
        if series.broken >= 0 and series.position_of(series.broken) in positions:
            lines.append(tr("The session broke here."))
        if compactions := sum(series.position_of(record) in positions for record in series.compactions):
            lines.append(tr_plural("{number:,} compaction", "{number:,} compactions", compactions))
        if failures := sum(series.position_of(record) in positions for record in series.failures):
            lines.append(tr_plural("{number:,} failed tool call", "{number:,} failed tool calls", failures))
        return "\n".join(lines)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, palette, series = QPainter(self), self.palette(), self.series
        painter.fillRect(self.rect(), palette.base())
        painter.setPen(theme.BORDER.for_palette(palette))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        if not series.records:
            return
        floor = self.height() - _MARKS_HEIGHT - 3
        scale = (floor - 4) / max(series.limit, *series.tokens)
        for bar in layout_bars(list(series.tokens), self.width() - 2 * _MARGIN):
            height = max(round(bar.tokens * scale), 1)
            rect = QRect(_MARGIN + bar.x, floor - height, bar.width, height)
            painter.fillRect(rect, self._brush(bar.tokens))
        if series.limit:
            y = floor - round(series.limit * scale)
            painter.setPen(QPen(theme.ERROR.for_palette(palette), 1, Qt.PenStyle.DashLine))
            painter.drawLine(_MARGIN, y, self.width() - _MARGIN, y)
        self._paint_marks(painter, floor)
        self._paint_place(painter, floor)

    def _brush(self, tokens: int) -> QBrush:
        """Return how a bar is filled. Estimates are dotted."""
        limit, palette = self.series.limit, self.palette()
        pair = theme.ACCENT
        if limit and tokens >= _NEAR * limit:
            pair = theme.ERROR if tokens >= limit else theme.WARNING
        colour = QColor(pair.for_palette(palette))
        colour.setAlpha(170)
        return QBrush(colour, Qt.BrushStyle.SolidPattern if self.series.is_recorded else Qt.BrushStyle.Dense3Pattern)

    def _paint_marks(self, painter: QPainter, floor: int) -> None:
        palette, series = self.palette(), self.series
        painter.setPen(theme.WARNING.for_palette(palette))
        y, last = floor + 4, -_REACH
        for record in series.failures:
            x = self.x_of_record(record)
            if x - last >= _REACH:
                painter.drawLine(x - 2, y - 2, x + 2, y + 2)
                painter.drawLine(x - 2, y + 2, x + 2, y - 2)
                last = x
        painter.setPen(QPen(theme.MOVED.for_palette(palette), 2, Qt.PenStyle.DotLine))
        for record in series.compactions:
            x = self.x_of_record(record)
            painter.drawLine(x, 2, x, floor)
        if series.broken >= 0:
            colour, x = theme.ERROR.for_palette(palette), self.x_of_record(series.broken)
            painter.setPen(QPen(colour, 2))
            painter.drawLine(x, 2, x, floor + 2)
            painter.fillRect(x - 4, 1, 8, 7, colour)

    def _paint_place(self, painter: QPainter, floor: int) -> None:
        """Mark the answer of the current row below the bars, and the keyboard focus."""
        palette, position = self.palette(), self._current_position()
        colour = theme.TEXT.for_palette(palette)
        if position >= 0:
            x = self.x_of_position(position)
            painter.setPen(colour)
            painter.setBrush(colour)
            painter.drawPolygon(
                [QPoint(x - 4, self.height() - 2), QPoint(x + 4, self.height() - 2), QPoint(x, floor + 2)]
            )
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.ACCENT.for_palette(palette), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
