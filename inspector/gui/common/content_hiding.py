"""The switch that hides the content of logs in the windows, and the names of files while it is on."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.core.lazy import LazyModule

if TYPE_CHECKING:
    from inspector.core.presentation import hide_content
    from inspector.core.presentation.hide_content import ContentHider
else:
    hide_content = LazyModule(
        "inspector.core.presentation.hide_content"
    )  # a window that hides nothing starts without it


class ContentHiding(QObject):
    """The content hiding switch, shared by all windows.

    It can be lifted for one log while that is open, which is not remembered. Every request to a child carries the
    `salt`, "" to show content. The child hides its answers. Signals: `changed`.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.enabled = False
        self._lifted: set[str] = set()
        self._salt = secrets.token_hex(16)

    def set_enabled(self, on: bool) -> None:
        """Hide the content of all logs, or show it."""
        if on != self.enabled or self._lifted:
            self.enabled = on
            self._lifted.clear()
            self.changed.emit()

    def set_lifted(self, path: str, lifted: bool = True) -> None:
        """Show the content of one log anyway, or hide it again."""
        if lifted != (path in self._lifted):
            self._lifted ^= {path}
            self.changed.emit()

    def reset_lifted(self, path: str) -> None:
        """Hide the log again, because it is no longer open."""
        self._lifted.discard(path)

    def is_lifted(self, path: str) -> bool:
        return path in self._lifted

    def salt(self, path: str = "") -> str:
        """Return the salt of pseudonyms for a log, "" when nothing is hidden."""
        return self._salt if self.enabled and path not in self._lifted else ""

    def make_hider(self, path: str = "") -> ContentHider | None:
        """Return the hider for the texts of a log, None when they are shown."""
        salt = self.salt(path)
        return hide_content.ContentHider(salt) if salt else None

    def display_name(self, path: str) -> str:
        """Return the name of a file as it is shown."""
        hides = self.make_hider(path)
        return os.path.basename(path) if hides is None else hides.path(path)

    def display_path(self, path: str) -> str:
        """Return the path of a file as it is shown."""
        hides = self.make_hider(path)
        return path if hides is None else hides.path(path)


hiding = ContentHiding()
