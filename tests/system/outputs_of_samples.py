"""What the commands print and write for all samples: `python -m tests.system.outputs_of_samples FOLDER`.

It runs in a process of its own, because the tables of a module are translated when it is imported. FOLDER gets a copy
of the samples and what is written for them; what is printed is printed as JSON, by command.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.storage.nesting_limits import raise_recursion_limit
from tests.support.paths import SAMPLES

ALWAYS = ("check --format json {}", "sent {}", "convert --to markdown -o {}.md {}")
IF_BROKEN = (
    "repair --dry-run --format json {}",
    "trim --keep 1 --repair --dry-run --format json {}",
    "sent --repaired {}",
    "repair -o {}.repaired {}",
    "repair --preset clean -o {}.clean {}",
    "bundle -o {}.zip {}",
)
TEXTS = ("check -v {}", "repair --dry-run {}", "fix --dry-run {}", "trim --keep 1 --repair --dry-run {}")
TEXT_SAMPLES = ("claude-code-broken.jsonl", "codex-broken.jsonl", "kimi-code-broken.jsonl")

TABLES = ("rules", "presets", "presets clean", "strategies", "formats claude-code", "sessions", "doctor")


def outputs(folder: Path) -> dict[str, str]:
    """Run the commands on copies of all samples, and return what they print."""
    shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)
    os.environ["HOME"] = str(folder)
    os.chdir(folder)
    commands = []
    for name in sorted(path.name for path in SAMPLES.iterdir()):
        os.utime(name, (0, 0))  # a log that was just changed may be in use, and is not repaired
        texts = TEXTS if name in TEXT_SAMPLES else ()
        broken = (*IF_BROKEN, *texts, "fix --yes {}") if "broken" in name else ()
        commands += [command.replace("{}", name) for command in (*ALWAYS, *broken)]
    commands += TABLES
    runner = CliRunner()
    return {command: runner.invoke(main, command.split(), catch_exceptions=False).stdout for command in commands}


if __name__ == "__main__":
    raise_recursion_limit()
    printed = outputs(Path(sys.argv[1]))
    print(json.dumps(printed))
