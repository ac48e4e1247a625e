"""Follows the open log on disk: what becomes of it while it is shown, and which of its records are new."""

from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from inspector.core.engine.folders import file_on_disk
from inspector.core.showing.outline import PairMark
from inspector.gui.answers.growth import News, news_of
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import words
from inspector.gui.basics.words import tr
from inspector.gui.document.stamp import Fate, Stamp, Surroundings
from inspector.gui.document.state import Notice
from inspector.gui.process.child_process import ChildProcess
from inspector.gui.process.requests import AT_WORK

_LOOK_MS = 1000
_ASK_MS = 5000
# A log that is long to read is not read anew for every line: with the plan that follows, a tenth of a core goes there.
_REST, _LONGEST_REST_MS = 15, 60_000
_SHORT = 4_000_000

GONE = "The log is gone: it was deleted, moved or renamed. What is shown was read before."
CHANGED = "The log changed on disk and was read again."
SILENT = (
    "Nobody is known to be at work on this log any more: it has not grown for ten minutes, and no program holds it "
    "open to write to it. So its open calls no longer count as running. What is added later is still read."
)
SHORTER = "The log on disk became shorter and was read again: it was cut off, or begun anew."


class Following(QObject):
    """Looks again and again. Signals: `happened` (a Fate other than SAME), until the log is read again.

    While a call is shown as running, `process` is asked whether anybody is still at work. `new` are the first of the
    records that were not there when the person last looked, none where there are none.
    """

    log_changed = Signal(object)

    def __init__(self, process: ChildProcess, parent: QObject) -> None:
        super().__init__(parent)
        self._process = process
        process.answer_signal(AT_WORK).connect(self._on_told)
        self.poll_timer = QTimer(self, interval=_LOOK_MS)
        self.poll_timer.timeout.connect(self._on_look_timeout)
        self.activity_timer = QTimer(self, interval=_ASK_MS)
        self.activity_timer.timeout.connect(self._on_ask_timeout)
        self._clock = QElapsedTimer()
        self._path = Path()
        self._related_files = Surroundings(None)
        self._last: Stamp | None = None
        self._fate = Fate.SAME
        self._min_pause_ms = 0
        self._told_gone = False
        self.stamp: Stamp | None = None
        self._reset_new()

    def begin(self, path: str, fate: Fate = Fate.SAME) -> None:
        """The log is being read; because of what became of it, or because the person wanted it."""
        self.pause()
        self._path, self._fate, self._told_gone = Path(file_on_disk(path)), fate, False
        self.stamp = self._last = Stamp.read(self._path)
        self._clock.start()

    def watch(self, log: OpenedLog | None) -> None:
        """The log was read, or could not be: what becomes of it from now on is told."""
        if log is not None:
            self._related_files = Surroundings(log.overview)
            if PairMark.RUNNING in log.outline.mark:
                self.activity_timer.start()
        size = log.overview.size if log is not None else self.stamp.size if self.stamp else 0
        # The first reading tells no measure: the child was being started.
        again = size > _SHORT and self._fate != Fate.SAME
        self._min_pause_ms = min(_REST * self._clock.elapsed(), _LONGEST_REST_MS) if again else 0
        self._clock.start()
        self.poll_timer.start()

    def pause(self) -> None:
        """Look no more until `hold`."""
        self.poll_timer.stop()
        self.activity_timer.stop()

    def reset(self) -> None:
        """Another log comes, or none."""
        self.pause()
        self._reset_new()
        self._fate = Fate.SAME
        self._related_files = Surroundings(None)

    def make_notice(self, before: OpenedLog | None, now: OpenedLog) -> Notice | None:
        """What the person is told when a log has been read: what became of it on disk, and what failed in reading it.

        `before` is the state that was shown until then, None for the first. None where there is nothing to tell.
        """
        told, faults = self._describe_change(before, now), now.overview.faults
        offer = "new" if self.new_records else ""
        sentence = " ".join(filter(None, (told, *faults)))
        return Notice(sentence, offer, good=bool(offer) and not faults) if sentence else None

    def _describe_change(self, before: OpenedLog | None, now: OpenedLog) -> str:
        """The sentence on what became of it between the two readings, "" for none; `new` is brought up to date."""
        if before is None or self._fate == Fate.SAME:
            self._reset_new()
            return ""
        news, together = news_of(before, now), now.overview.bytes_at not in ("", now.overview.path)
        if news.total and (together or self._fate != Fate.REWRITTEN):
            self._add(news)
            return f"{tr('The log has grown:')} {words.counted(self._count, 'new record', 'new records')}."
        if self._fate == Fate.REWRITTEN or together:
            self._reset_new()
            same = together and (now.starts, now.ends) == (before.starts, before.ends)
            return "" if same else tr(SHORTER if len(now.starts) < len(before.starts) else CHANGED)
        return tr(SILENT) if self._fate == Fate.AGENT_INACTIVE else ""

    @property
    def grew(self) -> bool:
        """Whether what was there at the reading before stands there still, with more behind it."""
        return self._fate == Fate.APPENDED

    def mark_seen(self) -> None:
        """The person has seen what is new: the next growth sets another mark."""
        self._looked = True

    def _reset_new(self) -> None:
        self.new_records, self._count, self._looked = range(0), 0, True

    def _add(self, news: News) -> None:
        if self._looked:
            self.new_records, self._count, self._looked = news.first_run, news.total, False
        else:
            self._count += news.total
            self.new_records = range(
                min(self.new_records.start, news.first_run.start), max(self.new_records.stop, news.first_run.stop)
            )

    @Slot()
    def _on_look_timeout(self) -> None:
        now, before = Stamp.read(self._path), self._last
        self._last = now
        if now is None:
            if not self._told_gone:
                self._told_gone = True
                self.log_changed.emit(Fate.GONE)
            return
        if self._clock.elapsed() < self._min_pause_ms:
            return
        fate = (
            Fate.SAME if self._path.is_dir() else self.stamp.change_since(self._path) if self.stamp else Fate.REWRITTEN
        )
        # A line that is being written is let be finished.
        moving = now != before and now.tail and not now.tail.endswith(b"\n")
        if fate == Fate.SAME and self._related_files.check_for_changes():
            fate = Fate.RELATED_FILE_CHANGED
        if fate != Fate.SAME and not moving:
            self.log_changed.emit(fate)

    @Slot()
    def _on_ask_timeout(self) -> None:
        if self._process.alive:
            self._process.ask(AT_WORK)

    @Slot(object)
    def _on_told(self, at_work: bool) -> None:
        if not at_work and self.activity_timer.isActive():
            self.log_changed.emit(Fate.AGENT_INACTIVE)
