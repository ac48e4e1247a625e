"""Follows the open log on disk: what becomes of it while it is shown, and which of its records are new."""

from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from inspector.gui.basics import words
from inspector.gui.basics.words import tr
from inspector.gui.document.stamp import Fate, Stamp

_LOOK_MS = 1000
# A log that is long to read is not read anew for every line: at most a sixth of the time goes into it.
_REST = 5
_SHORT = 4_000_000

GONE = "The log is gone: it was deleted, moved or renamed. What is shown was read before."
CHANGED = "The log changed on disk and was read again."
SHORTER = "The log on disk became shorter and was read again: it was cut off, or begun anew."


class Following(QObject):
    """Looks again and again. Signals: `happened` (a Fate other than SAME), until the log is read again.

    `live`: the log was seen to grow at its end, which is what tells that its agent is at work. `new_from` is the first
    of the records that were not there when the person last looked, -1 where there is none.
    """

    happened = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.look = QTimer(self, interval=_LOOK_MS)
        self.look.timeout.connect(self._on_look_timeout)
        self._clock = QElapsedTimer()
        self._path = Path()
        self._last: Stamp | None = None
        self._fate = Fate.SAME
        self._rest = 0
        self._told_gone = False
        self.stamp: Stamp | None = None
        self.live = False
        self.new_from = -1
        self._looked = True

    def begin(self, path: str, fate: Fate = Fate.SAME) -> None:
        """The log is being read; because of what became of it, or because the person wanted it."""
        self.look.stop()
        self._path, self._fate, self._told_gone = Path(path), fate, False
        self.stamp = self._last = Stamp.of(self._path)
        self.live = fate == Fate.APPENDED
        self._clock.start()

    def hold(self) -> None:
        """The log was read, or could not be: what becomes of it from now on is told."""
        self._rest = _REST * self._clock.elapsed() if self.stamp and self.stamp.size > _SHORT else 0
        self._clock.start()
        if not self._path.is_dir():
            self.look.start()

    def forget(self) -> None:
        """Another log comes, or none."""
        self.look.stop()
        self.new_from, self._fate, self._looked = -1, Fate.SAME, True

    def told(self, before: int, now: int) -> str:
        """What is to be said of the log that was read, by the numbers of records before and now; "" for nothing."""
        if self._fate != Fate.APPENDED:
            self.new_from, self._looked = -1, True
            shorter = SHORTER if now < before else CHANGED
            return tr(shorter) if self._fate == Fate.REWRITTEN else ""
        if now > before and self._looked:
            self.new_from, self._looked = before, False
        if not 0 <= self.new_from < now:
            return ""
        return f"{tr('The log has grown:')} {words.counted(now - self.new_from, 'new record', 'new records')}."

    def looked(self) -> None:
        """The person has seen what is new: the next growth sets another mark."""
        self._looked = True

    @Slot()
    def _on_look_timeout(self) -> None:
        now, before = Stamp.of(self._path), self._last
        self._last = now
        if now is None:
            if not self._told_gone:
                self._told_gone = True
                self.happened.emit(Fate.GONE)
            return
        fate = self.stamp.fate(self._path) if self.stamp else Fate.REWRITTEN
        # A line that is being written is let be finished.
        moving = now != before and not now.tail.endswith(b"\n")
        if fate != Fate.SAME and not moving and self._clock.elapsed() >= self._rest:
            self.happened.emit(fate)
