"""What a page of details is made of, one below the other.

Merged; to be rewritten:
`detail_nodes`: What belongs to a node of the tree: its blocks, and of a call its result and what came between. No Qt.
`gathered`: What the page of a row says: what is wrong, who said it and when, its parts, and of calls what came of them.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from inspector.core.analysis.finding import Finding
from inspector.core.model.views import CALL_KINDS, BlockKind
from inspector.core.presentation import formatting
from inspector.core.presentation.detail_pieces import (
    BlockDetails,
    DetailPiece,
    DetailsRequest,
    PieceKind,
    RecordDetails,
)
from inspector.core.presentation.details import file_read_by
from inspector.core.presentation.outline import NodeKind, Outline, PairMark
from inspector.core.text import format_bytes
from inspector.gui.common import theme, ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import decode_bytes, to_one_line
from inspector.gui.common.ui_text import tr
from inspector.gui.state.record_reader import RECORD_GONE, SUMMARY_LIMIT, RecordReader
from inspector.gui.worker.answers import OpenedLog

# What belongs to a node of the tree: its blocks, and of a call its result and what came between. No Qt.

MAX_BLOCKS = 60


class BlockRef(NamedTuple):
    """A block of the log; `number` is -1 for a record as a whole. `node` is that of its row."""

    record: int
    number: int
    node: int


def blocks_of_node(outline: Outline, node: int) -> list[BlockRef]:
    """The blocks that a row shows, of a long message the first ones: MOST and a page."""
    if outline.block[node] >= 0:
        return [BlockRef(outline.record[node], outline.block[node], node)]
    found: list[BlockRef] = []
    for child in child_nodes(outline, node):
        if outline.kind[child] == NodeKind.BLOCK:
            found.append(BlockRef(outline.record[child], outline.block[child], child))
        elif outline.kind[child] == NodeKind.PAGE and outline.kind[outline.first[child]] == NodeKind.BLOCK:
            found += blocks_of_node(outline, child)
        if len(found) > MAX_BLOCKS:
            break
    return found or [BlockRef(outline.record[node], -1, node)]


def child_nodes(outline: Outline, node: int) -> range:
    return range(outline.first[node], outline.first[node] + outline.count[node])


def nodes_between(outline: Outline, call: int, result: int) -> list[int]:
    """The rows of the records that the log has between a call and its result, without those of the call's message."""
    first, last = sorted((outline.record[call], outline.record[result]))
    own = {message_node(outline, call), message_node(outline, result)}
    nodes = (outline.node_of_record[record] for record in range(first + 1, last))
    return [node for node in dict.fromkeys(nodes) if node > 0 and node not in own]


def message_node(outline: Outline, node: int) -> int:
    """The message that a block stands in, or the row itself."""
    while outline.kind[node] in (NodeKind.BLOCK, NodeKind.PAGE) and outline.parent[node] > 0:
        node = outline.parent[node]
    return node


class HeadingEntry(NamedTuple):
    """A line of ours above something. `note` stands behind it, quiet; `node` is where a click goes, 0 for nowhere."""

    text: str
    note: str = ""
    tone: theme.ColourPair = theme.ACCENT
    node: int = 0


class LineEntry(NamedTuple):
    """A line of ours. With a `node`, a click goes there."""

    text: str
    tone: theme.ColourPair | None = None
    node: int = 0


class PartEntry(NamedTuple):
    """A part of a record under its heading. `inset`: it belongs to the one before, as a result to its call."""

    part: BlockDetails
    record: int
    heading: HeadingEntry
    inset: bool = False


Entry: TypeAlias = HeadingEntry | LineEntry | PartEntry


# What the page of a row says: what is wrong, who said it and when, its parts, and of calls what came of them.

_HEAD = 4000  # bytes
_NAMED = 4  # rows that are named of those between a call and its result
_WIDTH = 90
_NO_RESULT_TEXT = {
    PairMark.UNANSWERED: "No result is recorded.",
    PairMark.PENDING: "It waits for its result.",
    PairMark.RUNNING: "It is running.",
}


