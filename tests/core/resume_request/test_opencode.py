"""What opencode does on resume: the facts that its code and runs of 1.18.33 agree in."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.support import product
from tests.support.notation import Call, Result

Part = dict[str, Any]
STEP = {"type": "step-start"}


def part(state: Any, name: str = "A") -> Part:
    return {"type": "tool", "callID": name, "tool": "bash"} | ({} if state is None else {"state": state})


def done(name: str, **more: Any) -> Part:
    state = {"status": "completed", "input": {}, "output": "alpha", "title": "", "metadata": {}}
    return part(state | {"time": {"start": 1, "end": 2}} | more, name)


def log(folder: Path, *parts: Part, **more: Any) -> Path:
    messages = [
        user(1, text("go")),
        assistant(2, *parts, **more),
        user(3, text("on")),
        assistant(4, text("ok"), **more),
    ]
    return opencode.write_export(messages, folder / "export.json")


def blocks(content: list[Part]) -> list[str]:
    members = ("id", "tool_use_id", "thinking", "text")
    return [next(block[member] for member in members if member in block) for block in content]


@pytest.mark.parametrize(
    ("parts", "verdict", "sent", "answered"),
    [
        ([text("t"), done("A")], "healthy", [["t", "A"], ["A", "on"]], []),
        ([tool(Call("A"), None)], "heals-itself", [["A"], ["A", "on"]], ["[Tool execution was interrupted]"]),
        ([done("A"), STEP, done("B")], "healthy", [["A"], ["A"], ["B"], ["B", "on"]], []),
        ([done("A", time={"start": 1, "end": 2, "compacted": 3})], "healthy", [["A"], ["A", "on"]],
         ["[Old tool result content cleared]"]),
        ([text(""), done("A")], "healthy", [["A"], ["A", "on"]], []),
        ([text("t"), part({})], "broken", [["t"], ["on"]], []),
        ([done("A"), done("A")], "broken", [["A", "A"], ["A", "A", "on"]], []),
        ([done("a:1")], "heals-itself", [["a_1"], ["a_1", "on"]], []),
    ],
)  # fmt: skip
def test_what_is_sent(
    parts: list[Part], verdict: str, sent: list[list[str]], answered: list[str], tmp_path: Path
) -> None:
    path = log(tmp_path, *parts)
    told = product.sent(path)
    assert product.check(path).session["verdict"] == verdict
    assert [blocks(message["content"]) for message in told.report["messages"][1:-1]] == sent
    assert [block["text"] for block in told.blocks if block["mark"] == "answered by the agent"] == answered


@pytest.mark.parametrize(
    "state",
    [
        None,
        {"status": "completed", "input": {}, "time": {"start": 1, "end": 2}},
        {"status": "completed", "input": {}, "output": "alpha"},
        {"status": "completed", "input": {}, "output": "alpha", "time": None},
    ],
)
def test_a_part_of_another_shape_stops_it_and_is_repaired(state: Any, tmp_path: Path) -> None:
    path = log(tmp_path, part(state))
    resume = product.check(path).session["on_resume"]
    assert (resume["outcome"], resume["error"][:40]) == ("refuses", "opencode stops before it sends a request")
    assert product.repair(path, tmp_path / "out.json").code == 0
    assert product.sent(tmp_path / "out.json").report["outcome"] == "as-is"


def test_what_an_interrupted_tool_had_put_out_is_its_result(tmp_path: Path) -> None:
    state = {"status": "error", "input": {}, "error": "Tool execution aborted", "time": {"start": 1, "end": 2}}
    path = log(tmp_path, part(state | {"metadata": {"interrupted": True, "output": "half of it"}}))
    result = product.sent(path).report["messages"][2]["content"][0]
    assert (result["content"], result.get("is_error", False)) == ("half of it", False)


@pytest.mark.parametrize(
    ("provider", "model", "wire", "sent"),
    [
        ("anthropic", "claude-opus-4-5", "anthropic", "call_1"),
        ("amazon-bedrock", "anthropic.claude-opus-4-5", "bedrock-converse", "call_1"),
        ("openai", "gpt-5", "openai-responses", "call:1"),
        ("google", "gemini-3-pro", "gemini", "call:1"),
        ("mistral", "devstral-medium", "openai-chat", "call10000"),
        ("groq", "kimi-k2", "openai-chat", "call:1"),
    ],
)
def test_the_wire_and_the_ids_are_those_of_the_provider(
    provider: str, model: str, wire: str, sent: str, tmp_path: Path
) -> None:
    path = log(tmp_path, done("call:1"), providerID=provider, modelID=model)
    told = product.sent(path)
    assert (told.report["wire"], {block["id"] for block in told.blocks if block["kind"] == "call"}) == (wire, {sent})
    assert product.check(path).session["on_resume"]["outcome"] in ("as-is", "mends")


def test_the_calls_of_mistral_are_not_judged_by_the_ids_of_the_log(tmp_path: Path) -> None:
    path = log(tmp_path, tool(Call("call_0123456789"), Result("call_0123456789", "x")), providerID="mistral")
    assert product.check(path).session["verdict"] == "healthy"


# --- reasoning

SIGNED = {"signature": "c2lnbmVk"}
BOUND = (
    "messages.%d.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation."
)


def reasoning(signature: Part | None = None) -> Part:
    signed = {} if signature is None else {"metadata": {"anthropic": signature}}
    return {"type": "reasoning", "text": "hm", "time": {"start": 1, "end": 2}, **signed}


def test_reasoning_of_another_model_is_sent_as_text(tmp_path: Path) -> None:
    messages = [user(1, text("go")), assistant(2, reasoning(), text("t"), modelID="claude-opus-4-5")]
    messages += [user(3, text("on")), assistant(4, reasoning(SIGNED), text("ok"))]
    told = product.sent(opencode.write_export(messages, tmp_path / "export.json")).report
    assert [blocks(message["content"]) for message in told["messages"]] == [["go"], ["hm", "t"], ["on"], ["hm", "ok"]]


@pytest.mark.parametrize(
    ("signature", "verdict"), [(SIGNED, "healthy"), (None, "healthy"), ({"signature": ""}, "broken")]
)
def test_an_empty_signature_is_sent_and_refused(signature: Part | None, verdict: str, tmp_path: Path) -> None:
    messages = [user(1, text("go")), assistant(2, reasoning(SIGNED), text("t")), user(3, text("on"))]
    messages.append(assistant(4, reasoning(signature), text("ok")))
    path = opencode.write_export(messages, tmp_path / "export.json")
    judged = product.check(path)
    assert (judged.session["verdict"], judged.rules) == (verdict, {"T1"} if verdict == "broken" else set())
    assert product.repair(path, tmp_path / "out.json").code == 0
    assert product.check(tmp_path / "out.json").session["verdict"] == "healthy"


def test_reasoning_that_the_provider_refused_is_found_by_the_number_of_the_message_it_was_sent_in(
    tmp_path: Path,
) -> None:
    error = {"name": "APIError", "data": {"message": BOUND % 5}}
    messages = [user(1, text("go")), assistant(2, reasoning(SIGNED), done("A"), STEP, reasoning(SIGNED), done("B"))]
    messages += [assistant(3, reasoning(SIGNED), text("ok")), user(4, text("on")), assistant(5, error=error)]
    path = opencode.write_export(messages, tmp_path / "export.json")
    judged = product.check(path)
    assert judged.session["verdict"] == "broken"
    assert [(finding["rule"], finding["record"], finding["pointer"]) for finding in judged.findings] == [
        ("T3", 2, "/parts/1")
    ]
    assert judged.session["on_resume"]["error"] == f"APIError: {BOUND % 5}"
    assert product.repair(path, tmp_path / "out.json").code == 0
    assert product.check(tmp_path / "out.json").session["verdict"] == "healthy"


def test_an_empty_signature_that_was_refused_is_found_before_newer_reasoning(tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"message": "messages.1.content.0: Invalid `signature` in `thinking` block"}}
    messages = [user(1, text("go")), assistant(2, reasoning({"signature": ""}), text("t")), user(3, text("on"))]
    messages += [assistant(4, reasoning(SIGNED), text("ok")), user(5, text("on")), assistant(6, error=error)]
    path = opencode.write_export(messages, tmp_path / "export.json")
    assert (product.check(path).session["verdict"], product.check(path).rules) == ("broken", {"T1"})
    assert product.repair(path, tmp_path / "out.json").code == 0
    assert product.check(tmp_path / "out.json").session["verdict"] == "healthy"


def test_what_the_provider_would_answer_names_the_message_as_it_is_sent(tmp_path: Path) -> None:
    messages = [user(1, text("go")), assistant(2, done("A")), assistant(3, done("A")), user(4, text("on"))]
    (finding,) = product.check(opencode.write_export(messages, tmp_path / "export.json")).findings
    assert finding["refused_by"]["anthropic"].startswith("messages.3.content.")


def thought(signature: str | None) -> Part:
    by = {} if signature is None else {"metadata": {"anthropic": {"signature": signature}}}
    return {"type": "reasoning", "text": "hm", "time": {"start": 1, "end": 2}, **by}


SIGNED = {"type": "thinking", "thinking": "hm", "signature": "s"}


@pytest.mark.parametrize(
    ("parts", "verdict", "sent"),
    [
        ([thought("s"), text("t")], "healthy", [SIGNED, text("t")]),
        ([thought("s"), text("")], "broken", [SIGNED, text(" ")]),  # what a kill leaves of a text that had begun
        ([thought("s"), text(""), done("A")], "broken", [SIGNED, text(" "), "A"]),
        ([thought(None), text(""), done("A")], "healthy", ["A"]),
        ([text(" "), done("A")], "broken", [text(" "), "A"]),
    ],
)
def test_signed_thinking_is_sent_and_a_blank_beside_it(
    parts: list[Part], verdict: str, sent: list[Part | str], tmp_path: Path
) -> None:
    path = log(tmp_path, *parts)
    (_, message, *_) = product.sent(path).report["messages"]
    assert [block.get("id", block) for block in message["content"]] == sent
    assert product.check(path).session["verdict"] == verdict


def test_a_repair_takes_the_blank_out(tmp_path: Path) -> None:
    path, out = log(tmp_path, thought("s"), text(""), done("A")), tmp_path / "repaired.json"
    assert product.repair(path, out).code == 0
    assert [block["type"] for block in product.sent(out).report["messages"][1]["content"]] == ["thinking", "tool_use"]
