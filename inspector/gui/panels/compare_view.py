"""The selected change: the log as it is and as it is planned, side by side, with what stands around it."""

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from inspector.core.showing.answers import PreviewRow
from inspector.core.showing.comparison import DiffOptions, DiffRequest, DiffRun
from inspector.gui.answers.planned_repair import PlannedRepair
from inspector.gui.basics.gate import set_tip
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.document.document import Document
from inspector.gui.panels.compared_text import ComparedText
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import COLOURS, COMPARE

_AROUND = 2
_PATIENCE_MS = 200


class CompareView(QWidget):
    """Asks for what it shows: the records may be large, and are compared in the child."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._asked: tuple[PlannedRepair | None, int, DiffOptions] = (None, -1, DiffOptions())
        self._rows: list[PreviewRow] = []
        self.text = ComparedText(self.tr("Original and planned"), self)
        self.as_json = self._button(self.tr("JSON"), self.tr("Show the records as JSON"))
        self.unfolded = self._button(self.tr("Show more lines"), self.tr("Show what stays the same, too"))
        # What was there before stays for the moment that a small record takes: nothing flickers.
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._patience.timeout.connect(lambda: self.text.show_sentence(self.tr("Comparing…")))
        buttons = QHBoxLayout()
        buttons.setContentsMargins(10, 3, 10, 3)
        buttons.addWidget(self.as_json)
        buttons.addWidget(self.unfolded)
        buttons.addStretch()
        in_a_column(self, buttons, self.text, grows=self.text)
        self.text.painting.wanted.connect(lambda *wanted: document.process.ask(COLOURS, *wanted))
        document.process.answer_signal(COLOURS).connect(lambda answer: self.text.painting.apply(*answer))
        document.process.answer_signal(COMPARE).connect(self._on_compared)
        document.process.failed.connect(self._on_failed)
        document.place_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Ask for the selected change, unless nobody looks or it is there already."""
        draft, change = self._document.repair, self._document.selection.change
        manner = DiffOptions(self.as_json.isChecked(), self.unfolded.isChecked())
        now = (draft.plan, change, manner)
        # Another plan is on its way: the rows of this one are not in it.
        same = now[0] is self._asked[0] and now[1:] == self._asked[1:]
        if not self.isVisible() or draft.planning or not self._document.process.alive or same:
            return
        self._asked = now
        if draft.plan is None or change < 0:
            self._patience.stop()
            self.text.show_sentence("")
            return
        around = range(max(change - _AROUND, 0), min(change + _AROUND + 1, len(draft.plan)))
        self._rows = [draft.plan[row] for row in around]
        wanted = tuple(DiffRequest(row.slot, row.mark) for row in self._rows if row.slot >= 0)
        self._patience.start()
        self._document.process.ask(COMPARE, draft.choices, wanted, manner)

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.text.adjust_columns()

    @Slot(object)
    def _on_compared(self, compared: tuple[tuple[DiffRun, ...], ...]) -> None:
        self._patience.stop()
        plan, change, _ = self._asked
        if plan is not None:
            told = iter(compared)
            rows = [(row, next(told, ()) if row.slot >= 0 else ()) for row in self._rows]
            self.text.show_rows(rows, change - max(change - _AROUND, 0))

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        if failure.request is COMPARE:
            self._patience.stop()
            self.text.show_sentence(failure.sentence)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setCheckable(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        set_tip(button, tip)
        button.toggled.connect(self.refresh)
        return button
