"""The verdict above the tree: what is wrong with the session, in a sentence."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.core.presentation.engine_results import SessionSummary
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.safe_text import SafeLabel
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.widgets.scroll_areas import AutoHeightPage, AutoHeightScrollArea

_MAX_HEIGHT = 160


class VerdictPanel(AutoHeightScrollArea):
    """The verdict of the current session, its recorded error, and what the agent does on resume.

    When no session was judged, a chooser offers other formats to read the log as.
    """

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent, _MAX_HEIGHT)
        self._document = document
        self._icon = SafeLabel(parent=self)
        self._icon.setFixedWidth(26)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._sentence = PlainLabel()
        font = self._sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setBold(True)
        self._sentence.setFont(font)
        self._sentence.setAccessibleName(tr("Verdict"))
        self._error = PlainLabel()
        self._error.setFont(theme.fixed_font(1))
        self._resume = PlainLabel(quiet=True)
        self._facts = PlainLabel(quiet=True)
        self._chooser = QWidget(self)
        self._formats = QComboBox(self._chooser)
        self._formats.setAccessibleName(tr("Format"))
        read = QPushButton(tr("Read"), self._chooser)
        read.clicked.connect(self._on_read_clicked)
        self._lay_out(read)
        document.log_changed.connect(self.refresh)
        document.place_changed.connect(self.refresh)
        document.state_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the verdict of the current session."""
        log = self._document.log
        sessions = log.overview.sessions if log else ()
        number = max(log.session_of(self._document.node), 0) if log else 0
        session = sessions[number] if number < len(sessions) else None
        is_read = log is not None and log.complete
        judged = any(session.verdict not in ("not-judged", "unreadable") for session in sessions)
        choices = log.overview.formats_to_choose if log and is_read and not judged else ()
        self._chooser.setVisible(bool(choices))
        if choices and self._formats.count() != len(choices):
            self._formats.clear()
            for name, label in choices:
                self._formats.addItem(label, name)
        if not is_read or session is None:
            self._show_reading()
        else:
            self._show_session(session, len(sessions))
        self.adjust_height()

    def _show_reading(self) -> None:
        reading = self._document.phase == Phase.LOADING
        self._set_icon("pending" if reading else "question", theme.INFO if reading else theme.WARNING)
        self._sentence.show_text(tr("Reading the log…") if reading else tr(ui_text.LOG_READ_PARTLY))
        for label in (self._error, self._resume, self._facts):
            label.setVisible(False)

    def _show_session(self, session: SessionSummary, sessions: int) -> None:
        pair = theme.VERDICT_COLOURS.get(session.verdict, theme.MUTED)
        self._set_icon(ui_text.VERDICT_ICONS.get(session.verdict, "info"), pair)
        verdict = tr(ui_text.VERDICT_WORDS.get(session.verdict, session.verdict))
        says_it = session.sentence.lower().startswith(verdict.lower())
        self._sentence.show_text(session.sentence if says_it else f"{verdict}: {session.sentence}".rstrip(": "))
        self._error.setVisible(bool(session.recorded_error))
        calm = session.verdict in ("healthy", "waiting")
        when = (
            tr("Error recorded before the repair: {error}") if session.error_is_past else tr("Recorded error: {error}")
        )
        self._error.show_text(tr(when, error=session.recorded_error), theme.MUTED if calm else theme.ERROR)
        resume = session.on_resume
        if resume in session.sentence:
            resume = ""
        if session.memory is not None and not session.memory.matches_log:
            resume = f"{resume} {session.memory.sentence}".strip()
        if session.context:
            advice = tr("To shorten it, use Trim in the File menu (Ctrl+T), and choose Fit a model.")
            resume = " ".join([*session.context, advice])
        self._resume.setVisible(bool(resume))
        self._resume.show_text(resume)
        facts = [
            session.title if sessions > 1 else "",
            session.agent,
            tr_plural("{number:,} message", "{number:,} messages", session.messages),
            tr_plural("{number:,} call", "{number:,} calls", session.calls),
            tr_plural("{number:,} result", "{number:,} results", session.results),
        ]
        self._facts.setVisible(True)
        self._facts.show_text(" · ".join(fact for fact in facts if fact))

    def _set_icon(self, name: str, pair: theme.ColourPair) -> None:
        self._icon.setPixmap(theme.pixmap(name, pair.for_palette(self.palette()), 20))

    def _on_read_clicked(self) -> None:
        self._document.open(self._document.path, self._formats.currentData())

    def _lay_out(self, read: QPushButton) -> None:
        choose = QHBoxLayout(self._chooser)
        choose.setContentsMargins(0, 4, 0, 0)
        for part in (SafeLabel(tr("Read the log as:"), self._chooser), self._formats, read):
            choose.addWidget(part)
        choose.addStretch()
        column = QVBoxLayout()
        column.setSpacing(3)
        for widget in (self._sentence, self._error, self._resume, self._facts, self._chooser):
            column.addWidget(widget)
        page = AutoHeightPage()
        row = QHBoxLayout(page)
        row.setContentsMargins(14, 10, 14, 10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        self._chooser.hide()
        self.setWidget(page)
