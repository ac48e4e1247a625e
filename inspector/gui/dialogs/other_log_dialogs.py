"""What other logs of the conversation hold: a sentence, a list, and a button that takes results over from them.

Merged; to be rewritten:
`offers_dialog`: Results from other logs: what was found for the open calls, before it is taken over.
`between_dialog`: Another log of the conversation: what it has that the open one lacks, and the results to take over
from it.
"""

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QModelIndex, QSize, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTreeView, QVBoxLayout, QWidget

from inspector.core.presentation.results import LogComparison, LogDifference, OfferedResult
from inspector.gui.common import theme, ui_text
from inspector.gui.common import theme as assets
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.qt_helpers import fit_to_screen
from inspector.gui.common.safe_text import set_window_title
from inspector.gui.common.ui_text import tr
from inspector.gui.models.base import TableModel, TableSpec
from inspector.gui.models.tables import DIFFERENCES
from inspector.gui.models.tables import OFFERS as OFFERED
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import set_up_table
from inspector.gui.widgets.labels import IconHeader
from inspector.gui.worker.child_process import RequestFailure
from inspector.gui.worker.requests import COMPARE_LOGS, RESULT_OFFERS, AnyRequest

_LIST_HEIGHT = 140
R = TypeVar("R")


class OtherLogsDialog(QDialog, Generic[R]):
    """Nothing is written: what is taken over becomes part of the planned repair, and can be rejected there.

    A dialog says what it asks for (`REQUEST`), answers to `on_answer`, and calls `offer` with what can be taken over.
    """

    REQUEST: AnyRequest

    def __init__(
        self, document: Document, paths: tuple[str, ...], title: str, table: TableSpec[R], name: str,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._document, self._paths = document, paths
        self._offers: tuple[OfferedResult, ...] = ()
        set_window_title(self, title)
        self.head = IconHeader(self)
        self.head.setContentsMargins(12, 12, 12, 6)
        self.model = TableModel(table, self)
        self.view = QTreeView(self)
        set_up_table(self.view, self.model, name, _LIST_HEIGHT, chosen=self.on_chosen)
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
        fit_to_screen(self, QSize(760, 420))
        self.show_head("pending", theme.INFO, self.tr("Reading…"), "\n".join(map(hiding.display_path, paths)))
        document.process.answer_signal(self.REQUEST).connect(self.on_answer)
        document.process.failed.connect(self._on_failed)

    def show_head(self, icon: str, pair: theme.ColourPair, sentence: str, more: str = "") -> None:
        self.head.show_text(assets.pixmap(icon, pair.for_palette(self.palette()), 18), sentence, more)

    def set_offers(self, offers: tuple[OfferedResult, ...]) -> None:
        """Let what was found be taken over."""
        self._offers = offers
        self.take.setEnabled(bool(offers))
        self.take.setDefault(bool(offers))

    def on_chosen(self, index: QModelIndex) -> None:
        """A row was clicked, or Enter pressed on it."""

    @abstractmethod
    def on_answer(self, answer: Any) -> None:
        """Show what was found."""

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is self.REQUEST or failure.died:
            self.show_head("error", theme.ERROR, failure.sentence)

    def _on_accepted(self) -> None:
        self._document.repair.take_results(self._paths, self._offers)
        self.accept()


# Results from other logs: what was found for the open calls, before it is taken over.


class ResultOffersDialog(OtherLogsDialog[OfferedResult]):
    """All that the chosen logs hold for calls of the open one."""

    REQUEST = RESULT_OFFERS

    def __init__(self, document: Document, paths: tuple[str, ...], parent: QWidget | None = None) -> None:
        title, name = tr("Results from another log"), tr("Results that were found")
        super().__init__(document, paths, title, OFFERED, name, parent)
        document.process.ask(RESULT_OFFERS, paths)

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
        self.show_head("ok", theme.SUCCESS, f"{ui_text.pluralize(len(offers), one, many)}.", more)


# Another log of the conversation: what it has that the open one lacks, and the results to take over from it.


class CompareLogsDialog(OtherLogsDialog[LogDifference]):
    """A row goes to its record in the open log."""

    REQUEST = COMPARE_LOGS

    def __init__(self, document: Document, path: str, parent: QWidget | None = None) -> None:
        title = f"{tr('Compared with')} {hiding.display_name(path)}"
        super().__init__(document, (path,), title, DIFFERENCES, tr("Differences"), parent)
        document.process.ask(COMPARE_LOGS, path)

    @Slot(object)
    def on_answer(self, found: LogComparison) -> None:
        self.model.show(found.differences)
        here, there = (tr(ui_text.VERDICT[side.verdict]).lower() for side in (found.first, found.second))
        told = [found.relation_sentence, f"{self.tr('This log is')} {here}, {self.tr('the other')} {there}."]
        total, listed = sum(found.counts.values()), len(found.differences)
        if total > listed:
            told.append(f"{self.tr('Listed are the first')} {listed:,} {self.tr('differences of')} {total:,}.")
        if offers := len(found.for_first):
            told.append(
                ui_text.pluralize(offers, "missing result was found there.", "missing results were found there.")
            )
        self.set_offers(found.for_first)
        icon, pair = ("ok", theme.SUCCESS) if found.is_equal else ("info", theme.INFO)
        same = ui_text.pluralize(found.same, "record is the same", "records are the same")
        different = ui_text.pluralize(total, "difference", "differences")
        self.show_head(icon, pair, f"{same}, {different}.", "\n".join(told))

    def on_chosen(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None and row.first is not None:
            self._document.navigator.go_to(row.first)
