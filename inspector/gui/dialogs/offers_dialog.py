"""Results from other logs: what was found for the open calls, before it is taken over."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from inspector.core.showing.answers import OfferedResult
from inspector.gui.basics import theme, words
from inspector.gui.basics.words import tr
from inspector.gui.dialogs.other_logs_dialog import OtherLogsDialog
from inspector.gui.document.document import Document
from inspector.gui.models.lists import OFFERS as OFFERED
from inspector.gui.process.requests import OFFERS


class OffersDialog(OtherLogsDialog[OfferedResult]):
    """All that the chosen logs hold for calls of the open one."""

    REQUEST = OFFERS

    def __init__(self, document: Document, paths: tuple[str, ...], parent: QWidget | None = None) -> None:
        title, name = tr("Results from another log"), tr("Results that were found")
        super().__init__(document, paths, title, OFFERED, name, parent)
        document.process.ask(OFFERS, paths)

    @Slot(object)
    def on_answer(self, offers: tuple[OfferedResult, ...]) -> None:
        self.model.show(offers)
        self.set_offers(offers)
        if not offers:
            sentence = self.tr("No result was found there for a call that has none here.")
            more = self.tr("A result counts only when id, tool and input of its call are the same in both logs.")
            self.show_head("question", theme.WARNING, sentence, more)
            return
        one, many = self.tr("missing result was found"), self.tr("missing results were found")
        more = self.tr("What is taken becomes part of the planned repair, where each result can be rejected.")
        self.show_head("ok", theme.GOOD, f"{words.counted(len(offers), one, many)}.", more)
