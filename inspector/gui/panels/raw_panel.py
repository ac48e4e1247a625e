"""The side tab that shows the exact bytes of a record."""

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from inspector.core.showing.sizes import format_bytes
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.basics.plain_text import TEXT_LIMIT, decode
from inspector.gui.document.document import Document
from inspector.gui.document.record_reader import GONE
from inspector.gui.panels.plain_label import PlainLabel
from inspector.gui.panels.plain_text_view import PlainTextView


class RawPanel(QWidget):
    """The bytes of the current record, its line and its offsets; a long record is shown piece by piece."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._limit = TEXT_LIMIT
        self._shown: tuple[object, int, int] = (None, -2, 0)
        self._place = PlainLabel(quiet=True)
        self._more = QPushButton(self.tr("Show more"), self)
        self._more.clicked.connect(self._on_more_clicked)
        self._text = PlainTextView(self.tr("Raw bytes"), fixed=True)
        head = QHBoxLayout()
        head.setContentsMargins(10, 8, 10, 6)
        head.addWidget(self._place, 1)
        head.addWidget(self._more)
        in_a_column(self, head, self._text, grows=self._text)
        self._more.hide()
        document.place_changed.connect(self._on_place_changed)
        document.log_changed.connect(self._on_log_changed)

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._on_place_changed()

    def _on_place_changed(self) -> None:
        self._limit = TEXT_LIMIT
        if self.isVisible():
            self._refresh()

    def _on_log_changed(self) -> None:
        self._text.show_text("")  # also where nobody looks
        self._shown = (None, -2, 0)
        self._on_place_changed()

    def _on_more_clicked(self) -> None:
        self._limit *= 4
        self._refresh()

    def _refresh(self) -> None:
        log, reader = self._document.log, self._document.reader
        record = log.record_of(self._document.node) if log else -1
        if (log, record, self._limit) == self._shown[0:3] and log is self._shown[0]:
            return
        self._shown = (log, record, self._limit)
        self._more.hide()
        if log is None or reader is None or record < 0:
            self._place.show_text("")
            self._text.show_text(self.tr("Select a message to see its bytes here."))
            return
        start, end = reader.span(record)
        number = log.number_of(self._document.node)
        line = f"{self.tr('Line') if log.is_numbered_by_line(record) else self.tr('Record')} {number:,}"
        attached = log.attached_log_of(record)
        if attached is not None:
            line = f"{hiding.display_name(attached.path)} · {line}"
        self._place.show_text(f"{line} · {self.tr('bytes')} {start:,} – {end:,} · {format_bytes(end - start)}")
        raw = reader.visible_bytes(record, self._limit)
        if raw is None:
            self._text.show_text(self.tr(GONE))
            return
        self._text.show_text(decode(raw))
        self._more.setVisible(end - start > self._limit)
