"""The titles and verdicts of recent logs, read again in the background: nothing of a log is stored in the settings."""

import os
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from inspector.core.discovery.log_entry import LogEntry
from inspector.core.presentation.engine_results import LogVerdict
from inspector.gui.common.content_hiding import hiding
from inspector.gui.state.log_list_loader import LogListLoader
from inspector.gui.worker.core_dependencies import CoreDependencies

# Starting the window must not read hundreds of megabytes.
_MAX_BYTES = 64 * 1024 * 1024


class RecentLogVerdicts(QObject):
    """What is known of recent logs. Signal: `changed`, when more is known."""

    changed = Signal()

    def __init__(self, core: CoreDependencies, parent: QObject) -> None:
        super().__init__(parent)
        self._core = core
        self._loader: LogListLoader | None = None
        self._known: dict[str, tuple[LogEntry, LogVerdict]] = {}
        hiding.changed.connect(self.forget)

    def verdict(self, path: str) -> tuple[LogEntry, LogVerdict] | None:
        """Return the entry and the verdict of a log, None while they are not known."""
        return self._known.get(path)

    def read(self, paths: Sequence[str]) -> None:
        """Read what is not known yet of logs. Folders, archives and long logs are left out."""
        wanted = tuple(path for path in paths if path not in self._known and self._is_short_log(path))
        if wanted and self._loader is None:
            self._loader = LogListLoader(self._core, self)
            self._loader.changed.connect(self._on_changed)
            self._loader.start(wanted)

    def stop(self) -> None:
        """Stop reading, and end the process that reads."""
        loader, self._loader = self._loader, None
        if loader is not None:
            loader.close()
            loader.deleteLater()

    @Slot()
    def forget(self) -> None:
        """Forget everything: titles and verdicts depend on content hiding."""
        self.stop()
        self._known.clear()

    def _is_short_log(self, path: str) -> bool:
        try:
            return os.path.isfile(path) and os.path.getsize(path) <= _MAX_BYTES and not self._core.holds_logs(path)
        except OSError:
            return False

    @Slot()
    def _on_changed(self) -> None:
        loader = self._loader
        if loader is None:
            return
        for log, verdict in zip(loader.logs, loader.verdicts, strict=True):
            if verdict is not None:
                self._known[log.path] = log, verdict
        if not loader.busy:
            self.stop()
        self.changed.emit()
