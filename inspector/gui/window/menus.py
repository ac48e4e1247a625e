"""The menus, the toolbar, and the context menus of lists: which actions they contain.

It also defines the mouse buttons for back and forward, the window of keyboard shortcuts, and the version text.
"""

import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

from PySide6.QtCore import QEvent, QObject, QSize, Qt, qVersion
from PySide6.QtGui import QAction, QKeySequence, QMouseEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QDialogButtonBox,
    QMainWindow,
    QMenu,
    QToolBar,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.core.model.views import RecordLocation, one_based
from inspector.gui.common.actions import ACTION_TABLE, Action, WindowActions
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.qt_helpers import fit_to_screen, show_beside
from inspector.gui.common.safe_text import escape_caption, set_window_title
from inspector.gui.common.settings import Settings
from inspector.gui.common.ui_text import tr
from inspector.gui.models.base import ColumnSpec, TableModel, TableSpec
from inspector.gui.state.bookmarks import Bookmarks
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import set_up_table
from inspector.version import PROGRAM_NAME, __version__

MenuEntries: TypeAlias = tuple[Action | None, ...]

_TOOLBAR = (
    Action.OPEN, Action.RELOAD, None, Action.BACK, Action.FORWARD, None, Action.PREVIOUS_FINDING, Action.NEXT_FINDING,
    Action.FOLLOW_PAIR, None, Action.FIND, Action.PASTE_ERROR, None, Action.UNDO, Action.REDO, None,
    Action.SAVE_NEW_SESSION, Action.SAVE_COPY,
)  # fmt: skip
_TOOLBAR_WITH_TEXT = (Action.OPEN, Action.NEXT_FINDING)
_ACTION_OF_BUTTON = {Qt.MouseButton.BackButton: Action.BACK, Qt.MouseButton.ForwardButton: Action.FORWARD}
_DEPENDENCIES = ("PySide6-Essentials", "orjson", "msgspec")
_SAVES = (Action.SAVE_NEW_SESSION, Action.SAVE_COPY, Action.SAVE_IN_PLACE, Action.RESTORE)
MENUS: tuple[tuple[str, MenuEntries], ...] = (
    ("&File", (
        Action.OPEN, Action.OPEN_FOLDER, Action.SHOW_STORES, None, Action.RELOAD, Action.CANCEL, None, *_SAVES, None,
        Action.TRIM, Action.CONTINUE_FROM, Action.CONVERT, Action.COMPARE, None, Action.COPY_REPORT, Action.REPORT,
        Action.BUNDLE,
        Action.SEND_BACK, None, Action.SETTINGS, Action.FORGET, Action.QUIT,
    )),
    ("&Edit", (
        Action.UNDO, Action.REDO, Action.REVERT, None, Action.CHOOSE_STRATEGY, Action.REJECT_CHANGE,
        Action.ACCEPT_CHANGE, None, Action.UNDO_PLACEHOLDERS, Action.RESULTS_FROM, None, Action.COPY_TEXT,
        Action.COPY_JSON, Action.COPY_BYTES, None, Action.PASTE, Action.PASTE_ERROR,
    )),
    ("&Go", (
        Action.FIND, Action.FIND_NEXT, Action.FIND_PREVIOUS, Action.FILTER, Action.GO_TO, Action.LISTS, None,
        Action.BACK, Action.FORWARD, None,
        Action.NEXT_FINDING, Action.PREVIOUS_FINDING, Action.FOLLOW_PAIR, None, Action.WHAT_IS_THIS,
        Action.WHO_ACCEPTS, Action.WHAT_IS_SENT, None, Action.SHOW_LIST, Action.NEXT_PANE, Action.PREVIOUS_PANE,
    )),
    ("&View", (
        Action.SHOW_DETAILS, Action.SHOW_RAW, Action.SHOW_REPAIR, None, Action.EXPAND_BELOW, Action.COLLAPSE_ALL,
        Action.SHOW_ASIDES, Action.FOLD_TOOLS, None, Action.BOOKMARK, Action.NOTE, None, Action.SHOW_CONTEXT,
        Action.ZOOM_IN, Action.ZOOM_OUT, Action.ZOOM_RESET, None,
        Action.HIDE_CONTENT, Action.SHOW_CONTENT, None,
    )),
    ("&Help", (Action.COMMANDS, Action.SHORTCUTS, Action.WHAT_IS_THIS, None, Action.ABOUT)),
)  # fmt: skip

