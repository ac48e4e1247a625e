"""The verdict above the tree: what happens on resume, the likely cause, and a button for the next step."""

import textwrap
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from inspector.core.presentation.engine_results import SaveResult, SessionSummary
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.actions import Action, WindowActions
from inspector.gui.common.safe_text import SafeLabel, set_safe_tooltip, to_one_line
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.widgets.labels import IconLabel, PlainLabel
from inspector.gui.widgets.scroll_areas import AutoHeightScrollArea, ScrollAreaPage

_MAX_HEIGHT = 160
# Pixels of room below which the panel is brief, also beside the repair, which has the rest to show.
_BRIEF_BELOW, _BRIEF_BESIDE_REPAIR_BELOW = 120, 200
_ERROR_CHARS = 80  # of a recorded error, while the details are folded
_BUTTON_CHARS = 38  # per line of the button in a wide window
_WIDE = 900
_BUTTON_FRAME = 14
_SPACING = 3


class NextStep(NamedTuple):
    """What the button does: its label, what a click does, and a tooltip. It copies `command` if there is one.

    With `shows_repair`, it leads to the Repair tab.
    """

    label: str
    do: Callable[[], object] | None = None
    tip: str = ""
    command: str = ""
    shows_repair: bool = False


class VerdictPanel(AutoHeightScrollArea):
    """The verdict of the current session, its likely cause and advice, and the button for the next step.

    The rest is folded: remarks, the whole recorded error, what the agent does on resume, and counts. After a save, the
    panel shows the saved log instead. When no session was judged, a chooser offers other formats to read the log as.
    Where there is little room, only the headline and the button are shown until the rest is unfolded.

    Signals: `preview_wanted` (the person wants to see the repair and save it).
    """

    preview_wanted = Signal()

    def __init__(self, document: Document, actions: WindowActions, parent: QWidget) -> None:
        super().__init__(parent, _MAX_HEIGHT)
        self._document, self._actions = document, actions
        self._icon = IconLabel(parent=self)
        self._icon.setFixedWidth(26)
        self._icon.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._sentence = PlainLabel()
        font = self._sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setBold(True)
        self._sentence.setFont(font)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._problems, self._cause = PlainLabel(), PlainLabel(quiet=True)
        self._sentence.announce_changes(tr("Verdict"))
        self._error = PlainLabel()
        self._error.setFont(theme.fixed_font(1))
        self._rest = PlainLabel(quiet=True)
        self._cause_url = ""
        self._pair = theme.INFO
        self.known_issue = QPushButton(tr("Known issue"), self)
        self.known_issue.setFlat(True)
        self.known_issue.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._cause_url)))
        self.more = QToolButton(self)
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.toggled.connect(self.refresh)
        self.primary = QPushButton(self)
        self.primary.setObjectName("next_step")
        theme.mark_primary(self.primary)
        self.primary.clicked.connect(self._on_primary_clicked)
        self._step = NextStep("")
        self._copied = ""
        self._room, self._is_beside_repair = _MAX_HEIGHT, False
        self._chooser = QWidget(self)
        self._formats = QComboBox(self._chooser)
        self._formats.setAccessibleName(tr("Format"))
        read = QPushButton(tr("Read"), self._chooser)
        read.clicked.connect(self._on_read_clicked)
        self._lay_out(read)
        document.log_changed.connect(self.refresh)
        document.place_changed.connect(self.refresh)
        document.state_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)

    def set_limit(self, limit: int) -> None:
        was_brief, self._room = self._is_brief, limit
        self._apply_limit()
        if self._is_brief != was_brief:
            self.refresh()

    def set_beside_repair(self, is_shown: bool) -> None:
        """Leave room for the repair while its tab is shown."""
        self._is_beside_repair = is_shown
        self._apply_limit()
        self.refresh()

    def _apply_limit(self) -> None:
        # The headline and the button are always shown whole.
        super().set_limit(_MAX_HEIGHT if self._is_brief else self._room)

    def height_up_to(self, limit: int) -> int:
        """Return the height of the lines that are shown whole, so that none is cut in half."""
        ends = (
            end
            for text in (self._sentence, self._problems, self._cause, self._error, self._rest)
            if not text.isHidden()
            for end in range(text.y(), text.y() + text.height() + 1, text.fontMetrics().lineSpacing())
        )
        return max((end for end in ends if end <= limit), default=limit)

    @property
    def _is_brief(self) -> bool:
        """Whether there is room only for the headline and the button."""
        return self._room < (_BRIEF_BESIDE_REPAIR_BELOW if self._is_beside_repair else _BRIEF_BELOW)

    def refresh(self) -> None:
        """Show the verdict of the current session, or what was saved."""
        log, saved = self._document.log, self._document.saved
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
        for part in (self._problems, self._cause, self.known_issue, self.more, self._error, self._rest):
            part.hide()
        self._sentence.setMinimumHeight(0)
        if not is_read or session is None:
            self._show_reading()
        elif saved is not None:
            self._show_saved(saved)
        else:
            self._show_session(session, len(sessions))
        self.adjust_height()

    def _show_reading(self) -> None:
        reading = self._document.phase == Phase.LOADING
        self._set_icon("pending" if reading else "question", theme.INFO if reading else theme.WARNING)
        self._say(tr("Reading the log…") if reading else tr(ui_text.LOG_READ_PARTLY))
        self._offer(None)
        if reading and not self._is_brief:
            # The verdict that comes hardly moves the tree: it has the room of a headline, a line and two of advice.
            texts = self._sentence, self._problems, self._cause, self._cause
            height = sum(text.fontMetrics().lineSpacing() for text in texts) + 2 * _SPACING
            self._sentence.setMinimumHeight(height)

    def _show_saved(self, saved: SaveResult) -> None:
        """Show that the repair was saved. The verdict on the log as it was would read as if nothing had happened."""
        broken = saved.verdict == "broken"
        self._set_icon("warning" if broken else "ok", theme.WARNING if broken else theme.SUCCESS)
        self._say(tr(ui_text.SAVED_HEADLINES[saved.made]))
        if saved.command:
            next_step = tr("Next: run the command that resumes the session.")
        else:
            next_step = tr("Next: follow the steps in the Repair tab.")
        self._show(self._problems, next_step)
        self._offer(_copy_step(saved.command))

    def _show_session(self, session: SessionSummary, sessions: int) -> None:
        pair = theme.VERDICT_COLOURS.get(session.verdict, theme.MUTED)
        self._set_icon(ui_text.VERDICT_ICONS.get(session.verdict, "info"), pair)
        verdict = tr(ui_text.VERDICT_WORDS.get(session.verdict, session.verdict))
        says_it = session.headline.lower().startswith(verdict.lower())
        self._say(
            session.headline
            if says_it
            else tr("{verdict}: {headline}", verdict=verdict, headline=session.headline)
            if session.headline
            else verdict
        )
        if not self._is_brief or self.more.isChecked():
            self._show_reasons(session)
        self._show_rest(session, sessions)
        self._offer(self._step_for(session))

    def _show_reasons(self, session: SessionSummary) -> None:
        """Show what is wrong, and the likely cause with advice."""
        self._show(self._problems, " ".join(filter(None, (session.problems, *session.remarks, *session.context))))
        advice = session.advice
        if session.context:
            advice = tr("To shorten the history, choose Trim from the File menu (Ctrl+T), and then select Fit a model.")
        self._show(self._cause, " ".join(filter(None, (session.cause, advice))))
        self._cause_url = session.cause_url
        self.known_issue.setVisible(bool(session.cause_url))
        set_safe_tooltip(self.known_issue, tr("Opens {url} in the browser", url=session.cause_url))
        self._show_error(session)

    def _show_error(self, session: SessionSummary) -> None:
        calm = session.verdict in ("healthy", "waiting")
        when = (
            tr("Error recorded before the repair: {error}") if session.error_is_past else tr("Recorded error: {error}")
        )
        error, unfolded = session.recorded_error, self.more.isChecked()
        if not unfolded:
            error = to_one_line(error, _ERROR_CHARS)
        # A cause that is known says more than the error, which is then folded.
        self._error.setVisible(bool(error) and (unfolded or not session.cause))
        self._error.show_text(tr(when, error=error), theme.MUTED if calm else theme.ERROR)

    def _show_rest(self, session: SessionSummary, sessions: int) -> None:
        """Show the control that unfolds the details, and the details if it is unfolded."""
        unfolded = self.more.isChecked()
        self.more.show()
        self.more.setText(tr("Less") if unfolded else tr("More"))
        self.more.setIcon(theme.icon("expand" if unfolded else "collapse", self.palette()))
        self.more.setAccessibleName(
            tr("Hide the details of the verdict") if unfolded else tr("Show the details of the verdict")
        )
        if not unfolded:
            return
        facts = (
            session.title if sessions > 1 else "",
            session.agent,
            tr_plural("{number:,} message", "{number:,} messages", session.messages),
            tr_plural("{number:,} call", "{number:,} calls", session.calls),
            tr_plural("{number:,} result", "{number:,} results", session.results),
        )
        memory = session.memory
        lines = (
            "" if session.on_resume in session.headline else session.on_resume,
            memory.sentence if memory is not None and not memory.matches_log else "",
            " · ".join(filter(None, facts)),
        )
        self._show(self._rest, "\n".join(filter(None, lines)))

    def _step_for(self, session: SessionSummary) -> NextStep | None:
        """Return the next step for a session: repair it, convert it, shorten it, or resume it."""
        draft, log = self._document.repair, self._document.whole_log
        if session.verdict in ("healthy", "heals-itself"):
            return _copy_step(session.command)
        if session.context:
            trim = self._actions[Action.TRIM]
            return NextStep(tr("Shorten the history…"), trim.trigger) if trim.isEnabled() else None
        if session.verdict != "broken" or not draft.judged:
            return None
        if log is not None and not log.overview.writable:
            convert = self._actions[Action.CONVERT]
            tip = tr("A log in this format cannot be repaired, but its messages can be saved in another format")
            return NextStep(tr("Convert the history…"), convert.trigger, tip) if convert.isEnabled() else None
        if draft.plan is None:
            return NextStep(tr("Planning the repair…"), shows_repair=True) if draft.planning else self._review_step()
        if draft.plan.summary.button:
            tip = tr("Shows every change before anything is saved")
            return NextStep(draft.plan.summary.button, self.preview_wanted.emit, tip, shows_repair=True)
        return self._review_step()

    def _review_step(self) -> NextStep:
        """Return the step for a repair that cannot be saved as a whole: the tab shows why."""
        return NextStep(tr("Review the repair"), self._actions[Action.SHOW_REPAIR].trigger, shows_repair=True)

    def _offer(self, step: NextStep | None) -> None:
        """Show the button for a step, or none."""
        self._step = step or NextStep("")
        is_there = self._is_brief and self._is_beside_repair and self._step.shows_repair
        self.primary.setVisible(step is not None and not is_there)
        done = bool(self._step.command) and self._step.command == self._copied
        label = tr("Copied ✓") if done else self._step.label
        chars = _BUTTON_CHARS if self.width() >= _WIDE else _BUTTON_CHARS * 2 // 3
        self.primary.setText(wrap_label(label, chars))
        self.primary.setAccessibleName(tr("The command was copied") if done else label)
        self.primary.setEnabled(bool(self._step.do or self._step.command))
        # The button keeps its size when the plan or a choice changes the label, so that nothing below moves.
        metrics, has_plan = self.primary.fontMetrics(), self._document.repair.judged and self._document.saved is None
        self.primary.setMinimumHeight((2 if has_plan else 1) * metrics.lineSpacing() + _BUTTON_FRAME)
        self.primary.setMinimumWidth(chars * metrics.averageCharWidth() if self._step.shows_repair else 0)
        set_safe_tooltip(self.primary, self._step.tip)

    def _on_primary_clicked(self) -> None:
        step = self._step
        if step.command:
            QGuiApplication.clipboard().setText(step.command)
            self.show_copied(step.command)
        elif step.do is not None:
            step.do()

    def show_copied(self, command: str) -> None:
        """Show on the button that this command was copied, here or elsewhere."""
        self._copied = command
        if self._step.command == command:
            self._offer(self._step)

    def _say(self, headline: str) -> None:
        self._sentence.show_text(headline)
        self._sentence.setAccessibleName(headline)

    def _show(self, label: PlainLabel, text: str) -> None:
        label.show_text(text)
        label.setVisible(bool(text))

    def _set_icon(self, name: str, pair: theme.ColourPair) -> None:
        self._icon.show_icon(name, pair, 20)
        self._pair = pair
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self.viewport()).fillRect(event.rect(), theme.card_background(self._pair, self.palette()))

    def _on_read_clicked(self) -> None:
        self._document.open(self._document.path, self._formats.currentData())

    def _lay_out(self, read: QPushButton) -> None:
        choose = QHBoxLayout(self._chooser)
        choose.setContentsMargins(0, 4, 0, 0)
        for part in (SafeLabel(tr("Read the log as:"), self._chooser), self._formats, read):
            choose.addWidget(part)
        choose.addStretch()
        column = QVBoxLayout()
        column.setSpacing(_SPACING)
        for widget in (self._sentence, self._problems, self._cause, self._error, self._rest, self._chooser):
            column.addWidget(widget)
        column.addStretch()
        # The control that unfolds stands next to the button: where the height is small, what is below is scrolled to.
        beside = QVBoxLayout()
        beside.setSpacing(2)
        beside.addWidget(self.primary)
        beside.addWidget(self.known_issue, 0, Qt.AlignmentFlag.AlignRight)
        beside.addStretch()
        page = ScrollAreaPage()
        row = QHBoxLayout(page)
        row.setContentsMargins(14, 8, 14, 8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        row.addSpacing(12)
        row.addLayout(beside)
        row.addWidget(self.more, 0, Qt.AlignmentFlag.AlignTop)
        self._chooser.hide()
        self.setWidget(page)
        page.setAutoFillBackground(False)  # the colour of the verdict is painted below it


def _copy_step(command: str) -> NextStep | None:
    return NextStep(tr("Copy the resume command"), None, command, command) if command else None


def wrap_label(label: str, width: int) -> str:
    """Break the label of a button into even lines: Qt does not, and a last word alone would be hard to read."""
    wrap = partial(textwrap.wrap, label, break_long_words=False, break_on_hyphens=False)
    lines = wrap(width)
    while width > 1 and len(evener := wrap(width - 1)) == len(lines):
        lines, width = evener, width - 1
    return "\n".join(lines).replace("&", "&&")
