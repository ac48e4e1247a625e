"""Ids that a repair gives to calls: new, legal, and taken for a copy by no agent."""

import re

import pytest

from inspector.core.formats.base.writer import UsedIds, make_unused_id, make_valid_id

ANTHROPIC = "[a-zA-Z0-9_-]+"


@pytest.mark.parametrize("earlier", ["call_alpha", "toolu_01", "same", "a_2", "call_alpha-2"])
def test_a_new_id_is_no_earlier_id_with_an_underscore_and_digits(earlier: str) -> None:
    taken = UsedIds([earlier])
    ids = [earlier]
    for _ in range(20):
        new = make_unused_id(earlier, taken)
        assert re.fullmatch(ANTHROPIC, new)
        assert not any(re.fullmatch(re.escape(other) + r"_\d+", new) for other in ids)
        ids.append(new)


def test_an_illegal_id_becomes_no_copy_of_an_earlier_one() -> None:
    assert make_valid_id("call_alpha.2", ANTHROPIC, UsedIds(["call_alpha"])) == "call_alpha-2"


def test_without_a_pattern_any_text_is_an_id() -> None:
    taken = UsedIds(["a"])
    assert [make_valid_id("a", "", taken) for _ in range(2)] == ["a-2", "a-3"]


def test_a_legal_id_of_a_certain_length_stays_while_it_is_free() -> None:
    taken = UsedIds()
    first, second = (make_valid_id("abcdefghi", "[a-zA-Z0-9]{9}", taken) for _ in range(2))
    assert first == "abcdefghi"
    assert re.fullmatch("[a-zA-Z0-9]{9}", second)
    assert second != first
