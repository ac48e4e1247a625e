"""The bars around all panes: the notice of the document below them, the answer to a pasted error above them."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QToolButton, QTreeView, QVBoxLayout, QWidget

from inspector.core.presentation.engine_results import LookupAnswer
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import set_safe_tooltip
from inspector.gui.models.base import TableModel
from inspector.gui.models.list_columns import LOOKUP_PLACES_TABLE
from inspector.gui.state.document import Document
from inspector.gui.state.error_lookup import ErrorLookup, LookupPhase
from inspector.gui.widgets.item_views import set_up_table
from inspector.gui.widgets.labels import IconLabel, PlainLabel
from inspector.gui.widgets.scroll_areas import AutoHeightScrollArea, ScrollAreaPage


class MessageBar(QWidget):
    """The bar with the notice of the document; hidden when there is none.

    Signals: `new_records_shown`.
    """

    new_records_shown = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._pair = theme.WARNING
        self.sentence = PlainLabel()
        self.sentence.announce_changes(tr("Message"))
        self._icon = IconLabel(parent=self)
        self.offer = QPushButton(self)
        self.offer.clicked.connect(self._on_offer_clicked)
        self._close = QToolButton(self)
        self._close.setAutoRaise(True)
        self._close.setAccessibleName(tr("Dismiss"))
        self._close.clicked.connect(document.dismiss_notice)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.sentence, 1)
        row.addWidget(self.offer)
        row.addWidget(self._close)
        self.hide()
        document.state_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the current notice."""
        notice = self._document.notice
        self.setVisible(notice is not None)
        if notice is None:
            return
        self.sentence.show_text(notice.sentence)
        self.offer.setText({"retry": tr("Try again"), "new": tr("Go to the new records")}.get(notice.offer, ""))
        self.offer.setVisible(bool(notice.offer))
        self._pair = theme.SUCCESS if notice.good else theme.WARNING
        icon = "ok" if notice.good else "warning"
        self._icon.show_icon(icon, self._pair, 18)
        self.update()
        self._close.setIcon(theme.icon("close", self.palette(), theme.MUTED))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.tint(self._pair.for_palette(self.palette()), self.palette()))

    def _on_offer_clicked(self) -> None:
        notice = self._document.notice
        if notice is not None and notice.offer == "new":
            self._document.navigator.show_new_records()
            self.new_records_shown.emit()
        else:
            self._document.reload()


_ROWS, _FEWEST_ROWS = 6, 2
_SHORTEST = 32  # pixels of the explanation, about two lines
_MAX_SHARE = 10  # of the height of the window, for the explanation, and again for the rows
_LOG = 0  # the column of the log, which is only shown when many logs were searched


