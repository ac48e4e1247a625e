"""Ids and names that a provider does not take (K4, K7), two ids for one call (K5), requests without tools (K8)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import FORMATS
from tests.core.formats.api_logs import log
from tests.core.formats.api_logs import repaired as repaired_messages
from tests.core.repair.logs import refused, repaired, saved, written
from tests.support import product
from tests.support.notation import FORMATS as NOTATION
from tests.support.notation import Call, Result, Text, Turn, parse
from tests.support.projection import as_read, printed, read

LONG = "c" * 65
WRITABLE = [
    name for name, each in FORMATS.items() if "K1" not in each.cannot and each.holds_calls and each.written_back
]


@pytest.mark.parametrize(
    ("profile", "illegal", "legal"),
    [
        ("anthropic", ["a.b", "a:0", "ä", " a", "a\nb", "a\n"], ["toolu_01", LONG]),
        ("bedrock-converse", ["a.b", LONG], ["tooluse_x", "c" * 64]),
        ("openai-chat", [LONG], ["a.b", "functions.read:0", "ä", "c" * 64]),
        ("openai-responses", [LONG], ["a.b", "c" * 64]),
        ("gemini", [], ["a.b", LONG]),
        ("mistral", ["call_0", LONG], ["abcDEF123"]),
        ("lax", [], ["a.b", LONG]),
    ],
)
def test_profiles_differ_in_what_an_id_may_be(
    profile: str, illegal: list[str], legal: list[str], tmp_path: Path
) -> None:
    for call_id, expected in [*((each, True) for each in illegal), *((each, False) for each in legal)]:
        history = f"u | a{{{json.dumps(call_id)}}} | r({json.dumps(call_id)}=alpha) | a"
        answer = product.check(written(tmp_path, "openai", history), profile=profile)
        assert ("K4" in answer.rules) == expected, call_id
        for finding in answer.findings:
            if finding["rule"] == "K4":
                assert profile in finding["refused_by"]


T33 = "u | a{functions.read:0} | r(functions.read:0=one) | u | a{functions-read-0} | r(functions-read-0=two) | a"


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
def test_t33_two_ids_that_would_become_one(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, T33)
    renamed = T33.replace("functions.read:0", "functions-read-0-2")
    assert product.check(path).errors == {"K4:functions.read:0"}
    data, answer = repaired(path, name)
    assert printed(data, name) == as_read(renamed, name)
    assert answer.losses == []


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
def test_t33_left_as_it_is(name: str, tmp_path: Path) -> None:
    refused(written(tmp_path, name, T33), strategies="K4=leave")


def test_t33_is_legal_for_openai(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", T33)
    assert product.check(path).errors == set()
    assert repaired(path, "openai")[0] == path.read_bytes()


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
def test_a_result_under_the_id_that_a_gateway_made_of_it(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, "u | a{functions.read:0} | r(functions_read_0=one) | a")
    assert "K5:functions_read_0" in product.check(path).errors
    data, answer = repaired(path, name)
    new = "functions.read:0" if name == "openai" else "functions-read-0"
    assert printed(data, name) == f"u | a{{{new}}} | r({new}=one) | a"
    assert answer.losses == []


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
@pytest.mark.parametrize("profile", ["anthropic", "bedrock-converse", "mistral"])
def test_a_legal_id_for_the_call_and_every_result_of_it(name: str, profile: str, tmp_path: Path) -> None:
    history = 'u | a{x:0,x-0,ü} | r(x:0=one,x-0=two,ü=three) | a"so" | u | a{x:0} | r(x:0=four,x:0=four) | a'
    path, out, again = (written(tmp_path, name, history), tmp_path / "out", tmp_path / "again")
    assert product.repair(path, out, profile=profile).code == 0
    turns = read(out.read_bytes(), name)
    results = {result.id: result.text for turn in turns for result in turn.of(Result)}
    calls = [call.id for turn in turns for call in turn.of(Call)]
    assert len(set(calls)) == 4
    assert [results[call] for call in calls] == ["one", "two", "three", "four"]
    assert product.check(out, profile=profile).errors == set()
    assert product.repair(out, again, profile=profile).code == 0
    assert again.read_bytes() == out.read_bytes()


def test_a_call_is_dropped_instead(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u | a"t"{x:0} | r(x:0=one) | a')
    data, answer = repaired(path, "anthropic", strategies="K4=drop-call")
    assert printed(data, "anthropic") == 'u | a"t" | a'
    assert "one" in answer.lost_text


@pytest.mark.parametrize("name", WRITABLE)
def test_every_format_renames_and_names(name: str, tmp_path: Path) -> None:
    """Whatever the session's own provider takes: asked for one that is stricter."""
    bad = FORMATS[name].write(parse('u"hi" | a{"x:0"@"read file"} | r("x:0"=alpha) | a"ok"'), tmp_path)
    out, again = tmp_path / "out", tmp_path / "again"
    answer = product.check(bad, profile="bedrock-converse")
    assert {"K4", "K7"} <= answer.rules
    assert product.repair(bad, out, profile="bedrock-converse").code == 0
    after = product.check(out, profile="bedrock-converse")
    assert not {"K4", "K7"} & after.rules
    assert after.errors == set()
    text = b"".join(each.read_bytes() for each in ([out] if out.is_file() else out.rglob("*")) if each.is_file())
    assert b"read_file" in text
    assert b"alpha" in text
    assert product.repair(out, again, profile="bedrock-converse").code == 0