class EntryBuilder:
    """The entries of one row. `large` are records that take too long here; `known` holds those of them that came."""

    def __init__(self, log: OpenedLog, reader: RecordReader, known: Mapping[int, RecordDetails]) -> None:
        self._log, self._reader, self._known = log, reader, known
        self._of_record: dict[int, RecordDetails | None] = {}
        self.large: list[DetailsRequest] = []

    def build(self, node: int, finding: int) -> list[Entry]:
        """What there is to say of a row that stands for a record."""
        found: list[Entry] = list(_finding_entries(self._log.findings[finding])) if finding >= 0 else []
        blocks = blocks_of_node(self._log.outline, node)
        found += self._head(blocks[0].record)
        for number, block in enumerate(blocks[:MAX_BLOCKS]):
            found += self._block(block, alone=len(blocks) == 1 or number == 0)
        return [*found, *_omitted_parts(len(blocks))]

    def reads(self, record: int) -> dict[str, str]:
        """The files that the calls of a record's results read, by the ids of the calls."""
        outline, found = self._log.outline, {}
        message = outline.node_of_record[record]
        for block in blocks_of_node(outline, message) if message > 0 else ():
            call = self._counterpart(block.node, PairMark.ANSWERS)
            view = self._reader.view(outline.record[call]) if call > 0 and not self._is_large(call) else None
            number = outline.block[call]
            if view is not None and 0 <= number < len(view.blocks):
                found[view.blocks[number].call_id] = file_read_by(view.blocks[number].text, view.blocks[number].name)
        return found

    def place(self, node: int) -> str:
        """The line or record of a row, with the name of its file where it is another."""
        log, record = self._log, self._log.record_of(node)
        number = f"{tr('line') if log.is_numbered_by_line(record) else tr('record')} {log.number_of(node):,}"
        attached = log.attached_log_of(record)
        return f"{hiding.display_name(attached.path)}, {number}" if attached else number

    def _parts(self, record: int) -> RecordDetails | None:
        if record in self._known:
            return self._known[record]
        if record not in self._of_record:
            start, end = self._reader.span(record)
            if end - start > SUMMARY_LIMIT:
                attached = self._log.attached_log_of(record)
                path = attached.path if attached else ""
                self.large.append(DetailsRequest(record, path, (start, end), self.reads(record)))
                self._of_record[record] = self._beginning(record, end - start)
            else:
                self._of_record[record] = self._reader.parts(record, self.reads(record))
        return self._of_record[record]

    def _is_large(self, node: int) -> bool:
        start, end = self._reader.span(self._log.outline.record[node])
        return end - start > SUMMARY_LIMIT

    def _is_awaited(self, record: int) -> bool:
        return any(each.record == record for each in self.large)

    def _beginning(self, record: int, size: int) -> RecordDetails:
        """What is shown at once of a record that takes a while: its first bytes."""
        head = DetailPiece(PieceKind.CODE, decode_bytes(self._reader.visible_bytes(record, _HEAD) or b"") + "…")
        told = f"{tr('A large record')} ({format_bytes(size)}). {tr('It is being read; it begins:')}"
        note = BlockDetails(BlockKind.OTHER, (DetailPiece(PieceKind.PROSE, told), head), "")
        return RecordDetails("", "", (note,))

    def _head(self, record: int) -> Iterator[Entry]:
        told = self._parts(record)
        if told is None:
            yield LineEntry(tr(RECORD_GONE))
            return
        counts = ((tr("read"), told.tokens_in), (tr("written"), told.tokens_out))
        tokens = ", ".join(f"{count:,} {name}" for name, count in counts if count is not None)
        node = self._log.outline.node_of_record[record]
        note = (
            formatting.to_iso(told.time),
            told.model,
            f"{tokens} {tr('tokens')}" if tokens else "",
            self.place(node),
        )
        yield HeadingEntry(told.role or tr("Record"), " · ".join(filter(None, note)))
        if not told.parts:
            yield LineEntry(told.summary)

    def _block(self, block: BlockRef, alone: bool) -> Iterator[Entry]:
        told = self._parts(block.record)
        if told is not None and self._is_awaited(block.record):
            yield PartEntry(told.parts[0], block.record, HeadingEntry(""))
            return
        numbers = [block.number] if block.number >= 0 else list(range(len(told.parts) if told else 0))
        for number in numbers[:MAX_BLOCKS]:
            if told is None or not number < len(told.parts):
                continue
            part = told.parts[number]
            call = self._counterpart(block.node, PairMark.ANSWERS)
            if call > 0 and alone:
                yield LineEntry(f"{tr('Answers')} {self._short_text(call)} ({self.place(call)})", node=call)
            yield PartEntry(part, block.record, _part_heading(part))
            if part.kind in CALL_KINDS:
                yield from self._result(block, told.time)
        yield from _omitted_parts(len(numbers))

    def _result(self, block: BlockRef, asked: str) -> Iterator[Entry]:
        """The result of a call, with what came between the two."""
        outline = self._log.outline
        if silent := _NO_RESULT_TEXT.get(PairMark(outline.mark[block.node])):
            yield LineEntry(tr(silent), theme.ERROR if outline.mark[block.node] == PairMark.UNANSWERED else theme.INFO)
        result = self._counterpart(block.node, PairMark.ANSWERED)
        if result <= 0:
            return
        told = self._parts(outline.record[result])
        number = 0 if self._is_awaited(outline.record[result]) else outline.block[result]
        if told is None:
            return
        if not 0 <= number < len(told.parts):
            yield LineEntry(told.summary)
            return
        yield from self._between(block.node, result)
        lasted = formatting.seconds_between(asked, told.time)
        after = f"{tr('after')} {formatting.format_duration(lasted)}" if lasted else ""
        note = " · ".join(filter(None, (self.place(result), after)))
        yield PartEntry(
            told.parts[number], outline.record[result], _part_heading(told.parts[number], note, result), inset=True
        )

    def _between(self, call: int, result: int) -> Iterator[Entry]:
        nodes = nodes_between(self._log.outline, call, result)
        if not nodes:
            return
        yield LineEntry(ui_text.pluralize(len(nodes), tr("row came between:"), tr("rows came between:")), theme.MUTED)
        for node in nodes[:_NAMED]:
            yield LineEntry(f"{self.place(node)}: {self._short_text(node)}", node=node)
        if len(nodes) > _NAMED:
            yield LineEntry("…", theme.MUTED)

    def _counterpart(self, node: int, mark: PairMark) -> int:
        outline = self._log.outline
        return outline.peer[node] if outline.mark[node] == mark else -1

    def _short_text(self, node: int) -> str:
        """A row in a few words."""
        outline = self._log.outline
        brief = self._reader.summary(outline.record[node])
        number = outline.block[node]
        blocks = [brief.blocks[number]] if 0 <= number < len(brief.blocks) else brief.blocks[:2]
        told = [f"{each.name or tr(ui_text.BLOCK[each.kind])} {each.text}" for each in blocks]
        return to_one_line(" · ".join(told) or f"{brief.role} {brief.summary}", _WIDTH)


