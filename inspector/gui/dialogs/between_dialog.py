"""Another log of the conversation: what it has that the open one lacks, and the results to take over from it."""

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtWidgets import QWidget

from inspector.core.showing.between import LogComparison, LogDifference
from inspector.gui.basics import theme, words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.words import tr
from inspector.gui.dialogs.other_logs_dialog import OtherLogsDialog
from inspector.gui.document.document import Document
from inspector.gui.models.difference_list import DIFFERENCES
from inspector.gui.process.requests import BETWEEN


class BetweenDialog(OtherLogsDialog[LogDifference]):
    """A row goes to its record in the open log."""

    REQUEST = BETWEEN

    def __init__(self, document: Document, path: str, parent: QWidget | None = None) -> None:
        title = f"{tr('Compared with')} {hiding.display_name(path)}"
        super().__init__(document, (path,), title, DIFFERENCES, tr("Differences"), parent)
        document.process.ask(BETWEEN, path)

    @Slot(object)
    def on_answer(self, found: LogComparison) -> None:
        self.model.show(found.differences)
        here, there = (tr(words.VERDICT[side.verdict]).lower() for side in (found.first, found.second))
        told = [found.relation_sentence, f"{self.tr('This log is')} {here}, {self.tr('the other')} {there}."]
        total, listed = sum(found.counts.values()), len(found.differences)
        if total > listed:
            told.append(f"{self.tr('Listed are the first')} {listed:,} {self.tr('differences of')} {total:,}.")
        if offers := len(found.for_first):
            told.append(words.counted(offers, "missing result was found there.", "missing results were found there."))
        self.set_offers(found.for_first)
        icon, pair = ("ok", theme.GOOD) if found.is_equal else ("info", theme.INFO)
        same = words.counted(found.same, "record is the same", "records are the same")
        different = words.counted(total, "difference", "differences")
        self.show_head(icon, pair, f"{same}, {different}.", "\n".join(told))

    def on_chosen(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None and row.first is not None:
            self._document.navigator.go_to(row.first)
