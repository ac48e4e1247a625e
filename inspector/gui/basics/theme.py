"""Colours as pairs for light and dark, and the choice between them."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication


@dataclass(frozen=True)
class Pair:
    """One colour on a light and on a dark ground."""

    light: str
    dark: str

    def for_palette(self, palette: QPalette) -> QColor:
        return QColor(self.dark if is_dark(palette) else self.light)


WINDOW = Pair("#f3f4f6", "#1f2227")
BASE = Pair("#ffffff", "#17191d")
RAISED = Pair("#ffffff", "#272b31")
TEXT = Pair("#1c2128", "#e4e7eb")
MUTED = Pair("#5b6472", "#9aa4b2")
LINE = Pair("#d5d9e0", "#363b43")
SCROLL = Pair("#c3c9d2", "#474e59")
SELECTION = Pair("#d5e4fb", "#2c4468")
ACCENT = Pair("#0b5fce", "#7ab4ff")

ERROR = Pair("#b4232c", "#ff8a87")
WARNING = Pair("#8f5300", "#f0b45a")
INFO = Pair("#2f5f9e", "#8fbdf5")
GOOD = Pair("#1a7040", "#6fd08f")
MOVED = Pair("#6b3fa0", "#c5a3f5")

FOUND = Pair("#d08700", "#e8b93c")

SEVERITY = {3: ERROR, 2: WARNING, 1: INFO}
VERDICT = {
    "broken": ERROR,
    "unexplained": WARNING,
    "heals-itself": INFO,
    "waiting": INFO,
    "healthy": GOOD,
    "not-judged": WARNING,
    "unreadable": ERROR,
    "": MUTED,
}
CHANGE = {
    "added": GOOD,
    "removed": ERROR,
    "moved": MOVED,
    "changed": WARNING,
    "kept": MUTED,
    "skipped": MUTED,
    "rejected": MUTED,
}
RAN = {"warning": WARNING, "pending": INFO, "question": MUTED}
NOTE = {"removed": ERROR, "changed": WARNING, "kept": MUTED, "warning": WARNING}
SENT = {"kept": MUTED, "added": GOOD, "session": INFO, "changed": WARNING, "removed": ERROR, "skipped": MUTED}
ANSWER = {"ok": GOOD, "error": ERROR, "question": WARNING}
CHIP = {
    "user": Pair("#0b5fce", "#7ab4ff"),
    "assistant": Pair("#6b3fa0", "#c5a3f5"),
    "system": Pair("#5b6472", "#9aa4b2"),
    "tool": Pair("#1a7040", "#6fd08f"),
    "call": Pair("#8f5300", "#f0b45a"),
    "result": Pair("#1a7040", "#6fd08f"),
    "thinking": Pair("#5b6472", "#9aa4b2"),
}

MODES = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


def is_dark(palette: QPalette) -> bool:
    return palette.color(QPalette.ColorRole.Window).lightness() < 128


_SPELLED = {"model": "assistant", "gemini": "assistant", "ai": "assistant", "human": "user", "results": "result"}


def chip(word: str) -> Pair:
    """The colour of a role or of a kind of block, as the log spells it."""
    word = word.split(" ")[-1]
    return CHIP.get(_SPELLED.get(word, word), MUTED)


def tint(colour: QColor, palette: QPalette, times: int = 1) -> QColor:
    """A faint ground in a colour, or one that is so many times stronger."""
    tinted = QColor(colour)
    tinted.setAlpha((46 if is_dark(palette) else 28) * times)
    return tinted


def fixed_font(points_less: int = 0) -> QFont:
    """The system's font of fixed width, in the size of the application's."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(max(QGuiApplication.font().pointSizeF() - points_less, 7))
    return font


