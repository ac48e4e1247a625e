"""The menus, those of the lists among them, and the toolbar: which of the actions stand where."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from inspector.core.index.place import RecordLocation
from inspector.core.index.place import one_based as as_counted
from inspector.gui.basics import theme
from inspector.gui.basics.action_table import TABLE, Action
from inspector.gui.basics.actions import Actions
from inspector.gui.basics.gate import caption
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.settings import Settings
from inspector.gui.basics.words import tr
from inspector.gui.document.bookmarks import Bookmarks
from inspector.gui.document.document import Document

Entries: TypeAlias = tuple[Action | None, ...]

_TOOLBAR = (
    Action.OPEN, Action.RELOAD, None, Action.BACK, Action.FORWARD, None, Action.PREVIOUS_FINDING, Action.NEXT_FINDING,
    Action.FOLLOW_PAIR, None, Action.UNDO, Action.REDO,
)  # fmt: skip
_WITH_TEXT = (Action.OPEN, Action.NEXT_FINDING)
_SAVES = (Action.SAVE_NEW_SESSION, Action.SAVE_COPY, Action.SAVE_IN_PLACE, Action.RESTORE)
MENUS: tuple[tuple[str, Entries], ...] = (
    ("&File", (
        Action.OPEN, Action.OPEN_FOLDER, Action.SHOW_STORES, None, Action.RELOAD, Action.CANCEL, None, *_SAVES, None,
        Action.TRIM, Action.CONVERT, Action.COMPARE, None, Action.COPY_REPORT, Action.REPORT, Action.BUNDLE,
        Action.SEND_BACK, None, Action.FORGET, Action.QUIT,
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
        Action.SHOW_ASIDES, None, Action.BOOKMARK, Action.NOTE, None, Action.HIDE_CONTENT,
        Action.SHOW_CONTENT, None,
    )),
    ("&Help", (Action.SHORTCUTS, Action.WHAT_IS_THIS, None, Action.ABOUT)),
)  # fmt: skip

# What can be done with a row of a list stands in the menu of the list, too.
ON_A_ROW = (
    Action.FOLLOW_PAIR, Action.WHAT_IS_THIS, Action.CHOOSE_STRATEGY, None, Action.SHOW_DETAILS, Action.SHOW_RAW,
    Action.SHOW_REPAIR, None, Action.COPY_TEXT, Action.COPY_JSON, Action.COPY_BYTES, None, Action.EXPAND_BELOW,
    Action.COLLAPSE_ALL, None, Action.BOOKMARK, Action.NOTE,
)  # fmt: skip
ON_A_FINDING = (Action.WHAT_IS_THIS, Action.WHO_ACCEPTS, None, Action.NEXT_FINDING, Action.PREVIOUS_FINDING)
ON_A_CHANGE = (
    Action.REJECT_CHANGE, Action.ACCEPT_CHANGE, None, Action.UNDO, Action.REDO, Action.REVERT, None, *_SAVES[:3],
)  # fmt: skip
ON_A_LOG = (Action.COPY_REPORT, Action.REPORT, None, Action.RELOAD, Action.SHOW_LIST)

# What keys do that are no actions: (where, what, keys).
IN_LISTS = (
    ("Lists", "What can be done with a row", "Menu, Shift+F10"),
    ("Lists", "Open a log, or go to what a row tells of", "Enter"),
    ("Conversation", TABLE[Action.FOLLOW_PAIR].tip, "Enter"),
    ("Conversation", "Unfold or fold a row", "→, ←"),
    ("What is wrong", "Choose what is done about a finding, or about all of a kind", "F2, Alt+Down"),
    ("Everywhere", "Next control, control before", "Tab, Shift+Tab"),
)


def bookmarks_menu(window: QMainWindow, document: Document, bookmarks: Bookmarks) -> QMenu:
    """The rows that a person marked; a choice goes there."""
    menu = QMenu(tr("Boo&kmarks"), window)

    def fill() -> None:
        menu.clear()
        for mark in bookmarks.all():
            go = menu.addAction(caption(" · ".join(filter(None, (str(as_counted(mark.record)), mark.note)))))
            go.triggered.connect(lambda _=False, record=mark.record: document.navigator.go_to(RecordLocation(record)))
        if not len(bookmarks):
            menu.addAction(tr("No row of this log is marked.")).setEnabled(False)

    menu.aboutToShow.connect(fill)
    return menu


def fill_menus(
    window: QMainWindow, actions: Actions, recent: QMenu, marks: QMenu, columns: QMenu, settings: Settings
) -> None:
    """Fill the menu bar."""
    menus = {}
    for title, entries in MENUS:
        menus[title] = window.menuBar().addMenu(tr(title))
        add_actions(menus[title], actions, entries)
    menus["&File"].insertMenu(menus["&File"].actions()[3], recent)
    menus["&Go"].addMenu(marks)
    menus["&View"].addMenu(columns)
    menus["&View"].addMenu(_theme_menu(window, settings))


def recent_menu(window: QMainWindow, settings: Settings, open: Callable[[str], object]) -> QMenu:
    """The logs opened last, by their whole paths."""
    menu = QMenu(tr("Open &recent"), window)

    def fill() -> None:
        menu.clear()
        for path in settings.recent:
            menu.addAction(caption(hiding.display_path(path))).triggered.connect(lambda _=False, path=path: open(path))
        menu.addSeparator()
        menu.addAction(tr("Forget these")).triggered.connect(settings.forget_recent)

    menu.aboutToShow.connect(fill)
    return menu


def keys_told(actions: Actions) -> Iterator[tuple[str, str, str]]:
    """What the keyboard does: (where it stands in the menus, what it does, the keys), as the platform spells them."""
    for title, entries in MENUS:
        for entry in entries:
            keys = actions.shortcut_text(entry) if entry else ""
            if entry and keys:
                yield tr(title).replace("&", ""), tr(TABLE[entry].tip), keys
    for where, what, keys in IN_LISTS:
        yield tr(where), tr(what), keys


def make_toolbar(window: QMainWindow, actions: Actions) -> QToolBar:
    """The toolbar."""
    bar = QToolBar(tr("Toolbar"), window)
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    side = max(18, window.fontMetrics().height())
    bar.setIconSize(QSize(side, side))
    bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    add_actions(bar, actions, _TOOLBAR)
    for action in _WITH_TEXT:
        button = bar.widgetForAction(actions[action])
        if isinstance(button, QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return bar


def add_actions(menu: QWidget, actions: Actions, entries: Entries) -> None:
    """Put actions into a menu, a toolbar, or the menu of a list; None is a line between them."""
    for entry in entries:
        if entry is not None:
            menu.addAction(actions[entry])
        else:
            line = QAction(menu)
            line.setSeparator(True)
            menu.addAction(line)


def _theme_menu(window: QMainWindow, settings: Settings) -> QMenu:
    menu = QMenu(tr("&Theme"), window)
    group = QActionGroup(menu)
    for mode, title in (("system", tr("As the system")), ("light", tr("Light")), ("dark", tr("Dark"))):
        choice = QAction(title, menu, checkable=True, checked=settings.theme == mode)
        choice.triggered.connect(lambda _=False, mode=mode: _choose_theme(mode, settings))
        group.addAction(choice)
        menu.addAction(choice)
    return menu


def _choose_theme(mode: str, settings: Settings) -> None:
    settings.theme = mode
    theme.apply(mode)