# The context menus of lists repeat the actions that apply to a row.
OUTLINE_ACTIONS = (
    Action.FOLLOW_PAIR, Action.WHAT_IS_THIS, Action.CHOOSE_STRATEGY, None, Action.SHOW_DETAILS, Action.SHOW_RAW,
    Action.SHOW_REPAIR, None, Action.COPY_TEXT, Action.COPY_JSON, Action.COPY_BYTES, None, Action.EXPAND_BELOW,
    Action.COLLAPSE_ALL, None, Action.CONTINUE_FROM, None, Action.BOOKMARK, Action.NOTE,
)  # fmt: skip
FINDING_ACTIONS = (Action.WHAT_IS_THIS, Action.WHO_ACCEPTS, None, Action.NEXT_FINDING, Action.PREVIOUS_FINDING)
CHANGE_LIST_ACTIONS = (
    Action.REJECT_CHANGE, Action.ACCEPT_CHANGE, None, Action.UNDO, Action.REDO, Action.REVERT, None, *_SAVES[:3],
)  # fmt: skip
LOG_LIST_ACTIONS = (
    Action.SAVE_COPY, Action.COPY_REPORT, Action.REPORT, Action.BUNDLE, Action.SEND_BACK, None, Action.RELOAD,
    Action.SHOW_LIST,
)  # fmt: skip

# Keys that do something without being the shortcut of an action: (where, what, keys).
OTHER_SHORTCUTS = (
    ("Lists", tr("Show the context menu for the selected row"), tr("Menu, Shift+F10")),
    ("Lists", tr("Open a log, or go to a row's record"), "Enter"),
    ("Conversation", ACTION_TABLE[Action.FOLLOW_PAIR].tip, "Enter"),
    ("Conversation", tr("Expand or collapse a row"), "→, ←"),
    ("Problem", tr("Choose a repair for one finding or for all findings of the same kind"), tr("F2, Alt+Down")),
    ("Everywhere", tr("Go to the next or previous control"), tr("Tab, Shift+Tab")),
)


def make_bookmarks_menu(window: QMainWindow, document: Document, bookmarks: Bookmarks) -> QMenu:
    """Create the menu of bookmarks; choosing one goes to its record."""
    menu = QMenu(tr("Boo&kmarks"), window)

    def fill() -> None:
        menu.clear()
        for mark in bookmarks.all():
            go = menu.addAction(escape_caption(" · ".join(filter(None, (str(one_based(mark.record)), mark.note)))))
            go.triggered.connect(lambda _=False, record=mark.record: document.navigator.go_to(RecordLocation(record)))
        if not len(bookmarks):
            menu.addAction(tr("No rows in this log are marked.")).setEnabled(False)

    menu.aboutToShow.connect(fill)
    return menu


def fill_menus(window: QMainWindow, actions: WindowActions, recent: QMenu, marks: QMenu, columns: QMenu) -> None:
    """Fill the menu bar."""
    menus = {}
    for title, entries in MENUS:
        menus[title] = window.menuBar().addMenu(tr(title))
        add_actions(menus[title], actions, entries)
    menus["&File"].insertMenu(menus["&File"].actions()[3], recent)
    menus["&Go"].addMenu(marks)
    menus["&View"].addMenu(columns)


def make_recent_menu(window: QMainWindow, settings: Settings, open: Callable[[str], object]) -> QMenu:
    """Create the menu of recent logs, listed by their full paths."""
    menu = QMenu(tr("Open &recent"), window)

    def fill() -> None:
        menu.clear()
        for path in settings.recent:
            menu.addAction(escape_caption(hiding.display_path(path))).triggered.connect(
                lambda _=False, path=path: open(path)
            )
        menu.addSeparator()
        menu.addAction(tr("Clear this list")).triggered.connect(settings.forget_recent)

    menu.aboutToShow.connect(fill)
    return menu


