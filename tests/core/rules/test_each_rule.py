"""No rule is without a case, without a place on the ladder of costs, or without words for those who refuse it."""

import string
from pathlib import Path

import pytest

from inspector.core.check.strategy_costs import STRATEGY_COSTS
from inspector.core.formats import FORMATS
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.providers.registry import PROFILES
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.repair.strategy_functions import STRATEGY_FUNCTIONS
from inspector.core.rules import RULES
from tests.core.rules.each_rule import EACH_RULE, FINDS_NOTHING, Example
from tests.support import product
from tests.support.product import Answer

TOKENS = {"message", "after", "block", "id"}


def judged(example: Example, folder: Path) -> Answer:
    return product.check(example.written(folder), "--deep", profile=example.profile)


def test_every_rule_has_a_case() -> None:
    assert EACH_RULE.keys() | FINDS_NOTHING.keys() == RULES.keys()


@pytest.mark.parametrize("code", EACH_RULE)
def test_the_rule_finds_something_in_its_case(code: str, tmp_path: Path) -> None:
    assert code in judged(EACH_RULE[code], tmp_path).rules


@pytest.mark.parametrize("code", FINDS_NOTHING)
def test_what_only_looks_broken_is_not(code: str, tmp_path: Path) -> None:
    answer = judged(FINDS_NOTHING[code], tmp_path)
    assert (answer.session["verdict"], code in answer.rules) == ("healthy", False)


@pytest.mark.parametrize("code", EACH_RULE)
def test_whoever_refuses_what_is_found_says_so_in_words(code: str, tmp_path: Path) -> None:
    """An error is one because a provider refuses it, or because the agent loses records over it."""
    answer = judged(EACH_RULE[code], tmp_path)
    loses = RULES[code].loses_records or code in agent_of(FORMATS[answer.session["format"]]).lossy_rules
    for found in answer.findings:
        if found["rule"] == code and found["severity"] != "info":
            assert found["refused_by"] or loses
            assert all(found["refused_by"].values())


@pytest.mark.parametrize("code", RULES)
def test_every_repair_stands_on_the_ladder_of_costs(code: str) -> None:
    assert set(RULES[code].strategies) <= STRATEGY_COSTS.keys() & STRATEGIES.keys()


@pytest.mark.parametrize("code", RULES)
def test_what_can_be_repaired_has_a_place_in_the_order(code: str) -> None:
    rule = RULES[code]
    assert (rule.stage is None) == (rule.strategies == ("leave",))


@pytest.mark.parametrize("code", RULES)
def test_every_repair_is_known_how_to_do(code: str) -> None:
    assert {*RULES[code].repairs} - {"leave"} <= STRATEGY_FUNCTIONS.keys()


def test_every_deed_is_that_of_a_strategy_or_of_a_rule() -> None:
    assert STRATEGY_FUNCTIONS.keys() <= {*STRATEGIES, *(repair for rule in RULES.values() for repair in rule.repairs)}


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_refuses_rules_that_there_are_in_words_that_can_be_filled_in(name: str) -> None:
    for key, text in PROFILES[name].refusals.items():
        assert key.partition(" ")[0] in RULES
        assert text.strip()
        assert {field for _, field, _, _ in string.Formatter().parse(text) if field is not None} <= TOKENS
    assert PROFILES[name].disputed_rules <= RULES.keys()
