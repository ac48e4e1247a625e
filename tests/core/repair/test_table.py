"""Every case of the table, in every format that can express it: diagnosis, repairs, losses, idempotence."""

import re
from collections import Counter
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import pytest

from tests.core.formats import WRITABLE
from tests.core.repair.every_format import (
    as_loaded,
    contents,
    lost_falsely,
    lost_silently,
    refused,
    repaired,
    shown,
    without_flags,
    write,
)
from tests.core.repair.table import CASES, REFUSED, SAME, Case, Outcome
from tests.support import product
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, parse
from tests.support.projection import notes_in
from tests.support.thorough import every, one_of

EXPRESSED = [(case, name) for case in CASES for name, written in WRITABLE.items() if not case.cannot(written)]
NOT_EXPRESSED = [(case, name) for case in CASES for name, written in WRITABLE.items() if case.cannot(written)]


SHARE = 11  # pytest alone tries every eleventh combination of case and format: each case in some formats


DIAGNOSES = [
    pytest.param(case, name, id=f"{case.id}-{name}", marks=one_of(SHARE, number))
    for number, (case, name) in enumerate(EXPRESSED)
]
EXPECTED = [
    (case, name, strategies, outcome)
    for case, name in EXPRESSED
    for strategies, outcome in case.expected(WRITABLE[name]).items()
]
REPAIRS = [
    pytest.param(*each, id=f"{each[0].id}-{each[1]}-{each[2] or 'default'}", marks=one_of(SHARE, number))
    for number, each in enumerate(EXPECTED)
]
CHANGING = [
    pytest.param(*each, id=f"{each[0].id}-{each[1]}-{each[2] or 'default'}", marks=one_of(SHARE, number))
    for number, each in enumerate(each for each in EXPECTED if each[3].history != SAME)
]


CALLS_AFTER_USERS = ("gemini-contents", "google-adk", "google-adk-database")


def in_a_row(name: str, history: History) -> set[str]:
    """What the notation's neighbouring turns of one role are to a provider that takes them as they stand."""
    found = set()
    for before, after in pairwise(history):
        if before.role != after.role:
            continue
        if after.role == "user" and name == "bedrock-converse":
            found.add("M3")
        elif after.role == "assistant" and (
            name == "bedrock-converse" or (name in CALLS_AFTER_USERS and after.of(Call))
        ):
            found.add("M2")
    return found


@pytest.mark.parametrize(("case", "name"), DIAGNOSES)
def test_diagnosis(case: Case, name: str, tmp_path: Path) -> None:
    answer = product.check(write(WRITABLE[name], parse(case.history), tmp_path / "log"), profile=case.profile)
    expected = case.expected_findings(WRITABLE[name])
    needed = {finding for finding in expected if finding[0] != "("} | in_a_row(name, parse(case.history))
    allowed = needed | {finding.strip("()") for finding in expected}
    assert needed <= answer.errors <= allowed
    assert answer.session["verdict"] == (answer.worst if needed else "healthy")
    assert answer.code == (1 if needed else 0)


@pytest.mark.parametrize(("case", "name", "strategies", "outcome"), REPAIRS)
def test_repair(case: Case, name: str, strategies: str, outcome: Outcome, tmp_path: Path) -> None:
    written = WRITABLE[name]
    path = write(written, parse(case.history), tmp_path / "log")
    if outcome.history == REFUSED:
        refused(path, strategies=strategies)
        return
    repair = repaired(written, path, strategies=strategies, profile=case.profile)
    if outcome.history == SAME and not in_a_row(name, parse(case.history)):
        assert contents(repair.out) == contents(path)
        return
    text = case.history if outcome.history == SAME else outcome.history
    assert shown(repair.history, notes_in(text)) == as_loaded(written, text, tmp_path / "expected")
    assert [word for word in outcome.loses if word not in repair.answer.lost_text] == []
    assert lost_silently(parse(case.history), repair) == []
    assert lost_falsely(repair) == []
    if not outcome.loses:
        assert {loss["kind"] for loss in repair.answer.losses if loss["text"]} <= {"call"}


