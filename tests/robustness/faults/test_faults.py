"""A sample of the long run: see `python -m tests.robustness.faults`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.robustness.faults.shim import why_not


@pytest.mark.skipif(bool(why_not()), reason=why_not())
@pytest.mark.parametrize("trials", [8, pytest.param(300, marks=pytest.mark.thorough)])
def test_whatever_fails_the_original_or_the_new_log_is_whole_and_findable(trials: int, root: Path) -> None:
    command = [sys.executable, "-B", "-m", "tests.robustness.faults", "--trials", str(trials), "--seed", "1"]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert f"{trials} trials" in told.stdout
