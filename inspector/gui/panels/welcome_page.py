"""The page shown when no log is open, or when a log could not be opened."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCommandLinkButton, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import SafeLabel, escape_caption, set_safe_tooltip
from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.widgets.labels import PlainLabel
from inspector.version import PROGRAM_NAME

_WIDTH = 560


class WelcomePage(QWidget):
    """The welcome page.

    Signals: `open_wanted` (path, "" for a dialog), `folder_wanted`, `stores_wanted`.
    """

    open_wanted = Signal(object)
    folder_wanted = Signal()
    stores_wanted = Signal()

    def __init__(self, document: Document, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._settings = document, settings
        self._picture = SafeLabel(parent=self)
        self.title = PlainLabel()
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setBold(True)
        self.title.setFont(font)
        self.sentence = PlainLabel(quiet=True)
        self._open = QPushButton(tr("Open a log…"), self)
        self._open.clicked.connect(lambda: self.open_wanted.emit(""))
        self._folder = QPushButton(tr("Open a folder…"), self)
        self._folder.clicked.connect(self.folder_wanted)
        self._stores = QPushButton(tr("Sessions on this machine"), self)
        self._stores.clicked.connect(self.stores_wanted)
        self._retry = QPushButton(tr("Try again"), self)
        self._retry.clicked.connect(document.reload)
        self._recent = QVBoxLayout()
        self._recent_buttons: list[QWidget] = []
        self._recent.setSpacing(0)
        self._recent_title = SafeLabel(tr("Recent logs"), self)
        self._lay_out()
        for signal in (document.state_changed, hiding.changed):
            signal.connect(self._on_state_changed)

    def refresh(self) -> None:
        """Show the recent logs, or why the log could not be opened."""
        notice = self._document.notice if self._document.phase == Phase.FAILED else None
        failed = notice is not None
        pair, icon = (theme.ERROR, "error") if failed else (theme.ACCENT, "app")
        self._picture.setPixmap(theme.pixmap(icon, pair.for_palette(self.palette()), 44))
        self._retry.setVisible(failed)
        if notice is not None:
            self.title.show_text(tr("This log could not be opened"))
            self.sentence.show_text(f"{notice.sentence}\n\n{hiding.display_path(self._document.path)}")
        else:
            self.title.show_text(PROGRAM_NAME)
            self.sentence.show_text(
                tr(
                    "Open the log of a session to see why the session is stuck, and to repair it. Drop a file "
                    "or folder anywhere in this window, or choose one. If you only have an error message, "
                    "paste it here. Nothing is changed until you save."
                )
            )
        for label in (self.title, self.sentence):
            # In a page of fixed width, Qt computes the height for a wider text.
            label.setMinimumHeight(label.heightForWidth(self._page.contentsRect().width()))
        self._show_recent()

    def minimumSizeHint(self) -> QSize:
        # A long list of recent logs must not enlarge the window.
        return QSize(_WIDTH, 200)

    def showEvent(self, event: QShowEvent) -> None:
        self.refresh()
        super().showEvent(event)

    def _on_state_changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _show_recent(self) -> None:
        for button in self._recent_buttons:
            self._recent.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._recent_buttons.clear()
        paths = self._settings.recent[:6]
        self._recent_title.setVisible(bool(paths))
        for path in paths:
            # A long path breaks after its slashes.
            folder = escape_caption(str(Path(hiding.display_path(path)).parent)).replace("/", "/\u200b")
            button = QCommandLinkButton(
                escape_caption(hiding.display_name(path)), "" if hiding.enabled else folder, self
            )
            set_safe_tooltip(button, hiding.display_path(path))
            # The style computes too little height for a text that wraps.
            button.setMinimumHeight(button.heightForWidth(_WIDTH) + button.fontMetrics().height())
            button.setIcon(theme.icon("session", self.palette(), theme.MUTED))
            button.clicked.connect(lambda _=False, path=path: self.open_wanted.emit(path))
            self._recent.addWidget(button)
            self._recent_buttons.append(button)

    def _lay_out(self) -> None:
        self._page = page = QWidget(self)
        page.setFixedWidth(_WIDTH)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 11, 0, 11)
        column.setSpacing(10)
        buttons = QHBoxLayout()
        for button in (self._retry, self._open, self._folder, self._stores):
            buttons.addWidget(button)
        buttons.addStretch()
        for widget in (self._picture, self.title, self.sentence):
            column.addWidget(widget)
        column.addSpacing(6)
        column.addLayout(buttons)
        column.addSpacing(14)
        self._recent_title.setEnabled(False)
        column.addWidget(self._recent_title)
        column.addLayout(self._recent)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addWidget(page, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
