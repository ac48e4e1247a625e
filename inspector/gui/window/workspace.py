"""How the panes on one log lie beside each other, and that the person's sizes of them are kept."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSplitter, QWidget

from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.settings import Settings
from inspector.gui.panels.verdict_panel import VerdictPanel

_MIN_HEIGHT = 300  # pixels of height, beside as many of the verdict as are left


class Workspace(QScrollArea):
    """On a screen that is too small for the panes, or with letters that are too large for it, they scroll."""

    def __init__(
        self, verdict: VerdictPanel, sessions: QWidget, middle: tuple[QWidget, ...], side: QWidget, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._verdict = verdict
        self._middle = QSplitter(Qt.Orientation.Vertical, self)
        for pane in middle:
            self._middle.addWidget(pane)
        self._middle.setSizes([480, 230])
        self._across = QSplitter(Qt.Orientation.Horizontal, self)
        for pane in (sessions, self._middle, side):
            self._across.addWidget(pane)
        for place, stretch in enumerate((0, 3, 2)):
            self._across.setStretchFactor(place, stretch)
        self._across.setSizes([200, 760, 480])
        for splitter in (self._middle, self._across):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        # No text that wraps stands here by itself: the panes would scroll where they have less room than they like.
        panes = QWidget(self)
        stack_vertically(panes, verdict, self._across, grows=self._across)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(panes)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # What the panes and their buttons need at least comes first.
        self._verdict.set_limit(min(self.height() // 4, (self.height() - _MIN_HEIGHT) // 2))

    def restore_layout(self, settings: Settings) -> None:
        """Lay the panes as they lay when the window was closed."""
        self._middle.restoreState(settings.state("middle"))
        self._across.restoreState(settings.state("across"))

    def save_layout(self, settings: Settings) -> None:
        settings.set_state("middle", self._middle.saveState())
        settings.set_state("across", self._across.saveState())
