"""The display tree of a judged log: built, marked with what pairs with what, and counted up with its findings."""

from msgspec import Struct

from inspector.core.formats import format_of
from inspector.core.formats.bases.format import Format
from inspector.core.index.session import Log, Subagent
from inspector.core.index.views import BlockKind
from inspector.core.scene import CheckedThread
from inspector.core.scene.finding import Finding, Severity
from inspector.core.scene.open_calls import OpenCallKind, is_call_running, open_calls
from inspector.core.scene.pairing import PairingState
from inspector.core.showing.outline import Outline, PairMark
from inspector.core.showing.outline_builder import OutlineBuilder


class SubagentLog(Struct):
    """The log of a subagent, read and judged, to be shown at the call that started it."""

    subagent: Subagent
    log: Log
    threads: list[CheckedThread]
    label: str
    findings: list[Finding] = []


def build_outline(
    log: Log, threads: list[CheckedThread], findings: list[Finding], subagents: list[SubagentLog] | None = None
) -> tuple[Outline, list[int]]:
    """The display tree of a judged log with those of its subagents in their place, and the node of each finding."""
    builder = _built(log, threads)
    others = [(each, _built(each.log, each.threads)) for each in subagents or ()]
    for each, other in others:
        builder.add_subagent_outline(other, each.label, each.subagent.call_id)
    outline = builder.build()
    for owner, paired in [(builder, threads), *((other, each.threads) for each, other in others)]:
        for judged in paired:
            _mark(outline, owner, judged)
    bases = dict(builder.nested)
    found = [_count(outline, builder, finding, format_of(log)) for finding in findings]
    for each, other in others:
        nested = (_count(outline, other, finding, format_of(each.log), bases[other]) for finding in each.findings)
        found += nested
    return outline, found


def _built(log: Log, threads: list[CheckedThread]) -> OutlineBuilder:
    builder = OutlineBuilder(log)
    by_session: dict[int, list[CheckedThread]] = {}
    for judged in threads:
        by_session.setdefault(judged.context.session.number, []).append(judged)
    for session in log.sessions:
        builder.add_session(session, by_session.get(session.number, []))
    return builder


def _mark(outline: Outline, builder: OutlineBuilder, judged: CheckedThread) -> None:
    """The state of every call and result, and where its counterpart stands."""
    scene = judged.context
    pairing, kinds = scene.pairing, builder.columns.block_kinds
    pending = set(open_calls(scene, OpenCallKind.PENDING))
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
                outline.mark[node] = PairMark.RUNNING if is_call_running(scene, tool) else PairMark.PENDING
        elif state == PairingState.DUPLICATE:
            outline.mark[node] = PairMark.DUPLICATE
        else:
            outline.mark[node] = PairMark.ANSWERS if peer >= 0 else PairMark.ORPHAN


def _count(outline: Outline, builder: OutlineBuilder, finding: Finding, format: Format, base: int = 0) -> int:
    """Count a finding on its node and all above; returns the node (0 when it has none).

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
    found = max(node, 0)
    while node >= 0:
        column[node] += 1
        node = outline.parent[node]
    return found
