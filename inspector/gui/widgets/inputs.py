"""A strip above the tree with one field: what is asked for there is answered beside it.

Merged; to be rewritten:
`elided_box`: A box to choose from that says with dots that there is more of its text than room, which QComboBox just
cuts off.
`filter_completer`: Completion of one word in a line of several.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from inspector.gui.common import theme
from inspector.gui.common import theme as assets
from inspector.gui.common.qt_helpers import set_focus_in
from inspector.gui.common.safe_text import set_safe_tooltip
from inspector.gui.widgets.labels import PlainLabel

# A box to choose from that says with dots that there is more of its text than room, which QComboBox just cuts off.


class ElidedComboBox(QComboBox):
    """Paints itself as QComboBox does, but for the text."""

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = (
            self.style()
            .subControlRect(QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self)
            .width()
        )
        option.currentText = self.fontMetrics().elidedText(option.currentText, Qt.TextElideMode.ElideRight, room - 4)
        painter = QStylePainter(self)
        painter.setPen(self.palette().text().color())
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


# Completion of one word in a line of several.


class WordCompleter(QCompleter):
    """Completes the last word of a field; what is before it stays."""

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(field)
        self._words = QStringListModel(self)
        self.setModel(self._words)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(10)
        field.setCompleter(self)

    def set_words(self, words: Sequence[str]) -> None:
        """Offer other words."""
        self._words.setStringList(list(words))

    def splitPath(self, path: str) -> list[str]:
        word = path.rsplit(" ", 1)[-1]
        return [word.removeprefix("-")] if word.removeprefix("-") else ["\0"]

    def pathFromIndex(self, index: object) -> str:
        field = self.widget()
        before, space, word = field.text().rpartition(" ") if isinstance(field, QLineEdit) else ("", "", "")
        no = "-" if word.startswith("-") else ""
        return f"{before}{space}{no}{super().pathFromIndex(index)}"  # type: ignore[arg-type]


class InputStrip(QWidget):
    """Hidden until it is asked for. Enter hands on what is in the field, Escape closes it and goes back to `tree`."""

    def __init__(self, hint: str, name: str, tree: QWidget) -> None:
        super().__init__(tree.parentWidget())
        self._tree = tree
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(name)
        self.field.setClearButtonEnabled(True)
        self.field.setMaxLength(10_000)
        self.answer_label = PlainLabel(quiet=True)
        self.close_button = QToolButton(self)
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName(self.tr("Close"))
        set_safe_tooltip(self.close_button, self.tr("Close (Esc)"))
        self.close_button.clicked.connect(self.close_strip)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(8, 5, 4, 5)
        for widget, stretch in ((self.field, 3), (self.answer_label, 2), (self.close_button, 0)):
            self.row.addWidget(widget, stretch)
        self.row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.hide()

    def minimumSizeHint(self) -> QSize:
        # A window of large letters must not become wider than the screen.
        return QSize(120, super().minimumSizeHint().height())

    def open(self) -> None:
        """Show the strip with what was asked last."""
        self.close_button.setIcon(assets.icon("close", self.palette(), theme.MUTED))
        self.show()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_strip(self) -> None:
        """Hide the strip."""
        self.hide()
        set_focus_in(self._tree)

    def submit(self, forward: bool) -> None:
        """Enter was pressed; not `forward` with Shift."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_strip()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.submit(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            case _:
                super().keyPressEvent(event)
