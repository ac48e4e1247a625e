"""Build the display tree of a checked log: nodes in any order first, then numbered level by level.

The tree also holds what a resume does not load (inactive branches, rewound turns, what a compaction replaced) and the
logs of subagents. Calls and results are marked with their pairing, and findings are counted on their nodes.
"""

from __future__ import annotations

import os
from array import array
from collections import deque
from itertools import chain, groupby
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.finding import RECOVER_STRATEGY, Finding, Severity
from inspector.core.analysis.open_calls import OpenCallKind, is_call_running, open_calls_of_kind
from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread_context import CheckedThread, pair_thread
from inspector.core.formats import format_of_log
from inspector.core.formats.base.format import Format
from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.session import Log, Session, SubagentLogReference
from inspector.core.model.views import BlockKind
from inspector.core.presentation.outline import PAGE_SIZE, ByteColumn, NodeKind, Outline, PairMark
from inspector.core.translation import tr

ON_PATH, BELOW_CALL = 1, 2


class InactiveBranch(NamedTuple):
    """Consecutive records of the conversation that are not on its path, and a label with the reason."""

    records: list[int]
    label: str


def inactive_branches(columns: Columns, members: range, placed: bytearray) -> list[InactiveBranch]:
    """Return the inactive branches of a session in the order of the log.

    They are the runs of unplaced records with no record of a path between them. `placed` says for each member whether
    it is on a path (ON_PATH), shown below a call (BELOW_CALL), or not placed yet (0).
    """
    runs: list[list[int]] = []
    apart = True
    for record in members:
        if placed[record - members.start] == ON_PATH:
            apart = True
        elif columns.roles[record] and not placed[record - members.start]:
            if apart:
                runs.append([])
            runs[-1].append(record)
            apart = False
    boundary = _last_boundary(columns, members) if runs else -1
    return [InactiveBranch(run, _label(run, run[-1] < boundary)) for run in runs]


def _last_boundary(columns: Columns, members: range) -> int:
    if not columns.has_mark(RecordMark.COMPACTION):
        return -1
    return next((record for record in reversed(members) if columns.marks[record] & RecordMark.COMPACTION), -1)


def _label(run: list[int], compacted: bool) -> str:
    why = (
        tr("Before a compaction, so not loaded on resume")
        if compacted
        else tr("Not on the active path, so not loaded on resume")
    )
    return f"{why} ({len(run):,})"


