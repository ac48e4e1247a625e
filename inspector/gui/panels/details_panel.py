"""The side tab that shows a message as a person reads it."""

from functools import partial

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QKeySequence, QTextCursor
from PySide6.QtWidgets import QMenu, QWidget

from inspector.core.index.place import one_based
from inspector.core.showing.details.pieces import DetailsRequest, RecordDetails
from inspector.core.showing.outline import NodeKind, Numbers
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import theme, words
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.details.copying import Copy, copy
from inspector.gui.details.entries import Entry, Heading, Line, Shown
from inspector.gui.details.gathered import Gathered
from inspector.gui.details.page import Page
from inspector.gui.document.detail_nodes import blocks_of
from inspector.gui.document.document import Document
from inspector.gui.panels.evidence_card import EvidenceCard
from inspector.gui.process.child_process import Failure
from inspector.gui.process.colours import ColouredText
from inspector.gui.process.requests import COLOURS, DETAILS


class DetailsPanel(QWidget):
    """The current message or block, piece by piece."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.page = Page(self.tr("Details"), self)
        self.page.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.evidence = EvidenceCard(document, self)
        self._shown: tuple[OpenedLog | None, int, int] = (None, -2, -2)
        self._known: dict[int, RecordDetails] = {}
        self._awaited: list[DetailsRequest] = []
        in_a_column(self, self.page, self.evidence, grows=self.page)
        self.page.node_wanted.connect(document.select_node)
        self.page.customContextMenuRequested.connect(self._on_menu_requested)
        self.page.painting.wanted.connect(self._on_colours_wanted)
        document.process.answer_signal(COLOURS).connect(self._on_process_coloured)
        document.process.answer_signal(DETAILS).connect(self._on_process_told)
        document.process.failed.connect(self._on_process_failed)
        document.place_changed.connect(self.refresh)
        document.search.changed.connect(lambda: self.page.set_search_pattern(document.search.pattern))
        document.search.step_within_row.connect(self.page.step_match)
        self.page.matches_changed.connect(self._report_match_position)
        document.log_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the current node. Nothing is read while another tab is in front."""
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

    def copy(self, way: Copy) -> None:
        """Copy the part that the cursor stands in or, from elsewhere, all that is shown of the log."""
        here = self.page.shown_at(self.page.textCursor().position()) if self.page.hasFocus() else None
        self._copy(way, [here] if here else self._all_shown())

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if event.type() == event.Type.ApplicationPaletteChange and hasattr(self, "page"):  # type: ignore[attr-defined]
            self.page.redraw()

    # inside

    def _entries(self) -> list[Entry]:
        document = self._document
        log, reader, node = document.log, document.reader, document.node
        if log is None or reader is None:
            return [Line(self.tr("Select a message to read it here."))]
        node = node if node > 0 else max(log.node_of_session(0), 1)
        kind, record = NodeKind(log.outline.kind[node]), log.outline.record[node]
        if kind == NodeKind.SESSION:
            return _session(log, node)
        if kind in (NodeKind.SECTION, NodeKind.PAGE, NodeKind.INACTIVE_BRANCH) or record < 0:
            way = self.tr("Enter opens this log, judged like any other; Alt+Left leads back.")
            return [Heading(log.outline.label.get(node, "")), *([Line(way)] if log.subagent_of(node) else [])]
        gathered = Gathered(log, reader, self._known)
        entries = gathered.build(node, document.finding)
        self._awaited = gathered.large
        if gathered.large:
            document.process.ask(DETAILS, gathered.large)
        return entries

    def _all_shown(self) -> list[Shown]:
        """The parts of the row itself, without the results that are shown beside its calls."""
        entries = self.page.entries if self.isVisible() else self._entries()
        return [entry for entry in entries if isinstance(entry, Shown) and not entry.inset]

    def _copy(self, way: Copy, wanted: list[Shown]) -> None:
        reader, log = self._document.reader, self._document.log
        if reader is None or log is None:
            return
        whole = len(wanted) != 1
        records = dict.fromkeys(shown.record for shown in wanted)
        if not wanted and self._document.node > 0:
            records = dict.fromkeys(block.record for block in blocks_of(log.outline, self._document.node))
        raws = {record: raw for record in records if record >= 0 and (raw := reader.visible_bytes(record)) is not None}
        if raws:
            copy(way, [shown.part for shown in wanted], raws, whole)

    def _report_match_position(self) -> None:
        found = self.page.found
        self._document.search.set_match_position(found.current + 1, len(found), self.page.has_more_matches)

    @Slot(QPoint)
    def _on_menu_requested(self, at: QPoint) -> None:
        self.menu_at(at).popup(self.page.viewport().mapToGlobal(at))

    def menu_at(self, at: QPoint) -> QMenu:
        """What can be done with the part under the pointer."""
        menu = QMenu(self)
        cursor: QTextCursor = self.page.textCursor()
        marked = menu.addAction(self.tr("&Copy what is marked"), self.page.copy)
        marked.setShortcut(QKeySequence.StandardKey.Copy)
        marked.setEnabled(cursor.hasSelection())
        here = self.page.shown_at(self.page.cursorForPosition(at).position())
        wanted = [here] if here else self._all_shown()
        menu.addSeparator()
        for way in Copy:
            menu.addAction(words.tr(way.value), partial(self._copy, way, wanted))
        return menu

    def _on_colours_wanted(self, serial: int, texts: list[ColouredText]) -> None:
        self._document.process.ask(COLOURS, serial, texts)

    @Slot(object)
    def _on_process_coloured(self, answer: tuple[int, list[Numbers]]) -> None:
        self.page.painting.apply(*answer)

    @Slot(object)
    def _on_process_told(self, parts: dict[int, RecordDetails]) -> None:
        if not any(each.record in parts for each in self._awaited):
            return  # of a row that is not shown any more
        self._known |= parts
        self.page.show_entries(self._entries(), self._document.search.enters_from_end)

    @Slot(object)
    def _on_process_failed(self, failure: Failure) -> None:
        if failure.request is DETAILS:
            self.page.show_entries([Line(failure.sentence, theme.ERROR)])


def _session(log: OpenedLog, node: int) -> list[Entry]:
    number = log.session_of(node)
    if not 0 <= number < len(log.overview.sessions):
        return [Heading(log.outline.label.get(node, ""))]
    session = log.overview.sessions[number]
    found: list[Entry] = [Heading(session.title or session.id or words.tr("Session"))]
    found += [
        Line(f"{name}: {value}")
        for name, value in (
            (words.tr("Verdict"), session.sentence),
            (words.tr("Id"), session.id),
            (words.tr("Format"), log.overview.format_label),
            (words.tr("Agent"), session.agent),
            (words.tr("Judged as"), "" if session.verdict == "not-judged" else words.profile(session.profile)),
            (words.tr("Records"), f"{session.records:,}"),
            (words.tr("Messages"), f"{session.messages:,}"),
            (words.tr("Calls"), f"{session.calls:,}"),
            (words.tr("Results"), f"{session.results:,}"),
        )
        if value
    ]
    if session.memory is not None:
        found += [Heading(words.tr("What the agent would have in memory")), Line(session.memory.sentence)]
        found += [Line(f"{words.tr('Record')} {one_based(record):,}: {note}") for record, note in session.memory.notes]
        found += [Line(disagreement) for disagreement in session.memory.disagreements]
    if log.overview.checks_skipped:
        found.append(Heading(words.tr("Checks that did not run")))
        found += [Line(told) for told in words.skipped(log.overview.checks_skipped)]
    return found
