"""The dialogs about other logs of the same conversation: a sentence, a list, and a button to take results over.

One lists the results found for unanswered calls, the other the differences between two logs.
"""

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QModelIndex, QSize, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTreeView, QVBoxLayout, QWidget

from inspector.core.presentation.engine_results import LogComparison, LogDifference, ResultInOtherLog
from inspector.core.translation import tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.qt_helpers import fit_to_screen
from inspector.gui.common.safe_text import set_window_title
from inspector.gui.common.ui_text import tr
from inspector.gui.models.base import TableModel, TableSpec
from inspector.gui.models.list_columns import LOG_DIFFERENCES_TABLE, RESULT_OFFERS_TABLE
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import set_up_table
from inspector.gui.widgets.labels import IconHeader
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import COMPARE_LOGS, RESULT_OFFERS, AnyRequest

_LIST_HEIGHT = 140
R = TypeVar("R")


class OtherLogDialogBase(QDialog, Generic[R]):
    """The base of the dialogs. Results that are taken over become part of the planned repair; nothing is written.

    A subclass defines its `REQUEST`, handles the answer in `on_answer`, and calls `set_offers` with the results.
    """

    REQUEST: AnyRequest

    def __init__(
        self, document: Document, paths: tuple[str, ...], title: str, table: TableSpec[R], name: str,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._document, self._paths = document, paths
        self._offers: tuple[ResultInOtherLog, ...] = ()
        set_window_title(self, title)
        self.head = IconHeader(self)
        self.head.setContentsMargins(12, 12, 12, 6)
        self.model = TableModel(table, self)
        self.view = QTreeView(self)
        set_up_table(self.view, self.model, name, _LIST_HEIGHT, chosen=self.on_chosen)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.take = self.buttons.addButton(tr("&Copy the results"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.take.setEnabled(False)
        self.buttons.accepted.connect(self._on_accepted)
        self.buttons.rejected.connect(self.reject)
        self.buttons.setContentsMargins(12, 4, 12, 12)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for widget, stretch in ((self.head, 0), (self.view, 1), (self.buttons, 0)):
            column.addWidget(widget, stretch)
        fit_to_screen(self, QSize(760, 420))
        self.show_head("pending", theme.INFO, tr("Reading…"), "\n".join(map(hiding.display_path, paths)))
        document.process.answer_signal(self.REQUEST).connect(self.on_answer)
        document.process.failed.connect(self._on_failed)

    def show_head(self, icon: str, pair: theme.ColourPair, sentence: str, more: str = "") -> None:
        self.head.show_text(icon, pair, sentence, more)

    def set_offers(self, offers: tuple[ResultInOtherLog, ...]) -> None:
        """Set the results that can be taken over."""
        self._offers = offers
        self.take.setEnabled(bool(offers))
        self.take.setDefault(bool(offers))

    def on_chosen(self, index: QModelIndex) -> None:
        """Handle a click on a row, or Enter."""

    @abstractmethod
    def on_answer(self, answer: Any) -> None:
        """Show the answer to the request."""

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is self.REQUEST or failure.died:
            self.show_head("error", theme.ERROR, failure.sentence)

    def _on_accepted(self) -> None:
        self._document.repair.take_results(self._paths, self._offers)
        self.accept()


class ResultOffersDialog(OtherLogDialogBase[ResultInOtherLog]):
    """The dialog with the results in other logs for unanswered calls of the open log."""

    REQUEST = RESULT_OFFERS

    def __init__(self, document: Document, paths: tuple[str, ...], parent: QWidget | None = None) -> None:
        title, name = tr("Results from another log"), tr("Found results")
        super().__init__(document, paths, title, RESULT_OFFERS_TABLE, name, parent)
        document.process.ask(RESULT_OFFERS, paths)

    @Slot(object)
    def on_answer(self, offers: tuple[ResultInOtherLog, ...]) -> None:
        self.model.show(offers)
        self.set_offers(offers)
        if not offers:
            sentence = tr("The other log does not contain any of the results that are missing from this log.")
            details = tr("Results are copied only if the id, tool and input of the call are the same in both logs.")
            self.show_head("question", theme.WARNING, sentence, details)
            return
        found = tr_plural("{number:,} missing result was found.", "{number:,} missing results were found.", len(offers))
        details = tr("Copied results are added to the planned repair, where you can reject any of them.")
        self.show_head("ok", theme.SUCCESS, found, details)


class CompareLogsDialog(OtherLogDialogBase[LogDifference]):
    """The dialog with the differences from another log. A row goes to its record in the open log."""

    REQUEST = COMPARE_LOGS

    def __init__(self, document: Document, path: str, parent: QWidget | None = None) -> None:
        title = tr("Compared with {display_name}", display_name=hiding.display_name(path))
        super().__init__(document, (path,), title, LOG_DIFFERENCES_TABLE, tr("Differences"), parent)
        document.process.ask(COMPARE_LOGS, path)

    @Slot(object)
    def on_answer(self, comparison: LogComparison) -> None:
        self.model.show(comparison.differences)
        this_verdict, other_verdict = (
            tr(ui_text.VERDICT_WORDS[side.verdict]).lower() for side in (comparison.first, comparison.second)
        )
        sentences = [
            comparison.relation_sentence,
            tr(
                "This log is {this_verdict}. The other log is {other_verdict}.",
                this_verdict=this_verdict,
                other_verdict=other_verdict,
            ),
        ]
        total, listed = sum(comparison.counts.values()), len(comparison.differences)
        if total > listed:
            sentences.append(
                tr("This list shows the first {listed:,} of {total:,} differences.", listed=listed, total=total)
            )
        if offers := len(comparison.for_first):
            sentences.append(
                tr_plural(
                    "{number:,} missing result was found in the other log.",
                    "{number:,} missing results were found in the other log.",
                    offers,
                )
            )
        self.set_offers(comparison.for_first)
        icon, pair = ("ok", theme.SUCCESS) if comparison.is_equal else ("info", theme.INFO)
        same = tr_plural(
            "{number:,} record is the same in both logs",
            "{number:,} records are the same in both logs",
            comparison.same,
        )
        different = tr_plural("{number:,} difference", "{number:,} differences", total)
        self.show_head(icon, pair, f"{same}, {different}.", "\n".join(sentences))

    def on_chosen(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None and row.first is not None:
            self._document.navigator.go_to(row.first)