def shortcut_rows(actions: WindowActions) -> Iterator[tuple[str, str, str]]:
    """Yield (menu, what the keys do, the keys as the platform writes them) for each keyboard shortcut."""
    for title, entries in MENUS:
        for entry in entries:
            keys = actions.shortcut_text(entry) if entry else ""
            if entry and keys:
                yield tr(title).replace("&", ""), tr(ACTION_TABLE[entry].tip), keys
    for where, purpose, keys in OTHER_SHORTCUTS:
        yield tr(where), tr(purpose), keys


def make_toolbar(window: QMainWindow, actions: WindowActions) -> QToolBar:
    """Create the toolbar."""
    bar = QToolBar(tr("Toolbar"), window)
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    icon_size = max(18, window.fontMetrics().height())
    bar.setIconSize(QSize(icon_size, icon_size))
    bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    add_actions(bar, actions, _TOOLBAR)
    for action in _TOOLBAR_WITH_TEXT:
        button = bar.widgetForAction(actions[action])
        if isinstance(button, QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return bar


def add_actions(menu: QWidget, actions: WindowActions, entries: MenuEntries) -> None:
    """Add actions to a menu, a toolbar, or the context menu of a list; None adds a separator."""
    for entry in entries:
        if entry is not None:
            menu.addAction(actions[entry])
        else:
            line = QAction(menu)
            line.setSeparator(True)
            menu.addAction(line)


class MouseNavigation(QObject):
    """The back and forward buttons of the mouse.

    An event filter on the window and on its views, which would handle these buttons as clicks.
    """

    def __init__(self, actions: WindowActions, window: QMainWindow) -> None:
        super().__init__(window)
        self._actions = actions
        window.installEventFilter(self)
        for view in window.findChildren(QAbstractScrollArea):
            view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.MouseButtonPress or not isinstance(event, QMouseEvent):
            return False
        action = _ACTION_OF_BUTTON.get(event.button())
        if action is not None:
            self._actions[action].trigger()
        return action is not None


SHORTCUT_TABLE = TableSpec[tuple[str, str, str]](
    (
        ColumnSpec(tr("Keys"), lambda row: row[2], (tr("Ctrl+Shift+Z, Ctrl+Y"),), padding=24),
        ColumnSpec(tr("Action"), lambda row: row[1]),
        ColumnSpec(tr("Where"), lambda row: row[0], (tr("Problem"), tr("Conversation")), padding=24, muted=True),
    )
)


class ShortcutsWindow(QWidget):
    """The window that lists all keyboard shortcuts; Escape closes it."""

    def __init__(self, actions: WindowActions, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        set_window_title(self, tr("Keyboard"))
        self.model = TableModel(SHORTCUT_TABLE, self)
        self.view = QTreeView(self)
        set_up_table(self.view, self.model, tr("Keyboard shortcuts"))
        self.model.show(list(shortcut_rows(actions)))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.close)
        buttons.setContentsMargins(10, 8, 10, 10)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view, 1)
        column.addWidget(buttons)
        fit_to_screen(self, QSize(760, 720))

    def ask(self) -> None:
        """Show the window and focus its list."""
        show_beside(self)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)


def describe_versions() -> str:
    """Return the versions of the program, the platform and the dependencies, one per line, for bug reports."""
    parts = (f"{name} {_version_of(name)}" for name in _DEPENDENCIES)
    python = tr(
        "Python {python_version}, {system} {release}",
        python_version=platform.python_version(),
        system=platform.system(),
        release=platform.release(),
    )
    return "\n".join((f"{PROGRAM_NAME} {__version__}", python, tr("Qt {qversion}", qversion=qVersion()), *parts))


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # in a program frozen into one file
        return tr("unknown version")
