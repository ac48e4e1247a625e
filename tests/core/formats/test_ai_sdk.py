"""Messages of the AI SDK: which calls are open, what each version sends, and how parts are edited.

`tests/interop/third_party/ai_sdk.py` compares it with the SDK itself.
"""

import json
from pathlib import Path

import pytest

from tests.interop.third_party.ai_sdk import (
    BREAKS,
    Message,
    assistant,
    call,
    invocation,
    part,
    result,
    text,
    tool,
    ui,
    user,
)
from tests.support import product

ANTHROPIC = {"anthropic": {"signature": "c2ln"}}
_OK = text("ok")


def written(folder: Path, *messages: Message) -> Path:
    path = folder / "messages.json"
    path.write_text(json.dumps(list(messages)), "utf-8")
    return path


def repaired(path: Path, *options: str) -> list[Message]:
    out = path.with_name("out.json")
    assert product.repair(path, out, *options).code == 0
    messages: list[Message] = json.loads(out.read_text("utf-8"))
    return messages


def refusal(path: Path, version: str = "") -> str:
    return str(product.sent(path, *(["--agent-version", version] if version else [])).report["error"])


@pytest.mark.parametrize("name", BREAKS)
def test_a_repaired_history_is_sound(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, *BREAKS[name][1])
    before = product.check(path).session
    if before["verdict"] in ("healthy", "waiting"):
        assert product.repair(path, None).edits == []
        return
    repaired(path)
    after = product.check(path.with_name("out.json")).session
    assert before["verdict"] in ("broken", "heals-itself")
    assert (after["verdict"], after["on_resume"]["outcome"]) == ("healthy", "as-is")


# what the SDK refuses

_FILE = {"type": "file", "data": "aGk=", "mediaType": "text/plain"}
_UI_FILE = {"type": "file", "url": "data:text/plain;base64,aGk=", "mediaType": "text/plain"}
_SERVED = call("S", providerExecuted=True)


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"output": None}, "/content/0/output"),
        ({"output": {"type": "text"}}, "/content/0/output/value"),
        ({"output": {"type": "text", "value": {"paid": 1}}}, "/content/0/output/value"),
        ({"output": {"type": "words", "value": "paid"}}, "/content/0/output"),
        ({"output": {"type": "content", "value": ["paid"]}}, "/content/0/output/value/0"),
        ({"output": {"type": "content", "value": "paid"}}, "/content/0/output/value"),
        ({"providerOptions": {"app": "x"}}, "/content/0/providerOptions"),
    ],
)
def test_an_output_that_the_sdk_refuses_is_written_as_text(wrong: Message, pointer: str, tmp_path: Path) -> None:
    path = written(tmp_path, user(), assistant(call("A")), tool(result("A") | wrong), assistant(_OK))
    assert product.check(path).errors == {"M12"}
    assert [edit["pointer"] for edit in product.repair(path, tmp_path / "out.json").edits] == [pointer]
    assert product.check(tmp_path / "out.json").session["verdict"] == "healthy"


def without(message: Message, key: str) -> Message:
    return {name: value for name, value in message.items() if name != key}


@pytest.mark.parametrize(
    "message",
    [
        user() | {"content": [text("go"), without(_FILE, "data")]},
        user() | {"content": [text("go"), without(_FILE, "mediaType")]},
        user() | {"content": [text("go"), _FILE | {"filename": None}]},
        user() | {"providerOptions": None},
        assistant(_OK, without(_SERVED, "toolCallId")),
        assistant(_OK, without(_SERVED, "input")),
        assistant(_OK, without(without(_SERVED, "toolCallId"), "input")),
        ui("user", text("go"), without(_UI_FILE, "url")),
        ui("assistant", _OK, _UI_FILE | {"mediaType": 1}),
        ui("assistant", _OK, {"text": "so"}),
        ui("assistant", _OK, {"type": "text", "text": 5}),
        ui("assistant", {"type": "reasoning", "text": "so", "providerMetadata": None}, _OK),
        ui("assistant", part("S", "output-available", output=1, providerExecuted=True, toolCallId=7), _OK),
        ui("assistant", part("S", "output-available", output=1, providerExecuted="yes"), _OK),
    ],
)
def test_of_a_refused_part_the_rest_of_the_message_stays(message: Message, tmp_path: Path) -> None:
    start = [ui("user", text("go"))] if "parts" in message else [user(), assistant(call("A")), tool(result("A"))]
    path = written(tmp_path, *start, message)
    named = ["--log-format", "ai-sdk-ui"] if "parts" in message else []
    assert product.check(path, *named).errors == {"M12"}
    changed = repaired(path, *named)[-1]
    kept = text("go") if message["role"] == "user" else _OK
    assert kept in changed["parts" if "parts" in changed else "content"]
    assert product.check(tmp_path / "out.json").session["verdict"] == "healthy"


