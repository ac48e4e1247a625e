"""A strip above the tree with one field: what is asked for there is answered beside it."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLineEdit, QToolButton, QWidget

from inspector.gui.basics import assets, theme
from inspector.gui.basics.focus import focus_in
from inspector.gui.basics.gate import set_tip
from inspector.gui.panels.plain_label import PlainLabel


class Strip(QWidget):
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
        set_tip(self.close_button, self.tr("Close (Esc)"))
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
        focus_in(self._tree)

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
