"""Above the tree: a text that is looked for, how often it was found, and the way from one place to the next."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QSizePolicy, QToolButton, QWidget

from inspector.gui.basics import assets, theme, words
from inspector.gui.basics.actions import Action, Actions
from inspector.gui.basics.gate import Label, set_tip
from inspector.gui.document.document import Document

# A person who types is not followed letter by letter.
_TYPING_MS = 120


class FindStrip(QWidget):
    """Hidden until it is asked for; Enter goes on, Shift+Enter back, Escape closes it."""

    def __init__(self, document: Document, actions: Actions, pane: QWidget) -> None:
        super().__init__(pane)
        self._pane = pane
        self._document, self._find = document, document.find
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Find a text in the whole log"))
        self.field.setAccessibleName(self.tr("Find a text"))
        self.field.setClearButtonEnabled(True)
        self.field.setMaxLength(10_000)
        self.match_case = QCheckBox(self.tr("Match &case"), self)
        self.count = Label(parent=self)
        self.count.setAccessibleName(self.tr("What was found"))
        self.count.setSizePolicy(QSizePolicy.Policy.MinimumExpanding, QSizePolicy.Policy.Preferred)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self._look)
        self.field.textEdited.connect(lambda _: self._typing.start())
        self.match_case.toggled.connect(self._look)
        self.close_button = QToolButton(self)
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName(self.tr("Close"))
        set_tip(self.close_button, self.tr("Close (Esc)"))
        self.close_button.clicked.connect(self.leave)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 5, 4, 5)
        row.addWidget(self.field, 3)
        row.addWidget(self.match_case)
        row.addWidget(self.count, 1)
        for action in (Action.FIND_PREVIOUS, Action.FIND_NEXT):
            button = QToolButton(self)
            button.setDefaultAction(actions[action])
            button.setAutoRaise(True)
            row.addWidget(button)
        row.addWidget(self.close_button)
        self.hide()
        self._find.changed.connect(self.refresh)
        document.place_changed.connect(self.refresh)

    def ask(self) -> None:
        """Show the strip with what was looked for last."""
        self._find.begin_here()
        self.close_button.setIcon(assets.icon("close", self.palette(), theme.MUTED))
        self.show()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._look()

    def step(self, forward: bool) -> None:
        """Go to the next or the previous place; without a text, ask for one."""
        if not self.field.text():
            self.ask()
        elif self.isHidden() or self._typing.isActive():
            self._typing.stop()
            self.show()
            self._look()
        else:
            self._find.step(forward)

    def leave(self) -> None:
        """Hide the strip; nothing is looked for any more."""
        self._typing.stop()
        self._find.look_for("", False)
        self.hide()
        self._pane.setFocus()

    def refresh(self) -> None:
        """Say what was found so far."""
        self.count.setText(self._said() if self.isVisible() else "")

    def _said(self) -> str:
        find, found = self._find, len(self._find.records)
        if not find.text or find.failure:
            return find.failure
        outside = f", {find.outside:,} {self.tr('outside of the rows')}" if find.outside else ""
        if not found:
            return self.tr("Looking…") if find.searching else self.tr("Not found in this log") + outside
        of = f"{find.position:,} {self.tr('of')} " if find.position else ""
        return f"{of}{words.counted(found, 'record', 'records')}{'…' if find.searching else ''}{outside}"

    def _look(self) -> None:
        self._typing.stop()
        self._find.look_for(self.field.text(), self.match_case.isChecked())
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.leave()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.step(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            case _:
                super().keyPressEvent(event)
