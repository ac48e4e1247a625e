"""How fast the window is: `python -m tests.benchmarks.window_gaps LOG` prints the figures for a log of any size.

First rows: from the start of the process, imports and all, to the first row that is painted. Gap: the longest time
that the event loop did not run while the log was read, its repair planned, and the tree scrolled; then, for each of the
deeds of a person (see `deeds_of`), how long it took and the longest gap in it. Finding is also told as a share of what
a bare loop of `orjson.loads` over the lines takes.
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
    """Find a text that is rare, whatever its case; filter by a word each; go to a change and see both of its sides."""
    document, changes = window.document, window.side.repair.panel.changes

    def filtered() -> bool:
        return not document.filter.asking

    def show_change() -> None:
        window.side.show_tab(window.side.repair)
        document.selection.select_change(len(there(document.repair.plan)) // 2)

    def compared() -> bool:
        return bool(changes.compare.text.document().characterCount() > 1 and not changes.compare._patience.isActive())

    lines = ("is:unanswered", "is:failed", "role:assistant", "tool:Bash", "")
    return [
        Deed("find", lambda: document.find.look_for(text, False), lambda: not document.find.searching),
        Deed("find no more", lambda: document.find.look_for("", False), lambda: True),
        *(Deed(f"filter {line}", partial(document.filter.set_line, line), filtered) for line in lines),
        *([Deed("side by side", show_change, compared)] if document.repair.plan and len(document.repair.plan) else []),
    ]


def rare_text(path: str) -> str:
    """An id from the middle of a log."""
    with open(path, "rb") as file:
        file.seek(Path(path).stat().st_size // 2)
        found = re.search(rb"[0-9a-f]{8}-[0-9a-f-]{27}|toolu_\w{8,}|call_\w{8,}", file.read(1 << 20))
    return found[0].decode() if found else "no such text"


def bare_seconds(path: str) -> float:
    """A loop that only parses the lines."""
    begun = time.perf_counter()
    with open(path, "rb") as file:
        for line in file:
            with suppress(orjson.JSONDecodeError):
                orjson.loads(line)
    return time.perf_counter() - begun


def main(arguments: list[str]) -> int:
    if STARTED in os.environ:
        return measure(arguments[0], "--fake" in arguments)
    environment = os.environ | {STARTED: str(time.time())}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, "-m", "tests.benchmarks.window_gaps", *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode


def measure(path: str, fake: bool) -> int:
    """Runs in the process that is measured; Qt is imported here, for its import is a part of the figure."""
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
    figures: dict[str, float] = {}
    application = app.make_application()
    theme.apply("light", styled=False)
    window = MainWindow(backend, Settings())
    theme.apply("light")
    gc.freeze()
    document, view = window.document, window.outline.view

    class FirstPaint(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and window.outline.model.rowCount() and "first" not in figures:
                QTimer.singleShot(0, lambda: figures.setdefault("first", time.time() - started))
            return False

    first_paint = FirstPaint()
    view.viewport().installEventFilter(first_paint)
    last, gaps, frames = [0.0], [], []
    told: list[tuple[str, float, float]] = []
    waiting: list[Deed] = []
    begun, longest = 0.0, 0.0

    def tick() -> None:
        nonlocal longest
        now = time.perf_counter()
        longest = max(longest, now - last[0])
        if "first" in figures:
            gaps.append((now - last[0], time.time() - started))
        last[0] = now
        if document.phase == document.phase.READY and "read" not in figures:
            figures["read"] = time.time() - started
        done = document.log is not None and document.log.complete and not document.repair.planning
        if (done and "planned" not in figures) or time.time() - started > PATIENCE_S:
            figures["planned"] = time.time() - started
            QTimer.singleShot(1500, begin)

    def scroll() -> None:
        bar = view.verticalScrollBar()
        bar.setValue(0 if bar.value() >= bar.maximum() else bar.value() + 60)
        before = time.perf_counter()
        view.viewport().repaint()
        frames.append(time.perf_counter() - before)

    def begin() -> None:
        figures["gap"], figures["most gaps"] = max(gaps)[0], sorted(gaps)[int(len(gaps) * 0.99)][0]
        waiting.extend(deeds_of(window, rare_text(path)))
        step.start()
        go_on()

    def go_on() -> None:
        nonlocal begun, longest
        begun, longest = time.perf_counter(), 0.0
        waiting[0].begin()

    def follow() -> None:
        if waiting[0].done():
            told.append((waiting.pop(0).name, time.perf_counter() - begun, longest))
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
    last[0] = time.perf_counter()
    window.open(path)
    window.show()
    application.exec()
    gaps.sort()
    log = there(document.log)
    print(f"log                 {Path(path).stat().st_size / 1e6:10.1f} MB")
    print(f"nodes, findings     {len(log.outline):10,} {len(log.findings):,}")
    print(f"first rows after    {figures['first'] * 1e3:10.0f} ms of start-up")
    print(f"read after          {figures.get('read', 0) * 1e3:10.0f} ms")
    print(f"repair planned after{figures['planned'] * 1e3:10.0f} ms")
    print(f"max gap             {figures['gap'] * 1e3:10.1f} ms")
    print(f"99 % of gaps below  {figures['most gaps'] * 1e3:10.1f} ms")
    print(f"frame, median       {statistics.median(frames) * 1e3:10.1f} ms")
    bare = bare_seconds(path) if path.endswith("l") else 0
    for name, seconds, gap in told:
        share = f"  {seconds / bare:.2f} of a bare loop" if name == "find" and bare else ""
        print(f"{name:20}{seconds * 1e3:10.0f} ms, gap {gap * 1e3:.0f} ms{share}")
    if os.environ.get("WINDOW_GAPS_ALL"):
        print("longest gaps       ", ", ".join(f"{gap * 1e3:.0f} ms at {when:.2f} s" for gap, when in gaps[:-9:-1]))
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
