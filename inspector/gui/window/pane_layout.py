"""The layout of the panes of a log, whose sizes are kept, and the highlight of what something can be dropped on."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSplitter, QWidget

from inspector.gui.common import theme
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.settings import Settings
from inspector.gui.panels.logs_and_sessions_panel import LogsAndSessionsPanel
from inspector.gui.panels.verdict_panel import VerdictPanel

_MIN_HEIGHT = 300  # pixels that remain for the panes below the verdict
_MIN_VERDICT = 36  # a line of it is always visible
_MIN_TREE_WIDTH = 300
_WIDE_ENOUGH_FOR_LISTS = 1100  # a narrower window has no room for the lists left of the tree


class DropHighlight(QWidget):
    """The highlight over a pane while something is dragged over it that can be dropped; hidden at first."""

    def __init__(self, pane: QWidget) -> None:
        super().__init__(pane)
        self._pane = pane
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self) -> None:
        """Show the highlight over the whole pane."""
        self.setGeometry(self._pane.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        accent = theme.ACCENT.for_palette(self.palette())
        painter = QPainter(self)
        painter.setPen(QPen(accent, 2, Qt.PenStyle.DashLine))
        painter.setBrush(theme.tint(accent, self.palette()))
        painter.drawRoundedRect(self.rect().adjusted(3, 3, -3, -3), 8, 8)


class Workspace(QScrollArea):
    """The panes of a log. They scroll where the screen is too small for them, or the font too large."""

    def __init__(
        self,
        verdict: VerdictPanel,
        sessions: LogsAndSessionsPanel,
        middle: tuple[QWidget, ...],
        side: QWidget,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._verdict, self._sessions = verdict, sessions
        self._middle = QSplitter(Qt.Orientation.Vertical, self)
        _add_panes(self._middle, middle)
        self._middle.setSizes([480, 230])
        self._middle.setMinimumWidth(_MIN_TREE_WIDTH)
        self._across = QSplitter(Qt.Orientation.Horizontal, self)
        _add_panes(self._across, (sessions, self._middle, side))
        for place, stretch in enumerate((0, 3, 2)):
            self._across.setStretchFactor(place, stretch)
        self._across.setSizes([200, 760, 480])
        for splitter in (self._middle, self._across):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        # No wrapping text is placed here directly: the panes would scroll when they have less room than they prefer.
        panes = QWidget(self)
        stack_vertically(panes, verdict, self._across, grows=self._across)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(panes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The minimum height of the panes and their buttons has priority over the verdict.
        limit = min(self.height() // 4, (self.height() - _MIN_HEIGHT) // 2)
        self._verdict.set_limit(max(limit, _MIN_VERDICT))
        self._sessions.set_has_room(self.width() >= _WIDE_ENOUGH_FOR_LISTS)

    def restore_layout(self, settings: Settings) -> None:
        """Restore the sizes that the panes had when the window was closed."""
        self._middle.restoreState(settings.state("middle"))
        self._across.restoreState(settings.state("across"))

    def save_layout(self, settings: Settings) -> None:
        settings.set_state("middle", self._middle.saveState())
        settings.set_state("across", self._across.saveState())


def _add_panes(splitter: QSplitter, panes: tuple[QWidget, ...]) -> None:
    for pane in panes:
        splitter.addWidget(pane)
    for pane in panes:
        pane.raise_()  # A screen reader reads them in the order in which they are stacked.
