"""What is selected. A finding, a row of the tree and a change of the plan are one thing that is seen three times.

Merged; to be rewritten:
`node_keys`: Names for nodes that stay the same when the tree of a log is built anew: a node's number does not.
`history`: Back and forward through the places that were visited, in this log and in those that were open before.
"""

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.core.presentation.outline import NodeKind, Outline
from inspector.gui.state.repair_draft import RepairDraft
from inspector.gui.worker.answers import OpenedLog, PackedFindings, PlannedRepair

# Names for nodes that stay the same when the tree of a log is built anew: a node's number does not.


class NodeKey(NamedTuple):
    """What names a node in another state of the same log."""

    kind: int
    record: int
    block: int
    label: str


def make_node_key(outline: Outline, node: int) -> NodeKey:
    return NodeKey(outline.kind[node], outline.record[node], outline.block[node], outline.label.get(node, ""))


def find_node(outline: Outline, key: NodeKey) -> int:
    """The node that a key names, 0 when there is none any more."""
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
    """The ancestors of a node from the top, without the root and without the node."""
    path = []
    while (node := outline.parent[node]) > 0:
        path.append(node)
    return path[::-1]


# Back and forward through the places that were visited, in this log and in those that were open before.

_MAX_VISITS = 500


class Visit(NamedTuple):
    """A place: a log, and what names its node in any state of it; without a path the list of logs."""

    path: str
    key: NodeKey | None


class VisitHistory:
    """A walk from row to row, as with an arrow key, is one visit; whatever else makes a row current is another."""

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._at = -1
        self._node = 0

    def visit(self, path: str, outline: Outline, node: int) -> None:
        """Note where the person is now. What lay ahead is forgotten."""
        visit = Visit(path, make_node_key(outline, node))
        now = self._visits[self._at] if self._visits else None
        if visit == now:
            self._node = node
            return
        if now is not None and now.path == path and self._is_step(outline, node):
            self._at -= 1
        self._visits[self._at + 1 :] = [visit]
        del self._visits[:-_MAX_VISITS]
        self._at, self._node = len(self._visits) - 1, node

    def visit_list(self) -> None:
        """Note that the list of logs is shown."""
        if self._at < 0 or self._visits[self._at].path:
            self._visits[self._at + 1 :] = [Visit("", None)]
            self._at = len(self._visits) - 1

    def go(self, forward: bool) -> Visit | None:
        """Where it goes back or on to, None where to nowhere. The place is that of the person from now on."""
        at = self._at + (1 if forward else -1)
        if not 0 <= at < len(self._visits):
            return None
        self._at, self._node = at, 0
        return self._visits[at]

    def can_go(self, forward: bool) -> bool:
        return 0 <= self._at + (1 if forward else -1) < len(self._visits)

    def _is_step(self, outline: Outline, node: int) -> bool:
        """Whether a node is the one beside, above or right below the one of the newest visit."""
        last, parent, first = self._node, outline.parent, outline.first
        if not 0 < last < len(outline):
            return False
        is_below, is_above = outline.count[last] and first[last] == node, parent[last] == node
        return bool(is_below or is_above or (abs(node - last) == 1 and parent[node] == parent[last]))


_NO_FINDINGS = range(0)
_NO_CHANGE_KEY = (-1, -1)


class Selection(QObject):
    """Panes follow `changed` and select; to select what is selected already does nothing, so nothing goes in circles.

    `node` is the row of the tree, `findings` are the positions of a finding, of all in a group, or none.
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
        """Select in this log from now on: what was selected in another state of it, else the first of the worst."""
        before, node, finding = self._log, self.node, self.finding
        self._log, self.node, self.findings, self._key = log, 0, _NO_FINDINGS, _NO_CHANGE_KEY
        if before is not None and log is not None and node > 0:
            self.node = find_node(log.outline, make_node_key(before.outline, node))
            self.findings = _single_finding(
                _same_finding(log, self.node, before.findings[finding].id if finding >= 0 else "")
            )
        if log is not None and log.complete and self.node in (0, log.outline.first[0]):
            # Nobody went anywhere yet: a tree that gets the focus makes its first row current by itself.
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
        """The row among the changes of the plan, -1 for none. In another plan it is the one that is about the same."""
        if self._draft.plan is not self._plan:
            self._follow_plan()
        return self._change

    def select_node(self, node: int) -> None:
        """Select a row of the tree, and the worst finding on it or else below it."""
        if self._log is not None and node != self.node and 0 <= node < len(self._log.outline):
            self._set_current(node, _single_finding(_worst_finding_below(self._log, node)))

    def select_findings(self, positions: range) -> None:
        """Select a finding, or all of a group: the row of the tree is that of the first."""
        if positions and positions != self.findings:
            self._go_to(positions)

    def select_change(self, change: int) -> None:
        """Select a row among the changes, and what it mends."""
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
        """Select the next or the previous finding of the log."""
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
        """Find the change that the same is about as before, else the one that the finding or the row is about."""
        self._plan = plan = self._draft.plan
        if plan is None:
            self._change = -1
            return
        change = change if change >= 0 else plan.find_row(*self._key)
        self._change = change if change >= 0 else self._counterpart(plan)
        self._key = plan.row_key(self._change)

    def _counterpart(self, plan: PlannedRepair) -> int:
        mends = plan.row_repairing(self.findings.start) if self.findings else -1
        record = self._log.record_of(self.node) if self._log else -1
        if mends >= 0 or self._log is None or record < 0 or self._log.attached_log_of(record) is not None:
            return mends
        return plan.row_at_record(record)

    def _node_of(self, record: int, position: int) -> int:
        """The row of the tree that a change is about: that of its finding where both are about one record."""
        log = self._log
        assert log is not None
        outline, about = log.outline, max(log.findings.nodes[position], 0) if position >= 0 else 0
        if about and record in (-1, outline.record[about]):
            return about
        own = outline.node_of_record[record] if 0 <= record < len(outline.node_of_record) else 0
        return own if own > 0 else about or self.node


def _single_finding(position: int) -> range:
    return range(position, position + 1) if position >= 0 else _NO_FINDINGS


def _same_finding(log: OpenedLog, node: int, finding: str) -> int:
    """The finding on a row that has an id, else the worst there, -1 for none."""
    at_node = log.findings.positions_at_node(node)
    return next((position for position in at_node if log.findings[position].id == finding), min(at_node, default=-1))


def _first_worst_finding(book: PackedFindings) -> int:
    """The first in the log among the findings of the worst severity, -1 for none."""
    worst = max((group.severity for group in book.groups), default=0)
    stop = max((group.stop for group in book.groups if group.severity == worst), default=0)
    return next((position for position in book.log_order if position < stop), -1)


def _worst_finding_below(log: OpenedLog, node: int) -> int:
    """The worst finding on a row of the tree, else the first of the worst below it, -1 for none."""
    outline = log.outline
    while not (at_node := log.findings.positions_at_node(node)):
        counts = next((each for each in (outline.errors, outline.warnings, outline.infos) if each[node]), None)
        below = [] if counts is None else [child for child in _children(outline, node) if counts[child]]
        if not below:
            return -1
        node = below[0]
    return min(at_node)


def _children(outline: Outline, node: int) -> range:
    return range(outline.first[node], outline.first[node] + outline.count[node])
