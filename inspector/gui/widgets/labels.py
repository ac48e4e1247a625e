"""Labels for text that may come from a log: plain, wrapped and selectable, also with an icon."""

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.safe_text import SafeLabel, set_safe_tooltip, to_one_line

_LIMIT = 2000
# A count that grows is announced once it stands still.
_ANNOUNCE_AFTER_MS = 400


def announce(widget: QWidget, text: str) -> None:
    """Let a screen reader say a text."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


# What a screen reader says of an icon. An icon without a name repeats what the text beside it says.
_ICON_NAMES = {
    "ok": tr("Good"),
    "warning": tr("Warning"),
    "error": tr("Error"),
    "info": tr("Note"),
    "pending": tr("In progress"),
    "removed": tr("Removed"),
    "added": tr("Added"),
    "changed": tr("Changed"),
    "kept": tr("Kept"),
}


class IconLabel(SafeLabel):
    """A label that shows an icon, which has a name for screen readers."""

    def show_icon(self, name: str, pair: theme.ColourPair, size: int = 16) -> None:
        self.setPixmap(theme.pixmap(name, pair.for_palette(self.palette()), size))
        self.setAccessibleName(tr(_ICON_NAMES.get(name, "")))


class PlainLabel(SafeLabel):
    """A label that wraps plain text; a `quiet` one has the muted colour."""

    def __init__(self, text: str = "", quiet: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._pair = theme.MUTED if quiet else None
        self._announcing: QTimer | None = None
        self.show_text(text)
        self._colour()

    def show_text(self, text: str, pair: theme.ColourPair | None = None) -> None:
        """Show a text; `pair` is its new colour, None keeps the current one."""
        if self._announcing is not None and text[:_LIMIT] != self.text():
            self._announcing.start()
        self.setText(text[:_LIMIT])
        if pair is not None and pair is not self._pair:
            self._pair = pair
            self._colour()

    def announce_changes(self, description: str) -> None:
        """Let a screen reader say every new text. Its name is the text itself, and `description` says what it is."""
        self.setAccessibleDescription(description)
        self._announcing = QTimer(self, singleShot=True, interval=_ANNOUNCE_AFTER_MS)
        self._announcing.timeout.connect(self._announce)

    def _announce(self) -> None:
        if self.text() and self.isVisible():
            announce(self, self.text())

    def minimumSizeHint(self) -> QSize:
        # A label that wraps would request the height that it needs in the narrowest column.
        return QSize(60, self.fontMetrics().height())

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if event.type() == event.Type.PaletteChange:  # type: ignore[attr-defined]
            self._colour()

    def _colour(self) -> None:
        if self._pair is not None:
            palette = QPalette()  # that of the application; this label gets it later
            palette.setColor(self.foregroundRole(), self._pair.for_palette(palette))
            self.setPalette(palette)


class ElidedLabel(SafeLabel):
    """A muted label of one line, elided at its end; the tooltip and screen readers have the whole text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._whole = ""

    def show_text(self, text: str) -> None:
        self._whole = to_one_line(text, _LIMIT)
        set_safe_tooltip(self, text)
        self.setAccessibleName(self._whole)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width()))


class IconHeader(QWidget):
    """The header of a card or dialog: an icon, a sentence in bold, and muted text below it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = IconLabel(parent=self)
        self._icon.setFixedWidth(26)
        self.sentence, self.more = PlainLabel(), PlainLabel(quiet=True)
        font = self.sentence.font()
        font.setBold(True)
        self.sentence.setFont(font)
        text_column = QVBoxLayout()
        text_column.setSpacing(2)
        text_column.addWidget(self.sentence)
        text_column.addWidget(self.more)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(text_column, 1)

    def clear(self) -> None:
        """Show nothing. A hidden header must not keep the text of a log either."""
        self._icon.clear()
        self.sentence.show_text("")
        self.more.show_text("")

    def show_text(self, icon: str, pair: theme.ColourPair, sentence: str, more: str = "") -> None:
        self._icon.show_icon(icon, pair, 18)
        self.sentence.show_text(sentence)
        self.more.show_text(more)
        self.more.setVisible(bool(more))


class EmptyState(QWidget):
    """The contents of a pane that has nothing to show: an icon and a sentence in its middle."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._icon = IconLabel(parent=self)
        self._sentence = PlainLabel(quiet=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(30, 30, 30, 30)
        layout.addStretch(2)
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(self._sentence)
        layout.addStretch(3)

    def show_text(self, icon: str, pair: theme.ColourPair, sentence: str) -> None:
        self._icon.show_icon(icon, pair, 32)
        self._sentence.show_text(sentence)
