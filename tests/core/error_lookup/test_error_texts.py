"""Error texts as people pasted them: what each says, in whatever shape it is pasted."""

import html
import json
import random
import time

import pytest

from inspector.core.error_lookup.request_bodies import check_request_in_text
from inspector.core.providers.error_parser import (
    ParsedErrorText,
    classify_service_error,
    explain_error,
    parse_error_text,
)
from inspector.core.providers.registry import PROFILES
from inspector.core.rules import RULES
from tests.core.error_lookup.quotations import QUOTATIONS
from tests.core.error_lookup.quotations.quotation import Quotation

ONE_ERROR = (
    "messages.132.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01FfCGddPyWsq3gCLq. Each "
    "`tool_result` block must have a corresponding `tool_use` block in the previous message."
)
BODY = json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": ONE_ERROR}})


def shown(pasted: ParsedErrorText) -> tuple[str, str]:
    ids = " ".join(named.text + ("…" if named.is_truncated else "") for named in pasted.ids)
    places = (f"{s.message}.{s.block}" if s.block >= 0 else str(s.message) for s in pasted.references)
    return ids, " ".join(places)


@pytest.mark.parametrize("quotation", QUOTATIONS, ids=[each.report for each in QUOTATIONS])
def test_text_is_known(quotation: Quotation) -> None:
    pasted = parse_error_text(quotation.text)
    assert pasted.explanation is not None
    assert quotation.rule in pasted.explanation.rules
    assert pasted.explanation.profile == quotation.profile
    assert shown(pasted) == (quotation.ids, quotation.places)
    assert set(quotation.through) <= set(pasted.explanation.servers)
    assert classify_service_error(quotation.text) is None
    assert set(pasted.explanation.rules) <= RULES.keys()


def test_there_are_quotations_for_every_class_that_a_provider_refuses() -> None:
    spoken = {rule for each in QUOTATIONS for rule in (explain_error(each.text) or pytest.fail(each.report)).rules}
    refused = {rule.partition(" ")[0] for profile in PROFILES.values() for rule in profile.refusals}
    assert refused <= spoken


@pytest.mark.parametrize("name", PROFILES)
def test_what_a_profile_would_answer_is_known(name: str) -> None:
    """The texts of the profiles themselves, with their classes; what no wording covers is of the transport."""
    for key, template in PROFILES[name].refusals.items():
        rule, _, case = key.partition(" ")
        if rule == "F7":
            continue
        meaning = explain_error(PROFILES[name].refusal_text(rule, 3, 1, "call_x", case) or "")
        assert meaning is not None, template
        assert rule in meaning.rules, template
        assert PROFILES[meaning.profile].turn_rules == PROFILES[name].turn_rules, template


@pytest.mark.parametrize(
    "pasted",
    [
        BODY,
        BODY.replace('"', '\\"'),
        json.dumps(json.dumps(json.dumps(BODY))),
        f"2026-09-18T17:12:41Z ERROR upstream body={json.dumps(BODY)} retry=3",
        f"\x1b[31m⎿ \x1b[1mAPI Error: 400\x1b[0m {BODY}\x1b]8;;https://x\x07",
        f"\\u001b[31m{BODY}\\u001b[0m",
        html.escape(BODY),
        html.escape(html.escape(BODY)),
        BODY.replace("`", "‘").replace('"', "”"),
        f"我刚才遇到这个报错，会话打不开了：{ONE_ERROR}，请问怎么办？",
        f'Traceback (most recent call last):\n  File "x.py", line 3\nanthropic.BadRequestError: 400 - {BODY}',
        f"Error: 400 {BODY}\n    at APIError.generate (file:///x/error.mjs:37:20)\n    at processTicksAndRejections",
        f"$ curl -s https://api.anthropic.com/v1/messages -d @body.json\n< HTTP/2 400\n{BODY}",
        "\n".join(f"│ {BODY[at : at + 60]} │" for at in range(0, len(BODY), 60)),
        "\n     ".join(BODY[at : at + 37] for at in range(0, len(BODY), 37)),
        ONE_ERROR.replace("`", "\\u0060"),
        ONE_ERROR.replace(" ", "\u00a0"),
    ],
)
def test_the_shape_does_not_matter(pasted: str) -> None:
    found = parse_error_text(pasted)
    assert (found.profile, "R1" in found.rules) == ("anthropic", True)
    assert found.ids[0].matches("toolu_01FfCGddPyWsq3gCLq") or found.ids[-1].matches("toolu_01FfCGddPyWsq3gCLq")
    assert [(spot.message, spot.block) for spot in found.references] == [(132, 0)]


@pytest.mark.parametrize("ending", ["…", "...", "… and more"])
def test_an_id_that_is_cut_off_names_what_begins_so(ending: str) -> None:
    (named,) = parse_error_text(f"No tool output found for function call call_Ab12{ending}").ids
    assert named.matches("call_Ab12xyz")
    assert not named.matches("call_Ab1")


def test_an_id_broken_by_a_terminal_is_put_together() -> None:
    names = {
        named.text for named in parse_error_text("immediately after: toolu_01KKMxh6V7Kx6g5tZ\n     bQBfQ9b. Each").ids
    }
    assert "toolu_01KKMxh6V7Kx6g5tZbQBfQ9b" in names


def test_other_texts_are_not_known() -> None:
    assert explain_error("529 overloaded_error") is None
    assert classify_service_error("529 overloaded_error") is not None
    assert explain_error("prompt is too long: 210000 tokens > 200000 maximum") is None


def test_anything_can_be_pasted() -> None:
    """Pieces of known texts and of noise in any order: read, never refused."""
    rng = random.Random(7)
    noise = [
        "\0",
        "\x1b[",
        "\udcff",
        "{" * 50,
        '\\"' * 30,
        "messages.",
        "[99999999999999999999]",
        "…",
        "&#x;",
        "\n",
        "'\\''",
    ]
    pieces = [*noise, *(each.text for each in QUOTATIONS)]
    for _ in range(300):
        text = "".join(rng.choice(pieces)[: rng.randrange(1, 200)] for _ in range(rng.randrange(8)))
        assert parse_error_text(text).text == text


def test_a_huge_text_is_looked_at_from_both_ends() -> None:
    assert parse_error_text("x " * 1_000_000 + BODY).profile == "anthropic"
    assert parse_error_text(BODY + " x" * 1_000_000).profile == "anthropic"


ENDLESS = {
    "one word": "toolu_" + "a" * 300_000,
    "a path": "messages." + "1.content." * 30_000,
    "words": "messages." * 30_000,
    "broken ids": "toolu_\n" * 40_000,
    "backslashes": "\\" * 300_000 + '"messages":[{',
    "calls": "No tool output found for function call " * 8_000,
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_a_huge_text_is_read_in_a_breath(text: str) -> None:
    start = time.process_time()
    parse_error_text(text)
    assert check_request_in_text(text) is None
    assert time.process_time() - start < 10


@pytest.mark.parametrize("number", ["9" * 10, "9" * 5000])
@pytest.mark.parametrize("text", ["messages.{}: `tool_use` ids", "message index {}", "messages.1.content.{}", "第{}条"])
def test_a_number_that_counts_no_message_is_no_place(text: str, number: str) -> None:
    assert all(spot.message < 2 and spot.block < 0 for spot in parse_error_text(text.format(number)).references)
