"""OpenAI Responses: kinds of calls and their outputs, what lies on the server, reasoning, and the containers."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.formats import FORMATS
from inspector.core.providers.openai_responses import schema
from tests.core.formats.api_logs import log
from tests.core.formats.openai_responses import error, folded
from tests.support import product

HONEST = (
    "[No result was recorded for this call to {}. "
    "It may or may not have run; check the current state before repeating it.]"
)
USER = {"role": "user", "content": "hi"}
DONE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "Z0FB"}


def call(id_: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id_, "name": "w", "arguments": "{}"} | more


def output(id_: str, text: str = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id_, "output": text}


def repaired(path: Path, strategies: str = "") -> list[dict[str, Any]]:
    out = path.with_name("out.json")
    assert product.repair(path, out, strategies=strategies).code == 0
    value = json.loads(out.read_bytes())
    return value if isinstance(value, list) else value["input"]


SHELL = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
PATCH = {
    "type": "apply_patch_call",
    "call_id": "p",
    "status": "completed",
    "operation": {"type": "delete_file", "path": "a"},
}
LOCAL = {"type": "local_shell_call", "id": "lsh_1", "call_id": "l", "status": "completed"} | {
    "action": {"type": "exec", "command": ["ls"]}
}
SEARCH = {"type": "tool_search_call", "call_id": "t", "execution": "client", "arguments": {}}
CUSTOM = {"type": "custom_tool_call", "call_id": "c", "name": "note", "input": "x"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (call("a"), {"type": "function_call_output", "call_id": "a", "output": HONEST.format("w")}),
        (CUSTOM, {"type": "custom_tool_call_output", "call_id": "c", "output": HONEST.format("note")}),
        (
            SHELL,
            {"type": "shell_call_output", "call_id": "s"}
            | {"output": [{"stdout": "", "stderr": HONEST.format("shell_call"), "outcome": {"type": "timeout"}}]},
        ),
        (
            PATCH,
            {"type": "apply_patch_call_output", "call_id": "p", "status": "failed"}
            | {"output": HONEST.format("apply_patch_call")},
        ),
        (
            LOCAL,
            {"type": "local_shell_call_output", "id": "l"}
            | {"output": json.dumps({"output": HONEST.format("local_shell_call")}, separators=(",", ":"))},
        ),
        (
            SEARCH,
            {"type": "tool_search_output", "call_id": "t", "status": "completed", "execution": "client", "tools": []},
        ),
    ],
    ids=lambda value: value["type"],
)
def test_every_kind_of_call_is_answered_by_its_own_kind(
    tmp_path: Path, item: dict[str, Any], expected: dict[str, Any]
) -> None:
    path = log(tmp_path, [USER, item, DONE])
    assert product.check(path).errors == {f"D2:{item['call_id']}"}
    assert repaired(path) == [USER, item, expected, DONE]
    assert product.check(path.with_name("out.json")).session["verdict"] == "healthy"


def test_placeholders_fit_the_types_of_the_sdk() -> None:
    pytest.importorskip("openai", reason="the openai SDK is not installed")
    from openai.types.responses import response_input_item_param as types  # noqa: PLC0415
    from pydantic import TypeAdapter  # noqa: PLC0415

    adapter: TypeAdapter[Any] = TypeAdapter(types.ResponseInputItemParam)
    for item in (call("a"), CUSTOM, SHELL, PATCH, LOCAL, SEARCH):
        made = schema.make_placeholder_output(item, "none")
        assert adapter.validate_python(made)["type"] == made["type"]
    assert adapter.validate_python(schema.make_user_item("note"))["role"] == "user"


def test_an_id_of_two_types_of_calls_is_reused(tmp_path: Path) -> None:
    """OpenAI was not tried with it. Other servers keep one map for all types (gpt-oss/pull/309)."""
    answer = {"type": "custom_tool_call_output", "call_id": "a", "output": "y"}
    path = log(tmp_path, [USER, call("a"), output("a", "x"), CUSTOM | {"call_id": "a"}, answer, DONE])
    assert product.check(path).rules == {"K1"}
    assert [item.get("call_id") for item in repaired(path)] == [None, "a", "a", "a-2", "a-2", None]


def test_a_result_of_another_kind_answers_nothing(tmp_path: Path) -> None:
    foreign = {"type": "custom_tool_call_output", "call_id": "a", "output": "x"}
    assert product.check(log(tmp_path, [USER, call("a"), foreign, DONE])).errors == {"D2:a", "R8:a"}


@pytest.mark.parametrize(
    "output_of_shell",
    [
        {"type": "local_shell_call_output", "id": "l", "output": "{}"},
        {"type": "local_shell_call_output", "call_id": "l", "output": "{}"},
        {"type": "function_call_output", "call_id": "l", "output": "{}"},
    ],
)
def test_a_local_shell_is_answered_in_every_spelling(tmp_path: Path, output_of_shell: dict[str, Any]) -> None:
    assert product.check(log(tmp_path, [USER, LOCAL, output_of_shell, DONE])).session["verdict"] == "healthy"


def test_what_the_provider_runs_needs_no_output(tmp_path: Path) -> None:
    members: dict[str, dict[str, Any]] = {
        "code_interpreter_call": {"status": "completed", "container_id": "c", "code": None, "outputs": None},
        "file_search_call": {"status": "completed", "queries": []},
        "image_generation_call": {"status": "completed", "result": None},
        "mcp_call": {"arguments": "{}", "name": "n", "server_label": "s"},
        "mcp_list_tools": {"server_label": "s", "tools": []},
        "program": {"code": "", "fingerprint": "f"},
        "program_output": {"result": "", "status": "completed"},
        "web_search_call": {"status": "completed"},
    }
    assert members.keys() == schema.SERVER_CALL_TYPES
    own = [
        {"type": kind, "id": f"ws_{number}", "call_id": f"p{number}"} | members[kind]
        for number, kind in enumerate(sorted(members))
    ]
    searched: dict[str, Any] = {"type": "tool_search_call", "call_id": None, "execution": "server", "arguments": {}}
    session = product.check(log(tmp_path, [USER, *own, searched, DONE])).session
    assert (session["verdict"], session["calls"], session["findings"]) == ("healthy", 0, [])


def test_a_screen_is_never_made_up(tmp_path: Path) -> None:
    action = {"type": "move", "x": 1, "y": 2}
    click = {"type": "computer_call", "id": "cu_1", "call_id": "x", "action": action, "status": "completed"}
    click["pending_safety_checks"] = []
    path = log(tmp_path, [USER, REASONING, click, DONE])
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["default"], "answer" in finding["strategies"]) == ("D2", "drop-call", False)
    assert repaired(path) == [USER, DONE]


def test_an_approval_is_waited_for(tmp_path: Path) -> None:
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "pay", "arguments": "{}", "server_label": "bank"}
    path = log(tmp_path, [USER, asked])
    assert (product.check(path).session["verdict"], product.check(path).rules) == ("waiting", {"D6"})
    given = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    assert product.check(log(tmp_path, [USER, asked, given, DONE])).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    "more",
    [
        {"previous_response_id": "resp_1"},
        {"conversation": "conv_1"},
        {"conversation": {"id": "conv_1"}},
    ],
)
def test_what_lies_on_the_server_cannot_be_told(tmp_path: Path, more: dict[str, Any]) -> None:
    path = log(tmp_path, {"model": "gpt-5", **more, "input": [output("a"), USER, call("q")]})
    answer = product.check(path)
    assert {(f["rule"], f["severity"], f["call_id"]) for f in answer.findings} == {
        ("R1", "info", "a"),
        ("D6", "info", "q"),
    }
    assert all("Cannot determine whether" in finding["message"] for finding in answer.findings)
    assert answer.code == 0
    before = path.read_bytes()
    assert product.repair(path, tmp_path / "out.json").code == 0
    assert (tmp_path / "out.json").read_bytes() == before


def test_a_request_that_breaks_off_in_its_items_is_judged(tmp_path: Path) -> None:
    """What stands in front of the items still tells what lies on the server."""
    whole = json.dumps({"previous_response_id": "resp_1", "input": [USER, output("a"), call("q"), output("q")]})
    path = tmp_path / "log.json"
    for at in range(whole.index("function_call_output") + 60, len(whole) - 2, 7):
        path.write_text(whole[:at])
        answer = product.check(path)
        assert answer.errors == {"F1"}, whole[:at]
        assert product.repair(path, tmp_path / "out.json").code == 0


def test_a_name_in_a_request_that_is_no_utf8_ends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    items = json.dumps([{"type": "message", **USER}, call("A")]).encode()
    path.write_bytes(b'[{"model":"gp\xed\xa0\x80t","input":' + items[:-2] + b",]")
    assert product.check(path, "--log-format", "openai-responses").session["verdict"] == "broken"


def test_an_item_reference_hides_a_call(tmp_path: Path) -> None:
    for reference in ({"type": "item_reference", "id": "fc_1"}, {"id": "fc_1"}):
        answer = product.check(log(tmp_path, [USER, reference, output("a"), DONE]))
        assert {(f["rule"], f["severity"]) for f in answer.findings} == {("R1", "info")}


def test_without_a_reference_the_same_is_broken(tmp_path: Path) -> None:
    body = {"model": "gpt-5", "previous_response_id": None, "input": [output("a"), USER, call("q")]}
    assert product.check(log(tmp_path, body)).errors == {"R1:a", "D1:q"}


def test_a_response_waits_for_its_calls_to_be_run(tmp_path: Path) -> None:
    answer = product.check(log(tmp_path, {"object": "response", "id": "resp_1", "output": [REASONING, call("a")]}))
    assert (answer.session["format"], answer.session["verdict"]) == ("openai-responses", "waiting")
    assert answer.rules == {"D6"}


@pytest.mark.parametrize("strategy", ["drop-call", "drop-exchange"])
def test_a_dropped_call_takes_its_reasoning_along(tmp_path: Path, strategy: str) -> None:
    path = log(tmp_path, [USER, REASONING, call("a"), USER, DONE])
    left = repaired(path, f"D2={strategy}")
    assert left == [USER, USER, DONE]
    assert error(folded(left)) is None


def test_a_dropped_call_and_its_reasoning_may_stand_before_a_message_that_holds_nothing(tmp_path: Path) -> None:
    empty = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
    left = repaired(log(tmp_path, [USER, REASONING, call("a"), empty, USER, DONE]), "D2=drop-call")
    assert "rs_1" not in str(left)
    assert "msg_1" not in str(left)


def test_a_dropped_call_leaves_the_reasoning_of_its_sibling(tmp_path: Path) -> None:
    second = REASONING | {"id": "rs_2"}
    path = log(tmp_path, [USER, REASONING, call("a"), second, call("b"), output("a"), DONE])
    assert repaired(path, "D3=drop-call") == [USER, REASONING, call("a"), output("a"), DONE]


def test_calls_and_outputs_of_a_turn_stand_in_any_order(tmp_path: Path) -> None:
    calls = [call(name) for name in "abc"]
    path = log(tmp_path, [USER, REASONING, *calls, output("c"), output("a"), output("b"), DONE])
    assert product.check(path).findings == []


def test_open_calls_of_one_turn_are_one_turn(tmp_path: Path) -> None:
    assert product.check(log(tmp_path, [USER, call("a"), call("b")])).errors == {"D1:a", "D1:b"}
    assert product.check(log(tmp_path, [USER, call("a"), call("b"), USER])).errors == {"D2:a", "D2:b"}


def test_an_id_is_used_once_in_the_whole_input(tmp_path: Path) -> None:
    path = log(tmp_path, [USER, call("a"), output("a"), USER, call("a", id="fc_7"), output("a", "again"), DONE])
    assert product.check(path).errors == {"K1:a"}
    left = repaired(path)
    assert left[4:6] == [call("a-2", id="fc_7"), output("a-2", "again")]
    assert error(folded(left)) is None


def test_arguments_that_are_no_text_become_one(tmp_path: Path) -> None:
    path = log(
        tmp_path, [USER, call("a", arguments={"city": "Oslo"}), output("a"), call("b", arguments=None), output("b")]
    )
    assert product.check(path).errors == {"K6:a", "K6:b"}
    assert [item["arguments"] for item in repaired(path) if "arguments" in item] == ['{"city":"Oslo"}', "{}"]


def test_an_item_a_line(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in [USER, REASONING, call("a"), DONE]))
    assert product.check(path).session["format"] == "openai-responses"
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert [json.loads(line).get("type") for line in out.read_text().splitlines()] == [
        None,
        "reasoning",
        "function_call",
        "function_call_output",
        "message",
    ]


def test_batch_lines_are_sessions(tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    bodies = [
        {"custom_id": name, "url": "/v1/responses", "body": {"model": "m", "input": [USER, call(name)]}}
        for name in "ab"
    ]
    path.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    assert [s["verdict"] for s in product.check(path).report["sessions"]] == ["broken", "broken"]


def test_plain_messages_are_not_claimed_from_the_chat_format(tmp_path: Path) -> None:
    assert (
        product.check(log(tmp_path, [USER, {"role": "assistant", "content": "hello"}])).session["format"]
        == "openai-chat"
    )
    body = {"model": "gpt-5", "input": [USER, {"role": "assistant", "content": "hello"}]}
    assert product.check(log(tmp_path, body)).session["format"] == "openai-responses"


def test_blocks_are_shown(tmp_path: Path) -> None:
    view = FORMATS["openai-responses"].view
    shown = [
        block
        for item in (USER, REASONING, call("a"), output("a", "3C"), DONE)
        for block in view(json.dumps(item).encode()).blocks
    ]
    assert [(block.kind.name, block.text, block.pointer, block.call_id) for block in shown] == [
        ("TEXT", "hi", "/content", ""),
        ("THINKING", "[encrypted reasoning]", "", ""),
        ("CALL", "{}", "", "a"),
        ("RESULT", "3C", "", "a"),
        ("TEXT", "done", "/content/0", ""),
    ]
