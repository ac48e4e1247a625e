"""A child process at a terminal: for agents that resume nowhere else. What it shows is read, and text is typed."""

import contextlib
import fcntl
import os
import pty
import struct
import termios
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.interop.agents.processes import Child

SIZE = struct.pack("HHHH", 50, 160, 0, 0)  # rows, columns
QUIET = 1.5  # seconds without a change after which a screen is taken for complete


@dataclass
class AtTerminal(Child):
    """`said` holds all that was ever shown, with the terminal's escapes."""

    def open(self) -> tuple[int, int, int]:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, SIZE)
        threading.Thread(target=_copy, args=(self._ours, self.said), daemon=True).start()
        return theirs, theirs, theirs

    def type(self, text: str, when_shown: str, seconds: float) -> bool:
        """Type a line once a text was shown and the screen stands still; False when that does not come in time."""
        if not self.wait_until(lambda: when_shown.encode() in self.said.read_bytes(), seconds):
            return False
        self.wait_until(self._quiet, seconds)
        for keys in (text, "\r"):
            os.write(self._ours, keys.encode())
            time.sleep(QUIET)  # together they would be taken for a pasted text
        return True

    def _quiet(self) -> bool:
        return time.time() - self.said.stat().st_mtime > QUIET


def _copy(terminal: int, said: Path) -> None:
    with contextlib.suppress(OSError), said.open("wb", buffering=0) as out:  # an error when the other end closes
        while data := os.read(terminal, 65536):
            out.write(data)
    os.close(terminal)