def _finding_entries(finding: Finding) -> Iterator[Entry]:
    title = ui_text.rule_title(finding.slug, finding.rule)
    severity = tr(ui_text.SEVERITY[finding.severity]).capitalize()
    yield HeadingEntry(f"{severity}: {title}", tone=theme.SEVERITY[int(finding.severity)])
    yield LineEntry(finding.message)
    for sentence in ui_text.refusal_lines(finding.refused_by):
        yield LineEntry(sentence, theme.MUTED)


def _omitted_parts(parts: int) -> list[Entry]:
    """What is said of a row with more parts than a person reads at once."""
    return (
        [LineEntry(tr("The rest of its parts: each is a row of the tree."), theme.MUTED)] if parts > MAX_BLOCKS else []
    )


def _part_heading(part: BlockDetails, note: str = "", node: int = 0) -> HeadingEntry:
    name = tr("Result") if note else tr(ui_text.BLOCK[part.kind]).capitalize()
    if part.kind in (BlockKind.TEXT, BlockKind.THINKING):
        return HeadingEntry("", note)
    title = f"{name} · {part.name}" if part.name else name
    if part.is_error:
        return HeadingEntry(f"✗ {title} · {tr('marked as failed')}", note or part.call_id, theme.ERROR, node)
    return HeadingEntry(title, note or part.call_id, node=node)