@pytest.mark.parametrize(
    ("tool", "becomes"),
    [
        ("", "invalid_tool_call"),
        ("  ", "invalid_tool_call"),
        ("???", "invalid_tool_call"),
        ("列出", "invalid_tool_call"),
        ("git diff", "git_diff"),
        ("x" * 300, "x" * 64),
    ],
)
@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
def test_a_name_becomes_legal_and_the_pair_is_kept(name: str, tool: str, becomes: str, tmp_path: Path) -> None:
    history = [parse("u")[0], Turn("assistant", (Call("A", tool),)), *parse("r(A=alpha) | a")]
    path, out = saved(tmp_path, name, NOTATION[name].render(history)), tmp_path / "out"
    answer = product.repair(path, out, profile="bedrock-converse")
    assert answer.code == 0
    (call,) = [call for turn in read(out.read_bytes(), name) for call in turn.of(Call)]
    assert call.name == becomes
    assert "alpha" in printed(out.read_bytes(), name)
    assert [loss["kind"] for loss in answer.losses] == (["name"] if tool.strip() else [])


def test_a_call_without_a_name_can_go_instead(tmp_path: Path) -> None:
    history = [parse("u")[0], Turn("assistant", (Text("t"), Call("A", ""))), *parse("r(A=alpha) | a")]
    path = saved(tmp_path, "anthropic", NOTATION["anthropic"].render(history))
    assert product.check(path).errors == {"K7:A"}
    data, answer = repaired(path, "anthropic", strategies="K7=drop-call")
    assert printed(data, "anthropic") == 'u | a"t" | a'
    assert "alpha" in answer.lost_text


@pytest.mark.parametrize("value", [None, 7, [], {"a": 1}])
def test_a_name_that_is_no_text_is_no_name(value: Any, tmp_path: Path) -> None:
    messages = json.loads(NOTATION["anthropic"].render(parse("u | a{A} | r(A=alpha) | a")))["messages"]
    messages[1]["content"][0]["name"] = value
    path = log(tmp_path, messages)
    assert product.check(path).errors == {"K7:A"}
    assert repaired_messages(path, "messages")[1]["content"][0]["name"] == "invalid_tool_call"


