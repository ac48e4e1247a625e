"""What the window shows, as digests of pixels: the same on one machine, whose letters they are drawn with."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.system.record.running import Came, Room

WINDOW = Path(__file__).with_name("window.py")


def of(log: str, room: Room) -> tuple[str, Came]:
    """The picture of `--screenshot` of a log, or of a folder's list."""
    came = opened(room, "--screenshot", "temp/picture.png", log)
    (room.folder / "temp" / "picture.png").unlink(missing_ok=True)
    return "--screenshot", came


def opened(room: Room, *words: str, inside: str = "") -> Came:
    """What came of the window in a process of its own, with its digests on standard output."""
    done = room.process((sys.executable, "-P", str(WINDOW), *words), inside)
    return room.came(done.returncode, done.stdout, done.stderr, takes=False)
