"""Any number of processes reports and writes the same: `python -m tests.system.any_number_of_processes FOLDER …`.

All that lies in the folders and below is checked by 1, 2 and 4 processes, in words and as JSON: a folder, whose logs
they share, and each log as if it were a large one, whose parts they share. And every log is repaired by as many at
once. What differs is named, and the exit code is 1.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.seeded import told

NUMBERS = (1, 2, 4)
# The program, to which every log is a large one of many parts, and no log is left to another process whole.
ALL_LARGE = """
from inspector.core.engine import parallel_reader as parts, workers
workers.FORK_AFTER_SECONDS = workers.SPAWN_AFTER_SECONDS = 1e9
parts.FORK_MIN_SIZE, parts.SPAWN_MIN_SIZE, parts.PART_SIZE = 1, 1, 1000
from inspector.__main__ import main
main()
"""


def reports(folder: Path, number: int) -> dict[str, str]:
    """Digests of what `check` tells of a folder, and of its logs as large ones."""
    asked = {"the folder": (["-m", "inspector"], [folder]), "parts": (["-c", ALL_LARGE], logs_in(folder))}
    digests = {}
    for form in ("text", "json"):
        for name, (program, paths) in asked.items():
            words = [*map(str, paths), "--format", form, "--jobs", str(number)]
            done = subprocess.run(
                [sys.executable, *program, "check", *words],
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                capture_output=True,
                check=False,
            )
            digest = hashlib.sha256(done.stdout + done.stderr).hexdigest()
            digests[f"the report on {name} as {form}"] = f"{digest} {done.returncode}"
    return digests


def logs_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def repairs(folder: Path, number: int) -> dict[str, dict[str, str]]:
    """Digests of what is told and written of each log."""
    logs = logs_in(folder)
    with ProcessPoolExecutor(number) as pool:
        return dict(zip(map(str, logs), pool.map(told, logs), strict=True))


def differing(folder: Path, numbers: tuple[int, ...] = NUMBERS) -> Iterator[str]:
    """What is told or written otherwise by several processes than by one."""
    one, *others = ({**reports(folder, number), **repairs(folder, number)} for number in numbers)
    for number, other in zip(numbers[1:], others, strict=True):
        yield from (f"{folder}, {number} processes: {name}" for name in one if one[name] != other[name])


if __name__ == "__main__":
    found = [line for name in sys.argv[1:] for line in differing(Path(name))]
    print("\n".join(found) or f"{len(sys.argv) - 1} folders: the same by {NUMBERS} processes.")
    sys.exit(bool(found))