def with_inputs_apart(history: History) -> History:
    """The same history, with an input of its own for each call that has none: their losses can be told apart."""
    numbers = count()

    def apart(part: Part) -> Part:
        return replace(part, input={"number": next(numbers)}) if isinstance(part, Call) and part.input == {} else part

    return [replace(turn, parts=tuple(map(apart, turn.parts))) for turn in history]


@pytest.mark.parametrize(("case", "name", "strategies", "outcome"), CHANGING)
def test_no_loss_is_reported_twice(case: Case, name: str, strategies: str, outcome: Outcome, tmp_path: Path) -> None:
    path = write(WRITABLE[name], with_inputs_apart(parse(case.history)), tmp_path / "log")
    answer = product.repair(path, None, "--dry-run", strategies=strategies, profile=case.profile)
    losses = Counter((loss["record"], loss["kind"], loss["text"]) for loss in answer.losses)
    assert [loss for loss, times in losses.items() if times > 1] == []
    assert answer.losses or not outcome.loses


@pytest.mark.parametrize(("case", "name"), NOT_EXPRESSED, ids=[f"{case.id}-{name}" for case, name in NOT_EXPRESSED])
def test_what_a_format_cannot_express_it_really_cannot(case: Case, name: str, tmp_path: Path) -> None:
    if not case.only:
        assert not is_read_as_told(case, read_by_agent(case, name, tmp_path))


@pytest.mark.parametrize(("case", "name"), DIAGNOSES)
def test_what_a_format_expresses_is_what_its_agent_reads(case: Case, name: str, tmp_path: Path) -> None:
    loaded = read_by_agent(case, name, tmp_path)
    passed_over = any(turn.of(Odd) for turn in loaded)  # the reader says what it does not take
    assert case.only or passed_over or is_read_as_told(case, loaded)


def read_by_agent(case: Case, name: str, folder: Path) -> History:
    try:
        return WRITABLE[name].load(write(WRITABLE[name], parse(case.history), folder / "log"))
    except NotExpressible:
        return []


def is_read_as_told(case: Case, loaded: History) -> bool:
    return shown(without_flags(loaded)) == shown(without_flags(parse(case.history)))


@pytest.mark.parametrize("name", every(3, WRITABLE))
@pytest.mark.parametrize("preset", ["canonical", "clean", "claude-code", "deepagents", "neovate", "neovate-safe"])
def test_no_preset_changes_a_sound_history(name: str, preset: str, tmp_path: Path) -> None:
    path = write(WRITABLE[name], parse('u | a"t"{A,B} | r(A=alpha,B=beta) | a"ok"'), tmp_path / "log")
    assert contents(repaired(WRITABLE[name], path, preset=preset).out) == contents(path)


def test_every_case_of_the_catalogue_is_somewhere(root: Path) -> None:
    """In the table, or in a test that names it: bytes, trees and trims are no matter of the notation."""
    tests = "".join(path.read_text("utf-8") for path in (root / "tests").rglob("test_*.py"))
    named = {int(number) for number in re.findall(r"def test_t(\d\d)_", tests)}
    named |= {int(case.id[1:3]) for case in CASES}
    assert named == {*range(1, max(named) + 1)}


@pytest.mark.parametrize("name", WRITABLE)
def test_every_result_of_the_table_is_read_as_one(name: str, tmp_path: Path) -> None:
    """The reader of a format tells calls from results: the cases would prove nothing otherwise."""
    loaded = WRITABLE[name].load(write(WRITABLE[name], parse("u | a{A} | r(A=alpha)"), tmp_path / "log"))
    assert [part.id for turn in loaded for part in turn.of(Call) + turn.of(Result)] == ["A", "A"]
