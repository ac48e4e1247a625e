"""Ids that a repair gives to calls: new, legal, and taken for a copy by no agent."""

import re

import pytest

from inspector.core.formats.base.writer import UsedIds, unused_id, valid_id

ANTHROPIC = "[a-zA-Z0-9_-]+"


@pytest.mark.parametrize("earlier", ["call_alpha", "toolu_01", "same", "a_2", "call_alpha-2"])
def test_a_new_id_is_no_earlier_id_with_an_underscore_and_digits(earlier: str) -> None:
    taken = UsedIds([earlier])
    ids = [earlier]
    for _ in range(20):
        new = unused_id(earlier, taken)
        assert re.fullmatch(ANTHROPIC, new)
        assert not any(re.fullmatch(re.escape(other) + r"_\d+", new) for other in ids)
        ids.append(new)


def test_an_illegal_id_becomes_no_copy_of_an_earlier_one() -> None:
    assert valid_id("call_alpha.2", ANTHROPIC, UsedIds(["call_alpha"])) == "call_alpha-2"
