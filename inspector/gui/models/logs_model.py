"""A list of logs as a table. It groups logs by ticket, cause, agent or project, and sorts and filters itself."""

import os
from collections.abc import Callable, Collection, Iterable
from enum import IntEnum
from typing import Any, NamedTuple

from msgspec.structs import replace
from PySide6.QtCore import QAbstractTableModel, QDateTime, QLocale, QModelIndex, QObject, Qt

from inspector.core.discovery.log_entry import LogEntry
from inspector.core.formats.base.stores import with_tilde
from inspector.core.presentation.engine_results import LogVerdict
from inspector.core.text import format_bytes
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import to_one_line
from inspector.gui.models.base import NO_INDEX, ColumnSpec, ItemRole, ModelIndex, TableSpec, header_data
from inspector.gui.state.log_list_loader import LogListLoader, container_path, log_group_path
from inspector.gui.state.log_work_marks import LogWorkMark, LogWorkMarks

_MAX_CHARS, _ROOM = 200, 24
# Worst first. Healthy logs keep the default rank, so that the list does not move under the pointer.
_RANKS = {"broken": 0, "unreadable": 1, "unexplained": 2, "not-judged": 3, "heals-itself": 4, "waiting": 5}
HEALTHY_RANK = 6


_HINTS = (
    tr(
        "The verdict. The worst logs come first. Logs with the same verdict are sorted by the share of "
        "messages that they keep, then by the number of errors"
    ),
    tr("Name and title of the log"),
    tr("The likely cause of the problem, or the problem itself"),
    tr("The folder that the agent worked in"),
    tr("The program that wrote the log, and its version"),
    tr("When the log was last modified"),
    tr("File size"),
)


class LogColumn(IntEnum):
    """The columns of a list of logs, from the left."""

    VERDICT = 0
    TITLE = 1
    CAUSE = 2
    PROJECT = 3
    AGENT = 4
    CHANGED = 5
    SIZE = 6


# The columns that are filled by checking a log, not by its head.
COLUMNS_FILLED_BY_CHECK = (LogColumn.VERDICT, LogColumn.CAUSE, LogColumn.AGENT)


class LogGrouping(IntEnum):
    """What the logs of a list have in common that one row stands for."""

    TICKET = 0
    CAUSE = 1
    AGENT = 2
    PROJECT = 3


_FOLD_SIGNS = {True: "▾", False: "▸"}
_INDENT = "      "


_REPLIES = {
    "broken": tr(
        "The session in {name} cannot be resumed until it is repaired. {cause} To repair the session, "
        "install Transcript Inspector and run `transcript-inspector fix` in your project folder. The "
        "command shows every change before it saves anything, and it does not change your original "
        "session."
    ),
    "heals-itself": tr("The session in {name} can be resumed because the agent repairs it automatically. {cause}"),
    "waiting": tr(
        "The session in {name} is waiting for a tool that has not finished. You can resume the session "
        "without repairing it."
    ),
    "unexplained": tr(
        "We found nothing wrong with the history in {name}, although the provider rejected the last "
        "request. Please send us the complete error message and the version of the agent."
    ),
    "healthy": tr(
        "We found nothing wrong with the history in {name}. If a request that uses this history fails, "
        "please send us the complete error message."
    ),
}


class LogRow(NamedTuple):
    """A row: a log with its index in the list and its verdict, if it has one, or a group of several logs.

    `ticket` is the path of the ticket that a log is in, "" for none, or where the group says it. A group has a `name`;
    its log and its verdict are the worst, with the total size, and with all errors unless it is a ticket. `frequency`
    is the number of its tickets or logs, where the group shows how common something is. Its logs are below it when it
    is `unfolded`. `marks` are those of the log, or those that each broken log of the group has. `unsaved` is the number
    of choices that were made for the log and not saved. `same_as` is the path of an earlier ticket with the same bytes.
    """

    number: int
    log: LogEntry
    verdict: LogVerdict | None
    ticket: str = ""
    name: str = ""
    frequency: int = 0
    unfolded: bool = False
    indented: bool = False
    marks: frozenset[LogWorkMark] = frozenset()
    unsaved: int = 0
    same_as: str = ""


def _verdict_cell(row: LogRow) -> str:
    return verdict_text(row.verdict, row.marks)


