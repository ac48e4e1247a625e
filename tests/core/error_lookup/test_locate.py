"""From a pasted error to the record: by id, by the index through folding and merging, by class; what does not fit."""

import json
from pathlib import Path

import pytest

from tests.core.error_lookup.lookup import answer, found, refusal, remarks
from tests.core.error_lookup.test_accepted_history import claude_code
from tests.core.formats import FORMATS
from tests.core.repair.logs import saved, written
from tests.interop import agents
from tests.support import product
from tests.support.notation import lines, parse

OPEN = 'u | a"t"{A} | r(A=x) | a"t"{B} | u"stop" | a"ok"'
TWICE = 'u | a{c0} | r(c0=1) | u | a{c0} | u"q" | a{B} | u | a'


def test_an_id_leads_to_its_finding(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", OPEN.replace("B", "toolu_01B"))
    text = "messages.99: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01B. Each"
    assert found(path, text) == ["id 3 D2:toolu_01B"]


def test_an_id_that_is_cut_off_or_of_an_odd_look_leads_there_too(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", OPEN.replace("B", '"bash-uOQIdN0O"'))
    assert found(path, "the call bash-uOQIdN0O was not answered") == ["id 3 D2:bash-uOQIdN0O"]
    assert found(path, "did not have response messages: bash-uO…") == ["id 3 D2:bash-uOQIdN0O"]
    assert found(path, "the call bash-uOQIdN0O2 was not answered") == []


def test_an_id_without_a_finding_leads_to_its_block(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", OPEN.replace("A", "toolu_01A"))
    text = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A."
    assert found(path, text) == ["id 1 toolu_01A"]
    assert "This log contains toolu_01A, but the error no longer applies" in remarks(path, text)
    orphan = "unexpected `tool_use_id` found in `tool_result` blocks: toolu_01A."
    assert found(path, orphan) == ["id 2 toolu_01A"]


def test_a_message_that_the_agent_adds_is_counted(tmp_path: Path) -> None:
    """Claude Code 2.1.330 sends its environment as the second message (seen with the real agent)."""
    text = refusal("anthropic", "K4", 2, 0)
    path = claude_code(tmp_path, "u\na {A.b}\nr A.b\na {B.b}\nr B.b")
    assert found(path, text) == ["index 2 A.b"]
    path.write_bytes(path.read_bytes().replace(b"2.1.112", b"2.1.330"))
    assert found(path, text) == ["index 1 K4:A.b"]
    counting = "by counting the message that the agent adds after the first message"
    assert remarks(path, text) == f"Message 2 was found {counting}."


def test_a_reused_id_leads_where_the_index_points(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", TWICE)
    assert "id 1 K1:c0" not in found(path, refusal("anthropic", "K1", 4, 0))
    assert found(path, refusal("anthropic", "D2", 4, 0, "c0")) == ["id 4 D2:c0"]


def test_the_id_of_a_reasoning_item_leads_to_its_record(tmp_path: Path) -> None:
    items = [
        {"role": "user", "content": "u"},
        {"type": "reasoning", "id": "rs_0c38", "summary": []},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "x"},
    ]
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "gpt-5", "input": items}))
    text = "Item 'rs_0c38' of type 'reasoning' was provided without its required following item."
    assert [each.split()[:2] for each in found(path, text)][:1] == [["id", "1"]]


@pytest.mark.parametrize(
    ("name", "profile", "history", "rule", "message", "expected"),
    [
        ("anthropic-messages", "anthropic", OPEN, "D2", 3, "index 3 D2:B"),
        ("openai-chat", "openai-chat", "u | r(Z=z) | a", "R1", 1, "index 1 R1:Z"),
        ("openai-chat", "openai-chat", 'dev"system" | u | r(Z=z) | a', "R1", 2, "index 2 R1:Z"),
        ("bedrock-converse", "bedrock-converse", OPEN, "D2", 3, "index 3 D2:B"),
        ("gemini-contents", "gemini", OPEN, "D2", 3, "index 3 D2:B"),
        ("openai-responses", "openai-responses", "u | r(Z=z) | a", "K3", 1, "index 1 R1:Z"),
        ("claude-code", "anthropic", 'u | A[m]"t" | A[m]{A} | A[m]{B} | r(A=x) | u"stop" | a', "D3", 1, "index 3 D3:B"),
    ],
)
def test_an_index_leads_to_its_message(
    tmp_path: Path, name: str, profile: str, history: str, rule: str, message: int, expected: str
) -> None:
    """Fragments of one message, users in a row and tool messages are counted as the provider counts them."""
    path = FORMATS[name].write(parse(history), tmp_path)
    places = found(path, refusal(profile, rule, message))
    assert (places[:1] or [""]) == [expected]


def test_an_index_of_the_message_behind_the_call_leads_to_the_call(tmp_path: Path) -> None:
    """OpenAI and Bedrock name the message that is no result, which may not even be there."""
    openai = written(tmp_path, "openai", 'u | a{A,B} | r(A=x) | u"stop" | a"ok"')
    text = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    assert found(openai, f"{text} 'param': 'messages.[3].role'") == ["index 1 D3:B"]
    anthropic = written(tmp_path, "anthropic", "u | a{A}")
    assert found(anthropic, "Expected toolResult blocks at messages.2.content") == ["index 1 D1:A"]


def test_records_that_are_no_message_are_not_counted(tmp_path: Path) -> None:
    """Claude Code: attachments and notes between messages, users in a row that are sent as one."""
    path = FORMATS["claude-code"].write(parse('u | u"again" | a"t"{A} | r(A=x) | a{B} | u"stop" | a'), tmp_path)
    assert found(path, refusal("anthropic", "D2", 3)) == ["index 5 D2:B"]


