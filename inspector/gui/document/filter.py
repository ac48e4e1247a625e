"""What the tree leaves out: the filter line, and the rows that it keeps. And what there is to filter by."""

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from inspector.core.seek.filter_line import parse_filter
from inspector.core.showing.outline import NodeKind, Numbers
from inspector.core.showing.seeking import Facets, FilterResult
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.document.node_keys import path_to
from inspector.gui.process.requests import FILTER, LANDMARKS

if TYPE_CHECKING:
    from inspector.gui.document.document import Document


class Filter(QObject):
    """Signals: `changed` (the line, or what is known of it), `kept_changed` (other rows), `landmarks_changed`.

    `kept` are the nodes that are shown, ascending, None for all.
    """

    changed = Signal()
    kept_changed = Signal()
    landmarks_changed = Signal()

    def __init__(self, document: "Document") -> None:
        super().__init__(document)
        self._document, self._process = document, document.process
        self._process.answer_signal(FILTER).connect(self._on_filtered)
        self._process.answer_signal(LANDMARKS).connect(self._on_landmarks)
        self.line = self.error = ""
        self.pending = False
        self.answer = FilterResult()
        self.kept: Numbers | None = None
        self.landmarks = Facets()
        self._landmarks_of: OpenedLog | None = None

    @property
    def current_landmarks(self) -> Facets:
        """The landmarks of the log as it is now: none until they are told, for rows of another state are others."""
        return self.landmarks if self._landmarks_of is self._document.log else Facets()

    def set_line(self, line: str) -> None:
        """Filter by another line; one that cannot be understood leaves what is shown."""
        line = line.strip()
        if line != self.line:
            self.line, self.error = line, parse_filter(line).fault
            self._ask()

    def refresh(self) -> None:
        """The log was read anew: its rows have other numbers."""
        self._process.ask(LANDMARKS)
        self._ask()

    def reset(self) -> None:
        """Another log comes: it is shown whole."""
        self.line = self.error = ""
        self.landmarks = Facets()
        self._show_all()
        self.landmarks_changed.emit()

    def hides(self, node: int) -> bool:
        """Whether a node is not shown."""
        if self.kept is None or node <= 0:
            return False
        at = bisect_left(self.kept, node)
        return at == len(self.kept) or self.kept[at] != node

    def reveal(self, node: int) -> None:
        """Show a node, too, with what is above it and the blocks of it."""
        log = self._document.log
        if self.kept is not None and log is not None:
            outline = log.outline
            below = range(outline.first[node], outline.first[node] + outline.count[node])
            blocks = (child for child in below if outline.kind[child] == NodeKind.BLOCK)
            self.kept = array("i", sorted({*self.kept, *path_to(outline, node), node, *blocks}))
            self.kept_changed.emit()

    def _ask(self) -> None:
        if not self.line:
            self._show_all()
        elif not self.error and self._document.whole_log is not None:
            self.pending = True
            if self._process.alive:
                self._process.ask(FILTER, self.line)
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
            self.changed.emit()

    @Slot(object)
    def _on_landmarks(self, landmarks: Facets) -> None:
        self.landmarks, self._landmarks_of = landmarks, self._document.log
        self.landmarks_changed.emit()
