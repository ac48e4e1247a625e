"""A failing log is made smaller, and fails in the same way."""

from pathlib import Path

import pytest

from inspector.core.check import check as checking
from tests.robustness.fuzz import workers
from tests.robustness.fuzz.groups import Groups, fails_in
from tests.robustness.fuzz.seeds import SeedLog
from tests.robustness.fuzz.smaller import fewest, smaller
from tests.robustness.fuzz.trial import Trial
from tests.support.notation import claude_code, openai, parse

HISTORY = parse('u"a question" | a"I look."{A p=1,B p=2} | r(A="the needle",B="and another") | a"an answer"')


def of(data: bytes, name: str) -> Trial:
    return Trial("made", SeedLog("made", {name: data}, name), {name: data}, name, ())


@pytest.mark.parametrize("data", [claude_code(HISTORY), openai(HISTORY)], ids=["lines", "document"])
def test_only_what_fails_is_left(data: bytes) -> None:
    found = smaller(of(data, "log"), lambda tried: b"needle" in tried.files["log"] and b'"role"' in tried.files["log"])
    assert sorted(found.files["log"]) == sorted(b'needle"role"')


def test_damage_that_is_no_json_is_made_smaller_too() -> None:
    found = smaller(of(claude_code(HISTORY)[:-40] + b"\x00\xff{", "log"), lambda tried: b"\xff{" in tried.files["log"])
    assert found.files["log"] == b"\xff{"


def test_the_tries_are_bounded() -> None:
    asked: list[Trial] = []

    def never(tried: Trial) -> bool:
        asked.append(tried)
        return False

    smaller(of(claude_code(HISTORY), "log"), never, tries=10)
    assert len(asked) <= 10


def test_halves_then_quarters_then_single_ones() -> None:
    assert fewest([*range(20)], lambda items: {3, 17} <= {*items}) == [3, 17]


def test_a_group_keeps_its_count_and_its_smallest_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = Groups(seed=0)
    monkeypatch.setattr(checking, "resume_outcome", lambda *_: 1 // 0)
    found = [(done.number, done.size, done.failures) for done in (workers.carried_out(0, n) for n in range(4))]
    new = [failure for each in found for failure in groups.add(*each)]
    assert {failure.kind for failure in new} == {"no_fault_of_its_own"}
    (failure,) = new
    assert groups.found[failure.group].count == sum(bool(each[2]) for each in found)
    groups.write(tmp_path, tries=30)
    (folder,) = (tmp_path / "no_fault_of_its_own").iterdir()
    assert "python -m tests.robustness.fuzz --seed 0 --trial" in (folder / "seen.txt").read_text()
    assert {path.name for path in folder.iterdir()} == {"log", "smaller", "seen.txt"}


def test_the_way_of_a_failure_is_its_kind_and_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "resume_outcome", lambda *_: 1 // 0)
    broken = of(openai(HISTORY), "log.json")
    assert fails_in("no_fault_of_its_own", "ZeroDivisionError in test_smaller.py, <lambda>")(broken) is False
    assert fails_in("no_fault_of_its_own", "ZeroDivisionError in check.py, outcome_as_read")(broken) is True
