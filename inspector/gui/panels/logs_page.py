"""The list of many logs, which fills the window: the sessions on this machine, or the logs in a folder."""

import os

from PySide6.QtCore import QByteArray, QModelIndex, QPersistentModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector.core.discovery.log_entry import LogEntry, most_telling_unread_file
from inspector.core.formats.base.stores import with_tilde
from inspector.core.report.shareable.model import ticket_name_from_path
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import set_safe_tooltip
from inspector.gui.common.settings import Settings
from inspector.gui.models.logs_model import LOGS_TABLE, LogColumn, LogGrouping, LogsModel
from inspector.gui.state.load_status import Notice
from inspector.gui.state.log_list_loader import LoadStep, LogListLoader, log_group_path
from inspector.gui.state.log_work_marks import LogWorkMark
from inspector.gui.widgets.item_views import (
    RowPainter,
    VerdictDelegate,
    add_row_action,
    column_widths,
    make_delegate,
    width_limit_per_share,
)
from inspector.gui.widgets.labels import PlainLabel, announce
from inspector.gui.widgets.text_views import PlainTextView

# The columns that are cut when the table is wider than the window, and their relative widths then.
_COLUMN_WEIGHTS: dict[int, int] = {
    LogColumn.VERDICT: 3, LogColumn.TITLE: 3, LogColumn.CAUSE: 3, LogColumn.PROJECT: 2, LogColumn.AGENT: 2
}  # fmt: skip
_MEASURED_ROWS = 300  # rows
_MIN_TITLE_CHARS = 20
_SOON_MS = 100
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_FOLDING: dict[int, bool] = {Qt.Key.Key_Right: True, Qt.Key.Key_Left: False}
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
_STEPS = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown)
# The order in which the counts of verdicts are shown; counts of zero are left out.
_VERDICT_ORDER = ("broken", "unreadable", "unexplained", "not-judged", "heals-itself", "waiting", "healthy")
_GROUPINGS = {
    LogGrouping.TICKET: tr("Logs and tickets"),
    LogGrouping.CAUSE: tr("Causes"),
    LogGrouping.AGENT: tr("Agents and versions"),
    LogGrouping.PROJECT: tr("Projects"),
}
_COLUMNS_STATE = "logs_columns"
_MAX_NAMED_FILES = 2000