@pytest.mark.parametrize(("odd", "errors"), [({}, {"K7:A"}), ({"name": ""}, {"K7:A"}), ({"name": {}}, {"K7:A", "M12"})])
def test_a_response_is_named_as_its_call(odd: Any, errors: set[str], tmp_path: Path) -> None:
    call = {"role": "model", "parts": [{"functionCall": {"id": "A", "name": "read a file", "args": {}}}]}
    told = {"role": "user", "parts": [{"functionResponse": {"id": "A", **odd, "response": {"output": "alpha"}}}]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{"role": "user", "parts": [{"text": "hi"}]}, call, told]))
    assert product.check(path).errors == errors
    _, _, named = repaired_messages(path, "")
    assert named["parts"][0]["functionResponse"] == {
        "id": "A",
        "name": "read a file",
        "response": {"output": "alpha"},
    }


# two ids for one call

CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{}"}
HELLO = {"role": "user", "content": "hi"}


def test_an_output_that_names_the_item(tmp_path: Path) -> None:
    output = {"type": "function_call_output", "call_id": "fc_1", "output": "alpha"}
    path = log(tmp_path, [HELLO, CALL, output])
    assert product.check(path).errors == {"K5:fc_1"}
    assert repaired_messages(path, "input") == [HELLO, CALL, output | {"call_id": "call_1"}]
    noted = repaired_messages(path, "input", "K5=keep-as-note")
    assert [item.get("type") for item in noted] == [None, "function_call", "function_call_output", "message"]


@pytest.mark.parametrize(
    ("call", "result"), [("call_1", "fc_1"), ("fc_1", "call_1"), ("call_1|fc_1", "call_1"), ("call_1", " call_1")]
)
def test_chat_messages_that_keep_both_ids(call: str, result: str, tmp_path: Path) -> None:
    entry = {"id": call, "type": "function", "function": {"name": "read", "arguments": "{}"}}
    entry |= {"call_id": "call_1", "response_item_id": "fc_1"}
    messages: list[dict[str, Any]] = [
        HELLO,
        {"role": "assistant", "content": None, "tool_calls": [entry]},
        {"role": "tool", "tool_call_id": result, "content": "alpha"},
    ]
    path = log(tmp_path, messages)
    assert {error.partition(":")[0] for error in product.check(path).errors} == {"K5"}
    assert repaired_messages(path, "messages") == [*messages[:2], messages[2] | {"tool_call_id": call}]


def test_two_calls_or_two_results_that_claim_one_id_are_left_to_the_person(tmp_path: Path) -> None:
    calls = [CALL, CALL | {"call_id": "call_2"}]
    output = {"type": "function_call_output", "call_id": "fc_1", "output": "alpha"}
    assert "K5" not in product.check(log(tmp_path, [HELLO, *calls, output])).rules
    assert "K5" not in product.check(log(tmp_path, [HELLO, CALL, output, output])).rules
    assert "K5" not in product.check(log(tmp_path, [HELLO, output, CALL])).rules


def test_a_result_of_another_kind_is_not_taken_for_it(tmp_path: Path) -> None:
    output = {"type": "custom_tool_call_output", "call_id": "fc_1", "output": "alpha"}
    assert "K5" not in product.check(log(tmp_path, [HELLO, CALL, output])).rules


# requests without tools

CONVERSE = [
    {"role": "user", "content": [{"text": "hi"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "A", "name": "read", "input": {}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "A", "content": [{"text": "alpha"}]}}]},
]
TOOLS = {"toolConfig": {"tools": [{"toolSpec": {"name": "read"}}]}}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"modelId": "m", "messages": CONVERSE}, True),
        ({"modelId": "m", "messages": CONVERSE} | TOOLS, False),
        ({"modelId": "m", "messages": CONVERSE[:1]}, False),
        ({"messages": CONVERSE}, False),
        (CONVERSE, False),
    ],
)
def test_a_request_with_calls_that_defines_no_tools(body: Any, told: bool, tmp_path: Path) -> None:
    path, out = log(tmp_path, body), tmp_path / "out.json"
    answer = product.check(path)
    assert (answer.session["verdict"], answer.rules) == ("healthy", {"K8"} if told else set())
    for finding in answer.findings:
        assert (finding["severity"], finding["strategies"]) == ("warning", ["leave"])
        assert "toolConfig field must be defined" in finding["refused_by"]["bedrock-converse"]
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()
