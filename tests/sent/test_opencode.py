"""What opencode does on resume: the facts that its code and runs of 1.18.33 agree in."""

from pathlib import Path
from typing import Any

import pytest

from tests import product
from tests.formats import opencode
from tests.formats.opencode import assistant, text, tool, user
from tests.notation import Call, Result

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
    return [str(block.get("id") or block.get("tool_use_id") or block.get("text")) for block in content]


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


@pytest.mark.parametrize("state", [None, {"status": "completed", "input": {}, "time": {"start": 1, "end": 2}}])
def test_a_part_of_another_shape_stops_it_and_is_repaired(state: Any, tmp_path: Path) -> None:
    path = log(tmp_path, part(state))
    resume = product.check(path).session["on_resume"]
    assert (resume["outcome"], resume["error"][:30]) == ("refuses", "it stops before any request: a")
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
