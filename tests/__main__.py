"""The one check command: `python -m tests` runs every check of this project and stops at the first that fails.

Without options, it tries the lowest versions that `pyproject.toml` allows, too, in an environment of their own.
`python -m tests --fast` leaves out what takes minutes: real logs, the installed wheel, and, as pytest alone does, the
further cases of tests that try many (`thorough`). The tests run on every core; `-n 0` behind it runs them one after the
other. `--coverage` measures lines and branches, which takes longer, and
fails below the floor in `pyproject.toml`.
"""

import os
import shlex
import subprocess
import sys

from tests import lowest
from tests.support.paths import ROOT

PYTHON = sys.executable

# Two more than there are cores, as tests wait for windows and other processes, and at most eight, as each takes half a
# gigabyte. Stealing keeps a file together until a worker runs out of its own.
PARALLEL = ["-n", str(min(8, (os.cpu_count() or 1) + 2)), "--dist", "worksteal"]

COVERAGE = ["--cov", "--cov-report", "term"]

CHECKS = (
    ("lint", [PYTHON, "-m", "ruff", "check", "."]),
    ("format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
    ("types", [PYTHON, "-m", "mypy"]),
    ("layers", [PYTHON, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"]),
    ("tests", [PYTHON, "-m", "pytest", *PARALLEL]),
)


def main(arguments: list[str]) -> int:
    more = [argument for argument in arguments if argument not in ("--fast", "--coverage")]
    environment = os.environ | {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    if "--fast" in arguments:
        more += ["-m", "not slow and not corpus and not thorough"]
    else:
        more += ["-m", ""]
        environment.setdefault("HYPOTHESIS_PROFILE", "full")
    if "--coverage" in arguments:
        more += COVERAGE
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each worker and each child would compile the tree anew
    for name, command in CHECKS:
        line = command + more if name == "tests" else command
        print(f"--- {name}: {shlex.join(['python', *line[1:]])}", flush=True)
        code = subprocess.run(line, cwd=ROOT, env=environment, check=False).returncode
        if code:
            print(f"--- {name} failed (exit code {code})", flush=True)
            return code
    return 0 if arguments else lowest.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