class OutlineBuilder:
    """Builds the tree in any order, then numbers the nodes level by level.

    `node_of_row` and `node_of_record` hold the node of every block and record in the tree, else -1. `folded` maps
    blocks without a row of their own, each the only block of its message, to the node of that message. `branched` are
    the threads that have inactive branches.
    """

    def __init__(self, log: Log) -> None:
        self.log, self.columns = log, log.columns
        self.kinds: list[int] = []
        self.records: list[int] = []
        self.ordinals: list[int] = []
        self.children: list[list[int]] = []
        self.labels: dict[int, str] = {}
        self.node_of_row = array("i", [-1]) * len(log.columns.block_kinds)
        self.node_of_record = array("i", [-1]) * len(log.columns)
        self.root = self.add_node(NodeKind.ROOT)
        self.sessions: list[int] = []
        self.reports: dict[str, list[int]] = {}
        self.nested: list[tuple[OutlineBuilder, int]] = []
        self.folded: dict[int, int] = {}
        self.branched: list[CheckedThread] = []

    def add_node(self, kind: NodeKind, record: int = -1, ordinal: int = -1, label: str = "") -> int:
        """Add a node without a parent and return its number; `ordinal` is that of a block in its record."""
        number = len(self.kinds)
        self.kinds.append(kind)
        self.records.append(record)
        self.ordinals.append(ordinal)
        self.children.append([])
        if label:
            self.labels[number] = label
        return number

    def add_session(self, session: Session, threads: list[CheckedThread]) -> None:
        """Add a session: its turns and inactive branches, its side threads, and then all other records."""
        first = session.records.start if session.records else -1
        node = self.add_node(
            NodeKind.SESSION,
            first,
            label=session.title or (tr("Conversation {id}", id=session.id) if session.id else "Records"),
        )
        self.sessions.append(node)
        placed = bytearray(len(session.records))
        start = session.records.start
        self.reports = self._reports_of_calls(session)
        parts: list[int] = []
        side: list[int] = []
        shown: dict[int, CheckedThread] = {}
        for checked in threads:
            shown.setdefault(id(checked.context.thread), checked)
        for record in chain(*self.reports.values()):
            placed[record - start] = BELOW_CALL
        for record in chain(*(checked.context.thread.path for checked in shown.values())):
            placed[record - start] = ON_PATH
        branches = inactive_branches(self.columns, session.records, placed) if shown else []
        for checked in shown.values():
            thread = checked.context.thread
            turns = self._turns(checked, [] if thread.is_side else branches)
            if thread.is_side:
                part = self.add_node(
                    NodeKind.SECTION,
                    thread.path[0] if thread.path else -1,
                    label=tr("Side thread {number}", number=len(side) + 1),
                )
                self.children[part] = self._paged(turns, "Turns")
                side.append(part)
            else:
                self.branched += [checked] if branches else []
                parts, branches = parts + self._with_inherited_apart(turns), []
        page_title = "Turns" if any(self.kinds[part] == NodeKind.TURN for part in parts) else "Messages"
        children = self._paged([*parts, *map(self._aside, branches)], page_title)
        if side:
            children.append(
                self._section(tr("Side threads ({number})", number=len(side)), self._paged(side, "Threads"))
            )
        self._put_under_calls(session)
        rest = [record for record in session.records if not placed[record - start]]
        others = [self._record(record) for record in rest if not (shown and self.columns.roles[record])]
        if others and threads:
            children.append(
                self._section(tr("Other records ({number})", number=len(others)), self._paged(others, "Records"))
            )
        elif others:
            children += self._paged(others, "Records")
        self.children[node] = children

    def _with_inherited_apart(self, turns: list[int]) -> list[int]:
        """Return the turns, with those of each other log that this one continues in a section of their own."""
        if not self.log.source.attached:
            return turns
        nodes: list[int] = []
        starts, attached_path = self.columns.starts, self.log.source.attached_path
        for path, group in groupby(turns, key=lambda turn: attached_path(starts[max(self.records[turn], 0)])):
            members = list(group)
            label = tr(
                "From {path}, which this log continues ({number:,})",
                path=os.path.basename(path),
                number=len(members),
            )
            nodes += [self._section(label, self._paged(members, "Turns"))] if path else members
        return nodes

    def _reports_of_calls(self, session: Session) -> dict[str, list[int]]:
        """Return the progress records of the calls in the session, by call id."""
        columns = self.columns
        records_by_call: dict[str, list[int]] = {}
        if columns.has_mark(RecordMark.TRANSIENT) and session.records:
            calls = columns.call_ids_of_kind(BlockKind.CALL, session.records.start, session.records.stop)
            for record in session.records:
                owner = columns.groups[record]
                if owner is not None and columns.marks[record] & RecordMark.TRANSIENT and owner in calls:
                    records_by_call.setdefault(owner, []).append(record)
        return records_by_call

    def _put_under_calls(self, session: Session) -> None:
        """Add the progress records of calls below their blocks."""
        if not self.reports:
            return
        for record in session.records:
            for row in self.columns.block_rows(record):
                call_id = self.columns.call_ids[row]
                is_call = self.columns.block_kinds[row] == BlockKind.CALL
                if is_call and call_id in self.reports and self.node_of_row[row] >= 0:
                    reports = [self._record(report) for report in self.reports[call_id]]
                    if len(reports) > 1:
                        reports = [self._section(f"Progress ({len(reports)})", self._paged(reports, "Records"))]
                    self.children[self.node_of_row[row]] += reports

    def add_subagent_outline(self, other: OutlineBuilder, label: str, call_id: str) -> None:
        """Add the tree of another log below the call that started it, or at the end where that call is not known.

        Its records are numbered on from the last one here.
        """
        offset, base = len(self.kinds), len(self.node_of_record)
        self.kinds += other.kinds
        self.records += [record + base if record >= 0 else -1 for record in other.records]
        self.ordinals += other.ordinals
        self.children += [[child + offset for child in children] for children in other.children]
        self.labels |= {node + offset: text for node, text in other.labels.items()}
        self.folded |= {block + offset: node + offset for block, node in other.folded.items()}
        other.node_of_row = array("i", [node + offset if node >= 0 else -1 for node in other.node_of_row])
        self.node_of_record.extend(node + offset if node >= 0 else -1 for node in other.node_of_record)
        self.nested.append((other, base))
        section = self._section(label, [c for session in other.sessions for c in self.children[session + offset]])
        owner = self._node_of_call(call_id)
        self.children[self.sessions[-1] if owner < 0 else owner].append(section)

    def _node_of_call(self, call_id: str) -> int:
        if call_id:
            for row, known in enumerate(self.columns.call_ids):
                if known == call_id and self.columns.block_kinds[row] == BlockKind.CALL:
                    return self.node_of_row[row]
        return -1

    def _section(self, label: str, children: list[int]) -> int:
        node = self.add_node(NodeKind.SECTION, label=label)
        self.children[node] = children
        return node

    def _record(self, record: int) -> int:
        node = self.add_node(NodeKind.RECORD, record)
        self.node_of_record[record] = node
        self.children[node] = self._blocks(record)
        return node

    def _blocks(self, record: int) -> list[int]:
        nodes = []
        for ordinal, row in enumerate(self.columns.block_rows(record)):
            self.node_of_row[row] = self.add_node(NodeKind.BLOCK, record, ordinal)
            nodes.append(self.node_of_row[row])
        return nodes

    def _turns(self, checked: CheckedThread, branches: list[InactiveBranch]) -> list[int]:
        """Return the turns of a thread, with the inactive branches between them.

        A turn begins where the person speaks. Messages before the first turn belong to none.
        """
        pairing, roles = checked.context.pairing, self.columns.roles
        turns: list[int] = []
        messages = turns
        open_messages: dict[int, int] = {}
        waiting = deque(branches)
        for position, record in enumerate(pairing.path):
            role, number = roles[record], pairing.messages[position]
            begins = role == Role.USER and not self._holds_results(record)
            while waiting and waiting[0].records[0] < record:
                (turns if begins else messages).append(self._aside(waiting.popleft()))
            if begins:
                turns.append(self.add_node(NodeKind.TURN, record))
                messages = self.children[turns[-1]]
            if number < 0:
                if self.columns.groups[record] not in self.reports:
                    messages.append(self._record(record))
                continue
            if role == Role.ASSISTANT and number in open_messages:
                node = open_messages[number]
                self.node_of_record[record] = node
                self.children[node] += self._blocks(record)
                continue
            node = self.add_node(NodeKind.MESSAGE, record)
            self.node_of_record[record] = node
            self.children[node] = self._blocks(record)
            messages.append(node)
            if role == Role.ASSISTANT:
                open_messages = {number: node}
        for turn in turns:
            if self.kinds[turn] == NodeKind.TURN:
                self._say_prompt(turn)
                self.children[turn] = self._paged(self.children[turn], "Messages")
        return [*turns, *map(self._aside, waiting)]

    def _aside(self, aside: InactiveBranch) -> int:
        node = self.add_node(NodeKind.INACTIVE_BRANCH, aside.records[0], label=aside.label)
        self.children[node] = self._paged([self._record(record) for record in aside.records], "Records")
        return node

    def _say_prompt(self, turn: int) -> None:
        """Merge the first message of a turn, if the person wrote it, into the node of the turn."""
        first, *rest = self.children[turn]
        record = self.records[turn]
        if self.records[first] == record and self.columns.roles[record] == Role.USER:
            self.children[turn] = [*self.children[first], *rest]
            self.node_of_record[record] = turn
            if len(self.children[first]) == 1:
                self._fold(turn, self.children[turn].pop(0))

    def _fold(self, node: int, block: int) -> None:
        """Merge the only block of a node into the node."""
        self.records[node], self.ordinals[node] = self.records[block], self.ordinals[block]
        self.folded[block] = node
        self.children[node] += self.children[block]

    def _holds_results(self, record: int) -> bool:
        first = self.columns.first_block
        kinds = self.columns.block_kinds[first[record] : first[record + 1]]
        return BlockKind.RESULT in kinds or BlockKind.TOLD_RESULT in kinds

    def _paged(self, nodes: list[int], what: str) -> list[int]:
        """Return the nodes, grouped under pages where there are too many for one level."""
        while len(nodes) > PAGE_SIZE:
            pages = []
            for low in range(0, len(nodes), PAGE_SIZE):
                high = min(low + PAGE_SIZE, len(nodes))
                page = self.add_node(NodeKind.PAGE, self.records[nodes[low]], label=f"{what} {low + 1}–{high}")
                self.children[page] = nodes[low:high]
                pages.append(page)
            nodes, what = pages, "Pages"
        return nodes

    def build(self) -> Outline:
        """Return the tree, its nodes numbered level by level, so that the children of a node are contiguous."""
        self._fold_and_page()
        order = [self.root]
        for node in order:
            order += self.children[node]
        size = len(order)
        new = array("i", [-1]) * len(self.kinds)
        for number, node in enumerate(order):
            new[node] = number
        for block, node in self.folded.items():
            new[block] = new[node]
        outline = Outline(
            kind=ByteColumn(self.kinds[node] for node in order),
            parent=array("i", [-1]) * size,
            first=array("I", [0]) * size,
            count=array("I", [0]) * size,
            record=array("i", [self.records[node] for node in order]),
            block=array("i", [self.ordinals[node] for node in order]),
            mark=ByteColumn(size),
            peer=array("i", [-1]) * size,
            errors=array("I", [0]) * size,
            warnings=array("I", [0]) * size,
            infos=array("I", [0]) * size,
            label={new[node]: label for node, label in self.labels.items() if new[node] >= 0},
            node_of_record=array("i", [new[node] if node >= 0 else -1 for node in self.node_of_record]),
        )
        at = 1
        for number, node in enumerate(order):
            count = len(self.children[node])
            outline.first[number], outline.count[number] = at, count
            for child in range(at, at + count):
                outline.parent[child] = number
            at += count
        for builder in (self, *(other for other, _ in self.nested)):
            builder.node_of_row = array("i", [new[node] if node >= 0 else -1 for node in builder.node_of_row])
        return outline

    def _fold_and_page(self) -> None:
        """Fold the only block of a message or record into it, and group levels that are too long under pages."""
        self.children[self.root] = self._paged(self.sessions, "Sessions")
        for node, children in enumerate(self.children):
            alone = len(children) == 1 and self.kinds[children[0]] == NodeKind.BLOCK
            if alone and self.kinds[node] in (NodeKind.MESSAGE, NodeKind.RECORD):
                self._fold(node, children.pop())
        for node, children in enumerate(self.children):
            if len(children) > PAGE_SIZE:
                self.children[node] = self._paged(children, "Blocks")


