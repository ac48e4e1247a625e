"""Above the tree: a text that is looked for, how often it was found, and the way from one place to the next."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QToolButton, QWidget

from inspector.gui.basics import words
from inspector.gui.basics.action_table import TABLE, Action
from inspector.gui.basics.actions import Actions
from inspector.gui.document.document import Document
from inspector.gui.panels.strip import Strip

# A person who types is not followed letter by letter.
_TYPING_MS = 120


class FindStrip(Strip):
    """Enter goes on, Shift+Enter back; what is looked for is marked until the strip is closed."""

    def __init__(self, document: Document, actions: Actions, tree: QWidget) -> None:
        super().__init__(words.tr(TABLE[Action.FIND].tip), words.tr("Find a text"), tree)
        self._document, self._find = document, document.search
        self.match_case = QCheckBox(self.tr("Match &case"), self)
        self.answer_label.setAccessibleName(self.tr("What was found"))
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self._look)
        self.field.textEdited.connect(lambda _: self._typing.start())
        self.match_case.toggled.connect(self._look)
        self.row.insertWidget(1, self.match_case)
        for place, action in enumerate((Action.FIND_PREVIOUS, Action.FIND_NEXT), 3):
            button = QToolButton(self)
            button.setDefaultAction(actions[action])
            button.setAutoRaise(True)
            self.row.insertWidget(place, button)
        self._find.changed.connect(self.refresh)
        self._find.match_position_changed.connect(self.refresh)
        document.place_changed.connect(self.refresh)

    def open(self) -> None:
        self._find.set_start()
        super().open()
        self._look()

    def submit(self, forward: bool) -> None:
        """Go to the next or the previous place; without a text, ask for one."""
        if not self.field.text():
            self.open()
        elif self.isHidden() or self._typing.isActive():
            self.show()
            self._look()
        else:
            self._find.step(forward)

    def close_strip(self) -> None:
        self._typing.stop()
        self._find.look_for("", False)
        super().close_strip()

    def refresh(self) -> None:
        """Say what was found so far."""
        self.answer_label.show_text(self._found() if self.isVisible() else "")

    def _found(self) -> str:
        find, found = self._find, len(self._find.records)
        if not find.text or find.failure:
            return find.failure
        outside = (
            f", {find.matches_outside_records:,} {self.tr('outside of the rows')}"
            if find.matches_outside_records
            else ""
        )
        if self._document.whole_log is None:
            return self.tr("The log is searched when it is read")
        if not found:
            return self.tr("Looking…") if find.searching else self.tr("Not found in this log") + outside
        of = f"{find.position:,} {self.tr('of')} " if find.position else ""
        more = "+" if find.has_more_matches else ""
        here = ""
        if of and (find.match_count > 1 or more):
            here = f" · {self.tr('place')} {find.match_number:,} {self.tr('of')} {find.match_count:,}{more}"
        elif of and not find.match_count:
            here = f" · {self.tr('here only in the raw bytes')}"
        return f"{of}{words.counted(found, 'record', 'records')}{'…' if find.searching else ''}{here}{outside}"

    def _look(self) -> None:
        self._typing.stop()
        self._find.look_for(self.field.text(), self.match_case.isChecked())
        self.refresh()
