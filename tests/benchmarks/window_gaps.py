"""How fast the window is: `python -m tests.benchmarks.window_gaps LOG` prints the figures for a log of any size.

First rows: from the start of the process, imports and all, to the first row that is painted, and how much of that is
beyond what an empty window takes. Gap: the longest time that the event loop did not run while the log was read, its
repair planned, and the tree scrolled; then, for each of the deeds of a person (see `deeds_of`), how long it took, and
the longest gap in it. Behind a slash stands the time of a processor of this thread, which on a busy machine is what
counts. Finding is also told as a share of what a bare loop of `orjson.loads` over the lines takes.
"""

import gc
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from tests.gui.there import there

if TYPE_CHECKING:
    from inspector.gui.main_window.window import MainWindow

STARTED = "WINDOW_GAPS_STARTED"
EMPTY = "--empty"
TICK_MS = 2
SCROLL_MS = 50
PATIENCE_S = 600
ROOT = Path(__file__).resolve().parent.parent.parent


class Deed(NamedTuple):
    """What a person does, and when all of it is there."""

    name: str
    begin: Callable[[], object]
    done: Callable[[], bool]


def deeds_of(window: "MainWindow", text: str) -> list[Deed]:
    """Find a text that is rare, whatever its case; filter by a word each; turn to the repair, and to a change in it."""
    document, changes = window.document, window.side.repair.panel.changes

    def filtered() -> bool:
        return not document.filter.asking

    def show_change() -> None:
        document.selection.select_change(len(there(document.repair.plan)) // 2)

    def compared() -> bool:
        return bool(changes.compare.text.document().characterCount() > 1 and not changes.compare._patience.isActive())

    lines = ("is:unanswered", "is:failed", "role:assistant", "tool:Bash", "")
    return [
        Deed("find", lambda: document.find.look_for(text, False), lambda: not document.find.searching),
        Deed("find no more", lambda: document.find.look_for("", False), lambda: True),
        *(Deed(f"filter {line}", partial(document.filter.set_line, line), filtered) for line in lines),
        Deed("show the repair", lambda: window.side.show_tab(window.side.repair), lambda: True),
        *([Deed("side by side", show_change, compared)] if document.repair.plan and len(document.repair.plan) else []),
    ]


def rare_text(path: str) -> str:
    """An id from the middle of a log."""
    with open(path, "rb") as file:
        file.seek(Path(path).stat().st_size // 2)
        found = re.search(rb"[0-9a-f]{8}-[0-9a-f-]{27}|toolu_\w{8,}|call_\w{8,}", file.read(1 << 20))
    return found[0].decode() if found else "no such text"


def bare_seconds(path: str) -> "Took":
    """A loop that only parses the lines."""
    begun = Took.now()
    with open(path, "rb") as file:
        for line in file:
            with suppress(orjson.JSONDecodeError):
                orjson.loads(line)
    return begun.since()


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


def main(arguments: list[str]) -> int:
    if STARTED in os.environ:
        return measure(arguments[0], "--fake" in arguments)
    return run(EMPTY) or run(*arguments)


def run(*arguments: str) -> int:
    """In a process of its own, which is told when it began."""
    environment = os.environ | {STARTED: str(time.time())}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, "-m", "tests.benchmarks.window_gaps", *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode


def measure(path: str, fake: bool) -> int:
    """Runs in the process that is measured; Qt is imported here, for its import is a part of the figure."""
    from inspector.cli.window import spare_sources  # noqa: PLC0415

    spare_sources()
    from PySide6.QtCore import QEvent, QObject, QTimer  # noqa: PLC0415

    from inspector.gui import app  # noqa: PLC0415
    from inspector.gui.basics import theme  # noqa: PLC0415
    from inspector.gui.basics.settings import Settings  # noqa: PLC0415
    from inspector.gui.main_window.window import MainWindow  # noqa: PLC0415
    from inspector.gui.process.backend import Backend  # noqa: PLC0415

    backend = Backend()
    if fake:
        from tests.gui.fake_engine import FakeEngine, fake_engine, view_fake  # noqa: PLC0415

        backend = Backend(fake_engine, view_fake, FakeEngine().head)

    started = float(os.environ[STARTED])
    took: dict[str, Took] = {}
    reading: list[tuple[Took, float]] = []
    empty = path == EMPTY
    application = app.make_application()
    theme.apply("light", styled=False)
    window = MainWindow(backend, Settings())
    theme.apply("light")
    gc.freeze()
    document, view = window.document, window.outline.view

    def since_start() -> Took:
        return Took(time.time() - started, time.process_time())

    class FirstPaint(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and (empty or window.outline.model.rowCount()) and "first" not in took:
                QTimer.singleShot(0, lambda: took.setdefault("first", since_start()))
            return False

    first_paint = FirstPaint()
    (window.welcome if empty else view.viewport()).installEventFilter(first_paint)
    gaps: list[tuple[Took, float]] = []
    frames: list[float] = []
    told: list[tuple[str, Took, Took, float]] = []
    waiting: list[Deed] = []
    last = Took.now()
    begun, longest, child = last, Took(0, 0), 0.0

    def tick() -> None:
        nonlocal longest, last
        gap, last = last.since(), Took.now()
        longest = max(longest, gap)
        if "first" in took:
            gaps.append((gap, time.time() - started))
            if empty:
                application.quit()
        if document.phase == document.phase.READY and "read" not in took:
            took["read"] = since_start()
        done = document.log is not None and document.log.complete and not document.repair.planning
        if (done and "planned" not in took) or time.time() - started > PATIENCE_S:
            took["planned"] = since_start()
            QTimer.singleShot(1500, begin)

    def scroll() -> None:
        bar = view.verticalScrollBar()
        bar.setValue(0 if bar.value() >= bar.maximum() else bar.value() + 60)
        before = time.perf_counter()
        view.viewport().repaint()
        frames.append(time.perf_counter() - before)

    def begin() -> None:
        reading.extend(gaps)
        waiting.extend(deeds_of(window, rare_text(path)))
        step.start()
        go_on()

    def go_on() -> None:
        nonlocal begun, longest, child
        begun, longest, child = Took.now(), Took(0, 0), worked_by(document.process._process.pid)
        waiting[0].begin()

    def follow() -> None:
        if waiting[0].done():
            by_child = worked_by(document.process._process.pid) - child
            told.append((waiting.pop(0).name, begun.since(), longest, by_child))
            if waiting:
                go_on()
            else:
                step.stop()
                application.quit()

    timers = [QTimer(interval=TICK_MS), QTimer(interval=SCROLL_MS)]
    step = QTimer(interval=TICK_MS)
    step.timeout.connect(follow)
    for timer, slot in zip(timers, (tick, scroll), strict=True):
        timer.timeout.connect(slot)
        timer.start()
    if not empty:
        window.open(path)
    window.show()
    application.exec()
    if empty:
        print(f"empty window after  {took['first']!s:>18}")
        window.close()
        return 0
    log = there(document.log)
    print(f"log                 {Path(path).stat().st_size / 1e6:18.1f} MB")
    print(f"nodes, findings     {len(log.outline):18,} {len(log.findings):,}")
    for name, each in (("first rows", "first"), ("read", "read"), ("repair planned", "planned")):
        print(f"{name} after".ljust(20) + f"{took[each]!s:>18}")
    reading.sort()
    by_work = sorted(reading, key=lambda gap: gap[0].worked)
    print(f"max gap             {reading[-1][0]!s:>18}; most work {by_work[-1][0].worked * 1e3:.0f} ms")
    print(f"99 % of gaps below  {reading[int(len(reading) * 0.99)][0]!s:>18}")
    print(f"frame, median       {statistics.median(frames) * 1e3:18.1f} ms")
    bare = bare_seconds(path) if path.endswith("l") else None
    for name, whole, gap, by_child in told:
        share = f"; {whole.clock / bare.clock:.2f} / {by_child / bare.worked:.2f} of a bare loop" if bare else ""
        print(f"{name:20}{whole!s:>18}, gap {gap}{share if name == 'find' else ''}")
    if os.environ.get("WINDOW_GAPS_ALL"):
        print("most work in gaps  ", ", ".join(f"{gap} at {when:.2f} s" for gap, when in by_work[:-9:-1]))
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
