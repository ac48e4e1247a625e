"""Left of the tree: the sessions of a log that holds several."""

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QLabel, QListView, QVBoxLayout, QWidget

from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.delegates.session_delegate import SessionDelegate
from inspector.gui.document import Document
from inspector.gui.models.roles import Role
from inspector.gui.models.sessions_model import SessionsModel


class SessionsPanel(QWidget):
    """Choosing a session shows it in the tree. Hidden when there is only one."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.model = SessionsModel(self)
        self.view = QListView(self)
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setAccessibleName(self.tr("Sessions"))
        self.view.setItemDelegate(SessionDelegate(RowPainter(self.font()), self.view))
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        title = QLabel(self.tr("Sessions, worst first"), self)
        title.setContentsMargins(10, 6, 10, 6)
        title.setEnabled(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(title)
        layout.addWidget(self.view)
        self.setMinimumWidth(160)
        self.setFocusProxy(self.view)
        self.hide()
        document.log_changed.connect(self._on_log_changed)
        document.place_changed.connect(self._on_place_changed)

    def _on_log_changed(self) -> None:
        log = self._document.log
        sessions = log.overview.sessions if log else ()
        self.model.show(sessions)
        self.setVisible(len(sessions) > 1)
        self._on_place_changed()

    def _on_place_changed(self) -> None:
        log = self._document.log
        session = log.session_of(self._document.node) if log and self.model.rowCount() > 1 else -1
        if session >= 0 and self.view.currentIndex().data(Role.POSITION) != session:
            self.view.setCurrentIndex(self.model.index_of(session))

    def _on_current_changed(self, current: QModelIndex) -> None:
        log, session = self._document.log, current.data(Role.POSITION)
        if log is not None and session is not None and session != log.session_of(self._document.node):
            self._document.select_node(log.node_of_session(session))
