"""What Codex sent when it resumed forks, and their repairs, is what is predicted: without Codex.

`python -m tests.interop.agents.forks --record tests/interop/agents/recorded` writes the fixtures anew.
"""

import json
import shutil
from pathlib import Path

import pytest

from tests.interop.agents.forks import FORKS
from tests.interop.agents.recording import REQUESTS, Sent
from tests.interop.agents.test_recorded import judge
from tests.support import product

# The fixtures may not grow: those with a damaged base are made in tests/core/formats/test_codex_forks.
FIXTURES = [name for name in FORKS if name not in ("base-refused", "base-damaged")]
RECORDED = Path(__file__).parent / "recorded" / "codex-0.169.0" / "forks"


def rollouts(fork: str, tmp_path: Path) -> list[Path]:
    """The rollouts of a fixture in a store, the fork last."""
    shutil.copytree(RECORDED / fork, tmp_path / ".codex")
    return sorted((tmp_path / ".codex").glob("sessions/*/*/*/*"), key=lambda path: path.name)


def requests(fork: str) -> list[Sent | None]:
    """What was sent of the fork, and of its repair."""
    return [Sent(**sent) if sent else None for sent in json.loads((RECORDED / f"{fork}{REQUESTS}").read_bytes())]


@pytest.mark.parametrize("fork", FIXTURES)
def test_a_fork_is_sent_as_predicted(fork: str, tmp_path: Path) -> None:
    judge(rollouts(fork, tmp_path)[-1], requests(fork)[0])


@pytest.mark.parametrize("fork", [name for name in FIXTURES if name != "base-missing"])
def test_a_repaired_fork_is_sent_as_predicted_and_its_base_stays_as_it_is(fork: str, tmp_path: Path) -> None:
    logs = rollouts(fork, tmp_path)
    before = [log.read_bytes() for log in logs]
    answer = product.repair(logs[-1], None, "--new-session")
    assert (answer.code, [log.read_bytes() for log in logs]) == (0, before)
    judge(Path(answer.report["output"]), requests(fork)[1])


FOUND = {
    "same-id": ["K1"],
    "base-missing": ["G1"],
    "written-twice": ["G8"],
}
BROKEN = {"same-id", "base-missing"}


@pytest.mark.parametrize("fork", FIXTURES)
def test_what_is_found_in_a_fork(fork: str, tmp_path: Path) -> None:
    (session,) = product.check(rollouts(fork, tmp_path)[-1]).report["sessions"]
    assert [found["rule"] for found in session["findings"]] == FOUND.get(fork, [])
    assert session["verdict"] == ("broken" if fork in BROKEN else "healthy")
