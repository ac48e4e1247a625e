"""The side tab that shows a message as a person reads it."""

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from inspector.core.index.place import counted
from inspector.core.index.views import BlockView, RecordView
from inspector.core.scene.finding import Finding
from inspector.core.showing.outline import NodeKind
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import words
from inspector.gui.basics.plain_text import TEXT_LIMIT, byte_size, visible
from inspector.gui.document.document import Document
from inspector.gui.document.record_reader import GONE, PAINT_LIMIT, RecordReader
from inspector.gui.panels.evidence_card import EvidenceCard
from inspector.gui.panels.plain_text_view import PlainTextView

_BLOCKS = 60


class DetailsPanel(QWidget):
    """The current message or block, block by block, as plain text."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._text = PlainTextView(self.tr("Details"))
        self._more = QPushButton(self.tr("Show all of this record"), self)
        self._more.clicked.connect(self._on_more_clicked)
        self.evidence = EvidenceCard(document, self)
        self._shown: tuple[OpenedLog | None, int, int] = (None, -2, -2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._more)
        layout.addWidget(self.evidence)
        self.setFocusProxy(self._text)
        document.place_changed.connect(self.refresh)
        document.find.changed.connect(lambda: self._text.mark(document.find.pattern))
        document.log_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the current node. Nothing is read while another tab is in front."""
        document = self._document
        if not self.isVisible() and self.parent() is not None:
            self._shown = (None, -2, -2)
            return
        now = (document.log, document.node, document.finding)
        if now[0] is self._shown[0] and now[1:] == self._shown[1:]:
            return
        self._shown = now
        document.open_calls.want()
        self.evidence.refresh()
        self._fill(PAINT_LIMIT * 4)

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def _on_more_clicked(self) -> None:
        self._fill(None)

    def _fill(self, limit: int | None) -> None:
        document, writer = self._document, _Writer(TEXT_LIMIT if limit else None)
        log, reader, node = document.log, document.reader, document.node
        self._more.hide()
        if log is None or reader is None or node <= 0:
            self._text.show_text(self.tr("Select a message to read it here."))
            return
        if document.finding >= 0:
            writer.finding(log.findings[document.finding])
        kind, record = NodeKind(log.outline.kind[node]), log.outline.record[node]
        if kind == NodeKind.SESSION:
            _write_session(writer, log, node)
        elif kind in (NodeKind.SECTION, NodeKind.PAGE, NodeKind.ASIDE) or record < 0:
            writer.line(log.outline.label.get(node, ""))
        else:
            start, end = reader.span(record)
            if limit is not None and end - start > limit:
                writer.line(self.tr("This record is large: ") + byte_size(end - start))
                self._more.show()
            else:
                _write_message(writer, log, reader, node)
        if writer.full:
            self._more.show()
        self._text.show_text("\n".join(writer.lines), writer.headings)


class _Writer:
    """Collects lines and remembers which are headings; stops at a number of characters."""

    def __init__(self, limit: int | None) -> None:
        self.lines: list[str] = []
        self.headings: list[int] = []
        self.full = False
        self._left = limit

    def heading(self, text: str) -> None:
        if self.lines:
            self.lines.append("")
        self.headings.append(len(self.lines))
        self.lines.append(visible(text).replace("\n", " "))

    def line(self, text: str) -> None:
        text = visible(text)
        if self._left is not None and len(text) > self._left:
            text, self.full = text[: self._left] + "…", True
        if self._left is not None:
            self._left -= min(len(text), self._left)
        self.lines.extend(text.split("\n"))

    def finding(self, finding: Finding) -> None:
        title = words.rule_title(finding.slug, finding.rule)
        self.heading(f"{words.tr(words.SEVERITY[finding.severity]).capitalize()}: {title}")
        self.line(finding.message)
        for sentence in words.refusals(finding.refused_by):
            self.line(sentence)


def _write_message(writer: _Writer, log: OpenedLog, reader: RecordReader, node: int) -> None:
    outline = log.outline
    record = outline.record[node]
    view = reader.view(record)
    if view is None:
        writer.line(words.tr(GONE))
        return
    writer.heading(" · ".join(part for part in (view.role or words.tr("record"), view.time, view.model) if part))
    tokens = _tokens(view)
    if tokens:
        writer.line(tokens)
    kind = NodeKind(outline.kind[node])
    children = range(outline.first[node], outline.first[node] + outline.count[node])
    if kind == NodeKind.BLOCK:
        blocks = [(record, outline.block[node])]
    elif kind == NodeKind.MESSAGE and len(children):
        blocks = [(outline.record[child], outline.block[child]) for child in children][:_BLOCKS]
    else:
        blocks = [(record, number) for number in range(len(view.blocks))][:_BLOCKS]
    if not blocks:
        writer.line(view.summary)
    for block_record, number in blocks:
        of = reader.view(block_record)
        if of is not None and 0 <= number < len(of.blocks):
            _write_block(writer, of.blocks[number])


def _write_block(writer: _Writer, block: BlockView) -> None:
    title = [words.tr(words.BLOCK[block.kind]).capitalize(), block.name, block.call_id]
    if block.is_error:
        title.append(words.tr("marked as failed"))
    writer.heading(" · ".join(part for part in title if part))
    writer.line(block.text or words.tr("(empty)"))


def _write_session(writer: _Writer, log: OpenedLog, node: int) -> None:
    number = log.session_of(node)
    if not 0 <= number < len(log.overview.sessions):
        writer.line(log.outline.label.get(node, ""))
        return
    session = log.overview.sessions[number]
    writer.heading(session.title or session.id or words.tr("Session"))
    for name, value in (
        (words.tr("Verdict"), session.sentence),
        (words.tr("Id"), session.id),
        (words.tr("Format"), log.overview.format_label),
        (words.tr("Agent"), session.agent),
        (words.tr("Judged as"), words.profile(session.profile)),
        (words.tr("Records"), f"{session.records:,}"),
        (words.tr("Messages"), f"{session.messages:,}"),
        (words.tr("Calls"), f"{session.calls:,}"),
        (words.tr("Results"), f"{session.results:,}"),
    ):
        if value:
            writer.line(f"{name}: {value}")
    if session.memory is not None:
        writer.heading(words.tr("What the agent would have in memory"))
        writer.line(session.memory.sentence)
        for record, note in session.memory.notes:
            writer.line(f"{words.tr('Record')} {counted(record):,}: {note}")
        for disagreement in session.memory.disagreements:
            writer.line(disagreement)
    if log.overview.checks_skipped:
        writer.heading(words.tr("Checks that did not run"))
        for rule, why in log.overview.checks_skipped:
            writer.line(f"{rule}: {why}")


def _tokens(view: RecordView) -> str:
    counts = ((words.tr("read"), view.tokens_in), (words.tr("written"), view.tokens_out))
    parts = [f"{count:,} {name}" for name, count in counts if count is not None]
    return f"{words.tr('Tokens')}: {', '.join(parts)}" if parts else ""
