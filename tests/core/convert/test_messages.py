"""Converting to messages of an API: the same history in another shape, and every block that is not as it was listed."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.repair.choices import Choices
from tests.core.formats import FORMATS
from tests.core.repair.logs import saved, written
from tests.core.resume_request.test_claude_code import NEW, log
from tests.support import product
from tests.support.judges import JUDGES
from tests.support.notation import parse, show
from tests.support.projection import printed, read

HISTORY = 'u"one" | a"t"{A p=1} | r(A=alpha) | a"ok" | u"two" | a{B,C@Bash q="x y"} | r(B=beta),r(C=gamma) | a"fin"'
NAMES = [name for name in FORMATS if name != "cline-ui"]  # what a window showed holds no messages of a conversation
TARGETS = {"openai": "openai-chat", "anthropic": "anthropic-messages"}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def converted(path: Path, target: str, *options: str) -> tuple[bytes, dict[str, Any]]:
    out = path.parent / "converted" / "messages.json"  # not among the files of a task, which tell what it is
    out.parent.mkdir(exist_ok=True)
    answer = product.convert(path, target, out, *options)
    assert answer.code == 0, answer.report["reason"]
    return out.read_bytes(), answer.report


def document(folder: Path, body: Any) -> Path:
    path = folder / "log.json"
    path.write_text(body if isinstance(body, str) else json.dumps(body))
    return path


def noted(report: dict[str, Any]) -> list[str]:
    """What was noted of blocks, without what a request needs besides."""
    return [f"{note['action']} {note['what']}" for note in report["notes"] if note["what"] != "request"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_a_sound_history_is_the_same_in_the_other_shape(name: str, target: str, tmp_path: Path) -> None:
    path = FORMATS[name].write(parse(HISTORY), tmp_path)
    data, report = converted(path, target)
    history = [turn for turn in read(data, target) if turn.role != "developer"]  # an agent's own system prompt
    assert show(history).replace("+", " | u").endswith(HISTORY)
    assert [judge(history) for judge in JUDGES[target]] == [None] * len(JUDGES[target])
    assert report["output_verdict"] == "healthy"
    assert product.check(Path(report["output"])).session["format"] == TARGETS[target]


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_and_signs_stay_as_they_are_spelled(target: str, tmp_path: Path) -> None:
    inputs = '{"id": 123456789012345678901234567890, "x": 1.10, "y": 1e400, "t": "\\u4e2d文 \\ud83d\\ude00"}'
    body = f"""{{"messages": [{{"role": "user", "content": "看 😀 \\u0000"}},
        {{"role": "assistant", "content": [{{"type": "tool_use", "id": "A", "name": "Read", "input": {inputs}}}]}},
        {{"role": "user", "content": [{{"type": "tool_result", "tool_use_id": "A", "content": "ü"}}]}}]}}"""
    data, _ = converted(document(tmp_path, body), target)
    if target == "openai":
        calls = json.loads(data)["messages"][1]["tool_calls"]
        assert calls[0]["function"]["arguments"] == inputs
    else:
        assert inputs.encode() in data
    assert json.loads(data)["messages"][0]["content"] in ("看 😀 \0", [{"type": "text", "text": "看 😀 \0"}])


def test_a_number_of_more_digits_than_python_reads_stays(tmp_path: Path) -> None:
    body = """{"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": [
        {"type": "tool_use", "id": "A", "name": "f", "input": {"n": 9...9}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "ok"}]}]}"""
    data, _ = converted(document(tmp_path, body.replace("9...9", "9" * 5000)), "openai")
    assert b"9" * 5000 in data


def test_a_structured_result_keeps_its_long_numbers(tmp_path: Path) -> None:
    contents = """[{"role": "user", "parts": [{"text": "u"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": RESPONSE}}]}]"""
    response = '{"n": 98765432109876543210, "m": 1}'
    data, _ = converted(document(tmp_path, f'{{"contents": {contents}}}'.replace("RESPONSE", response)), "openai")
    assert json.loads(data)["messages"][2]["content"] == response


def test_signed_reasoning_goes_to_anthropic_as_it_is_and_nowhere_else(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u | a[th]"t"{A} | r(A=x) | a"ok"')
    data, report = converted(path, "anthropic")
    assert printed(data, "anthropic") == 'u | a[th]"t"{A} | r(A=x) | a"ok"'
    assert noted(report) == ["kept reasoning"]
    data, report = converted(path, "openai")
    assert printed(data, "openai") == 'u | a"t"{A} | r(A=x) | a"ok"'
    assert [(note["what"], note["text"]) for note in report["notes"]] == [("reasoning", "th")]


def test_reasoning_of_another_provider_is_left_out(tmp_path: Path) -> None:
    path = FORMATS["codex"].write(parse('u | a[th]"t" | u | a'), tmp_path)
    assert "skipped reasoning" in noted(converted(path, "anthropic")[1])


def test_ids_that_the_target_refuses_are_changed_for_the_pair(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'u | a{"f.read:0"} | r("f.read:0"=x) | a{f-read-0} | r(f-read-0=y) | a')
    data, report = converted(path, "anthropic")
    assert printed(data, "anthropic") == "u | a{f-read-0} | r(f-read-0=x) | a{f-read-0-2} | r(f-read-0-2=y) | a"
    assert [note["text"] for note in report["notes"] if note["what"] == "id"] == [
        "f.read:0 → f-read-0",
        "f-read-0 → f-read-0-2",
    ]


def test_ids_used_again_stay_where_the_target_allows_it(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", "u | a{A} | r(A=x) | u | a{A} | r(A=y) | a")
    assert printed(converted(path, "openai")[0], "openai") == "u | a{A} | r(A=x) | u | a{A} | r(A=y) | a"
    assert printed(converted(path, "anthropic")[0], "anthropic") == 'u | a{A} | r(A=x)+"u" | a{A-2} | r(A-2=y) | a'


def test_a_tool_s_name_that_the_target_refuses_is_changed(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", "u | a{A@web:search} | r(A=x) | a")
    data, report = converted(path, "openai")
    assert json.loads(data)["messages"][1]["tool_calls"][0]["function"]["name"] == "web_search"
    assert noted(report) == ["adapted tool name"]


def test_the_flag_of_an_error_is_kept_or_told_to_be_lost(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", "u | a{A} | r!(A=x) | a")
    assert printed(converted(path, "anthropic")[0], "anthropic") == "u | a{A} | r!(A=x) | a"
    assert noted(converted(path, "openai")[1]) == ["adapted result"]


def test_the_system_s_words_go_where_the_target_has_them(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'dev"rules" | u | a | dev"later" | u | a')
    data, report = converted(path, "anthropic")
    assert json.loads(data)["system"] == "rules"
    assert printed(data, "anthropic") == 'u | a | u"[system] later"+"u" | a'
    assert noted(report) == ["adapted system message"]
    body = {
        "system": [{"type": "text", "text": "rules"}],
        "max_tokens": 1,
        "messages": [{"role": "user", "content": "u"}],
    }
    data, _ = converted(document(tmp_path, body), "openai")
    assert printed(data, "openai") == 'dev"rules" | u'


def test_images_are_carried_where_the_target_can(tmp_path: Path) -> None:
    image: dict[str, Any] = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "look"}, image]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "Read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": [image]}]},
    ]
    path = document(tmp_path, {"max_tokens": 1, "messages": messages})
    kept = json.loads(converted(path, "anthropic")[0])["messages"]
    assert [kept[0]["content"], kept[2]["content"][0]["content"]] == [messages[0]["content"], [image]]
    data, report = converted(path, "openai")
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    chat = json.loads(data)["messages"]
    assert chat[0]["content"] == [{"type": "text", "text": "look"}, url]
    assert chat[2]["content"].startswith("[image/png, ")
    assert noted(report) == ["adapted media"]
    back, _ = converted(document(tmp_path, {"messages": chat}), "anthropic")
    assert json.loads(back)["messages"][0]["content"] == messages[0]["content"]


def test_what_the_provider_ran_is_told_as_text(tmp_path: Path) -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    body = [
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": [search, found, {"type": "text", "text": "ok"}]},
    ]
    data, report = converted(document(tmp_path, body), "openai")
    assert "[web_search]" in json.loads(data)["messages"][1]["content"]
    assert noted(report) == ["adapted server tool"] * 2


def test_an_input_that_is_no_object_becomes_one(tmp_path: Path) -> None:
    call = {"id": "A", "type": "function", "function": {"name": "patch", "arguments": "*** Begin"}}
    messages = [{"role": "user", "content": "u"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    messages.append({"role": "tool", "tool_call_id": "A", "content": "x"})
    data, report = converted(document(tmp_path, messages), "anthropic")
    assert json.loads(data)["messages"][1]["content"][0]["input"] == {"input": "*** Begin"}
    assert noted(report) == ["adapted call"]


def test_a_history_that_begins_with_the_assistant_gets_a_beginning(tmp_path: Path) -> None:
    data, report = converted(written(tmp_path, "openai", 'a"hello" | u | a'), "anthropic")
    assert printed(data, "anthropic").startswith(
        'u"[The beginning of this conversation is not part of the log.]" | a"hello"'
    )
    assert noted(report) == ["adapted beginning"]


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_unmatched_is_said_and_stays_so(target: str, tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u | a{A,B} | r(A=x) | u"q" | a"ok" | r(Z=z) | a"end"')
    before = path.read_bytes()
    _, report = converted(path, target)
    assert sorted(each for each in noted(report) if each.startswith("open")) == ["open call", "open result"]
    assert (report["verdict"], report["output_verdict"]) == ("broken", "broken")
    _, report = converted(path, target, "--repaired")
    assert [each for each in noted(report) if each.startswith("open")] == []
    assert report["output_verdict"] == "healthy"
    assert path.read_bytes() == before


def test_what_only_its_agent_would_mend_is_not_said_to_be_sound(tmp_path: Path) -> None:
    engine = WindowEngine()
    assert engine.open(str(log(tmp_path, "u | a{A}", NEW))).overview.sessions[0].verdict == "heals-itself"
    assert not engine.convert("anthropic").sound
    assert engine.convert("anthropic", repairs=Choices()).sound
    engine.close()


def test_fragments_and_forked_results_of_one_message_come_together(tmp_path: Path) -> None:
    path = written(tmp_path, "claude-code", "u | A[m1]{A} | r(A=x) | A[m1]{B} | r(B=y) | a")
    assert printed(converted(path, "openai")[0], "openai") == "u | a{A,B} | r(A=x),r(B=y) | a"


def test_calls_of_one_turn_in_two_messages_come_together_with_their_results(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u | a{A} | a{B} | r(A=x,B=y) | a"ok"')
    assert printed(converted(path, "openai")[0], "openai") == 'u | a{A,B} | r(A=x),r(B=y) | a"ok"'


def test_one_session_of_several_is_chosen(tmp_path: Path) -> None:
    conversations = [
        [{"role": "user", "content": word}, {"role": "assistant", "content": "ok"}] for word in ("one", "two")
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"messages": each}) + "\n" for each in conversations))
    out = tmp_path / "out.json"
    refused = product.convert(path, "openai", out)
    assert (refused.code, out.exists()) == (2, False)
    assert "2 sessions" in refused.report["reason"]
    assert printed(converted(path, "openai", "--session", "1")[0], "openai") == 'u"two" | a"ok"'
    assert product.convert(path, "openai", out, "--session", "7").code == 2


def test_what_is_not_judged_is_not_converted(tmp_path: Path) -> None:
    path, out = document(tmp_path, {"a": [1, 2]}), tmp_path / "out.json"
    assert product.convert(path, "openai", out).code in (2, 3)
    assert not out.exists()


def test_the_original_is_never_the_output(tmp_path: Path) -> None:
    path = saved(tmp_path, "openai", b'{"messages": [{"role": "user", "content": "u"}]}')
    before = path.read_bytes()
    assert product.convert(path, "anthropic", path).code == 2
    assert path.read_bytes() == before


def test_reasoning_that_ends_the_history_is_skipped(tmp_path: Path) -> None:
    """Claude Code does not send it either: the history is healthy, and Anthropic would refuse it as it stands."""
    data, report = converted(
        written(tmp_path, "claude-code", 'u"one" | a[th=why]{A} | r(A=a) | a[th=then]'), "anthropic"
    )
    assert show(read(data, "anthropic")) == 'u"one" | a[th=why]{A} | r(A=a)'
    assert "skipped reasoning" in noted(report)
    assert report["output_verdict"] == "healthy"
