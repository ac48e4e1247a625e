"""`repair_messages` with what SDKs return, alone and mixed with dicts, and the messages that its edits name."""

import json
from typing import Any

import anthropic.types
import openai.types.chat
import openai.types.responses
import pytest

import inspector
from inspector.core.repair.presets import PRESETS
from tests.support.notation import anthropic_messages, openai_messages, parse

ASK = {"role": "user", "content": "List the files."}
GO_ON = {"role": "user", "content": "Go on."}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.txt"}]}
ANSWER = anthropic.types.Message.model_validate(
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [
            {"type": "text", "text": "I list them."},
            {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls", "timeout": None}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 9},
    }
)
TURN = {"role": "assistant", "content": ANSWER.content}
CHAT_ANSWER = openai.types.chat.ChatCompletionMessage.model_validate(
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    }
)
CALL_ITEM = openai.types.responses.ResponseFunctionToolCall.model_validate(
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "ls", "arguments": "{}"}
)


def outcome(messages: list[Any], profile: str = "anthropic") -> list[str]:
    """A line for each message of the result, and one for each edit."""
    repaired = inspector.repair_messages(messages, profile)
    lines = []
    for message in repaired.messages:
        known = next((f"same {at}" for at, each in enumerate(messages) if each is message), "")
        lines.append(known or json.dumps(message))
    lines += [f"{edit.action} {edit.record} -> {edit.message}: {edit.reason}" for edit in repaired.edits]
    return lines


def test_a_turn_of_the_sdk_without_a_result_is_answered() -> None:
    same, placed, after = outcome([ASK, TURN, GO_ON])[1:4]
    assert (same, after) == ("same 1", "same 2")
    assert json.loads(placed)["content"][0]["tool_use_id"] == "toolu_1"
    assert outcome([ASK, TURN, GO_ON])[4:] == ["insert None -> 2: a placeholder states that no result was recorded"]


def test_a_sound_history_of_the_sdk_comes_back_as_it_is() -> None:
    assert outcome([ASK, TURN, RESULT]) == ["same 0", "same 1", "same 2"]


def test_a_whole_answer_of_the_sdk_may_stand_for_its_message() -> None:
    assert outcome([ASK, ANSWER, GO_ON])[1] == "same 1"


def test_a_message_of_openai_is_answered() -> None:
    lines = outcome([ASK, CHAT_ANSWER, GO_ON], "openai-chat")
    assert lines[:2] == ["same 0", "same 1"]
    assert json.loads(lines[2])["tool_call_id"] == "call_1"
    assert lines[3:] == ["same 2", "insert None -> 2: a placeholder states that no result was recorded"]


def test_an_item_of_openai_is_answered() -> None:
    lines = outcome([ASK, CALL_ITEM, GO_ON], "openai-responses")
    assert lines[1] == "same 1"
    assert json.loads(lines[2])["call_id"] == "call_1"


def test_a_message_of_the_sdk_that_is_changed_is_a_dict_without_what_is_none() -> None:
    block = anthropic.types.ToolUseBlock(type="tool_use", id="bad id", name="Bash", input={"timeout": None})
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "bad id", "content": "x"}]}
    repaired = inspector.repair_messages([ASK, {"role": "assistant", "content": [block]}, result])
    (changed,) = repaired.messages[1]["content"]
    assert changed == {"type": "tool_use", "id": changed["id"], "name": "Bash", "input": {"timeout": None}}
    assert " " not in changed["id"]
    assert block.id == "bad id"
    assert [(edit.record, edit.message) for edit in repaired.edits] == [(1, 1), (2, 2)]


class StandIn:
    """An object of some other SDK."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return self.fields


def test_whatever_can_be_dumped_is_a_message() -> None:
    assert outcome([StandIn(**ASK), StandIn(role="assistant", content="ok")]) == ["same 0", "same 1"]


def test_what_cannot_be_dumped_is_refused_by_its_index() -> None:
    with pytest.raises(inspector.UnreadableLog, match=r"messages\[1\] cannot be written as JSON"):
        inspector.repair_messages([ASK, {"role": "user", "content": object()}])


@pytest.mark.parametrize("profile", ["anthropic", "openai-chat"])
@pytest.mark.parametrize(
    "history",
    [
        'u | a{A} | u"next" | a"ok" | u | a{B} | u',
        "u | a{A,B} | r(A=x) | u | r(B=y)",
        'u | r(A=x) | a{A} | u"next" | r(A=y) | a{B} | u',
        "u | a{A} | r(A=x),r(A=y) | a | r(Z=z) | u",
    ],
)
def test_each_edit_names_its_message_in_both_lists(history: str, profile: str) -> None:
    spell = anthropic_messages if profile == "anthropic" else openai_messages
    messages = spell(parse(history))
    for preset in PRESETS:
        try:
            repaired = inspector.repair_messages(messages, profile, preset)
        except inspector.NotVerified:
            continue
        assert repaired.edits
        for edit in repaired.edits:
            assert (edit.message is None) == (edit.action == "delete" and not edit.pointer)
            assert (edit.record is None) == (edit.action == "insert" and not edit.pointer)
            if edit.message is not None and edit.after and not edit.pointer:
                assert json.loads(edit.after) == repaired.messages[edit.message]
        untouched = set(range(len(messages))) - {edit.record for edit in repaired.edits}
        assert all(any(messages[at] is each for each in repaired.messages) for at in untouched)
