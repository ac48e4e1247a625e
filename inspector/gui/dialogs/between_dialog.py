"""Another log of the conversation: what it has that the open one lacks, and the results to take over from it."""

from pathlib import Path

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTreeView, QVBoxLayout, QWidget

from inspector.core.showing.between import Between
from inspector.gui.basics import assets, theme, words
from inspector.gui.basics.gate import set_title
from inspector.gui.document.document import Document
from inspector.gui.models.difference_list import DIFFERENCES
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.headed import Headed
from inspector.gui.panels.list_view import set_up_table
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import BETWEEN

_LIST_HEIGHT = 140


class BetweenDialog(QDialog):
    """A row goes to its record in the open log; nothing is written, what is taken becomes part of the repair."""

    def __init__(self, document: Document, path: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._path = document, path
        self.found: Between | None = None
        set_title(self, f"{self.tr('Compared with')} {Path(path).name}")
        self.head = Headed(self)
        self.head.setContentsMargins(12, 12, 12, 6)
        self.model = TableModel(DIFFERENCES, self)
        self.view = QTreeView(self)
        set_up_table(self.view, self.model, self.tr("Differences"), _LIST_HEIGHT, chosen=self._on_chosen)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.take = self.buttons.addButton(self.tr("&Take results over"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.take.setEnabled(False)
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        self.buttons.setContentsMargins(12, 4, 12, 12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget, stretch in ((self.head, 0), (self.view, 1), (self.buttons, 0)):
            column.addWidget(widget, stretch)
        self.resize(760, 420)
        self._say("pending", theme.INFO, self.tr("Reading…"), path)
        document.process.answered(BETWEEN).connect(self._on_compared)
        document.process.failed.connect(self._on_failed)
        document.process.ask(BETWEEN, path)

    def _say(self, icon: str, pair: theme.Pair, sentence: str, more: str = "") -> None:
        self.head.say(assets.pixmap(icon, pair.on(self.palette()), 18), sentence, more)

    @Slot(object)
    def _on_compared(self, found: Between) -> None:
        self.found = found
        self.model.show(found.differences)
        here, there = (words.tr(words.VERDICT[side.verdict]).lower() for side in (found.first, found.second))
        told = [found.kinship, f"{self.tr('This log is')} {here}, {self.tr('the other')} {there}."]
        total = sum(found.counts.values())
        if total > len(found.differences):
            told.append(f"{self.tr('The first of')} {total:,} {self.tr('differences are listed.')}")
        offers = len(found.for_first)
        if offers:
            told.append(words.counted(offers, "missing result was found there.", "missing results were found there."))
        self.take.setEnabled(bool(offers))
        icon, pair = ("ok", theme.GOOD) if found.is_equal else ("info", theme.INFO)
        same = words.counted(found.same, "record is the same", "records are the same")
        different = words.counted(total, "difference", "differences")
        self._say(icon, pair, f"{same}, {different}.", "\n".join(told))

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        if failure.request is BETWEEN or failure.died:
            self._say("error", theme.ERROR, failure.sentence)

    def _on_chosen(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None and row.first is not None:
            self._document.places.select(row.first)

    def _on_accepted(self) -> None:
        if self.found is not None:
            self._document.repair.take_results((self._path,), self.found.for_first)
        self.accept()