def _cause_cell(row: LogRow) -> str:
    return row.verdict.cause if row.verdict else ""


def _title_cell(row: LogRow) -> str:
    """Return the title of a row, after the number of choices that were not saved: the end of a long title is cut."""
    title = _title(row)
    if not row.unsaved:
        return title
    return tr_plural(
        "{number:,} unsaved choice · {title}", "{number:,} unsaved choices · {title}", row.unsaved, title=title
    )


def _title(row: LogRow) -> str:
    """Return the name of a group, or the ticket and the title of a log."""
    same = tr("same as {ticket}", ticket=_ticket_name(row.same_as)) if row.same_as else ""
    if row.name:
        return " · ".join(filter(None, (f"{_FOLD_SIGNS[row.unfolded]} {row.name}", same)))
    if not row.log.format:
        own = _ticket_name(row.log.path)
    else:
        own = to_one_line(row.log.title or hiding.display_name(row.log.path), _MAX_CHARS)
    title = " · ".join(filter(None, dict.fromkeys((_ticket_name(row.ticket), same, own))))
    return f"{_INDENT}{title}" if row.indented else title


def _ticket_name(path: str) -> str:
    """Return the name of an archive or of a path that was opened: it was chosen by who asks, so it is never hidden."""
    return to_one_line(os.path.basename(path.rstrip(os.sep)), _MAX_CHARS)


def _shared(texts: Iterable[str]) -> str:
    """Return the text that all logs of a group have, "" if they differ."""
    different = set(texts)
    return different.pop() if len(different) == 1 else ""


def _agent_cell(row: LogRow) -> str:
    return to_one_line(f"{row.log.agent} {row.verdict.version if row.verdict else ''}".strip(), _MAX_CHARS)


def _changed_cell(row: LogRow) -> str:
    return QLocale.system().toString(QDateTime.fromSecsSinceEpoch(int(row.log.modified)), "yyyy-MM-dd HH:mm")


def _project_cell(row: LogRow) -> str:
    return to_one_line(with_tilde(row.log.project), _MAX_CHARS)


def _size_cell(row: LogRow) -> str:
    return format_bytes(row.log.size) if row.log.size else ""


def verdict_rank(row: LogRow) -> int:
    return _RANKS.get(row.verdict.verdict, HEALTHY_RANK) if row.verdict else HEALTHY_RANK


def severity_key(row: LogRow) -> tuple[int, bool, int, float, int]:
    """Return the sort key for the worst first.

    It is the verdict, whether it is still to repair, how common it is, the share that is kept, and the errors.
    """
    verdict = row.verdict
    if verdict is None:
        return HEALTHY_RANK, False, -row.frequency, 1, 0
    kept = verdict.sent / verdict.messages if verdict.messages else 1
    return verdict_rank(row), LogWorkMark.REPAIRED in row.marks, -row.frequency, kept, -verdict.errors


def _verdict_tip(row: LogRow) -> str:
    return to_one_line(row.verdict.sentence if row.verdict else hiding.display_path(row.log.path), 300)


def _path_tip(row: LogRow) -> str:
    return to_one_line(row.log.project or hiding.display_path(row.log.path), 300)


def _verdict_mark(row: LogRow) -> str:
    if LogWorkMark.REPAIRED in row.marks:
        return "repaired"
    return row.verdict.verdict if row.verdict else ""


