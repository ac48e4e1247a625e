"""What one row of the tree shows, made when it is first painted and kept for a while."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from inspector.core.index.views import CALL_KINDS, BlockKind
from inspector.core.showing import times
from inspector.core.showing.outline import NodeKind, PairMark
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.plain_text import one_line
from inspector.gui.document.node_keys import path_to
from inspector.gui.document.record_reader import BlockBrief, RecordReader

_KEPT = 4096
_GIST_BLOCKS = 6
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)


@dataclass(frozen=True, slots=True)
class Row:
    """One row; no tuple, which Qt would take for a list of its own.

    `chip` is its role or kind, `badge` what is wrong here (severity, words), `counts` what is below. What stands
    `aside` is not loaded by a resume. `file` names the log of a subagent that it is in.
    """

    chip: str = ""
    name: str = ""
    text: str = ""
    time: str = ""
    full_time: str = ""
    tokens: str = ""
    line: str = ""
    file: str = ""
    pair: str = ""
    badge: tuple[int, str] | None = None
    counts: tuple[int, int, int] = (0, 0, 0)
    bold: bool = False
    inactive: bool = False

    @property
    def spoken(self) -> str:
        """The row in words, for a screen reader."""
        errors, warnings, infos = self.counts
        parts = [self.chip, self.name, self.text, self.pair]
        if self.badge:
            parts.append(f"{words.SEVERITY[self.badge[0]]}: {self.badge[1]}")  # type: ignore[index]
        elif any(self.counts):
            parts.append(f"{errors} errors, {warnings} warnings, {infos} notes below")
        return ", ".join(part for part in parts if part)


class OutlineRows:
    """Rows by node, the latest few thousand."""

    def __init__(self, log: OpenedLog, reader: RecordReader) -> None:
        self._log = log
        self._reader = reader
        self._rows: OrderedDict[int, Row] = OrderedDict()

    def row(self, node: int) -> Row:
        row = self._rows.get(node)
        if row is None:
            row = self._make(node)
            self._rows[node] = row
            if len(self._rows) > _KEPT:
                self._rows.popitem(last=False)
        return row

    def pair(self, node: int) -> str:
        """The pair column: where the counterpart is, or what is missing."""
        outline = self._log.outline
        mark, peer = PairMark(outline.mark[node]), outline.peer[node]
        text = words.tr(words.PAIR[mark])
        return text.format(self._log.number_of(peer)) if peer >= 0 else text.replace(" → #{0}", "")

    def _make(self, node: int) -> Row:
        outline = self._log.outline
        counts = (outline.errors[node], outline.warnings[node], outline.infos[node])
        aside = any(outline.kind[each] == NodeKind.INACTIVE_BRANCH for each in (*path_to(outline, node), node))
        attached = self._log.attached_log_of(outline.record[node])
        file = hiding.display_name(attached.path) if attached else ""
        return replace(
            self._described(node),
            file=file,
            pair=self.pair(node),
            badge=self._badge(node),
            counts=counts,
            inactive=aside,
        )

    def _described(self, node: int) -> Row:
        outline = self._log.outline
        kind, record = NodeKind(outline.kind[node]), outline.record[node]
        if node in outline.label or record < 0:
            label = one_line(outline.label.get(node, ""), 300)
            return Row(text=label or words.tr(kind.name.capitalize()), bold=kind != NodeKind.INACTIVE_BRANCH)
        line, brief = f"{self._log.number_of(node):,}", self._reader.summary(record)
        if kind == NodeKind.BLOCK:
            block = outline.block[node]
            if not 0 <= block < len(brief.blocks):
                return Row(chip="block", text=brief.summary, line=line)
            shown = brief.blocks[block]
            return _as_block(Row(words.tr(words.BLOCK[shown.kind]), line=line), shown)
        head = Row(brief.role, time=self._time(record), full_time=brief.time, tokens=brief.tokens, line=line)
        block, is_turn = outline.block[node], kind == NodeKind.TURN
        if 0 <= block < len(brief.blocks):
            return _as_block(head, brief.blocks[block], is_turn)
        blocks = self._blocks_below(node) or brief.blocks
        text = _beside_chip(brief.summary, brief.role) if brief.summary else _gist(blocks)
        kinds = {each.kind for each in blocks if not each.injected}
        results = kinds and kinds.issubset(_RESULTS)
        return replace(head, chip=words.tr("results") if results else brief.role, text=text, bold=is_turn)

    def _time(self, record: int) -> str:
        """The clock, and how long nothing happened before, where that was long."""
        time = self._reader.summary(record).time
        before = self._reader.summary(record - 1).time if record and time else ""
        gap = times.seconds_between(before, time) or 0
        return (
            f"{times.time_of_day(time)} +{times.format_duration(gap, 1)}"
            if gap >= times.LONG_WAIT_SECONDS
            else times.time_of_day(time)
        )

    def _blocks_below(self, node: int) -> list[BlockBrief]:
        """The first blocks of a message, which may fold several records."""
        outline, blocks = self._log.outline, []
        for child in range(outline.first[node], outline.first[node] + min(outline.count[node], _GIST_BLOCKS)):
            of = self._reader.summary(outline.record[child]).blocks if outline.record[child] >= 0 else ()
            if 0 <= outline.block[child] < len(of):
                blocks.append(of[outline.block[child]])
        return blocks

    def _badge(self, node: int) -> tuple[int, str] | None:
        """The worst finding on the node itself."""
        positions = self._log.findings.positions_at_node(node)
        if not positions:
            return None
        finding = self._log.findings[min(positions)]
        text = words.rule_title(finding.slug, finding.rule).lower()
        return int(finding.severity), f"{text} +{len(positions) - 1}" if len(positions) > 1 else text


def _beside_chip(summary: str, role: str) -> str:
    """What a summary adds to the role of its record, which stands before it."""
    first, _, rest = summary.partition(" ")
    return rest if first.removesuffix(":") == role else summary


def _as_block(row: Row, block: BlockBrief, strong: bool = False) -> Row:
    """A row that is one block: a text goes under who said it, anything else under what it is."""
    text = f"{words.tr('failed')}: {block.text}" if block.is_error else block.text
    chip = row.chip if block.kind == BlockKind.TEXT else words.tr(words.BLOCK[block.kind])
    if block.injected:
        return replace(row, chip=words.tr("context"), text=text)
    return replace(row, chip=chip, name=block.name, text=text, bold=strong or block.kind in CALL_KINDS)


def _gist(blocks: Sequence[BlockBrief]) -> str:
    """A message in a line: what was said, then what was called.

    What came back, was thought or was put there by a program is told only where that is all there is.
    """
    texts: dict[str, list[str]] = {}
    for block in blocks:
        called = block.kind in CALL_KINDS
        texts.setdefault(_sort(block), []).append(f"{block.name} {block.text}" if called else block.text)
    told = [" · ".join(filter(None, texts.get(sort, ()))) for sort in ("said", "called", "result", "thought", "other")]
    return one_line(" · ".join(filter(None, told[:2])) or next(filter(None, told), ""), 300)


def _sort(block: BlockBrief) -> str:
    if block.kind in CALL_KINDS:
        return "called"
    if block.kind in _RESULTS:
        return "result"
    if block.kind == BlockKind.THINKING:
        return "thought"
    return "other" if block.injected or block.kind == BlockKind.OTHER else "said"
