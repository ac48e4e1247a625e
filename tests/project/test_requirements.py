"""What the product asks of its environment."""

import platform
import subprocess
import sys
import tomllib
import warnings
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
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
def project(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def applying(lines: list[str], python: str = platform.python_version()) -> list[Requirement]:
    """Those whose marker holds under this Python."""
    environment = {"python_version": ".".join(python.split(".")[:2]), "python_full_version": python, "extra": ""}
    requirements = map(Requirement, lines)
    return [each for each in requirements if each.marker is None or each.marker.evaluate(environment)]


def last_tried(root: Path, python: str = platform.python_version()) -> dict[NormalizedName, Version]:
    lines = (root / "tests" / "constraints.txt").read_text("utf-8").splitlines()
    pins = applying([line for line in lines if not line.startswith("#")], python)
    versions = {canonicalize_name(pin.name): Version(str(pin.specifier).removeprefix("==")) for pin in pins}
    assert len(versions) == len(pins), "one line must apply to each Python"
    return versions


@pytest.mark.parametrize(("python", "allowed"), [("3.11", False), ("3.12", True), ("3.13", True)])
def test_qt_that_kills_old_python_is_excluded(project: dict[str, Any], python: str, allowed: bool) -> None:
    qt = [each for each in applying(project["dependencies"], python) if each.name == "PySide6-Essentials"]
    assert len(qt) == 1, "exactly one line must apply to each Python"
    assert (Version(BAD_QT) in qt[0].specifier) is allowed


@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_fits_the_version_last_tried(root: Path, project: dict[str, Any], python: str) -> None:
    """CONTRIBUTING.md says how the versions are renewed."""
    versions = last_tried(root, python)
    for wanted in applying(project["dependencies"] + project["optional-dependencies"]["test"], python):
        assert versions[canonicalize_name(wanted.name)] in wanted.specifier


def test_what_a_version_last_tried_needs_has_one_too(root: Path) -> None:
    """Only what is installed in that very version is asked: others may need what they like."""
    versions = last_tried(root)
    for installed in distributions():
        if versions.get(canonicalize_name(installed.name)) == Version(installed.version):
            needed = {canonicalize_name(each.name) for each in applying(installed.requires or [])}
            assert needed <= versions.keys(), installed.name


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning, FutureWarning])
def test_a_deprecation_is_an_error_in_our_modules_alone(pytestconfig: pytest.Config, category: type[Warning]) -> None:
    if pytestconfig.getoption("pythonwarnings"):
        pytest.skip("-W says otherwise")
    with warnings.catch_warnings(record=True) as shown:
        warnings.warn_explicit("old", category, "api.py", 1, module="library.api")
        for ours in ("inspector.core.engine.window_engine", "tests.gui.conftest"):
            with pytest.raises(category):
                warnings.warn_explicit("old", category, "ours.py", 1, module=ours)
    assert len(shown) == 1


def test_qt_gives_back_every_none(root: Path) -> None:
    """A Qt that loses a reference to None on each call ends in `Fatal Python error: none_dealloc`."""
    run = subprocess.run([sys.executable, "-c", PROBE], cwd=root, capture_output=True, text=True, check=True)
    lost = [int(word) for word in run.stdout.split()]
    if sys.version_info >= FIRST_IMMORTAL_NONE:
        pytest.skip("None cannot die on this Python")
    assert max(lost) < 100, f"references to None lost in 3000 calls each: {lost}"
