"""The look at a glance that messages in memory get first, against all rules: what it calls sound has no error.

It may miss that a history is sound, and then costs time; it may never miss that one is not.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given

from inspector.core.engine.request_repair import MESSAGE_FORMATS, repair_messages
from inspector.core.engine.request_repair_with_rules import plan_message_repair
from inspector.core.errors import NotVerified
from inspector.core.providers.fast_message_check import passes_fast_check
from inspector.core.providers.registry import PROFILES
from tests.core.formats import bedrock_converse, gemini_contents, openai_responses
from tests.core.rules.each_rule import EACH_RULE
from tests.robustness.properties.histories import damaged, sound
from tests.robustness.properties.profiles import FEW
from tests.support import product
from tests.support.notation import History, NotExpressible, anthropic_messages, openai_messages, parse, show

# The quick check knows nothing of chat templates: their messages are always read whole.
GLANCED = {profile: wire for profile, wire in MESSAGE_FORMATS.items() if profile in PROFILES}

WRITTEN: dict[str, Callable[[History], list[Any]]] = {
    "anthropic-messages": anthropic_messages,
    "openai-chat": openai_messages,
    "openai-responses": openai_responses.items,
    "gemini-contents": gemini_contents.contents,
    "bedrock-converse": bedrock_converse.messages,
}


def written(history: History, profile: str) -> list[Any]:
    """The messages of a history; none where the wire has no place for it."""
    try:
        return WRITTEN[MESSAGE_FORMATS[profile].format](history)
    except (NotExpressible, AssertionError):
        return []


def at_a_glance(messages: list[Any], profile: str) -> bool:
    return passes_fast_check(messages, MESSAGE_FORMATS[profile].read, PROFILES[profile])


@pytest.mark.parametrize("profile", GLANCED)
def test_what_is_sound_at_a_glance_has_nothing_to_mend(profile: str) -> None:
    @example(history=parse("u | a{A} | a{B} | r(A=x) | r(B=y) | a"))
    @given(history=damaged(developer=True, blanks=True, thinking=True) | damaged(developer=True, blanks=True))
    def check(history: History) -> None:
        messages = written(history, profile)
        if at_a_glance(messages, profile):
            planned = plan_message_repair(messages, MESSAGE_FORMATS[profile].format, profile, "canonical")
            assert planned.verified, show(history)
            assert planned.changes_nothing, show(history)
            assert set(planned.chosen.values()) <= {"leave"}, show(history)

    check()


@pytest.mark.parametrize("code", EACH_RULE)
def test_what_a_rule_finds_is_not_sound_at_a_glance(code: str, tmp_path: Path) -> None:
    """Random histories have few shapes; the case of a rule has the one that its provider refuses."""
    path = tmp_path / EACH_RULE[code].file
    path.write_bytes(EACH_RULE[code].data)
    try:
        body = json.loads(EACH_RULE[code].data)
    except ValueError:
        return
    messages = (
        body if isinstance(body, list) else next(filter(None, map(body.get, ("messages", "input", "contents"))), [])
    )
    for profile, wire in GLANCED.items():
        if product.check(path).session["format"] == wire.format and at_a_glance(messages, profile):
            assert product.check(path, profile=profile).errors == set(), profile


@pytest.mark.parametrize("profile", sorted({*GLANCED} - {"mistral"}))
def test_most_sound_histories_are_seen_to_be(profile: str) -> None:
    @FEW
    @given(history=sound())
    def check(history: History) -> None:
        assert at_a_glance(written(history[:-1], profile), profile), show(history)

    check()


@pytest.mark.parametrize("profile", GLANCED)
def test_what_was_mended_is_sound_to_the_rules_and_stays(profile: str) -> None:
    @FEW
    @given(history=damaged(developer=True))
    def check(history: History) -> None:
        messages = written(history, profile)
        try:
            once = repair_messages(messages, profile=profile)
        except NotVerified:
            return
        again = repair_messages(once.messages, profile=profile)
        assert not again.changed, show(history)
        assert all(one is other for one, other in zip(again.messages, once.messages, strict=True))

    check()
