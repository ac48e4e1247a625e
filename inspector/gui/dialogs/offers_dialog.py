"""Results from other logs: what was found for the open calls, before it is taken over."""

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTreeView, QVBoxLayout, QWidget

from inspector.core.showing.answers import OfferedResult
from inspector.gui.basics import assets, theme, words
from inspector.gui.basics.gate import set_title
from inspector.gui.basics.screen import fit
from inspector.gui.document.document import Document
from inspector.gui.models.lists import OFFERS as OFFERED
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.headed import Headed
from inspector.gui.panels.list_view import set_up_table
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import OFFERS

_LIST_HEIGHT = 140


class OffersDialog(QDialog):
    """Nothing is written: what is taken over becomes part of the planned repair, and can be rejected there."""

    def __init__(self, document: Document, paths: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._paths = document, paths
        self._offers: tuple[OfferedResult, ...] = ()
        set_title(self, self.tr("Results from another log"))
        self.head = Headed(self)
        self.head.setContentsMargins(12, 12, 12, 6)
        self.model = TableModel(OFFERED, self)
        self.view = QTreeView(self)
        set_up_table(self.view, self.model, self.tr("Results that were found"), _LIST_HEIGHT)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.take = self.buttons.addButton(self.tr("&Take them over"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.take.setDefault(True)
        self.take.setEnabled(False)
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        self.buttons.setContentsMargins(12, 4, 12, 12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget, stretch in ((self.head, 0), (self.view, 1), (self.buttons, 0)):
            column.addWidget(widget, stretch)
        fit(self, QSize(720, 380))
        self._say("pending", theme.INFO, self.tr("Reading…"), "\n".join(paths))
        document.process.answered(OFFERS).connect(self._on_offered)
        document.process.failed.connect(self._on_failed)
        document.process.ask(OFFERS, paths)

    def _say(self, icon: str, pair: theme.Pair, sentence: str, more: str = "") -> None:
        self.head.say(assets.pixmap(icon, pair.on(self.palette()), 18), sentence, more)

    @Slot(object)
    def _on_offered(self, offers: tuple[OfferedResult, ...]) -> None:
        self._offers = offers
        self.model.show(offers)
        self.take.setEnabled(bool(offers))
        if not offers:
            sentence = self.tr("No result was found there for a call that has none here.")
            more = self.tr("A result counts only when id, tool and input of its call are the same in both logs.")
            self._say("question", theme.WARNING, sentence, more)
            return
        one, many = self.tr("missing result was found"), self.tr("missing results were found")
        more = self.tr("What is taken becomes part of the planned repair, where each result can be rejected.")
        self._say("ok", theme.GOOD, f"{words.counted(len(offers), one, many)}.", more)

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        if failure.request is OFFERS or failure.died:
            self._say("error", theme.ERROR, failure.sentence)

    def _on_accepted(self) -> None:
        self._document.repair.take_results(self._paths, self._offers)
        self.accept()
