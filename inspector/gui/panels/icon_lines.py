"""Answers as lines with an icon each, in a pane that is as high as they are, up to a limit."""

from collections.abc import Callable
from typing import TypeAlias

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from inspector.gui.basics import assets, theme
from inspector.gui.basics.gate import Label
from inspector.gui.panels.capped import Capped, CappedPage
from inspector.gui.panels.plain_label import PlainLabel

# The name of an icon, its colour, and the sentence.
Line: TypeAlias = tuple[str, theme.Pair, str]

_MAX_HEIGHT = 170
_MIN_HEIGHT = 30


class IconLines(Capped):
    """`lines` says what is to be said now; `name` is what a screen reader calls it."""

    def __init__(self, lines: Callable[[], list[Line]], name: str, parent: QWidget, limit: int = _MAX_HEIGHT) -> None:
        super().__init__(parent, limit)
        self.lines = lines
        self.setAccessibleName(name)

    def refresh(self) -> None:
        """Show the lines of now, as soon as anybody looks."""
        if not self.isVisible():
            return
        lines = self.lines()
        page = CappedPage()
        column, grid = QVBoxLayout(page), QGridLayout()
        column.setContentsMargins(12, 6, 12, 6)
        column.setSpacing(0)
        column.addLayout(grid)
        column.addStretch()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (icon, pair, text) in enumerate(lines):
            picture = Label(parent=page)
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
