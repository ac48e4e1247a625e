"""An icon and a sentence where there is nothing to show: an empty pane says nothing."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.gui.basics import assets, theme
from inspector.gui.basics.gate import Label
from inspector.gui.panels.plain_label import PlainLabel


class NothingToShow(QWidget):
    """The sentence in the middle of the pane."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = Label(parent=self)
        self._sentence = PlainLabel(quiet=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(30, 30, 30, 30)
        layout.addStretch(2)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._sentence)
        layout.addStretch(3)

    def show_text(self, icon: str, pair: theme.Pair, sentence: str) -> None:
        self._icon.setPixmap(assets.pixmap(icon, pair.for_palette(self.palette()), 32))
        self._sentence.show_text(sentence)