class SubagentLog(Struct):
    """The log of a subagent, read and checked, to be shown at the call that started it."""

    subagent: SubagentLogReference
    log: Log
    threads: list[CheckedThread]
    label: str
    findings: list[Finding] = []


def build_outline(
    log: Log, threads: list[CheckedThread], findings: list[Finding], subagents: list[SubagentLog] | None = None
) -> tuple[Outline, list[int]]:
    """Return the display tree of a checked log, with its subagents' logs in place, and the node of each finding."""
    builder = _built(log, threads)
    others = [(subagent, _built(subagent.log, subagent.threads)) for subagent in subagents or ()]
    for subagent, other in others:
        builder.add_subagent_outline(other, subagent.label, subagent.subagent.call_id)
    outline = builder.build()
    for owner, checked_threads in [(builder, threads), *((other, subagent.threads) for subagent, other in others)]:
        for checked in checked_threads:
            _mark(outline, owner, checked)
        for checked in owner.branched:
            _mark_inactive(outline, owner, checked)
    bases = dict(builder.nested)
    nodes = [_count(outline, builder, finding, format_of_log(log)) for finding in findings]
    for finding, node in zip(findings, nodes, strict=True):
        if finding.default == RECOVER_STRATEGY and node >= 0 and outline.mark[node] == PairMark.UNANSWERED:
            outline.mark[node] = PairMark.RECOVERABLE
    for subagent, other in others:
        nested = (
            _count(outline, other, finding, format_of_log(subagent.log), bases[other]) for finding in subagent.findings
        )
        nodes += nested
    return outline, nodes


