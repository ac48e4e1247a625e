"""The window with what the agent will send when it resumes, from the log as it is or as the repair plans it."""

from array import array
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QEvent, QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QHBoxLayout,
    QPushButton,
    QRadioButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.core.model.views import RecordLocation
from inspector.core.repair.choices import Choices
from inspector.core.text import format_bytes
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.qt_helpers import fit_to_screen, show_beside, stack_vertically
from inspector.gui.common.safe_text import SafeLabel, decode_bytes, set_safe_tooltip, set_window_title
from inspector.gui.details.clipboard import CopyFormat
from inspector.gui.dialogs.export_dialog_base import SessionComboBox
from inspector.gui.models.resume_request_model import ResumeRequestModel
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import RowPainter, add_row_action, set_up_columns, set_up_list
from inspector.gui.widgets.scroll_areas import IconLine, IconLineList
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.packed_answers import OpenedLog, PackedResumeRequest
from inspector.gui.worker.requests import RESUME_REQUEST, RESUME_REQUEST_JSON, SAVE_RESUME_REQUEST

# A larger request can only be saved: copying it to the clipboard would block the window.
MAX_COPIED_BYTES = 16_000_000
RequestOptions: TypeAlias = tuple[Choices | None, str]
_BLOCKED_ICONS = {"refuses": ("error", theme.ERROR), "unknown": ("question", theme.WARNING)}


