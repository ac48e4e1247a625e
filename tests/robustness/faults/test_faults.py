"""A sample of the long run: see `python -m tests.robustness.faults`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.robustness.faults.shim import why_not


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_whatever_fails_the_original_or_the_new_log_is_whole_and_findable(root: Path) -> None:
    command = [sys.executable, "-B", "-m", "tests.robustness.faults", "--trials", "300", "--seed", "1"]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "300 trials" in told.stdout
