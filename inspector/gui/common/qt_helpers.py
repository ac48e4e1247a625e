"""Helpers for widgets: keyboard focus in panes, gapless layouts, and the size of windows.

Focus is set in code, because a focus proxy inside its own widget would take the place of the whole pane in the tab
chain, and lead Tab back to itself.
"""

import gc
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLayout,
    QPlainTextEdit,
    QStyle,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

_COLLECTION_INTERVAL_MS = 1000
_MAX_SHARE = 0.65  # of the height of the main window, for a window that covers it
_MAIN_CONTROLS = (QAbstractItemView, QPlainTextEdit, QTextEdit)


def find_main_control(pane: QWidget) -> QWidget | None:
    """Return the first list or text that Tab reaches in a pane, else its first control, else None."""
    first: QWidget | None = None
    for widget in _tab_order(pane):
        usable = widget.isVisible() and widget.isEnabled() and not widget.focusProxy()
        if usable and (widget is pane or pane.isAncestorOf(widget)) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            if isinstance(widget, _MAIN_CONTROLS):
                return widget
            first = first or widget
    return first


def set_focus_in(pane: QWidget, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
    """Move the focus to the main control of a pane."""
    control = find_main_control(pane)
    if control is not None:
        control.setFocus(reason)


def cycle_focus(panes: Sequence[QWidget], step: int) -> None:
    """Move the focus to the pane `step` further, counting only panes with a control that takes keys."""
    controls = [(pane, control) for pane in panes if pane.isVisible() and (control := find_main_control(pane))]
    focus = QApplication.focusWidget()
    at = (n for n, (pane, _) in enumerate(controls) if focus and (pane is focus or pane.isAncestorOf(focus)))
    if controls:
        controls[(next(at, -step) + step) % len(controls)][1].setFocus(Qt.FocusReason.TabFocusReason)


def _tab_order(start: QWidget) -> Iterator[QWidget]:
    """Yield the widgets in tab order, from `start` around to it."""
    yield start
    widget = start.nextInFocusChain()
    while widget is not None and widget is not start:
        yield widget
        widget = widget.nextInFocusChain()


def stack_vertically(holder: QWidget, *parts: QWidget | QLayout, grows: QWidget | QLayout | None = None) -> QVBoxLayout:
    """Stack the parts in `holder` without gaps. The part that `grows` takes the remaining room."""
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        if isinstance(part, QLayout):
            column.addLayout(part, int(part is grows))
        else:
            column.addWidget(part, int(part is grows))
    return column


def fit_to_screen(window: QWidget, wanted: QSize) -> None:
    """Resize a window to the wanted size, but never larger than fits on its screen with the frame."""
    window.resize(wanted.boundedTo(window.screen().availableSize() - _frame_of(window)))


def _frame_of(window: QWidget) -> QSize:
    """Return what the frame adds to the size of a window. One that was not shown yet gets that of the style."""
    style, frame = window.style(), window.frameSize() - window.size()
    edge = 2 * style.pixelMetric(QStyle.PixelMetric.PM_MdiSubWindowFrameWidth)
    return frame.expandedTo(QSize(edge, style.pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight) + edge))


def show_beside(window: QWidget) -> None:
    """Show a window of its own beside the window that it belongs to. One that is open stays where it is."""
    parent = window.parentWidget()
    if parent is not None and not window.isVisible():
        main, screen, frame = parent.frameGeometry(), window.screen().availableGeometry(), _frame_of(window)
        at = position_beside(main, window.size() + frame, screen)
        if main.intersects(QRect(at, window.size() + frame)):
            # There is no room beside the main window. What is at its top, such as the verdict, stays in sight.
            window.resize(window.width(), min(window.height(), int(_MAX_SHARE * main.height()) - frame.height()))
            at = position_beside(main, window.size() + frame, screen)
        window.move(at)
    window.show()
    window.raise_()
    window.activateWindow()


def position_beside(main: QRect, size: QSize, screen: QRect) -> QPoint:
    """Return where a window of a size covers the main window least: beside it, else at its lower right end."""
    lowest, rightmost = screen.bottom() - size.height() + 1, screen.right() - size.width() + 1
    top = max(min(main.top(), lowest), screen.top())
    if main.right() < rightmost:
        return QPoint(main.right() + 1, top)
    if main.left() - size.width() >= screen.left():
        return QPoint(main.left() - size.width(), top)
    return QPoint(max(rightmost, screen.left()), max(lowest, screen.top()))


class GarbageCollector(QObject):
    """Collects garbage in the thread of the window alone, as often as Python would.

    Python collects garbage in the thread that happens to create objects, such as the one that reads answers. Qt crashes
    when another thread destroys a widget.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self)
        timer.timeout.connect(self.collect)
        timer.start(_COLLECTION_INTERVAL_MS)

    def collect(self) -> None:
        """Collect the oldest generation that is due, with all younger ones."""
        due = [count > threshold for count, threshold in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if any(due):
            gc.collect(len(due) - 1 - due[::-1].index(True))
