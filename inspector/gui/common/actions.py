"""The actions of the window: what can be done from menus, toolbar and keyboard, as a table and as QActions."""

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from inspector.gui.common import theme
from inspector.gui.common.safe_text import escape_caption, set_safe_tooltip
from inspector.gui.common.ui_text import tr

_Key = QKeySequence.StandardKey
# "&&" is an ampersand.
_MNEMONIC_MARK = re.compile("&(.)")


class Action(Enum):
    """An action of the window."""

    OPEN = auto()
    OPEN_FOLDER = auto()
    SHOW_STORES = auto()
    SHOW_LIST = auto()
    RELOAD = auto()
    CANCEL = auto()
    QUIT = auto()
    UNDO = auto()
    REDO = auto()
    REVERT = auto()
    PASTE = auto()
    PASTE_ERROR = auto()
    COPY_TEXT = auto()
    COPY_JSON = auto()
    COPY_BYTES = auto()
    FIND = auto()
    FIND_NEXT = auto()
    FIND_PREVIOUS = auto()
    FILTER = auto()
    GO_TO = auto()
    LISTS = auto()
    BACK = auto()
    FORWARD = auto()
    NEXT_FINDING = auto()
    PREVIOUS_FINDING = auto()
    FOLLOW_PAIR = auto()
    WHAT_IS_THIS = auto()
    WHO_ACCEPTS = auto()
    WHAT_IS_SENT = auto()
    EXPAND_BELOW = auto()
    COLLAPSE_ALL = auto()
    SHOW_ASIDES = auto()
    FOLD_TOOLS = auto()
    BOOKMARK = auto()
    NOTE = auto()
    SHOW_DETAILS = auto()
    SHOW_RAW = auto()
    SHOW_REPAIR = auto()
    NEXT_PANE = auto()
    PREVIOUS_PANE = auto()
    CHOOSE_STRATEGY = auto()
    COMMANDS = auto()
    SHORTCUTS = auto()
    ABOUT = auto()
    SAVE_NEW_SESSION = auto()
    SAVE_COPY = auto()
    SAVE_IN_PLACE = auto()
    RESTORE = auto()
    TRIM = auto()
    CONTINUE_FROM = auto()
    CONVERT = auto()
    UNDO_PLACEHOLDERS = auto()
    RESULTS_FROM = auto()
    COMPARE = auto()
    COPY_REPORT = auto()
    REPORT = auto()
    BUNDLE = auto()
    SEND_BACK = auto()
    FORGET = auto()
    HIDE_CONTENT = auto()
    SHOW_CONTENT = auto()
    SHOW_CONTEXT = auto()
    SETTINGS = auto()
    ZOOM_IN = auto()
    ZOOM_OUT = auto()
    ZOOM_RESET = auto()
    REJECT_CHANGE = auto()
    ACCEPT_CHANGE = auto()


class ActionInfo(NamedTuple):
    """The row of an action. `keys` are standard keys or texts. `checkable`: it is on or off."""

    text: str
    icon: str
    keys: tuple[QKeySequence.StandardKey | str, ...]
    tip: str
    checkable: bool = False


