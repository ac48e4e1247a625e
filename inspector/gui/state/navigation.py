"""The selection and the history of visited places.

A finding, a row of the tree and a change of the plan are the same thing shown in three places, so they are selected
together.
"""

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.core.presentation.outline import NodeKind, Outline
from inspector.gui.state.repair_draft import RepairDraft
from inspector.gui.worker.packed_answers import OpenedLog, PackedFindings, PlannedRepair


class NodeKey(NamedTuple):
    """The key of a node, which stays valid when the tree of the same log is rebuilt. Node numbers do not."""

    kind: int
    record: int
    block: int
    label: str


def make_node_key(outline: Outline, node: int) -> NodeKey:
    return NodeKey(outline.kind[node], outline.record[node], outline.block[node], outline.label.get(node, ""))


def find_node(outline: Outline, key: NodeKey) -> int:
    """Return the node that a key names, 0 when it no longer exists."""
    if not 0 <= key.record < len(outline.node_of_record):
        return next((node for node, text in outline.label.items() if text == key.label), 0) if key.label else 0
    message: int = max(outline.node_of_record[key.record], 0)
    node: int = message
    if key.kind == NodeKind.BLOCK:
        return outline.node_of_block(key.record, key.block)
    while node > 0 and outline.kind[node] != key.kind:
        node = outline.parent[node]
    return node or message


def ancestors_of(outline: Outline, node: int) -> list[int]:
    """Return the ancestors of a node from the top, without the root and the node itself."""
    path = []
    while (node := outline.parent[node]) > 0:
        path.append(node)
    return path[::-1]


_MAX_VISITS = 500


class Visit(NamedTuple):
    """A visited place: the path of a log and the key of a node.

    An empty path stands for the list of logs.
    """

    path: str
    key: NodeKey | None


class VisitHistory:
    """The history of visited places, for back and forward, across all logs that were opened.

    Moving from row to neighbouring row, as with an arrow key, counts as one visit. Any other move starts a new one.
    """

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._at = -1
        self._node = 0

    def visit(self, path: str, outline: Outline, node: int) -> None:
        """Record the current place, and drop the places that were ahead."""
        visit = Visit(path, make_node_key(outline, node))
        current = self._visits[self._at] if self._visits else None
        if visit == current:
            self._node = node
            return
        if current is not None and current.path == path and self._is_step(outline, node):
            self._at -= 1
        self._visits[self._at + 1 :] = [visit]
        del self._visits[:-_MAX_VISITS]
        self._at, self._node = len(self._visits) - 1, node

    def visit_list(self) -> None:
        """Record that the list of logs is shown."""
        if self._at < 0 or self._visits[self._at].path:
            self._visits[self._at + 1 :] = [Visit("", None)]
            self._at = len(self._visits) - 1

    def go(self, forward: bool) -> Visit | None:
        """Go back or forward. Return the place, None when there is none in that direction."""
        at = self._at + (1 if forward else -1)
        if not 0 <= at < len(self._visits):
            return None
        self._at, self._node = at, 0
        return self._visits[at]

    def can_go(self, forward: bool) -> bool:
        return 0 <= self._at + (1 if forward else -1) < len(self._visits)

    def _is_step(self, outline: Outline, node: int) -> bool:
        """Return whether a node is the sibling next to, the parent or the first child of the last visited node."""
        last, parent, first = self._node, outline.parent, outline.first
        if not 0 < last < len(outline):
            return False
        is_below, is_above = outline.count[last] and first[last] == node, parent[last] == node
        return bool(is_below or is_above or (abs(node - last) == 1 and parent[node] == parent[last]))


_NO_FINDINGS = range(0)
_NO_CHANGE_KEY = (-1, -1)


