"""Would this provider accept it? Asked of every profile, for messages of an API and for an agent's log."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.check.strategy_costs import STRATEGY_COSTS, CostLevel, sort_by_cost
from inspector.core.providers.registry import PROFILES
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES
from tests.core.repair.logs import written
from tests.support import product

# Ids as Mistral takes them, so that nothing but the pairing decides.
A, B = "aaaaaaaa1", "aaaaaaaa2"
HISTORIES = {
    "sound": f'u | a{{{A}}} | r({A}=x) | a"ok" | u"next"',
    "unanswered": f'u | a{{{A}}} | u"next"',
    "orphan": f'u | a"ok" | r({A}=x) | a"fine" | u"next"',
    "user behind a result": f'u | a{{{A}}} | r({A}=x) | u"next"',
    "early": f'u | r({A}=x) | a{{{A}}} | u"next"',
    "twice": f'u | a{{{A}}} | r({A}=x,{A}=y) | a | u"next"',
    "id used again": f'u | a{{{A}}} | r({A}=x) | a | u | a{{{A}}} | r({A}=y) | a | u"next"',
    "begins with the assistant": 'a"ok" | u"q"',
    "results in two messages": f'u | a{{{A},{B}}} | r({A}=x) | r({B}=y) | a"ok" | u"next"',
}
# Who refuses an Anthropic request with this history, and by which rule; the others accept it.
REFUSED: dict[str, dict[str, str]] = {
    "sound": {},
    "unanswered": dict.fromkeys(PROFILES.keys() - {"lax"}, "D2"),
    "orphan": dict.fromkeys(PROFILES.keys() - {"lax"}, "R1"),
    "user behind a result": {"mistral": "M10"},
    "early": dict.fromkeys(PROFILES.keys() - {"lax"}, "R2"),
    "twice": dict.fromkeys(PROFILES.keys() - {"lax"}, "R7"),
    "id used again": dict.fromkeys(
        ("anthropic", "anthropic-prefix-bound", "bedrock-converse", "openai-responses", "responses-in-order"), "K1"
    ),
    "begins with the assistant": dict.fromkeys(
        ("anthropic", "anthropic-prefix-bound", "bedrock-converse", "gemini"), "M4"
    ),
    "results in two messages": dict.fromkeys(("bedrock-converse", "gemini"), "R10"),
}


def asked(path: Path, names: str = "all") -> dict[str, Any]:
    answers = product.check(path, "--accepted-by", names).session["accepted_by"]
    assert isinstance(answers, dict)
    return answers


@pytest.mark.parametrize("history", HISTORIES)
def test_every_provider_answers(history: str, tmp_path: Path) -> None:
    answers = asked(written(tmp_path, "anthropic", HISTORIES[history]))
    assert set(answers) == set(PROFILES)
    assert {name: told["rule"] for name, told in answers.items() if told["accepts"] is False} == REFUSED[history]
    assert all(told["accepts"] is True for name, told in answers.items() if name not in REFUSED[history])


@pytest.mark.parametrize("name", sorted(PROFILES.keys() - {"lax"}))
def test_a_refusal_has_a_place_and_the_provider_s_words(name: str, tmp_path: Path) -> None:
    told = asked(written(tmp_path, "claude-code", 'u | a{A} | u"next"'), name)[name]
    if told["rule"] == "K4":
        assert "length of 9" in told["error"]
        return
    assert (told["accepts"], told["rule"], told["place"]["record"], told["place"]["line"]) == (False, "D2", 1, 2)
    assert told["place"]["pointer"] == "/message/content/0"
    assert told["error"] == PROFILES[name].refusal_text("D2", 1, 0, "A")


def test_accepted_is_said_only_when_every_check_has_run(tmp_path: Path) -> None:
    """A large log is judged fast: whether half of a surrogate pair stands in it was not looked at."""
    path = written(tmp_path, "claude-code", 'u"' + "x" * 3_000_000 + '" | a"ok" | u"q"')
    fast, deep = product.check(path, "--accepted-by", "lax"), product.check(path, "--deep", "--accepted-by", "lax")
    skipped = {each["rule"] for each in fast.session["checks_skipped"]}
    expected = (None, ["F7"]) if "F7" in skipped else (True, [])
    told = fast.session["accepted_by"]["lax"]
    assert (told["accepts"], told["not_run"]) == expected
    assert deep.session["accepted_by"]["lax"]["accepts"] is True


def test_a_log_of_no_known_format_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    answer = product.check(path, "--accepted-by", "anthropic")
    if "accepted_by" in answer.session:
        assert answer.session["accepted_by"]["anthropic"]["accepts"] is None


def test_the_text_has_a_line_a_provider(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", HISTORIES["user behind a result"])
    told = CliRunner().invoke(main, ["check", str(path), "--accepted-by", "lax,mistral"]).output
    assert "    lax: accepted\n" in told
    assert "    mistral: rejected because of M10: This user message directly follows a result" in told
    assert "Unexpected role 'user' after role 'tool'" in told


def test_an_unknown_provider_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", HISTORIES["sound"])
    told = CliRunner().invoke(main, ["check", str(path), "--accepted-by", "nobody"])
    assert told.exit_code == 2
    assert "There is no profile nobody" in told.output


# the loss ladder


def test_every_strategy_has_its_place_on_the_ladder() -> None:
    assert set(STRATEGY_COSTS) == set(STRATEGIES)
    assert CostLevel.NOTHING.label == "nothing"
    assert sorted(CostLevel) == list(CostLevel)


def test_the_ladder_runs_from_nothing_to_a_tail() -> None:
    named = ("move", "answer", "invent-call", "keep-as-note", "drop-call", "drop-exchange", "cut-tail")
    assert sort_by_cost(tuple(reversed(named))) == named


@pytest.mark.parametrize("code", RULES)
def test_a_page_lists_the_cheapest_repair_first_with_what_each_provider_answers(code: str) -> None:
    page = CliRunner().invoke(main, ["explain", code], terminal_width=400).output
    rule = RULES[code]
    listed = [line.split()[0] for line in page.partition("Repairs, cheapest first")[2].splitlines()[1:] if line.strip()]
    assert listed == list(sort_by_cost(rule.strategies, code))
    for name, profile in PROFILES.items():
        refuses = any(key.partition(" ")[0] == code for key in profile.refusals)
        assert (f"\n  {name} " in page.partition("How each provider would respond")[2]) == refuses


def test_findings_list_the_cheapest_first_and_say_what_each_costs(tmp_path: Path) -> None:
    (finding,) = product.check(written(tmp_path, "openai", 'u | a"t"{A} | u"next"')).findings
    assert finding["strategies"] == ["answer", "drop-call", "drop-exchange", "cut-tail", "leave"]
    assert list(finding["costs"].values()) == [
        "adds a placeholder", "loses a call", "loses a turn", "loses a tail", "nothing",
    ]  # fmt: skip