ACTION_TABLE = {
    Action.OPEN: ActionInfo(tr("&Open…"), "open", (_Key.Open,), tr("Open a log")),
    Action.OPEN_FOLDER: ActionInfo(tr("Open a &folder…"), "", ("Ctrl+Shift+O",), tr("List the logs in a folder")),
    Action.SHOW_STORES: ActionInfo(
        tr("Sessions on this &machine"), "", ("Ctrl+Shift+M",), tr("List the agents' sessions on this machine")
    ),
    Action.SHOW_LIST: ActionInfo(tr("Back to t&he list"), "", ("Alt+Up",), tr("Go back to the list of logs")),
    Action.RELOAD: ActionInfo(tr("Re&load"), "reload", ("F5",), tr("Reload the log or the list of logs")),
    Action.CANCEL: ActionInfo(
        tr("&Stop"),
        "close",
        ("Ctrl+.",),
        tr("Stop reading the log, planning its repair, or checking the logs in the list"),
    ),
    Action.QUIT: ActionInfo(tr("&Quit"), "", (_Key.Quit,), tr("Close the window")),
    Action.UNDO: ActionInfo(tr("&Undo"), "undo", (_Key.Undo,), tr("Undo the last choice")),
    Action.REDO: ActionInfo(tr("&Redo"), "redo", ("Ctrl+Shift+Z", "Ctrl+Y"), tr("Redo the last undone choice")),
    Action.REVERT: ActionInfo("Re&vert", "revert", (), tr("Discard all choices")),
    Action.PASTE: ActionInfo(
        tr("&Find the error from the clipboard"),
        "",
        (_Key.Paste,),
        tr("Go to the record that the copied error refers to"),
    ),
    Action.PASTE_ERROR: ActionInfo(
        tr("Paste an &error…"),
        "paste",
        ("Ctrl+Shift+V",),
        tr("Paste or type an error, and go to the record that it refers to"),
    ),
    Action.COPY_TEXT: ActionInfo(
        tr("Copy as &text"), "", ("Ctrl+Alt+C",), tr("Copy the text of this message or block")
    ),
    Action.COPY_JSON: ActionInfo(
        tr("Copy as &JSON"), "", ("Ctrl+Alt+J",), tr("Copy this message or block as indented JSON")
    ),
    Action.COPY_BYTES: ActionInfo(
        tr("Copy the exact b&ytes"),
        "",
        ("Ctrl+Alt+B",),
        tr("Copy the exact bytes of this message or block from the log"),
    ),
    Action.FIND: ActionInfo(tr("Find &text…"), "find", (_Key.Find,), tr("Find text in the whole log")),
    Action.FIND_NEXT: ActionInfo(
        tr("Find ne&xt"), "next", ("F3",), tr("Go to the next row that contains the search text")
    ),
    Action.FIND_PREVIOUS: ActionInfo(
        tr("Find pre&vious"), "previous", ("Shift+F3",), tr("Go to the previous row that contains the search text")
    ),
    Action.FILTER: ActionInfo("Fi&lter", "", ("Ctrl+L",), tr("Show only the rows that match a filter")),
    Action.LISTS: ActionInfo(
        tr("L&ists for this log…"),
        "",
        ("Ctrl+Shift+L",),
        tr("List the turns, the largest records, the longest waits, the failed tools and the files"),
    ),
    Action.GO_TO: ActionInfo(
        tr("&Go to…"), "", ("Ctrl+G",), tr("Go to a line, a record or a message by its number, or to an item by its id")
    ),
    Action.BACK: ActionInfo(tr("&Back"), "back", ("Alt+Left",), tr("Go back to the previous place")),
    Action.FORWARD: ActionInfo(tr("F&orward"), "forward", ("Alt+Right",), tr("Go forward to the next place")),
    Action.NEXT_FINDING: ActionInfo(tr("&Next finding"), "next", ("F8",), tr("Go to the next finding")),
    Action.PREVIOUS_FINDING: ActionInfo(
        tr("&Previous finding"), "previous", ("Shift+F8",), tr("Go to the previous finding")
    ),
    Action.FOLLOW_PAIR: ActionInfo(
        tr("Go to the &matching call or result"),
        "pair",
        ("Ctrl+J",),
        tr("Go from a call to its result, or from a result to its call"),
    ),
    Action.WHAT_IS_THIS: ActionInfo(
        tr("&What is this?"),
        "question",
        ("F1",),
        tr("Show why the finding matters, how each provider would respond, and how to repair it"),
    ),
    Action.WHO_ACCEPTS: ActionInfo(
        tr("Which providers &accept this session?"),
        "",
        ("Ctrl+Shift+A",),
        tr("Show how each provider would respond if the session were sent without a repair"),
    ),
    Action.WHAT_IS_SENT: ActionInfo(
        tr("What will be &sent…"),
        "",
        ("Ctrl+Shift+R",),
        tr("Show what the agent sends, drops and adds when it resumes the session"),
    ),
    Action.EXPAND_BELOW: ActionInfo(
        tr("&Expand all below"), "expand", ("Ctrl+Shift+E",), tr("Expand all rows below this row")
    ),
    Action.COLLAPSE_ALL: ActionInfo(tr("C&ollapse all"), "collapse", ("Ctrl+Shift+C",), tr("Collapse the tree")),
    Action.BOOKMARK: ActionInfo(
        tr("&Bookmark"), "bookmark", ("Ctrl+B",), tr("Mark this row, or remove its mark and note")
    ),
    Action.NOTE: ActionInfo(
        tr("&Note…"), "", ("Ctrl+Shift+K",), tr("Add a note to this row. The note is stored outside the log")
    ),
    Action.SHOW_ASIDES: ActionInfo(
        tr("Show other branche&s"),
        "",
        ("Ctrl+Shift+B",),
        tr(
            "Show or hide the records that are not loaded on resume (other branches, rewound turns and compacted "
            "messages)"
        ),
    ),
    Action.FOLD_TOOLS: ActionInfo(
        tr("&Fold tools"),
        "",
        ("Ctrl+Shift+P",),
        tr("Show only prompts and answers. Search matches and messages that you jump to are still shown"),
        checkable=True,
    ),
    Action.SHOW_DETAILS: ActionInfo(tr("Show &details"), "", ("Ctrl+1",), tr("Show the message as text")),
    Action.SHOW_RAW: ActionInfo(tr("Show &raw bytes"), "", ("Ctrl+2",), tr("Show the exact bytes of the record")),
    Action.SHOW_REPAIR: ActionInfo(tr("Show re&pair"), "", ("Ctrl+3",), tr("Show the repaired history")),
    Action.NEXT_PANE: ActionInfo(tr("N&ext pane"), "", ("F6",), tr("Go to the next pane")),
    Action.PREVIOUS_PANE: ActionInfo(tr("P&revious pane"), "", ("Shift+F6",), tr("Go to the previous pane")),
    Action.CHOOSE_STRATEGY: ActionInfo(
        tr("&Choose a repair for the finding…"), "", ("F2",), tr("Choose how to repair the current finding")
    ),
    Action.COMMANDS: ActionInfo(tr("C&ommands…"), "", ("Ctrl+K",), tr("Find a command by its name, and run it")),
    Action.SHORTCUTS: ActionInfo(tr("&Keyboard"), "", ("Ctrl+/",), tr("Show the keyboard shortcuts")),
    Action.ABOUT: ActionInfo(
        tr("&About Transcript Inspector"), "", (), tr("Show the versions of the program and its libraries")
    ),
    Action.SAVE_NEW_SESSION: ActionInfo(
        tr("Save as &new session"),
        "save-new",
        ("Ctrl+Shift+N",),
        tr("Save a new session that the agent can find and resume"),
    ),
    Action.SAVE_COPY: ActionInfo(
        tr("Save a &copy…"),
        "save",
        (_Key.Save,),
        tr("Save a copy in a location that you choose. The agent will not find the copy there"),
    ),
    Action.SAVE_IN_PLACE: ActionInfo(
        tr("Save &in place…"), "save-in-place", ("Ctrl+Alt+S",), tr("Make a backup and replace the original")
    ),
    Action.RESTORE: ActionInfo(
        tr("Restore a &backup…"),
        "",
        (),
        tr("Restore the original version of a log that was saved in place. The current file is kept"),
    ),
    Action.TRIM: ActionInfo(
        tr("&Trim…"),
        "",
        ("Ctrl+T",),
        tr("Save a shorter copy that keeps the last messages. Calls and results stay together"),
    ),
    Action.CONTINUE_FROM: ActionInfo(
        tr("Continue from &here…"),
        "",
        ("Ctrl+Alt+T",),
        tr("Save a new session that ends before the selected message, so that the agent continues from there"),
    ),
    Action.CONVERT: ActionInfo(
        "Con&vert…",
        "",
        ("Ctrl+Shift+T",),
        tr("Save the history as OpenAI or Anthropic messages, or as a Markdown page"),
    ),
    Action.UNDO_PLACEHOLDERS: ActionInfo(
        tr("Remove p&laceholders added by other programs"),
        "",
        (),
        tr("Remove placeholders that other programs added, so that you can choose another repair for their calls"),
    ),
    Action.RESULTS_FROM: ActionInfo(
        tr("Results from another lo&g…"), "", (), tr("Copy missing results from another log of the same conversation")
    ),
    Action.COMPARE: ActionInfo(
        tr("Comp&are with another log…"), "", (), tr("Compare with another log of the same conversation")
    ),
    Action.COPY_REPORT: ActionInfo(
        tr("Cop&y a report"),
        "",
        ("Ctrl+Alt+R",),
        tr("Copy a report about this log or the selected logs. The report contains no log content"),
    ),
    Action.REPORT: ActionInfo(
        tr("Save a re&port…"), "", (), tr("Save a report to share, in one of seven formats. A preview is shown first")
    ),
    Action.BUNDLE: ActionInfo(
        tr("Make a b&undle…"),
        "",
        (),
        tr("Save a copy of this log for the agent's developers, with the same findings but without the content"),
    ),
    Action.SEND_BACK: ActionInfo(
        tr("Sen&d back a repair…"),
        "",
        (),
        tr("Save the planned repair, which contains no log content, with instructions for the log's owner"),
    ),
    Action.FORGET: ActionInfo(
        tr("Forget &everything…"),
        "",
        (),
        tr("Remove all data that this program stores outside the logs. Anything that cannot be removed is listed"),
    ),
    Action.HIDE_CONTENT: ActionInfo(
        tr("&Hide content"),
        "",
        ("Ctrl+Shift+H",),
        tr("Show types and sizes instead of content, names and paths, including in copied text"),
        checkable=True,
    ),
    Action.SHOW_CONTENT: ActionInfo(
        tr("Show the content of th&is log"),
        "",
        ("Ctrl+Alt+H",),
        tr("Show the content of this log until you open another log"),
        checkable=True,
    ),
    Action.SHOW_CONTEXT: ActionInfo(
        tr("Show the context si&ze"),
        "",
        (),
        tr("Above the tree, show the context size of each answer in tokens and the model's limit"),
        checkable=True,
    ),
    Action.SETTINGS: ActionInfo(
        tr("Settin&gs…"), "", ("Ctrl+,",), tr("Change the colors, the text size, and what is shown and stored")
    ),
    Action.ZOOM_IN: ActionInfo(tr("Lar&ger text"), "", ("Ctrl++", "Ctrl+="), tr("Zoom in: make all text larger")),
    Action.ZOOM_OUT: ActionInfo(tr("S&maller text"), "", ("Ctrl+-",), tr("Zoom out: make all text smaller")),
    Action.ZOOM_RESET: ActionInfo(
        tr("Defa&ult text size"), "", ("Ctrl+0",), tr("Reset the zoom: show text at the system's default size")
    ),
    Action.REJECT_CHANGE: ActionInfo(
        tr("Reject t&his change"), "", ("Ctrl+D",), tr("Leave the selected change out of the repair")
    ),
    Action.ACCEPT_CHANGE: ActionInfo(
        tr("&Accept this change again"), "", ("Ctrl+Shift+D",), tr("Include the selected change in the repair again")
    ),
}