LOGS_TABLE = TableSpec[LogRow](
    (
        ColumnSpec(tr("Verdict"), _verdict_cell, (tr("⬤ Broken · 888 · keeps 88%"),), _ROOM, _HINTS[0],
                   tip=_verdict_tip, key=severity_key),
        ColumnSpec(tr("Session"), _title_cell, hint=_HINTS[1], key=lambda row: _title_cell(row).casefold()),
        ColumnSpec(tr(
            "Likely cause"
        ), _cause_cell, (tr("Claude Code was stopped while a command was running"),), _ROOM, _HINTS[2],
                   tip=_cause_cell, key=lambda row: (not _cause_cell(row), _cause_cell(row))),
        ColumnSpec(tr("Project"), _project_cell, ("~/projects/transcript-inspector",), _ROOM, _HINTS[3], tip=_path_tip,
               key=lambda row: row.log.project.casefold()),
        ColumnSpec(tr(
            "Agent"
        ), _agent_cell, (tr("Anthropic Messages JSON"),), _ROOM, _HINTS[4], muted=True, tip=_agent_cell,
               key=lambda row: row.log.agent.casefold()),
        ColumnSpec(tr("Last change"), _changed_cell, ("2026-08-28 08:58",), _ROOM, _HINTS[5], muted=True,
               key=lambda row: row.log.modified, descending_first=True),
        ColumnSpec(tr("Size"), _size_cell, ("888.8 MB",), _ROOM, _HINTS[6], align_right=True,
               key=lambda row: row.log.size, descending_first=True),
    ),
    tip=lambda row: to_one_line(hiding.display_path(row.log.path), 300),
    accessible_text=lambda row: (
        f"{_verdict_cell(row)}: "
        + ", ".join(filter(None, (_title_cell(row), _cause_cell(row), _agent_cell(row), _changed_cell(row))))
    ),
    accessible_column=LogColumn.TITLE,
    roles={
        ItemRole.MARK: _verdict_mark,
        ItemRole.COUNT: lambda row: row.verdict.errors if row.verdict else 0,
    },
)  # fmt: skip


def verdict_text(verdict: LogVerdict | None, marks: Collection[LogWorkMark] = ()) -> str:
    """Return a verdict in plain words, with the number of errors.

    It also says what a resume would lose, or that a repair was saved elsewhere or a report was made.
    """
    name = verdict.verdict if verdict else ""
    said = tr(ui_text.VERDICT_WORDS.get(name, name))
    counted = f"{said} · {verdict.errors:,}" if verdict and name == "broken" else said
    if LogWorkMark.REPAIRED in marks:
        return tr("{verdict}, repaired", verdict=counted)
    if verdict and verdict.sent < verdict.messages:
        share = 100 * verdict.sent // verdict.messages  # never 100
        counted = tr("{verdict} · keeps {share}%", verdict=counted, share=share)
    elif verdict and verdict.drops:
        counted = tr("{verdict} · drops {loss}", verdict=counted, loss=verdict.drops)
    return tr("{verdict}, reported", verdict=counted) if LogWorkMark.REPORTED in marks else counted