class ResumeRequestWindow(QWidget):
    """The window of the resume request.

    It requests its contents again when the log is read again, and when the repair that it shows is planned again.
    """

    def __init__(self, document: Document, prompts: DialogQuestions, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._document, self._questions = document, prompts
        self._asked: tuple[OpenedLog, RequestOptions] | None = None
        self._filled_from: OpenedLog | None = None
        self._book: PackedResumeRequest | None = None
        self._line: IconLine | None = self._waiting
        set_window_title(self, tr("What will be sent"))
        self.as_it_is = QRadioButton(tr("from the &unchanged log"), self)
        self.as_planned = QRadioButton(tr("from the log after the &planned repair"), self)
        self.as_it_is.setChecked(True)
        self.sessions = SessionComboBox(self)
        self.said = IconLineList(self.lines, tr("What the agent does on resume"), self, limit=200)
        self.only = QCheckBox(tr("Show &only blocks that are changed or not sent"), self)
        self.model = ResumeRequestModel(self)
        self.view = QTreeView(self)
        self.copy = QPushButton(tr(CopyFormat.JSON.value), self)
        self.save = QPushButton(tr("&Save as JSON…"), self)
        self.go = QPushButton(tr("&Go to the record"), self)
        self._set_up_view()
        self._lay_out()
        self._connect()
        self.setMinimumSize(720, 320)
        fit_to_screen(self, QSize(900, 560))
        self._show_answer(None)

    def open(self) -> None:
        """Show the window with the request of the current session."""
        log = self._document.log
        if log is not None:
            self._fill_sessions(log)
        if self._book is None:
            self._asked = None  # A request without an answer is repeated.
        show_beside(self)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.refresh()

    def options(self) -> RequestOptions:
        """Return the repair choices, None for the log as it is, and the session, "" if there is none."""
        repairs = self._document.repair.choices if self.as_planned.isChecked() else None
        return repairs, self.sessions.currentData() or ""

    @Slot()
    def refresh(self) -> None:
        """Request the contents, unless they are shown already."""
        log = self._document.whole_log
        if log is None and self._filled_from is not None:
            # What is shown may be content that is hidden by now.
            self._asked = self._filled_from = None
            self.sessions.fill(None, 0)
            self._show_answer(None)
            self._show_line(self._waiting)
        if not self.isVisible() or log is None:
            return
        if self._filled_from is not log:
            self._fill_sessions(log)
        is_known, options = self._offer_plan(), self.options()
        if is_known and self._asked is not None and self._asked[0] is log and self._asked[1] == options:
            return
        self._asked = (log, options) if is_known else None
        self._show_answer(None)
        self._show_line(self._waiting)
        if is_known:
            self._document.process.ask(RESUME_REQUEST, *options)

    def lines(self) -> list[IconLine]:
        """Return lines for what the agent does, how much it sends, and the result of the last button."""
        lines: list[IconLine] = []
        if self._book is not None:
            head = self._book.summary
            goes_on = ("warning", theme.WARNING) if "dropped" in self._book.counts else ("ok", theme.SUCCESS)
            lines.append((*_BLOCKED_ICONS.get(head.outcome, goes_on), head.sentence))
            lines.append(("session", theme.MUTED, self._figures(self._book)))
        return [*lines, self._line] if self._line else lines

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.said.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "said"):
            self.said.refresh()

    @property
    def _waiting(self) -> IconLine:
        return "pending", theme.INFO, tr("Building the request…")

    def _figures(self, book: PackedResumeRequest) -> str:
        head = book.summary
        if not head.messages:
            return tr("Nothing is sent.")
        marks = [
            tr(
                "{counts:,} {mark}",
                counts=book.counts[mark],
                mark=tr(ui_text.SENT_MARK_WORDS[mark]),
            )
            for mark in ui_text.SENT_MARK_WORDS
            if mark in book.counts
        ]
        messages = tr_plural("{number:,} message", "{number:,} messages", head.messages)
        sent = tr("{messages} for {provider}", messages=messages, provider=ui_text.profile_label(head.wire))
        return tr(
            "{sent} ({size}). Blocks: {marks}.",
            sent=sent,
            size=format_bytes(head.bytes),
            marks=", ".join(marks),
        )

    def _offer_plan(self) -> bool:
        """Update the choice of the planned repair; return False while the chosen repair is still being planned."""
        draft = self._document.repair
        planning = draft.planning or (draft.plan is None and draft.judged and not draft.failure)
        obstacle = draft.why_not_worth_writing
        self.as_planned.setEnabled(not obstacle)
        set_safe_tooltip(self.as_planned, obstacle)
        if not self.as_planned.isChecked():
            return True
        if obstacle and not planning:
            self.as_it_is.setChecked(True)
        return not planning

    def _fill_sessions(self, log: OpenedLog) -> None:
        self._filled_from = log
        self.sessions.fill(log, self._document.node)
        self._which.setVisible(self.sessions.count() > 1)

    @Slot(object)
    def _on_known(self, book: PackedResumeRequest) -> None:
        self._show_answer(book)
        self._show_line(None)

    def _show_answer(self, book: PackedResumeRequest | None) -> None:
        self._book = book
        changed_count = len(book.changed_positions) if book else 0
        self.only.setEnabled(changed_count > 0)
        tooltip = tr("Every block is sent unchanged.") if book and not changed_count else ""
        set_safe_tooltip(self.only, tooltip)
        self.save.setEnabled(book is not None)
        too_much = book is not None and book.summary.bytes > MAX_COPIED_BYTES
        self.copy.setEnabled(book is not None and not too_much)
        set_safe_tooltip(
            self.copy,
            tr("The request is too large for the clipboard. Save the request to a file instead.") if too_much else "",
        )
        self._show_rows()

    def _show_rows(self) -> None:
        log, book = self._document.log, self._book
        only = self.only.isChecked() and self.only.isEnabled()
        self.model.show(book, log.lines if log else array("q"), only)
        self.view.setRootIsDecorated(self.model.hasChildren(self.model.index(0, 0)))
        first = self.model.first_changed_row()
        self.view.setCurrentIndex(first)
        self.view.scrollTo(first, QTreeView.ScrollHint.PositionAtCenter)
        self._show_current()

    def _show_current(self) -> None:
        self.go.setEnabled(self._place() is not None)

    def _go(self) -> None:
        """Go to the block in the tree or, for a block that is not in the log, to its call."""
        place = self._place()
        if place is not None:
            self._document.navigator.go_to(place)

    def _place(self) -> RecordLocation | None:
        row = self.model.row(self.view.currentIndex())
        return (row.block.place or row.block.call) if row else None

    def _on_copy_clicked(self) -> None:
        self._document.process.ask(RESUME_REQUEST_JSON, *self.options())

    @Slot(object)
    def _on_json_come(self, data: bytearray) -> None:
        QGuiApplication.clipboard().setText(decode_bytes(data))
        self._show_line(("ok", theme.SUCCESS, tr("Copied as JSON.")))

    def _on_save_clicked(self) -> None:
        name = f"{Path(hiding.display_name(self._document.path)).stem}.sent.json"
        target = self._questions.target_of_copy(name, self._document.path, tr("Save what will be sent"))
        if target:
            self._document.process.ask(SAVE_RESUME_REQUEST, *self.options(), target)

    @Slot(object)
    def _on_saved(self, path: str) -> None:
        self._show_line(("ok", theme.SUCCESS, tr("Saved as JSON: {path}", path=hiding.display_path(path))))

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request in (RESUME_REQUEST, RESUME_REQUEST_JSON, SAVE_RESUME_REQUEST):
            self._show_line(("error", theme.ERROR, failure.sentence))

    def _show_line(self, line: IconLine | None) -> None:
        self._line = line
        self.said.refresh()

    def _connect(self) -> None:
        document, process = self._document, self._document.process
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        self.as_planned.toggled.connect(self.refresh)
        self.sessions.currentIndexChanged.connect(self.refresh)
        self.only.toggled.connect(self._show_rows)
        self.copy.clicked.connect(self._on_copy_clicked)
        self.save.clicked.connect(self._on_save_clicked)
        self.go.clicked.connect(self._go)
        self.view.selectionModel().currentChanged.connect(self._show_current)
        self.view.activated.connect(self._go)
        for button in (self.go, self.copy, self.save):
            add_row_action(self.view, button.text(), button.click)
        document.state_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)
        process.answer_signal(RESUME_REQUEST).connect(self._on_known)
        process.answer_signal(RESUME_REQUEST_JSON).connect(self._on_json_come)
        process.answer_signal(SAVE_RESUME_REQUEST).connect(self._on_saved)
        process.failed.connect(self._on_failed)

    def _set_up_view(self) -> None:
        set_up_list(self.view, self.model, tr("What will be sent"), 100)
        set_up_columns(self.view, self.model.TABLE.columns, RowPainter(self.font()))

    def _lay_out(self) -> None:
        source_row = QHBoxLayout()
        source_row.setSpacing(14)
        source_row.addWidget(SafeLabel(tr("What is sent"), self))
        source_row.addWidget(self.as_it_is)
        source_row.addWidget(self.as_planned)
        source_row.addStretch(1)
        self._which = self.sessions.make_row(tr("S&ession"), self)
        head = QVBoxLayout()
        head.setContentsMargins(14, 10, 14, 0)
        head.addLayout(source_row)
        head.addWidget(self._which)
        filters = QHBoxLayout()
        filters.setContentsMargins(14, 0, 14, 6)
        filters.addWidget(self.only)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        for button in (self.copy, self.save, self.go):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        buttons.setContentsMargins(10, 8, 10, 10)
        stack_vertically(self, head, self.said, filters, self.view, buttons, grows=self.view)
