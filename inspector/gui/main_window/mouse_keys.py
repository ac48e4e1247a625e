"""The two keys at the side of a mouse: back and forward."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea, QMainWindow

from inspector.gui.basics.action_table import Action
from inspector.gui.basics.actions import Actions

_KEYS = {Qt.MouseButton.BackButton: Action.BACK, Qt.MouseButton.ForwardButton: Action.FORWARD}


class MouseKeys(QObject):
    """Watches the window, and the views in it, which would take the keys for clicks."""

    def __init__(self, actions: Actions, window: QMainWindow) -> None:
        super().__init__(window)
        self._actions = actions
        window.installEventFilter(self)
        for view in window.findChildren(QAbstractScrollArea):
            view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.MouseButtonPress or not isinstance(event, QMouseEvent):
            return False
        action = _KEYS.get(event.button())
        if action is not None:
            self._actions[action].trigger()
        return action is not None
