"""Signed reasoning: what a log shows of it, what a repair makes of it, and that no repair breaks it in silence."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.repair.choices import Choices
from tests.core.repair.logs import repaired, saved, written
from tests.support import product
from tests.support.notation import FORMATS, SESSION, anthropic_messages, claude_code_records, clock, lines, parse, uuid
from tests.support.product import Answer
from tests.support.projection import printed

BOUND = "anthropic-prefix-bound"
BOTH = ["anthropic", "claude-code"]
THREE = 'u | a[th]"one" | u | a[th]{A} | u"q" | a[th]"three" | u'
MODIFIED = (
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.%d.content.0: '
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must "
    'remain as they were in the original response."}}'
)
INVALID = (
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.%d.content.0: Invalid '
    '`signature` in `thinking` block"}}'
)
OTHER_CONVERSATION = INVALID.replace("block", "block. The block is bound to a different conversation.")


def document(elements: list[dict[str, Any]], key: str = "messages") -> bytes:
    return json.dumps({key: elements}).encode()


def rules(answer: Answer) -> list[str]:
    """The reasoning classes that were found, as `rule severity`."""
    return [f"{each['rule']} {each['severity']}" for each in answer.findings if each["rule"][0] == "T"]


def thoughts(answer: Answer) -> int:
    return sum(loss["kind"] == "reasoning" for loss in answer.losses)


def effects(answer: Answer) -> str:
    return " ".join(answer.session["effects"])


def session(history: str, change: Callable[[list[dict[str, Any]]], None] | None = None, error: str = "") -> bytes:
    """A Claude Code log, changed, and ended by an error of the provider."""
    records = claude_code_records(parse(history))
    if change is not None:
        change(records)
    if error:
        content = [{"type": "text", "text": error}]
        message = {"role": "assistant", "model": "<synthetic>", "content": content}
        number = len(records)
        records.append(
            {"parentUuid": records[-1]["uuid"], "isSidechain": False, "type": "assistant", "message": message}
            | {"uuid": uuid(number + 1), "timestamp": clock(number), "isApiErrorMessage": True, "sessionId": SESSION}
        )
    return lines(records)


def unsigned(after: int, model: str = "", **field: str) -> Callable[[list[dict[str, Any]]], None]:
    """Take the signature from all reasoning from record `after` on, and let another model have made it."""

    def change(records: list[dict[str, Any]]) -> None:
        for record in records[after:]:
            message = record["message"]
            if model and "model" in message:
                message["model"] = model
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "thinking":
                    del block["signature"]
                    block |= field

    return change


# --- T1: no signature


@pytest.mark.parametrize("field", [{}, {"signature": ""}])
def test_unsigned_reasoning_among_signed_is_refused_in_messages(field: dict[str, str], tmp_path: Path) -> None:
    messages = anthropic_messages(parse('u | a[th]"one" | u | a[th]"two" | u | a[th]"three" | u'))
    del messages[3]["content"][0]["signature"]
    messages[3]["content"][0] |= field
    path = saved(tmp_path, "anthropic", document(messages))
    assert rules(product.check(path)) == ["T1 error"]
    data, answer = repaired(path, "anthropic")
    assert printed(data, "anthropic") == 'u | a[th]"one" | u | a"two" | u | a[th]"three" | u'
    assert thoughts(answer) == 1
    assert "(from message 5 on, 1 block)" in effects(answer)


@pytest.mark.parametrize(
    ("model", "found"),
    [("claude-sonnet-4-5", ["T1 error", "T1 error"]), ("glm-4.6", []), (None, [])],
)
def test_reasoning_of_a_request_is_signed_where_its_model_signs(
    model: str | None, found: list[str], tmp_path: Path
) -> None:
    messages = anthropic_messages(parse('u | a[th]"one" | u | a[th]"two" | u'))
    for message in messages[1::2]:
        del message["content"][0]["signature"]
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": model, "max_tokens": 99, "messages": messages}))
    assert rules(product.check(path)) == found


@pytest.mark.parametrize(
    ("change", "found", "verdict"),
    [
        pytest.param(unsigned(0, "glm-4.6"), [], "healthy", id="a server that signs nothing"),
        pytest.param(unsigned(3, "glm-4.6", signature=""), ["T1 warning"], "healthy", id="another model went on"),
        pytest.param(unsigned(3, signature=""), ["T1 error"], "broken", id="a stream that broke off"),
        pytest.param(lambda records: unsigned(0)(records[:2]), [], "healthy", id="the provider went on from it"),
    ],
)
def test_an_agents_log_is_broken_only_by_reasoning_that_its_own_provider_left_unsigned(
    change: Callable[[list[dict[str, Any]]], None], found: list[str], verdict: str, tmp_path: Path
) -> None:
    path = saved(tmp_path, "claude-code", session('u | a[th]"one" | u | a[th]"two" | u', change))
    answer = product.check(path)
    assert rules(answer) == found
    assert answer.session["verdict"] == verdict


def test_a_message_of_unsigned_reasoning_alone_goes_and_its_follower_is_linked_anew(tmp_path: Path) -> None:
    path = saved(tmp_path, "claude-code", session('u | a[th]"one" | u | a[th] | u"on"', unsigned(4)))
    data, answer = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u | a[th]"one" | u"u"+"on"'
    assert thoughts(answer) == 1


# --- what the provider said


@pytest.mark.parametrize(
    ("error", "rule", "expected", "lost"),
    [
        (MODIFIED % 3, "T2", 'u | a[th]"one" | u"y" | a"t"{A} | r(A=x) | u"go"', 1),
        (MODIFIED % 1, "T2", 'u | a[th]"one" | u"y" | a"t"{A} | r(A=x) | u"go"', 1),
        (INVALID % 1, "T1", 'u | a"one" | u"y" | a[th]"t"{A} | r(A=x) | u"go"', 1),
        (OTHER_CONVERSATION % 3, "T3", 'u | a[th]"one" | u"y" | a"t"{A} | r(A=x) | u"go"', 1),
        (OTHER_CONVERSATION % 1, "T3", 'u | a"one" | u"y" | a"t"{A} | r(A=x) | u"go"', 2),
    ],
)
def test_reasoning_that_the_last_error_refuses_goes(
    error: str, rule: str, expected: str, lost: int, tmp_path: Path
) -> None:
    log = session('u | a[th]"one" | u"y" | A[m1]th | A[m1]"t" | A[m1]{A} | r(A=x) | u"go"', error=error)
    path = saved(tmp_path, "claude-code", log)
    assert set(rules(product.check(path))) == {f"{rule} error"}
    data, answer = repaired(path, "claude-code")
    assert printed(data, "claude-code") == printed(FORMATS["claude-code"].render(parse(expected)), "claude-code")
    assert thoughts(answer) == lost
    out = path.with_name(f"repaired{path.suffix}")
    assert product.check(out).session["verdict"] == "healthy"


def test_an_error_that_names_no_reasoning_of_the_log_stays_unexplained(tmp_path: Path) -> None:
    answer = product.check(saved(tmp_path, "claude-code", session('u | a[th]"one" | u', error=INVALID % 7)))
    assert answer.session["verdict"] == "unexplained"
    assert rules(answer) == []


@pytest.mark.parametrize("name", BOTH)
def test_reasoning_beside_a_lost_call_is_a_warning_and_goes_when_asked(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a[th]"t" | r(A=alpha) | u"go"')
    assert rules(product.check(path)) == ["T2 warning"]
    assert thoughts(repaired(path, name)[1]) == 0
    data, answer = repaired(path, name, strategies="T2=strip-reasoning")
    assert "[th]" not in printed(data, name)
    assert thoughts(answer) == 1


# --- T3: bound to what precedes it


@pytest.mark.parametrize("name", BOTH)
def test_t45_only_reasoning_behind_the_change_goes(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, THREE)
    data, answer = repaired(path, name, profile=BOUND)
    expected = 'u | a[th]"one" | u | a[th]{A} | PH!(A)+"q" | a"three" | u'
    assert printed(data, name) == printed(FORMATS[name].render(parse(expected)), name)
    assert thoughts(answer) == 1
    assert answer.session["verified"][BOUND] is True


@pytest.mark.parametrize(("name", "number"), [("anthropic", 6), ("claude-code", 5)])
def test_a_repair_for_anthropic_says_which_reasoning_it_makes_invalid(name: str, number: int, tmp_path: Path) -> None:
    answer = repaired(written(tmp_path, name, THREE), name)[1]
    assert thoughts(answer) == 0
    assert "Starting with message 4 (counting from 0), messages can no longer be read" in effects(answer)
    assert f"(from message {number} on, 1 block)" in effects(answer)
    assert "drop_block" in effects(answer)


def test_messages_are_told_that_models_that_bind_reasoning_would_refuse(tmp_path: Path) -> None:
    answer = repaired(written(tmp_path, "anthropic", THREE), "anthropic")[1]
    assert answer.session["verified"]["anthropic"] is True
    assert answer.session["refusals"][BOUND].startswith("messages.6.content.0: Invalid `signature` in `thinking` block")


def test_reasoning_that_is_left_behind_a_change_is_not_written(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", THREE)
    out = path.with_name("out.json")
    answer = product.repair(path, out, strategies="T3=leave", profile=BOUND)
    assert (answer.code, out.exists()) == (1, False)
    assert (
        "would still reject the history: The repair changes the history before this reasoning"
        in answer.report["reason"]
    )


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("history", "profile", "why"),
    [
        ('u | a[th]"one" | u | a[th]"two" | u', BOUND, "sound"),
        ('u | a[th]"one"{A}', BOUND, "the history only grows at its end"),
        ('u | a[th]"one" | u | a[th]"two"{A}', "anthropic", "the same"),
    ],
)
def test_what_changes_nothing_before_reasoning_costs_none(
    history: str, profile: str, why: str, name: str, tmp_path: Path
) -> None:
    answer = repaired(written(tmp_path, name, history), name, profile=profile)[1]
    assert (thoughts(answer), effects(answer)) == (0, ""), why


def test_a_damaged_line_that_is_set_aside_is_no_change_to_the_provider(tmp_path: Path) -> None:
    made = session('u | a[th]"one" | u | a[th]"two" | u').splitlines(keepends=True)
    path = saved(tmp_path, "claude-code", b"".join([*made[:3], b"\0" * 300 + b"\n", *made[3:]]))
    _, answer = repaired(path, "claude-code", profile=BOUND)
    assert answer.edits
    assert (thoughts(answer), effects(answer)) == (0, "")


# --- items of the Responses API: T4, T5


def items(*parts: Any) -> bytes:
    made: list[dict[str, Any]] = []
    for part in parts:
        kind, _, name = part.partition(":")
        call_id, _, item_id = name.partition("/")
        own = {"id": item_id} if item_id else {}
        made.append(
            {
                "u": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "u"}]},
                "a": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]} | own,
                "rs": {"type": "reasoning", "id": name, "summary": [{"type": "summary_text", "text": "th"}]},
                "bare": {"type": "reasoning", "summary": [], "encrypted_content": "x"},
                "call": {"type": "function_call", "call_id": call_id, "name": "f", "arguments": "{}"} | own,
                "out": {"type": "function_call_output", "call_id": call_id, "output": "x"},
            }[kind]
        )
    return document(made, "input")


def shown(data: bytes) -> str:
    """Items as they were told."""
    names = {"reasoning": "rs", "function_call": "call", "function_call_output": "out"}
    told = []
    for item in json.loads(data)["input"]:
        kind = names.get(item["type"]) or item["role"][0]
        inner = item.get("call_id") or (item.get("id", "") if kind == "rs" else "")
        own = f"/{item['id']}" if "id" in item and kind != "rs" else ""
        told.append(kind + (f":{inner}{own}" if inner or own else ""))
    return " ".join(told)


RESPONSE = "0a038568becf80fb00"


@pytest.mark.parametrize(
    ("parts", "found", "expected", "lost"),
    [
        pytest.param("u rs:rs_1 call:A/fc_1 out:A u", [], "", 0, id="sound"),
        pytest.param("u rs:rs_1 rs:rs_2 a:/msg_1 u", [], "", 0, id="two before one answer"),
        pytest.param("u bare call:A out:A bare u", [], "", 0, id="items without ids are not bound"),
        pytest.param("u rs:rs_1 u", ["T4 error"], "u u", 1, id="T4 in the middle"),
        pytest.param("u a:/msg_1 rs:rs_1", ["T4 error"], "u a:/msg_1", 1, id="T4 at the end"),
        pytest.param(
            f"u call:A/fc_{RESPONSE}1 rs:rs_{RESPONSE}0 out:A u",
            ["T4 error", "T5 error"],
            "u call:A out:A u",
            1,
            id="T5 changed places",
        ),
    ],
)
def test_reasoning_items(parts: str, found: list[str], expected: str, lost: int, tmp_path: Path) -> None:
    path = tmp_path / "input.json"
    path.write_bytes(items(*parts.split()))
    assert sorted(rules(product.check(path))) == found
    out, again = tmp_path / "out.json", tmp_path / "again.json"
    answer = product.repair(path, out)
    assert answer.code == 0
    assert thoughts(answer) == lost
    assert shown(out.read_bytes()) == (expected or shown(path.read_bytes()))
    assert expected or out.read_bytes() == path.read_bytes()
    product.repair(out, again)
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    ("parts", "strategies", "expected"),
    [
        pytest.param("u rs:rs_1 call:A/fc_1 u", "D2=drop-call", "u u", id="T46"),
        pytest.param(
            "u rs:rs_1 call:A/fc_1 call:B/fc_2 out:B u",
            "D3=drop-call",
            "u call:B out:B u",
            id="what is left of its response goes without its id",
        ),
    ],
)
def test_a_dropped_call_takes_its_reasoning_with_it(parts: str, strategies: str, expected: str, tmp_path: Path) -> None:
    path, out = tmp_path / "input.json", tmp_path / "out.json"
    path.write_bytes(items(*parts.split()))
    answer = product.repair(path, out, strategies=strategies)
    assert answer.code == 0
    assert shown(out.read_bytes()) == expected
    assert thoughts(answer) == 1


# --- T6: Gemini's calls


def contents(*turns: str) -> bytes:
    """`A` is a call, `A!` one with a signature, `=A` its response, anything else a text of the user."""
    made = []
    for turn in turns:
        parts: list[dict[str, Any]] = []
        for word in turn.split():
            if word.startswith("="):
                parts.append({"functionResponse": {"name": word[1:], "response": {"result": "x"}}})
            elif word[0].isupper():
                signed = {"thoughtSignature": "c2lnbmF0dXJl"} if word.endswith("!") else {}
                parts.append({"functionCall": {"name": word.rstrip("!"), "args": {}}} | signed)
            else:
                parts.append({"text": word})
        role = "model" if turn[0].isupper() else "user"
        made.append({"role": role, "parts": parts})
    return document(made, "contents")


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        pytest.param(["u", "A! B", "=A =B", "C!", "=C"], [], id="one signature a step"),
        pytest.param(["u", "A", "=A", "B", "=B"], [], id="a model that does not sign"),
        pytest.param(["u", "A", "=A", "u", "B!", "=B"], [], id="an earlier turn"),
        pytest.param(["u", "A! B", "=A =B", "C", "=C"], ["T6 error"], id="a step without"),
    ],
)
def test_signatures_of_calls(turns: list[str], found: list[str], tmp_path: Path) -> None:
    path, out = tmp_path / "contents.json", tmp_path / "out.json"
    path.write_bytes(contents(*turns))
    assert rules(product.check(path)) == found
    answer = product.repair(path, out)
    assert (answer.code, answer.losses) == (0, [])
    assert rules(product.check(out)) == []
    stand_in = '"thoughtSignature": "skip_thought_signature_validator"'.replace(": ", ":")
    assert out.read_text().replace(": ", ":").count(stand_in) == len(found)
    assert found or out.read_bytes() == path.read_bytes()


def test_an_unsigned_call_can_go_instead(tmp_path: Path) -> None:
    path, out = tmp_path / "contents.json", tmp_path / "out.json"
    path.write_bytes(contents("u", "A!", "=A", "C", "=C", "u"))
    answer = product.check(path)
    assert rules(answer) == []
    path.write_bytes(contents("u", "A!", "=A", "C", "=C"))
    answer = product.repair(path, out, strategies="T6=drop-call")
    assert answer.code == 0
    assert [turn["role"] for turn in json.loads(out.read_bytes())["contents"]] == ["user", "model", "user"]
    assert {loss["kind"] for loss in answer.losses} == {"call", "result"}


# --- who is told of the effects


def test_effects_are_told_in_the_text_and_in_the_preview(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", THREE)
    text = CliRunner().invoke(main, ["repair", str(path), "--dry-run"]).output
    assert "  Starting with message 4 (counting from 0), messages can no longer be read" in text
    engine = WindowEngine()
    engine.open(str(path))
    first, second = engine.preview(Choices()).effects
    engine.close()
    assert "prompt cache" in first
    assert "anthropic-prefix-bound" in second


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("history", ['u | a[th]"" | u"x"', 'u | a""[th] | r(A=x)', 'u | a[th]""'])
def test_reasoning_goes_with_the_blank_text_that_stood_alone_beside_it(name: str, history: str, tmp_path: Path) -> None:
    data, answer = repaired(written(tmp_path, name, history), name)
    assert "[th]" not in printed(data, name)
    assert [loss["kind"] for loss in answer.losses] == ["reasoning"]
