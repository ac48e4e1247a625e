"""The actions of the window, one for each row of their table: enabled, named, drawn."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from inspector.gui.basics import assets
from inspector.gui.basics.action_table import TABLE, Action, ActionInfo
from inspector.gui.basics.gate import caption, set_tip
from inspector.gui.basics.words import tr


class Actions(QObject):
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
        """Enable an action, or disable it and say why in its tooltip."""
        if self._reasons.get(action) == obstacle:
            # All are asked again whenever something happened, and few have changed.
            return
        self._reasons[action] = obstacle
        made, info = self._actions[action], TABLE[action]
        keys = self.shortcut_text(action).split(", ")[0]
        tip = f"{tr(info.tip)} ({keys})" if keys else tr(info.tip)
        made.setEnabled(not obstacle)
        set_tip(made, f"{tip}\n{obstacle}" if obstacle else tip)
        made.setStatusTip(obstacle or tr(info.tip))

    def set_checked(self, action: Action, on: bool) -> None:
        """Show that a switch is on."""
        self._actions[action].setChecked(on)

    def shortcut_text(self, action: Action) -> str:
        """The keys of an action as this platform spells them, "" where it has none."""
        spelled = QKeySequence.SequenceFormat.NativeText
        return ", ".join(keys.toString(spelled) for keys in self._actions[action].shortcuts())

    def set_target(self, action: Action, what: str) -> None:
        """Say in the text of an action what it is done to."""
        text = tr(TABLE[action].text)
        self._actions[action].setText(f"{text}: {caption(what)}" if what else text)

    def refresh_icons(self) -> None:
        """Draw the icons in the colours of the present theme."""
        for action, made in self._actions.items():
            if TABLE[action].icon:
                made.setIcon(assets.icon(TABLE[action].icon, self._widget.palette()))

    def make_button(self, action: Action, parent: QWidget) -> QPushButton:
        """A push button that is the action: same text, tooltip, enabled or not."""
        made, button = self._actions[action], QPushButton(parent)
        button.setObjectName(action.name.lower())
        button.setSizePolicy(QSizePolicy.Policy.MinimumExpanding, QSizePolicy.Policy.Fixed)
        button.clicked.connect(made.trigger)

        def follow() -> None:
            button.setText(made.text().replace("&", "").replace(tr("Save "), "").strip().capitalize())
            set_tip(button, made.toolTip())
            button.setEnabled(made.isEnabled())
            button.setIcon(made.icon())
            button.setAccessibleName(made.text().replace("&", ""))
            button.setAccessibleDescription(made.toolTip())

        made.changed.connect(follow)
        follow()
        return button

    def _make(self, action: Action, slot: Callable[[], object]) -> QAction:
        info = TABLE[action]
        made = QAction(tr(info.text), self._widget, checkable=info.checkable)
        made.setShortcuts([QKeySequence(keys) for keys in info.keys])
        made.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        made.triggered.connect(lambda _=False: slot())
        self._widget.addAction(made)
        self.set_initial_texts(made, info)
        return made

    def set_initial_texts(self, made: QAction, info: ActionInfo) -> None:
        """Tooltip and status text of a fresh action."""
        keys = made.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        set_tip(made, f"{tr(info.tip)} ({keys})" if keys else tr(info.tip))
        made.setStatusTip(tr(info.tip))