class Selection(QObject):
    """The selection that all panels share.

    Panels follow `changed` and call the select methods. Selecting what is already selected does nothing, so there are
    no loops.

    `node` is the row of the tree. `findings` are the positions of one finding, of all findings in a group, or none.
    """

    changed = Signal()

    def __init__(self, draft: RepairDraft, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._draft = draft
        self._log: OpenedLog | None = None
        self.node = 0
        self.findings = _NO_FINDINGS
        self._plan: PlannedRepair | None = None
        self._change = -1
        self._key = _NO_CHANGE_KEY

    def set_log(self, log: OpenedLog | None) -> None:
        """Select in this log from now on.

        Keeps the selection when this is another state of the same log, else selects the first of the worst findings.
        """
        before, node, finding = self._log, self.node, self.finding
        self._log, self.node, self.findings, self._key = log, 0, _NO_FINDINGS, _NO_CHANGE_KEY
        if before is not None and log is not None and node > 0:
            self.node = find_node(log.outline, make_node_key(before.outline, node))
            self.findings = _single_finding(
                _same_finding(log, self.node, before.findings[finding].id if finding >= 0 else "")
            )
        is_read = log is not None and log.complete and (before is None or not before.complete)
        if log is not None and is_read and self.node in (0, log.outline.first[0]):
            # The node is still the first row when the person did not go anywhere, because a tree that gets the focus
            # selects it. When a log has grown, the person stays there.
            self.findings = _single_finding(_first_worst_finding(log.findings))
            self.node = max(log.findings.nodes[self.findings.start], 0) if self.findings else self.node
        self._follow_plan()

    @property
    def finding(self) -> int:
        """The position of the finding that the current row of the tree is about, -1 for none."""
        start, log = self.findings.start if self.findings else -1, self._log
        return start if log is not None and start >= 0 and max(log.findings.nodes[start], 0) == self.node else -1

    @property
    def change(self) -> int:
        """The selected row among the changes of the plan, -1 for none.

        In a new plan it is the row that is about the same thing.
        """
        if self._draft.plan is not self._plan:
            self._follow_plan()
        return self._change

    def select_node(self, node: int) -> None:
        """Select a row of the tree, and the worst finding on it or else below it."""
        if self._log is not None and node != self.node and 0 <= node < len(self._log.outline):
            self._set_current(node, _single_finding(_worst_finding_below(self._log, node)))

    def select_findings(self, positions: range) -> None:
        """Select a finding, or all findings of a group, and the row of the first."""
        if positions and positions != self.findings:
            self._go_to(positions)

    def select_change(self, change: int) -> None:
        """Select a row among the changes, and the finding that it repairs."""
        plan, log = self._draft.plan, self._log
        if plan is None or log is None or change == self.change or not 0 <= change < len(plan):
            return
        if self.findings and plan.row_repairing(self.findings.start) == change:
            position = self.findings.start
        else:
            position = plan.findings[change]
        node = self._node_of(plan.records[change], position)
        self._set_current(node, _single_finding(position if position >= 0 else _worst_finding_below(log, node)), change)

    def step(self, forward: bool) -> None:
        """Select the next or previous finding of the log."""
        log = self._log
        if log is None or not len(log.findings):
            return
        if self.findings and (self.finding < 0 or len(self.findings) > 1):
            self._go_to(_single_finding(self.findings.start))
        else:
            self._go_to(_single_finding(log.findings.next_position(self.finding, forward, log.record_of(self.node))))

    def _go_to(self, positions: range) -> None:
        if self._log is not None and 0 <= positions.start < positions.stop <= len(self._log.findings):
            self._set_current(max(self._log.findings.nodes[positions.start], 0), positions)

    def _set_current(self, node: int, findings: range, change: int = -1) -> None:
        self.node, self.findings, self._key = node, findings, _NO_CHANGE_KEY
        self._follow_plan(change)
        self.changed.emit()

    def _follow_plan(self, change: int = -1) -> None:
        """Find the row of the changes for the same thing as before, else for the finding or the tree row."""
        self._plan = plan = self._draft.plan
        if plan is None:
            self._change = -1
            return
        change = change if change >= 0 else plan.find_row(*self._key)
        self._change = change if change >= 0 else self._counterpart(plan)
        self._key = plan.row_key(self._change)

    def _counterpart(self, plan: PlannedRepair) -> int:
        row = plan.row_repairing(self.findings.start) if self.findings else -1
        record = self._log.record_of(self.node) if self._log else -1
        if row >= 0 or self._log is None or record < 0 or self._log.attached_log_of(record) is not None:
            return row
        return plan.row_at_record(record)

    def _node_of(self, record: int, position: int) -> int:
        """Return the row of the tree that a change is about.

        That is the row of its finding when both are about the same record.
        """
        log = self._log
        assert log is not None
        outline, finding_node = log.outline, max(log.findings.nodes[position], 0) if position >= 0 else 0
        if finding_node and record in (-1, outline.record[finding_node]):
            return finding_node
        record_node = outline.node_of_record[record] if 0 <= record < len(outline.node_of_record) else 0
        return record_node if record_node > 0 else finding_node or self.node


def _single_finding(position: int) -> range:
    return range(position, position + 1) if position >= 0 else _NO_FINDINGS


def _same_finding(log: OpenedLog, node: int, finding: str) -> int:
    """Return the finding on a row that has the id, else the worst one there, -1 for none."""
    at_node = log.findings.positions_at_node(node)
    return next((position for position in at_node if log.findings[position].id == finding), min(at_node, default=-1))


def _first_worst_finding(book: PackedFindings) -> int:
    """Return the first finding in the log among those of the worst severity, -1 for none."""
    worst = max((group.severity for group in book.groups), default=0)
    stop = max((group.stop for group in book.groups if group.severity == worst), default=0)
    return next((position for position in book.log_order if position < stop), -1)


def _worst_finding_below(log: OpenedLog, node: int) -> int:
    """Return the worst finding on a row of the tree, else the first of the worst below it, -1 for none."""
    outline = log.outline
    while not (at_node := log.findings.positions_at_node(node)):
        counts = next((column for column in (outline.errors, outline.warnings, outline.infos) if column[node]), None)
        below = [] if counts is None else [child for child in _children(outline, node) if counts[child]]
        if not below:
            return -1
        node = below[0]
    return min(at_node)


def _children(outline: Outline, node: int) -> range:
    return range(outline.first[node], outline.first[node] + outline.count[node])
