"""How long a list of sessions takes: `python -m tests.benchmarks.listing [--logs 2000] [--keep FOLDER]`.

A home folder with logs of 20 KB to 2 MB in the manner of Claude Code is made; it is listed as the store of an agent
and as a folder that the person named, each by a whole process, start-up included, and then with the page cache emptied
of it where the system lets us. The target of 2 seconds is for 2,000 logs. At last the window lists it: how soon the
first row and the last are there, how long all verdicts take, and the longest time that the event loop did not run while
the list was scrolled.
"""

import argparse
import gc
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from tests.benchmarks.generate import generate
from tests.benchmarks.processes import installed_environment, run

KILOBYTE = 1000
TARGET_SECONDS = 2.0
RUNS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--logs", type=int, default=2000)
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("--window", type=Path, default=None, help="list this home in the window, and nothing else")
    options = parser.parse_args()
    if options.window:
        return window_figures(options.window)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        home = make_home(folder, options.logs)
        total = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
        print(f"{options.logs} logs, {total / 1e6:.0f} MB")
        for what, arguments in (("stores", ()), ("a folder", (str(home / ".claude"),))):
            for cold in (False, True):
                seconds = min(listed(home, folder, arguments, cold) for _ in range(RUNS))
                state = "page cache emptied" if cold else "page cache warm"
                print(f"{what:9} {state:19} {seconds:5.2f} s  (target {TARGET_SECONDS:.0f} s for 2,000)")
        environment = os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": str(folder / "config")}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        command = [sys.executable, "-m", "tests.benchmarks.listing", "--window", str(home)]
        return subprocess.run(command, env=environment, check=False).returncode


def window_figures(home: Path) -> int:
    """Runs in a process of its own, whose home is `home`; Qt is imported here."""
    from PySide6.QtCore import QTimer  # noqa: PLC0415

    from inspector.gui import app  # noqa: PLC0415
    from inspector.gui.common import theme  # noqa: PLC0415
    from inspector.gui.common.actions import Action  # noqa: PLC0415
    from inspector.gui.common.settings import Settings  # noqa: PLC0415
    from inspector.gui.state.log_list_loader import LoadStep as Step  # noqa: PLC0415
    from inspector.gui.window.main_window import MainWindow  # noqa: PLC0415
    from inspector.gui.worker.core_dependencies import CoreDependencies  # noqa: PLC0415

    application = app.make_application()
    theme.apply("light")
    window = MainWindow(CoreDependencies(), Settings())
    window.show()
    gc.freeze()
    survey, bar, gaps, seconds = window.log_list, window.logs.table.verticalScrollBar(), [], {}
    last = started = time.perf_counter()

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append((now - last, now - started))
        last = now
        reached = {
            "first rows": bool(survey.logs),
            "all rows": survey.step in (Step.CHECKING, Step.DONE),
            "all verdicts": survey.step == Step.DONE,
        }
        for what in [what for what, yes in reached.items() if yes and what not in seconds]:
            seconds[what] = now - started
        if len(seconds) == len(reached):
            application.quit()

    def scroll() -> None:
        bar.setValue(0 if bar.value() >= bar.maximum() else bar.value() + 60)

    timers = [QTimer(interval=2), QTimer(interval=50)]
    for timer, slot in zip(timers, (tick, scroll), strict=True):
        timer.timeout.connect(slot)
        timer.start()
    window.window_actions[Action.SHOW_STORES].trigger()
    application.exec()
    gaps.sort()
    for what, when in seconds.items():
        print(f"window    {what:19} {when:5.2f} s")
    print(f"window    99 % of gaps below  {gaps[int(len(gaps) * 0.99)][0] * 1e3:5.0f} ms")
    longest = ", ".join(f"{gap * 1e3:.0f} ms at {when:.2f} s" for gap, when in gaps[:-5:-1])
    print(f"window    longest gaps        {longest}")
    window.close()
    return 0


def make_home(folder: Path, logs: int) -> Path:
    """A home with `logs` sessions in forty projects: pieces of one long log, each with a first prompt of its own."""
    home, rng = folder / "home", random.Random(1)
    if home.exists():
        return home
    whole = folder / "whole.jsonl"
    generate(whole, "mixed", 20, 1)
    lines = whole.read_bytes().splitlines(keepends=True)
    for number in range(logs):
        project = home / ".claude" / "projects" / f"-home-mei-project-{number % 40}"
        project.mkdir(parents=True, exist_ok=True)
        size, wanted, start = 0, rng.lognormvariate(5, 1.2) * KILOBYTE, rng.randrange(len(lines) // 2)
        with (project / f"{uuid.UUID(int=rng.getrandbits(128))}.jsonl").open("wb") as file:
            while size < min(max(wanted, 20 * KILOBYTE), 2000 * KILOBYTE) and start < len(lines):
                size += file.write(lines[start])
                start += 1
    return home


def listed(home: Path, folder: Path, arguments: tuple[str, ...], cold: bool) -> float:
    """Seconds of a whole process that lists the logs as JSON."""
    if cold:
        for path in home.rglob("*.jsonl"):
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    environment = installed_environment(folder / "bytecode") | {"HOME": str(home)}
    environment.pop("CLAUDE_CONFIG_DIR", None)
    command = [sys.executable, "-m", "inspector", "sessions", *arguments, "--format", "json"]
    return run(command, folder / "list.json", environment).seconds


if __name__ == "__main__":
    started = time.perf_counter()
    code = main()
    print(f"{time.perf_counter() - started:.0f} s in all")
    sys.exit(code)
