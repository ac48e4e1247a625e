"""The moves between places of the open log, and back to places that were visited before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from inspector.core.model.views import RecordLocation
from inspector.gui.state.navigation import VisitHistory, find_node

if TYPE_CHECKING:
    from inspector.gui.state.document import Document


class Navigator(QObject):
    """The moves between places of the log. `history` records where the person was."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.history = VisitHistory()
        document.place_changed.connect(self._on_changed)

    def go_to(self, place: RecordLocation, finding_id: str = "", rule: str = "") -> bool:
        """Select a place of the log, and the finding there that has the id or belongs to the rule.

        Returns False when the tree does not contain the place.
        """
        log = self._document.log
        if log is None or not 0 <= place.record < len(log.outline.node_of_record):
            return False
        for position in log.findings.positions_in_record(place.record):
            if finding_id == log.findings[position].id or rule == log.findings[position].rule:
                self._document.select_finding(position)
                return True
        view = self._document.reader.view(place.record) if self._document.reader and place.pointer else None
        blocks = view.blocks if view else ()
        block = next((number for number, candidate in enumerate(blocks) if candidate.pointer == place.pointer), -1)
        node = log.outline.node_of_block(place.record, block)
        self._document.select_node(node)
        return node > 0

    def follow_pair(self, node: int | None = None) -> bool:
        """Go from a call to its result or back. Return False when there is no counterpart."""
        node = self._document.node if node is None else node
        peer = self._document.log.outline.peer[node] if self._document.log and node > 0 else -1
        if peer > 0:
            self._document.select_node(peer)
        return peer > 0

    def show_new_records(self) -> None:
        """Go to the first record that was added since the person last looked."""
        new, log = self._document.watcher.new_records, self._document.log
        self._document.dismiss_notice()
        if log is not None and new:
            nodes = (node for node in log.outline.node_of_record[new.start : new.stop] if node > 0)
            self._document.select_node(next(nodes, self._document.node))

    def open_subagent_or_pair(self, node: int) -> bool:
        """Open the log of the subagent that a row shows or started, else go to the row's counterpart.

        `travel` leads back. Returns False when there is neither.
        """
        document = self._document
        log = None if document.saving else document.whole_log
        path = log.subagent_of(node) if log is not None else ""
        if path:
            document.open(path)
        return bool(path) or self.follow_pair(node)

    def travel(self, forward: bool) -> bool:
        """Go back to the previous place, or forward again. Return False when that place is the list of logs."""
        document, visit = self._document, self.history.go(forward)
        if visit is not None and visit.path not in ("", document.path):
            document.open(visit.path, at=visit.key)
        elif visit is not None and visit.path and document.log is not None and visit.key is not None:
            document.select_node(find_node(document.log.outline, visit.key))
        return visit is not None and bool(visit.path)

    @Slot()
    def _on_changed(self) -> None:
        document = self._document
        if document.whole_log is not None and document.node > 0:
            self.history.visit(document.path, document.whole_log.outline, document.node)