def test_a_tool_message_without_a_content_gets_an_empty_one(tmp_path: Path) -> None:
    path = written(tmp_path, user(), assistant(call("A")), tool(result("A")), {"role": "tool"}, assistant(_OK))
    assert product.check(path).errors == {"M12"}
    assert repaired(path)[3] == tool()


def test_members_of_version_4_are_no_misfits(tmp_path: Path) -> None:
    old_file = {"type": "file", "mimeType": "text/plain", "data": "aGk="}
    model = [user() | {"content": [text("go"), old_file]}, *BREAKS["version 4"][1]]
    thinking = {"type": "reasoning", "reasoning": "so", "details": []}
    old_ui = [*BREAKS["UI 4: sound"][1][:2], ui("assistant", thinking, old_file, _OK, content="ok")]
    for messages in (model, old_ui):
        assert product.check(written(tmp_path, *messages)).session["verdict"] == "healthy"


# which log it is


@pytest.mark.parametrize(
    ("messages", "format"),
    [
        ([user(), assistant(call("A")), tool(result("A"))], "ai-sdk"),
        ([user(), assistant(text("ok")) | {"providerOptions": {"app": {}}}], "ai-sdk"),
        ([ui("user", text("go")), ui("assistant", text("ok"))], "ai-sdk-ui"),
        ([{"role": "user", "content": "go"}, {"role": "assistant", "content": "", "toolInvocations": []}], "ai-sdk-ui"),
    ],
)
def test_lists_objects_and_lines_are_recognized(messages: list[Message], format: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    for told in (
        json.dumps(messages),
        json.dumps({"id": "chat_1", "messages": messages}, indent=1),
        "".join(f"{json.dumps(message)}\n" for message in messages),
        f"{json.dumps({'messages': messages})}\n" * 3,
    ):
        path.write_text(told, "utf-8")
        assert product.check(path).report["sessions"][0]["format"] == format, told


def test_parts_of_other_programs_are_not_claimed(tmp_path: Path) -> None:
    """OpenTelemetry's parts have `content`, and Gemini's have no type."""
    for parts in ([{"type": "text", "content": "go"}], [{"text": "go"}]):
        path = written(tmp_path, {"role": "user", "parts": parts})
        assert product.check(path).session["format"] != "ai-sdk-ui"


# calls


def test_an_approval_waits_until_the_user_goes_on(tmp_path: Path) -> None:
    asked = ui("assistant", part("A", "approval-requested", approval={"id": "a"}))
    assert product.check(written(tmp_path, ui("user", text("go")), asked)).session["verdict"] == "waiting"
    path = written(tmp_path, ui("user", text("go")), asked, ui("user", text("well?")))
    assert product.check(path).errors == {"D2:A"}
    assert refusal(path) == ""
    assert refusal(path, "6") == "AI_MissingToolResultsError: Tool result is missing for tool call A."
    assert product.sent(path).report["loses"] == ["the call to pay"]
    (_, changed, _) = repaired(path)
    assert changed["parts"][0].keys() == {"type", "toolCallId", "state", "input", "errorText"}


def test_a_denied_call_keeps_its_denial(tmp_path: Path) -> None:
    """Version 7 sends it by itself, and version 6 stops."""
    denied = {"id": "a", "approved": False, "reason": "too dear"}
    told = ui("assistant", part("A", "approval-responded", approval=denied))
    path = written(tmp_path, ui("user", text("go")), told, ui("user", text("well?")))
    assert product.check(path).session["verdict"] == "heals-itself"
    assert "AI_MissingToolResultsError" in refusal(path, "6")
    (_, changed, _) = repaired(path)
    assert changed["parts"] == [part("A", "output-denied", approval=denied)]


def test_a_result_without_a_state_gets_one(tmp_path: Path) -> None:
    """The result is there, but it is not sent without the state."""
    path = written(tmp_path, ui("user", text("go")), ui("assistant", part("A", "", output={"paid": 1})))
    answer = product.check(path)
    assert (answer.rules, answer.session["results"]) == ({"M12"}, 1)
    assert "AI_MissingToolResultsError" in refusal(path)
    (_, changed) = repaired(path)
    assert changed["parts"][0] == part("A", "", output={"paid": 1}) | {"state": "output-available"}


@pytest.mark.parametrize(("state", "told"), [("input-streaming", "not complete"), ("approval-requested", "waiting")])
def test_the_state_of_a_call_is_evidence(state: str, told: str, tmp_path: Path) -> None:
    path = written(tmp_path, ui("user", text("go")), ui("assistant", part("A", state)), ui("user", text("well?")))
    (found,) = product.check(path).findings
    (trace,) = found["evidence"]["traces"]
    assert (trace["weight"], told in trace["sentence"]) == ("mentioned", True)


def test_a_dynamic_tool_is_renamed_in_its_name_and_another_in_its_type(tmp_path: Path) -> None:
    named = part("B", "output-available", output="x", type="dynamic-tool", toolName="pay now")
    static = part("A", "output-available", output="x", type="tool-pay now")
    path = written(tmp_path, ui("user", text("go")), ui("assistant", static, named))
    assert product.check(path).rules == {"K7"}
    (_, changed) = repaired(path)
    assert [(each["type"], each.get("toolName")) for each in changed["parts"]] == [
        ("tool-pay_now", None),
        ("dynamic-tool", "pay_now"),
    ]


# versions and providers


def test_version_4_is_written_as_it_was(tmp_path: Path) -> None:
    old = {"type": "tool-call", "toolCallId": "A", "toolName": "pay", "args": {}}
    path = written(tmp_path, user(), assistant(old), user("well?"))
    assert product.check(path).session["on_resume"]["agent"] == "ai 4"
    (_, _, made, _) = repaired(path)
    assert made["content"][0].keys() == {"type", "toolCallId", "toolName", "result", "isError"}
    told = ui("assistant", invocation("A", "call"), content="")
    (_, changed) = repaired(written(tmp_path, ui("user", text("go"), content="go"), told))
    inside = changed["parts"][0]["toolInvocation"]
    assert (inside["state"], inside["result"].startswith("[No result")) == ("result", True)


@pytest.mark.parametrize("version", ["5", "6", "7"])
@pytest.mark.parametrize("name", [name for name, (versions, _) in BREAKS.items() if versions == "4"])
def test_later_versions_stop_at_messages_of_version_4(name: str, version: str, tmp_path: Path) -> None:
    assert "fail on version 4 messages" in refusal(written(tmp_path, *BREAKS[name][1]), version)


@pytest.mark.parametrize("version", ["4", "5"])
def test_older_versions_send_a_call_without_a_result(version: str, tmp_path: Path) -> None:
    path = written(tmp_path, user(), assistant(call("A")), user("well?"))
    assert len(product.sent(path, "--agent-version", version).report["messages"]) == 3
    assert product.sent(path, "--agent-version", version).report["outcome"] == "refuses"


@pytest.mark.parametrize(
    ("metadata", "profile"),
    [
        ({"anthropic": {"signature": "c2ln"}}, "anthropic"),
        ({"openai": {"itemId": "fc_1"}}, "openai-responses"),
        ({"google": {"thoughtSignature": "c2ln"}}, "gemini"),
        ({"app": {}}, "openai-chat"),
    ],
)
def test_the_metadata_of_a_part_names_the_provider(metadata: Message, profile: str, tmp_path: Path) -> None:
    open_part = part("A", "input-available", callProviderMetadata=metadata)
    shown = product.check(written(tmp_path, ui("user", text("go")), ui("assistant", open_part))).findings[0]
    open_call = call("A", providerOptions=metadata)
    other = product.check(written(tmp_path, user(), assistant(open_call))).findings[0]
    assert next(iter(shown["refused_by"])) == next(iter(other["refused_by"])) == profile


REASONING: Message = {"type": "reasoning", "text": "So."}


@pytest.mark.parametrize(
    "messages",
    [
        [user(), assistant(REASONING | {"providerOptions": ANTHROPIC}, _OK)],
        [ui("user", text("go")), ui("assistant", REASONING | {"providerMetadata": ANTHROPIC}, _OK)],
    ],
)
def test_signed_reasoning_goes_to_anthropic(messages: list[Message], tmp_path: Path) -> None:
    (said, *_) = product.sent(written(tmp_path, *messages)).report["messages"][1]["content"]
    assert said == {"type": "thinking", "thinking": "So.", "signature": "c2ln"}


@pytest.mark.parametrize("metadata", [{"anthropic": {}}, {"openai": {"itemId": "ws_1"}}])
def test_calls_of_the_provider_are_no_texts(metadata: Message, tmp_path: Path) -> None:
    served = part("A", "output-available", output="found", providerExecuted=True, callProviderMetadata=metadata)
    path = written(tmp_path, ui("user", text("go")), ui("assistant", served, _OK))
    report = product.sent(path).report
    assert (report["outcome"], report["dropped"]) == ("as-is", [])
    assert "found" not in json.dumps(report.get("messages") or report["input"])
