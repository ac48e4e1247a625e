"""Where the keyboard goes: into a pane, onto what the pane is there for.

A focus proxy would do it, too; but one that lies inside its own widget catches Tab there: it then stands in the chain
in the place of the whole pane, and what comes behind it leads back to it.

Merged; to be rewritten:
`layouts`: Parts of a widget that stand one below the other and fill it to its edges.
`screen`: How large a window may be.
"""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSize, Qt
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

_MAIN_CONTROLS = (QAbstractItemView, QPlainTextEdit, QTextEdit)


def find_main_control(pane: QWidget) -> QWidget | None:
    """The first list or text that Tab reaches in a pane, else its first control; None where there is none."""
    first: QWidget | None = None
    for each in _tab_order(pane):
        usable = each.isVisible() and each.isEnabled() and not each.focusProxy()
        if usable and (each is pane or pane.isAncestorOf(each)) and each.focusPolicy() & Qt.FocusPolicy.TabFocus:
            if isinstance(each, _MAIN_CONTROLS):
                return each
            first = first or each
    return first


def set_focus_in(pane: QWidget, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
    """Give a pane the focus."""
    control = find_main_control(pane)
    if control is not None:
        control.setFocus(reason)


def cycle_focus(panes: Sequence[QWidget], step: int) -> None:
    """Go from the pane that has the focus to the one `step` further, among those in which something takes keys."""
    controls = [(pane, control) for pane in panes if pane.isVisible() and (control := find_main_control(pane))]
    focus = QApplication.focusWidget()
    at = (n for n, (pane, _) in enumerate(controls) if focus and (pane is focus or pane.isAncestorOf(focus)))
    if controls:
        controls[(next(at, -step) + step) % len(controls)][1].setFocus(Qt.FocusReason.TabFocusReason)


def _tab_order(start: QWidget) -> Iterator[QWidget]:
    """Widgets in the order of Tab, from `start` around to it."""
    yield start
    each = start.nextInFocusChain()
    while each is not None and each is not start:
        yield each
        each = each.nextInFocusChain()


# Parts of a widget that stand one below the other and fill it to its edges.


def stack_vertically(holder: QWidget, *parts: QWidget | QLayout, grows: QWidget | QLayout | None = None) -> QVBoxLayout:
    """Lay them out in `holder` without gaps; the one that `grows` takes the room that is left."""
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        if isinstance(part, QLayout):
            column.addLayout(part, int(part is grows))
        else:
            column.addWidget(part, int(part is grows))
    return column


# How large a window may be.


def fit_to_screen(window: QWidget, wanted: QSize) -> None:
    """Make a window as large as is wanted, but never larger than what its screen has room for, frame and all."""
    # A window that was not shown yet has no frame: the style's own is reckoned with, and a little more.
    style, frame = window.style(), window.frameSize() - window.size()
    edge = 2 * style.pixelMetric(QStyle.PixelMetric.PM_MdiSubWindowFrameWidth)
    around = QSize(edge, style.pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight) + edge)
    window.resize(wanted.boundedTo(window.screen().availableSize() - frame.expandedTo(around)))
