"""The pane with the tree: it keeps view and document at the same place."""

from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.core.showing.outline import NodeKind
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics.actions import Actions
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.basics.settings import Settings
from inspector.gui.document.bookmarks import Bookmarks
from inspector.gui.document.document import Document
from inspector.gui.document.state import Notice
from inspector.gui.models.outline_model import OutlineModel
from inspector.gui.panels.filter_strip import FilterStrip
from inspector.gui.panels.find_strip import FindStrip
from inspector.gui.panels.go_to_strip import GoToStrip
from inspector.gui.panels.outline_view import OutlineView
from inspector.gui.panels.overview_ruler import OverviewRuler

_SMALL = 400
_SLICE = 40
_EXPAND_LIMIT = 5000
_MOST_ASIDES = 500


class OutlinePanel(QWidget):
    """The tree of the log."""

    def __init__(
        self,
        document: Document,
        settings: Settings,
        actions: Actions,
        bookmarks: Bookmarks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._shown: OpenedLog | None = None
        self._shown_path = ""
        self._to_expand: list[int] = []
        self._expanded = 0
        self.model = OutlineModel(self, document.search.pattern_for_record, bookmarks.note)
        self.view = OutlineView(self.model, settings, self)
        self.find_strip = FindStrip(document, actions, self.view)
        self.filter_strip = FilterStrip(document, self.view)
        self.go_to_strip = GoToStrip(document, self.view)
        self.ruler = OverviewRuler(document, bookmarks, self)
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._on_slices_timeout)
        layout = in_a_column(self, self.filter_strip, self.go_to_strip, self.find_strip)
        tree = QHBoxLayout()
        tree.setSpacing(0)
        tree.addWidget(self.view, 1)
        tree.addWidget(self.ruler)
        layout.addLayout(tree, 1)
        self.view.link_activated.connect(document.navigator.follow_pair)
        self.view.entered.connect(document.navigator.open_subagent_or_pair)
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        document.search.changed.connect(self.view.viewport().update)
        bookmarks.changed.connect(self.view.viewport().update)
        document.row_filter.kept_changed.connect(self._on_kept_changed)
        document.log_changed.connect(self._on_log_changed)
        document.place_changed.connect(self._on_place_changed)

    def expand_below(self) -> None:
        """Expand all below the current node, or all; in slices, and not without end."""
        node = self._document.node
        self._to_expand, self._expanded = [node if node > 0 else 0], 0
        self._slices.start()

    def collapse_all(self) -> None:
        """Back to the sessions."""
        self._slices.stop()
        self.view.collapseAll()
        self._expand_first()

    def toggle_inactive_branches(self) -> None:
        """Unfold what a resume does not load, or fold it again once all of it is unfolded."""
        if self._shown is None:
            return
        asides = self._shown.inactive_branch_nodes[:_MOST_ASIDES]
        unfold = not all(self.view.isExpanded(self.model.index_of(node)) for node in asides)
        for node in asides:
            if unfold:
                self.view.expand_to(node, self._shown.outline)
            self.view.setExpanded(self.model.index_of(node), unfold)
        if not asides:
            self._document.show_notice(
                Notice(self.tr("A resume loads all messages of this log: it has no other branches."))
            )
        elif len(self._shown.inactive_branch_nodes) > len(asides):
            branches = len(self._shown.inactive_branch_nodes)
            told = f"The first {len(asides):,} of {branches:,} are unfolded. Unfold the others one by one."
            self._document.show_notice(Notice(told))

    def _on_log_changed(self) -> None:
        log, path = self._document.log, self._document.path
        if log is self._shown:
            return
        same = self._shown is not None and log is not None and path == self._shown_path
        state = self.view.arrangement(self._shown.outline) if same and self._shown else None
        self._slices.stop()
        self._shown, self._shown_path = log, path
        self.model.show(log, self._document.reader)
        self.view.new = self._document.watcher.new_records
        if log is None:
            return
        self.view.hide_empty_columns(self.model.empty_columns())
        self._expand_first()
        if not same:
            self.view.scrollToTop()
        if state is not None:
            self.view.restore(state, log.outline)

    def _on_kept_changed(self) -> None:
        """Other rows are shown; what was expanded stays so, and few rows that fit are all seen."""
        log, kept = self._shown, self._document.row_filter.kept
        if log is None:
            return
        state = self.view.arrangement(log.outline)
        self._slices.stop()
        self.model.set_shown_nodes(kept)
        self.view.restore(state, log.outline)
        self._expand_first()
        if kept is not None and len(kept) <= _SMALL:
            for node in kept:
                self.view.expand(self.model.index_of(node))
        self._on_place_changed()

    def _expand_first(self) -> None:
        """What is open at first: the sessions of a small log down to the turns, the first page of a large one."""
        log = self._shown
        if log is None:
            return
        outline = log.outline
        if len(outline) <= _SMALL:
            for node in range(1, len(outline)):
                if outline.kind[node] in (NodeKind.SESSION, NodeKind.PAGE, NodeKind.TURN):
                    self.view.expand(self.model.index_of(node))
            return
        node = outline.first[0] if outline.count[0] else 0
        while node and outline.kind[node] in (NodeKind.SESSION, NodeKind.PAGE) and outline.count[node]:
            self.view.expand(self.model.index_of(node))
            node = outline.first[node]

    def _on_place_changed(self) -> None:
        if self._shown is not None and self._shown is self._document.log and self._document.node > 0:
            self.view.reveal(self._document.node, self._shown.outline)

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self._document.select_node(current.internalId())

    def _on_slices_timeout(self) -> None:
        outline = self._shown.outline if self._shown else None
        for _ in range(_SLICE):
            if outline is None or not self._to_expand or self._expanded > _EXPAND_LIMIT:
                self._slices.stop()
                self._say_where_it_stopped()
                return
            # From the top down: what is above the place where it stops is expanded.
            node = self._to_expand.pop()
            self.view.expand(self.model.index_of(node))
            self._expanded += outline.count[node]
            children = range(outline.first[node], outline.first[node] + outline.count[node])
            self._to_expand.extend(child for child in reversed(children) if outline.count[child])

    def _say_where_it_stopped(self) -> None:
        """A tree that lays out more rows than a few thousand stalls the window."""
        log, node = self._shown, self._to_expand[-1] if self._to_expand else 0
        if log is not None and node > 0:
            place = self.tr("line") if log.is_numbered_by_line(log.record_of(node)) else self.tr("record")
            told = f"{self.tr('Expanding stopped before')} {place} {log.number_of(node):,}"
            self._document.show_notice(
                Notice(f"{told}: {self._expanded:,} {self.tr('rows are enough for one time. Go on there.')}")
            )
