"""Whether the content of logs is hidden in the windows of this program, and what files are called then."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.core.later import Later

if TYPE_CHECKING:
    from inspector.core.showing.hiding import hider
    from inspector.core.showing.hiding.hider import Hider
else:
    hider = Later("inspector.core.showing.hiding.hider")  # a window that hides nothing starts without it


class Hiding(QObject):
    """One switch for all windows. It is lifted for a log as long as that is open, which is not remembered.

    Everything that is asked of a child carries the `salt`, "" for what is shown as it is: the child hides its answers.
    Signals: `changed`.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.on = False
        self._lifted: set[str] = set()
        self._salt = secrets.token_hex(16)

    def switch(self, on: bool) -> None:
        """Hide what all logs hold, or show it."""
        if on != self.on or self._lifted:
            self.on = on
            self._lifted.clear()
            self.changed.emit()

    def lift(self, path: str, lifted: bool = True) -> None:
        """Show what one log holds all the same, or hide it again."""
        if lifted != (path in self._lifted):
            self._lifted ^= {path}
            self.changed.emit()

    def forget(self, path: str) -> None:
        """It is not open any more."""
        self._lifted.discard(path)

    def is_lifted(self, path: str) -> bool:
        return path in self._lifted

    def salt(self, path: str = "") -> str:
        """What pseudonyms are made with, "" where nothing is hidden; `path` is that of the log that is asked about."""
        return self._salt if self.on and path not in self._lifted else ""

    def hider(self, path: str = "") -> Hider | None:
        """What hides the texts of a log, None where they are shown."""
        salt = self.salt(path)
        return hider.Hider(salt) if salt else None

    def name(self, path: str) -> str:
        """The name of a file, as it is shown."""
        hides = self.hider(path)
        return os.path.basename(path) if hides is None else hides.path(path)

    def place(self, path: str) -> str:
        """The path of a file, as it is shown."""
        hides = self.hider(path)
        return path if hides is None else hides.path(path)


hiding = Hiding()
