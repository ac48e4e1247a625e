"""The schemas take what the APIs' documents show, and refuse what their servers refuse."""

from typing import Any

import pytest

from tests.robustness.fuzz.requests import Unreadable, requests_in, unfolded
from tests.robustness.fuzz.shapes import WIRES
from tests.support.packing import packed

TAKEN: dict[str, list[Any]] = {
    "anthropic-messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}, {"type": "of a newer version"}]},
    ],
    "openai-chat": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "x"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "done"}]},
    ],
    "openai-responses": [
        {"role": "user", "content": "hi"},
        {"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": "done"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": None},
    ],
    "gemini-contents": [
        {"parts": [{"text": "hi", "thoughtSignature": "QUJD"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f"}}]},
    ],
    "bedrock-converse": [
        {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"json": 1}]}}]},
    ],
    "ai-sdk": [
        {"role": "user", "content": [{"type": "file", "data": "aGk=", "mediaType": "text/plain"}]},
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "a",
                    "toolName": "f",
                    "output": {"type": "json", "value": None},
                    "providerOptions": {"app": {}},
                }
            ],
        },
    ],
    "ai-sdk-ui": [
        {"role": "assistant", "parts": [{"type": "reasoning", "text": "so"}, {"type": "tool-f"}]},
        {"role": "user", "content": "hi"},
    ],
}
REFUSED: dict[str, dict[str, Any]] = {
    "anthropic-messages": {
        "content: a text where an object has to be": {"role": "user", "content": ["text"]},
        "content: a number where a text has to be": {"role": "user", "content": 7},
        "role: a word that is none of the known ones": {"role": "robot", "content": "hi"},
        "content: tool_use: no input": {"role": "user", "content": [{"type": "tool_use", "id": "a", "name": "f"}]},
        "a list where an object has to be": [],
    },
    "openai-chat": {
        "assistant: tool_calls: an empty list": {"role": "assistant", "tool_calls": []},
        "assistant: neither content nor calls": {"role": "assistant", "content": None},
        "tool: no content": {"role": "tool", "tool_call_id": "a"},
    },
    "openai-responses": {
        "function_call: arguments: an object where a text has to be": {
            "type": "function_call",
            "call_id": "a",
            "name": "f",
            "arguments": {},
        },
    },
    "gemini-contents": {
        "parts: an empty list": {"parts": []},
        "parts: functionResponse: a text where an object has to be": {"parts": [{"functionResponse": "x"}]},
        "parts: two parts in one": {"parts": [{"text": "x", "functionCall": {"name": "f"}}]},
    },
    "bedrock-converse": {
        "content: a text where a list has to be": {"role": "user", "content": "hi"},
    },
    "ai-sdk": {
        "tool: content: tool-result: output: text: no value": {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "a", "toolName": "f", "output": {"type": "text"}}],
        },
        "user: providerOptions: null where an object has to be": {
            "role": "user",
            "content": "hi",
            "providerOptions": None,
        },
    },
    "ai-sdk-ui": {
        "parts: text: no text": {"role": "user", "parts": [{"type": "text"}]},
        "parts: file: url: null where a text has to be": {"role": "user", "parts": [{"type": "file", "url": None}]},
    },
}


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_documented_is_taken(wire: str) -> None:
    schema, _ = WIRES[wire]
    assert [schema(message) for message in TAKEN[wire]] == [None] * len(TAKEN[wire])


@pytest.mark.parametrize(("wire", "why"), [(wire, why) for wire in WIRES for why in REFUSED[wire]])
def test_what_no_provider_takes_is_refused(wire: str, why: str) -> None:
    schema, _ = WIRES[wire]
    assert schema(REFUSED[wire][why]) == why


@pytest.mark.parametrize(
    "data",
    [
        b'[{"a":1}]',
        b'{"messages":[{"a":1}]}',
        b'{"a":1}\n{"a":2}',
        b'{"messages":[{"a":1}]}\n{"body":{"messages":[]}}',
        packed(b'[{"a":1}]'),
    ],
)
def test_the_first_history_is_found(data: bytes) -> None:
    assert requests_in(data, "messages")[0][:1] == [{"a": 1}]


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b'[{"a":\r\n 1}]', b'[{"a": 1}]'),
        (b'[{"a":\n 1}]\n', b'[{"a": 1}]\n'),
        (b'{"a":\n 1}\n{"b":\n 2}', b'{"a": 1}\n{"b": 2}\n'),
    ],
)
def test_what_a_terminal_broke_is_whole_again(data: bytes, whole: bytes) -> None:
    assert unfolded(data) == whole


def test_lines_that_an_api_answered_are_no_request() -> None:
    with pytest.raises(Unreadable):
        requests_in(b'{"type": "message", "role": "assistant", "content": []}\n{"role": "user"}\n', "messages")


def test_what_is_no_request_is_not_judged() -> None:
    for data in (b"{", b'{"choices":[]}', b"\xff", packed(b"[]")[:-3]):
        with pytest.raises(Unreadable):
            requests_in(data, "messages")
