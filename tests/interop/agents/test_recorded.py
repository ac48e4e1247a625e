"""What real agents sent when they resumed broken logs, and their repairs, is what is predicted: without the agents.

`python -m tests.interop.agents --record tests/interop/agents/recorded` writes the fixtures anew, for an
agent of another version or a repair that writes something else.
"""

from pathlib import Path

import pytest

from tests.interop.agents import ours
from tests.interop.agents.compare import difference, unkept
from tests.interop.agents.recording import Recorded, Sent, recorded, restored
from tests.support import product

FIXTURES = [*recorded(Path(__file__).parent / "recorded")]


@pytest.fixture(params=FIXTURES, ids=lambda fixture: f"{fixture.agent.name} {fixture.scenario.name}")
def fixture(request: pytest.FixtureRequest) -> Recorded:
    found: Recorded = request.param
    return found


def judge(log: Path, sent: Sent | None) -> None:
    told = ours.predicted(log)
    if told.silent:
        pytest.skip(told.silent)
    if sent is None:
        assert told.refuses
        return
    assert difference(told.wire, [*told.messages], sent.messages) == ""
    assert told.refuses == bool(sent.refused), sent.refused


def test_the_broken_log_is_sent_as_predicted(fixture: Recorded, tmp_path: Path) -> None:
    judge(restored(fixture, tmp_path), fixture.broken)


def test_the_repaired_log_is_sent_as_predicted(fixture: Recorded, tmp_path: Path) -> None:
    """And nothing that the broken log held is missing from it."""
    if fixture.repaired is None:
        pytest.skip("the repair was not right when it was recorded")
    log = restored(fixture, tmp_path)
    repaired = tmp_path / "repaired" / log.name
    repaired.parent.mkdir()
    assert product.repair(log, repaired).code == 0
    judge(repaired, fixture.repaired)
    there = fixture.agent.breaking.results(log)
    assert unkept(fixture.repaired.wire, fixture.repaired.messages, fixture.scenario.real, there) == ""


def test_fixtures_are_small_and_tell_nothing_of_a_machine() -> None:
    texts = {path: path.read_text() for path in (Path(__file__).parent / "recorded").rglob("*") if path.is_file()}
    assert sum(map(len, texts.values())) < 1_500_000
    assert not [path for path, text in texts.items() if "/tmp/" in text or "/root/" in text]
