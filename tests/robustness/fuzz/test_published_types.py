"""The table of published types is that of the SDKs, and its check says what JSON Schema says."""

from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.interop.third_party.environments import STAMP
from tests.robustness.fuzz import published_types
from tests.robustness.fuzz.mutations.picking import Unfit
from tests.robustness.fuzz.mutations.published import TABLE, Maker
from tests.robustness.fuzz.published_requests import EXCEPTIONS, PROVIDER_OF_FORMAT, violation
from tests.robustness.fuzz.published_types import PROVIDERS, SDKS, published, violations
from tests.robustness.fuzz.shapes import WIRES
from tests.robustness.fuzz.tree import Tree

BREAKING = ("without_a_required_member", "another_type", "outside_the_enumeration")


def validator(provider: str) -> Draft202012Validator:
    known = published()[provider]
    return Draft202012Validator({**known.message, "$defs": known.types})


def made(provider: str, number: int) -> Any:
    known = published()[provider]
    return Maker(Random(number), Tree([{"id": "call_1"}], is_lines=True), known).make(known.message)


def holds_null(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(holds_null, inner))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_made_of_the_types_has_the_types(provider: str) -> None:
    known = validator(provider)
    messages = [made(provider, number) for number in range(200)]
    assert [violations(provider, message) for message in messages] == [[]] * 200
    assert all(map(known.is_valid, messages))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_check_agrees_with_json_schema(provider: str) -> None:
    """On broken messages; the SDKs write a member that is not set as null, which the check takes for none."""
    known, seen = validator(provider), set()
    for number in range(1200):
        tree = Tree([made(provider, number)], is_lines=True)
        try:
            TABLE[BREAKING[number % 3]](Random(number), tree)
        except Unfit:
            continue
        if holds_null(tree.values[0]):
            continue
        is_valid = known.is_valid(tree.values[0])
        assert (violations(provider, tree.values[0]) == []) == is_valid, tree.values[0]
        seen.add(is_valid)
    assert False in seen


@pytest.mark.parametrize(
    ("provider", "message", "said"),
    [
        (
            "anthropic",
            {"role": "user", "content": [{"type": "search_result", "source": "s", "content": []}]},
            "SearchResultBlock.title: missing",
        ),
        (
            "anthropic",
            {"role": "user", "content": [{"type": "robot"}]},
            "UserMessage.content: an object of an unknown type: 'robot'",
        ),
        ("openai-chat", {"role": "tool", "content": "x"}, "ChatCompletionToolMessage.tool_call_id: missing"),
        (
            "openai-responses",
            {"type": "function_call", "call_id": "A", "name": "f", "arguments": {}},
            "ResponseFunctionToolCall.arguments: object, which is of no known type",
        ),
        (
            "gemini",
            {"parts": [{"function_call": {"args": "x"}}]},
            "FunctionCall.args: string, which is of no known type",
        ),
    ],
)
def test_what_is_wrong_is_named(provider: str, message: Any, said: str) -> None:
    assert violation(provider, [message]) == f"published types: {said}"


def test_what_is_not_asked_for_has_a_reason() -> None:
    assert {name for name, _, _ in EXCEPTIONS} <= {*PROVIDERS}
    assert all(why for _, _, why in EXCEPTIONS)
    answer = {"role": "assistant", "content": [{"type": "output_text", "text": "as Codex sends it"}]}
    assert violation("openai-responses", [answer]) is None
    answer["content"] = [{"type": "output_text", "text": 7}]
    assert violation("openai-responses", [answer]) == (
        "published types: ResponseOutputText.text: integer, which is of no known type"
    )


@pytest.mark.parametrize(
    "item", [{"type": "messag'; id", "content": [7]}, {"type": "robot", "role": {}}, {"type": "robot", "role": "user"}]
)
def test_items_of_unknown_types_are_not_asked_for(item: Any) -> None:
    assert violation("openai-responses", [item]) is None


def test_an_object_is_meant_for_the_type_that_has_its_members() -> None:
    content = [{"type": "input_text", "text": "u"}, {"type": "output_text", "text": "as in an answer"}]
    assert violation("openai-responses", [{"role": "user", "content": content}]) is None


def test_every_format_of_an_api_has_published_types() -> None:
    unpublished = {"bedrock-converse", "ai-sdk", "ai-sdk-ui"}  # no SDK for Python publishes their types
    assert PROVIDER_OF_FORMAT.keys() == WIRES.keys() - unpublished
    assert {*PROVIDER_OF_FORMAT.values()} == {*PROVIDERS}


@pytest.mark.skipif(
    not (SDKS.folder / STAMP).exists(),
    reason="the SDKs are not installed: python -m tests.robustness.fuzz.published_types installs them",
)
def test_the_file_is_that_of_the_sdks() -> None:
    assert published_types.as_published() == published_types.FILE.read_text(encoding="utf-8")
