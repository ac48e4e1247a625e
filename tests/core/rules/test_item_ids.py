"""Items whose own id is of another kind (K10) or another item's (K12): OpenAI refuses them, and they need none."""

import json
from pathlib import Path
from typing import Any

import pytest

import inspector
from tests.core.error_lookup.lookup import found
from tests.core.formats.api_logs import log, repaired
from tests.core.formats.codex import FILE, call_item, message, output_item, rollout
from tests.core.formats.codex import responses as as_lines
from tests.support import product
from tests.support.notation import Call, Result

UUID = "25fdab0e-8ec3-413c-8703-7ce5668ec990"
USER = {"type": "message", "role": "user", "content": "hi"}
SAID = {"type": "message", "role": "assistant", "content": "ok"}
REASONING = {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
CALL = {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "alpha"}
CUSTOM = {"type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": "x"}
CUSTOM_OUTPUT = {"type": "custom_tool_call_output", "call_id": "call_2", "output": "beta"}
SEARCH = {"type": "web_search_call", "status": "completed"}
ITEMS: list[dict[str, Any]] = [USER, REASONING, CALL, OUTPUT, SEARCH, CUSTOM, CUSTOM_OUTPUT, SAID]
BEGINS = ["msg", "rs", "fc", "fc", "ws", "ctc", "ctc", "msg"]


@pytest.mark.parametrize("number", range(len(ITEMS)))
@pytest.mark.parametrize("own", [UUID, "item_df7e40c3", "call_1", "", 7.5])
def test_an_id_of_another_kind_goes(number: int, own: Any, tmp_path: Path) -> None:
    items = [*ITEMS[:number], ITEMS[number] | {"id": own}, *ITEMS[number + 1 :]]
    path = log(tmp_path, {"input": items})
    answer = product.check(path)
    (finding,) = answer.findings
    assert (finding["rule"], finding["severity"], finding["record"], answer.session["verdict"]) == (
        *("K10", "error", number),
        "broken",
    )
    expected = f"Invalid 'input[{number}].id': '{own}'. Expected an ID that begins with '{BEGINS[number]}'."
    assert finding["refused_by"] == {"openai-responses": expected}
    assert repaired(path, "input") == ITEMS


def test_an_id_of_its_kind_stays(tmp_path: Path) -> None:
    items = [item | {"id": f"{BEGINS[number]}_0a0{number}"} for number, item in enumerate(ITEMS)]
    path, out = log(tmp_path, {"input": items}), tmp_path / "out.json"
    assert "K10" not in product.check(path).rules
    assert product.repair(path, out).code == 0
    assert json.loads(out.read_bytes())["input"] == items


def test_an_id_that_names_an_item_elsewhere_is_its_content(tmp_path: Path) -> None:
    path = log(tmp_path, {"input": [USER, {"type": "item_reference", "id": UUID}, {"id": UUID}]})
    assert "K10" not in product.check(path).rules


def test_a_server_that_asks_for_no_such_ids_is_not_said_to_refuse_them(tmp_path: Path) -> None:
    path = log(tmp_path, {"model": "deepseek-flash", "input": [USER | {"id": UUID}]})
    answer = product.check(path)
    assert (answer.session["verdict"], answer.rules) == ("healthy", {"K10"})


# Codex


def rollout_file(folder: Path, data: bytes) -> Path:
    path = folder / FILE
    path.write_bytes(data)
    return path


def mended(path: Path) -> list[dict[str, Any]]:
    out = path.with_name("out.jsonl")
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    return [json.loads(line)["payload"] for line in out.read_bytes().splitlines()]


HOOK, ANSWER = message("user", "hook"), message("assistant", "hello")
PAIR = [call_item(Call("call_1")), output_item(Result("call_1", "alpha"))]


def test_a_rollout_loses_the_ids_and_nothing_else(tmp_path: Path) -> None:
    items = [HOOK | {"id": "review_rollout_user"}, *PAIR, ANSWER | {"id": UUID}]
    path = rollout_file(tmp_path, rollout(*as_lines(items)))
    assert product.check(path).errors == {"K10:review_rollout_user", f"K10:{UUID}"}
    assert mended(path)[1:] == [HOOK, *PAIR, ANSWER]


def test_the_ids_of_a_replacement_history_are_sent_too(tmp_path: Path) -> None:
    kept = {"message": "", "replacement_history": [HOOK | {"id": UUID}, *PAIR], "window_number": 1}
    items = [message("assistant", "before") | {"id": "not judged: it is not sent"}]
    path = rollout_file(tmp_path, rollout(*as_lines(items), ("compacted", kept), *as_lines([ANSWER])))
    assert product.check(path).errors == {f"K10:{UUID}"}
    assert mended(path)[1:] == [items[0], kept | {"replacement_history": [HOOK, *PAIR]}, ANSWER]


def test_an_id_goes_and_a_result_comes_in_one_replacement_history(tmp_path: Path) -> None:
    """Numbered lines must be numbered anew as well: that is refused rather than done by halves."""
    kept = {"message": "", "replacement_history": [HOOK | {"id": UUID}, ANSWER]}
    lines = [("compacted", kept), *as_lines([PAIR[0], message("user", "on"), ANSWER])]
    assert [item["type"] for item in mended(rollout_file(tmp_path, rollout(*lines)))[2:]] == [
        *("function_call", "function_call_output"),
        *("message", "message"),
    ]
    numbered = rollout_file(tmp_path, rollout(*as_lines([PAIR[0], HOOK]), *lines, history_mode="paginated"))
    payloads = mended(numbered)
    assert [payload.get("replacement_history") for payload in payloads if "replacement_history" in payload] == [
        [HOOK, ANSWER]
    ]


@pytest.mark.parametrize("number", [1, 371])
def test_the_error_leads_to_the_item_by_its_id(number: int, tmp_path: Path) -> None:
    """What Codex injects anew shifts the numbers; the id does not change."""
    items = [HOOK, ANSWER | {"id": UUID}]
    path = rollout_file(tmp_path, rollout(*as_lines(items)))
    text = f"[ApiIdParam] [input[{number}].id] [invalid_id_prefix] Invalid 'input[{number}].id': '{UUID}'. "
    assert found(path, text + "Expected an ID that begins with 'msg'.") == [f"id 2 K10:{UUID}"]


# --- K12


def with_ids(*ids: str | None) -> list[dict[str, Any]]:
    items = [USER, CALL, OUTPUT, CALL | {"call_id": "call_2"}, OUTPUT | {"call_id": "call_2"}, SAID]
    return [item if own is None else item | {"id": own} for item, own in zip(items, ids, strict=True)]


@pytest.mark.parametrize(
    ("ids", "left"),
    [
        pytest.param((None, "fc_1", None, "fc_1", None, None), (None, "fc_1", None, None, None, None), id="two calls"),
        pytest.param(("msg_1", None, None, None, None, "msg_1"), ("msg_1", *[None] * 5), id="two messages"),
        pytest.param(("msg_1", "fc_1", None, "fc_2", None, "msg_2"), None, id="each its own"),
        pytest.param((None, "fc_1", "fc_1", None, None, None), None, id="an output is bound to its call"),
    ],
)
def test_an_id_of_another_item_goes(
    ids: tuple[str | None, ...], left: tuple[str | None, ...] | None, tmp_path: Path
) -> None:
    path = log(tmp_path, {"model": "gpt-5", "input": with_ids(*ids)})
    answer = product.check(path)
    own = next((each for each in ids if each and ids.count(each) > 1), "")
    assert answer.errors == ({f"K12:{own}"} if left else set())
    assert repaired(path, "input") == with_ids(*(left or ids))
    if left:
        assert answer.findings[0]["refused_by"] == {
            "openai-responses": f"Duplicate item found with id {own}. Remove duplicate items from your input and try "
            "again."
        }


def test_the_library_sees_a_repeated_id_in_plain_items() -> None:
    items = with_ids(None, "fc_1", None, "fc_1", None, None)
    repaired = inspector.repair_messages(items, profile="openai-responses")
    assert repaired.messages == with_ids(None, "fc_1", None, None, None, None)


def test_an_item_that_cannot_be_without_an_id_is_left(tmp_path: Path) -> None:
    search = SEARCH | {"id": "ws_1"}
    (finding,) = product.check(log(tmp_path, {"model": "gpt-5", "input": [USER, search, search, SAID]})).findings
    assert (finding["rule"], finding["strategies"]) == ("K12", ["leave"])


@pytest.mark.parametrize(("version", "errors"), [("0.169.0", {"K12:fc_1"}), ("0.146.0", set())])
def test_codex_sends_ids_in_the_version_that_was_run(version: str, errors: set[str], tmp_path: Path) -> None:
    items = with_ids(None, "fc_1", None, "fc_1", None, None)
    path = rollout_file(tmp_path, rollout(*(("response_item", each) for each in items[1:5]), cli_version=version))
    assert product.check(path).errors == errors
