"""How fast the window is: `python -m tests.benchmarks.window_gaps LOG` prints the figures for a log of any size.

First rows: from the start of the process, imports and all, to the first row that is painted. Gap: the longest time
that the event loop did not run while the log was read, its repair planned, and the tree scrolled.
"""

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.gui.there import there

STARTED = "WINDOW_GAPS_STARTED"
TICK_MS = 2
SCROLL_MS = 50
PATIENCE_S = 600
ROOT = Path(__file__).resolve().parent.parent.parent


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
    last, gaps = [0.0], []

    def tick() -> None:
        now = time.perf_counter()
        if "first" in figures:
            gaps.append((now - last[0], time.time() - started))
        last[0] = now
        if document.phase == document.phase.READY and "read" not in figures:
            figures["read"] = time.time() - started
        done = document.log is not None and document.log.complete and not document.repair.planning
        if (done and "planned" not in figures) or time.time() - started > PATIENCE_S:
            figures["planned"] = time.time() - started
            QTimer.singleShot(1500, application.quit)

    def scroll() -> None:
        bar = view.verticalScrollBar()
        bar.setValue(0 if bar.value() >= bar.maximum() else bar.value() + 60)

    timers = [QTimer(interval=TICK_MS), QTimer(interval=SCROLL_MS)]
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
    print(f"max gap             {gaps[-1][0] * 1e3:10.1f} ms")
    print(f"99 % of gaps below  {gaps[int(len(gaps) * 0.99)][0] * 1e3:10.1f} ms")
    if os.environ.get("WINDOW_GAPS_ALL"):
        longest = ", ".join(f"{gap * 1e3:.0f} ms at {when:.2f} s" for gap, when in gaps[:-9:-1])
        print("longest gaps       ", longest)
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
