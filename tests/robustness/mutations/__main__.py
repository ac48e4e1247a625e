"""Put deliberate faults into a copy of the program, one by one, and see whether the tests notice: `python -m
tests.robustness.mutations [NAME…]`, where a part of a name is enough. The rows are in `table.py`.

Nothing is changed in the work tree. Exit code 1 when a fault goes unnoticed, 2 when no fault has such a name, or when
the tests fail without one.
"""

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from tests.robustness.mutations.fault import Fault
from tests.robustness.mutations.table import FAULTS
from tests.support.paths import ROOT

# What the tests read. They are copied along, since Python looks beside a test for the program before anywhere else.
COPIED = ("inspector", "tests", "resources", "pyproject.toml", "README.md", ".github", ".ci")
LEFT_OUT = shutil.ignore_patterns("__pycache__")
LONGEST = 300  # seconds for the tests of one fault: they take a few

# All cases (`-m ""`): some faults show only in those that pytest alone leaves out.
PYTEST = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "", "--no-header", "-p", "no:cacheprovider"]
PASSED, FAILED = 0, 1  # pytest's exit codes; the others tell that the tests did not run


class Outcome(Enum):
    """What became of a fault. BROKE: the tests did not run at all, or did not end, which proves nothing."""

    CAUGHT = "caught"
    UNNOTICED = "UNNOTICED"
    BROKE = "DID NOT RUN"


def copied(folder: Path) -> Path:
    """The program and its tests, copied into `folder`, and compiled.

    What is compiled counts while the hash of its source is the same. By size and time, a fault could be passed over.
    """
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=LEFT_OUT)
        elif (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder / "inspector", quiet=2, invalidation_mode=checked)
    return folder


def tested(copy: Path, tests: Iterable[str], longest: int) -> tuple[int, str]:
    """Pytest's exit code over some tests in the copy, and what it printed; -1 if there is no end after `longest` s."""
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        command = [*PYTEST, *dict.fromkeys(tests)]
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, f"no end after {longest} s"
    return done.returncode, done.stdout + done.stderr


def tried(copy: Path, fault: Fault) -> tuple[Outcome, str]:
    """What becomes of a fault, and what pytest printed. The copy is afterwards as it was."""
    file = copy / fault.file
    sound = file.read_text("utf-8")
    file.write_text(fault.made_in(sound), "utf-8")
    try:
        code, said = tested(copy, fault.noticed_by, LONGEST)
    finally:
        file.write_text(sound, "utf-8")
    return {PASSED: Outcome.UNNOTICED, FAILED: Outcome.CAUGHT}.get(code, Outcome.BROKE), said


def main(names: list[str]) -> int:
    chosen = [fault for fault in FAULTS if not names or any(name in fault.name for name in names)]
    if not chosen:
        print(f"No fault is called so; there are:\n{chr(10).join(fault.name for fault in FAULTS)}")
        return 2
    with tempfile.TemporaryDirectory(prefix="inspector-mutations-") as folder:
        copy = copied(Path(folder))
        every_test = (test for fault in chosen for test in fault.noticed_by)
        code, said = tested(copy, every_test, LONGEST * len(chosen))
        if code != PASSED:
            print(f"{said}\nThe tests do not pass without a fault. Repair that first.")
            return 2
        width, missed = max(len(fault.name) for fault in chosen), 0
        for fault in chosen:
            outcome, said = tried(copy, fault)
            missed += outcome is not Outcome.CAUGHT
            print(f"{fault.name:{width}}  {outcome.value}", flush=True)
            if outcome is Outcome.BROKE:
                print(said[-2000:])
    print(f"{len(chosen)} faults, {missed} of them not caught.")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
