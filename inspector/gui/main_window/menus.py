"""The menus and the toolbar, made from the table of actions."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton

from inspector.gui.basics import theme
from inspector.gui.basics.actions import Action, Actions
from inspector.gui.basics.settings import Settings
from inspector.gui.basics.words import tr

_TOOLBAR = (
    Action.OPEN,
    Action.RELOAD,
    None,
    Action.BACK,
    Action.FORWARD,
    None,
    Action.PREVIOUS_FINDING,
    Action.NEXT_FINDING,
    Action.FOLLOW_PAIR,
    None,
    Action.UNDO,
    Action.REDO,
)
_WITH_TEXT = (Action.OPEN, Action.NEXT_FINDING)
_SAVES = (Action.SAVE_NEW_SESSION, Action.SAVE_COPY, Action.SAVE_IN_PLACE, Action.RESTORE)
_COPIES = (Action.TRIM, Action.CONVERT)
_EDIT = (
    Action.UNDO, Action.REDO, Action.REVERT, None, Action.REJECT_CHANGE, Action.ACCEPT_CHANGE, None,
    Action.UNDO_PLACEHOLDERS, Action.RESULTS_FROM, None, Action.COPY_TEXT, Action.COPY_JSON, Action.COPY_BYTES, None,
    Action.PASTE, Action.PASTE_ERROR,
)  # fmt: skip
_GO = (
    Action.FIND, Action.FIND_NEXT, Action.FIND_PREVIOUS, Action.FILTER, Action.GO_TO, None,
    Action.BACK, Action.FORWARD, None,
    Action.NEXT_FINDING, Action.PREVIOUS_FINDING, Action.FOLLOW_PAIR, None, Action.WHAT_IS_THIS, Action.WHO_ACCEPTS,
    Action.WHAT_IS_SENT, None, Action.SHOW_LIST, Action.NEXT_PANE,
)  # fmt: skip
_VIEW = (
    Action.SHOW_DETAILS, Action.SHOW_RAW, Action.SHOW_REPAIR, None, Action.EXPAND_BELOW, Action.COLLAPSE_ALL, None,
)  # fmt: skip


def fill_menus(window: QMainWindow, actions: Actions, recent: QMenu, columns: QMenu, settings: Settings) -> None:
    """Fill the menu bar."""
    bar = window.menuBar()
    file_menu = bar.addMenu(tr("&File"))
    _add(file_menu, actions, (Action.OPEN, Action.OPEN_FOLDER, Action.SHOW_STORES))
    file_menu.addMenu(recent)
    _add(
        file_menu,
        actions,
        (Action.RELOAD, Action.CANCEL, None, *_SAVES, None, *_COPIES, None, Action.QUIT),
    )
    for title, entries in (("&Edit", _EDIT), ("&Go", _GO)):
        _add(bar.addMenu(tr(title)), actions, entries)
    view = bar.addMenu(tr("&View"))
    _add(view, actions, _VIEW)
    view.addMenu(columns)
    view.addMenu(_theme_menu(window, settings))


def make_toolbar(window: QMainWindow, actions: Actions) -> QToolBar:
    """The toolbar."""
    bar = QToolBar(tr("Toolbar"), window)
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    bar.setIconSize(QSize(18, 18))
    bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    _add(bar, actions, _TOOLBAR)
    for action in _WITH_TEXT:
        button = bar.widgetForAction(actions[action])
        if isinstance(button, QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return bar


def _add(menu: QMenu | QToolBar, actions: Actions, entries: tuple[Action | None, ...]) -> None:
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        else:
            menu.addAction(actions[entry])


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
