"""A text that is looked for in the whole log: which records hold it, so far, and the way from one to the next."""

import re
from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from inspector.core.showing.seeking import TextMatches
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import FIND

if TYPE_CHECKING:
    from inspector.gui.document.document import Document

# A longer record is not parsed to tell which of its blocks holds the text.
_PARSED = 1 << 20


class Find(QObject):
    """Signals: `changed`, `within` (go on from place to place in what is shown of the row, forward or not), `told`.

    `records` hold the text, ascending; `outside` are pieces between records that do. Who shows the current row tells
    at which of how many `places` in it the person is, from 1, and whether there are more than it shows; -1 for nobody.
    """

    changed = Signal()
    step_within_row = Signal(bool)
    match_position_changed = Signal()

    def __init__(self, document: "Document") -> None:
        super().__init__(document)
        self._document, self._process = document, document.process
        self._process.answer_signal(FIND).connect(self._on_found)
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
        """Look for another text, and go to the first row from here on that has it; "" looks for nothing."""
        if (text, match_case) != (self.text, self.match_case):
            self.text, self.match_case = text, match_case
            self.pattern = re.compile(re.escape(text), 0 if match_case else re.IGNORECASE) if text else None
            self._jump_pending = True
            self._ask()

    def restart(self) -> None:
        """The log was read anew: what was found lies elsewhere now."""
        self._jump_pending = False
        self._ask()

    def set_start(self) -> None:
        """While a text is being typed, go from here, and not from what the half of it was found in."""
        self._from = self._document.log.record_of(self._document.node) if self._document.log else -1

    def step(self, forward: bool) -> None:
        """Go to the next or the previous place in the row, else in the next row that has the text, around the ends."""
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
        here = [each for each in rows if (each > node if forward else each < node)]
        if here:
            self._select(here[0] if forward else here[-1], forward)
            return
        at = bisect_right(self.records, record) if forward else bisect_left(self.records, record) - 1
        for place in range(len(self.records)):
            nodes = self._nodes(self.records[(at + (place if forward else -place)) % len(self.records)])
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
        """Whether the current row was come to from behind: then its last place is the first to go to."""
        return self._came_back_to == self._document.node

    def set_match_position(self, place: int, places: int, more: bool) -> None:
        """What the person sees of the current row."""
        self.match_number, self.match_count, self.has_more_matches = place, places, more
        self.match_position_changed.emit()

    def holds(self, record: int) -> bool:
        """Whether a record is known to hold the text."""
        at = bisect_left(self.records, record)
        return at < len(self.records) and self.records[at] == record

    def pattern_for_record(self, record: int) -> re.Pattern[str] | None:
        """What is looked for, where a record holds it."""
        return self.pattern if self.holds(record) else None

    @property
    def position(self) -> int:
        """Which of the records, from 1, is current; 0 for none."""
        record = self._document.log.record_of(self._document.node) if self._document.log else -1
        return bisect_right(self.records, record) if self.holds(record) else 0

    def _nodes(self, record: int) -> list[int]:
        """The rows of a record that show the text; its first, where no block holds it; none where it has no row."""
        log, reader = self._document.log, self._document.reader
        if log is None or reader is None or not 0 <= record < len(log.outline.node_of_record):
            return []
        first = log.outline.node_of_record[record]
        if first <= 0:
            return []
        start, end = reader.span(record)
        view = reader.view(record) if end - start <= _PARSED else None
        found = {
            log.outline.node_of_block(record, number)
            for number, block in enumerate(view.blocks if view else ())
            if self.pattern and any(map(self.pattern.search, (block.text, block.name, block.call_id)))
        }
        return sorted(found) or [first]

    def _ask(self) -> None:
        self.records, self.matches_outside_records, self.failure = array("i"), 0, ""
        self.searching = bool(self.text) and self._document.whole_log is not None
        if self.searching and not self._process.alive:
            self._document.reload()
        elif self.searching:
            self._process.ask(FIND, self.text, self.match_case)
        self.changed.emit()

    def _jump_to_first(self, anywhere: bool) -> None:
        """Go to the first row that is found from where the search began, else to the first of all."""
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
    def _on_failed(self, failure: Failure) -> None:
        if self.searching and (failure.died or failure.request is FIND):
            self.searching, self.failure = False, failure.sentence
            self.changed.emit()
