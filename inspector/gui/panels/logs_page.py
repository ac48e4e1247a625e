"""A list of many logs, filling the window: the sessions on this machine, or the logs in a folder."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QProgressBar, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from inspector.core.formats.bases.store import at_home
from inspector.gui.basics import words
from inspector.gui.basics.hiding import hiding
from inspector.gui.document.state import Notice
from inspector.gui.document.survey import Step, Survey
from inspector.gui.models.logs_model import LogsModel
from inspector.gui.panels.logs_table import LogsTable
from inspector.gui.panels.plain_label import PlainLabel
from inspector.gui.panels.plain_text_view import PlainTextView

# What is told of the counts, in this order; what is not there is left out.
_TOLD = ("broken", "unreadable", "unexplained", "not-judged", "heals-itself", "waiting", "healthy")

_NAMED = 2000


class LogsPage(QWidget):
    """Signals: `open_wanted` (path)."""

    open_wanted = Signal(object)

    def __init__(self, survey: Survey, model: LogsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._survey, self._model = survey, model
        self.title = PlainLabel()
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setBold(True)
        self.title.setFont(font)
        self.facts = PlainLabel(quiet=True)
        self.facts.setAccessibleName(self.tr("What was found"))
        self.empty = PlainLabel(quiet=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Filter by words: title, project, agent, verdict, cause"))
        self.filter.setAccessibleName(self.tr("Filter the list"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._on_filter_changed)
        self.filter.returnPressed.connect(self._go_to_first)
        self._bar = QProgressBar(self)
        self._bar.setFixedWidth(140)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Checking"))
        self.stop = QPushButton(self)
        self.stop.clicked.connect(self._on_stop_clicked)
        self.others = QPushButton(self)
        self.others.setCheckable(True)
        self.others.toggled.connect(self._show_others)
        self.names = PlainTextView(self.tr("Files that are no logs"), fixed=True, parent=self)
        self.names.hide()
        self.table = LogsTable(model, self)
        self.table.open_wanted.connect(self.open_wanted)
        self._lay_out()
        survey.changed.connect(self.refresh)
        for signal in (model.rowsInserted, model.modelReset):
            signal.connect(self.refresh)
        self.refresh()

    def minimumSizeHint(self) -> QSize:
        return QSize(360, 200)

    def refresh(self) -> None:
        """Show how far the survey is."""
        survey, listing = self._survey, self._survey.step == Step.LISTING
        self.title.show_text(title_of(survey))
        self.facts.show_text(self._facts())
        self._bar.setVisible(survey.busy)
        self._bar.setRange(0, 0 if listing else max(len(survey.logs), 1))
        if not listing:
            self._bar.setValue(survey.checked_count)
        self.stop.setVisible(survey.busy or survey.step in (Step.STOPPED, Step.FAILED))
        self.stop.setText(self.tr("Stop") if survey.busy else self.tr("Go on"))
        # The table stands there before its first row does: the first rows then cost only their painting.
        shown = self._model.rowCount() > 0 or listing
        self._stack.setCurrentWidget(self.table if shown else self.empty)
        if not shown:
            self.empty.show_text(self._why_empty())
        self.filter.setEnabled(bool(survey.logs))
        if survey.step == Step.DONE and self._model.rowCount() and not self.table.selectionModel().hasSelection():
            # The worst is known now: Enter opens it.
            self.table.setCurrentIndex(self._model.index(0, 0))
        others = 0 if survey.busy else len(survey.non_log_paths)
        self.others.setVisible(bool(others))
        self.others.setText(words.counted(others, "file is no log", "files are no logs"))
        self.others.setChecked(self.others.isChecked() and bool(others))

    def show_notice(self, notice: Notice) -> None:
        """Say something of what is chosen here, until there is something else to say."""
        self.facts.show_text(notice.sentence)

    def selected_logs(self) -> list[tuple[str, str]]:
        """The logs that are chosen, each by its path and the name of its format."""
        return [(log.path, log.format) for log in self.table.selected_logs()]

    def _facts(self) -> str:
        survey = self._survey
        total = sum(bool(log.format) for log in survey.logs)
        if survey.step == Step.FAILED:
            return survey.sentence
        if not survey.logs:
            return self.tr("Looking for logs…") if survey.busy else ""
        counts = [words.verdicts(name, count) for name in _TOLD if (count := survey.count(name))]
        tickets = words.counted(self._model.group_count, "archive", "archives")
        told = [words.counted(total, "log", "logs")]
        if self._model.group_count and len(survey.paths) < 2:
            told.insert(0, tickets)
        same = len(survey.duplicates)
        beside = [words.counted(same, "is the same as another", "are the same as others")] if same else []
        if survey.checked_count < len(survey.logs):
            state = self.tr("checked so far") if survey.busy else self.tr("checked, the others not")
            told.append(f"{survey.checked_count:,} {state}")
        return " · ".join((*told, *counts, *beside, *([self.tr("content hidden")] if hiding.enabled else [])))

    def _why_empty(self) -> str:
        survey = self._survey
        if survey.logs:
            return self.tr("No log has these words. Clear the filter to see all of them.")
        if survey.busy:
            return self.tr("Looking for logs…")
        if survey.step == Step.FAILED:
            return survey.sentence
        if survey.paths:
            return self.tr("There is no log of a known format in this folder, nor in the folders below it.")
        return self.tr(
            "No known agent has kept a session in its usual place on this machine. "
            "Open the folder that holds the logs instead."
        )

    def _show_others(self, shown: bool) -> None:
        """Name what is there and is no log of a known format."""
        others = sorted(map(hiding.display_path, self._survey.non_log_paths))
        more = len(others) - _NAMED
        rest = [f"… {self.tr('and')} {more:,} {self.tr('more')}"] if more > 0 else []
        self.names.show_text("\n".join((*others[:_NAMED], *rest)) if shown else "")
        self.names.setVisible(shown)

    def _on_filter_changed(self, text: str) -> None:
        self._model.set_filter(text)

    def _go_to_first(self) -> None:
        if self._model.rowCount():
            self.table.setCurrentIndex(self._model.index(0, 0))
            self.table.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_stop_clicked(self) -> None:
        if self._survey.busy:
            self._survey.stop()
        elif self._survey.logs:
            self._survey.resume()
        else:
            self._survey.restart()

    def _lay_out(self) -> None:
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        words_column = QVBoxLayout()
        words_column.setSpacing(2)
        words_column.addWidget(self.title)
        words_column.addWidget(self.facts)
        head = QHBoxLayout()
        head.setContentsMargins(14, 10, 14, 10)
        head.setSpacing(10)
        head.addLayout(words_column, 3)
        head.addWidget(self._bar)
        head.addWidget(self.stop)
        head.addWidget(self.others)
        head.addWidget(self.filter, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._stack, 3)
        column.addWidget(self.names, 1)


def title_of(survey: Survey) -> str:
    """What the list holds."""
    if not survey.paths:
        return words.tr("Sessions on this machine")
    if len(survey.paths) > 1:
        return words.counted(len(survey.paths), "ticket", "tickets")
    return f"{words.tr('Logs in')} {at_home(hiding.display_path(survey.paths[0]))}"
