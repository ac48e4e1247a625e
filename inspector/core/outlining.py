"""Building the display tree of a log."""

from __future__ import annotations

from array import array

from inspector.core.columns import Role
from inspector.core.finding import Finding, Severity
from inspector.core.formats import format_of
from inspector.core.formats.format import Format
from inspector.core.outline import PAGE, NodeKind, Outline, PairMark
from inspector.core.pairing import State
from inspector.core.scene import Judged
from inspector.core.session import Log, Session
from inspector.core.views import BlockKind


def outline_of(log: Log, threads: list[Judged], findings: list[Finding]) -> tuple[Outline, list[int]]:
    """The display tree of a judged log, and the node of each finding."""
    builder = _Builder(log)
    by_session: dict[int, list[Judged]] = {}
    for judged in threads:
        by_session.setdefault(judged.scene.session.number, []).append(judged)
    for session in log.sessions:
        builder.add_session(session, by_session.get(session.number, []))
    outline = builder.finish()
    for judged in threads:
        builder.mark(outline, judged)
    return outline, [builder.count(outline, finding, format_of(log)) for finding in findings]


class _Builder:
    """Grows the tree in any order, then numbers the nodes level by level."""

    def __init__(self, log: Log) -> None:
        self.log, self.columns = log, log.columns
        self.kinds: list[int] = []
        self.records: list[int] = []
        self.ordinals: list[int] = []
        self.children: list[list[int]] = []
        self.labels: dict[int, str] = {}
        self.node_of_row = array("i", [-1]) * len(log.columns.block_kinds)
        self.node_of_record = array("i", [-1]) * len(log.columns)
        self.root = self.node(NodeKind.ROOT)
        self.sessions: list[int] = []

    def node(self, kind: NodeKind, record: int = -1, ordinal: int = -1, label: str = "") -> int:
        number = len(self.kinds)
        self.kinds.append(kind)
        self.records.append(record)
        self.ordinals.append(ordinal)
        self.children.append([])
        if label:
            self.labels[number] = label
        return number

    def add_session(self, session: Session, threads: list[Judged]) -> None:
        first = session.members.start if session.members else -1
        node = self.node(
            NodeKind.SESSION, first, label=session.title or (f"Conversation {session.id}" if session.id else "Records")
        )
        self.sessions.append(node)
        placed = bytearray(len(session.members))
        start = session.members.start
        parts: list[int] = []
        side: list[int] = []
        seen: set[int] = set()
        for judged in threads:
            thread = judged.scene.thread
            if id(thread) in seen:
                continue
            seen.add(id(thread))
            turns = self._turns(judged)
            for record in thread.path:
                placed[record - start] = 1
            if thread.side:
                part = self.node(
                    NodeKind.SECTION, thread.path[0] if thread.path else -1, label=f"Side thread {len(side) + 1}"
                )
                self.children[part] = self._paged(turns, "Turns")
                side.append(part)
            else:
                parts += turns
        children = self._paged(parts, "Turns")
        if side:
            children.append(self._section(f"Side threads ({len(side)})", self._paged(side, "Threads")))
        rest = [record for record in session.members if not placed[record - start]]
        off_path = [self._record(record) for record in rest if self.columns.roles[record]]
        others = [self._record(record) for record in rest if not self.columns.roles[record]]
        if off_path:
            label = f"Off the path: earlier segments and other branches ({len(off_path)})"
            children.append(self._section(label, self._paged(off_path, "Records")))
        if others and threads:
            children.append(self._section(f"Other records ({len(others)})", self._paged(others, "Records")))
        elif others:
            children += self._paged(others, "Records")
        self.children[node] = children

    def _section(self, label: str, children: list[int]) -> int:
        node = self.node(NodeKind.SECTION, label=label)
        self.children[node] = children
        return node

    def _record(self, record: int) -> int:
        node = self.node(NodeKind.RECORD, record)
        self.node_of_record[record] = node
        self.children[node] = self._blocks(record)
        return node

    def _blocks(self, record: int) -> list[int]:
        nodes = []
        for ordinal, row in enumerate(self.columns.rows(record)):
            self.node_of_row[row] = self.node(NodeKind.BLOCK, record, ordinal)
            nodes.append(self.node_of_row[row])
        return nodes

    def _turns(self, judged: Judged) -> list[int]:
        """The turns of a thread: each begins where the person speaks."""
        pairing, roles = judged.scene.pairing, self.columns.roles
        turns: list[int] = []
        messages: list[int] = []
        open_messages: dict[int, int] = {}
        for position, record in enumerate(pairing.path):
            role, number = roles[record], pairing.messages[position]
            if not turns or (role == Role.USER and not self._holds_results(record)):
                turns.append(self.node(NodeKind.TURN, record))
                messages = self.children[turns[-1]]
            if number < 0:
                messages.append(self._record(record))
                continue
            if role == Role.ASSISTANT and number in open_messages:
                node = open_messages[number]
                self.node_of_record[record] = node
                self.children[node] += self._blocks(record)
                continue
            node = self.node(NodeKind.MESSAGE, record)
            self.node_of_record[record] = node
            self.children[node] = self._blocks(record)
            messages.append(node)
            if role == Role.ASSISTANT:
                open_messages = {number: node}
        for turn in turns:
            self.children[turn] = self._paged(self.children[turn], "Messages")
        return turns

    def _holds_results(self, record: int) -> bool:
        first = self.columns.first
        return BlockKind.RESULT in self.columns.block_kinds[first[record] : first[record + 1]]

    def _paged(self, nodes: list[int], what: str) -> list[int]:
        """`nodes`, under pages where they are too many for one level."""
        while len(nodes) > PAGE:
            size = PAGE
            pages = []
            for low in range(0, len(nodes), size):
                high = min(low + size, len(nodes))
                page = self.node(NodeKind.PAGE, self.records[nodes[low]], label=f"{what} {low + 1}–{high}")
                self.children[page] = nodes[low:high]
                pages.append(page)
            nodes, what = pages, "Pages"
        return nodes

    def finish(self) -> Outline:
        """Number the nodes level by level, so that the children of a node are neighbours."""
        self.children[self.root] = self._paged(self.sessions, "Sessions")
        for node, children in enumerate(self.children):
            if len(children) > PAGE:
                self.children[node] = self._paged(children, "Blocks")
        order = [self.root]
        for node in order:
            order += self.children[node]
        size = len(order)
        new = array("i", [-1]) * len(self.kinds)
        for number, node in enumerate(order):
            new[node] = number
        outline = Outline(
            kind=bytearray(self.kinds[node] for node in order),
            parent=array("i", [-1]) * size,
            first=array("I", [0]) * size,
            count=array("I", [0]) * size,
            record=array("i", [self.records[node] for node in order]),
            block=array("i", [self.ordinals[node] for node in order]),
            mark=bytearray(size),
            peer=array("i", [-1]) * size,
            errors=array("I", [0]) * size,
            warnings=array("I", [0]) * size,
            infos=array("I", [0]) * size,
            label={new[node]: label for node, label in self.labels.items()},
            node_of_record=array("i", [new[node] if node >= 0 else -1 for node in self.node_of_record]),
        )
        at = 1
        for number, node in enumerate(order):
            size = len(self.children[node])
            outline.first[number], outline.count[number] = at, size
            for child in range(at, at + size):
                outline.parent[child] = number
            at += size
        self.node_of_row = array("i", [new[node] if node >= 0 else -1 for node in self.node_of_row])
        return outline

    def mark(self, outline: Outline, judged: Judged) -> None:
        """The state of every call and result, and where its counterpart stands."""
        scene = judged.scene
        pairing, kinds = scene.pairing, self.columns.block_kinds
        pending = set(scene.unanswered.get("D6", ()))
        for tool, row in enumerate(pairing.rows):
            node = self.node_of_row[row]
            if node < 0:
                continue
            peer, state = pairing.peers[tool], pairing.states[tool]
            if peer >= 0:
                outline.peer[node] = self.node_of_row[pairing.rows[peer]]
            if kinds[row] == BlockKind.CALL:
                answered = PairMark.ANSWERED if peer >= 0 else PairMark.UNANSWERED
                outline.mark[node] = PairMark.PENDING if tool in pending else answered
            elif state == State.DUPLICATE:
                outline.mark[node] = PairMark.DUPLICATE
            else:
                outline.mark[node] = PairMark.ANSWERS if peer >= 0 else PairMark.ORPHAN

    def count(self, outline: Outline, finding: Finding, format: Format) -> int:
        """Count a finding on its node and all above; returns the node (0 when it has none)."""
        record = finding.place.record
        node = outline.node_of_record[record] if record < len(outline.node_of_record) else -1
        if finding.place.pointer:
            for ordinal, row in enumerate(self.columns.rows(record)):
                if (
                    format.pointer(self.columns, record, ordinal) == finding.place.pointer
                    and self.node_of_row[row] >= 0
                ):
                    node = self.node_of_row[row]
        column = {Severity.ERROR: outline.errors, Severity.WARNING: outline.warnings}.get(
            finding.severity, outline.infos
        )
        found = max(node, 0)
        while node >= 0:
            column[node] += 1
            node = outline.parent[node]
        return found
