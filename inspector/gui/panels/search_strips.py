"""The strips above the tree: the filter, the search for a text, and the field to go to a line, record or id."""

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLayout, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from inspector.core.presentation.engine_results import JumpTarget
from inspector.core.search.filter_line import FILTER_ROLES, filter_vocabulary, toggle_term, tool_term
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.actions import ACTION_TABLE, Action, WindowActions
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import escape_caption, set_safe_tooltip
from inspector.gui.state.document import Document
from inspector.gui.widgets.inputs import InputStrip, WordCompleter
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import GO_TO

# The search starts when the person pauses typing.
_FIND_DELAY_MS = 120


class FindStrip(InputStrip):
    """The strip that searches for a text. Enter goes to the next match, Shift+Enter to the previous one.

    Matches are marked until the strip is closed.
    """

    def __init__(self, document: Document, actions: WindowActions, tree: QWidget) -> None:
        super().__init__(tr(ACTION_TABLE[Action.FIND].tip), tr("Find text"), tree)
        self._document, self._find = document, document.search
        self.match_case = QCheckBox(tr("Match &case"), self)
        self.answer_label.announce_changes(tr("Search result"))
        self._typing = QTimer(self, singleShot=True, interval=_FIND_DELAY_MS)
        self._typing.timeout.connect(self._look)
        self.field.textEdited.connect(lambda _: self._typing.start())
        self.match_case.toggled.connect(self._look)
        self.row.insertWidget(1, self.match_case)
        for place, action in enumerate((Action.FIND_PREVIOUS, Action.FIND_NEXT), 3):
            button = QToolButton(self)
            button.setDefaultAction(actions[action])
            button.setAutoRaise(True)
            self.row.insertWidget(place, button)
        self._find.changed.connect(self.refresh)
        self._find.match_position_changed.connect(self.refresh)
        document.place_changed.connect(self.refresh)

    def open(self) -> None:
        self._find.set_start()
        super().open()
        self._look()

    def submit(self, forward: bool) -> None:
        """Go to the next or the previous match; without a text, open the strip."""
        if not self.field.text():
            self.open()
        elif self.isHidden() or self._typing.isActive():
            self.show()
            self._look()
        else:
            self._find.step(forward)

    def close_strip(self) -> None:
        self._typing.stop()
        self._find.look_for("", False)
        super().close_strip()

    def refresh(self) -> None:
        """Show the number of matches so far."""
        self.answer_label.show_text(self._found() if self.isVisible() else "")

    def _found(self) -> str:
        find, count = self._find, len(self._find.records)
        if not find.text or find.failure:
            return find.failure
        outside = (
            tr(
                ", {matches_outside_records:,} outside the rows",
                matches_outside_records=find.matches_outside_records,
            )
            if find.matches_outside_records
            else ""
        )
        if self._document.whole_log is None:
            return tr("The search starts as soon as the whole log has been read")
        if not count:
            return tr("Looking…") if find.searching else tr("Not found in this log") + outside
        position = tr("{position:,} of ", position=find.position) if find.position else ""
        plus = "+" if find.has_more_matches else ""
        in_record = ""
        if position and (find.match_count > 1 or plus):
            in_record = tr(
                " · match {match_number:,} of {number:,}{plus}",
                match_number=find.match_number,
                number=find.match_count,
                plus=plus,
            )
        elif position and not find.match_count:
            in_record = tr(" · only in the raw bytes of this record")
        records = tr_plural("{number:,} record", "{number:,} records", count)
        return f"{position}{records}{'…' if find.searching else ''}{in_record}{outside}"

    def _look(self) -> None:
        self._typing.stop()
        self._find.look_for(self.field.text(), self.match_case.isChecked())
        self.refresh()


class GoToStrip(InputStrip):
    """The strip that goes to a line, record, message or id. It closes on success, else shows the reason."""

    def __init__(self, document: Document, tree: QWidget) -> None:
        super().__init__(tr("Line number, “record 12”, “message 12”, or id"), tr("Go to"), tree)
        self._document = document
        self.answer_label.announce_changes(tr("Why nothing was found"))
        self.field.textEdited.connect(lambda _: self._say(""))
        document.process.answer_signal(GO_TO).connect(self._on_answered)
        document.process.failed.connect(self._on_failed)

    def submit(self, forward: bool) -> None:
        """Go to what is typed. The child process looks it up, since it has the ids."""
        process = self._document.process
        if self._document.whole_log is None or not process.alive:
            self._say(tr(ui_text.LOG_NOT_READ_YET))
        else:
            process.ask(GO_TO, self.field.text())

    def _say(self, sentence: str) -> None:
        self.answer_label.show_text(sentence)

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is GO_TO:
            self._say(failure.sentence)

    @Slot(object)
    def _on_answered(self, target: JumpTarget) -> None:
        self._say(target.sentence)
        if target.node > 0 and self.isVisible():
            self.close_strip()
            self._document.select_node(target.node)


