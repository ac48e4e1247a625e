"""Try the lowest versions that `pyproject.toml` allows: a part of the tests, in an environment of its own.

`python -m tests.lowest` installs them by uv, which it installs first, and goes on without where no index answers.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from tests.support.paths import ROOT

TOOLS = ("hypothesis", "packaging", "pytest", "pytest-qt")  # what the tests below import
TESTS = (
    "tests/cli/test_command_line.py",
    "tests/cli/test_streaming.py",
    "tests/core/discovery/test_stores.py",
    "tests/core/storage/test_nesting.py",
    "tests/core/engine/test_python_interface.py",
    "tests/core/discovery/test_archives.py",
    "tests/gui/test_document.py",
)
NO_INDEX = (
    "Failed to fetch",
    "dns error",
    "Could not find a version",
    "No matching distribution",
    "error sending request",
)


def main() -> int:
    """The exit code of the tests, 0 where the versions cannot be had."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "lowest" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        tools = Path(folder) / "uv" / python.parent.name
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text("".join(f"{line}\n" for line in _requirements()), "utf-8")
        steps = (
            [sys.executable, "-m", "venv", str(tools.parent)],
            [str(tools / "python"), "-m", "pip", "install", "-q", "uv"],
            [str(tools / "uv"), "venv", "-q", "-p", sys.executable, str(python.parent.parent)],
            # What has no wheel for this Python would be built: the lowest version that has one counts.
            [
                *(str(tools / "uv"), "pip", "install", "-q", "--resolution", "lowest-direct", "--no-build"),
                *("-p", str(python), "-r", str(requirements)),
            ],
        )
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                if not any(sign in done.stderr for sign in NO_INDEX):
                    print(done.stderr, file=sys.stderr)
                    return done.returncode
                print("--- lowest versions: not tried, as no package index answers", flush=True)
                return 0
        listed = subprocess.run([str(tools / "uv"), "pip", "freeze", "-p", str(python)], capture_output=True, text=True)
        print(f"--- lowest versions: {' '.join(listed.stdout.split())}", flush=True)
        environment = os.environ | {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
        tests = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow and not corpus", *TESTS]
        return subprocess.run(tests, cwd=ROOT, env=environment, check=False).returncode


def _requirements() -> list[str]:
    """What the program needs, with its bounds; and the tools in the versions that were last tried."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    tried = (ROOT / "tests" / "constraints.txt").read_text("utf-8").splitlines()
    return [*project["dependencies"], *(line for line in tried if line.partition("==")[0] in TOOLS)]


if __name__ == "__main__":
    sys.exit(main())
