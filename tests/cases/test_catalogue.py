"""Every case of the table, in every format that can express it: diagnosis, repairs, losses, idempotence."""

from pathlib import Path

import pytest

from tests import product
from tests.cases.logs import refused, repaired, written
from tests.cases.table import CASES, REFUSED, SAME, Case, Outcome
from tests.notation import parse
from tests.projection import as_read, notes_in, printed, read, texts

DIAGNOSES = [pytest.param(case, name, id=f"{case.id}-{name}") for case in CASES for name in case.formats]
REPAIRS = [
    pytest.param(case, name, strategies, outcome, id=f"{case.id}-{name}-{strategies or 'default'}")
    for case in CASES
    for name in case.formats
    for strategies, outcome in case.expected(name).items()
]


@pytest.mark.parametrize(("case", "name"), DIAGNOSES)
def test_diagnosis(case: Case, name: str, tmp_path: Path) -> None:
    answer = product.check(written(tmp_path, name, case.history))
    expected = case.expected_findings(name)
    needed = {finding for finding in expected if finding[0] != "("}
    allowed = needed | {finding.strip("()") for finding in expected}
    assert needed <= answer.errors <= allowed
    assert answer.session["verdict"] == ("broken" if needed else "healthy")
    assert answer.code == (1 if needed else 0)


@pytest.mark.parametrize(("case", "name", "strategies", "outcome"), REPAIRS)
def test_repair(case: Case, name: str, strategies: str, outcome: Outcome, tmp_path: Path) -> None:
    path = written(tmp_path, name, case.history)
    if outcome.history == REFUSED:
        refused(path, strategies=strategies)
        return
    data, answer = repaired(path, name, strategies=strategies)
    if outcome.history == SAME:
        assert data == path.read_bytes()
        return
    assert printed(data, name, notes_in(outcome.history)) == as_read(outcome.history, name)
    assert [word for word in outcome.loses if word not in answer.lost_text] == []
    if not strategies and "note(" not in outcome.history:
        assert [loss for loss in answer.losses if loss["kind"] != "call"] == []
    kept = " ".join(texts(read(data, name)))
    assert [text for text in texts(parse(case.history)) if text not in kept and text not in answer.lost_text] == []


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code", "neovate"])
@pytest.mark.parametrize("preset", ["canonical", "clean", "claude-code", "deepagents", "neovate", "neovate-safe"])
def test_no_preset_changes_a_sound_history(name: str, preset: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a"t"{A,B} | r(B=beta,A=alpha) | a"ok"')
    assert repaired(path, name, preset=preset)[0] == path.read_bytes()
