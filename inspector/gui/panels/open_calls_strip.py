"""Above the saves: the unanswered calls that may have changed something, before anybody repairs."""

from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QTreeView, QVBoxLayout, QWidget

from inspector.gui.basics import assets, theme, words
from inspector.gui.basics.gate import set_tip
from inspector.gui.document.document import Document
from inspector.gui.models.lists import OPEN_CALLS, open_calls
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.list_view import set_up_table

_ROWS = 6


class OpenCallsStrip(QWidget):
    """A line that unfolds to the list; hidden when there is no such call. A click on one goes to it."""

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self.head = QToolButton(self)
        self.head.setCheckable(True)
        self.head.setAutoRaise(True)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.head.toggled.connect(self._on_toggled)
        self.model = TableModel(OPEN_CALLS, self)
        self.view = QTreeView(self)
        name = self.tr("Unanswered calls that may have changed something")
        self._row_height = set_up_table(self.view, self.model, name, chosen=self._on_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 8, 2)
        column.setSpacing(2)
        column.addWidget(self.head)
        column.addWidget(self.view)
        self.view.hide()
        self.hide()
        document.open_calls.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show how many there are."""
        self.model.show(open_calls(self._document.log, self._document.open_calls.evidence))
        count = self.model.rowCount()
        if not count:
            self.head.setChecked(False)
        one, many = self.tr("unanswered call"), self.tr("unanswered calls")
        self.head.setText(f"{words.counted(count, one, many)} {self.tr('may have changed something')}")
        set_tip(self.head, self.tr("No result says so: look at what each was to do before you repair or resume."))
        self.head.setAccessibleName(self.head.text())
        self._fit()
        self._paint()
        self.setVisible(count > 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange:
            self._paint()

    def _paint(self) -> None:
        name = "expand" if self.head.isChecked() else "collapse"
        self.head.setIcon(assets.icon(name, self.palette(), theme.WARNING))

    def _on_toggled(self, unfolded: bool) -> None:
        self.view.setVisible(unfolded)
        self._paint()
        if unfolded:
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_chosen(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None:
            self._document.select_finding(row.position)

    def _fit(self) -> None:
        rows = min(self.model.rowCount(), _ROWS) + 1
        self.view.setFixedHeight(rows * self._row_height + 8)
