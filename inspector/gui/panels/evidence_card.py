"""Below the details of an unanswered call: did it run, what was it to do, and what shows it."""

from PySide6.QtCore import QEvent, QModelIndex
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QTreeView, QVBoxLayout, QWidget

from inspector.core.evidence.evidence import Evidence
from inspector.core.index.place import RecordLocation
from inspector.gui.basics import assets, theme, words
from inspector.gui.basics.gate import Label
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.basics.plain_text import one_line
from inspector.gui.document.document import Document
from inspector.gui.models.lists import TRACES
from inspector.gui.models.table_model import TableModel
from inspector.gui.panels.headed import Headed
from inspector.gui.panels.list_view import set_up_table
from inspector.gui.panels.plain_label import PlainLabel

_ROWS = 5
_COMMAND_CHARS = 400


class EvidenceCard(QWidget):
    """Hidden unless an unanswered call is current; a click on a trace, or Enter, goes to its record."""

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self._shown: Evidence | None = None
        self.head = Headed(self)
        self.head.sentence.setAccessibleName(self.tr("Did it run?"))
        self.command = PlainLabel()
        self.command.setFont(theme.fixed_font(1))
        self.command.setAccessibleName(self.tr("What the call was to do"))
        self.model = TableModel(TRACES, self)
        self.view = QTreeView(self)
        self.view.setHeaderHidden(True)
        self._row_height = set_up_table(self.view, self.model, self.tr("What shows it"), chosen=self._on_chosen)
        line = Label(parent=self)
        line.setFixedHeight(1)
        line.setAutoFillBackground(True)
        line.setBackgroundRole(self.palette().ColorRole.Mid)
        inner = QVBoxLayout()
        inner.setContentsMargins(14, 8, 10, 8)
        inner.setSpacing(4)
        inner.addWidget(self.head)
        inner.addWidget(self.command)
        in_a_column(self, line, inner, self.view)
        self.hide()
        document.open_calls.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what is known of the current call."""
        evidence = self._evidence()
        self.setVisible(evidence is not None)
        if evidence is self._shown:
            return
        self._shown = evidence
        self._paint()
        command, traces = (evidence.command, evidence.traces) if evidence else ("", ())
        self.command.setVisible(bool(command))
        self.command.show_text(one_line(command, _COMMAND_CHARS))
        self.model.show(traces)
        self.view.setVisible(bool(traces))
        self.view.setFixedHeight(min(len(traces), _ROWS) * self._row_height + 6)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange:
            self._paint()

    def _paint(self) -> None:
        evidence = self._shown
        if evidence is None:
            self.head.show_text(QPixmap(), "")
            return
        icon = words.RAN_ICON[evidence.verdict]
        where = f" {self.tr('Folder:')} {one_line(evidence.folder, _COMMAND_CHARS)}" if evidence.folder else ""
        self.head.show_text(
            assets.pixmap(icon, theme.RAN[icon].for_palette(self.palette()), 18),
            f"{self.tr('Did it run?')} {words.tr(words.RAN[evidence.verdict])}.",
            f"{evidence.sentence} {words.tr(words.EFFECT[evidence.effect])}.{where}",
        )

    def _evidence(self) -> Evidence | None:
        """That of the current finding, else of another one on the current block."""
        document = self._document
        book, log = document.open_calls.evidence, document.log
        if book is None or log is None:
            return None
        here = (document.finding, *log.findings.positions_at_node(document.node))
        return next((found for position in here if (found := book.of_finding(position)) is not None), None)

    def _on_chosen(self, index: QModelIndex) -> None:
        trace = self.model.row(index)
        if trace is not None and trace.record is not None:
            self._document.navigator.go_to(RecordLocation(trace.record, trace.line, None, ""))
