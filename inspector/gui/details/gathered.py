"""What the page of a row says: what is wrong, who said it and when, its parts, and of calls what came of them."""

from collections.abc import Iterator, Mapping

from inspector.core.index.views import CALL_KINDS, BlockKind
from inspector.core.scene.finding import Finding
from inspector.core.showing import times
from inspector.core.showing.details.inputs import file_read_by
from inspector.core.showing.details.pieces import BlockDetails, DetailPiece, DetailsRequest, PieceKind, RecordDetails
from inspector.core.showing.outline import PairMark
from inspector.core.showing.sizes import format_bytes
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import theme, words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.plain_text import decode, one_line
from inspector.gui.basics.words import tr
from inspector.gui.details.entries import Entry, Heading, Line, Shown
from inspector.gui.document.detail_nodes import MOST, Block, between, blocks_of
from inspector.gui.document.record_reader import GONE, PAINT_LIMIT, RecordReader

_HEAD = 4000  # bytes
_NAMED = 4  # rows that are named of those between a call and its result
_WIDTH = 90
_SILENT = {
    PairMark.UNANSWERED: "No result is recorded.",
    PairMark.PENDING: "It waits for its result.",
    PairMark.RUNNING: "It is running.",
}


class Gathered:
    """The entries of one row. `large` are records that take too long here; `known` holds those of them that came."""

    def __init__(self, log: OpenedLog, reader: RecordReader, known: Mapping[int, RecordDetails]) -> None:
        self._log, self._reader, self._known = log, reader, known
        self._of_record: dict[int, RecordDetails | None] = {}
        self.large: list[DetailsRequest] = []

    def build(self, node: int, finding: int) -> list[Entry]:
        """What there is to say of a row that stands for a record."""
        found: list[Entry] = list(_finding(self._log.findings[finding])) if finding >= 0 else []
        blocks = blocks_of(self._log.outline, node)
        found += self._head(blocks[0].record)
        for number, block in enumerate(blocks[:MOST]):
            found += self._block(block, alone=len(blocks) == 1 or number == 0)
        return [*found, *_more(len(blocks))]

    def reads(self, record: int) -> dict[str, str]:
        """The files that the calls of a record's results read, by the ids of the calls."""
        outline, found = self._log.outline, {}
        message = outline.node_of_record[record]
        for block in blocks_of(outline, message) if message > 0 else ():
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
            if end - start > PAINT_LIMIT:
                attached = self._log.attached_log_of(record)
                path = attached.path if attached else ""
                self.large.append(DetailsRequest(record, path, (start, end), self.reads(record)))
                self._of_record[record] = self._beginning(record, end - start)
            else:
                self._of_record[record] = self._reader.parts(record, self.reads(record))
        return self._of_record[record]

    def _is_large(self, node: int) -> bool:
        start, end = self._reader.span(self._log.outline.record[node])
        return end - start > PAINT_LIMIT

    def _is_awaited(self, record: int) -> bool:
        return any(each.record == record for each in self.large)

    def _beginning(self, record: int, size: int) -> RecordDetails:
        """What is shown at once of a record that takes a while: its first bytes."""
        head = DetailPiece(PieceKind.CODE, decode(self._reader.visible_bytes(record, _HEAD) or b"") + "…")
        told = f"{tr('A large record')} ({format_bytes(size)}). {tr('It is being read; it begins:')}"
        note = BlockDetails(BlockKind.OTHER, (DetailPiece(PieceKind.PROSE, told), head), "")
        return RecordDetails("", "", (note,))

    def _head(self, record: int) -> Iterator[Entry]:
        told = self._parts(record)
        if told is None:
            yield Line(tr(GONE))
            return
        counts = ((tr("read"), told.tokens_in), (tr("written"), told.tokens_out))
        tokens = ", ".join(f"{count:,} {name}" for name, count in counts if count is not None)
        node = self._log.outline.node_of_record[record]
        note = (times.to_iso(told.time), told.model, f"{tokens} {tr('tokens')}" if tokens else "", self.place(node))
        yield Heading(told.role or tr("Record"), " · ".join(filter(None, note)))
        if not told.parts:
            yield Line(told.summary)

    def _block(self, block: Block, alone: bool) -> Iterator[Entry]:
        told = self._parts(block.record)
        if told is not None and self._is_awaited(block.record):
            yield Shown(told.parts[0], block.record, Heading(""))
            return
        numbers = [block.number] if block.number >= 0 else list(range(len(told.parts) if told else 0))
        for number in numbers[:MOST]:
            if told is None or not number < len(told.parts):
                continue
            part = told.parts[number]
            call = self._counterpart(block.node, PairMark.ANSWERS)
            if call > 0 and alone:
                yield Line(f"{tr('Answers')} {self._short_text(call)} ({self.place(call)})", node=call)
            yield Shown(part, block.record, _heading(part))
            if part.kind in CALL_KINDS:
                yield from self._result(block, told.time)
        yield from _more(len(numbers))

    def _result(self, block: Block, asked: str) -> Iterator[Entry]:
        """The result of a call, with what came between the two."""
        outline = self._log.outline
        if silent := _SILENT.get(PairMark(outline.mark[block.node])):
            yield Line(tr(silent), theme.ERROR if outline.mark[block.node] == PairMark.UNANSWERED else theme.INFO)
        result = self._counterpart(block.node, PairMark.ANSWERED)
        if result <= 0:
            return
        told = self._parts(outline.record[result])
        number = 0 if self._is_awaited(outline.record[result]) else outline.block[result]
        if told is None:
            return
        if not 0 <= number < len(told.parts):
            yield Line(told.summary)
            return
        yield from self._between(block.node, result)
        lasted = times.seconds_between(asked, told.time)
        after = f"{tr('after')} {times.format_duration(lasted)}" if lasted else ""
        note = " · ".join(filter(None, (self.place(result), after)))
        yield Shown(told.parts[number], outline.record[result], _heading(told.parts[number], note, result), inset=True)

    def _between(self, call: int, result: int) -> Iterator[Entry]:
        nodes = between(self._log.outline, call, result)
        if not nodes:
            return
        yield Line(words.counted(len(nodes), tr("row came between:"), tr("rows came between:")), theme.MUTED)
        for node in nodes[:_NAMED]:
            yield Line(f"{self.place(node)}: {self._short_text(node)}", node=node)
        if len(nodes) > _NAMED:
            yield Line("…", theme.MUTED)

    def _counterpart(self, node: int, mark: PairMark) -> int:
        outline = self._log.outline
        return outline.peer[node] if outline.mark[node] == mark else -1

    def _short_text(self, node: int) -> str:
        """A row in a few words."""
        outline = self._log.outline
        brief = self._reader.summary(outline.record[node])
        number = outline.block[node]
        blocks = [brief.blocks[number]] if 0 <= number < len(brief.blocks) else brief.blocks[:2]
        told = [f"{each.name or tr(words.BLOCK[each.kind])} {each.text}" for each in blocks]
        return one_line(" · ".join(told) or f"{brief.role} {brief.summary}", _WIDTH)


def _finding(finding: Finding) -> Iterator[Entry]:
    title = words.rule_title(finding.slug, finding.rule)
    severity = tr(words.SEVERITY[finding.severity]).capitalize()
    yield Heading(f"{severity}: {title}", tone=theme.SEVERITY[int(finding.severity)])
    yield Line(finding.message)
    for sentence in words.refusals(finding.refused_by):
        yield Line(sentence, theme.MUTED)


def _more(parts: int) -> list[Entry]:
    """What is said of a row with more parts than a person reads at once."""
    return [Line(tr("The rest of its parts: each is a row of the tree."), theme.MUTED)] if parts > MOST else []


def _heading(part: BlockDetails, note: str = "", node: int = 0) -> Heading:
    name = tr("Result") if note else tr(words.BLOCK[part.kind]).capitalize()
    if part.kind in (BlockKind.TEXT, BlockKind.THINKING):
        return Heading("", note)
    title = f"{name} · {part.name}" if part.name else name
    if part.is_error:
        return Heading(f"✗ {title} · {tr('marked as failed')}", note or part.call_id, theme.ERROR, node)
    return Heading(title, note or part.call_id, node=node)
