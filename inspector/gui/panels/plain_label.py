"""A label for text that may come from a log: plain, wrapped, selectable."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.gui.basics import theme
from inspector.gui.basics.gate import Label

_LIMIT = 2000


class PlainLabel(Label):
    """Wraps its text; `quiet` paints it in the muted colour."""

    def __init__(self, text: str = "", quiet: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._pair = theme.MUTED if quiet else None
        self.show_text(text)
        self._colour()

    def show_text(self, text: str, pair: theme.Pair | None = None) -> None:
        """Show a text, in a colour of the theme if one is given."""
        self.setText(text[:_LIMIT])
        if pair is not None and pair is not self._pair:
            self._pair = pair
            self._colour()

    def minimumSizeHint(self) -> QSize:
        # A label that wraps would ask for the height that it needs in the narrowest column.
        return QSize(60, self.fontMetrics().height())

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if event.type() == event.Type.ApplicationPaletteChange:  # type: ignore[attr-defined]
            self._colour()

    def _colour(self) -> None:
        if self._pair is not None:
            palette = self.palette()
            palette.setColor(self.foregroundRole(), self._pair.for_palette(palette))
            self.setPalette(palette)
