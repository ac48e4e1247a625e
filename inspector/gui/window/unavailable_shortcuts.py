"""Answers the keys of actions that are not available: the window says why, or does it as soon as it can.

Qt does not trigger a disabled action, so without this a key would do nothing, without a word.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from inspector.core.translation import tr
from inspector.gui.common.actions import Action, WindowActions
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice

_SHOWN_MS = 8000
# What needs the planned repair. Its key is remembered until the plan is ready.
_NEED_PLAN = (
    Action.SAVE_NEW_SESSION,
    Action.SAVE_COPY,
    Action.SAVE_IN_PLACE,
    Action.REJECT_CHANGE,
    Action.ACCEPT_CHANGE,
    Action.SEND_BACK,
)
# Escape means nothing where nothing is to be stopped.
_SILENT = (Action.CANCEL,)


class UnavailableShortcutHandler(QObject):
    """An event filter on the window, which receives the keys that no widget and no enabled action took.

    `say` shows a notice where the person looks: above the log, or in the list.
    """

    def __init__(
        self,
        document: Document,
        actions: WindowActions,
        say: Callable[[Notice], None],
        is_listing: Callable[[], bool],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._document, self._actions, self._say, self._is_listing = document, actions, say, is_listing
        self._waiting: Action | None = None
        self._answered: Action | None = None
        self._path = ""
        self._shown: Notice | None = None
        self._timer = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._timer.timeout.connect(self._withdraw)
        window.installEventFilter(self)
        document.state_changed.connect(self._on_changed)
        document.place_changed.connect(self._on_changed)
        document.repair.plan_changed.connect(self._on_changed)
        document.repair.undo_stack.indexChanged.connect(self._on_changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent) or event.isAutoRepeat():
            return False
        keys = QKeySequence(event.keyCombination())
        action = next((each for each in Action if keys in self._actions[each].shortcuts()), None)
        if action is None or action in _SILENT or self._actions[action].isEnabled():
            return False
        self.answer(action)
        return True

    def answer(self, action: Action) -> None:
        """Say why an action is not available, or remember to run it when the repair is planned."""
        if action in _NEED_PLAN and not self._is_listing() and self._document.is_plan_coming:
            self._waiting, self._path = action, self._document.path
            name = self._actions.plain_text(action).rstrip("…")
            self._show(Notice(tr("“{action}” starts as soon as the repair has been planned.", action=name)))
        else:
            self._show(Notice(self._actions.obstacle(action)))
            self._answered = action
            self._timer.start()

    def _on_changed(self) -> None:
        action, answered, shown = self._waiting, self._answered, self._shown
        if answered is not None and shown is not None and self._actions.obstacle(answered) != shown.sentence:
            self._withdraw()  # it speaks of a state that is over
        if action is None:
            return
        if self._path != self._document.path or self._is_listing():
            self._waiting = None
            self._withdraw()
        elif not self._document.is_plan_coming:
            self._waiting = None
            self._withdraw()
            if self._actions[action].isEnabled():
                self._actions[action].trigger()
            else:
                self.answer(action)

    def _show(self, notice: Notice) -> None:
        self._timer.stop()
        self._shown, self._answered = notice, None
        self._say(notice)

    def _withdraw(self) -> None:
        """Remove the notice, unless another one has taken its place."""
        if self._shown is not None and self._document.notice is self._shown:
            self._document.dismiss_notice()
        self._shown = self._answered = None
