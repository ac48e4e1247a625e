"""Input widgets: a strip with one field, a combo box that elides its text, and completion of single words."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
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

from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.qt_helpers import set_focus_in
from inspector.gui.common.safe_text import set_safe_tooltip
from inspector.gui.widgets.labels import PlainLabel


class InputStrip(QWidget):
    """The strip with one field above a tree, and a label for the answer; hidden until it is opened.

    Enter submits the field, Escape closes the strip and returns the focus to `tree`.
    """

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
        self.close_button.setAccessibleName(tr("Close"))
        set_safe_tooltip(self.close_button, tr("Close (Esc)"))
        self.close_button.clicked.connect(self.close_strip)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(8, 5, 4, 5)
        for widget, stretch in ((self.field, 3), (self.answer_label, 2), (self.close_button, 0)):
            self.row.addWidget(widget, stretch)
        self.row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.hide()

    def minimumSizeHint(self) -> QSize:
        # With a large font, the window must not become wider than the screen.
        return QSize(120, super().minimumSizeHint().height())

    def open(self) -> None:
        """Show the strip with its last text."""
        self.close_button.setIcon(theme.icon("close", self.palette(), theme.MUTED))
        self.show()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_strip(self) -> None:
        """Hide the strip. If it had the focus, the tree gets it."""
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        self.hide()
        if had_focus:
            set_focus_in(self._tree)

    def submit(self, forward: bool) -> None:
        """Handle Enter; `forward` is False with Shift."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_strip()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.submit(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            case _:
                super().keyPressEvent(event)


class ElidedComboBox(QComboBox):
    """A combo box that elides a text that is too long; QComboBox would cut it off."""

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


class WordCompleter(QCompleter):
    """The completer of the last word of a field; the text before it stays."""

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(field)
        self._words = QStringListModel(self)
        self.setModel(self._words)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(10)
        field.setCompleter(self)

    def set_words(self, words: Sequence[str]) -> None:
        """Replace the words that are offered."""
        self._words.setStringList(list(words))

    def splitPath(self, path: str) -> list[str]:
        word = path.rsplit(" ", 1)[-1].removeprefix("-")
        longer = (each for each in self._words.stringList() if each.casefold() != word.casefold())
        # A list of one entry, which is there already, would only cover what is below the field.
        is_needed = word and any(each.casefold().startswith(word.casefold()) for each in longer)
        return [word if is_needed else "\0"]

    def pathFromIndex(self, index: object) -> str:
        field = self.widget()
        before, space, word = field.text().rpartition(" ") if isinstance(field, QLineEdit) else ("", "", "")
        no = "-" if word.startswith("-") else ""
        return f"{before}{space}{no}{super().pathFromIndex(index)}"  # type: ignore[arg-type]
