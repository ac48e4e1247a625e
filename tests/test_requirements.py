"""What the product asks of its environment."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

FIRST_IMMORTAL_NONE = (3, 12)
BAD_QT = "6.12.0"

# Calls that return nothing, some thousand times each; the count of references to None must come back unchanged.
PROBE = """
import sys
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QTextCharFormat
from PySide6.QtWidgets import QApplication, QWidget

app = QApplication([])
spare = [None] * 1_000_000  # so that a Qt that loses them can be caught alive
CALLS = 3000

class Sender(QObject):
    sent = Signal(int)

def lost(call):
    call()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        call()
    return before - sys.getrefcount(None)

style, colour, widget, sender = QTextCharFormat(), QColor("red"), QWidget(), Sender()
sender.sent.connect(lambda number: None)
calls = [lambda: style.setForeground(colour), lambda: widget.setToolTip("x"), lambda: sender.sent.emit(1)]
print(*map(lost, calls))
"""


@pytest.fixture(scope="module")
def project(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.mark.parametrize(("python", "allowed"), [("3.11", False), ("3.12", True), ("3.13", True)])
def test_qt_that_kills_old_python_is_excluded(project: dict, python: str, allowed: bool) -> None:
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    wanted = [Requirement(line) for line in project["dependencies"]]
    qt = [r for r in wanted if r.name == "PySide6-Essentials" and (r.marker is None or r.marker.evaluate(environment))]
    assert len(qt) == 1, "exactly one line must apply to each Python"
    assert (Version(BAD_QT) in qt[0].specifier) is allowed


def test_qt_gives_back_every_none(root: Path) -> None:
    """A Qt that loses a reference to None on each call ends in `Fatal Python error: none_dealloc`."""
    run = subprocess.run([sys.executable, "-c", PROBE], cwd=root, capture_output=True, text=True, check=True)
    lost = [int(word) for word in run.stdout.split()]
    if sys.version_info >= FIRST_IMMORTAL_NONE:
        pytest.skip("None cannot die on this Python")
    assert max(lost) < 100, f"references to None lost in 3000 calls each: {lost}"
