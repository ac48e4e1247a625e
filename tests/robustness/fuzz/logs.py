"""Write the logs of the first trials to a folder, each into one of its own, for other tools to read.

`python -m tests.robustness.fuzz.logs FOLDER COUNT [SEED]`; `logs.txt` in it names the path of each that is opened.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.robustness.fuzz.groups import write_files
from tests.robustness.fuzz.trial import trial


def write_logs(folder: Path, count: int, seed: int = 0) -> None:
    """The same files in every run."""
    names = []
    for number in range(count):
        made = trial(seed, number)
        write_files(made, folder / f"{number:05}")
        names.append(f"{number:05}/{made.log}\n")
    (folder / "logs.txt").write_text("".join(names), encoding="utf-8")


if __name__ == "__main__":
    write_logs(Path(sys.argv[1]), *map(int, sys.argv[2:]))
