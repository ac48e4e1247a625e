"""Scroll areas as high as their contents, up to a limit: growing text must not push lists out of a small window.

One of them shows lines of text with an icon each.
"""

from collections.abc import Callable
from itertools import accumulate
from typing import TypeAlias

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from inspector.gui.common import theme
from inspector.gui.widgets.labels import IconLabel, PlainLabel

# The name of an icon, its colour, and the text.
IconLine: TypeAlias = tuple[str, theme.ColourPair, str]

_MAX_HEIGHT = 170
_MIN_HEIGHT = 30
_EDGE, _TOP, _GAP, _LINE_GAP = 12, 6, 8, 4  # around and between the lines of a list


class AutoHeightScrollArea(QScrollArea):
    """A scroll area as high as its contents, up to `limit` pixels. The parent sets the limit when it is resized."""

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
        """Set the height to that of the current contents."""
        page = self.widget()
        layout = page.layout() if page else None
        if layout is not None:
            layout.activate()  # applies what was hidden or shown in the meantime
            frame = self.height() - self.viewport().height()
            full_height = layout.heightForWidth(self.viewport().width()) + frame
            self._wanted = max(full_height if full_height <= self._limit else self.height_up_to(self._limit), 0)
            self.setMaximumHeight(self._wanted)
            # The keyboard focus stops here only if there is something to scroll.
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if full_height > self._limit else Qt.FocusPolicy.NoFocus)
            self.updateGeometry()

    def height_up_to(self, limit: int) -> int:
        """Return the height of contents that are higher than a limit."""
        return limit

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.adjust_height()

    def sizeHint(self) -> QSize:
        return QSize(200, self._wanted)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._wanted)


class ScrollAreaPage(QWidget):
    """The page in such an area. Labels that wrap would request the height that they need in the narrowest pane."""

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 0)


class IconLineList(AutoHeightScrollArea):
    """A list of lines with icons. `lines` returns the current lines; `name` is the accessible name."""

    def __init__(
        self, lines: Callable[[], list[IconLine]], name: str, parent: QWidget, limit: int = _MAX_HEIGHT
    ) -> None:
        super().__init__(parent, limit)
        self.lines = lines
        self._rows: list[tuple[IconLabel, PlainLabel]] = []
        self.setAccessibleName(name)

    def refresh(self) -> None:
        """Show the current lines, unless the list is hidden."""
        if not self.isVisible():
            return
        lines = self.lines()
        page = ScrollAreaPage()
        column, grid = QVBoxLayout(page), QGridLayout()
        column.setContentsMargins(_EDGE, _TOP, _EDGE, _TOP)
        column.setSpacing(0)
        column.addLayout(grid)
        column.addStretch()
        grid.setHorizontalSpacing(_GAP)
        grid.setVerticalSpacing(_LINE_GAP)
        grid.setColumnStretch(1, 1)
        self._rows = []
        for row, (icon, pair, text) in enumerate(lines):
            picture, words = IconLabel(parent=page), PlainLabel(text, parent=page)
            picture.show_icon(icon, pair)
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words, row, 1)
            self._rows.append((picture, words))
        self.setWidget(page)
        self.adjust_height()

    def height_up_to(self, limit: int) -> int:
        """Return the height of the lines that are shown whole, so that none is cut in half."""
        width = self.viewport().width() - 2 * _EDGE - _GAP
        heights = (
            max(picture.sizeHint().height(), words.heightForWidth(width - picture.sizeHint().width())) + _LINE_GAP
            for picture, words in self._rows
        )
        ends = accumulate(heights, initial=_TOP)
        next(ends)
        return max((end for end in ends if end <= limit), default=limit)

    def text(self) -> str:
        """Return all lines as text, without the icons."""
        return "\n".join(text for _, _, text in self.lines())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, min(self._wanted, _MIN_HEIGHT))
