"""A pane as high as what it holds, up to a limit: text that grows must not push the lists out of a small window."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget


class Capped(QScrollArea):
    """Scrolls what is beyond the limit. Whoever lays it out says the limit, in pixels, when there is another one."""

    def __init__(self, parent: QWidget, limit: int) -> None:
        super().__init__(parent)
        self._limit, self._wanted = limit, 0
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def set_limit(self, limit: int) -> None:
        self._limit = limit
        self.adjust_height()

    def adjust_height(self) -> None:
        """Take the height of what it holds now."""
        page = self.widget()
        layout = page.layout() if page else None
        if layout is not None:
            layout.activate()  # what is hidden or shown since is not reckoned with before
            frame = self.height() - self.viewport().height()
            whole = layout.heightForWidth(self.viewport().width()) + frame
            self._wanted = max(min(whole, self._limit), 0)
            self.setMaximumHeight(self._wanted)
            # Only what scrolls is worth a stop of the keyboard.
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if whole > self._limit else Qt.FocusPolicy.NoFocus)
            self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.adjust_height()

    def sizeHint(self) -> QSize:
        return QSize(200, self._wanted)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._wanted)


class CappedPage(QWidget):
    """What it holds. Labels that wrap would ask for the height that they need in the narrowest pane."""

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 0)
