"""A chosen strategy that fits no finding is reported, as a sentence and as a field."""

from pathlib import Path

from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.repair.choices import Choices
from tests.core.formats import WRITABLE
from tests.core.repair.every_format import write
from tests.core.repair.logs import written
from tests.support import product
from tests.support.notation import parse

OPEN = 'u | a{A} | u"go on" | a'


def told(path: Path, *options: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = product.repair(path, None, "--dry-run", *options).report["unmet"]
    text = CliRunner().invoke(main, ["repair", str(path), "--dry-run", *options], catch_exceptions=False).output
    assert all(f"  {each['sentence']}" in text.splitlines() for each in found)
    return found


def test_a_rule_that_is_not_found_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", OPEN)
    assert told(path) == []
    assert told(path, "--strategy", "D2=drop-call") == []
    (unmet,) = told(path, "--strategy", "D1=drop-call", "--strategy", "D2=drop-call")
    assert (unmet["strategy"], unmet["session"]) == ("D1=drop-call", "")
    assert unmet["sentence"] == (
        "The choice D1=drop-call has no effect, because there are no D1 (interrupted-call) findings in this log."
    )


def test_there_may_be_nothing_to_repair_at_all(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u | a{A} | r(A=x) | a"ok"')
    assert [each["strategy"] for each in told(path, "--undo-placeholders")] == ["R13=undo-placeholder"]


def test_what_a_repair_only_brings_about_is_met(tmp_path: Path) -> None:
    """The call is unanswered only once its placeholder is gone."""
    path = written(tmp_path, "anthropic", "u | a{A} | r(A=aborted) | u | a")
    assert told(path, "--undo-placeholders", "--strategy", "D2=drop-call") == []


def test_a_choice_for_one_session_is_told_of_that_session(tmp_path: Path) -> None:
    path = write(WRITABLE["openai-chat"], parse(OPEN), tmp_path / "log")
    (unmet,) = told(path, "--session", "0:R1=drop", "--session", "0:D2=drop-call")
    assert (unmet["strategy"], unmet["session"]) == ("R1=drop", "0")
    assert "in session 0." in unmet["sentence"]


def test_a_strategy_that_does_not_fit_is_told_with_what_is_done_instead(tmp_path: Path) -> None:
    path = write(WRITABLE["kimi-code"], parse('u | a"ok" | r(Z=zeta) | a"fine"'), tmp_path / "log")
    (unmet,) = told(path, "--strategy", "R1=invent-call")
    assert unmet["sentence"] == "R1=invent-call cannot be applied to 1 finding of R1: keep-as-note is used instead."
    open_call = written(tmp_path, "anthropic", OPEN)
    (unmet,) = told(open_call, "--strategy", "D2=adopt")
    assert unmet["sentence"] == "D2=adopt cannot be applied to 1 finding of D2: answer is used instead."


def test_the_window_is_told_the_same(tmp_path: Path) -> None:
    engine = WindowEngine()
    engine.open(str(written(tmp_path, "anthropic", OPEN)))
    (sentence,) = engine.preview(Choices(rules={"R1": "drop"})).unmet
    assert sentence.startswith("The choice R1=drop has no effect, because there are no R1 (orphan-result) findings in")
    (sentence,) = engine.preview(Choices(findings={"D2:1:gone:0": "drop-call"})).unmet
    assert sentence.startswith("drop-call has no effect, because this log has no D2 (unanswered-call) finding")
    engine.close()