def _built(log: Log, threads: list[CheckedThread]) -> OutlineBuilder:
    builder = OutlineBuilder(log)
    by_session: dict[int, list[CheckedThread]] = {}
    for checked in threads:
        by_session.setdefault(checked.context.session.number, []).append(checked)
    for session in log.sessions:
        builder.add_session(session, by_session.get(session.number, []))
    return builder


def _mark(outline: Outline, builder: OutlineBuilder, checked: CheckedThread) -> None:
    """Set the pairing state of every call and result, and the node of its counterpart."""
    context = checked.context
    pairing, kinds = context.pairing, builder.columns.block_kinds
    pending = set(open_calls_of_kind(context, OpenCallKind.PENDING))
    for tool, row in enumerate(pairing.block_rows):
        node = builder.node_of_row[row]
        if node < 0:
            continue
        peer, state = pairing.counterparts[tool], pairing.states[tool]
        if peer >= 0:
            outline.peer[node] = builder.node_of_row[pairing.block_rows[peer]]
        if kinds[row] == BlockKind.CALL:
            answered = PairMark.ANSWERED if peer >= 0 else PairMark.UNANSWERED
            outline.mark[node] = answered
            if tool in pending:
                outline.mark[node] = PairMark.RUNNING if is_call_running(context, tool) else PairMark.PENDING
        elif state == PairingState.DUPLICATE:
            outline.mark[node] = PairMark.DUPLICATE
        else:
            outline.mark[node] = PairMark.ANSWERS if peer >= 0 else PairMark.ORPHAN


