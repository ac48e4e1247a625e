"""What Codex does on resume: the facts that its code and runs of 0.169.0 agree in."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.codex import FILE, bare, message, responses, rollout
from tests.support import product
from tests.support.notation import parse

Item = dict[str, Any]


def call(name: str = "A", **more: Any) -> Item:
    return {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": name} | more


def output(name: str | None = "A", kind: str = "function_call_output", **more: Any) -> Item:
    return {"type": kind, "call_id": name, "output": "alpha"} | more


def custom(name: str = "A", **more: Any) -> Item:
    return {"type": "custom_tool_call", "name": "apply_patch", "input": "x", "call_id": name} | more


SEARCH = {"type": "tool_search_call", "call_id": "A", "execution": "client", "arguments": {"query": "x"}}
NAMELESS = {key: value for key, value in call().items() if key != "name"}
SAID = message("assistant", "ok")


def log(folder: Path, *items: Item, version: str = "0.169.0", **meta: str) -> Path:
    path = folder / FILE
    path.write_bytes(rollout(*responses([message("user", "go"), *items, SAID]), cli_version=version, **meta))
    return path


@pytest.mark.parametrize(
    ("items", "verdict", "sent", "dropped"),
    [
        ([call()], "heals-itself", "function_call function_call_output*", []),
        ([custom()], "heals-itself", "custom_tool_call custom_tool_call_output*", []),
        ([SEARCH], "heals-itself", "tool_search_call tool_search_output*", []),
        ([call(), call("B"), output()], "heals-itself", "function_call function_call function_call_output* "
         "function_call_output", []),
        ([call(), message("user", "on"), output()], "healthy", "function_call function_call_output", []),
        ([output()], "broken", "", ["result:A"]),
        ([custom(), output()], "broken", "custom_tool_call custom_tool_call_output*", ["result:A"]),
        ([output(), call()], "broken", "function_call_output function_call", []),
        ([call(), output(), output()], "broken", "function_call function_call_output function_call_output", []),
        ([call(arguments={"a": 1}), output()], "broken", "", ["call:A", "result:A"]),
        ([NAMELESS, output()], "broken", "", ["call:A", "result:A"]),
        ([call(), output(None)], "broken", "function_call function_call_output* function_call_output", []),
    ],
)  # fmt: skip
def test_what_is_sent(items: list[Item], verdict: str, sent: str, dropped: list[str], tmp_path: Path) -> None:
    """An asterisk marks Codex's own words."""
    path = log(tmp_path, *items)
    told = product.sent(path)
    kinds = [
        item["type"] + "*" * (marks[0]["mark"] == "answered by the agent")
        for item, marks in zip(told.report["input"], told.report["marks"], strict=True)
        if item["type"] != "message"
    ]
    assert product.check(path).session["verdict"] == verdict
    assert (" ".join(kinds), [f"{block['kind']}:{block['id']}" for block in told.dropped]) == (sent, dropped)


def test_an_output_behind_other_messages_is_sent_where_it_stands(tmp_path: Path) -> None:
    """OpenAI takes it, though servers that speak its API may not: nothing is mended, and nothing refused."""
    path = log(tmp_path, call(), message("user", "on"), output())
    assert product.check(path).errors == set()
    assert product.sent(path).report["outcome"] == "as-is"


@pytest.mark.parametrize(
    ("items", "at_openai", "at_deepseek"),
    [
        ([call(), message("user", "on"), output()], "healthy", "broken"),
        ([call(), call("B"), call("C"), output()], "heals-itself", "broken"),
    ],
)
def test_a_server_that_wants_outputs_in_order_refuses_what_codex_mends(
    items: list[Item], at_openai: str, at_deepseek: str, tmp_path: Path
) -> None:
    """Its own output stands behind its call, and so between the other calls and their outputs."""
    found = [product.check(log(tmp_path, *items, model_provider=name)).session for name in ("openai", "deepseek")]
    assert [session["verdict"] for session in found] == [at_openai, at_deepseek]
    assert found[1]["on_resume"]["outcome"] == "refuses"


def test_an_item_goes_out_as_it_is_stored(tmp_path: Path) -> None:
    said = message("user", "one") | {"content": [{"type": "input_text", "text": text} for text in ("one", "two")]}
    path = log(tmp_path, said, call(), output())
    assert product.sent(path).report["input"][1:4] == [said, call(), output()]


@pytest.mark.parametrize(
    ("item", "outcome"), [(call(), "mends"), (custom(), "refuses"), (output(), "refuses"), (SEARCH, "mends")]
)
def test_an_alpha_build_ends_where_a_release_notes_an_error(item: Item, outcome: str, tmp_path: Path) -> None:
    path = log(tmp_path, item, version="0.147.0-alpha.2")
    assert product.check(path).session["on_resume"]["outcome"] == outcome


def test_a_rollout_of_the_bare_era_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(bare(parse('u"go" | a{A p=1} | r(A=x)')))
    told = product.sent(path).report
    assert (told["outcome"], told["input"], told["error"]) == (
        "refuses",
        [],
        "Codex does not read lines in this old format",
    )
