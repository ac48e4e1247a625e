"""Above the tree: one field for the number of a line, a record or a message, or for an id."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from inspector.core.showing.seeking import JumpTarget
from inspector.gui.basics import words
from inspector.gui.document.document import Document
from inspector.gui.panels.strip import Strip
from inspector.gui.process.requests import GO_TO


class GoToStrip(Strip):
    """Closes when it led somewhere, else says why it did not."""

    def __init__(self, document: Document, tree: QWidget) -> None:
        super().__init__(words.tr("Line, “record 12”, “message 12”, or an id"), words.tr("Go to"), tree)
        self._document = document
        self.answer_label.setAccessibleName(self.tr("Why nothing is there"))
        self.field.textEdited.connect(lambda _: self._say(""))
        document.process.answer_signal(GO_TO).connect(self._on_answered)

    def submit(self, forward: bool) -> None:
        """Go there. What is typed is asked of the child, which knows the ids."""
        process = self._document.process
        if self._document.whole_log is None or not process.alive:
            self._say(words.tr(words.NOT_READ))
        else:
            process.ask(GO_TO, self.field.text())

    def _say(self, sentence: str) -> None:
        self.answer_label.show_text(sentence)

    @Slot(object)
    def _on_answered(self, target: JumpTarget) -> None:
        self._say(target.sentence)
        if target.node > 0 and self.isVisible():
            self.close_strip()
            self._document.select_node(target.node)
