"""What is selected. A finding, a row of the tree and a change of the plan are one thing that is seen three times."""

from PySide6.QtCore import QObject, Signal

from inspector.core.showing.outline import Outline
from inspector.gui.answers.opened_log import FindingBook, OpenedLog
from inspector.gui.answers.planned_repair import PlannedRepair
from inspector.gui.document.node_keys import key_of, node_of
from inspector.gui.document.repair_draft import RepairDraft

_NONE = range(0)
_UNKNOWN = (-1, -1)


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
        self.findings = _NONE
        self._plan: PlannedRepair | None = None
        self._change = -1
        self._key = _UNKNOWN

    def set_log(self, log: OpenedLog | None) -> None:
        """Select in this log from now on: what was selected in another state of it, else the first of the worst."""
        before, node, finding = self._log, self.node, self.finding
        self._log, self.node, self.findings, self._key = log, 0, _NONE, _UNKNOWN
        if before is not None and log is not None and node > 0:
            self.node = node_of(log.outline, key_of(before.outline, node))
            self.findings = _one(_same_finding(log, self.node, before.findings[finding].id if finding >= 0 else ""))
        if log is not None and log.complete and self.node in (0, log.outline.first[0]):
            # Nobody went anywhere yet: a tree that gets the focus makes its first row current by itself.
            self.findings = _one(_first_of_the_worst(log.findings))
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
            self._set_current(node, _one(_worst_below(self._log, node)))

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
        self._set_current(node, _one(position if position >= 0 else _worst_below(log, node)), change)

    def step(self, forward: bool) -> None:
        """Select the next or the previous finding of the log."""
        log = self._log
        if log is None or not len(log.findings):
            return
        if self.findings and (self.finding < 0 or len(self.findings) > 1):
            self._go_to(_one(self.findings.start))
        else:
            self._go_to(_one(log.findings.next_position(self.finding, forward, log.record_of(self.node))))

    def _go_to(self, positions: range) -> None:
        if self._log is not None and 0 <= positions.start < positions.stop <= len(self._log.findings):
            self._set_current(max(self._log.findings.nodes[positions.start], 0), positions)

    def _set_current(self, node: int, findings: range, change: int = -1) -> None:
        self.node, self.findings, self._key = node, findings, _UNKNOWN
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


def _one(position: int) -> range:
    return range(position, position + 1) if position >= 0 else _NONE


def _same_finding(log: OpenedLog, node: int, finding: str) -> int:
    """The finding on a row that has an id, else the worst there, -1 for none."""
    at_node = log.findings.positions_at_node(node)
    return next((position for position in at_node if log.findings[position].id == finding), min(at_node, default=-1))


def _first_of_the_worst(book: FindingBook) -> int:
    """The first in the log among the findings of the worst severity, -1 for none."""
    worst = max((group.severity for group in book.groups), default=0)
    stop = max((group.stop for group in book.groups if group.severity == worst), default=0)
    return next((position for position in book.log_order if position < stop), -1)


def _worst_below(log: OpenedLog, node: int) -> int:
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
