"""The side tab that shows a message in readable form, with the evidence about an unanswered call below it."""

from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QTextCursor
from PySide6.QtWidgets import QMenu, QTreeView, QVBoxLayout, QWidget

from inspector.core.analysis.evidence_search import Evidence
from inspector.core.model.views import RecordLocation, one_based
from inspector.core.presentation.detail_pieces import DetailsRequest, RecordDetails
from inspector.core.presentation.outline import NodeKind, Numbers
from inspector.core.translation import tr
from inspector.gui.common import theme, ui_text
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import SafeLabel, to_one_line
from inspector.gui.details.clipboard import CopyFormat, copy_parts
from inspector.gui.details.entries import Entry, EntryBuilder, HeadingEntry, LineEntry, PartEntry, blocks_of_node
from inspector.gui.details.page import DetailsPage
from inspector.gui.models.base import TableModel
from inspector.gui.models.list_columns import EVIDENCE_TABLE
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import set_up_table
from inspector.gui.widgets.labels import IconHeader, PlainLabel
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.packed_answers import OpenedLog
from inspector.gui.worker.requests import RECORD_DETAILS, SYNTAX_COLOURS
from inspector.gui.worker.syntax_colours import CodeText

_MAX_ROWS = 5
_COMMAND_CHARS = 400