def palette(dark: bool) -> QPalette:
    """The window's palette."""

    def pick(pair: Pair) -> QColor:
        return QColor(pair.dark if dark else pair.light)

    role, colours = QPalette.ColorRole, QPalette()
    for name, pair in (
        (role.Window, WINDOW),
        (role.Base, BASE),
        (role.AlternateBase, WINDOW),
        (role.Button, RAISED),
        (role.ToolTipBase, RAISED),
        (role.WindowText, TEXT),
        (role.Text, TEXT),
        (role.ButtonText, TEXT),
        (role.ToolTipText, TEXT),
        (role.HighlightedText, TEXT),
        (role.BrightText, TEXT),
        (role.PlaceholderText, MUTED),
        (role.Highlight, SELECTION),
        (role.Link, ACCENT),
        (role.LinkVisited, ACCENT),
        (role.Accent, ACCENT),
        (role.Mid, LINE),
        (role.Midlight, LINE),
        (role.Light, RAISED),
        (role.Dark, LINE),
        (role.Shadow, LINE),
    ):
        colours.setColor(name, pick(pair))
    for name in (role.Text, role.WindowText, role.ButtonText):
        faded = pick(MUTED)
        faded.setAlpha(150)
        colours.setColor(QPalette.ColorGroup.Disabled, name, faded)
    return colours


def _palette_of_marks(dark: bool) -> QPalette:
    """That of what is checked: Fusion draws its outline darker than the window, where a dark window hides it."""
    colours = palette(dark)
    colours.setColor(QPalette.ColorRole.Window, QColor(MUTED.dark if dark else SCROLL.light))
    return colours


def apply(mode: str, styled: bool = True) -> None:
    """Put light, dark or the system's choice on the whole application.

    A style sheet costs time for every widget that is put into a layout: at the start it comes after the window is made.
    """
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        return
    hints = QGuiApplication.styleHints()
    hints.setColorScheme(MODES.get(mode, Qt.ColorScheme.Unknown))
    dark = mode == "dark" or (mode != "light" and hints.colorScheme() == Qt.ColorScheme.Dark)
    application.setPalette(palette(dark))
    for kind in ("QCheckBox", "QRadioButton"):
        # PySide6 takes a text here; its stubs say bytes, which it refuses.
        application.setPalette(_palette_of_marks(dark), kind)  # type: ignore[arg-type]
    if styled and application.styleSheet() != style_sheet(dark):
        application.setStyleSheet(style_sheet(dark))


def style_sheet(dark: bool) -> str:
    """The few things that a palette cannot say: quiet frames, tabs and headers."""

    def pick(pair: Pair) -> str:
        return pair.dark if dark else pair.light

    return f"""
    QToolTip {{ padding: 4px; border: 1px solid {pick(LINE)}; }}
    QSplitter::handle {{ background: {pick(LINE)}; }}
    QHeaderView::section {{ background: {pick(WINDOW)}; color: {pick(MUTED)}; border: none;
        border-bottom: 1px solid {pick(LINE)}; padding: 4px 6px; }}
    QTreeView, QListView, QTableView {{ border: none; }}
    QPlainTextEdit, QTextEdit, Capped, SavedPage > QScrollArea {{ border: 1px solid transparent; }}
    QPlainTextEdit:focus, QTextEdit:focus, Capped:focus, SavedPage > QScrollArea:focus {{
        border-color: {pick(ACCENT)}; }}
    QLineEdit {{ border: 1px solid {pick(SCROLL)}; border-radius: 4px; padding: 3px 6px; background: {pick(BASE)}; }}
    QLineEdit:focus {{ border-color: {pick(ACCENT)}; }}
    QTabWidget::pane {{ border: none; border-top: 1px solid {pick(LINE)}; }}
    QTabBar::tab {{ padding: 7px 16px; border: none; border-bottom: 2px solid transparent; color: {pick(MUTED)}; }}
    QTabBar::tab:selected {{ color: {pick(TEXT)}; border-bottom-color: {pick(ACCENT)}; }}
    QTabBar::tab:focus {{ background: {pick(SELECTION)}; }}
    QToolBar {{ border: none; border-bottom: 1px solid {pick(LINE)}; spacing: 2px; padding: 3px 6px; }}
    QScrollBar:vertical {{ width: 12px; background: transparent; border: none; margin: 0; }}
    QScrollBar:horizontal {{ height: 12px; background: transparent; border: none; margin: 0; }}
    QScrollBar::handle {{ background: {pick(SCROLL)}; border-radius: 4px; margin: 2px;
        min-height: 28px; min-width: 28px; }}
    QScrollBar::handle:hover {{ background: {pick(MUTED)}; }}
    QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none;
        border: none; width: 0; height: 0; }}
    QStatusBar {{ border-top: 1px solid {pick(LINE)}; }}
    QStatusBar::item {{ border: none; }}
    """
