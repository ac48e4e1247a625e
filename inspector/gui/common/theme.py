"""The colours of the window as pairs for light and dark mode, the style sheet, and the icons drawn in these colours."""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QPushButton

from inspector.resource_folder import resources_folder


@dataclass(frozen=True)
class ColourPair:
    """A colour on a light and on a dark background."""

    light: str
    dark: str

    def for_palette(self, palette: QPalette) -> QColor:
        return QColor(self.dark if is_dark(palette) else self.light)


WINDOW = ColourPair("#f3f4f6", "#1f2227")
BASE = ColourPair("#ffffff", "#17191d")
RAISED = ColourPair("#ffffff", "#272b31")
TEXT = ColourPair("#1c2128", "#e4e7eb")
MUTED = ColourPair("#5b6472", "#9aa4b2")
BORDER = ColourPair("#d5d9e0", "#363b43")
SCROLLBAR = ColourPair("#c3c9d2", "#474e59")
EDGE = ColourPair("#7d8694", "#6b7585")  # of fields and selected rows: three times as light or dark as the ground
SELECTION = ColourPair("#d5e4fb", "#25395a")
ACCENT = ColourPair("#0b5fce", "#7ab4ff")
PRIMARY = ColourPair("#0b5fce", "#2f6fd6")
PRIMARY_HOVER = ColourPair("#094fad", "#3d7ee6")
PRIMARY_TEXT = ColourPair("#ffffff", "#ffffff")

ERROR = ColourPair("#b4232c", "#ff8a87")
WARNING = ColourPair("#8f5300", "#f0b45a")
INFO = ColourPair("#2f5f9e", "#8fbdf5")
SUCCESS = ColourPair("#1a7040", "#6fd08f")
MOVED = ColourPair("#6b3fa0", "#c5a3f5")

SEARCH_MATCH = ColourPair("#d08700", "#e8b93c")

SEVERITY_COLOURS = {3: ERROR, 2: WARNING, 1: INFO}
VERDICT_COLOURS = {
    "broken": ERROR,
    "unexplained": WARNING,
    "heals-itself": INFO,
    "waiting": INFO,
    "healthy": SUCCESS,
    "not-judged": WARNING,
    "unreadable": ERROR,
    "": MUTED,
}
CHANGE_COLOURS = {
    "added": SUCCESS,
    "removed": ERROR,
    "moved": MOVED,
    "changed": WARNING,
    "kept": MUTED,
    "skipped": MUTED,
    "rejected": MUTED,
}
EXECUTION_COLOURS = {"warning": WARNING, "pending": INFO, "question": MUTED}
CONVERT_NOTE_COLOURS = {"removed": ERROR, "changed": WARNING, "kept": MUTED, "warning": WARNING}
SENT_MARK_COLOURS = {
    "kept": MUTED,
    "added": SUCCESS,
    "session": INFO,
    "changed": WARNING,
    "removed": ERROR,
    "skipped": MUTED,
}
ACCEPTANCE_COLOURS = {"ok": SUCCESS, "error": ERROR, "question": WARNING}
ROLE_COLOURS = {
    "user": ColourPair("#0b5fce", "#7ab4ff"),
    "assistant": ColourPair("#6b3fa0", "#c5a3f5"),
    "system": ColourPair("#5b6472", "#9aa4b2"),
    "tool": ColourPair("#1a7040", "#6fd08f"),
    "call": ColourPair("#8f5300", "#f0b45a"),
    "result": ColourPair("#1a7040", "#6fd08f"),
    "thinking": ColourPair("#5b6472", "#9aa4b2"),
}

