"""The window that shows which providers would accept the session, and what the others would answer."""

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialogButtonBox, QPushButton, QSplitter, QTreeView, QVBoxLayout, QWidget

from inspector.core.presentation.engine_results import Acceptance
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import ui_text
from inspector.gui.common.qt_helpers import fit_to_screen, show_beside
from inspector.gui.common.safe_text import set_window_title
from inspector.gui.dialogs.export_dialog_base import SessionComboBox
from inspector.gui.models.base import TableModel
from inspector.gui.models.list_columns import ACCEPTANCE_TABLE
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import add_row_action, set_up_table
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.widgets.text_views import PlainTextView
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import CHECK_ACCEPTANCE


class AcceptanceWindow(QWidget):
    """The window of all providers. It requests the answers again when the log is read again.

    Signals: `repair_wanted` (a profile), `page_wanted` (a rule).
    """

    repair_wanted = Signal(str)
    page_wanted = Signal(str)

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._document = document
        self._answers: list[dict[str, Acceptance]] = []
        set_window_title(self, tr("Which providers accept this session?"))
        self.state = PlainLabel()
        self.sessions = SessionComboBox(self)
        self.sessions.currentIndexChanged.connect(self._show_session)
        self.model = TableModel(ACCEPTANCE_TABLE, self)
        self.view = QTreeView(self)
        self.words = PlainTextView(tr("How the provider would respond"), parent=self)
        self.repair = QPushButton(tr("&Repair for this provider"), self)
        self.repair.clicked.connect(self._on_repair_clicked)
        self.help = QPushButton(tr("&What is this?"), self)
        self.help.clicked.connect(self._on_help_clicked)
        set_up_table(self.view, self.model, tr("How each provider would respond"), 100, self._go)
        for button in (self.repair, self.help):
            add_row_action(self.view, button.text(), button.click)
        self.view.selectionModel().currentChanged.connect(self._show_answer)
        self._lay_out()
        fit_to_screen(self, QSize(760, 480))
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        document.state_changed.connect(self._on_document_state_changed)
        document.process.answer_signal(CHECK_ACCEPTANCE).connect(self._on_acceptances_known)
        document.process.failed.connect(self._on_failed)
        self._requested_log: object = None

    def open(self) -> None:
        """Request the answers of all providers, and show the window."""
        self._ask()
        show_beside(self)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask(self) -> None:
        self._requested_log = self._document.log
        self._answers = []
        self.sessions.clear()
        self._show_session()
        self.state.show_text(tr("Checking against every provider…"))
        self._document.process.ask(CHECK_ACCEPTANCE)

    def _on_document_state_changed(self) -> None:
        """Request the answers again if the log has changed."""
        log = self._document.whole_log
        if log is None and self._requested_log is not None:
            # What is shown may be content that is hidden by now.
            self._requested_log, self._answers = None, []
            self.sessions.fill(None, 0)
            self._show_session()
            self.state.show_text(tr(ui_text.LOG_NOT_READ_YET))
        if self.isVisible() and log is not None and log is not self._requested_log:
            self._ask()

    @Slot(object)
    def _on_acceptances_known(self, answers: list[dict[str, Acceptance]]) -> None:
        self._answers = answers
        self.sessions.fill(self._document.log, self._document.node, len(answers))
        self._which.setVisible(len(answers) > 1)
        self._show_session()

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is CHECK_ACCEPTANCE or (failure.died and self.isVisible() and not self._answers):
            self.state.show_text(failure.sentence)

    def _show_session(self) -> None:
        session = self.sessions.currentIndex()
        answers = self._answers[session] if 0 <= session < len(self._answers) else {}
        self.model.show(list(answers.items()))
        accepting = sum(answer.accepts is True for answer in answers.values())
        refusing = sum(answer.accepts is False for answer in answers.values())
        if answers:
            self.state.show_text(
                tr(
                    "{accepting} of {providers} would accept the unrepaired session, and {refusing} would reject it.",
                    accepting=accepting,
                    providers=tr_plural("{number:,} provider", "{number:,} providers", len(answers)),
                    refusing=refusing,
                )
            )
        log = self._document.log
        own_profile = log.overview.sessions[session].profile if answers and log else ""
        if answers:
            index = self.model.find(lambda row: row[0] == own_profile)
            self.view.setCurrentIndex(index if index.isValid() else self.model.index(0, 0))
        self._show_answer()

    def _show_answer(self) -> None:
        row = self.model.row(self.view.currentIndex())
        answer = row[1] if row else None
        refused = answer is not None and answer.accepts is False
        lines: list[str] = []
        headings: list[int] = []
        if answer is not None and refused:
            for title, text in ((tr("Why"), answer.message), (tr("Provider's answer"), answer.error)):
                if text:
                    headings.append(len(lines))
                    lines += [title, *text.splitlines(), ""]
        elif answer is not None and answer.accepts is None:
            lines = [tr("No problems were found, but not all of this provider's rules were checked.")]
        elif answer is not None:
            lines = [tr("According to the checks, the provider would accept the session.")]
        self.words.show_text("\n".join(lines).rstrip(), headings)
        self.repair.setEnabled(refused)
        self.help.setEnabled(refused)

    def _go(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None and row[1].place is not None:
            self._document.navigator.go_to(row[1].place, rule=row[1].rule)

    def _on_repair_clicked(self) -> None:
        row = self.model.row(self.view.currentIndex())
        if row is not None:
            self.repair_wanted.emit(row[0])

    def _on_help_clicked(self) -> None:
        row = self.model.row(self.view.currentIndex())
        if row is not None:
            self.page_wanted.emit(row[1].rule)

    def _lay_out(self) -> None:
        self._which = self.sessions.make_row(tr("&Session"), self)
        head = QVBoxLayout()
        head.setContentsMargins(14, 10, 14, 10)
        head.addWidget(self.state)
        head.addWidget(self._which)
        halves = QSplitter(Qt.Orientation.Vertical, self)
        halves.setHandleWidth(1)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.view)
        halves.addWidget(self.words)
        halves.setSizes([270, 140])
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.addButton(self.repair, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.help, QDialogButtonBox.ButtonRole.HelpRole)
        buttons.rejected.connect(self.close)
        buttons.setContentsMargins(10, 2, 10, 10)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(head)
        column.addWidget(halves, 1)
        column.addWidget(buttons)
