"""What other logs of the conversation hold: a sentence, a list, and a button that takes results over from them."""

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QModelIndex, QSize, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTreeView, QVBoxLayout, QWidget

from inspector.core.showing.answers import OfferedResult
from inspector.gui.basics import assets, theme
from inspector.gui.basics.gate import set_title
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.screen import fit
from inspector.gui.document.document import Document
from inspector.gui.models.columns import Table
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.headed import Headed
from inspector.gui.panels.list_view import set_up_table
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import AnyRequest

_LIST_HEIGHT = 140
R = TypeVar("R")


class OtherLogsDialog(QDialog, Generic[R]):
    """Nothing is written: what is taken over becomes part of the planned repair, and can be rejected there.

    A dialog says what it asks for (`REQUEST`), answers to `on_answer`, and calls `offer` with what can be taken over.
    """

    REQUEST: AnyRequest

    def __init__(
        self, document: Document, paths: tuple[str, ...], title: str, table: Table[R], name: str,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._document, self._paths = document, paths
        self._offers: tuple[OfferedResult, ...] = ()
        set_title(self, title)
        self.head = Headed(self)
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
        fit(self, QSize(760, 420))
        self.show_head("pending", theme.INFO, self.tr("Reading…"), "\n".join(map(hiding.display_path, paths)))
        document.process.answer_signal(self.REQUEST).connect(self.on_answer)
        document.process.failed.connect(self._on_failed)

    def show_head(self, icon: str, pair: theme.Pair, sentence: str, more: str = "") -> None:
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
    def _on_failed(self, failure: Failure) -> None:
        if failure.request is self.REQUEST or failure.died:
            self.show_head("error", theme.ERROR, failure.sentence)

    def _on_accepted(self) -> None:
        self._document.repair.take_results(self._paths, self._offers)
        self.accept()
