"""Answers as lines with an icon each, in a pane that is as high as they are, up to a limit.

Merged; to be rewritten:
`capped`: A pane as high as what it holds, up to a limit: text that grows must not push the lists out of a small window.
"""

from collections.abc import Callable
from typing import TypeAlias

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from inspector.gui.common import theme
from inspector.gui.common import theme as assets
from inspector.gui.common.safe_text import SafeLabel
from inspector.gui.widgets.labels import PlainLabel

# A pane as high as what it holds, up to a limit: text that grows must not push the lists out of a small window.


class AutoHeightScrollArea(QScrollArea):
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


class AutoHeightPage(QWidget):
    """What it holds. Labels that wrap would ask for the height that they need in the narrowest pane."""

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 0)


# The name of an icon, its colour, and the sentence.
IconLine: TypeAlias = tuple[str, theme.ColourPair, str]

_MAX_HEIGHT = 170
_MIN_HEIGHT = 30


class IconLineList(AutoHeightScrollArea):
    """`lines` says what is to be said now; `name` is what a screen reader calls it."""

    def __init__(
        self, lines: Callable[[], list[IconLine]], name: str, parent: QWidget, limit: int = _MAX_HEIGHT
    ) -> None:
        super().__init__(parent, limit)
        self.lines = lines
        self.setAccessibleName(name)

    def refresh(self) -> None:
        """Show the lines of now, as soon as anybody looks."""
        if not self.isVisible():
            return
        lines = self.lines()
        page = AutoHeightPage()
        column, grid = QVBoxLayout(page), QGridLayout()
        column.setContentsMargins(12, 6, 12, 6)
        column.setSpacing(0)
        column.addLayout(grid)
        column.addStretch()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (icon, pair, text) in enumerate(lines):
            picture = SafeLabel(parent=page)
            picture.setPixmap(assets.pixmap(icon, pair.for_palette(self.palette()), 16))
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(PlainLabel(text, parent=page), row, 1)
        self.setWidget(page)
        self.adjust_height()

    def text(self) -> str:
        """All lines, for a reader that does not see the icons."""
        return "\n".join(text for _, _, text in self.lines())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, min(self._wanted, _MIN_HEIGHT))
