"""What Cline does on resume: the facts that its code and recorded requests agree in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.cline_sdk import render
from tests.support import product
from tests.support.notation import parse

Messages = list[dict[str, Any]]
CHAT = {"provider": "openai-compatible", "id": "some-model"}
CLAUDE = {"provider": "anthropic", "id": "claude-sonnet-4-5"}


def log(
    folder: Path, history: str, model: dict[str, str] = CHAT, change: Callable[[Messages], object] | None = None
) -> Path:
    document = json.loads(render(parse(history)))
    document["origin"] = {"source": "cli", "version": "3.0.65"}
    for message in document["messages"]:
        if message["role"] == "assistant" and model:
            message["modelInfo"] = model
    if change is not None:
        change(document["messages"])
    path = folder / "1.messages.json"
    path.write_text(json.dumps(document, indent=2), "utf-8")
    return path


def resumed(path: Path) -> tuple[str, str, str]:
    """Verdict and outcome, and what is sent of calls and results; those of its own with a star."""
    session = product.check(path).session
    blocks = [block for block in product.sent(path).blocks if block["kind"] in ("call", "result")]
    own = {block["id"] for block in blocks if block["mark"] == "answered by the agent"}
    told = (f"{each['id']}{'*' * (each['id'] in own)}" for each in blocks if each["kind"] == "result")
    return session["verdict"], session["on_resume"]["outcome"], " ".join(told)


@pytest.mark.parametrize(
    ("history", "verdict", "outcome", "results"),
    [
        ('u | a{A} | r(A=alpha) | a"ok"', "healthy", "as-is", "A"),
        ("u | a{A} | r(A=alpha) | a{B,C}", "heals-itself", "mends", "A B* C*"),
        ('u | a{A,B} | r(B=beta) | a"ok"', "heals-itself", "mends", "B A*"),
        ('u | a{A} | a{B} | r(B=beta) | a"ok"', "heals-itself", "mends", "A* B"),
        # A result that stands somewhere is not missing to Cline, wherever it stands.
        ('u | a{A} | a{B} | r(B=beta) | a"ok" | r(A=alpha)', "broken", "refuses", "B A"),
        ('u | a{A} | r(A=alpha) | r(A=alpha) | a"ok"', "broken", "refuses", "A A"),
        ('u | r(A=alpha) | a"ok"', "broken", "refuses", "A"),
    ],
)
def test_what_is_sent(history: str, verdict: str, outcome: str, results: str, tmp_path: Path) -> None:
    assert resumed(log(tmp_path, history)) == (verdict, outcome, results)


@pytest.mark.parametrize(
    ("history", "error"),
    [
        ('u | r(A=alpha) | a{A} | a"ok"', "Tool result is missing for tool call A."),
        ('u | a{A,B} | u"now?" | r(A=alpha),r(B=beta) | a"ok"', "Tool results are missing for tool calls A, B."),
        ('u | a{A,B} | r(A=alpha) | u"now?" | r(B=beta) | a"ok"', "Tool result is missing for tool call B."),
    ],
)
def test_a_message_of_the_user_before_a_result_stops_it(history: str, error: str, tmp_path: Path) -> None:
    path = log(tmp_path, history)
    resume = product.check(path).session["on_resume"]
    assert (resume["outcome"], resume["error"]) == ("refuses", error)
    assert product.sent(path).report["messages"] == []


def without_name(messages: Messages) -> None:
    del messages[2]["content"][0]["name"]


def test_a_result_without_the_name_of_its_tool_stops_it(tmp_path: Path) -> None:
    """Its own results have one; and so have ours, be they placeholders or real."""
    path = log(tmp_path, "u | a{A} | r(A=alpha) | a{B}", change=without_name)
    assert "ModelMessage[] schema" in product.check(path).session["on_resume"]["error"]


def test_what_a_message_holds_beside_results_is_sent_apart(tmp_path: Path) -> None:
    def mixed(messages: Messages) -> None:
        messages[2]["content"].append({"type": "text", "text": "and go on"})

    path = log(tmp_path, 'u | a{A} | r(A=alpha) | a{B} | u"stop" | a"ok"', change=mixed)
    sent = product.sent(path).report["messages"]
    assert [message["role"] for message in sent] == "user assistant tool user assistant tool user assistant".split()


def test_neighbours_are_one_message_to_claude_alone(tmp_path: Path) -> None:
    history = 'u | a{A} | a{B} | r(A=alpha) | r(B=beta) | a"ok"'
    assert resumed(log(tmp_path, history)) == ("broken", "refuses", "A B")
    path = log(tmp_path, history, CLAUDE)
    assert resumed(path)[1:] == ("mends", "A B")
    assert [each["role"] for each in product.sent(path).report["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]


def test_a_result_goes_out_as_json_and_a_prompt_without_its_tag(tmp_path: Path) -> None:
    def as_written(messages: Messages) -> None:
        messages[0]["content"] = [{"type": "text", "text": '<user_input mode="act">go</user_input>'}]
        messages[2]["content"][0]["content"] = [{"query": "ls", "result": "a\n", "success": True}]

    prompt, _, result, _ = product.sent(log(tmp_path, 'u | a{A} | r(A=x) | a"ok"', change=as_written)).report[
        "messages"
    ]
    assert prompt["content"] == "go"
    assert result["content"] == '[{"query":"ls","result":"a\\n","success":true}]'


def test_a_torn_file_is_an_empty_session_and_is_written_over(tmp_path: Path) -> None:
    path = log(tmp_path, 'u | a{A} | r(A=alpha) | a"ok"')
    path.write_bytes(path.read_bytes()[:-200])
    session = product.check(path).session
    assert session["verdict"] == "broken"
    (lost,) = session["on_resume"]["loses"]
    assert lost == "the whole session, because a file that is not valid JSON is treated as empty"
    assert session["on_resume"]["writes"] == "overwrites the file when you send your next message"
    assert product.sent(path).report["messages"] == []


def test_it_writes_into_empty_messages(tmp_path: Path) -> None:
    def emptied(messages: Messages) -> None:
        messages.insert(3, {"id": "x", "role": "user", "content": [], "ts": 1})

    path = log(tmp_path, "u | a{A} | r(A=alpha) | a{B}", CLAUDE, emptied)
    assert "ERROR: EMPTY CONTENT" in product.check(path).session["on_resume"]["writes"]


def test_the_version_that_began_the_session_is_told(tmp_path: Path) -> None:
    assert product.check(log(tmp_path, "u | a{A}")).session["on_resume"]["agent"] == "cline 3.0.65"


def test_what_a_compaction_beside_it_stands_for_is_not_known(tmp_path: Path) -> None:
    path = log(tmp_path, "u | a{A}")
    path.with_name("1.compaction.json").write_bytes(path.read_bytes())
    assert product.check(path).session["on_resume"]["outcome"] == "unknown"
    assert "Cline sends the compaction stored next to the log" in product.run("check", str(path)).stdout


def test_an_input_that_is_no_object_goes_out_as_a_text_to_openai(tmp_path: Path) -> None:
    def as_text(messages: Messages) -> None:
        messages[1]["content"][0]["input"] = '{"a": 1}'

    for model, outcome in ((CHAT, "mends"), (CLAUDE, "refuses")):
        path = log(tmp_path, 'u | a{A} | r(A=alpha) | a"ok"', model, as_text)
        assert product.check(path).session["on_resume"]["outcome"] == outcome


def test_the_error_counts_messages_as_the_provider_does(tmp_path: Path) -> None:
    error = product.check(log(tmp_path, 'u | r(A=alpha) | a"ok"')).session["on_resume"]["error"]
    assert "messages.[2].role" in error  # the system prompt is the first


def sent_result(content: Any, folder: Path) -> str:
    """What is sent of a result with this content."""

    def change(messages: Messages) -> None:
        blocks = (block for message in messages for block in message["content"] if isinstance(block, dict))
        next(block for block in blocks if block["type"] == "tool_result")["content"] = content

    messages = product.sent(log(folder, 'u | a{A} | r(A=x) | a"ok"', change=change)).report["messages"]
    (result,) = (message["content"] for message in messages if message["role"] == "tool")
    return str(result)


@pytest.mark.parametrize(
    ("text", "shortened"),
    [
        ("x" * 8000, "x" * 8000),
        ("x" * 9000, f"{'x' * 3984}\n\n...[truncated 1032 chars]...\n\n{'x' * 3984}"),
        # 12001 code units; the half of a character that is left at the cut is replaced.
        (f"a{'😀' * 6000}", f"a{'😀' * 1991}\ufffd\n\n...[truncated 4033 chars]...\n\n{'😀' * 1992}"),
    ],
)
def test_a_long_result_is_sent_without_its_middle(text: str, shortened: str, tmp_path: Path) -> None:
    """As 3.0.65 sent them."""
    assert sent_result(text, tmp_path) == shortened
    entries = [{"type": "text", "text": text}, {"query": text, "n": [1, text]}, {"type": "image", "data": text}]
    short = [{"type": "text", "text": shortened}, {"query": shortened, "n": [1, shortened]}, entries[-1]]
    assert json.loads(sent_result(entries, tmp_path)) == short


@pytest.mark.parametrize(("content", "text"), [(7, "7"), (True, "true"), ({"a": 1}, '{"a":1}')])
def test_a_result_that_is_no_text_is_sent_as_json(content: Any, text: str, tmp_path: Path) -> None:
    """As 3.0.65 sent them."""
    assert sent_result(content, tmp_path) == text


@pytest.mark.parametrize("model", [CHAT, CLAUDE], ids=["chat", "claude"])
def test_blocks_of_other_types_are_not_sent(model: dict[str, str], tmp_path: Path) -> None:
    """As 3.0.65 dropped them; its own images have their data beside the type."""
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    dropped = [
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}},
        {"type": "image", "source": source},
        {"type": "robot", "words": "beep"},
        {"type": "search_result", "source": "s", "title": "t", "content": []},
    ]

    def add(messages: Messages) -> None:
        messages[0]["content"] = [{"type": "text", "text": "go"}, *dropped]
        messages[1]["content"].append({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})

    plain = product.sent(log(tmp_path, 'u"go" | a"ok"', model)).report["messages"]
    assert product.sent(log(tmp_path, 'u"go" | a"ok"', model, add)).report["messages"] == plain


def test_anthropic_gets_the_members_that_the_library_knows_and_signed_reasoning_alone(tmp_path: Path) -> None:
    """Seen with Cline 3.0.65: all other members are left out, and so is reasoning without a signature."""

    def change(messages: Messages) -> None:
        call, result = messages[1]["content"][-1], messages[2]["content"][0]
        call["toolset_name"] = {"a": 1}
        result["cache_control"] = True
        messages[1]["content"][:0] = [
            {"type": "thinking", "thinking": "signed", "signature": "c2ln", "x": 1},
            {"type": "thinking", "thinking": "not signed"},
            {"type": "thinking", "thinking": "signed oddly", "signature": True},
            {"type": "redacted_thinking", "data": "Z0FB"},
            {"type": "text", "text": "so", "citations": [7]},
        ]

    path = log(tmp_path, 'u | a{A} | r(A=alpha) | a"ok"', CLAUDE, change)
    blocks = [block for message in product.sent(path).report["messages"] for block in message["content"]]
    assert [sorted(block) for block in blocks] == [
        ["text", "type"],
        ["signature", "thinking", "type"],
        ["text", "type"],
        ["id", "input", "name", "type"],
        ["content", "tool_use_id", "type"],
        ["text", "type"],
    ]
    assert resumed(path)[:2] == ("heals-itself", "mends")