class WindowActions(QObject):
    """The QActions, one for each row of the table."""

    def __init__(self, slots: dict[Action, Callable[[], object]], parent: QWidget) -> None:
        super().__init__(parent)
        self._widget = parent
        self._actions = {action: self._make(action, slots[action]) for action in Action}
        self._reasons: dict[Action, str] = {}
        self.refresh_icons()

    def __getitem__(self, action: Action) -> QAction:
        return self._actions[action]

    def set_availability(self, action: Action, obstacle: str) -> None:
        """Enable an action, or disable it and show the reason in its tooltip."""
        if self._reasons.get(action) == obstacle:
            # All actions are updated after every event, and few of them change.
            return
        self._reasons[action] = obstacle
        made, info = self._actions[action], ACTION_TABLE[action]
        keys = self.shortcut_text(action).split(", ")[0]
        tip = tr("{tip} ({keys})", tip=tr(info.tip), keys=keys) if keys else tr(info.tip)
        made.setEnabled(not obstacle)
        set_safe_tooltip(made, f"{tip}\n{obstacle}" if obstacle else tip)
        made.setStatusTip(obstacle or tr(info.tip))

    def obstacle(self, action: Action) -> str:
        """Return why an action is disabled, "" when it is available."""
        return self._reasons.get(action, "")

    def set_checked(self, action: Action, on: bool) -> None:
        """Show whether a checkable action is on."""
        self._actions[action].setChecked(on)

    def shortcut_text(self, action: Action) -> str:
        """Return the keys of an action as this platform spells them, "" when it has none."""
        spelled = QKeySequence.SequenceFormat.NativeText
        return ", ".join(keys.toString(spelled) for keys in self._actions[action].shortcuts())

    def set_target(self, action: Action, what: str) -> None:
        """Show in the text of an action what it applies to."""
        text = tr(ACTION_TABLE[action].text)
        self._actions[action].setText(f"{text}: {escape_caption(what)}" if what else text)

    def plain_text(self, action: Action) -> str:
        """Return the text of an action without the mark of its mnemonic."""
        return _MNEMONIC_MARK.sub(r"\1", self._actions[action].text())

    def refresh_icons(self) -> None:
        """Draw the icons in the colours of the current theme."""
        for action, made in self._actions.items():
            if ACTION_TABLE[action].icon:
                made.setIcon(theme.icon(ACTION_TABLE[action].icon, self._widget.palette()))

    def make_button(self, action: Action, parent: QWidget, text: str = "") -> QPushButton:
        """Make a push button for an action, with the same tooltip and state, and its text or a shorter one."""
        made, button, info = self._actions[action], QPushButton(parent), ACTION_TABLE[action]
        button.setObjectName(action.name.lower())
        button.setSizePolicy(QSizePolicy.Policy.MinimumExpanding, QSizePolicy.Policy.Fixed)
        button.clicked.connect(made.trigger)

        def follow() -> None:
            button.setText(text or made.text().replace("&", "").replace(tr("Save "), "").strip().capitalize())
            set_safe_tooltip(button, made.toolTip())
            button.setEnabled(made.isEnabled())
            if info.icon:
                button.setIcon(theme.button_icon(info.icon, button))
            button.setAccessibleName(made.text().replace("&", ""))
            button.setAccessibleDescription(made.toolTip())

        made.changed.connect(follow)
        follow()
        return button

    def _make(self, action: Action, slot: Callable[[], object]) -> QAction:
        info = ACTION_TABLE[action]
        made = QAction(tr(info.text), self._widget, checkable=info.checkable)
        made.setShortcuts([QKeySequence(keys) for keys in info.keys])
        made.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        made.triggered.connect(lambda _=False: slot())
        self._widget.addAction(made)
        self.set_initial_texts(made, info)
        return made

    def set_initial_texts(self, made: QAction, info: ActionInfo) -> None:
        """Set the tooltip and status text of a new action."""
        keys = made.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        set_safe_tooltip(made, tr("{tip} ({keys})", tip=tr(info.tip), keys=keys) if keys else tr(info.tip))
        made.setStatusTip(tr(info.tip))
