"""Messages of Pydantic AI: which calls wait, what each version sends, and how parts are edited.

`tests/interop/third_party/pydantic_ai_runs.py` compares it with Pydantic AI itself.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interop.third_party.pydantic_ai_runs import (
    BREAKS,
    Json,
    call,
    history,
    prompt,
    request,
    response,
    result,
    text,
)
from tests.support import product

GO, OK = request(prompt()), response(text("Paid."))
DEFERRED = [GO, response(call("A"), call("B")), request(result("A"))]
STOPPED = "Cannot provide a new user prompt"


def written(folder: Path, messages: Any) -> Path:
    path = folder / "messages.json"
    path.write_text(messages if isinstance(messages, str) else json.dumps(messages), "utf-8")
    return path


def repaired(path: Path) -> list[Json]:
    out = path.with_name("out.json")
    assert product.repair(path, out).code == 0
    messages: list[Json] = json.loads(out.read_text("utf-8"))
    return messages


def chat(path: Path, version: str = "") -> str:
    return product.sent(path, *(["--agent-version", version] if version else [])).chat_in_short({})


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("name", BREAKS)
def test_a_repaired_history_is_sound(name: str, wire: str, tmp_path: Path) -> None:
    path = written(tmp_path, history(name, wire))
    before = product.check(path).session
    if before["verdict"] in ("healthy", "waiting"):
        assert product.repair(path, None).edits == []
        return
    repaired(path)
    after = product.check(path.with_name("out.json")).session
    assert before["verdict"] in ("broken", "heals-itself")
    assert (after["verdict"], after["on_resume"]["outcome"]) == ("healthy", "as-is")


@pytest.mark.parametrize(
    "render",
    [
        lambda messages: json.dumps({"id": "chat", "messages": messages}, indent=1),
        lambda messages: "".join(f"{json.dumps(message)}\n" for message in messages),
        lambda messages: f"{json.dumps({'messages': messages})}\n" * 3,
    ],
)
def test_lists_objects_and_lines_are_recognized(render: Any, tmp_path: Path) -> None:
    path = written(tmp_path, render([GO, response(call("A")), request(result("A")), OK]))
    assert product.check(path).report["sessions"][0]["format"] == "pydantic-ai"


# calls without a result


@pytest.mark.parametrize("messages", [DEFERRED, DEFERRED[:2]])
def test_deferred_calls_wait_unless_the_run_was_interrupted(messages: list[Json], tmp_path: Path) -> None:
    path = written(tmp_path, messages)
    assert product.check(path).session["verdict"] == "waiting"
    path = written(tmp_path, [*messages[:-1], messages[-1] | {"state": "interrupted"}])
    assert product.check(path).errors == ({"D3:B"} if len(messages) > 2 else {"D5:A", "D5:B"})


def test_before_messages_had_a_state_no_call_waits(tmp_path: Path) -> None:
    old = [{key: value for key, value in message.items() if key != "state"} for message in DEFERRED]
    path = written(tmp_path, old)
    assert product.check(path).errors == {"D3:B"}
    assert product.check(path).session["on_resume"]["answers"] == ["the call to pay"]


def test_a_new_prompt_after_an_open_call_stops_the_run(tmp_path: Path) -> None:
    path = written(tmp_path, [GO, {key: value for key, value in response(call("A")).items() if key != "state"}])
    assert product.sent(path).report["error"].startswith(STOPPED)
    (_, _, added) = repaired(path)
    assert added["parts"][0].keys() == {
        *("tool_name", "content", "tool_call_id", "timestamp", "outcome", "part_kind"),
    }


def test_the_state_of_the_next_message_is_evidence(tmp_path: Path) -> None:
    path = written(tmp_path, [*DEFERRED[:2], DEFERRED[2] | {"state": "interrupted"}])
    (found,) = product.check(path).findings
    (trace,) = found["evidence"]["traces"]
    assert (trace["weight"], "interrupted" in trace["sentence"]) == ("mentioned", True)


# what versions and providers get


def test_versions_before_2_10_send_the_history_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, [GO, response(call("A")), request(prompt("well?")), request(result("B")), OK])
    assert chat(path) == (
        "u:go | a:,A | r:A=The tool call was interrupted before a result was produced. | u:well? | a:Paid."
    )
    assert chat(path, "2.9.1") == "u:go | a:,A | r:B=paid B | u:well? | a:Paid."
    assert product.sent(path, "--agent-version", "2.9.1").report["outcome"] == "refuses"
    assert product.sent(path).report["loses"] == ["a result of pay without a matching call"]


def test_results_are_sent_first_since_2_68(tmp_path: Path) -> None:
    path = written(tmp_path, [GO, response(call("A")), request(prompt("well?"), result("A")), OK])
    assert chat(path) == "u:go | a:,A | r:A=paid A | u:well? | a:Paid."
    assert chat(path, "2.66.0") == "u:go | a:,A | u:well? | r:A=paid A | a:Paid."


@pytest.mark.parametrize(
    ("named", "profile"),
    [
        ({"provider_name": "openai", "provider_response_id": "resp_1"}, "openai-responses"),
        ({"provider_name": "openai", "provider_response_id": "chatcmpl-1"}, "openai-chat"),
        ({"provider_name": "azure"}, "openai-chat"),
        ({"provider_name": "google-gla"}, "gemini"),
        ({"provider_name": "bedrock"}, "bedrock-converse"),
        ({"provider_name": "google-cloud", "model_name": "claude-sonnet-4-5"}, "anthropic"),
        ({}, "openai-chat"),
    ],
)
def test_a_response_names_its_provider(named: Json, profile: str, tmp_path: Path) -> None:
    path = written(tmp_path, [GO, response(call("A"), **named), request(prompt("well?"))])
    session = product.check(path).session
    assert (session["profile"], session["profile_assumed"]) == (profile, not named)


def test_signed_reasoning_goes_to_anthropic_and_other_reasoning_in_tags(tmp_path: Path) -> None:
    thought = {"content": "So.", "part_kind": "thinking"}
    signed = response(thought | {"signature": "c2ln"}, text("Paid."), provider_name="anthropic")
    path = written(tmp_path, [GO, response(thought, text("Hm."), provider_name="anthropic"), GO, signed])
    first, _, _, last = product.sent(path).report["messages"]
    assert [block["text"] for block in first["content"]] == ["go", "<assistant_thinking>\nSo.\n</assistant_thinking>"]
    assert last["content"][0] == {"type": "thinking", "thinking": "So.", "signature": "c2ln"}


# parts


def test_a_list_of_parts_is_shown_as_text(tmp_path: Path) -> None:
    image = {"kind": "image-url", "url": "https://example.org/a.png", "media_type": "image/png"}
    path = written(tmp_path, [request(prompt(["Look:", image])), OK, request(prompt([image])), OK])
    sent = product.sent(path)
    assert [block["text"] for block in sent.blocks] == ["Look:", "Paid.", "[image-url]", "Paid."]


def test_a_retry_is_a_result_if_it_names_a_tool(tmp_path: Path) -> None:
    retry = {"content": "too much", "part_kind": "retry-prompt", "tool_call_id": "A"}
    path = written(tmp_path, [GO, response(call("A")), request(retry | {"tool_name": "pay"}), OK])
    assert product.check(path).session["verdict"] == "healthy"
    path = written(tmp_path, [GO, response(call("A")), request(retry), OK])
    assert product.check(path).errors == {"D2:A"}


def test_a_result_without_its_call_becomes_a_prompt_and_keeps_its_text(tmp_path: Path) -> None:
    path = written(tmp_path, [GO, request(result("A")), OK])
    (_, changed, _) = repaired(path)
    (part,) = changed["parts"]
    assert (part["part_kind"], "paid A" in part["content"]) == ("user-prompt", True)
