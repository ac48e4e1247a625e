"""The page shown when no log is open, or when a log could not be opened."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCommandLinkButton,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.core.translation import tr
from inspector.gui.common import theme, ui_text
from inspector.gui.common.actions import Action, WindowActions
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import escape_caption, set_safe_tooltip, to_one_line
from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.state.recent_log_verdicts import RecentLogVerdicts
from inspector.gui.widgets.labels import IconLabel, PlainLabel
from inspector.resource_folder import resources_folder
from inspector.version import PROGRAM_NAME

_WIDTH = 560
_MAX_RECENT = 5
_MAX_TITLE = 70
_SAMPLE = "claude-code-broken.jsonl"
# Reading the recent logs starts a process, so it waits until the window is drawn.
_READ_RECENT_AFTER_MS = 300


class PastedErrorField(QPlainTextEdit):
    """A field for an error message. Signal: `given` (QMimeData), as soon as something is pasted, or after Enter."""

    given = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("error_field")
        self.setPlaceholderText(tr("Paste an error message here to find its cause (Ctrl+V)"))
        self.setAccessibleName(tr("Error message"))
        self.setTabChangesFocus(True)
        # What is dropped is for the whole window.
        self.setAcceptDrops(False)
        self.setFixedHeight(2 * self.fontMetrics().lineSpacing() + 16)

    def submit(self) -> None:
        """Hand on the text, if there is any."""
        data = QMimeData()
        data.setText(self.toPlainText())
        if data.text().strip():
            self.given.emit(data)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.clear()
        if not source.hasUrls():
            super().insertFromMimeData(source)
        self.given.emit(source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.submit()
        else:
            super().keyPressEvent(event)


class WelcomePage(QWidget):
    """The welcome page.

    Signals: `open_wanted` (path, "" for a dialog), `folder_wanted`, `stores_wanted`, `sample_wanted` (path),
    `error_given` (QMimeData).
    """

    open_wanted = Signal(object)
    folder_wanted = Signal()
    stores_wanted = Signal()
    sample_wanted = Signal(str)
    error_given = Signal(object)

    def __init__(
        self, document: Document, settings: Settings, logs: RecentLogVerdicts, actions: WindowActions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._document, self._settings, self._logs, self._actions = document, settings, logs, actions
        self._picture = IconLabel(parent=self)
        self.title = PlainLabel()
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setBold(True)
        self.title.setFont(font)
        self.sentence = PlainLabel(quiet=True)
        self.error = PastedErrorField(self)
        self.error.given.connect(self.error_given)
        self._find = QPushButton(tr("Find the cause"), self)
        self._find.clicked.connect(self.error.submit)
        self._open = self._button(tr("Open a log…"), Action.OPEN)
        self._open.clicked.connect(lambda: self.open_wanted.emit(""))
        self._folder = self._button(tr("Open a folder…"), Action.OPEN_FOLDER)
        self._folder.clicked.connect(self.folder_wanted)
        self._stores = self._button(tr("Sessions on this machine"), Action.SHOW_STORES)
        self._stores.clicked.connect(self.stores_wanted)
        self._sample = QPushButton(tr("Try a sample"), self)
        set_safe_tooltip(self._sample, tr("Open a broken session that comes with the program"))
        self._sample.clicked.connect(lambda: self.sample_wanted.emit(str(resources_folder() / "samples" / _SAMPLE)))
        self._retry = QPushButton(tr("Try again"), self)
        self._retry.clicked.connect(document.reload)
        self._recent = QVBoxLayout()
        self._recent_buttons: dict[str, QCommandLinkButton] = {}
        self._reading = QTimer(self, singleShot=True, interval=_READ_RECENT_AFTER_MS)
        self._reading.timeout.connect(lambda: logs.read(list(self._recent_buttons)))
        logs.changed.connect(self._describe_recent)
        self._recent.setSpacing(0)
        self._recent_title = PlainLabel(tr("Recent logs"), quiet=True, parent=self)
        self._lay_out()
        for signal in (document.state_changed, hiding.changed):
            signal.connect(self._on_state_changed)

    def refresh(self) -> None:
        """Show the recent logs, or why the log could not be opened."""
        notice = self._document.notice if self._document.phase == Phase.FAILED else None
        failed = notice is not None
        pair, icon = (theme.ERROR, "error") if failed else (theme.ACCENT, "app")
        self._picture.show_icon(icon, pair, 44)
        self._retry.setVisible(failed)
        if notice is not None:
            self.title.show_text(tr("This log could not be opened"))
            self.sentence.show_text(f"{notice.sentence}\n\n{hiding.display_path(self._document.path)}")
        else:
            self.title.show_text(PROGRAM_NAME)
            self.sentence.show_text(
                tr(
                    "See why an agent session is stuck, and repair it. Drop a log or a folder anywhere in this "
                    "window, choose one, or paste the error message. Nothing is changed until you save."
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
        self.error.clear()
        self.refresh()
        self._reading.start()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._reading.stop()
        self._logs.stop()
        super().hideEvent(event)

    def _on_state_changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _button(self, text: str, action: Action) -> QPushButton:
        keys = self._actions.shortcut_text(action)
        return QPushButton(tr("{text} ({keys})", text=text, keys=keys), self)

    def _show_recent(self) -> None:
        for button in self._recent_buttons.values():
            self._recent.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._recent_buttons.clear()
        paths = self._settings.recent[:_MAX_RECENT]
        self._recent_title.setVisible(bool(paths))
        for path in paths:
            button = QCommandLinkButton(self)
            set_safe_tooltip(button, hiding.display_path(path))
            button.clicked.connect(lambda _=False, path=path: self.open_wanted.emit(path))
            self._recent.addWidget(button)
            self._recent_buttons[path] = button
        self._describe_recent()

    def _describe_recent(self) -> None:
        """Show the names of the recent logs, and the titles and verdicts that are known by now."""
        for path, button in self._recent_buttons.items():
            name, folder = hiding.display_name(path), str(Path(hiding.display_path(path)).parent)
            known = self._logs.verdict(path)
            icon, colours = "session", theme.MUTED
            title, facts = name, [] if hiding.enabled else [folder]
            if known is not None:
                log, judged = known
                icon, colours = ui_text.VERDICT_ICONS[judged.verdict], theme.VERDICT_COLOURS[judged.verdict]
                title = to_one_line(log.title, _MAX_TITLE) or name
                facts = [tr(ui_text.VERDICT_WORDS[judged.verdict]), log.agent, *facts]
            button.setText(escape_caption(title))
            # A long path breaks after its slashes.
            button.setDescription(escape_caption(" · ".join(filter(None, facts))).replace("/", "/\u200b"))
            button.setIcon(theme.icon(icon, self.palette(), colours))
            # The style gives a text that wraps less width than it computes the height for.
            button.setMinimumHeight(button.heightForWidth(_WIDTH - 60))

    def _lay_out(self) -> None:
        self._page = page = QWidget(self)
        page.setFixedWidth(_WIDTH)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 11, 0, 11)
        column.setSpacing(10)
        error = QHBoxLayout()
        error.addWidget(self.error, 1)
        error.addWidget(self._find)
        buttons = QGridLayout()
        buttons.setSpacing(8)
        for place, button in enumerate((self._open, self._folder, self._stores, self._sample)):
            buttons.addWidget(button, place // 2, place % 2)
        for widget in (self._picture, self.title, self.sentence):
            column.addWidget(widget)
        column.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(6)
        column.addLayout(error)
        column.addLayout(buttons)
        column.addSpacing(14)
        column.addWidget(self._recent_title)
        column.addLayout(self._recent)
        # Where there is too little room, below the answer to a pasted error, the page is scrolled.
        middle, scroll = QWidget(self), QScrollArea(self)
        layout = QVBoxLayout(middle)
        layout.addStretch(2)
        layout.addWidget(page, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        scroll.setWidget(middle)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        stack_vertically(self, scroll)
