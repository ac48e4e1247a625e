"""A sentence above all panes, with what can be done about it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from inspector.gui.basics import assets, theme
from inspector.gui.basics.gate import Label
from inspector.gui.document.document import Document
from inspector.gui.panels.plain_label import PlainLabel


class MessageBar(QWidget):
    """Shows the document's notice; hidden when there is none."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._pair = theme.WARNING
        self.sentence = PlainLabel()
        self.sentence.setAccessibleName(self.tr("Message"))
        self._icon = Label(parent=self)
        self.offer = QPushButton(self)
        self.offer.clicked.connect(self._on_offer_clicked)
        self._close = QToolButton(self)
        self._close.setAutoRaise(True)
        self._close.setAccessibleName(self.tr("Dismiss"))
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
        self.offer.setText({"retry": self.tr("Try again"), "new": self.tr("Go to what is new")}.get(notice.offer, ""))
        self.offer.setVisible(bool(notice.offer))
        self._pair = theme.GOOD if notice.good else theme.WARNING
        icon = "ok" if notice.good else "warning"
        self._icon.setPixmap(assets.pixmap(icon, self._pair.for_palette(self.palette()), 18))
        self.update()
        self._close.setIcon(assets.icon("close", self.palette(), theme.MUTED))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.tint(self._pair.for_palette(self.palette()), self.palette()))

    def _on_offer_clicked(self) -> None:
        notice = self._document.notice
        if notice is not None and notice.offer == "new":
            self._document.navigator.show_new_records()
        else:
            self._document.reload()
