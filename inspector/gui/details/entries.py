"""The entries of a page of details: headings, lines and parts, and how they are built for a row of the tree.

The page of a row shows its findings, its role and time, its parts and, for calls, their results. No widgets are used.
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
from inspector.core.translation import tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import decode_bytes, to_one_line
from inspector.gui.common.ui_text import tr
from inspector.gui.state.record_reader import RECORD_GONE_SENTENCE, SUMMARY_LIMIT, RecordReader
from inspector.gui.worker.packed_answers import OpenedLog

MAX_BLOCKS = 60
_HEAD = 4000  # bytes
_NAMED = 4  # rows between a call and its result that are named
_WIDTH = 90
_NO_RESULT_TEXT = {
    PairMark.UNANSWERED: tr("No result was recorded."),
    PairMark.RECOVERABLE: tr("The result is not in the conversation, but a repair can recover it from elsewhere."),
    PairMark.PENDING: tr("The call is waiting for its result."),
    PairMark.RUNNING: tr("The call is running."),
}


class BlockRef(NamedTuple):
    """A block of the log. `number` is -1 for a whole record; `node` is the node of its row."""

    record: int
    number: int
    node: int


def blocks_of_node(outline: Outline, node: int) -> list[BlockRef]:
    """Return the blocks that a row shows; for a long message, only the first ones (`MAX_BLOCKS` and up to a page)."""
    if outline.block[node] >= 0:
        return [BlockRef(outline.record[node], outline.block[node], node)]
    blocks: list[BlockRef] = []
    for child in child_nodes(outline, node):
        if outline.kind[child] == NodeKind.BLOCK:
            blocks.append(BlockRef(outline.record[child], outline.block[child], child))
        elif outline.kind[child] == NodeKind.PAGE and outline.kind[outline.first[child]] == NodeKind.BLOCK:
            blocks += blocks_of_node(outline, child)
        if len(blocks) > MAX_BLOCKS:
            break
    return blocks or [BlockRef(outline.record[node], -1, node)]


def child_nodes(outline: Outline, node: int) -> range:
    return range(outline.first[node], outline.first[node] + outline.count[node])


def between_call_and_result(outline: Outline, call: int, result: int) -> list[int]:
    """Return the rows of the records between a call and its result, without their own messages."""
    first, last = sorted((outline.record[call], outline.record[result]))
    messages = {enclosing_message_node(outline, call), enclosing_message_node(outline, result)}
    nodes = (outline.node_of_record[record] for record in range(first + 1, last))
    return [node for node in dict.fromkeys(nodes) if node > 0 and node not in messages]


def enclosing_message_node(outline: Outline, node: int) -> int:
    """Return the message of a block, or the row itself."""
    while outline.kind[node] in (NodeKind.BLOCK, NodeKind.PAGE) and outline.parent[node] > 0:
        node = outline.parent[node]
    return node


class HeadingEntry(NamedTuple):
    """A heading. `note` is muted text after it; `node` is where a click goes, 0 for nowhere."""

    text: str
    note: str = ""
    tone: theme.ColourPair = theme.ACCENT
    node: int = 0


class LineEntry(NamedTuple):
    """A line of text. `node` is where a click goes, 0 for nowhere."""

    text: str
    tone: theme.ColourPair | None = None
    node: int = 0


class PartEntry(NamedTuple):
    """A part of a record below its heading. An `inset` part belongs to the one before, as a result to its call."""

    part: BlockDetails
    record: int
    heading: HeadingEntry
    inset: bool = False


Entry: TypeAlias = HeadingEntry | LineEntry | PartEntry


class EntryBuilder:
    """The builder of the entries of a row.

    `large` are the requests for records that take too long to read here; `known` holds the ones that were answered.
    """

    def __init__(self, log: OpenedLog, reader: RecordReader, known: Mapping[int, RecordDetails]) -> None:
        self._log, self._reader, self._known = log, reader, known
        self._of_record: dict[int, RecordDetails | None] = {}
        self.large: list[DetailsRequest] = []

    def build(self, node: int, finding: int) -> list[Entry]:
        """Return the entries of a row of a record; `finding` is the number of the finding to show, -1 for none."""
        entries: list[Entry] = list(_finding_entries(self._log.findings[finding])) if finding >= 0 else []
        blocks = blocks_of_node(self._log.outline, node)
        entries += self._head(blocks[0].record)
        for number, block in enumerate(blocks[:MAX_BLOCKS]):
            entries += self._block(block, alone=len(blocks) == 1 or number == 0)
        return [*entries, *_omitted_parts(len(blocks))]

    def reads(self, record: int) -> dict[str, str]:
        """Return the files that were read by the calls of the results in a record, by call id."""
        outline, files = self._log.outline, {}
        message = outline.node_of_record[record]
        for block in blocks_of_node(outline, message) if message > 0 else ():
            call = self._counterpart(block.node, PairMark.ANSWERS)
            view = self._reader.view(outline.record[call]) if call > 0 and not self._is_large(call) else None
            number = outline.block[call]
            if view is not None and 0 <= number < len(view.blocks):
                files[view.blocks[number].call_id] = file_read_by(view.blocks[number].text, view.blocks[number].name)
        return files

    def place(self, node: int) -> str:
        """Return the line or record of a row, with its file name if that is an attached log."""
        place, attached = self._log.place_of(node), self._log.attached_log_of(self._log.record_of(node))
        return f"{hiding.display_name(attached.path)}, {place}" if attached else place

    def _parts(self, record: int) -> RecordDetails | None:
        if record in self._known:
            return self._known[record]
        if record not in self._of_record:
            start, end = self._reader.span(record)
            if end - start > SUMMARY_LIMIT:
                attached = self._log.attached_log_of(record)
                path = attached.bytes_path if attached else ""
                self.large.append(DetailsRequest(record, path, (start, end), self.reads(record)))
                self._of_record[record] = self._beginning(record, end - start)
            else:
                self._of_record[record] = self._reader.parts(record, self.reads(record))
        return self._of_record[record]

    def _is_large(self, node: int) -> bool:
        start, end = self._reader.span(self._log.outline.record[node])
        return end - start > SUMMARY_LIMIT

    def _is_awaited(self, record: int) -> bool:
        return any(request.record == record for request in self.large)

    def _beginning(self, record: int, size: int) -> RecordDetails:
        """Return what a large record shows until it is read: its first bytes."""
        head = DetailPiece(PieceKind.CODE, decode_bytes(self._reader.visible_bytes(record, _HEAD) or b"") + "…")
        sentence = tr("This large record ({size}) is being read. It begins with:", size=format_bytes(size))
        note = BlockDetails(BlockKind.OTHER, (DetailPiece(PieceKind.PROSE, sentence), head), "")
        return RecordDetails("", "", (note,))

    def _head(self, record: int) -> Iterator[Entry]:
        details = self._parts(record)
        if details is None:
            yield LineEntry(tr(RECORD_GONE_SENTENCE))
            return
        counts = ((tr("read"), details.tokens_in), (tr("written"), details.tokens_out))
        tokens = ", ".join(f"{count:,} {name}" for name, count in counts if count is not None)
        node = self._log.outline.node_of_record[record]
        note = (
            formatting.to_iso(details.time),
            details.model,
            tr("{tokens} tokens", tokens=tokens) if tokens else "",
            self.place(node),
        )
        yield HeadingEntry(details.role or tr("Record"), " · ".join(filter(None, note)))
        if not details.parts:
            yield LineEntry(details.summary)

    def _block(self, block: BlockRef, alone: bool) -> Iterator[Entry]:
        details = self._parts(block.record)
        if details is not None and self._is_awaited(block.record):
            yield PartEntry(details.parts[0], block.record, HeadingEntry(""))
            return
        numbers = [block.number] if block.number >= 0 else list(range(len(details.parts) if details else 0))
        for number in numbers[:MAX_BLOCKS]:
            if details is None or not number < len(details.parts):
                continue
            part = details.parts[number]
            call = self._counterpart(block.node, PairMark.ANSWERS)
            if call > 0 and alone:
                yield LineEntry(
                    tr("Answers {short_text} ({place})", short_text=self._short_text(call), place=self.place(call)),
                    node=call,
                )
            yield PartEntry(part, block.record, _part_heading(part))
            if part.kind in CALL_KINDS:
                yield from self._result(block, details.time)
        yield from _omitted_parts(len(numbers))

    def _result(self, block: BlockRef, call_time: str) -> Iterator[Entry]:
        """Yield the result of a call, and what came between the two."""
        outline = self._log.outline
        if no_result := _NO_RESULT_TEXT.get(PairMark(outline.mark[block.node])):
            yield LineEntry(
                tr(no_result), theme.ERROR if outline.mark[block.node] == PairMark.UNANSWERED else theme.INFO
            )
        result = self._counterpart(block.node, PairMark.ANSWERED)
        if result <= 0:
            return
        details = self._parts(outline.record[result])
        number = 0 if self._is_awaited(outline.record[result]) else outline.block[result]
        if details is None:
            return
        if not 0 <= number < len(details.parts):
            yield LineEntry(details.summary)
            return
        yield from self._between(block.node, result)
        lasted = formatting.seconds_between(call_time, details.time)
        after = tr("after {duration}", duration=formatting.format_duration(lasted)) if lasted else ""
        note = " · ".join(filter(None, (self.place(result), after)))
        yield PartEntry(
            details.parts[number],
            outline.record[result],
            _part_heading(details.parts[number], note, result),
            inset=True,
        )

    def _between(self, call: int, result: int) -> Iterator[Entry]:
        nodes = between_call_and_result(self._log.outline, call, result)
        if not nodes:
            return
        yield LineEntry(tr_plural("{number:,} row in between:", "{number:,} rows in between:", len(nodes)), theme.MUTED)
        for node in nodes[:_NAMED]:
            yield LineEntry(f"{self.place(node)}: {self._short_text(node)}", node=node)
        if len(nodes) > _NAMED:
            yield LineEntry("…", theme.MUTED)

    def _counterpart(self, node: int, mark: PairMark) -> int:
        outline = self._log.outline
        return outline.peer[node] if outline.mark[node] == mark else -1

    def _short_text(self, node: int) -> str:
        """Return a row in a few words."""
        outline = self._log.outline
        summary = self._reader.summary(outline.record[node])
        number = outline.block[node]
        blocks = [summary.blocks[number]] if 0 <= number < len(summary.blocks) else summary.blocks[:2]
        texts = [f"{block.name or tr(ui_text.BLOCK_KIND_WORDS[block.kind])} {block.text}" for block in blocks]
        return to_one_line(" · ".join(texts) or f"{summary.role} {summary.summary}", _WIDTH)


def _finding_entries(finding: Finding) -> Iterator[Entry]:
    title = ui_text.rule_title(finding.slug, finding.rule)
    severity = tr(ui_text.SEVERITY_WORDS[finding.severity]).capitalize()
    yield HeadingEntry(f"{severity}: {title}", tone=theme.SEVERITY_COLOURS[int(finding.severity)])
    yield LineEntry(finding.message)
    for sentence in ui_text.provider_refusal_lines(finding.refused_by):
        yield LineEntry(sentence, theme.MUTED)


def _omitted_parts(parts: int) -> list[Entry]:
    """Return a line for the omitted parts, if there are more than `MAX_BLOCKS`."""
    return (
        [LineEntry(tr("The other parts are shown as separate rows in the tree."), theme.MUTED)]
        if parts > MAX_BLOCKS
        else []
    )


def _part_heading(part: BlockDetails, note: str = "", node: int = 0) -> HeadingEntry:
    name = tr("Result") if note else tr(ui_text.BLOCK_KIND_WORDS[part.kind]).capitalize()
    if part.kind in (BlockKind.TEXT, BlockKind.THINKING):
        return HeadingEntry("", note)
    title = f"{name} · {part.name}" if part.name else name
    if part.is_error:
        return HeadingEntry(tr("✗ {title} · marked as failed", title=title), note or part.call_id, theme.ERROR, node)
    return HeadingEntry(title, note or part.call_id, node=node)
