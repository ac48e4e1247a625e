"""What the agent will send when it resumes, of the log as it is and as planned, in a window beside the main one."""

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

from inspector.core.index.place import RecordLocation
from inspector.core.repair.choices import Choices
from inspector.core.showing.sizes import format_bytes
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.answers.sent_book import SentBook
from inspector.gui.basics import theme, words
from inspector.gui.basics.gate import Label, set_tip, set_title
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.basics.plain_text import decode
from inspector.gui.basics.screen import fit
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.details.copying import Copy
from inspector.gui.document.document import Document
from inspector.gui.models.sent_model import SentModel
from inspector.gui.panels.icon_lines import IconLines, Line
from inspector.gui.panels.list_view import offer, set_up_columns, set_up_list
from inspector.gui.panels.questions import Questions
from inspector.gui.panels.session_box import SessionBox
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import SAVE_SENT, SENT, SENT_AS_JSON

# More than this is saved rather than put into the clipboard, which would hold the window up.
MOST_COPIED = 16_000_000
Wish: TypeAlias = tuple[Choices | None, str]
_STOPS = {"refuses": ("error", theme.ERROR), "unknown": ("question", theme.WARNING)}


class SentWindow(QWidget):
    """Asks again when the log is read again, and when the repair is planned anew that it tells of."""

    def __init__(self, document: Document, questions: Questions, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._document, self._questions = document, questions
        self._asked: tuple[OpenedLog, Wish] | None = None
        self._filled_from: OpenedLog | None = None
        self._book: SentBook | None = None
        self._line: Line | None = self._waiting
        set_title(self, self.tr("What will be sent"))
        self.as_it_is = QRadioButton(self.tr("of the log as it &is"), self)
        self.as_planned = QRadioButton(self.tr("of the log as the Repair tab &plans it"), self)
        self.as_it_is.setChecked(True)
        self.sessions = SessionBox(self)
        self.said = IconLines(self.lines, self.tr("What the agent does on resume"), self, limit=200)
        self.only = QCheckBox(self.tr("Show &only what does not go out as the log holds it"), self)
        self.model = SentModel(self)
        self.view = QTreeView(self)
        self.copy = QPushButton(words.tr(Copy.JSON.value), self)
        self.save = QPushButton(self.tr("&Save as JSON…"), self)
        self.go = QPushButton(self.tr("&Go to the record"), self)
        self._set_up_view()
        self._lay_out()
        self._connect()
        self.setMinimumSize(720, 320)
        fit(self, QSize(900, 560))
        self._show_answer(None)

    def open(self) -> None:
        """Show the window with what is sent of the session that is current."""
        log = self._document.log
        if log is not None:
            self._fill_sessions(log)
        if self._book is None:
            self._asked = None  # What came to nothing is asked again.
        self.show()
        self.raise_()
        self.activateWindow()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.refresh()

    def options(self) -> Wish:
        """What is asked: of which repair, of which session."""
        repairs = self._document.repair.choices if self.as_planned.isChecked() else None
        return repairs, self.sessions.currentData() or ""

    @Slot()
    def refresh(self) -> None:
        """Ask unless what is shown is the answer already."""
        log = self._document.whole_log
        if not self.isVisible() or log is None:
            return
        if self._filled_from is not log:
            self._fill_sessions(log)
        is_known, wish = self._offer_plan(), self.options()
        if is_known and self._asked is not None and self._asked[0] is log and self._asked[1] == wish:
            return
        self._asked = (log, wish) if is_known else None
        self._show_answer(None)
        self._show_line(self._waiting)
        if is_known:
            self._document.process.ask(SENT, *wish)

    def lines(self) -> list[Line]:
        """What the agent does, how much it sends, and what came of a button."""
        lines: list[Line] = []
        if self._book is not None:
            head = self._book.summary
            goes_on = ("warning", theme.WARNING) if "dropped" in self._book.counts else ("ok", theme.GOOD)
            lines.append((*_STOPS.get(head.outcome, goes_on), head.sentence))
            lines.append(("session", theme.MUTED, self._figures(self._book)))
        return [*lines, self._line] if self._line else lines

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.said.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange and hasattr(self, "said"):
            self.said.refresh()

    @property
    def _waiting(self) -> Line:
        return "pending", theme.INFO, self.tr("Working out what is sent…")

    def _figures(self, book: SentBook) -> str:
        head = book.summary
        if not head.messages:
            return self.tr("Nothing is sent.")
        marks = [f"{book.counts[mark]:,} {words.tr(words.SENT[mark])}" for mark in words.SENT if mark in book.counts]
        sent = f"{words.counted(head.messages, 'message', 'messages')} {self.tr('for')} {words.profile(head.wire)}"
        return f"{sent} ({format_bytes(head.bytes)}). {self.tr('Blocks:')} {', '.join(marks)}."

    def _offer_plan(self) -> bool:
        """Whether it is known what is to be asked: while the repair that is meant is being planned it is not."""
        draft = self._document.repair
        planning = draft.planning or (draft.plan is None and draft.judged and not draft.failure)
        obstacle = draft.why_not_worth_writing
        self.as_planned.setEnabled(not obstacle)
        set_tip(self.as_planned, obstacle)
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
    def _on_known(self, book: SentBook) -> None:
        self._show_answer(book)
        self._show_line(None)

    def _show_answer(self, book: SentBook | None) -> None:
        self._book = book
        others = len(book.changed_positions) if book else 0
        self.only.setEnabled(others > 0)
        everything = self.tr("Every block goes out as the log holds it.") if book and not others else ""
        set_tip(self.only, everything)
        self.save.setEnabled(book is not None)
        too_much = book is not None and book.summary.bytes > MOST_COPIED
        self.copy.setEnabled(book is not None and not too_much)
        set_tip(self.copy, self.tr("This is too much for the clipboard: save it.") if too_much else "")
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
        """To the block in the tree; of what is not in the log, to its call."""
        place = self._place()
        if place is not None:
            self._document.navigator.go_to(place)

    def _place(self) -> RecordLocation | None:
        row = self.model.row(self.view.currentIndex())
        return (row.block.place or row.block.call) if row else None

    def _on_copy_clicked(self) -> None:
        self._document.process.ask(SENT_AS_JSON, *self.options())

    @Slot(object)
    def _on_json_come(self, data: bytearray) -> None:
        QGuiApplication.clipboard().setText(decode(data))
        self._show_line(("ok", theme.GOOD, self.tr("It is in the clipboard, as JSON.")))

    def _on_save_clicked(self) -> None:
        name = f"{Path(hiding.display_name(self._document.path)).stem}.sent.json"
        # In the person's folder: never beside the original, where an agent would list it.
        target = self._questions.target_of_copy(str(Path.home() / name), self.tr("Save what will be sent"))
        if target:
            self._document.process.ask(SAVE_SENT, *self.options(), target)

    @Slot(object)
    def _on_saved(self, path: str) -> None:
        self._show_line(("ok", theme.GOOD, f"{self.tr('It is saved, as JSON:')} {hiding.display_path(path)}"))

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        if failure.request in (SENT, SENT_AS_JSON, SAVE_SENT):
            self._show_line(("error", theme.ERROR, failure.sentence))

    def _show_line(self, line: Line | None) -> None:
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
            offer(self.view, button.text(), button.click)
        document.state_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)
        process.answer_signal(SENT).connect(self._on_known)
        process.answer_signal(SENT_AS_JSON).connect(self._on_json_come)
        process.answer_signal(SAVE_SENT).connect(self._on_saved)
        process.failed.connect(self._on_failed)

    def _set_up_view(self) -> None:
        set_up_list(self.view, self.model, self.tr("What will be sent"), 100)
        set_up_columns(self.view, self.model.TABLE.columns, RowPainter(self.font()))

    def _lay_out(self) -> None:
        what = QHBoxLayout()
        what.setSpacing(14)
        what.addWidget(Label(self.tr("What is sent"), self))
        what.addWidget(self.as_it_is)
        what.addWidget(self.as_planned)
        what.addStretch(1)
        self._which = self.sessions.make_row(self.tr("S&ession"), self)
        head = QVBoxLayout()
        head.setContentsMargins(14, 10, 14, 0)
        head.addLayout(what)
        head.addWidget(self._which)
        filters = QHBoxLayout()
        filters.setContentsMargins(14, 0, 14, 6)
        filters.addWidget(self.only)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        for button in (self.copy, self.save, self.go):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        buttons.setContentsMargins(10, 8, 10, 10)
        in_a_column(self, head, self.said, filters, self.view, buttons, grows=self.view)
