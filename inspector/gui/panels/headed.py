"""An icon, a sentence in bold, and what stands below it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.gui.basics.gate import Label
from inspector.gui.panels.plain_label import PlainLabel


class Headed(QWidget):
    """The head of a card."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = Label(parent=self)
        self._icon.setFixedWidth(26)
        self.sentence, self.more = PlainLabel(), PlainLabel(quiet=True)
        font = self.sentence.font()
        font.setBold(True)
        self.sentence.setFont(font)
        said = QVBoxLayout()
        said.setSpacing(2)
        said.addWidget(self.sentence)
        said.addWidget(self.more)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(said, 1)

    def show_text(self, icon: QPixmap, sentence: str, more: str = "") -> None:
        self._icon.setPixmap(icon)
        self.sentence.show_text(sentence)
        self.more.show_text(more)
        self.more.setVisible(bool(more))
