"""Marks that a person's work leaves on logs: that a repair was saved elsewhere, and that a report was made."""

import os
import time
from collections.abc import Iterable
from enum import Enum

from PySide6.QtCore import QObject, Signal

from inspector.core.discovery.log_entry import LogEntry
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.settings import Settings
from inspector.gui.state.kept_choices import settings_key

_MAX_MARKS = 5000  # marks; the oldest are forgotten
_NEVER = (-1.0, "")


class LogWorkMark(Enum):
    """What was done with a log. The value is its name in the settings."""

    REPAIRED = "repaired"
    REPORTED = "reported"


class LogWorkMarks(QObject):
    """The marks of all logs, each with its time. A log that has grown since has lost its marks.

    A mark may also name a file that it is about, and is lost when that file is gone. In the settings, a log is named by
    a digest of its path. While content is hidden, nothing is stored. Signals: `changed`.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings, self._marks = settings, settings.marks

    def add(self, paths: Iterable[str], mark: LogWorkMark, file: str = "") -> None:
        """Mark the logs at these paths, as long as there is `file` if it is given."""
        for path in paths:
            name = _name(path, mark)
            self._marks.pop(name, None)  # the newest are last
            self._marks[name] = time.time(), file
        self._marks = dict([*self._marks.items()][-_MAX_MARKS:])
        if not hiding.enabled:
            self._settings.marks = self._marks
        self.changed.emit()

    def has(self, log: LogEntry, mark: LogWorkMark) -> bool:
        """Return whether a log, as it is now, has a mark."""
        # Most lists have no marked log: then no path has to be hashed.
        marked_at, file = self._marks.get(_name(log.path, mark), _NEVER) if self._marks else _NEVER
        return log.modified <= marked_at and (not file or os.path.exists(file))

    def forget_all(self) -> None:
        """Forget all marks, because the settings were cleared."""
        self._marks = {}
        self.changed.emit()


def _name(path: str, mark: LogWorkMark) -> str:
    return f"{settings_key(path)} {mark.value}"
