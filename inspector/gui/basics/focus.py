"""Where the keyboard goes: into a pane, onto what the pane is there for.

A focus proxy would do it, too; but one that lies inside its own widget catches Tab there: it then stands in the chain
in the place of the whole pane, and what comes behind it leads back to it.
"""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QPlainTextEdit, QTextEdit, QWidget

_MAIN = (QAbstractItemView, QPlainTextEdit, QTextEdit)


def control_in(pane: QWidget) -> QWidget | None:
    """The first list or text that Tab reaches in a pane, else its first control; None where there is none."""
    first: QWidget | None = None
    for each in _chain(pane):
        usable = each.isVisible() and each.isEnabled() and not each.focusProxy()
        if usable and (each is pane or pane.isAncestorOf(each)) and each.focusPolicy() & Qt.FocusPolicy.TabFocus:
            if isinstance(each, _MAIN):
                return each
            first = first or each
    return first


def focus_in(pane: QWidget, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
    """Give a pane the focus."""
    control = control_in(pane)
    if control is not None:
        control.setFocus(reason)


def focus_further(panes: Sequence[QWidget], step: int) -> None:
    """Go from the pane that has the focus to the one `step` further, among those in which something takes keys."""
    controls = [(pane, control) for pane in panes if pane.isVisible() and (control := control_in(pane))]
    focus = QApplication.focusWidget()
    at = (n for n, (pane, _) in enumerate(controls) if focus and (pane is focus or pane.isAncestorOf(focus)))
    if controls:
        controls[(next(at, -step) + step) % len(controls)][1].setFocus(Qt.FocusReason.TabFocusReason)


def _chain(start: QWidget) -> Iterator[QWidget]:
    """Widgets in the order of Tab, from `start` around to it."""
    yield start
    each = start.nextInFocusChain()
    while each is not None and each is not start:
        yield each
        each = each.nextInFocusChain()