_FILTER_DELAY_MS = 250
_WIDE = 80  # average characters: the width from which on the buttons are shown
_STATE_LABELS = {
    "error": tr("Errors"),
    "unanswered": tr("Unanswered"),
    "orphan": tr("Orphans"),
    "failed": tr("Failed"),
    "pending": tr("Waiting"),
    "warning": tr("Warnings"),
}


class FilterStrip(QWidget):
    """The line to filter by, buttons for its most common words, and what it hides.

    The filter applies while it is typed. Enter and Down apply it at once and go to the tree, to the
    first match if the current row is hidden. Escape clears it and goes to the tree.
    """

    def __init__(self, document: Document, actions: WindowActions, tree: QWidget) -> None:
        super().__init__(tree.parentWidget())
        self._document, self._filter, self._tree = document, document.row_filter, tree
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Filter: tool:Bash is:failed after:12:00 text"))
        self.field.setAccessibleName(tr("Filter"))
        self.field.setClearButtonEnabled(True)
        self.field.setMaxLength(10_000)
        self.completer = WordCompleter(self.field)
        self._typing = QTimer(self, singleShot=True, interval=_FILTER_DELAY_MS)
        self._typing.timeout.connect(self._apply)
        self.field.textChanged.connect(self._on_text_changed)
        self.buttons = {state: self._button(state) for state in _STATE_LABELS}
        self.fold = QToolButton(self)
        self.fold.setDefaultAction(actions[Action.FOLD_TOOLS])
        self.fold.setAutoRaise(True)
        self.more = QToolButton(self)
        self.more.setText(tr("Only…"))
        set_safe_tooltip(self.more, tr("Show only the rows for one tool or role, or only the rows with findings"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setAutoRaise(True)
        self.menu = QMenu(self)
        self.more.setMenu(self.menu)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.said = PlainLabel(quiet=True)
        self.said.announce_changes(tr("Rows that match the filter"))
        self.reveal = QPushButton(tr("Show it"), self)
        set_safe_tooltip(self.reveal, tr("Also show the current row"))
        self.reveal.clicked.connect(lambda: self._filter.reveal(document.node))
        self._lay_out()
        for signal in (self._filter.changed, self._filter.kept_changed, document.place_changed):
            signal.connect(self.refresh)
        self._filter.facets_changed.connect(self._on_landmarks_changed)
        self.refresh()

    def ask(self) -> None:
        """Focus the filter line."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def toggle(self, term: str) -> None:
        """Add a word to the line, or remove it."""
        self.field.setText(toggle_term(self.field.text(), term))
        self._apply()

    def refresh(self) -> None:
        """Show the filter, and how many rows it leaves."""
        line, fault = self._filter.line, self._filter.error
        if line != self.field.text().strip() and not self._typing.isActive():
            self.field.setText(line)
        is_hidden = self._filter.hides(self._document.node)
        sentence, pair = self._state()
        if is_hidden and not fault:
            sentence, pair = f"{sentence} {self._hidden()}", theme.WARNING
        self.said.show_text(sentence, pair)
        self.said.setVisible(bool(sentence))
        self.reveal.setVisible(is_hidden and not fault)
        understood = theme.WARNING if self._filter.answer.doubt else theme.SUCCESS
        self._tint(theme.ERROR if fault else understood if line else None)
        terms = self.field.text().split()
        for state, button in self.buttons.items():
            button.setChecked(f"is:{state}" in terms)

    def _hidden(self) -> str:
        """Return a sentence about the current row, which the filter hides."""
        log, node = self._document.log, self._document.node
        record = log.record_of(node) if log else -1
        if log is None or record < 0:
            return tr("The filter hides the current row.")
        number = log.number_of(node)
        if log.is_numbered_by_line(record):
            return tr("The filter hides the current row (line {number:,}).", number=number)
        return tr("The filter hides the current row (record {number:,}).", number=number)

    def _state(self) -> tuple[str, theme.ColourPair]:
        answer, log = self._filter.answer, self._document.log
        if self._filter.error or not (self._filter.line or self._filter.folds_tools) or log is None:
            return self._filter.error, theme.ERROR
        if self._document.whole_log is None:
            return tr("The filter will be applied as soon as the whole log has been read."), theme.MUTED
        if self._filter.pending:
            return tr("Filtering…"), theme.MUTED
        hidden = answer.total - answer.rows
        sentence = tr(
            "{rows:,} of {all_rows}",
            rows=answer.rows,
            all_rows=tr_plural("{number:,} row", "{number:,} rows", answer.total),
        )
        sentence += tr(", {hidden:,} hidden", hidden=hidden)
        if answer.hidden:
            sentence += tr(
                ", with {findings}", findings=tr_plural("{number:,} finding", "{number:,} findings", answer.hidden)
            )
        return f"{sentence}. {answer.doubt}".strip(), theme.WARNING if answer.doubt else theme.MUTED

    def _tint(self, pair: theme.ColourPair | None) -> None:
        """Colour the line by whether it is understood; the sentence below says the same."""
        palette = self.palette()
        colour = theme.tint(pair.for_palette(palette), palette).name(QColor.NameFormat.HexArgb) if pair else ""
        self.field.setStyleSheet(f"QLineEdit {{ background: {colour}; }}" if colour else "")

    def _on_text_changed(self, _: str) -> None:
        self._typing.start()

    def _apply(self) -> None:
        self._typing.stop()
        self._filter.set_line(self.field.text())

    def _on_landmarks_changed(self) -> None:
        facets, log = self._filter.facets, self._document.log
        rules = sorted({group.slug for group in log.findings.groups}) if log else []
        self.completer.set_words(filter_vocabulary(facets.tools, rules))
        for state, button in self.buttons.items():
            button.setText(
                tr(
                    "{state} {states:,}",
                    state=tr(_STATE_LABELS[state]),
                    states=facets.states.get(state, 0),
                )
            )
        self._fit()

    def _fit(self) -> None:
        """Show the buttons of states that occur; in a narrow pane only the menu has them."""
        is_wide = self.width() > _WIDE * self.fontMetrics().averageCharWidth()
        for place, (state, button) in enumerate(self.buttons.items()):
            button.setVisible(state in self._filter.facets.states and is_wide and place < 4)

    def minimumSizeHint(self) -> QSize:
        # With a large font, the window must not become wider than the screen.
        return QSize(120, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.field.clear()
                self._apply()
                self._tree.setFocus()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Down:
                self._apply()
                self._tree.setFocus()
                self._filter.go_to_match()
            case _:
                super().keyPressEvent(event)

    def _button(self, state: str) -> QPushButton:
        button = QPushButton(tr(_STATE_LABELS[state]), self)
        button.setCheckable(True)
        button.setFlat(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.toggle(f"is:{state}"))
        button.hide()
        return button

    def _fill_menu(self) -> None:
        """Fill the menu with the words to filter by and their numbers of rows; words in the line are checked."""
        self.menu.clear()
        facets, line = self._filter.facets, self.field.text()
        sections = (
            (
                "",
                {
                    f"is:{state}": tr("{state} ({count:,})", state=tr(_STATE_LABELS[state]), count=count)
                    for state, count in facets.states.items()
                },
            ),
            (tr("Role"), {f"role:{role}": tr(role) for role in FILTER_ROLES}),
            (tr("Tool"), {tool_term(name): f"{name} ({count:,})" for name, count in facets.tools.items()}),
        )
        for title, entries in sections:
            menu = self.menu.addMenu(title) if title and entries else self.menu
            for term, text in entries.items():
                action = menu.addAction(escape_caption(text))
                action.setCheckable(True)
                action.setChecked(toggle_term(line, term) != f"{line} {term}".strip())
                action.triggered.connect(lambda _=False, term=term: self.toggle(term))
        if line:
            self.menu.addSeparator()
            self.menu.addAction(tr("Show all")).triggered.connect(self.field.clear)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 5, 4, 5)
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addWidget(self.fold)
        row.addWidget(self.more)
        status_row = QHBoxLayout()
        status_row.setContentsMargins(10, 0, 6, 5)
        status_row.addWidget(self.said, 1)
        status_row.addWidget(self.reveal)
        column = stack_vertically(self, row, status_row)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