THEME_MODES = {"system": Qt.ColorScheme.Unknown, "light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


def is_dark(palette: QPalette) -> bool:
    return palette.color(QPalette.ColorRole.Window).lightness() < 128


_ROLE_ALIASES = {"model": "assistant", "gemini": "assistant", "ai": "assistant", "human": "user", "results": "result"}


def role_colour(word: str) -> ColourPair:
    """Return the colour of a role or a kind of block, as spelled in the log."""
    word = word.split(" ")[-1]
    return ROLE_COLOURS.get(_ROLE_ALIASES.get(word, word), MUTED)


def tint(colour: QColor, palette: QPalette, times: int = 1) -> QColor:
    """Return a faint background in a colour, or one that is stronger by a factor."""
    tinted = QColor(colour)
    tinted.setAlpha((46 if is_dark(palette) else 28) * times)
    return tinted


def card_background(pair: ColourPair, palette: QPalette) -> QColor:
    """Return the background of a card about something in a colour, fainter than that of a chip."""
    faint = QColor(pair.for_palette(palette))
    faint.setAlpha(26 if is_dark(palette) else 16)
    return faint


def chip_background(colour: QColor, palette: QPalette, is_selected: bool) -> QColor:
    """Return the background of a chip in a colour. On a selected row it hides the colour of the selection."""
    faint = tint(colour, palette)
    if not is_selected:
        return faint
    base, share = palette.color(QPalette.ColorRole.Base), faint.alphaF()
    channels = ((colour.red(), base.red()), (colour.green(), base.green()), (colour.blue(), base.blue()))
    return QColor(*(round(share * part + (1 - share) * ground) for part, ground in channels))


def fixed_font(points_less: int = 0) -> QFont:
    """Return the system's fixed-width font, in the size of the application's font."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(max(QGuiApplication.font().pointSizeF() - points_less, 7))
    return font


def make_palette(dark: bool) -> QPalette:
    """Return the palette of the window."""

    def pick(pair: ColourPair) -> QColor:
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
        (role.Mid, BORDER),
        (role.Midlight, BORDER),
        (role.Light, RAISED),
        (role.Dark, BORDER),
        (role.Shadow, BORDER),
    ):
        colours.setColor(name, pick(pair))
    for name in (role.Text, role.WindowText, role.ButtonText):
        faded = pick(MUTED)
        faded.setAlpha(150)
        colours.setColor(QPalette.ColorGroup.Disabled, name, faded)
    return colours


def _outlined_palette(dark: bool) -> QPalette:
    """Return the palette of boxes. Fusion derives their outline from the window, and draws it too faint."""
    colours = make_palette(dark)
    colours.setColor(QPalette.ColorRole.Window, QColor("#9aa4b2" if dark else "#b4bbc5"))
    return colours


def apply(mode: str, styled: bool = True) -> None:
    """Apply the light, dark or system colour mode to the application.

    `styled` also sets the style sheet. It costs time for every widget that is added to a layout, so at the start it is
    set after the windows are made.
    """
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        return
    hints = QGuiApplication.styleHints()
    hints.setColorScheme(THEME_MODES.get(mode, Qt.ColorScheme.Unknown))
    dark = mode == "dark" or (mode != "light" and hints.colorScheme() == Qt.ColorScheme.Dark)
    if styled and application.styleSheet() != make_style_sheet(dark):
        application.setStyleSheet("")  # with another one, the new palette would not reach the widgets
    application.setPalette(make_palette(dark))
    for kind in ("QCheckBox", "QRadioButton", "QComboBox", "QAbstractSpinBox"):
        # PySide6 accepts only str here, although its stubs say bytes.
        application.setPalette(_outlined_palette(dark), kind)  # type: ignore[arg-type]
    if styled and application.styleSheet() != make_style_sheet(dark):
        application.setStyleSheet(make_style_sheet(dark))


def make_style_sheet(dark: bool) -> str:
    """Return the style sheet for what a palette cannot express: quiet frames, tabs and headers."""

    def pick(pair: ColourPair) -> str:
        return pair.dark if dark else pair.light

    return f"""
    QToolTip {{ padding: 4px; border: 1px solid {pick(BORDER)}; }}
    QSplitter::handle {{ background: {pick(BORDER)}; }}
    QHeaderView::section {{ background: {pick(WINDOW)}; color: {pick(MUTED)}; border: none;
        border-bottom: 1px solid {pick(BORDER)}; padding: 4px 6px; }}
    QTreeView, QListView, QTableView {{ border: none; }}
    QPlainTextEdit, QTextEdit, AutoHeightScrollArea, SavedPage > QScrollArea {{ border: 1px solid transparent; }}
    QPlainTextEdit:focus, QTextEdit:focus, AutoHeightScrollArea:focus, SavedPage > QScrollArea:focus {{
        border-color: {pick(ACCENT)}; }}
    QLineEdit, PastedErrorField {{ border: 1px solid {pick(EDGE)}; border-radius: 4px; padding: 3px 6px;
        background: {pick(BASE)}; }}
    QLineEdit:focus, PastedErrorField:focus {{ border-color: {pick(ACCENT)}; }}
    QTabWidget::pane {{ border: none; border-top: 1px solid {pick(BORDER)}; }}
    QTabBar::tab {{ padding: 7px 16px; border: none; border-bottom: 2px solid transparent; color: {pick(MUTED)}; }}
    QTabBar::tab:selected {{ color: {pick(TEXT)}; border-bottom-color: {pick(ACCENT)}; }}
    QTabBar::tab:focus {{ background: {pick(SELECTION)}; }}
    QToolBar {{ border: none; border-bottom: 1px solid {pick(BORDER)}; spacing: 2px; padding: 3px 6px; }}
    QScrollBar:vertical {{ width: 12px; background: transparent; border: none; margin: 0; }}
    QScrollBar:horizontal {{ height: 12px; background: transparent; border: none; margin: 0; }}
    QScrollBar::handle {{ background: {pick(SCROLLBAR)}; border-radius: 4px; margin: 2px;
        min-height: 28px; min-width: 28px; }}
    QScrollBar::handle:hover {{ background: {pick(MUTED)}; }}
    QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none;
        border: none; width: 0; height: 0; }}
    QPushButton[primary="true"] {{ background: {pick(PRIMARY)}; color: {pick(PRIMARY_TEXT)};
        border: 2px solid {pick(PRIMARY)}; border-radius: 4px; padding: 5px 12px; }}
    QPushButton[primary="true"]:hover {{ background: {pick(PRIMARY_HOVER)}; border-color: {pick(PRIMARY_HOVER)}; }}
    QPushButton[primary="true"]:focus {{ border-color: {pick(TEXT)}; }}
    QPushButton[primary="true"]:disabled {{ background: {pick(WINDOW)}; color: {pick(MUTED)};
        border-color: {pick(BORDER)}; }}
    QMessageBox QPushButton:default {{ border: 2px solid {pick(ACCENT)}; border-radius: 4px; padding: 4px 12px;
        background: {pick(RAISED)}; }}
    QMessageBox QPushButton:default:hover {{ background: {pick(SELECTION)}; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QStatusBar {{ border-top: 1px solid {pick(BORDER)}; }}
    QStatusBar::item {{ border: none; }}
    """


def mark_primary(button: QPushButton, is_primary: bool = True, icon_name: str = "") -> None:
    """Give a button the style of the one that leads on, or take it away. A pane has one such button."""
    if button.property("primary") != is_primary:
        button.setProperty("primary", is_primary)
        if icon_name:
            button.setIcon(button_icon(icon_name, button))
        button.style().unpolish(button)
        button.style().polish(button)


ICON_PIXEL_RATIO = 2


@lru_cache(64)
def _read_svg(name: str) -> bytes:
    try:
        return (resources_folder() / "icons" / f"{name}.svg").read_bytes()
    except OSError:
        # A missing picture must not keep a window from opening. Every icon has a text next to it.
        return b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"/>'


@lru_cache(512)
def _render_svg(name: str, colour: str, size: int) -> QPixmap:
    drawn = QPixmap(size * ICON_PIXEL_RATIO, size * ICON_PIXEL_RATIO)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    svg = _read_svg(name).replace(b"currentColor", colour.encode())
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, size * ICON_PIXEL_RATIO, size * ICON_PIXEL_RATIO))
    painter.end()
    drawn.setDevicePixelRatio(ICON_PIXEL_RATIO)
    return drawn


def pixmap(name: str, colour: QColor, size: int = 16) -> QPixmap:
    """Return an icon as a picture in one colour."""
    return _render_svg(name, colour.name(), size)


def icon(name: str, palette: QPalette, pair: ColourPair = TEXT) -> QIcon:
    """Return an icon in a colour that fits the palette, with a paler picture for disabled items."""
    made = QIcon(pixmap(name, pair.for_palette(palette)))
    made.addPixmap(_fade(pixmap(name, MUTED.for_palette(palette))), QIcon.Mode.Disabled)
    return made


def button_icon(name: str, button: QPushButton) -> QIcon:
    """Return an icon in the colour of the text of a button."""
    return icon(name, button.palette(), PRIMARY_TEXT if button.property("primary") else TEXT)


def _fade(source: QPixmap) -> QPixmap:
    faded = QPixmap(source.size())
    faded.setDevicePixelRatio(source.devicePixelRatio())
    faded.fill(Qt.GlobalColor.transparent)
    painter = QPainter(faded)
    painter.setOpacity(0.5)
    painter.drawPixmap(0, 0, source)
    painter.end()
    return faded