def _mark_inactive(outline: Outline, builder: OutlineBuilder, checked: CheckedThread) -> None:
    """Set the counterparts of calls and results in inactive branches.

    The whole session is paired in the order of the log: a branch may begin between a call and its result. What has no
    counterpart there is not marked, because a resume misses nothing there.
    """
    context = checked.context
    thread = replace(context.thread, path=array("I", context.session.records))
    pairing = pair_thread(context.format, context.columns, thread, context.profile)
    nodes = [builder.node_of_row[row] for row in pairing.block_rows]
    for row, node, peer in zip(pairing.block_rows, nodes, pairing.counterparts, strict=True):
        if node >= 0 <= peer and nodes[peer] >= 0 and outline.mark[node] == PairMark.NONE:
            is_call = builder.columns.block_kinds[row] == BlockKind.CALL
            outline.peer[node] = nodes[peer]
            outline.mark[node] = PairMark.ANSWERED if is_call else PairMark.ANSWERS


def _count(outline: Outline, builder: OutlineBuilder, finding: Finding, format: Format, base: int = 0) -> int:
    """Count a finding on its node and all nodes above, and return the node, 0 where it has none.

    The records of the log of a subagent are numbered from `base` on.
    """
    record = finding.place.record
    node = outline.node_of_record[base + record] if base + record < len(outline.node_of_record) else -1
    if finding.place.pointer:
        for ordinal, row in enumerate(builder.columns.block_rows(record)):
            if (
                format.pointer(builder.columns, record, ordinal) == finding.place.pointer
                and builder.node_of_row[row] >= 0
            ):
                node = builder.node_of_row[row]
    column = {Severity.ERROR: outline.errors, Severity.WARNING: outline.warnings}.get(finding.severity, outline.infos)
    own_node = max(node, 0)
    while node >= 0:
        column[node] += 1
        node = outline.parent[node]
    return own_node
