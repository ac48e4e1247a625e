"""Above the saves: the unanswered calls that may have changed something, before anybody repairs."""

from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QToolButton, QTreeView, QVBoxLayout, QWidget

from inspector.gui.basics import assets, theme, words
from inspector.gui.basics.gate import set_tip
from inspector.gui.delegates.list_delegates import LineDelegate, MarkDelegate
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.document.document import Document
from inspector.gui.models.open_calls_model import OpenCallColumn, OpenCallsModel
from inspector.gui.panels.list_view import set_up_list

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
        self.model = OpenCallsModel(self)
        self.view = QTreeView(self)
        self._set_up_view()
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
        self.model.show(self._document.log, self._document.open_calls.book)
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
        self._document.select_finding(self.model.position(index))

    def _fit(self) -> None:
        rows = min(self.model.rowCount(), _ROWS) + 1
        self.view.setFixedHeight(rows * self._row_height + 8)

    def _set_up_view(self) -> None:
        view, tools = self.view, RowPainter(self.font())
        set_up_list(view, self.model, self.tr("Unanswered calls that may have changed something"), 0)
        view.setRootIsDecorated(False)
        self._row_height = tools.row_height
        view.setItemDelegateForColumn(OpenCallColumn.RAN, MarkDelegate(tools, view, theme.RAN))
        view.setItemDelegateForColumn(OpenCallColumn.LINE, LineDelegate(tools, view, right=True))
        view.setItemDelegateForColumn(OpenCallColumn.CALL, LineDelegate(tools, view))
        view.setItemDelegateForColumn(OpenCallColumn.FOLDER, LineDelegate(tools, view, quiet=True))
        header = view.header()
        header.setStretchLastSection(False)
        longest = max((words.tr(word) for word in words.RAN.values()), key=len)
        header.resizeSection(OpenCallColumn.RAN, tools.width(longest) + 40)
        header.resizeSection(OpenCallColumn.LINE, tools.width("888,888") + 14)
        header.resizeSection(OpenCallColumn.FOLDER, tools.width("…/projects/website") + 14)
        header.setSectionResizeMode(OpenCallColumn.CALL, QHeaderView.ResizeMode.Stretch)
        view.clicked.connect(self._on_chosen)
        view.activated.connect(self._on_chosen)
