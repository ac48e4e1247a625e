"""Above the tree: the filter line, a button for each word that it is mostly asked, and what it hides."""

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from inspector.core.seek.filter_line import FILTER_ROLES, filter_completions, toggle_term, tool_term
from inspector.gui.basics import theme, words
from inspector.gui.basics.gate import caption, set_tip
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.document.document import Document
from inspector.gui.panels.filter_completer import WordCompleter
from inspector.gui.panels.plain_label import PlainLabel

_TYPING_MS = 250
_WIDE = 80  # letters
_STATES = {
    "error": "Errors",
    "unanswered": "Unanswered",
    "orphan": "Orphans",
    "failed": "Failed",
    "pending": "Waiting",
    "warning": "Warnings",
}


class FilterStrip(QWidget):
    """The line is filtered by while it is typed; Enter does so at once, Escape empties it and goes to the tree."""

    def __init__(self, document: Document, tree: QWidget) -> None:
        super().__init__(tree.parentWidget())
        self._document, self._filter, self._tree = document, document.row_filter, tree
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Filter: tool:Bash is:failed after:12:00 words"))
        self.field.setAccessibleName(self.tr("Filter"))
        self.field.setClearButtonEnabled(True)
        self.field.setMaxLength(10_000)
        self.completer = WordCompleter(self.field)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self._apply)
        self.field.textChanged.connect(self._on_text_changed)
        self.buttons = {state: self._button(state) for state in _STATES}
        self.more = QToolButton(self)
        self.more.setText(self.tr("Only…"))
        set_tip(self.more, self.tr("Show only the rows of a tool, of who speaks, or in which something is wrong"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setAutoRaise(True)
        self.menu = QMenu(self)
        self.more.setMenu(self.menu)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.said = PlainLabel(quiet=True)
        self.said.setAccessibleName(self.tr("What the filter leaves"))
        self.reveal = QPushButton(self.tr("Show it"), self)
        set_tip(self.reveal, self.tr("Show the current row besides what the filter leaves"))
        self.reveal.clicked.connect(lambda: self._filter.reveal(document.node))
        self._lay_out()
        for signal in (self._filter.changed, self._filter.kept_changed, document.place_changed):
            signal.connect(self.refresh)
        self._filter.landmarks_changed.connect(self._on_landmarks_changed)
        self.refresh()

    def ask(self) -> None:
        """Go to the line."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def toggle(self, term: str) -> None:
        """Put a word into the line, or take it out."""
        self.field.setText(toggle_term(self.field.text(), term))
        self._apply()

    def refresh(self) -> None:
        """Show what is filtered by, and what that leaves."""
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
        understood = theme.WARNING if self._filter.answer.doubt else theme.GOOD
        self._tint(theme.ERROR if fault else understood if line else None)
        terms = self.field.text().split()
        for state, button in self.buttons.items():
            button.setChecked(f"is:{state}" in terms)

    def _hidden(self) -> str:
        """What the person went to and cannot see."""
        log, node = self._document.log, self._document.node
        record = log.record_of(node) if log else -1
        if log is None or record < 0:
            return self.tr("The current row is among the hidden.")
        place = f"{self.tr('Line') if log.is_numbered_by_line(record) else self.tr('Record')} {log.number_of(node):,}"
        return f"{place} {self.tr('is current, and hidden.')}"

    def _state(self) -> tuple[str, theme.Pair]:
        answer, log = self._filter.answer, self._document.log
        if self._filter.error or not self._filter.line or log is None:
            return self._filter.error, theme.ERROR
        if self._document.whole_log is None:
            return self.tr("The log is filtered when it is read."), theme.MUTED
        if self._filter.pending:
            return self.tr("Filtering…"), theme.MUTED
        hidden = answer.total - answer.rows
        said = f"{answer.rows:,} {self.tr('of')} {words.counted(answer.total, 'row', 'rows')}"
        said += f", {hidden:,} {self.tr('hidden')}"
        if answer.hidden:
            said += f", {self.tr('with')} {words.counted(answer.hidden, 'finding', 'findings')}"
        return f"{said}. {answer.doubt}".strip(), theme.WARNING if answer.doubt else theme.MUTED

    def _tint(self, pair: theme.Pair | None) -> None:
        """The ground of the line tells whether it is understood; the sentence below says so, too."""
        palette = self.palette()
        colour = theme.tint(pair.for_palette(palette), palette).name(QColor.NameFormat.HexArgb) if pair else ""
        self.field.setStyleSheet(f"QLineEdit {{ background: {colour}; }}" if colour else "")

    def _on_text_changed(self, _: str) -> None:
        self._typing.start()

    def _apply(self) -> None:
        self._typing.stop()
        self._filter.set_line(self.field.text())

    def _on_landmarks_changed(self) -> None:
        landmarks, log = self._filter.landmarks, self._document.log
        rules = sorted({group.slug for group in log.findings.groups}) if log else []
        self.completer.set_words(filter_completions(landmarks.tools, rules))
        for state, button in self.buttons.items():
            button.setText(f"{words.tr(_STATES[state])} {landmarks.states.get(state, 0):,}")
        self._fit()

    def _fit(self) -> None:
        """There are buttons for what there is; in a narrow pane they are in the menu alone."""
        is_wide = self.width() > _WIDE * self.fontMetrics().averageCharWidth()
        for place, (state, button) in enumerate(self.buttons.items()):
            button.setVisible(state in self._filter.landmarks.states and is_wide and place < 4)

    def minimumSizeHint(self) -> QSize:
        # A window of large letters must not become wider than the screen.
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
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._apply()
            case _:
                super().keyPressEvent(event)

    def _button(self, state: str) -> QPushButton:
        button = QPushButton(words.tr(_STATES[state]), self)
        button.setCheckable(True)
        button.setFlat(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.toggle(f"is:{state}"))
        button.hide()
        return button

    def _fill_menu(self) -> None:
        """A word a row, with how many rows it leaves; those in the line are checked."""
        self.menu.clear()
        landmarks, line = self._filter.landmarks, self.field.text()
        sections = (
            (
                "",
                {f"is:{state}": f"{words.tr(_STATES[state])} ({count:,})" for state, count in landmarks.states.items()},
            ),
            (self.tr("Who speaks"), {f"role:{role}": words.tr(role) for role in FILTER_ROLES}),
            (self.tr("Tool"), {tool_term(name): f"{name} ({count:,})" for name, count in landmarks.tools.items()}),
        )
        for title, entries in sections:
            menu = self.menu.addMenu(title) if title and entries else self.menu
            for term, text in entries.items():
                action = menu.addAction(caption(text))
                action.setCheckable(True)
                action.setChecked(toggle_term(line, term) != f"{line} {term}".strip())
                action.triggered.connect(lambda _=False, term=term: self.toggle(term))
        if line:
            self.menu.addSeparator()
            self.menu.addAction(self.tr("Show all")).triggered.connect(self.field.clear)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 5, 4, 5)
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addWidget(self.more)
        told = QHBoxLayout()
        told.setContentsMargins(10, 0, 6, 5)
        told.addWidget(self.said, 1)
        told.addWidget(self.reveal)
        column = in_a_column(self, row, told)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
