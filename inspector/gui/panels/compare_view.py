"""A record as it is beside the record as it would be."""

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from inspector.core.showing.answers import Change
from inspector.gui.basics import theme
from inspector.gui.basics.gate import Label
from inspector.gui.basics.plain_text import TEXT_LIMIT, decode
from inspector.gui.panels.plain_text_view import PlainTextView

_WIDE = 620


class CompareView(QSplitter):
    """Original and planned side by side, one above the other where there is no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._texts: list[PlainTextView] = []
        self._sides: list[QWidget] = []
        for title in (self.tr("Original"), self.tr("Planned")):
            side = QWidget(self)
            label = Label(title, side)
            label.setContentsMargins(10, 4, 10, 2)
            label.setEnabled(False)
            text = PlainTextView(title, fixed=True)
            text.setLineWrapMode(PlainTextView.LineWrapMode.WidgetWidth)
            column = QVBoxLayout(side)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            column.addWidget(label)
            column.addWidget(text)
            self._texts.append(text)
            self._sides.append(side)
            self.addWidget(side)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)

    def show_change(self, change: Change | None) -> None:
        """Show both sides of a change."""
        original, planned = self._texts
        self._show_sides(True, True)
        if change is None or change.mark in ("rejected", "skipped"):
            original.show_text(self.tr("This stays as it is.") if change else "")
            self._show_sides(True, False)
            return
        before, after = readable(change.before), readable(change.after)
        if change.before is not None:
            original.show_difference(before, after, theme.ERROR)
        if change.after is not None:
            planned.show_difference(after, before, theme.GOOD)
        # What is only added or only removed has one side, which then gets all the room.
        same = change.mark in ("kept", "moved") and change.before == change.after
        self._show_sides(change.before is not None, change.after is not None and not same)

    def _show_sides(self, original: bool, planned: bool) -> None:
        for side, shown in zip(self._sides, (original, planned), strict=True):
            side.setVisible(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = Qt.Orientation.Horizontal if self.width() >= _WIDE else Qt.Orientation.Vertical
        if wide != self.orientation():
            self.setOrientation(wide)
        super().resizeEvent(event)


def readable(raw: bytes | None) -> str:
    """A record with indentation, its numbers and escapes as they are; as it is when it is no JSON or too long."""
    if raw is None:
        return ""
    if len(raw) > TEXT_LIMIT:
        return decode(raw[:TEXT_LIMIT]) + "…"
    try:
        return decode(msgspec.json.format(raw, indent=2))
    except msgspec.DecodeError:
        return decode(raw)
