"""A window at work, and how long each thing takes there: runs in the process that `window_gaps` measures."""

import gc
import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import orjson
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QScrollArea

from inspector.gui import app
from inspector.gui.common import theme
from inspector.gui.common.settings import Settings
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.packed_answers import OpenedLog
from tests.gui.there import there

TICK_MS, SCROLL_MS, REST_MS = 2, 50, 1500
PATIENCE_S = 600


class Took(NamedTuple):
    """Seconds by the clock, and of a processor: of this thread, where nothing else is said."""

    clock: float
    worked: float

    @classmethod
    def now(cls) -> "Took":
        return cls(time.perf_counter(), time.thread_time())

    def since(self) -> "Took":
        now = Took.now()
        return Took(now.clock - self.clock, now.worked - self.worked)

    def __str__(self) -> str:
        return f"{self.clock * 1e3:.0f} / {self.worked * 1e3:.0f} ms"


def worked_by(process: int) -> float:
    """Seconds of a processor that another process took so far; 0 where nothing tells."""
    with suppress(OSError):
        threads = Path(f"/proc/{process}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9
    return 0.0


class Done(NamedTuple):
    """A deed: how long it took, the longest gap meanwhile, and the seconds of a processor that the child had."""

    name: str
    took: Took
    gap: Took
    by_child: float


class Deed(NamedTuple):
    """What a person does, and when all of it is there."""

    name: str
    begin: Callable[[], object]
    done: Callable[[], bool]


def deeds_of(window: MainWindow, text: str) -> list[Deed]:
    """Find a text that is rare, whatever its case; filter by a word each; turn to the repair, and to a change in it."""
    document, changes = window.document, window.side.repair.panel.changes

    def filtered() -> bool:
        return not document.row_filter.pending

    def show_change() -> None:
        document.selection.select_change(len(there(document.repair.plan)) // 2)

    def compared() -> bool:
        return bool(changes.compare.text.document().characterCount() > 1 and not changes.compare._patience.isActive())

    lines = ("is:unanswered", "is:failed", "role:assistant", "tool:Bash", "")
    return [
        Deed("find", lambda: document.search.look_for(text, False), lambda: not document.search.searching),
        Deed("find no more", lambda: document.search.look_for("", False), lambda: True),
        *(Deed(f"filter {line}", partial(document.row_filter.set_line, line), filtered) for line in lines),
        Deed("show the repair", lambda: window.side.show_tab(window.side.repair), lambda: True),
        *([Deed("side by side", show_change, compared)] if document.repair.plan and len(document.repair.plan) else []),
    ]


def rare_text(path: str) -> str:
    """An id from the middle of a log."""
    with open(path, "rb") as file:
        file.seek(Path(path).stat().st_size // 2)
        found = re.search(rb"[0-9a-f]{8}-[0-9a-f-]{27}|toolu_\w{8,}|call_\w{8,}", file.read(1 << 20))
    return found[0].decode() if found else "no such text"


def bare_seconds(path: str) -> Took:
    """A loop that only parses the lines."""
    begun = Took.now()
    with open(path, "rb") as file:
        for line in file:
            with suppress(orjson.JSONDecodeError):
                orjson.loads(line)
    return begun.since()


class WatchedWindow(QObject):
    """Opens the log at `path` ("" for none) in a new window, scrolls it while it is read, then does what a person does.

    `after` are what it took from `started` (seconds since the epoch) until the "first" row was painted, the log was
    "read" and its repair "planned". `while_reading` are the gaps between two turns of the event loop until then, with
    the seconds at which they ended, `frames` the seconds that a repaint of the tree took, `done` the deeds.
    """

    def __init__(self, path: str, fake: bool, started: float) -> None:
        super().__init__()
        self._path, self._started = path, started
        self.after: dict[str, Took] = {}
        self.while_reading: list[tuple[Took, float]] = []
        self.frames: list[float] = []
        self.done: list[Done] = []
        self._application = app.make_application()
        theme.apply("light", styled=False)
        self.window = MainWindow(_fake() if fake else CoreDependencies(), Settings())
        theme.apply("light")
        gc.freeze()
        self._document, self._tree = self.window.document, self.window.outline.view
        first_page = there(there(self.window.welcome.findChild(QScrollArea)).widget())
        self._seen = self._tree.viewport() if path else first_page
        self._seen.installEventFilter(self)
        self._waiting: list[Deed] = []
        self._last = self._begun = Took.now()
        self._longest, self._by_child = Took(0, 0), 0.0
        slots = {self._tick: TICK_MS, self._scroll: SCROLL_MS, self._follow: TICK_MS}
        self._timers = [QTimer(self, interval=interval) for interval in slots.values()]
        for timer, slot in zip(self._timers, slots, strict=True):
            timer.timeout.connect(slot)

    @property
    def log(self) -> OpenedLog:
        return there(self._document.log)

    def run(self) -> None:
        """Until all is done; the window stays open."""
        for timer in self._timers[:2]:
            timer.start()
        if self._path:
            self.window.open(self._path)
        self.window.show()
        self._application.exec()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        painted = watched is self._seen and event.type() == QEvent.Type.Paint
        if painted and "first" not in self.after and (not self._path or self.window.outline.model.rowCount()):
            QTimer.singleShot(0, partial(self._reached, "first"))
        return False

    def _reached(self, name: str) -> None:
        self.after.setdefault(name, Took(time.time() - self._started, time.process_time()))

    def _tick(self) -> None:
        gap, self._last = self._last.since(), Took.now()
        self._longest = max(self._longest, gap)
        if "first" in self.after:
            if not self._path:
                self._application.quit()
            if not self.done and not self._waiting:
                self.while_reading.append((gap, time.time() - self._started))
        document = self._document
        if document.phase == document.phase.READY:
            self._reached("read")
        done = document.log is not None and document.log.complete and not document.repair.planning
        if (done or time.time() - self._started > PATIENCE_S) and "planned" not in self.after:
            self._reached("planned")
            QTimer.singleShot(REST_MS, self._begin)

    def _scroll(self) -> None:
        bar = self._tree.verticalScrollBar()
        bar.setValue(0 if bar.value() >= bar.maximum() else bar.value() + 60)
        before = time.perf_counter()
        self._tree.viewport().repaint()
        self.frames.append(time.perf_counter() - before)

    def _begin(self) -> None:
        self._waiting = deeds_of(self.window, rare_text(self._path))
        self._timers[2].start()
        self._go_on()

    def _go_on(self) -> None:
        self._begun, self._longest, self._by_child = Took.now(), Took(0, 0), worked_by(self._child)
        self._waiting[0].begin()

    def _follow(self) -> None:
        if not self._waiting[0].done():
            return
        by_child = worked_by(self._child) - self._by_child
        self.done.append(Done(self._waiting.pop(0).name, self._begun.since(), self._longest, by_child))
        if self._waiting:
            self._go_on()
        else:
            self._timers[2].stop()
            self._application.quit()

    @property
    def _child(self) -> int:
        return int(self._document.process._process.pid)


def _fake() -> CoreDependencies:
    from tests.gui.fake_engine import FakeEngine, fake_engine, view_fake  # noqa: PLC0415

    return CoreDependencies(fake_engine, view_fake, FakeEngine().head)
