"""Undo and redo of choices: a command holds the choices before and after, never what came of them."""

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from inspector.core.repair.choices import Choices


class ChoiceCommand(QUndoCommand):
    """Replaces all choices by others."""

    def __init__(self, text: str, before: Choices, after: Choices, put: Callable[[Choices], None]) -> None:
        super().__init__(text)
        self._before, self._after, self._put = before, after, put

    def redo(self) -> None:
        self._put(self._after)

    def undo(self) -> None:
        self._put(self._before)