class ErrorLookupBar(QWidget):
    """The bar about a pasted error, and the places where it was found. Escape closes it."""

    def __init__(self, lookup: ErrorLookup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pasted = lookup
        self._shown: LookupAnswer | None = None
        self._icon = IconLabel(parent=self)
        self._icon.setFixedWidth(26)
        self.sentence = PlainLabel()
        font = self.sentence.font()
        font.setBold(True)
        self.sentence.setFont(font)
        self.sentence.announce_changes(tr("Meaning of the pasted text"))
        self.more = PlainLabel(quiet=True)
        self._below = AutoHeightScrollArea(self, _SHORTEST)
        self._rows = _ROWS
        self._bar = QProgressBar(self)
        self._bar.setFixedWidth(140)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Searching"))
        self.stop = QPushButton(tr("Stop"), self)
        self.stop.clicked.connect(lookup.stop)
        self.search = QPushButton(tr("&Search the sessions on this machine"), self)
        self.search.clicked.connect(lookup.search)
        self.close_button = QToolButton(self)
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName(tr("Close"))
        set_safe_tooltip(self.close_button, tr("Close (Esc)"))
        self.close_button.clicked.connect(lookup.dismiss)
        self.model = TableModel(LOOKUP_PLACES_TABLE, self)
        self.view = QTreeView(self)
        name = tr("Places that match the pasted text")
        self._row_height = set_up_table(self.view, self.model, name, chosen=self._on_chosen)
        self._lay_out()
        self._show_places()
        self.hide()
        lookup.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the progress of the lookup, and its answer."""
        lookup = self._pasted
        self.setVisible(lookup.phase != LookupPhase.NOT)
        if lookup.answer is not self._shown:
            self._shown = lookup.answer
            self._show_places()
        icon, pair, sentence, below = self._status()
        self._icon.show_icon(icon, pair, 18)
        self.sentence.show_text(sentence)
        self.more.show_text(below)
        self._below.setVisible(bool(below))
        self._below.adjust_height()
        done, total = lookup.progress
        self._bar.setVisible(lookup.phase in (LookupPhase.WAITING, LookupPhase.IN_LOG, LookupPhase.ON_MACHINE))
        self._bar.setRange(0, total if lookup.searching else 0)
        self._bar.setValue(done)
        self.stop.setVisible(lookup.searching)
        self.search.setVisible(lookup.can_search)
        self.close_button.setIcon(theme.icon("close", self.palette(), theme.MUTED))

    def set_room(self, height: int) -> None:
        """Fit the bar into a window of so many pixels: what is longer scrolls, and the verdict below stays in sight."""
        self._below.set_limit(max(height // _MAX_SHARE, _SHORTEST))
        self._rows = min(max(height // _MAX_SHARE // self._row_height, _FEWEST_ROWS), _ROWS)
        self._fit_rows()

    def _fit_rows(self) -> None:
        self.view.setFixedHeight((min(self.model.rowCount(), self._rows) + 1) * self._row_height + 6)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._pasted.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.tint(theme.INFO.for_palette(self.palette()), self.palette()))

    def _status(self) -> tuple[str, theme.ColourPair, str, str]:
        """Return the icon, the colour, the sentence, and the text below it."""
        lookup = self._pasted
        done, total = lookup.progress
        match lookup.phase:
            case LookupPhase.WAITING:
                return "pending", theme.INFO, tr("The search starts as soon as the whole log has been read."), ""
            case LookupPhase.IN_LOG:
                return "pending", theme.INFO, tr("Looking for the cause of the error…"), ""
            case LookupPhase.ON_MACHINE:
                so_far = (
                    tr(
                        "{done:,} of {sessions}",
                        done=done,
                        sessions=tr_plural("{number:,} session", "{number:,} sessions", total),
                    )
                    if total
                    else ""
                )
                return "pending", theme.INFO, tr("Searching the sessions on this machine…"), so_far
            case LookupPhase.STOPPED:
                return "info", theme.INFO, tr("The search was stopped before it finished."), ""
            case LookupPhase.FAILED:
                return "warning", theme.WARNING, lookup.sentence, ""
        answer = lookup.answer
        return ("info", theme.INFO, "", "") if answer is None else self._answer_status(answer)

    def _answer_status(self, answer: LookupAnswer) -> tuple[str, theme.ColourPair, str, str]:
        lines = [*answer.remarks, answer.searched]
        if answer.meaning:
            lines.insert(0, answer.meaning)
        elif answer.named:
            lines.insert(0, tr("The text contains {named}.", named=", ".join(answer.named)))
        below = "\n".join(line for line in lines if line)
        if not answer.places:
            return "question", theme.WARNING, self._nothing_found(answer), below
        sure = answer.explains and not answer.fits and not answer.remarks
        pair, icon = (theme.SUCCESS, "ok") if sure else (theme.INFO, "info")
        return icon, pair, self._found(answer), below

    def _nothing_found(self, answer: LookupAnswer) -> str:
        if answer.searched and not answer.looked_at:
            return tr("This text contains nothing that identifies a session.")
        if answer.is_request:
            return (
                tr("No sessions on this machine begin with this request.")
                if answer.searched
                else tr("No sessions in this log begin with this request.")
            )
        known = bool(answer.meaning)
        if answer.searched:
            return (
                tr("No sessions with this error were found on this machine.")
                if known
                else tr("This error is unknown, and no session on this machine contains it.")
            )
        return (
            tr("Nothing in this log explains this error.")
            if known
            else tr("This error is unknown, and nothing in this log matches it.")
        )

    def _found(self, answer: LookupAnswer) -> str:
        first, count = answer.places[0], len(answer.places)
        where, how = ui_text.location_label(first.place), tr(ui_text.LOOKUP_MATCH_WORDS[first.how])
        if answer.searched:
            logs = tr_plural("{number:,} session", "{number:,} sessions", len({place.path for place in answer.places}))
            if answer.is_request:
                return tr("Found {logs} on this machine that begin with this request.", logs=logs)
            if answer.fits:
                return tr(
                    "The findings in {logs} match this error, but the error may belong to another session.", logs=logs
                )
            return tr("Found in {logs} on this machine.", logs=logs)
        if count > 1:
            return tr(
                "{places}, {how}. The window shows {where}.",
                places=tr_plural("{number:,} place", "{number:,} places", count),
                how=how,
                where=where,
            )
        return f"{where[:1].upper()}{where[1:]}, {how}: {first.sentence}"

    def _show_places(self) -> None:
        answer = self._shown
        self.model.show(answer.places if answer else ())
        searched = answer is not None and bool(answer.searched)
        count = self.model.rowCount()
        self.view.setVisible(count > 1 or (searched and count > 0))
        self.view.setColumnHidden(_LOG, not searched)
        self._fit_rows()
        if count:
            self.view.setCurrentIndex(self.model.index(0, 0))

    def _on_chosen(self, index: QModelIndex) -> None:
        place = self.model.row(index)
        if place is not None:
            self._pasted.show_place(place)

    def _lay_out(self) -> None:
        text_column = QVBoxLayout()
        text_column.setSpacing(2)
        text_column.addWidget(self.sentence)
        text_column.addWidget(self._below)
        page = ScrollAreaPage()
        stack_vertically(page, self.more)
        self._below.setWidget(page)
        # The colour of the bar is painted below it.
        for ground in (page, self._below.viewport()):
            ground.setAutoFillBackground(False)
        row = QHBoxLayout()
        row.setContentsMargins(14, 8, 8, 8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.setSpacing(8)
        row.addLayout(text_column, 1)
        for widget in (self._bar, self.stop, self.search, self.close_button):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        stack_vertically(self, row, self.view)
