"""The side panel: the details, the raw bytes and the repair of the current message, in three tabs.

The repair tab also shows the result of a save.
"""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextOption
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.core.presentation.engine_results import SaveResult
from inspector.core.text import format_bytes
from inspector.core.translation import tr
from inspector.gui.common import theme, ui_text
from inspector.gui.common.actions import WindowActions
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.qt_helpers import set_focus_in, stack_vertically
from inspector.gui.common.safe_text import TEXT_LIMIT, decode_bytes
from inspector.gui.common.settings import Settings
from inspector.gui.panels.details_panel import DetailsPanel
from inspector.gui.panels.repair_panel import RepairPanel
from inspector.gui.state.document import Document
from inspector.gui.state.record_reader import RECORD_GONE_SENTENCE
from inspector.gui.widgets.labels import EmptyState, IconLabel, PlainLabel
from inspector.gui.widgets.scroll_areas import ScrollAreaPage
from inspector.gui.widgets.text_views import PlainTextView

_MOST_LINES = 12
_LINE_CHARS = 30  # characters per line of the narrowest pane


class SidePanel(QTabWidget):
    """The side panel and its three tabs."""

    def __init__(
        self, document: Document, actions: WindowActions, settings: Settings, prompts: DialogQuestions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setAccessibleName(tr("Side panel"))
        self.details = DetailsPanel(document, self)
        self.raw = RawPanel(document, self)
        self.repair = RepairTab(document, actions, settings, prompts, self)
        self.addTab(self.details, tr("Details"))
        self.addTab(self.raw, tr("Raw"))
        self.addTab(self.repair, tr("Repair"))
        self._document, self._saved = document, document.saved
        document.state_changed.connect(self._on_state_changed)

    def show_tab(self, tab: QWidget) -> None:
        self.setCurrentWidget(tab)
        set_focus_in(tab, Qt.FocusReason.ShortcutFocusReason)

    def _on_state_changed(self) -> None:
        """Show the repair tab when a save has finished, wherever it was started."""
        saved, self._saved = self._saved, self._document.saved
        if self._saved is not None and self._saved is not saved:
            self.setCurrentWidget(self.repair)
            self.repair.saved.focus_next_step()


class RepairTab(QStackedWidget):
    """The repair, the page after a save, or a sentence when there is nothing to repair."""

    def __init__(
        self, document: Document, actions: WindowActions, settings: Settings, prompts: DialogQuestions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._nothing = EmptyState(self)
        self.panel = RepairPanel(document, actions, settings, prompts, self)
        self.saved = SavedPage(document, self)
        self._shown_saved: object = None
        for page in (self._nothing, self.panel, self.saved):
            self.addWidget(page)
        document.log_changed.connect(self.refresh)
        document.state_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the page for the current state."""
        document, draft = self._document, self._document.repair
        if document.saved is not None:
            if document.saved is not self._shown_saved:
                self._shown_saved = document.saved
                self.saved.show_saved(document.saved)
            self.setCurrentWidget(self.saved)
            return
        self._shown_saved = None
        log = document.log
        if log is None or not log.complete:
            self._nothing.show_text(
                "pending", theme.INFO, tr("The repair will be planned as soon as the whole log has been read.")
            )
        elif not draft.judged:
            self._nothing.show_text(
                "question", theme.WARNING, tr("No repair can be planned because this log could not be checked.")
            )
        else:
            self.setCurrentWidget(self.panel)
            return
        self.setCurrentWidget(self._nothing)


class SavedPage(QWidget):
    """The page shown after a save: what was written, warnings, the command to copy, and the next steps.

    Signals: `restore_wanted` (path of the backup), `copied` (the command).
    """

    restore_wanted = Signal(object)
    copied = Signal(object)

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._told = QScrollArea(self)
        self._told.setWidgetResizable(True)
        self._told.setFrameShape(QScrollArea.Shape.NoFrame)
        self._told.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._told.setAccessibleName(tr("Saved"))
        self._button_area = QWidget(self)
        self._column = stack_vertically(self, self._told, self._button_area, grows=self._told)

    def show_saved(self, saved: SaveResult) -> None:
        """Show the result of a save."""
        page = ScrollAreaPage()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 14, 14, 8)
        column.setSpacing(8)
        title = PlainLabel(tr(ui_text.SAVED_SENTENCES[saved.made]))
        font = title.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        title.setFont(font)
        head = QHBoxLayout()
        icon = IconLabel(parent=page)
        broken = saved.verdict == "broken"
        pair = theme.WARNING if broken else theme.SUCCESS
        icon.show_icon("warning" if broken else "ok", pair, 20)
        head.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(title, 1)
        column.addLayout(head)
        if saved.command:
            column.addLayout(self._command_row(saved.command))
        column.addWidget(PlainLabel(hiding.display_path(saved.path)))
        if saved.verdict:
            verdict = tr(ui_text.VERDICT_WORDS.get(saved.verdict, saved.verdict)).lower()
            column.addWidget(
                PlainLabel(tr("The saved log was read again and checked: {verdict}", verdict=verdict), quiet=True)
            )
        for warning in saved.warnings:
            column.addWidget(PlainLabel(tr("Note: {warning}", warning=warning)))
        for number, step in enumerate(saved.steps, 1):
            column.addWidget(PlainLabel(f"{number}.  {step}"))
        if saved.quarantine:
            aside = tr("The damaged bytes were saved to {path}", path=hiding.display_path(saved.quarantine))
            column.addWidget(PlainLabel(aside, quiet=True))
        column.addStretch()
        self._told.setWidget(page)
        # The buttons are below the scroll area, so they are always visible.
        self._button_area.setParent(None)
        self._button_area = QWidget(self)
        self._button_area.setLayout(self._buttons(saved))
        self._column.addWidget(self._button_area)

    def focus_next_step(self) -> None:
        """Focus the button for the next step: it copies the command if there is one."""
        self.findChildren(QPushButton)[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _command_row(self, command: str) -> QHBoxLayout:
        field = QPlainTextEdit(command)
        field.setReadOnly(True)
        field.setTabChangesFocus(True)
        field.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        field.setFont(theme.fixed_font())
        # The height fits the command: two lines for most, more for a snippet of Python.
        margins = field.height() - field.viewport().height() + 2 * int(field.document().documentMargin())
        lines = min(sum(1 + len(line) // _LINE_CHARS for line in command.split("\n")), _MOST_LINES)
        field.setFixedHeight(lines * field.fontMetrics().lineSpacing() + max(margins, 10))
        field.setAccessibleName(tr("Command that resumes the session"))
        copy = QPushButton(theme.icon("copy", self.palette()), tr("Copy"))
        copy.setObjectName("copy_command")
        copy.clicked.connect(lambda: self._copy(command, copy))
        row = QHBoxLayout()
        row.addWidget(field, 1)
        row.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _copy(self, command: str, button: QPushButton) -> None:
        """Copy a command, and show on the button that this was done."""
        QGuiApplication.clipboard().setText(command)
        button.setText(tr("Copied ✓"))
        button.setAccessibleName(tr("The command was copied"))
        self.copied.emit(command)

    def _buttons(self, saved: SaveResult) -> QGridLayout:
        """Lay out the buttons, two in a row: the narrowest pane has room for these."""
        buttons: list[QPushButton] = []
        if saved.is_log and Path(saved.path).absolute() != Path(self._document.path):
            open_saved = QPushButton(tr("Open the saved log"))
            open_saved.setObjectName("open_saved")
            open_saved.clicked.connect(lambda: self._document.open(saved.path))
            buttons.append(open_saved)
        show_folder = QPushButton(tr("Show in folder"))
        show_folder.setObjectName("show_in_folder")
        folder = QUrl.fromLocalFile(str(Path(saved.path).absolute().parent))
        show_folder.clicked.connect(lambda: QDesktopServices.openUrl(folder))
        buttons.append(show_folder)
        if saved.backup:
            restore = QPushButton(tr("Restore the backup…"))
            restore.setObjectName("restore")
            restore.clicked.connect(lambda: self.restore_wanted.emit(saved.backup))
            buttons.append(restore)
        back = QPushButton(tr("Back to the repair") if "repaired" in saved.made else tr("Back"))
        back.setObjectName("back")
        back.clicked.connect(self._document.dismiss_saved)
        grid = QGridLayout()
        grid.setContentsMargins(14, 0, 14, 8)
        for number, button in enumerate([*buttons, back]):
            grid.addWidget(button, *divmod(number, 2))
        grid.setColumnStretch(2, 1)
        return grid


class RawPanel(QWidget):
    """The tab with the exact bytes of the current record, its line and its offsets. A long record is shown in steps."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._limit = TEXT_LIMIT
        self._shown: tuple[object, int, int] = (None, -2, 0)
        self._place = PlainLabel(quiet=True)
        self._more = QPushButton(tr("Show more"), self)
        self._more.clicked.connect(self._on_more_clicked)
        self._text = PlainTextView(tr("Raw bytes"), fixed=True)
        head = QHBoxLayout()
        head.setContentsMargins(10, 8, 10, 6)
        head.addWidget(self._place, 1)
        head.addWidget(self._more)
        stack_vertically(self, head, self._text, grows=self._text)
        self._more.hide()
        document.place_changed.connect(self._on_place_changed)
        document.log_changed.connect(self._on_log_changed)

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._on_place_changed()

    def _on_place_changed(self) -> None:
        self._limit = TEXT_LIMIT
        if self.isVisible():
            self._refresh()

    def _on_log_changed(self) -> None:
        self._text.show_text("")  # also in a hidden tab
        self._shown = (None, -2, 0)
        self._on_place_changed()

    def _on_more_clicked(self) -> None:
        self._limit *= 4
        self._refresh()

    def _refresh(self) -> None:
        log, reader = self._document.log, self._document.reader
        record = log.record_of(self._document.node) if log else -1
        if (log, record, self._limit) == self._shown[0:3] and log is self._shown[0]:
            return
        self._shown = (log, record, self._limit)
        self._more.hide()
        if log is None or reader is None or record < 0:
            self._place.show_text("")
            self._text.show_text(tr("Select a message to see its bytes here."))
            return
        start, end = reader.span(record)
        number = log.number_of(self._document.node)
        line = tr(
            "{text} {number:,}", text=tr("Line") if log.is_numbered_by_line(record) else tr("Record"), number=number
        )
        attached = log.attached_log_of(record)
        if attached is not None:
            line = f"{hiding.display_name(attached.path)} · {line}"
        self._place.show_text(
            tr(
                "{line} · bytes {start:,}–{end:,} · {size}",
                line=line,
                start=start,
                end=end,
                size=format_bytes(end - start),
            )
        )
        raw = reader.visible_bytes(record, self._limit)
        if raw is None:
            self._text.show_text(tr(RECORD_GONE_SENTENCE))
            return
        self._text.show_text(decode_bytes(raw))
        self._more.setVisible(end - start > self._limit)