class DetailsPanel(QWidget):
    """The details of the current message or block."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.page = DetailsPage(tr("Details"), self)
        self.page.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.evidence = EvidenceCard(document, self)
        self._shown: tuple[OpenedLog | None, int, int] = (None, -2, -2)
        self._known: dict[int, RecordDetails] = {}
        self._awaited: list[DetailsRequest] = []
        stack_vertically(self, self.page, self.evidence, grows=self.page)
        self.page.node_wanted.connect(document.select_node)
        self.page.customContextMenuRequested.connect(self._on_menu_requested)
        self.page.painting.wanted.connect(self._on_colours_wanted)
        document.process.answer_signal(SYNTAX_COLOURS).connect(self._on_process_coloured)
        document.process.answer_signal(RECORD_DETAILS).connect(self._on_process_told)
        document.process.failed.connect(self._on_process_failed)
        document.place_changed.connect(self.refresh)
        document.search.changed.connect(lambda: self.page.set_search_pattern(document.search.pattern))
        document.search.step_within_row.connect(self.page.step_match)
        self.page.matches_changed.connect(self._report_match_position)
        document.log_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the current node. Nothing is read while another tab is shown."""
        document = self._document
        if not self.isVisible() and self.parent() is not None:
            self._shown = (None, -2, -2)
            self._known.clear()
            if self.page.entries:
                self.page.show_entries([])
            document.search.set_match_position(0, -1, more=False)
            return
        now = (document.log, document.node, document.finding)
        if now[0] is self._shown[0] and now[1:] == self._shown[1:]:
            return
        self._shown = now
        self._known.clear()
        self._awaited = []
        document.open_calls.request()
        self.evidence.refresh()
        self.page.show_entries(self._entries(), document.search.enters_from_end)

    def copy(self, way: CopyFormat) -> None:
        """Copy the part at the cursor or, without focus here, all parts of the log that are shown."""
        entry = self.page.shown_at(self.page.textCursor().position()) if self.page.hasFocus() else None
        self._copy(way, [entry] if entry else self._all_shown())

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "page"):
            if self.isVisible():
                QTimer.singleShot(0, self.page, self.page.redraw)  # the page gets the new palette after this event
            else:  # a window that was closed must not ask its process for anything
                self._shown = (None, -2, -2)

    def _entries(self) -> list[Entry]:
        document = self._document
        log, reader, node = document.log, document.reader, document.node
        if log is None or reader is None:
            return [LineEntry(tr("Select a message to read it here."))]
        node = node if node > 0 else max(log.node_of_session(0), 1)
        kind, record = NodeKind(log.outline.kind[node]), log.outline.record[node]
        if kind == NodeKind.SESSION:
            return _session(log, node)
        if kind in (NodeKind.SECTION, NodeKind.PAGE, NodeKind.INACTIVE_BRANCH) or record < 0:
            hint = tr("Press Enter to open this log, or Alt+Left to go back.")
            return [
                HeadingEntry(log.outline.label.get(node, "")),
                *([LineEntry(hint)] if log.subagent_of(node) else []),
            ]
        builder = EntryBuilder(log, reader, self._known)
        entries = builder.build(node, document.finding)
        self._awaited = builder.large
        if builder.large:
            document.process.ask(RECORD_DETAILS, builder.large)
        return entries

    def _all_shown(self) -> list[PartEntry]:
        """Return the parts of the row itself, without the results that are shown with its calls."""
        entries = self.page.entries if self.isVisible() else self._entries()
        return [entry for entry in entries if isinstance(entry, PartEntry) and not entry.inset]

    def _copy(self, way: CopyFormat, entries: list[PartEntry]) -> None:
        reader, log = self._document.reader, self._document.log
        if reader is None or log is None:
            return
        whole = len(entries) != 1
        records = dict.fromkeys(entry.record for entry in entries)
        if not entries and self._document.node > 0:
            records = dict.fromkeys(block.record for block in blocks_of_node(log.outline, self._document.node))
        raws = {record: raw for record in records if record >= 0 and (raw := reader.visible_bytes(record)) is not None}
        if raws:
            copy_parts(way, [entry.part for entry in entries], raws, whole)

    def _report_match_position(self) -> None:
        matches = self.page.found
        self._document.search.set_match_position(matches.current + 1, len(matches), self.page.has_more_matches)

    @Slot(QPoint)
    def _on_menu_requested(self, at: QPoint) -> None:
        self.menu_at(at).popup(self.page.viewport().mapToGlobal(at))

    def menu_at(self, at: QPoint) -> QMenu:
        """Create the menu for the part under the pointer."""
        menu = QMenu(self)
        cursor: QTextCursor = self.page.textCursor()
        copy_selection = menu.addAction(tr("&Copy the selection"), self.page.copy)
        copy_selection.setShortcut(QKeySequence.StandardKey.Copy)
        copy_selection.setEnabled(cursor.hasSelection())
        entry = self.page.shown_at(self.page.cursorForPosition(at).position())
        entries = [entry] if entry else self._all_shown()
        menu.addSeparator()
        for way in CopyFormat:
            menu.addAction(tr(way.value), partial(self._copy, way, entries))
        return menu

    def _on_colours_wanted(self, serial: int, texts: list[CodeText]) -> None:
        self._document.process.ask(SYNTAX_COLOURS, serial, texts)

    @Slot(object)
    def _on_process_coloured(self, answer: tuple[int, list[Numbers]]) -> None:
        self.page.painting.apply(*answer)

    @Slot(object)
    def _on_process_told(self, parts: dict[int, RecordDetails]) -> None:
        if not any(request.record in parts for request in self._awaited):
            return  # for a row that is no longer shown
        self._known |= parts
        self.page.show_entries(self._entries(), self._document.search.enters_from_end)

    @Slot(object)
    def _on_process_failed(self, failure: RequestFailure) -> None:
        if failure.request is RECORD_DETAILS:
            self.page.show_entries([LineEntry(failure.sentence, theme.ERROR)])


