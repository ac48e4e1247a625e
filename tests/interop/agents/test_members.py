"""The cases of `members`, without the real agent."""

from copy import deepcopy
from pathlib import Path

from tests.core.formats.codex import FILE
from tests.interop.agents.members import ITEMS, Case, as_rollout, by_case, cases, is_known
from tests.support import product


def test_the_cases_are_made_of_copies() -> None:
    before = deepcopy(ITEMS)
    assert len(list(cases())) > 200 * len(ITEMS)
    assert before == ITEMS


def test_sound_items_are_healthy_and_sent_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / FILE
    for item in ITEMS:
        path.write_bytes(as_rollout([Case(item)]))
        assert product.check(path).session["verdict"] == "healthy", item
        assert by_case(product.sent(path).report["input"])["0"] == Case(item).numbered(0)


def test_a_disagreement_is_known_by_its_place_and_value() -> None:
    assert is_known('message id "words": predicted was [], sent was []')
    assert not is_known("message id 7: healthy, but skipped")
