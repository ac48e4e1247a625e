"""The real templates judge what the profiles say of them, and the repairs. They are no part of this repository."""

import random

import pytest

from tests.interop.chat_templates.histories import errors, histories, messages, repaired
from tests.interop.chat_templates.rendering import TEMPLATES, path_of, refusal

PAIRS = [(profile, name) for profile, names in TEMPLATES.items() for name in names]
SAMPLE = 60  # `python -m tests.interop.chat_templates` tries all


@pytest.fixture(params=PAIRS, ids=[name for _, name in PAIRS])
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    profile, name = request.param
    if not path_of(name).exists():
        pytest.skip(f"{name} is not in the cache: `python -m tests.interop.chat_templates` fetches the templates")
    return profile, name


def sampled() -> list[str]:
    ordered, odd = list(histories(5)), list(histories(0))
    return random.Random(7).sample(ordered, SAMPLE) + odd[::4]


def test_a_profile_refuses_what_its_template_refuses_and_nothing_else(pair: tuple[str, str]) -> None:
    profile, name = pair
    judged = {each: (refusal(name, messages(each)), errors(profile, messages(each))) for each in sampled()}
    assert {each: row for each, row in judged.items() if (row[0] is None) != (row[1] == ())} == {}
    assert {bool(found) for _, found in judged.values()} == {True, False}


def test_a_template_renders_what_was_repaired_and_sound_histories_stay(pair: tuple[str, str]) -> None:
    profile, name = pair
    for letters in sampled()[::3]:
        mended = repaired(profile, letters)
        assert refusal(name, mended) is None, letters
        if not errors(profile, messages(letters)):
            assert mended == messages(letters)
