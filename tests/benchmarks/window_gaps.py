"""How fast the window is: `python -m tests.benchmarks.window_gaps LOG` prints the figures for a log of any size.

First rows: from the start of the process, imports and all, to the first row that is painted, and how much of that is
beyond what an empty window takes. Gap: the longest time that the event loop did not run while the log was read, its
repair planned, and the tree scrolled; then, for each of the deeds of a person (see `watched_window.deeds_of`), how
long it took, and the longest gap in it. Behind a slash stands the time of a processor of this thread, which on a busy
machine is what counts. Finding is also told as a share of what a bare loop of `orjson.loads` over the lines takes.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.paths import ROOT

if TYPE_CHECKING:
    from tests.benchmarks.watched_window import WatchedWindow

STARTED = "WINDOW_GAPS_STARTED"
EMPTY = "--empty"


def main(arguments: list[str]) -> int:
    if STARTED not in os.environ:
        return run(EMPTY) or run(*arguments)
    watched = measured(arguments[0], "--fake" in arguments, float(os.environ[STARTED]))
    if arguments[0] == EMPTY:
        print(f"empty window after  {watched.after['first']!s:>18}")
    else:
        print_figures(arguments[0], watched)
    watched.window.close()
    return 0


def run(*arguments: str) -> int:
    """In a process of its own, which is told when it began."""
    environment = os.environ | {STARTED: str(time.time())}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, "-m", "tests.benchmarks.window_gaps", *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode


def measured(path: str, fake: bool, started: float) -> "WatchedWindow":
    """Runs in the process that is measured: Qt is imported here, for its import is a part of the figure."""
    from inspector.cli.window import disable_pyside_source_scan as spare_sources  # noqa: PLC0415

    spare_sources()
    from tests.benchmarks.watched_window import WatchedWindow  # noqa: PLC0415

    watched = WatchedWindow("" if path == EMPTY else path, fake, started)
    watched.run()
    return watched


def print_figures(path: str, watched: "WatchedWindow") -> None:
    """What a person reads; times stand as `Took` tells them."""
    from tests.benchmarks.watched_window import bare_seconds  # noqa: PLC0415

    log = watched.log
    print(f"log                 {Path(path).stat().st_size / 1e6:18.1f} MB")
    print(f"nodes, findings     {len(log.outline):18,} {len(log.findings):,}")
    for name, each in (("first rows", "first"), ("read", "read"), ("repair planned", "planned")):
        print(f"{name} after".ljust(20) + f"{watched.after[each]!s:>18}")
    by_clock = sorted(watched.while_reading)
    by_work = sorted(watched.while_reading, key=lambda gap: gap[0].worked, reverse=True)
    print(f"max gap             {by_clock[-1][0]!s:>18}; most work {by_work[0][0].worked * 1e3:.0f} ms")
    print(f"99 % of gaps below  {by_clock[int(len(by_clock) * 0.99)][0]!s:>18}")
    print(f"frame, median       {statistics.median(watched.frames) * 1e3:18.1f} ms")
    bare = bare_seconds(path) if path.endswith("l") else None
    for deed in watched.done:
        share = (
            f"; {deed.took.clock / bare.clock:.2f} / {deed.by_child / bare.worked:.2f} of a bare loop" if bare else ""
        )
        print(f"{deed.name:20}{deed.took!s:>18}, gap {deed.gap}{share if deed.name == 'find' else ''}")
    if os.environ.get("WINDOW_GAPS_ALL"):
        print("most work in gaps  ", ", ".join(f"{gap} at {when:.2f} s" for gap, when in by_work[:8]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
