"""The document: the state of the window that the panels share.

It owns the open log, the place in it, the repair draft, the text search, the row filter and the navigation.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from inspector.core.presentation.engine_results import Facets, FilterResult, SaveResult, TextMatches
from inspector.core.presentation.outline import NodeKind, Numbers
from inspector.core.search.filter_line import parse_filter
from inspector.gui.common import ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.ui_text import tr
from inspector.gui.state.file_watcher import LOG_GONE_SENTENCE, FileChange, LogWatcher
from inspector.gui.state.load_status import Notice, Phase
from inspector.gui.state.navigation import NodeKey, Selection, ancestors_of, find_node, make_node_key
from inspector.gui.state.navigator import Navigator
from inspector.gui.state.record_reader import RecordReader, read_first_records
from inspector.gui.state.repair_draft import CallEvidenceLoader, RepairDraft
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.packed_answers import OpenedLog
from inspector.gui.worker.requests import (
    COMPUTE_FACETS,
    FILTER_ROWS,
    FIND_TEXT,
    OPEN_LOG,
    PREVIEW_REPAIR,
    SAVING_REQUESTS,
    Q,
    RequestSpec,
)

_START_MS, _NICE = 20, 5
_MAX_NAMED_CHOICES = 3
# What the document and the repair draft ask of the process.
_OWN_REQUESTS = (*SAVING_REQUESTS, OPEN_LOG, PREVIEW_REPAIR)


class Document(QObject):
    """The state of the open log. Panels listen to it and call its methods, and never talk to each other.

    Signals: `log_changed` (another log, or another state of it), `place_changed` (something else is selected),
    `state_changed` (progress, notices, a save), `written` (the path of the log, and what was saved of it).

    Parts: `selection` is what is selected, `repair` holds the choices and the plan, `open_calls` the evidence on
    unanswered calls, `search` the text search, `row_filter` the filter line, and `navigator` the moves between places.
    A panel that asks `process` something of its own connects to the answer and the failure there.
    """

    log_changed = Signal()
    state_changed = Signal()
    written = Signal(str, object)

    def __init__(self, core: CoreDependencies, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._core = core
        self.process = ChildProcess(core, self, nice=_NICE)
        self.process.salt = lambda: self._salt
        hiding.changed.connect(self._on_hiding_changed)
        self.process.answer_signal(OPEN_LOG).connect(self._on_process_opened)
        for request in SAVING_REQUESTS:
            self.process.answer_signal(request).connect(self._on_process_saved)
        self.process.failed.connect(self._on_process_failed)
        self.process.progressed.connect(self._on_process_progressed)
        self._start = QTimer(self, singleShot=True, interval=_START_MS)
        self._start.timeout.connect(self._read)
        self.watcher = LogWatcher(self.process, self)
        self.watcher.log_changed.connect(self._on_following_happened)
        self.repair = RepairDraft(self.process, self)
        self.repair.plan_changed.connect(self._on_plan_changed)
        self.repair.reload_needed.connect(self.reload)
        self.open_calls = CallEvidenceLoader(self.process, self.repair, self)
        self.selection = Selection(self.repair, self)
        self.place_changed = self.selection.changed
        # Asked before another log takes the place of this one.
        self.may_leave: Callable[[], bool] = lambda: True
        self.path = ""
        self.format_name = ""
        self.deep = False
        self.phase = Phase.EMPTY
        self.log: OpenedLog | None = None
        self.reader: RecordReader | None = None
        self.saving = False
        self.saved: SaveResult | None = None
        self.notice: Notice | None = None
        self.progress = (0, 0)
        self._reported_unused_choices = True
        self._salt = ""
        self._written_path, self.written_choices = "", self.repair.choices
        self._closed = False
        self._node_to_restore: NodeKey | None = None
        self.navigator = Navigator(self)
        self.search = TextSearch(self)
        self.row_filter = RowFilter(self)

    # the log

    def open(self, path: str, format_name: str = "", at: NodeKey | None = None) -> None:
        """Show the first rows of a log at once, and the whole log when it is read.

        `at` is the node to select then. Nothing happens if `may_leave` returns False.
        """
        if not self.may_leave():
            return
        self._node_to_restore = at
        if path != self.path:
            hiding.reset_lifted(self.path)
        self.path, self.format_name, self.deep = str(Path(path).absolute()), format_name, False
        self.repair.reset()
        self.watcher.reset()
        self.row_filter.reset()
        self._show_head()

    def reload(self) -> None:
        """Read the log again. The place in it and the choices stay."""
        if self.path:
            self._load()

    def _show_head(self) -> None:
        """Show only the first rows until the log is read."""
        self.saved, self._salt = None, hiding.salt(self.path)
        # The head is read in the detected format. With another format it would show something else.
        self.log, self.reader = (None, None) if self.format_name else read_first_records(self._core, self.path)
        self.selection.set_log(None)
        self.selection.set_log(self.log)
        self._load()

    def check_deeply(self) -> None:
        """Read the log again and check every byte of it. The place and the choices stay."""
        self.deep = True
        self.reload()

    def cancel(self) -> None:
        """Stop reading, or planning the repair. What is shown so far stays."""
        if self.phase == Phase.LOADING:
            self._start.stop()
            self.process.cancel()
            self._fail(tr("Reading was canceled. Only the first records are shown."), "retry")
        elif self.repair.planning and not self.saving:
            self.process.cancel()
            self.repair.set_failure(tr("There is no repair to show or save because planning was stopped."))
            self._fail(self.repair.failure, "retry")

    def close(self) -> None:
        """End the child process, because the window is closing."""
        hiding.reset_lifted(self.path)
        self._closed = True
        self._start.stop()
        self.watcher.reset()
        self.process.close()

    @property
    def whole_log(self) -> OpenedLog | None:
        """The log once it is read to its end, else None."""
        return self.log if self.phase == Phase.READY and self.log is not None and self.log.complete else None

    @property
    def why_not_writable(self) -> str:
        """Why nothing can be written for this log now, "" when something can."""
        if self.whole_log is None:
            return tr(ui_text.LOG_NOT_READ_YET)
        return self.why_busy

    @property
    def why_busy(self) -> str:
        """Why the document is busy: a save has not ended yet. "" when none is in progress."""
        return tr("A save is in progress.") if self.saving else ""

    @property
    def is_plan_coming(self) -> bool:
        """Whether the log is being read or its repair planned, so that the repair will be known soon."""
        return self.phase == Phase.LOADING or self.repair.planning

    @property
    def target_profiles(self) -> set[str]:
        """The profiles that a repair is for: the chosen one, else those of the sessions."""
        chosen, log = self.repair.choices.profile, self.log
        own = {session.profile for session in log.overview.sessions} if log else set()
        return {chosen} if chosen else own

    # the place in it

    @property
    def node(self) -> int:
        """The current row of the tree, 0 for none."""
        return self.selection.node

    @property
    def finding(self) -> int:
        """The position of the finding that the current row is about, -1 for none."""
        return self.selection.finding

    def select_node(self, node: int) -> None:
        self.selection.select_node(node)

    def select_finding(self, position: int) -> None:
        self.selection.select_findings(range(position, position + 1))

    def step_finding(self, forward: bool) -> None:
        self.selection.step(forward)

    # saving

    def write(self, request: RequestSpec[Any, *Q], *question: *Q) -> None:
        """Write what one of `SAVING_REQUESTS` asks for."""
        self.saving, self.progress, self.notice, self._written_path = True, (0, 0), None, self.path
        self.written_choices = self.repair.choices
        self.state_changed.emit()
        self.process.ask(request, *question)

    def dismiss_saved(self) -> None:
        """Remove the result of a save from view."""
        self.saved = None
        self.state_changed.emit()

    def show_notice(self, notice: Notice) -> None:
        """Show a sentence below all panes."""
        self.notice = notice
        self.state_changed.emit()

    def dismiss_notice(self) -> None:
        if self.notice is not None and self.notice.offer == "new":
            self.watcher.mark_seen()
        self.notice = None
        self.state_changed.emit()

    # internals

    def _load(self) -> None:
        self.phase, self.progress, self.notice, self.saving = Phase.LOADING, (0, 0), None, False
        self.watcher.pause()
        self.repair.set_log(None)
        self.open_calls.set_log(None)
        self.repair.plan_changed.emit()
        self.log_changed.emit()
        self.state_changed.emit()
        self._start.start()

    @Slot()
    def _read(self, fate: FileChange = FileChange.SAME) -> None:
        self.watcher.begin(self.path, fate)
        self.process.ask(OPEN_LOG, self.path, self.format_name, self.deep, fate != FileChange.SAME)

    def _fail(self, sentence: str, offer: str) -> None:
        self.phase = Phase.READY if self.log else Phase.FAILED
        self.notice = Notice(sentence, offer)
        self.state_changed.emit()

    @Slot()
    def _on_hiding_changed(self) -> None:
        """Show the log again after content hiding changed.

        The place and the choices stay. Everything else that was shown of the log is dropped.
        """
        if self.path and not self._closed and self._salt != hiding.salt(self.path):
            log, node = self.log, self.node
            self._node_to_restore = make_node_key(log.outline, node) if log is not None and node > 0 else None
            self._show_head()

    @Slot(object)
    def _on_process_opened(self, log: OpenedLog) -> None:
        self.notice = self.watcher.make_notice(self.log, log) or self.notice
        reader_before = self.reader if self.watcher.grew else None
        self.log, stamp = log, self.watcher.stamp
        self.reader = RecordReader(log, stamp, self._core.view, hiding.make_hider(self.path), reader_before)
        self.phase = Phase.READY
        self._reported_unused_choices = False
        self.watcher.watch(log)
        self.repair.set_log(log)
        self.open_calls.set_log(log)
        self.selection.set_log(log)
        self.log_changed.emit()
        self.row_filter.refresh()
        self.search.restart()
        self.repair.request_plan()
        self.state_changed.emit()
        node_key, self._node_to_restore = self._node_to_restore, None
        if node_key is not None:
            self.select_node(find_node(log.outline, node_key))
        self.place_changed.emit()

    @Slot(object)
    def _on_process_saved(self, saved: SaveResult) -> None:
        self.written.emit(self._written_path, saved)
        if not self.saving:
            self.show_notice(
                Notice(tr("Saved: {path}", path=hiding.display_path(saved.path)), good=True)
            )  # the log was closed meanwhile
            return
        self.saving, self.saved = False, saved
        if Path(saved.path) == Path(self.path):
            self.repair.reset()
            self.reload()
        else:
            self.state_changed.emit()

    @Slot(object)
    def _on_process_failed(self, failure: RequestFailure) -> None:
        if failure.request not in _OWN_REQUESTS and not failure.died:
            return
        if failure.request in SAVING_REQUESTS and not self.saving and not failure.died:
            self.show_notice(Notice(failure.sentence))  # the log was closed meanwhile
            return
        self.saving = False
        if failure.died or failure.request is PREVIEW_REPAIR:
            self.repair.set_failure(failure.sentence)
        if failure.request is PREVIEW_REPAIR and not failure.died:
            return
        self._fail(failure.sentence, "retry" if failure.died or failure.request is OPEN_LOG else "")
        if failure.request is OPEN_LOG and not failure.died:
            self.watcher.watch(self.log)

    @Slot(object)
    def _on_process_progressed(self, progress: tuple[int, int]) -> None:
        self.progress = progress
        self.state_changed.emit()

    @Slot(object)
    def _on_following_happened(self, fate: FileChange) -> None:
        """Read the log again after a change on disk. What is shown stays until then."""
        if fate == FileChange.GONE and self.log is None:
            return  # it could not be opened, and the notice says why
        if fate == FileChange.GONE:
            self.show_notice(Notice(tr(LOG_GONE_SENTENCE), tr("retry")))
        elif self.phase == Phase.READY and not self.saving:
            self._read(fate)

    @Slot()
    def _on_plan_changed(self) -> None:
        """Report the choices that no longer apply, once after each reading of the log."""
        plan = self.repair.plan
        if plan is None or self._reported_unused_choices:
            return
        self._reported_unused_choices = True
        if plan.summary.unmet:
            previous = self.notice or Notice("")
            self.show_notice(
                previous._replace(
                    sentence=" ".join(filter(None, (previous.sentence, *plan.summary.unmet[:_MAX_NAMED_CHOICES])))
                )
            )


# A longer record is not parsed to find which of its blocks contains the text.
_MAX_PARSED_BYTES = 1 << 20


class TextSearch(QObject):
    """A text search in the whole log.

    Signals: `changed`, `step_within_row` (go to the next match within the current row, or the previous one when False),
    `match_position_changed`.

    `records` contain the text, ascending. `matches_outside_records` counts the matches between records. The panel that
    shows the current row reports `match_number` (from 1), `match_count`, and whether the row has more matches than it
    shows. `match_count` is -1 when nothing reports it.
    """

    changed = Signal()
    step_within_row = Signal(bool)
    match_position_changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document, self._process = document, document.process
        self._process.answer_signal(FIND_TEXT).connect(self._on_found)
        self._process.done.connect(self._on_done)
        self._process.failed.connect(self._on_failed)
        self._jump_pending = False
        self._from = -1
        self.match_number, self.match_count, self.has_more_matches = 0, -1, False
        self._came_back_to = -1
        self.text = ""
        self.match_case = False
        self.pattern: re.Pattern[str] | None = None
        self.records = array("i")
        self.matches_outside_records = 0
        self.searching = False
        self.failure = ""

    def look_for(self, text: str, match_case: bool) -> None:
        """Look for another text, and go to the first row from here on that contains it. "" ends the search."""
        if (text, match_case) != (self.text, self.match_case):
            self.text, self.match_case = text, match_case
            self.pattern = re.compile(re.escape(text), 0 if match_case else re.IGNORECASE) if text else None
            self._jump_pending = True
            self._ask()

    def restart(self) -> None:
        """Search again after the log was read again, because the records may have moved."""
        self._jump_pending = False
        self._ask()

    def set_start(self) -> None:
        """Search from the current row while a text is being typed.

        Otherwise the search would continue from the match of the half-typed text.
        """
        self._from = self._document.log.record_of(self._document.node) if self._document.log else -1

    def step(self, forward: bool) -> None:
        """Go to the next or previous match in the row, else to the next row that contains the text.

        The search wraps around the ends of the log.
        """
        log, node = self._document.log, self._document.node
        if log is None or not self.records:
            return
        record = log.record_of(node)
        rows = self._nodes(record) if self.holds(record) else []
        if node in rows and (
            self.match_number < self.match_count or self.has_more_matches if forward else self.match_number > 1
        ):
            self.step_within_row.emit(forward)
            return
        nodes_ahead = [other for other in rows if (other > node if forward else other < node)]
        if nodes_ahead:
            self._select(nodes_ahead[0] if forward else nodes_ahead[-1], forward)
            return
        at = bisect_right(self.records, record) if forward else bisect_left(self.records, record) - 1
        for distance in range(len(self.records)):
            nodes = self._nodes(self.records[(at + (distance if forward else -distance)) % len(self.records)])
            if nodes:
                self._select(nodes[0] if forward else nodes[-1], forward)
                return

    def _select(self, node: int, forward: bool) -> None:
        self._came_back_to = -1 if forward else node
        if node == self._document.node:
            self.step_within_row.emit(forward)
        self._document.select_node(node)

    @property
    def enters_from_end(self) -> bool:
        """Whether the current row was reached by stepping backward, so that its last match comes first."""
        return self._came_back_to == self._document.node

    def set_match_position(self, number: int, count: int, more: bool) -> None:
        """Set which match of the current row is shown, how many there are, and whether there are more."""
        self.match_number, self.match_count, self.has_more_matches = number, count, more
        self.match_position_changed.emit()

    def holds(self, record: int) -> bool:
        """Return whether a record is known to contain the text."""
        at = bisect_left(self.records, record)
        return at < len(self.records) and self.records[at] == record

    def pattern_for_record(self, record: int) -> re.Pattern[str] | None:
        """Return the search pattern when the record contains the text, else None."""
        return self.pattern if self.holds(record) else None

    @property
    def position(self) -> int:
        """The position of the current record among the matching records, from 1, or 0 for none."""
        record = self._document.log.record_of(self._document.node) if self._document.log else -1
        return bisect_right(self.records, record) if self.holds(record) else 0

    def _nodes(self, record: int) -> list[int]:
        """Return the rows of a record that show the text.

        When no block contains it, that is the first row of the record. Empty when the record has no row.
        """
        log, reader = self._document.log, self._document.reader
        if log is None or reader is None or not 0 <= record < len(log.outline.node_of_record):
            return []
        first = log.outline.node_of_record[record]
        if first <= 0:
            return []
        start, end = reader.span(record)
        view = reader.view(record) if end - start <= _MAX_PARSED_BYTES else None
        nodes = {
            log.outline.node_of_block(record, number)
            for number, block in enumerate(view.blocks if view else ())
            if self.pattern and any(map(self.pattern.search, (block.text, block.name, block.call_id)))
        }
        return sorted(nodes) or [first]

    def _ask(self) -> None:
        self.records, self.matches_outside_records, self.failure = array("i"), 0, ""
        self.searching = bool(self.text) and self._document.whole_log is not None
        if self.searching and not self._process.alive:
            self._document.reload()
        elif self.searching:
            self._process.ask(FIND_TEXT, self.text, self.match_case)
        self.changed.emit()

    def _jump_to_first(self, anywhere: bool) -> None:
        """Go to the first match from where the search began, else (with `anywhere`) to the first of all."""
        at = bisect_left(self.records, self._from)
        if not self._jump_pending or not self.records or (at == len(self.records) and not anywhere):
            return
        self._jump_pending = False
        nodes = self._nodes(self.records[at % len(self.records)])
        self._document.select_node(nodes[0] if nodes else -1)

    @Slot(object)
    def _on_found(self, part: TextMatches) -> None:
        if not self.searching:
            return
        self.records.extend(part.records)
        self.matches_outside_records = part.outside_matches
        self._jump_to_first(anywhere=False)
        self.changed.emit()

    @Slot()
    def _on_done(self) -> None:
        if self.searching:
            self.searching = False
            self._jump_to_first(anywhere=True)
            self.changed.emit()

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if self.searching and (failure.died or failure.request is FIND_TEXT):
            self.searching, self.failure = False, failure.sentence
            self.changed.emit()


# What is shown where tools are folded, as a line to filter by.
_PROMPTS_AND_ANSWERS = "is:text,media role:user,assistant"


class RowFilter(QObject):
    """The filter of the tree, and the facets that can be filtered by.

    Signals: `changed` (the line, or what is known about it), `kept_changed` (other rows), `facets_changed`.

    `kept` are the nodes that are shown, ascending, None for all. `folds_tools`: of those, only prompts and answers.
    """

    changed = Signal()
    kept_changed = Signal()
    facets_changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document, self._process = document, document.process
        self._process.answer_signal(FILTER_ROWS).connect(self._on_filtered)
        self._process.answer_signal(COMPUTE_FACETS).connect(self._on_facets)
        self._process.failed.connect(self._on_failed)
        document.place_changed.connect(self._show_what_was_folded)
        self.line = self.error = ""
        self.folds_tools = False
        self.pending = self._leads_to_match = False
        self.answer = FilterResult()
        self.kept: Numbers | None = None
        self.facets = Facets()
        self._facets_of: OpenedLog | None = None

    @property
    def current_facets(self) -> Facets:
        """The facets of the log as it is now.

        They are empty until they arrive, because facets of another state refer to other rows.
        """
        return self.facets if self._facets_of is self._document.log else Facets()

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if self.pending and (failure.died or failure.request is FILTER_ROWS):
            self.pending, self.error = False, failure.sentence
            self.changed.emit()

    def set_line(self, line: str) -> None:
        """Filter by another line. With a line that cannot be parsed, the rows stay as they are."""
        line = line.strip()
        if line != self.line:
            self.line, self.error = line, parse_filter(line).fault
            self._ask()

    def fold_tools(self, on: bool) -> None:
        """Show only prompts and answers, or all rows. Calls and results are shown when they are gone to."""
        self.folds_tools = on
        self._ask()

    def refresh(self) -> None:
        """Filter again after the log was read again, because its rows have other numbers."""
        self._process.ask(COMPUTE_FACETS)
        self.error = parse_filter(self.line).fault  # a filter that failed is tried again
        self._ask()

    def reset(self) -> None:
        """Show all rows, because another log is opened."""
        self.line = self.error = ""
        self.facets = Facets()
        self._show_all()
        self.facets_changed.emit()

    def hides(self, node: int) -> bool:
        """Return whether a node is filtered out."""
        if self.kept is None or node <= 0:
            return False
        at = bisect_left(self.kept, node)
        return at == len(self.kept) or self.kept[at] != node

    def reveal(self, node: int) -> None:
        """Show a node as well, with its ancestors and its blocks."""
        log = self._document.log
        if self.kept is not None and log is not None:
            outline = log.outline
            below = range(outline.first[node], outline.first[node] + outline.count[node])
            blocks = (child for child in below if outline.kind[child] == NodeKind.BLOCK)
            self.kept = array("i", sorted({*self.kept, *ancestors_of(outline, node), node, *blocks}))
            self.kept_changed.emit()

    def go_to_match(self) -> None:
        """Select the uppermost row that matches if the current row is filtered out; once the answer is here."""
        self._leads_to_match = self.pending
        if not self.pending and self.hides(self._document.node) and self.answer.first:
            self._document.select_node(self.answer.first)

    def _ask(self) -> None:
        self._leads_to_match = False
        if not self.line and not self.folds_tools:
            self._show_all()
        elif not self.error and self._document.whole_log is not None:
            self.pending = True
            if self._process.alive:
                self._process.ask(FILTER_ROWS, f"{self.line} {_PROMPTS_AND_ANSWERS}" if self.folds_tools else self.line)
            else:
                self._document.reload()
        self.changed.emit()

    def _show_all(self) -> None:
        self.pending, shown = False, self.kept
        self.kept, self.answer = None, FilterResult()
        if shown is not None:
            self.kept_changed.emit()
        self.changed.emit()

    @Slot(object)
    def _on_filtered(self, answer: FilterResult) -> None:
        if self.pending:
            self.pending, self.answer, self.error = False, answer, answer.fault
            if not answer.fault:
                self.kept = answer.kept
                self.kept_changed.emit()
                self._show_what_was_folded()
                if self._leads_to_match:
                    self.go_to_match()
            self.changed.emit()

    def _show_what_was_folded(self) -> None:
        """Show the current row where it is only folded. What the line hides is hidden until the person wants it."""
        if self.folds_tools and not self.line and self.hides(self._document.node):
            self.reveal(self._document.node)

    @Slot(object)
    def _on_facets(self, facets: Facets) -> None:
        self.facets, self._facets_of = facets, self._document.log
        self.facets_changed.emit()
