"""A repair to send back: for which system, in which language, and the page that goes with the plan."""

from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from inspector.core.showing.outward import SendBackOptions, SendBackPackage
from inspector.gui.basics import theme
from inspector.gui.basics.screen import fit
from inspector.gui.dialogs.copy_dialog import CopyDialog
from inspector.gui.dialogs.report_dialog import LANGUAGES, choice
from inspector.gui.document.document import Document
from inspector.gui.panels.icon_lines import Line
from inspector.gui.panels.plain_text_view import PlainTextView
from inspector.gui.panels.questions import Questions
from inspector.gui.process.requests import SAVE_SEND_BACK, SEND_BACK

_SYSTEMS = {"": "as the log tells", "linux": "Linux", "macos": "macOS", "windows": "Windows"}


class SendBackDialog(CopyDialog):
    """The planned repair, as it is carried out where the log lies: nothing of the conversation leaves."""

    PLAN, WRITE = SEND_BACK, SAVE_SEND_BACK

    def __init__(self, document: Document, questions: Questions, parent: QWidget | None = None) -> None:
        super().__init__(document, questions, self.tr("A repair to send back"), parent)
        self.system = choice(self, _SYSTEMS)
        self.language = choice(self, LANGUAGES)
        self.preview = PlainTextView(self.tr("What to do with it, for whoever has the log"), fixed=False, parent=self)
        for box in (self.system, self.language):
            box.currentIndexChanged.connect(self.options_changed)
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(self.tr("S&ystem of whoever has the log"), self.system)
        form.addRow(self.tr("&Language"), self.language)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        self.finish_layout(column, self.preview)
        fit(self, QSize(760, 600))

    def options(self) -> tuple[Any, ...]:
        wish = SendBackOptions(self.system.currentData(), self.language.currentData())
        return (self.document.repair.choices, wish)

    def why_not_savable(self) -> str:
        return ""

    def lines(self) -> list[Line]:
        back: SendBackPackage = self.answer
        system = _SYSTEMS.get(back.system, back.system)
        return [
            ("ok", theme.GOOD, self.tr("Nothing of the conversation is in it: records are named by number and hash.")),
            ("info", theme.INFO, f"{self.tr('A zip with the plan and this page, for')} {system}."),
        ]

    def show_answer(self) -> None:
        if self.answer is not None:
            self.preview.show_text(self.answer.page)
        super().show_answer()

    def write(self, target: str) -> None:
        self.process.ask(SAVE_SEND_BACK, *self.options(), target)