class LogsPage(QWidget):
    """The page of a list of logs: its title, counts, filter and table.

    Signals: `open_wanted` (path).
    """

    open_wanted = Signal(object)

    def __init__(
        self, survey: LogListLoader, model: LogsModel, settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._survey, self._model = survey, model
        self.title = PlainLabel()
        font = self.title.font()
        font.setPointSizeF(font.pointSizeF() * 1.15)
        font.setBold(True)
        self.title.setFont(font)
        self.facts = PlainLabel(quiet=True)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.facts.announce_changes(tr("Search result"))
        self.empty = PlainLabel(quiet=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        self.filter = _FilterField(self)
        self.filter.setPlaceholderText(tr("Filter by title, project, agent, verdict or cause"))
        self.filter.setAccessibleName(tr("Filter the list"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._on_filter_changed)
        self.filter.returnPressed.connect(self._open_current)
        self.filter.rows_wanted.connect(self._go_to_rows)
        self.match_count = PlainLabel(quiet=True)
        self.match_count.setWordWrap(False)
        self.match_count.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        self.grouping = QComboBox(self)
        self.grouping.setAccessibleName(tr("Group the logs by"))
        set_safe_tooltip(self.grouping, tr("What each row in the list represents"))
        for grouping, title in _GROUPINGS.items():
            self.grouping.addItem(tr(title), grouping)
        self.grouping.currentIndexChanged.connect(self._on_grouping_changed)
        self._bar = QProgressBar(self)
        self._bar.setFixedWidth(140)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Checking"))
        self.stop = QPushButton(self)
        self.stop.clicked.connect(self._on_stop_clicked)
        self.others = QPushButton(self)
        self.others.setCheckable(True)
        self.others.toggled.connect(self._show_others)
        self.names = PlainTextView(tr("Files that were not read"), fixed=True, parent=self)
        self.names.hide()
        self.table = LogsTable(model, settings, self)
        self.table.open_wanted.connect(self.open_wanted)
        self.reply = QPushButton(tr("Copy a reply"), self)
        set_safe_tooltip(
            self.reply, tr("Copy a reply that tells the sender what was found. The reply contains no log content")
        )
        self.reply.clicked.connect(self._copy_reply)
        self.reply.hide()
        for changed in (self.table.selectionModel().selectionChanged, model.modelReset):
            changed.connect(self._show_reply)
        self._lay_out()
        survey.changed.connect(self.refresh)
        for signal in (model.rowsInserted, model.modelReset):
            signal.connect(self.refresh)
        self.refresh()

    def minimumSizeHint(self) -> QSize:
        return QSize(360, 200)

    def refresh(self) -> None:
        """Show the progress of the survey."""
        survey, listing = self._survey, self._survey.step == LoadStep.LISTING
        self.title.show_text(list_title(survey))
        self.facts.show_text(self._facts())
        # The list does not move when a notice takes the place of the counts, or a button some of their room.
        self.facts.setMinimumHeight(2 * self.facts.fontMetrics().lineSpacing())
        self._bar.setVisible(survey.busy)
        self._bar.setRange(0, 0 if listing else max(len(survey.logs), 1))
        if not listing:
            self._bar.setValue(survey.checked_count)
        self.stop.setVisible(survey.busy or survey.step in (LoadStep.STOPPED, LoadStep.FAILED))
        self.stop.setText(tr("Stop") if survey.busy else tr("Continue"))
        # The table is shown before its first row arrives, so that the first rows only have to be painted.
        has_table = self._model.rowCount() > 0 or listing
        self._stack.setCurrentWidget(self.table if has_table else self.empty)
        if not has_table:
            self.empty.show_text(self._why_empty())
        # A filter typed while logs are still looked for applies to the rows as they arrive.
        self.filter.setEnabled(bool(survey.logs) or survey.busy)
        self.grouping.setEnabled(bool(survey.logs))
        self.match_count.setVisible(self._model.is_filtered)
        self.match_count.show_text(
            tr("{matching:,} of {total:,}", matching=self._model.matching_count, total=len(survey.logs))
        )
        if not survey.busy and self._model.rowCount():
            self._select_first()  # The worst log is known now: Enter opens it.
        others = 0 if survey.busy else len(survey.unread)
        self.others.setVisible(bool(others))
        self.others.setText(tr_plural("{number:,} file was not read", "{number:,} files were not read", others))
        self.others.setChecked(self.others.isChecked() and bool(others))

    def show_notice(self, notice: Notice) -> None:
        """Show a notice about the selected logs, until the next refresh."""
        self.facts.setMinimumHeight(self.facts.height())
        self.facts.show_text(notice.sentence)

    def selected_logs(self) -> list[tuple[str, str, str]]:
        """Return the path and the format name of each selected log, and the name of its ticket, "" for none."""
        return [(log.path, log.format, self._ticket_name(log)) for log in self.table.selected_logs()]

    def selected_places(self) -> list[tuple[str, str]]:
        """Return the path of each selected log, and that of what was listed and contains it."""
        opened = self._survey.paths[0] if self._survey.paths else ""
        return [
            (log.path, log.archive or log_group_path(log, self._survey.paths) or opened or os.path.dirname(log.path))
            for log in self.table.selected_logs()
        ]

    def show_lines(self, lines: list[str]) -> None:
        """Show a text below the list, until the files that were not read are shown or hidden there."""
        self.names.show_text("\n".join(lines))
        self.names.setVisible(bool(lines))

    def _ticket_name(self, log: LogEntry) -> str:
        return ticket_name_from_path(log.archive or log_group_path(log, self._survey.paths))

    def _facts(self) -> str:
        survey = self._survey
        total = sum(bool(log.format) for log in survey.logs)
        if survey.step == LoadStep.FAILED:
            return survey.sentence
        if not survey.logs:
            return tr("Looking for logs…") if survey.busy else self._where_stopped()
        counts = [ui_text.verdict_count_label(name, count) for name in _VERDICT_ORDER if (count := survey.count(name))]
        tickets = tr_plural("{number:,} archive", "{number:,} archives", self._model.ticket_count)
        facts: list[str] = [tr_plural("{number:,} log", "{number:,} logs", total)]
        if self._model.ticket_count and len(survey.paths) < 2:
            facts.insert(0, tickets)
        duplicate_count = len(survey.duplicates)
        duplicates = (
            [tr_plural("{number:,} is a duplicate", "{number:,} are duplicates", duplicate_count)]
            if duplicate_count
            else []
        )
        if repaired := self._model.marked_count(LogWorkMark.REPAIRED):
            counts.append(tr_plural("{number:,} repaired", "{number:,} repaired", repaired))
        if reported := self._model.marked_count(LogWorkMark.REPORTED):
            counts.append(tr_plural("{number:,} reported", "{number:,} reported", reported))
        if survey.busy and survey.checked_count < len(survey.logs):
            facts.append(
                tr_plural("{number:,} log checked so far", "{number:,} logs checked so far", survey.checked_count)
            )
        elif survey.step == LoadStep.STOPPED:
            facts.insert(0, self._where_stopped())
        return " · ".join((*facts, *counts, *duplicates, *([tr("content hidden")] if hiding.enabled else [])))

    def _where_stopped(self) -> str:
        """Return how far the list had come when it was stopped, "" when it was not."""
        survey = self._survey
        if survey.step != LoadStep.STOPPED:
            return ""
        if not survey.is_listed:
            return tr("Stopped while looking for logs")
        return tr("Stopped after {done:,} of {total:,} logs", done=survey.checked_count, total=len(survey.logs))

    def _why_empty(self) -> str:
        survey = self._survey
        if survey.logs:
            return tr("No logs match the filter. Clear the filter to see all logs.")
        if survey.busy:
            return tr("Looking for logs…")
        if survey.step == LoadStep.FAILED:
            return survey.sentence
        if survey.step == LoadStep.STOPPED:
            return tr("The search was stopped before a log was found. To resume the search, select Continue.")
        if (unread := most_telling_unread_file(survey.unread)) is not None and len(survey.paths) == 1:
            where = hiding.display_path(survey.paths[0])
            return tr("{where} contains no supported logs. {reason}", where=where, reason=unread.reason)
        if survey.paths:
            return tr("This folder and its subfolders contain no supported logs.")
        return tr(
            "No sessions from known agents were found in the usual places on this machine. Open a folder that "
            "contains logs instead."
        )

    def _show_others(self, shown: bool) -> None:
        """Show or hide the names of the files that are no logs of a known format, with the reasons."""
        others = sorted(
            tr("{path}: {reason}", path=hiding.display_path(file.path), reason=file.reason)
            for file in self._survey.unread
        )
        unnamed = len(others) - _MAX_NAMED_FILES
        rest = [tr("… and {unnamed:,} more", unnamed=unnamed)] if unnamed > 0 else []
        self.names.show_text("\n".join((*others[:_MAX_NAMED_FILES], *rest)) if shown else "")
        self.names.setVisible(shown)

    def _replies(self) -> list[str]:
        """Return the replies about the selected rows, from the top, each once."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return list(dict.fromkeys(filter(None, map(self._model.reply_at, rows))))

    def _show_reply(self) -> None:
        count = len(self._replies())
        self.reply.setVisible(count > 0)
        several = tr_plural("Copy {number:,} reply", "Copy {number:,} replies", count)
        self.reply.setText(several if count > 1 else tr("Copy a reply"))

    def _copy_reply(self) -> None:
        replies = self._replies()
        QGuiApplication.clipboard().setText("\n\n".join(replies))
        # The button stays where it is and as wide as it is.
        self.reply.setMinimumWidth(self.reply.width())
        self.reply.setText(tr("Copied ✓"))
        announce(self.reply, tr("The reply was copied") if len(replies) == 1 else tr("The replies were copied"))

    def _on_grouping_changed(self) -> None:
        self._model.set_grouping(LogGrouping(self.grouping.currentData()))

    def _on_filter_changed(self, text: str) -> None:
        self._model.set_filter(text)

    def focus_filter(self) -> None:
        """Move the focus to the filter, with its text selected."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def _go_to_rows(self) -> None:
        """Move the focus to the selected row, else to the first one."""
        if self._model.rowCount():
            self._select_first()
            self.table.setFocus(Qt.FocusReason.TabFocusReason)

    def _open_current(self) -> None:
        """Go to the rows, and open the selected one. While rows still move, none may be selected yet."""
        chosen = self.table.selectionModel().hasSelection()
        self._go_to_rows()
        if chosen:
            self.table.open_current()

    def _select_first(self) -> None:
        if not self.table.selectionModel().hasSelection():
            self.table.setCurrentIndex(self._model.index(0, 0))

    def _on_stop_clicked(self) -> None:
        if self._survey.busy:
            self._survey.stop()
        elif self._survey.is_listed:
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
        head.addWidget(self.reply)
        head.addWidget(self.others)
        head.addWidget(self.grouping)
        head.addWidget(self.filter, 2)
        head.addWidget(self.match_count)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._stack, 3)
        column.addWidget(self.names, 1)


class _FilterField(QLineEdit):
    """The filter above the rows.

    Signals: `rows_wanted` (the Down key was pressed).
    """

    rows_wanted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.rows_wanted.emit()
        else:
            super().keyPressEvent(event)


class LogsTable(QTableView):
    """The table of logs. Enter and double click open a log, or unfold a group.

    The order of the columns and the widths that the person chose are remembered. Other columns are as wide as their
    contents. The title takes the remaining room. Where little remains, the table scrolls.

    Signals: `open_wanted` (path).
    """

    open_wanted = Signal(object)

    def __init__(self, model: LogsModel, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._logs, self._settings = model, settings
        self._has_own_widths = False
        self._current_key, self._seen_at = "", -1
        self.setModel(model)
        self.setAccessibleName(tr("Logs"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self._tools = RowPainter(self.font())
        self._set_up_headers()
        self._restore_columns()
        self._set_up_delegates()
        self.doubleClicked.connect(self._open)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        add_row_action(self, tr("Open"), lambda: self._open(self.currentIndex()))
        add_row_action(self, tr("Go to the ticket with the same content"), self._go_to_same)
        for signal in (model.modelAboutToBeReset, model.layoutAboutToBeChanged):
            signal.connect(self._remember)
        model.modelReset.connect(self._restore_current)
        model.rowsInserted.connect(self._restore_current)
        model.layoutChanged.connect(self._restore_place)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._distribute_widths)
        for changed in (model.modelReset, model.rowsInserted, model.dataChanged):
            changed.connect(self._soon.start)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chosen = self.selectionModel().hasSelection()
        if not chosen and event.key() in _STEPS and self._logs.rowCount():
            # No row is visibly current yet: the first key press goes to the first row.
            self.setCurrentIndex(self._logs.index(0, 0))
        elif event.key() in _ENTER:
            # While rows still move, the first one may not be the one that the person saw.
            if chosen:
                self.open_current()
        elif chosen and event.key() in _FOLDING:
            self._logs.set_expanded(self.currentIndex().row(), _FOLDING[event.key()])
        elif event.key() in _ENDS:  # also with Ctrl, which would not select the row
            super().keyPressEvent(
                QKeyEvent(event.type(), event.key(), event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            )
        else:
            super().keyPressEvent(event)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Go to the first and the last row, where a table would go to the first and the last column."""
        ends = {self.CursorAction.MoveHome: 0, self.CursorAction.MoveEnd: self._logs.rowCount() - 1}
        if action in ends:
            return self._logs.index(ends[action], self.currentIndex().column())
        return super().moveCursor(action, modifiers)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        index = self.indexAt(at)
        if index.column() == LogColumn.TITLE and at.x() < self.visualRect(index).left() + self._tools.row_height:
            self._logs.set_expanded(index.row())
        super().mousePressEvent(event)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._distribute_widths()

    def _distribute_widths(self) -> None:
        """Make each column as wide as its contents; if the room is too small, narrow the widest columns."""
        if self._has_own_widths:
            self._fit_title()
            return
        wanted = column_widths(LOGS_TABLE.columns, self._tools)
        for column in _COLUMN_WEIGHTS:
            content_width = self._tools.width(self._longest(column)) + LOGS_TABLE.columns[LogColumn.VERDICT].padding
            wanted[column] = (
                max(content_width, wanted[column]) if column == LogColumn.CAUSE else content_width
            )  # causes arrive one by one
        room = self.viewport().width() - sum(width for column, width in wanted.items() if column not in _COLUMN_WEIGHTS)
        limit = width_limit_per_share([(wanted[column], share) for column, share in _COLUMN_WEIGHTS.items()], room)
        for column, width in wanted.items():
            if column != LogColumn.TITLE:
                self.horizontalHeader().resizeSection(
                    column, min(width, int(limit * _COLUMN_WEIGHTS.get(column, width)))
                )
        self._fit_title()

    def _fit_title(self) -> None:
        """Give the title the room that the other columns leave, but enough to be read."""
        header = self.horizontalHeader()
        others = sum(header.sectionSize(column) for column in LogColumn if column != LogColumn.TITLE)
        least = self._tools.width("x" * _MIN_TITLE_CHARS)
        header.resizeSection(LogColumn.TITLE, max(self.viewport().width() - others, least))

    def _restore_columns(self) -> None:
        """Restore the order and the widths that the person chose."""
        state, header = self._settings.state(_COLUMNS_STATE), self.horizontalHeader()
        self._has_own_widths = not state.isEmpty() and header.restoreState(state)
        header.setSectionResizeMode(LogColumn.TITLE, QHeaderView.ResizeMode.Fixed)
        header.setSortIndicator(LogColumn.VERDICT, Qt.SortOrder.AscendingOrder)
        header.sectionResized.connect(self._on_section_resized)
        header.sectionMoved.connect(self._keep_columns)

    def _on_section_resized(self, column: int) -> None:
        # A zoom scales all columns.
        if column != LogColumn.TITLE and QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self._fit_title()
            self._keep_columns()

    def _keep_columns(self) -> None:
        self._has_own_widths = True
        self._settings.set_state(_COLUMNS_STATE, self.horizontalHeader().saveState())

    def _reset_columns(self) -> None:
        """Show the columns in their own order, as wide as their contents."""
        header = self.horizontalHeader()
        for column in LogColumn:
            header.moveSection(header.visualIndex(column), column)
        self._has_own_widths = False
        self._settings.set_state(_COLUMNS_STATE, QByteArray())
        self._distribute_widths()

    def _longest(self, column: int) -> str:
        """Return the longest text among the first rows and the title, with room for the sort indicator."""
        rows = range(min(self._logs.rowCount(), _MEASURED_ROWS))
        title = tr("{title}    ", title=tr(LOGS_TABLE.columns[column].title))
        icon = "⬤ " if column == LogColumn.VERDICT else ""
        return max((title, *(f"{icon}{self._logs.index(row, column).data()}" for row in rows)), key=len)

    def _open(self, index: QModelIndex | QPersistentModelIndex) -> None:
        log = self._logs.log_at(index.row())
        if log is not None:
            self.open_wanted.emit(log.path)
        else:
            self._logs.set_expanded(index.row())

    def open_current(self) -> None:
        """Open the log of the current row, or expand or collapse its group."""
        self._open(self.currentIndex())

    def _go_to_same(self) -> None:
        index = self._logs.index_of_same(self.currentIndex().row())
        if index.isValid():
            self.setCurrentIndex(index)

    def selected_logs(self) -> list[LogEntry]:
        """Return the logs of the selected rows."""
        return self._logs.logs_at(sorted({index.row() for index in self.selectionModel().selectedRows()}))

    def _remember(self) -> None:
        """Remember the selected row and its position in the view: incoming verdicts must not move it away."""
        current = self.currentIndex()
        if not self._logs.rowCount():
            return
        chosen = self.selectionModel().hasSelection()
        self._current_key = self._logs.key_at(current.row()) if chosen else ""
        self._seen_at = self.visualRect(current).top() if chosen else -1

    def _restore_current(self) -> None:
        lost = self._current_key and not self.selectionModel().hasSelection()
        index = self._logs.index_of(self._current_key) if lost else QModelIndex()
        if index.isValid():
            self.setCurrentIndex(index)

    def _restore_place(self) -> None:
        current = self.currentIndex()
        if self._current_key and 0 <= self._seen_at < self.viewport().height():
            moved = self.visualRect(current).top() - self._seen_at
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + moved)

    def _set_up_headers(self) -> None:
        rows, header = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setMinimumSectionSize(self._tools.row_height)
        rows.setDefaultSectionSize(self._tools.row_height)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionsMovable(True)
        header.setMinimumSectionSize(self._tools.row_height * 2)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        reset = QAction(tr("Reset the columns"), header)
        reset.triggered.connect(self._reset_columns)
        header.addAction(reset)
        header.setSortIndicator(LogColumn.VERDICT, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def _set_up_delegates(self) -> None:
        tools = self._tools
        for number, column in enumerate(LOGS_TABLE.columns):
            self.setItemDelegateForColumn(number, make_delegate(column, tools, self))
        self.setItemDelegateForColumn(LogColumn.VERDICT, VerdictDelegate(tools, self))


def list_title(survey: LogListLoader) -> str:
    """Return the title of a list of logs: where the logs are."""
    if not survey.paths:
        return tr("Sessions on this machine")
    if len(survey.paths) > 1:
        return tr_plural("{number:,} ticket", "{number:,} tickets", len(survey.paths))
    return tr("Logs in {with_tilde}", with_tilde=with_tilde(hiding.display_path(survey.paths[0])))