class LogsModel(QAbstractTableModel):
    """The model of a list of logs, with those of a group folded into one row. MARK is a verdict, "" for none yet.

    A row is identified by a number: the index of its log, or a negative number for a group.
    """

    def __init__(
        self,
        survey: LogListLoader,
        marks: LogWorkMarks,
        parent: QObject | None = None,
        unsaved_in: Callable[[str], int] = lambda path: 0,
    ) -> None:
        """Create the model. `unsaved_in` returns the number of choices for the log at a path that were not saved."""
        super().__init__(parent)
        self._loader, self._marks, self._unsaved_in = survey, marks, unsaved_in
        marks.changed.connect(self._on_marks_changed)
        self._logs, self._verdicts = survey.logs, survey.verdicts
        self._texts: dict[int, tuple[str, ...]] = {}
        self._rows: list[int] = []
        self._words: list[str] = []
        # How many logs and unread tickets the filter lets through.
        self.matching_count = 0
        self.grouping = LogGrouping.TICKET
        # The positions of the logs of each group, by its name; tickets are named by their paths.
        self._groups: dict[str, list[int]] = {}
        self._group_of: list[str] = []
        self._ticket_of: list[str] = []
        self._names: list[str] = []
        self._places: dict[str, int] = {}
        self._unfolded: set[str] = set()
        self.sorted_by = LogColumn.VERDICT
        self.descending = False
        survey.restarted.connect(self._on_restarted)
        survey.listed.connect(self._on_listed)
        survey.judged.connect(self._on_judged)

    def log_at(self, row: int) -> LogEntry | None:
        """Return the log that a row opens, None for a group or an entry without a log."""
        number = self._rows[row] if 0 <= row < len(self._rows) else -1
        return self._logs[number] if number >= 0 and self._logs[number].format else None

    def logs_at(self, rows: Iterable[int]) -> list[LogEntry]:
        """Return the logs of rows, each once. A group row stands for all its logs."""
        numbers = (each for row in rows for each in self._members(self._rows[row]))
        return [self._logs[number] for number in dict.fromkeys(numbers) if self._logs[number].format]

    def reply_at(self, row: int) -> str:
        """Return a reply to the sender of a log or a ticket, "" for a row that has none. It has no log content."""
        if not 0 <= row < len(self._rows):
            return ""
        shown = self._listed(self._rows[row])
        path = shown.ticket or shown.log.path
        unread = self._loader.unread_tickets.get(path)
        if unread:
            return unread.reply(_ticket_name(path))
        reply = _REPLIES.get(shown.verdict.verdict, "") if shown.verdict and path else ""
        return tr(reply, name=_ticket_name(path), cause=shown.verdict.cause if shown.verdict else "") if reply else ""

    def index_of_same(self, row: int) -> QModelIndex:
        """Return the index of the earlier ticket with the same bytes as a row, invalid if there is none."""
        own = self._container_of(self._rows[row]) if 0 <= row < len(self._rows) else ""
        first = self._loader.duplicates.get(own, "")
        rows = (at for at, number in enumerate(self._rows) if first and self._container_of(number) == first)
        return self.index(next(rows, -1), LogColumn.TITLE)

    def _container_of(self, number: int) -> str:
        return container_path(self._logs[number]) if number >= 0 else self._names[-1 - number]

    def key_at(self, row: int) -> str:
        """Return what identifies a row when others are shown: the path of its log, or the name of its group."""
        number = self._rows[row]
        return self._logs[number].path if number >= 0 else self._names[-1 - number]

    def index_of(self, key: str, column: int = LogColumn.TITLE) -> QModelIndex:
        """Return the index of a log by its path, or of a group by its name, invalid when it is not shown."""
        row = next((row for row in range(len(self._rows)) if self.key_at(row) == key), -1)
        return self.index(row, column)

    def set_filter(self, text: str) -> None:
        """Show the logs that contain each word of `text` in title, project, agent, path, verdict or cause."""
        wanted = text.casefold().split()
        if wanted != self._words:
            self._words = wanted
            self._choose_rows()

    def refresh_titles(self) -> None:
        """Show the titles again, because other choices are unsaved."""
        self._texts.clear()
        if self._rows:
            self.dataChanged.emit(self.index(0, LogColumn.TITLE), self.index(len(self._rows) - 1, LogColumn.TITLE))

    @property
    def is_filtered(self) -> bool:
        return bool(self._words)

    @property
    def ticket_count(self) -> int:
        """The number of tickets, 0 when the list has none."""
        return len({*self._ticket_of} - {""})

    def set_grouping(self, grouping: LogGrouping) -> None:
        """Group the logs by something else. All groups are folded."""
        if grouping != self.grouping:
            self.grouping, self._unfolded = grouping, set()
            self._choose_rows(regroup=True)

    def is_group(self, row: int) -> bool:
        """Return whether a row is a group of several logs."""
        return 0 <= row < len(self._rows) and self._rows[row] < 0

    def set_expanded(self, row: int, unfolded: bool | None = None) -> None:
        """Expand or collapse a group. None toggles it."""
        if not self.is_group(row):
            return
        name = self._names[-1 - self._rows[row]]
        shown = name in self._unfolded
        if unfolded in (None, not shown):
            below = self._sorted([each for each in self._groups[name] if self._matches_filter(each)])
            if shown:
                self._unfolded.discard(name)
                self.beginRemoveRows(QModelIndex(), row + 1, row + len(below))
                del self._rows[row + 1 : row + 1 + len(below)]
                self.endRemoveRows()
            else:
                self._unfolded.add(name)
                self.beginInsertRows(QModelIndex(), row + 1, row + len(below))
                self._rows[row + 1 : row + 1] = below
                self.endInsertRows()
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(LogColumn) - 1))

    # Qt's questions

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(LogColumn)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        number, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole and column not in COLUMNS_FILLED_BY_CHECK and number >= 0:
            return self._cells(number)[column]
        return LOGS_TABLE.cell_data(self._listed(number), column, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return header_data(LOGS_TABLE.columns, section, orientation, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sorted_by, self.descending = LogColumn(max(column, 0)), order == Qt.SortOrder.DescendingOrder
        self._resort()

    # the survey

    def _on_restarted(self) -> None:
        self.beginResetModel()
        self._logs, self._verdicts = self._loader.logs, self._loader.verdicts
        self._texts, self._rows, self._ticket_of = {}, [], []
        self._groups, self._group_of, self._names = {}, [], []
        self.matching_count = 0
        self.endResetModel()

    def _on_listed(self, logs: list[LogEntry]) -> None:
        total = len(self._logs)
        for number in range(len(self._ticket_of), total):
            self._ticket_of.append(log_group_path(self._logs[number], self._loader.paths))
        if self.grouping != LogGrouping.TICKET or any(self._ticket_of):
            self._choose_rows(regroup=True)
            return
        self._regroup()
        added = [number for number in range(total - len(logs), total) if self._matches_filter(number)]
        self.matching_count += len(added)
        if added:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(added) - 1)
            self._rows += added
            self.endInsertRows()
            self._resort()

    def _regroup(self) -> None:
        """Divide the logs into groups."""
        self._texts.clear()
        self._group_of = [self._group_name(number) for number in range(len(self._ticket_of))]
        self._groups = {}
        for number, name in enumerate(self._group_of):
            if name:
                self._groups.setdefault(name, []).append(number)
        self._names = list(self._groups)
        self._places = {name: -1 - place for place, name in enumerate(self._names)}

    def _group_name(self, number: int) -> str:
        """Return the name of the group that a log belongs to, "" for none."""
        log, verdict = self._logs[number], self._verdicts[number]
        match self.grouping:
            case LogGrouping.TICKET:
                return self._ticket_of[number]
            case LogGrouping.CAUSE:
                name = verdict.verdict if verdict else ""
                unknown = tr("No known cause") if name == "broken" else tr(ui_text.VERDICT_WORDS.get(name, name))
                return to_one_line(verdict.cause, _MAX_CHARS) if verdict and verdict.cause else unknown
            case LogGrouping.AGENT:
                return to_one_line(f"{log.agent} {verdict.version if verdict else ''}".strip(), _MAX_CHARS)
        return to_one_line(with_tilde(log.project), _MAX_CHARS)

    def _on_judged(self, numbers: list[int]) -> None:
        if self.grouping in (LogGrouping.CAUSE, LogGrouping.AGENT):
            # A verdict says what group its log is in.
            self._choose_rows(regroup=True)
            return
        if self._words:
            shown = {each for row in self._rows for each in self._members(row)}
            if any(self._matches_filter(number) != (number in shown) for number in numbers):
                self._choose_rows()
                return
        if self.sorted_by in COLUMNS_FILLED_BY_CHECK and any(
            verdict_rank(self._listed(number)) != HEALTHY_RANK for number in numbers
        ):
            self._resort()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(LogColumn) - 1))

    def _members(self, number: int) -> list[int]:
        return [number] if number >= 0 else self._groups[self._names[-1 - number]]

    def _row_number_of(self, number: int) -> int:
        """Return the row number that shows a log: that of its group, when the group has several logs."""
        name = self._group_of[number] if number >= 0 else ""
        return self._places[name] if name and len(self._groups[name]) > 1 else number

    def _listed(self, number: int) -> LogRow:
        if number >= 0:
            log, indented = self._logs[number], self._row_number_of(number) < 0
            is_named = indented and self.grouping == LogGrouping.TICKET
            return LogRow(
                number,
                log,
                self._verdicts[number],
                "" if is_named else self._ticket_of[number],
                indented=indented,
                marks=self._marks_of(number),
                unsaved=self._unsaved_in(log.path),
                same_as="" if is_named else self._loader.duplicates.get(container_path(log), ""),
            )
        name = self._names[-1 - number]
        by_ticket = self.grouping == LogGrouping.TICKET
        logs = [self._listed(each) for each in self._groups[name]]
        first, judged = min(logs, key=severity_key), [row.verdict for row in logs if row.verdict]
        log = replace(
            first.log,
            path=name if by_ticket else "",
            title="",
            project=_shared(row.log.project for row in logs),
            agent=_shared(row.log.agent for row in logs),
            modified=max(row.log.modified for row in logs),
            size=sum(row.log.size for row in logs),
        )
        verdict = first.verdict and replace(first.verdict, version=_shared(each.version for each in judged))
        if verdict and not by_ticket:  # a ticket is as bad as its worst log; other groups count the errors of all
            errors = sum(each.errors for each in judged)
            verdict = replace(verdict, errors=errors, sent=0, messages=0, drops="")
        broken = [row for row in logs if verdict_rank(row) == 0]
        marks = frozenset.intersection(*(row.marks for row in broken)) if broken else frozenset[LogWorkMark]()
        tickets = len({self._ticket_of[row.number] for row in logs} - {""})
        counts = tr_plural("{number:,} log", "{number:,} logs", len(logs))
        if not by_ticket and tickets:
            counts = tr(
                "{logs} in {tickets}",
                logs=counts,
                tickets=tr_plural("{number:,} ticket", "{number:,} tickets", tickets),
            )
        return LogRow(
            first.number,
            log,
            verdict,
            name=self._group_title(name, counts, verdict),
            frequency=0 if by_ticket else tickets or len(logs),
            unfolded=name in self._unfolded,
            marks=marks,
            unsaved=sum(row.unsaved for row in logs),
            same_as=self._loader.duplicates.get(container_path(first.log), "") if by_ticket else "",
        )

    def _group_title(self, name: str, counts: str, verdict: LogVerdict | None) -> str:
        """Return the title of a group. A cause is left out, because it has a column of its own."""
        if self.grouping == LogGrouping.TICKET:
            return f"{_ticket_name(name)} · {counts}"
        return counts if verdict is not None and name == verdict.cause else f"{counts} · {name}"

    def marked_count(self, mark: LogWorkMark) -> int:
        """Return how many logs have a mark."""
        return sum(mark in self._marks_of(number) for number in range(len(self._ticket_of)))

    def _marks_of(self, number: int) -> frozenset[LogWorkMark]:
        verdict, log = self._verdicts[number], self._logs[number]
        if verdict is None or verdict.verdict == "healthy":
            return frozenset()
        return frozenset(mark for mark in LogWorkMark if self._marks.has(log, mark))

    def _on_marks_changed(self) -> None:
        if self._rows:
            self._resort()
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(LogColumn) - 1))

    def _cells(self, number: int) -> tuple[str, ...]:
        """Return the cell texts of a log. They are cached, because scrolling asks for them repeatedly."""
        made = self._texts.get(number)
        if made is None:
            row = self._listed(number)
            made = self._texts[number] = tuple(column.text(row) for column in LOGS_TABLE.columns)
        return made

    # order

    def _choose_rows(self, regroup: bool = False) -> None:
        self.beginResetModel()
        if regroup:  # not before the views know that the numbers of the rows change
            self._regroup()
        fitting = [number for number in range(len(self._ticket_of)) if self._matches_filter(number)]
        self.matching_count = len(fitting)
        self._rows = self._expand_groups(list(dict.fromkeys(map(self._row_number_of, fitting))))
        self.endResetModel()

    def _expand_groups(self, units: list[int]) -> list[int]:
        """Return row numbers in the chosen order, with the logs of expanded groups after them."""
        rows = []
        for unit in self._sorted(units):
            rows.append(unit)
            if unit < 0 and self._names[-1 - unit] in self._unfolded:
                rows += self._sorted([each for each in self._members(unit) if self._matches_filter(each)])
        return rows

    def _resort(self) -> None:
        rows = self._expand_groups(list(dict.fromkeys(map(self._row_number_of, self._rows))))
        if rows == self._rows:
            return
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        numbers = [self._rows[index.row()] for index in kept]
        self._rows = rows
        place = {number: row for row, number in enumerate(rows)} if kept else {}
        moved = [self.index(place[number], old.column()) for number, old in zip(numbers, kept, strict=True)]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _sorted(self, numbers: list[int]) -> list[int]:
        """Return numbers in the chosen order. Equal ones keep the order in which they were listed."""
        key = LOGS_TABLE.columns[self.sorted_by].key
        keys = {
            number: key(self._listed(number)) for number in sorted(numbers, key=lambda each: self._members(each)[0])
        }
        return sorted(keys, key=keys.__getitem__, reverse=self.descending)

    def _matches_filter(self, number: int) -> bool:
        if not self._words:
            return True
        log, verdict = self._logs[number], self._verdicts[number]
        judged = f"{verdict_text(verdict, self._marks_of(number))}\n{verdict.cause if verdict else ''}"
        path = hiding.display_path(log.path) if log.format else log.path
        ticket = _ticket_name(self._ticket_of[number])
        text = f"{log.title}\n{log.project}\n{log.agent}\n{path}\n{ticket}\n{judged}".casefold()
        return all(word in text for word in self._words)
