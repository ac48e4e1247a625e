"""Every format, broken in every way that can occur in it: found, repaired, and loaded by the agent's own reader."""

import shutil
from pathlib import Path

import pytest

from tests.core.formats import FORMATS
from tests.core.formats.written import IN_ORDER, WrittenFormat, tear_file
from tests.support import product
from tests.support.notation import PLACEHOLDER_START, Call, History, Result, Text, parse

HEALTHY = 'u"hello" | a"t"{A p=1} | r(A=alpha) | a"ok" | u"more" | a{B p=2} | r(B=beta) | a"done"'
BROKEN = {
    "D1": 'u"hello" | a"t"{A p=1}',
    "D2": 'u"hello" | a"t"{A p=1} | u"stop" | a"ok"',
    "D3": 'u"hello" | a{A p=1,B p=2} | r(A=alpha) | a"ok"',
    "R1": 'u"hello" | a"mm" | r(X=lost) | a"ok"',
    "R3": 'u"hello" | a{A p=1} | u"hi" | r(A=alpha) | a"ok"',
    "R5": 'u"hello" | a{A p=1} | r(A=alpha),r(A=alpha) | a"ok"',
    "F1": HEALTHY,
}
# What a repair of another class may be called in a format that tells it more precisely.
ALSO = {"D1": {"D6"}, "R3": {"R4", "R9", "G5"}, "R1": {"R12", "C2"}, "R5": {"R6", "R7"}, "F1": {"F6"}}

REPAIRED = {name: each for name, each in FORMATS.items() if each.written_back}
CASES = [(name, code) for name, each in REPAIRED.items() for code in BROKEN if code not in each.cannot]


def texts(history: History) -> set[str]:
    """The words that were really said or returned."""
    said = [part.text for turn in history for part in turn.parts if isinstance(part, Text | Result)]
    return {text for text in said if not text.startswith(PLACEHOLDER_START)}


def assert_kept(before: set[str], after: History) -> None:
    everything = "\n".join(texts(after))
    assert [text for text in before if text not in everything] == []


@pytest.mark.parametrize("name", REPAIRED)
def test_healthy_comes_back_as_it_is(name: str, tmp_path: Path) -> None:
    written = FORMATS[name]
    log = written.write(parse(HEALTHY), tmp_path)
    assert (product.check(log).session["format"], product.check(log).session["verdict"]) == (name, "healthy")
    assert written.judge(written.load(log)) is None
    out = tmp_path / "out" / log.name
    out.parent.mkdir()
    assert product.repair(log, out).code == 0
    assert contents(out) == contents(log)


@pytest.mark.parametrize(("name", "code"), CASES)
def test_broken_is_found_repaired_and_loads(name: str, code: str, tmp_path: Path) -> None:
    written = FORMATS[name]
    history = parse(BROKEN[code])
    log = written.write(history, tmp_path)
    if code == "F1":
        (written.tear or tear_file)(log)
    profile = IN_ORDER if code == "R3" and written.in_order else ""  # OpenAI finds an output by its id
    answer = product.check(log, profile=profile)
    assert answer.rules & {code, *ALSO.get(code, ())}, answer.findings
    assert answer.session["verdict"] == answer.worst
    out = tmp_path / "out" / log.name
    out.parent.mkdir()
    repaired = product.repair(log, out, profile=profile)
    assert repaired.code == 0, repaired.report.get("reason")
    loaded = written.load(out)
    assert written.judge(loaded) is None
    if code != "F1":
        assert_kept(texts(history), loaded)
        assert {call.id for call in calls(loaded)} == {call.id for call in calls(history)}
    assert product.check(out).session["verdict"] in ("healthy", "waiting")
    assert_settled(written, out, tmp_path)


def assert_settled(written: WrittenFormat, log: Path, tmp_path: Path) -> None:
    """A second repair has nothing to do."""
    again = tmp_path / "again" / log.name
    again.parent.mkdir()
    assert product.repair(log, again).code == 0
    assert contents(again) == contents(log)
    shutil.rmtree(again.parent)


def calls(history: History) -> list[Call]:
    return [call for turn in history for call in turn.of(Call)]


def contents(path: Path) -> dict[str, bytes]:
    """The bytes of a file, or of every file of a folder."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path)): file.read_bytes() for file in files}