class EvidenceCard(QWidget):
    """The card that shows whether an unanswered call ran, what it was to do, and the evidence.

    It is hidden unless an unanswered call is current. A click on a trace, or Enter, goes to its record.
    """

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self._shown: Evidence | None = None
        self.head = IconHeader(self)
        self.command = PlainLabel()
        self.command.setFont(theme.fixed_font(1))
        self.command.setAccessibleName(tr("Command"))
        self.model = TableModel(EVIDENCE_TABLE, self)
        self.view = QTreeView(self)
        self.view.setHeaderHidden(True)
        self._row_height = set_up_table(self.view, self.model, tr("Evidence"), chosen=self._on_chosen)
        line = SafeLabel(parent=self)
        line.setFixedHeight(1)
        line.setAutoFillBackground(True)
        line.setBackgroundRole(self.palette().ColorRole.Mid)
        inner = QVBoxLayout()
        inner.setContentsMargins(14, 8, 10, 8)
        inner.setSpacing(4)
        inner.addWidget(self.head)
        inner.addWidget(self.command)
        stack_vertically(self, line, inner, self.view)
        self.hide()
        document.open_calls.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what is known about the current call."""
        evidence = self._evidence()
        self.setVisible(evidence is not None)
        if evidence is self._shown:
            return
        self._shown = evidence
        self._paint()
        command, traces = (evidence.command, evidence.traces) if evidence else ("", ())
        self.command.setVisible(bool(command))
        self.command.show_text(to_one_line(command, _COMMAND_CHARS))
        self.model.show(traces)
        self.view.setVisible(bool(traces))
        self.view.setFixedHeight(min(len(traces), _MAX_ROWS) * self._row_height + 6)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint()

    def _paint(self) -> None:
        evidence = self._shown
        if evidence is None:
            self.head.clear()
            return
        icon = ui_text.EXECUTION_ICONS[evidence.verdict]
        where = tr(" Folder: {text}", text=to_one_line(evidence.folder, _COMMAND_CHARS)) if evidence.folder else ""
        self.head.show_text(
            icon,
            theme.EXECUTION_COLOURS[icon],
            tr("Did it run? {answer}.", answer=tr(ui_text.EXECUTION_WORDS[evidence.verdict])),
            tr(
                "{sentence} {effect}.{where}",
                sentence=evidence.sentence,
                effect=tr(ui_text.TOOL_EFFECT_WORDS[evidence.effect]),
                where=where,
            ),
        )

    def _evidence(self) -> Evidence | None:
        """Return the evidence of the current finding, or of another finding on the current block."""
        document = self._document
        book, log = document.open_calls.evidence, document.log
        if book is None or log is None:
            return None
        positions = (document.finding, *log.findings.positions_at_node(document.node))
        return next((evidence for position in positions if (evidence := book.of_finding(position)) is not None), None)

    def _on_chosen(self, index: QModelIndex) -> None:
        trace = self.model.row(index)
        if trace is not None and trace.record is not None:
            self._document.navigator.go_to(RecordLocation(trace.record, trace.line, None, ""))


def _session(log: OpenedLog, node: int) -> list[Entry]:
    number = log.session_of(node)
    if not 0 <= number < len(log.overview.sessions):
        return [HeadingEntry(log.outline.label.get(node, ""))]
    session = log.overview.sessions[number]
    entries: list[Entry] = [HeadingEntry(session.title or session.id or tr("Session"))]
    entries += [
        LineEntry(f"{name}: {value}")
        for name, value in (
            (tr("Verdict"), session.sentence),
            (tr("Id"), session.id),
            (tr("Format"), log.overview.format_label),
            (tr("Read from"), log.overview.read_from),
            (tr("Agent"), session.agent),
            (
                tr("Checked for"),
                "" if session.verdict == "not-judged" else ui_text.profile_label(session.profile),
            ),
            (tr("Records"), f"{session.records:,}"),
            (tr("Messages"), f"{session.messages:,}"),
            (tr("Calls"), f"{session.calls:,}"),
            (tr("Results"), f"{session.results:,}"),
        )
        if value
    ]
    if session.memory is not None:
        entries += [HeadingEntry(tr("History in the agent's memory")), LineEntry(session.memory.sentence)]
        entries += [
            LineEntry(tr("Record {record:,}: {note}", record=one_based(record), note=note))
            for record, note in session.memory.notes
        ]
        entries += [LineEntry(disagreement) for disagreement in session.memory.disagreements]
    if log.overview.checks_skipped:
        entries.append(HeadingEntry(tr("Skipped checks")))
        entries += [LineEntry(line) for line in ui_text.skipped_check_lines(log.overview.checks_skipped)]
    return entries
