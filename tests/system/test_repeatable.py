"""The same bytes give the same report and the same repair, whatever order the sets of a process happen to have."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FEW_SEEDS, MORE_SEEDS = (0, 1, 2), (0, *range(3, 8))

# A name that is missing stands among others: matched all at once, the order of a set decided whether it was seen.
NAMES = ["read", "list", "find", None]


def nameless_call() -> dict[str, Any]:
    calls = [{"type": "tool_use", "id": f"c{n}", "input": {}} | ({"name": name} if name else {})
             for n, name in enumerate(NAMES)]  # fmt: skip
    results = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": "x"} for n in range(len(NAMES))]
    said = [("user", "go"), ("assistant", calls), ("user", results), ("assistant", "done")]
    return {"model": "claude", "messages": [{"role": role, "content": content} for role, content in said]}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    """All samples in a folder, and what once gave one verdict or another."""
    folder = tmp_path_factory.mktemp("logs")
    shutil.copytree(samples, folder, dirs_exist_ok=True)
    (folder / "nameless-call.json").write_text(json.dumps(nameless_call()))
    return folder


@pytest.mark.parametrize("seeds", [FEW_SEEDS, pytest.param(MORE_SEEDS, marks=pytest.mark.thorough)])
def test_every_seed_tells_and_writes_the_same(seeds: tuple[int, ...], logs: Path, root: Path) -> None:
    """One process a seed, all of them at once."""
    environments = [os.environ | {"PYTHONPATH": str(root), "PYTHONHASHSEED": str(seed)} for seed in seeds]
    command = [sys.executable, "-m", "tests.support.seeded", str(logs)]
    running = [subprocess.Popen(command, cwd=root, env=each, stdout=subprocess.PIPE) for each in environments]
    first, *others = [json.loads(each.communicate()[0]) for each in running]
    assert first.keys() == {path.name for path in logs.iterdir()}
    for seed, other in zip(seeds[1:], others, strict=True):
        assert other == first, f"seed {seed} tells otherwise than seed {seeds[0]}"