def test_a_system_prompt_that_the_agent_sends_first_is_counted(tmp_path: Path) -> None:
    record = {"role": "user", "content": "u"}
    call = {"role": "assistant", "tool_calls": [{"id": "Shell:1", "type": "function"}]}
    call["tool_calls"][0]["function"] = {"name": "Shell", "arguments": "{}"}  # type: ignore[index]
    path = tmp_path / "context.jsonl"
    path.write_bytes(lines([{"role": "_checkpoint", "id": 0}, record, call, record]))
    text = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
    assert found(path, f"{text} messages.[2].role")[0].startswith("index 2 D2")


def test_behind_a_system_prompt_the_number_is_that_of_the_message_before(tmp_path: Path) -> None:
    """A context of kimi-cli holds no system prompt: the provider's message 2 is the second one here."""
    strays = [{"role": "tool", "tool_call_id": name, "content": "x"} for name in "YZ"]
    said = [{"role": "user", "content": "u"}, *strays, {"role": "assistant", "content": "a"}]
    path = tmp_path / "context.jsonl"
    path.write_bytes(lines([{"role": "_checkpoint", "id": 0}, *said]))
    assert found(path, refusal("openai-chat", "R1", 2))[:1] == ["index 2 R1:Y"]


def test_a_block_is_found_among_those_of_its_message(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", "u | a{A} | r(A=x) | a")
    (place,) = answer(path, "messages.1.content.0: Invalid `signature` in `thinking` block").logs[0].location.places
    assert (place.place.record, place.place.pointer, place.call_id) == (1, "/content/0", "A")
    assert "Nothing at messages.1.content.0 matches the error." in remarks(path, "messages.1.content.0: x")


@pytest.mark.parametrize(("number", "record"), [(1, 1), (2, 1), (3, 2), (5, 3), (6, 4), (8, -1)])
def test_a_record_that_is_several_messages_is_counted_as_them(number: int, record: int, tmp_path: Path) -> None:
    """opencode keeps a call and its result in one part: the result is the user's next message."""
    path = FORMATS["opencode"].write(parse('u | a"t"{A} | r(A=x) | a{B} | r(B=x) | a"ok" | u | a'), tmp_path)
    logs = answer(path, f"messages.{number}.content.0: Invalid `signature` in `thinking` block").logs
    assert [place.place.record for log in logs for place in log.location.places] == ([record] if record >= 0 else [])


def test_an_index_beyond_the_history_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", "u | a{A} | r(A=x) | a")
    text = "messages.132.content.0: unexpected `tool_use_id` found in `tool_result` blocks"
    assert found(path, text) == []
    assert "There is no message 132: the history has 4 messages, numbered from 0." in remarks(path, text)


def test_an_id_of_another_log_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", OPEN)
    text = "No tool output found for function call call_of_another_log1."
    assert "This log does not contain call_of_another_log1" in remarks(path, text)


def test_without_id_and_index_the_class_leads_there(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", OPEN + " | r(Z=z) | a")
    assert found(path, "400 due to tool use concurrency issues") == ["class 3 D2:B", "class 6 R1:Z"]
    assert found(path, "each tool_use must have a single result") == []


def test_a_side_thread_is_looked_at_as_well(tmp_path: Path) -> None:
    path = FORMATS["claude-code"].write(parse('u | a{A} | r(A=x) | a"ok"'), tmp_path)
    data = path.read_bytes()
    side = data.replace(b'"isSidechain":false', b'"isSidechain":true').replace(b"0000-00000", b"0000-10000")
    side = side.replace(b'"A"', b'"toolu_side1"')
    path.write_bytes(data + b"".join(side.splitlines(keepends=True)[:2]))
    text = "tool_use ids were found without tool_result blocks immediately after: toolu_side1."
    assert found(path, text)[0].endswith("toolu_side1")


def test_one_conversation_of_many(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    whole = {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]}
    calls = [{"id": "call_m1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    broken = {"messages": [whole["messages"][0], {"role": "assistant", "content": None, "tool_calls": calls}]}
    path.write_bytes(lines([whole, broken, whole]))
    assert found(path, "did not have response messages: call_m1") == ["id 3 D1:call_m1"]


def test_the_log_keeps_the_error_itself(samples: Path) -> None:
    path = samples / "claude-code-broken.jsonl"
    call_id = "toolu_01b3RrdRFZ7BvZ9SEvC7CFqA"
    error = f"messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: {call_id}."
    (log,) = answer(path, error).logs
    assert [each.finding.rule for each in log.location.places if each.finding] == ["D2"]
    assert len(log.recorded_places) == 1


def test_odd_logs_are_no_trouble(tmp_path: Path) -> None:
    for number, data in enumerate(
        (b'[{"role":1}]', b'{"messages":[null,{"role":"user","content":[[]]}]}', b"{}\n{}\n")
    ):
        path = saved(tmp_path, "anthropic", data)
        assert isinstance(answer(path, refusal("anthropic", "D2", number)).is_understood, bool)


@pytest.mark.parametrize("message", range(8))
def test_an_index_in_a_log_that_repeats_a_result_is_located(message: int) -> None:
    text = f"messages.{message}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_x"
    said = product.run(
        "explain", "--error", text, str(Path(agents.__path__[0]) / "recorded" / "gemini-cli-0.61.0" / "healthy.jsonl")
    )
    assert said.exit_code == 1, said.stderr
    assert ("by index" in said.output) != (f"There is no message {message}" in said.output)
