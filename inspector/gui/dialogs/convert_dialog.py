"""Convert: to which messages, which session, and what cannot be carried over, before anything is written."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QFormLayout, QRadioButton, QTreeView, QVBoxLayout, QWidget

from inspector.core.repair.choices import Choices
from inspector.core.showing.copies import ConvertPreview
from inspector.core.showing.sizes import format_bytes
from inspector.gui.basics import theme, words
from inspector.gui.basics.gate import Label, set_tip
from inspector.gui.basics.screen import fit
from inspector.gui.dialogs.copy_dialog import CopyDialog
from inspector.gui.document.document import Document
from inspector.gui.models.lists import NOTES, noted
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.icon_lines import Line
from inspector.gui.panels.list_view import set_up_table
from inspector.gui.panels.questions import Questions
from inspector.gui.panels.session_box import SessionBox
from inspector.gui.process.requests import CONVERT, SAVE_CONVERTED

_LIST_HEIGHT = 120


class ConvertDialog(CopyDialog):
    """Every block that is skipped or adapted is listed."""

    PLAN, WRITE = CONVERT, SAVE_CONVERTED

    def __init__(self, document: Document, questions: Questions, parent: QWidget | None = None) -> None:
        super().__init__(document, questions, self.tr("Save a converted history"), parent)
        self.targets = QComboBox(self)
        for name, title in words.TARGET.items():
            self.targets.addItem(words.tr(title), name)
        self.sessions = SessionBox(self)
        self.sessions.fill(document.log, document.node)
        self.as_held = QRadioButton(self.tr("as the &log holds it"), self)
        self.as_repaired = QRadioButton(self.tr("as the &Repair tab plans it"), self)
        draft = document.repair
        self.as_repaired.setEnabled(not draft.why_not_writable)
        set_tip(self.as_repaired, draft.why_not_writable)
        (self.as_held if draft.why_not_worth_writing else self.as_repaired).setChecked(True)
        self.model = TableModel(NOTES, self)
        self.view = QTreeView(self)
        name = self.tr("Blocks that are not carried over as they are")
        set_up_table(self.view, self.model, name, _LIST_HEIGHT)
        self._lay_out()
        self.targets.currentIndexChanged.connect(self.options_changed)
        self.sessions.currentIndexChanged.connect(self.options_changed)
        self.as_repaired.toggled.connect(self.options_changed)
        fit(self, QSize(640, 600))

    def options(self) -> tuple[str, str, Choices | None]:
        choices = self.document.repair.choices if self.as_repaired.isChecked() else None
        return self.targets.currentData(), self.sessions.currentData() or "", choices

    def why_not_savable(self) -> str:
        return ""

    def show_answer(self) -> None:
        answer: ConvertPreview | None = self.answer
        log = self.document.log
        if log is not None:
            self.model.show(noted(answer.notes if answer else (), log.lines))
        self.view.setVisible(self.model.rowCount() > 0)
        super().show_answer()

    def lines(self) -> list[Line]:
        answer: ConvertPreview = self.answer
        lines: list[Line] = []
        if not answer.counts:
            lines.append(("ok", theme.GOOD, self.tr("Every block is carried over as it is.")))
        for action, what, why, number in answer.counts:
            icon = words.NOTE_ICON[action]
            done = words.tr(words.NOTE[action]).capitalize()
            lines.append((icon, theme.NOTE[icon], f"{done}: {number:,} × {what}, {why}"))
        if answer.noted > len(answer.notes):
            first = f"{self.tr('The list shows the first')} {len(answer.notes):,} {self.tr('of')} {answer.noted:,}."
            lines.append(("info", theme.INFO, first))
        if not answer.sound:
            sentence = self.tr("The history is broken, and so is what it is converted to: a provider would refuse it.")
            lines.append(("warning", theme.WARNING, sentence))
        return [*lines, ("info", theme.INFO, f"{self.tr('The file will have')} {format_bytes(answer.bytes)}.")]

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(self._label(self.tr("&To"), self.targets), self.targets)
        form.addRow(self._label(self.tr("S&ession"), self.sessions), self.sessions)
        form.setRowVisible(self.sessions, self.sessions.count() > 1)
        history = QVBoxLayout()
        history.addWidget(self.as_held)
        history.addWidget(self.as_repaired)
        form.addRow(self.tr("The history"), history)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        self.finish_layout(column, self.view)

    def _label(self, title: str, box: QComboBox) -> Label:
        label = Label(title, self)
        label.setBuddy(box)
        box.setAccessibleName(title.replace("&", ""))
        return label
