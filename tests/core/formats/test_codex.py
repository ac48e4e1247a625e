"""Codex beyond the common cases: what is rebuilt, kinds of calls, counts kept right, forks, new sessions, old age."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.codex import Codex
from inspector.core.formats.codex.rollout_metadata import title_from_item
from inspector.core.storage.source import Source
from tests.core.formats.codex import (
    FILE,
    THREAD,
    bare,
    call_item,
    event,
    history_of,
    message,
    output_item,
    rebuilt,
    responses,
    rollout,
)
from tests.core.formats.openai_responses import pairing_error
from tests.support import packing, product
from tests.support.notation import PLACEHOLDER_START, Call, Result, Thinking, parse, show

CALL, OUTPUT = call_item(Call("A")), output_item(Result("A", "alpha"))
LOST = call_item(Call("L"))


def written(folder: Path, data: bytes, name: str = FILE) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def repaired(path: Path, *more: str) -> bytes:
    """The repaired log: calls and outputs are paired in what Codex rebuilds from it."""
    data = healthy_again(path, *more)
    assert pairing_error(history_of(rebuilt(data))) is None
    return data


def healthy_again(path: Path, *more: str) -> bytes:
    """The repaired log; it reads back as healthy and a second repair changes nothing."""
    out = path.parent / "out" / path.name
    out.parent.mkdir(exist_ok=True)
    answer = product.repair(path, out, *more)
    assert answer.code == 0, answer.report
    assert product.check(out).session["verdict"] == "healthy"
    again = path.parent / "again.jsonl"
    assert product.repair(out, again).code == 0
    assert again.read_bytes() == out.read_bytes()
    return out.read_bytes()


def payloads(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line)["payload"] for line in data.splitlines()]


def kinds(data: bytes) -> list[str]:
    return [item["type"] for item in rebuilt(data)]


def compacted(items: list[dict[str, Any]], **more: Any) -> tuple[str, dict[str, Any]]:
    return "compacted", {"message": "", "replacement_history": items, **more}


# --- kinds of calls


@pytest.mark.parametrize(
    ("call", "output"),
    [
        (CALL, {"type": "function_call_output", "call_id": "A"}),
        ({"type": "local_shell_call", "call_id": "A", "status": "completed", "action": {"type": "exec", "command": []}},
         {"type": "function_call_output", "call_id": "A"}),
        (call_item(Call("A", "apply_patch")), {"type": "custom_tool_call_output", "call_id": "A"}),
        ({"type": "tool_search_call", "call_id": "A", "execution": "client", "arguments": {}},
         {"type": "tool_search_output", "call_id": "A", "status": "completed", "execution": "client", "tools": []}),
    ],
)  # fmt: skip
def test_placeholder_is_of_the_kind_of_its_call(call: dict[str, Any], output: dict[str, Any], tmp_path: Path) -> None:
    log = written(tmp_path, rollout(*responses([message("user", "go"), call, message("user", "on")])))
    assert product.check(log).errors == {"D2:A"}
    items = rebuilt(repaired(log))
    text = items[2].pop("output", PLACEHOLDER_START)
    assert text.startswith(PLACEHOLDER_START)
    assert items[2] == output


def test_an_output_of_a_type_that_codex_does_not_know_answers_nothing(tmp_path: Path) -> None:
    unknown = {"type": "local_shell_call_output", "id": "A", "output": "words"}
    log = written(tmp_path, rollout(*responses([message("user", "go"), CALL, unknown, message("user", "on")])))
    assert product.check(log).errors == {"D2:A"}
    fixed = repaired(log)
    assert kinds(fixed) == ["message", "function_call", "function_call_output", "message"]
    assert b"local_shell_call_output" in fixed


@pytest.mark.parametrize("kind", ["computer_call", "shell_call", "apply_patch_call", "mcp_approval_request"])
def test_a_call_of_a_type_that_codex_does_not_know_needs_no_output(kind: str, tmp_path: Path) -> None:
    unknown = {"type": kind, "id": "C", "call_id": "C", "name": "x"}
    log = written(tmp_path, rollout(*responses([message("user", "go"), unknown, message("user", "on")])))
    assert product.check(log).session["verdict"] == "healthy"


def test_a_line_without_its_envelope_is_no_item_among_lines_with_one(tmp_path: Path) -> None:
    whole = rollout(*responses([message("user", "go"), CALL, OUTPUT, message("user", "on")]))
    rows = [json.loads(line) for line in whole.splitlines()]
    bared = [row["payload"] if row["payload"] == CALL else row for row in rows]
    path = written(tmp_path, b"".join(json.dumps(row).encode() + b"\n" for row in bared))
    assert product.check(path).errors == {"R12:A"}
    assert "alpha" in repaired(path).decode()


def test_metadata_that_is_no_object_is_no_metadata_and_no_line_without_an_envelope(tmp_path: Path) -> None:
    """`RolloutLine` of codex-rs takes an object there: the line is skipped, and then no session is found."""
    _, *others = rollout(*responses([message("user", "go"), message("user", "on"), CALL])).splitlines(keepends=True)
    meta = b'{"timestamp": "2026-01-01T00:00:00.000Z", "type": "session_meta", "payload": "codex_cli_rs"}\n'
    path = written(tmp_path, b"".join([meta, *others, json.dumps(OUTPUT).encode() + b"\n"]))
    assert product.check(path).errors == {"G1", "D1:A"}
    product.repair(path, out := tmp_path / "out.jsonl")
    assert product.check(out).session["verdict"] == "healthy"


def test_output_of_another_kind_answers_nothing(tmp_path: Path) -> None:
    wrong = {"type": "custom_tool_call_output", "call_id": "A", "output": "alpha"}
    log = written(tmp_path, rollout(*responses([message("user", "go"), CALL, wrong])))
    answer = product.check(log)
    assert answer.errors == {"D2:A", "R8:A"}
    (told,) = [finding for finding in answer.findings if finding["rule"] == "R8"]
    assert "match" not in told["strategies"]
    after = repaired(log)
    assert kinds(after) == ["message", "function_call", "function_call_output", "message"]
    assert "alpha" in after.decode()


@pytest.mark.parametrize(
    "item",
    [
        {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}},
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBO"},
        {"type": "tool_search_call", "call_id": "A", "execution": "server", "arguments": {}},
        {"type": "tool_search_call", "execution": "client", "arguments": {}},
    ],
)
def test_what_needs_no_output_is_healthy(item: dict[str, Any], tmp_path: Path) -> None:
    log = written(tmp_path, rollout(*responses([message("user", "go"), item, message("assistant", "ok")])))
    assert product.check(log).session["verdict"] == "healthy"


def test_dropping_a_call_drops_the_reasoning_before_it(tmp_path: Path) -> None:
    history = parse('u"go" | a[th]"t" | u"more" | a[th]{A p=1} | u"on" | a"done"')
    log = written(tmp_path, rollout(*responses(history)))
    after = history_of(rebuilt(repaired(log, "--strategy", "D2=drop-call")))
    assert show(after) == 'u"go" | a[th]"t" | u"more" | u"on" | a"done"'
    assert sum(isinstance(part, Thinking) for turn in after for part in turn.parts) == 1


def items(payloads: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [("response_item", payload) for payload in payloads]


def reasoning_item(item_id: str) -> dict[str, Any]:
    return {"type": "reasoning", "id": item_id, "summary": [], "content": None, "encrypted_content": "gAAA"}


def test_reasoning_that_nothing_follows_is_refused_under_its_id(tmp_path: Path) -> None:
    killed = [message("user", "go"), reasoning_item("rs_1"), CALL, OUTPUT, reasoning_item("rs_2")]
    log = written(tmp_path, rollout(*items(killed)))
    assert product.check(log).errors == {"T4:rs_2"}
    assert kinds(repaired(log)) == ["message", "reasoning", "function_call", "function_call_output"]


def test_the_error_about_reasoning_that_a_repair_removed_is_outdated(tmp_path: Path) -> None:
    error = "Item 'rs_2' of type 'reasoning' was provided without its required following item."
    failed = event("error", message=error, codex_error_info="bad_request")
    log = written(
        tmp_path, rollout(*items([message("user", "go"), reasoning_item("rs_2"), message("user", "on")]), failed)
    )
    assert product.check(log).errors == {"T4:rs_2"}
    repaired(log)


def test_result_stands_behind_the_calls_of_its_answer(tmp_path: Path) -> None:
    log = written(tmp_path, rollout(*responses(parse('u"go" | a{A p=1,B p=2} | r(B=beta) | a"ok"'))))
    after = rebuilt(repaired(log))
    assert [item.get("call_id") for item in after] == [None, "A", "B", "B", "A", None]


# --- what is rebuilt


def test_compaction_stands_for_everything_before_it(tmp_path: Path) -> None:
    data = rollout(
        *responses([message("user", "old"), LOST, message("user", "newer")]),
        compacted([message("user", "newer"), message("user", "summary")]),
        *responses([CALL, OUTPUT, message("assistant", "ok")]),
    )
    assert product.check(written(tmp_path, data)).session["verdict"] == "healthy"


def test_result_whose_call_was_compacted_away(tmp_path: Path) -> None:
    data = rollout(
        *responses([message("user", "go"), CALL]),
        compacted([message("user", "summary")]),
        *responses([OUTPUT, message("assistant", "ok")]),
    )
    log = written(tmp_path, data)
    assert product.check(log).errors == {"C2:A"}
    assert kinds(repaired(log)) == ["message", "message", "message"]


def test_items_inside_a_replacement_history_are_judged_and_mended_in_it(tmp_path: Path) -> None:
    entries = [{"client_authored": True}, {"n": 1}, {"n": 2}]
    nested = [message("user", "go"), CALL, message("user", "summary")]
    data = rollout(
        compacted(nested, replacement_history_metadata=entries, window_number=1),
        *responses([message("assistant", "ok")]),
    )
    log = written(tmp_path, data)
    assert product.check(log).errors == {"D2:A"}
    after = payloads(repaired(log))[1]
    assert [item["type"] for item in after["replacement_history"]] == [
        *("message", "function_call", "function_call_output", "message")
    ]
    assert after["replacement_history_metadata"] == [{"client_authored": True}, {"n": 1}, {}, {"n": 2}]
    assert after["window_number"] == 1


def test_metadata_goes_with_an_item_that_is_dropped(tmp_path: Path) -> None:
    nested = [message("user", "go"), OUTPUT, message("user", "summary")]
    data = rollout(compacted(nested, replacement_history_metadata=[{"n": 0}, {"n": 1}, {"n": 2}]))
    log = written(tmp_path, data)
    assert product.check(log).errors == {"R1:A"}
    after = payloads(repaired(log, "--preset", "clean"))[1]
    assert after["replacement_history"] == [nested[0], nested[2]]
    assert after["replacement_history_metadata"] == [{"n": 0}, {"n": 2}]


def test_result_moves_from_its_line_into_the_replacement_history(tmp_path: Path) -> None:
    """Where the server wants it at once."""
    data = rollout(
        compacted([message("user", "go"), CALL]),
        *responses([message("user", "meanwhile"), OUTPUT, message("assistant", "ok")]),
        model_provider="deepseek",
    )
    log = written(tmp_path, data)
    assert product.check(log).errors == {"R3:A"}
    after = payloads(repaired(log))
    assert after[1]["replacement_history"] == [message("user", "go"), CALL, OUTPUT]
    assert [payload["type"] for payload in after[2:]] == ["message", "message"]


def test_result_behind_a_line_gets_an_envelope(tmp_path: Path) -> None:
    other = call_item(Call("B"))
    data = rollout(compacted([message("user", "go"), CALL, other]), *responses([OUTPUT, message("assistant", "ok")]))
    after = repaired(written(tmp_path, data))
    assert [item.get("call_id") for item in rebuilt(after)] == [None, "A", "B", "A", "B", None]


def test_compaction_without_a_replacement_keeps_what_the_user_said(tmp_path: Path) -> None:
    data = rollout(
        *responses([message("user", "<environment_context>x"), message("user", "go"), LOST]),
        ("compacted", {"message": "the summary"}),
        *responses([CALL, OUTPUT, message("assistant", "ok")]),
    )
    log = written(tmp_path, data)
    assert product.check(log).session["verdict"] == "healthy"
    assert product.check(log).session["messages"] == len(rebuilt(data)) == 5


def turn(number: int, *items: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    identity = f"turn-{number}"
    said = message("user", f"question {number}")
    return [
        event("task_started", turn_id=identity),
        ("turn_context", {"turn_id": identity, "model": "m"}),
        *responses([said]),
        event("user_message", message=f"question {number}"),
        *responses(list(items)),
        event("task_complete", turn_id=identity),
    ]


def test_turns_that_were_taken_back_are_not_judged(tmp_path: Path) -> None:
    data = rollout(*turn(1, CALL, OUTPUT), *turn(2, LOST), event("thread_rolled_back", num_turns=1), *turn(3))
    log = written(tmp_path, data)
    assert product.check(log).session["verdict"] == "healthy"
    assert product.check(log).session["messages"] == len(rebuilt(data)) == 4


def test_compaction_in_a_turn_that_was_taken_back_is_none(tmp_path: Path) -> None:
    base = compacted([message("user", "first summary")])
    later = [*turn(2)[:-1], compacted([message("user", "second summary"), LOST]), turn(2)[-1]]
    data = rollout(*turn(1), base, *later, event("thread_rolled_back", num_turns=1), *turn(3, CALL, OUTPUT))
    log = written(tmp_path, data)
    session = product.check(log).session
    assert session["messages"] == len(rebuilt(data))
    assert session["verdict"] == ("healthy" if pairing_error(history_of(rebuilt(data))) is None else "broken")


@pytest.mark.parametrize("number", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("compact_at", [None, 0, 1, 2])
def test_rollbacks_and_compactions_agree_with_the_reference(
    number: int, compact_at: int | None, tmp_path: Path
) -> None:
    entries = []
    for each in range(3):
        made = turn(each, call_item(Call(f"c{each}")), output_item(Result(f"c{each}", "x")))
        if compact_at == each:
            made.insert(4, compacted([message("user", "kept"), message("user", "summary")]))
        entries += made
    data = rollout(*entries, event("thread_rolled_back", num_turns=number), *turn(7))
    assert product.check(written(tmp_path, data)).session["messages"] == len(rebuilt(data))


# --- counts


def test_ordinals_stay_consecutive(tmp_path: Path) -> None:
    data = rollout(*responses(parse('u"go" | a{A p=1} | u"on" | a"ok"')), history_mode="paginated")
    after = repaired(written(tmp_path, data))
    assert [json.loads(line)["ordinal"] for line in after.splitlines()] == [0, 1, 2, 3, 4, 5]
    assert after.splitlines()[:3] == data.splitlines()[:3]


def test_lines_without_ordinals_get_none(tmp_path: Path) -> None:
    after = repaired(written(tmp_path, rollout(*responses([message("user", "go"), CALL]))))
    assert b"ordinal" not in after


def numbered(*ordinals: object) -> bytes:
    """A paginated rollout whose lines have these ordinals; None for none."""
    whole = rollout(
        *responses([message("user", "go"), CALL, OUTPUT, message("assistant", "ok")]), history_mode="paginated"
    )
    records = [json.loads(line) for line in whole.splitlines()]
    for record, ordinal in zip(records, ordinals, strict=True):
        record.pop("ordinal")
        if ordinal is not None:
            record["ordinal"] = ordinal
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize(
    ("ordinals", "found", "mended"),
    [
        ((0, 1, 2, 3, 4), {}, (0, 1, 2, 3, 4)),
        ((0, 1, 7, 8, 9), {}, (0, 1, 7, 8, 9)),
        ((0, 1, 1, 2, 3), {3: "warning"}, (0, 1, 2, 3, 4)),
        ((0, 1, 1, 2, 2), {3: "warning", 5: "warning"}, (0, 1, 2, 3, 4)),
        ((0, 5, 2, 3, 4), {3: "warning"}, (0, 5, 6, 7, 8)),
        ((0, 1, None, 2, 3), {3: "warning"}, (0, 1, 2, 3, 4)),
        ((0, 1, 2, None, None), {4: "error"}, (0, 1, 2, 3, 4)),
        ((None, None, None, None, None), {1: "error"}, (0, 1, 2, 3, 4)),
        ((0, 1, 2, 3, "x"), {}, (0, 1, 2, 3, "x")),
    ],
    ids=str,
)
def test_ordinals_that_do_not_follow_are_numbered_on(
    ordinals: tuple[object, ...], found: dict[int, str], mended: tuple[object, ...], tmp_path: Path
) -> None:
    """As Codex 0.169.0: a last line without one ends the load, and all others are passed by."""
    path = written(tmp_path, numbered(*ordinals))
    answer = product.check(path)
    assert {each["line"]: each["severity"] for each in answer.findings if each["rule"] == "G8"} == found
    assert ("missing an ordinal" in str(answer.session)) == ("error" in found.values())
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out, "--strategy", "G8=reid").losses == []
    assert tuple(json.loads(line)["ordinal"] for line in out.read_bytes().splitlines()) == mended
    assert "G8" not in product.check(out).rules


def test_ordinals_are_numbered_on_from_before_a_line_that_is_unreadable(tmp_path: Path) -> None:
    lines = numbered(0, 1, 1, 2, 3).splitlines(keepends=True)
    path, out = written(tmp_path, b"".join([*lines[:2], b"no line\n", *lines[2:]])), tmp_path / "out.jsonl"
    assert product.repair(path, out, "--strategy", "G8=reid").code == 0
    after = out.read_bytes().splitlines()
    assert [json.loads(line)["ordinal"] for line in after] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("last", "code"), [(3, 0), (None, 1)])
def test_a_compaction_that_was_repaired_within_keeps_its_ordinal(last: int | None, code: int, tmp_path: Path) -> None:
    """Its line is written around the elements that changed."""
    within = compacted([message("user", "kept"), output_item(Result("L", "lost"))])
    entries = [*responses([message("user", "go")]), within, *responses([message("user", "on")])]
    records = [json.loads(line) for line in rollout(*entries, history_mode="paginated").splitlines()]
    for record, ordinal in zip(records, (0, 1, last and 1, last and 2), strict=True):
        record["ordinal"] = ordinal
    path, out = (
        written(tmp_path, b"".join(json.dumps(each).encode() + b"\n" for each in records)),
        tmp_path / "out.jsonl",
    )
    answer = product.repair(path, out, "--strategy", "G8=reid")
    assert answer.code == code
    if code:
        assert "No lines from here to the end have an ordinal" in answer.report["reason"]
    else:
        assert product.check(out).rules == {"G8"}


def test_ordinals_are_found_behind_a_line_that_is_longer_than_a_look(tmp_path: Path) -> None:
    lines = numbered(0, 1, 2, 3, 3).splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"arguments": "', b'"arguments": "' + b" " * (5 << 20))
    path = written(tmp_path, b"".join(lines))
    assert [each["line"] for each in product.check(path).findings] == [5]


# --- where it can be saved


def test_paginated_thread_is_not_saved_in_place(tmp_path: Path) -> None:
    log = written(tmp_path, rollout(*responses([message("user", "go"), CALL]), history_mode="paginated"))
    before = log.read_bytes()
    answer = product.repair(log, None, "--in-place")
    assert answer.code == 1
    assert "paginated" in answer.report["reason"]
    assert "new session" in answer.report["reason"]
    assert log.read_bytes() == before


@pytest.mark.parametrize("link", [{"forked_from_id": THREAD}, {"history_base": {"thread_id": THREAD, "ordinal": 3}}])
def test_rollout_that_a_fork_names_is_not_saved_in_place(link: dict[str, Any], tmp_path: Path) -> None:
    day = tmp_path / "sessions" / "2026" / "01"
    (day / "01").mkdir(parents=True)
    (day / "02").mkdir()
    log = written(day / "01", rollout(*responses([message("user", "go"), CALL])))
    fork = "rollout-2026-01-02T00-00-00-0199a213-0000-7800-8aa1-000000000002.jsonl"
    written(day / "02", rollout(id="0199a213-0000-7800-8aa1-000000000002", **link), fork)
    answer = product.repair(log, None, "--in-place")
    assert answer.code == 1
    assert fork in answer.report["reason"]
    packed = day / "02" / f"{fork}.zst"
    packed.write_bytes(packing.packed((day / "02" / fork).read_bytes()))
    (day / "02" / fork).unlink()
    assert packed.name in product.repair(log, None, "--in-place").report["reason"]
    packed.unlink()
    (day / "02" / fork).touch()
    (day / "02" / fork).unlink()
    assert product.repair(log, None, "--in-place").code == 0


def test_new_session_has_its_id_in_name_and_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "sessions" / "2026" / "01" / "01"
    folder.mkdir(parents=True)
    parent = {"id": "0199a213-0000-7800-8aa1-00000000000f", "cwd": "/w"}
    data = rollout(("session_meta", parent), *responses([message("user", "go"), CALL]), session_id=THREAD)
    answer = product.repair(written(tmp_path, data), None, "--new-session")
    assert answer.code == 0, answer.report
    made = Path(answer.report["output"])
    new = made.name.removeprefix("rollout-2026-01-01T00-00-00-").removesuffix(".jsonl")
    assert made.parent == folder
    first, second, *_ = payloads(made.read_bytes())
    assert (first["id"], first["session_id"], second["id"]) == (new, new, parent["id"])
    edit = next(edit for edit in answer.edits if edit["pointer"] == "/payload/id")
    assert (edit["before"], edit["after"]) == (THREAD, new)
    assert product.check(made).session["id"] == new


# --- what the program does, and what is shown


@pytest.mark.parametrize(
    ("version", "items", "outcome"),
    [
        ("0.146.0", [CALL], "mends"),
        ("0.146.0", [OUTPUT], "mends"),
        ("0.147.0-alpha.2", [OUTPUT], "refuses"),
        ("0.147.0-alpha.2", [CALL, OUTPUT], "as-is"),
    ],
)
def test_on_resume_by_build(version: str, items: list[dict[str, Any]], outcome: str, tmp_path: Path) -> None:
    log = written(tmp_path, rollout(*responses([message("user", "go"), *items]), cli_version=version))
    told = product.check(log).session["on_resume"]
    assert (told["agent"], told["outcome"]) == (f"codex {version}", outcome)


OF_ANOTHER_SHAPE = [
    (3, "output", None),
    (3, "output", 7),
    (3, "output", {"content": "alpha", "success": True}),
    (3, "output", ["alpha"]),
    (3, "output", [{"type": "output_text", "text": "alpha"}]),
    (3, "output", [{"type": "input_image", "image_url": {"url": "data:image/png;base64,aGk="}}]),
    (1, "content", [{"type": "text", "text": "hi"}]),
    (4, "content", [{"type": "refusal", "refusal": "no"}]),
    (1, "content", "hi"),
    (1, "content", [{"type": "input_text", "text": {"text": "hi"}}]),
    (4, "content", [{"type": "output_text"}]),
]


@pytest.mark.parametrize(("number", "key", "value"), OF_ANOTHER_SHAPE)
def test_an_item_of_another_shape_is_skipped_by_codex(number: int, key: str, value: Any, tmp_path: Path) -> None:
    items = [message("user", "one"), CALL, OUTPUT, message("assistant", "done")]
    entries = [("response_item", dict(item)) for item in items]
    entries[number - 1][1][key] = value
    path = written(tmp_path, rollout(*entries))
    answer = product.check(path)
    assert answer.errors == {"M12"}
    assert answer.session["on_resume"]["loses"]
    repaired(path)
    line_by_line = path.read_bytes() + b'{"timestamp":"t","type":"event_msg","payload":7}\n'
    assert product.check(written(tmp_path, line_by_line)).errors == {"M12"}


@pytest.mark.parametrize(
    "wrong", [{"summary": None}, {"summary": ["so"]}, {"summary": [{"type": "text", "text": "so"}]}, {"content": "so"}]
)
def test_reasoning_of_another_shape_is_skipped_by_codex(wrong: dict[str, Any], tmp_path: Path) -> None:
    thought = {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}
    items = [message("user", "go"), thought | wrong, message("assistant", "done")]
    path = written(tmp_path, rollout(*responses(items)))
    assert product.check(path).errors == {"M12"}
    changed = rebuilt(repaired(path))[1]
    assert changed == thought | {"summary": [{"type": "summary_text", "text": "so"}] if wrong.get("summary") else []}


# Sound items of all types that Codex sends, with the items that they answer.
SEARCH = {"type": "tool_search_call", "call_id": "A", "execution": "client", "arguments": {}}
SOUND: dict[str, list[dict[str, Any]]] = {
    "user": [message("user", "hi")],
    "assistant": [message("assistant", "hi")],
    "agent": [{"type": "agent_message", "author": "/root/a", "recipient": "/root", "content": []}],
    "reasoning": [{"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}],
    "shell": [
        {"type": "local_shell_call", "call_id": "A", "status": "completed",
         "action": {"type": "exec", "command": ["ls"], "env": {"A": "b"}}},
        OUTPUT,
    ],
    "call": [CALL, OUTPUT],
    "output": [OUTPUT, CALL],
    "custom": [call_item(Call("A", "apply_patch")), output_item(Result("A", "alpha"), custom=True)],
    "custom output": [output_item(Result("A", "alpha"), custom=True), call_item(Call("A", "apply_patch"))],
    "tool search": [SEARCH, SEARCH | {"type": "tool_search_output", "status": "completed", "tools": [{}]}],
    "found tools": [SEARCH | {"type": "tool_search_output", "status": "completed", "tools": [{}]}, SEARCH],
    "web search": [{"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}}],
    "image": [{"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBO"}],
    "compaction": [{"type": "compaction", "encrypted_content": "gAAA"}],
    "context": [{"type": "context_compaction", "encrypted_content": "gAAA"}],
    "tools": [{"type": "additional_tools", "role": "developer", "tools": [{}]}],
}  # fmt: skip
METADATA = "internal_chat_message_metadata_passthrough"
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,iVBO"}
SKIPPED: list[tuple[str, dict[str, Any]]] = [
    *((name, {"id": ["x_1"]}) for name in SOUND),
    *((name, {METADATA: wrong}) for name in SOUND if name != "tools" for wrong in ({"turn_id": 7}, "t")),
    ("user", {METADATA: {"create_time": "noon"}}),
    ("user", {"type": None}),
    ("user", {"role": None}),
    ("user", {"role": 7}),
    ("user", {"status": 7}),
    ("user", {"content": [IMAGE | {"detail": "huge"}]}),
    ("user", {"content": [{"type": "input_audio"}]}),
    ("assistant", {"status": []}),
    ("assistant", {"phase": "final"}),
    ("assistant", {"phase": 7}),
    ("assistant", {"content": [{"type": "output_text", "text": "hi", "annotations": {}}]}),
    ("assistant", {"content": [{"type": "output_text", "text": "hi", "logprobs": "none"}]}),
    ("agent", {"author": None}),
    ("agent", {"recipient": 7}),
    ("agent", {"content": [{"type": "output_text", "text": "hi"}]}),
    ("shell", {"action": {}}),
    ("shell", {"action": {"type": "exec"}}),
    ("shell", {"action": {"type": "exec", "command": [7]}}),
    ("shell", {"action": {"type": "exec", "command": [], "env": {"A": 7}}}),
    ("shell", {"action": {"type": "exec", "command": [], "timeout_ms": "1s"}}),
    ("shell", {"status": "failed"}),
    ("call", {"status": 7}),
    ("call", {"namespace": {}}),
    ("call", {"encrypted_function_args": [7]}),
    ("call", {"encrypted_function_args": "message"}),
    ("output", {"name": 7}),
    ("output", {"namespace": []}),
    ("custom", {"status": 7}),
    ("custom output", {"name": {}}),
    ("tool search", {"execution": None}),
    ("tool search", {"status": 7}),
    ("found tools", {"status": None}),
    ("found tools", {"tools": {}}),
    ("web search", {"status": 7}),
    ("web search", {"action": "search"}),
    ("web search", {"action": {"query": "q"}}),
    ("web search", {"action": {"type": "search", "query": 7}}),
    ("web search", {"action": {"type": "search", "queries": ["q", 7]}}),
    ("image", {"status": None}),
    ("image", {"result": None}),
    ("image", {"revised_prompt": 7}),
    ("compaction", {"encrypted_content": None}),
    ("context", {"encrypted_content": 7}),
    ("tools", {"role": None}),
    ("tools", {"tools": "all"}),
]  # fmt: skip
REJECTED: list[tuple[str, dict[str, Any]]] = [
    ("user", {"role": "boss"}),
    ("user", {"status": "done"}),
    ("assistant", {"status": "done"}),
    ("assistant", {"content": [{"type": "output_text", "text": "hi", "annotations": ["a"]}]}),
    ("assistant", {"content": [{"type": "output_text", "text": "hi", "logprobs": [7]}]}),
    ("call", {"status": "failed"}),
    ("tool search", {"status": "failed"}),
    ("found tools", {"status": "failed"}),
    ("found tools", {"execution": "nowhere"}),
    ("found tools", {"tools": ["f"]}),
    ("web search", {"status": "done"}),
    ("web search", {"action": {"type": "other"}}),
    ("web search", {"action": {"type": "find_in_page", "url": "u"}}),
    ("image", {"status": "done"}),
    ("image", {"id": None}),
]
SENT_WITHOUT: list[tuple[str, dict[str, Any]]] = [
    *((name, {"caller": 7, "async": 7, "created_by": 7}) for name in SOUND),
    *((name, {"status": 7}) for name in ("agent", "reasoning", "output", "custom output", "compaction", "tools")),
    ("web search", {"action": {"type": "search", "query": "q", "sources": 7}}),
    ("user", {"content": [{"type": "input_text", "text": "hi", "prompt_cache_breakpoint": 7}]}),
]


def with_members(folder: Path, name: str, wrong: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    """A log with an item that has other members, behind the call that it answers, and that item."""
    item, *beside = SOUND[name]
    item = item | wrong
    is_answer = item.get("type") in ("function_call_output", "custom_tool_call_output", "tool_search_output")
    items = [message("user", "go"), *((*beside, item) if is_answer else (item, *beside)), message("assistant", "ok")]
    return written(folder, rollout(*responses(items), cli_version="0.169.0")), item


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_item_of_each_type_is_healthy(name: str, tmp_path: Path) -> None:
    path, _ = with_members(tmp_path, name, {})
    assert product.check(path).session["verdict"] == "healthy"


@pytest.mark.parametrize(("name", "wrong"), SKIPPED)
def test_a_line_whose_item_has_a_member_of_another_type_is_skipped_by_codex(
    name: str, wrong: dict[str, Any], tmp_path: Path
) -> None:
    path, item = with_members(tmp_path, name, wrong)
    assert "M12" in product.check(path).errors
    assert item not in product.sent(path).report["input"]
    healthy_again(path)


@pytest.mark.parametrize(("name", "wrong"), REJECTED)
def test_a_member_that_codex_sends_and_its_provider_rejects(name: str, wrong: dict[str, Any], tmp_path: Path) -> None:
    path, _ = with_members(tmp_path, name, wrong)
    answer = product.check(path)
    assert answer.errors == {"M12"}
    assert answer.session["on_resume"]["outcome"] == "refuses"
    healthy_again(path)


@pytest.mark.parametrize(("name", "wrong"), SENT_WITHOUT)
def test_a_member_that_codex_does_not_send_is_not_looked_at(name: str, wrong: dict[str, Any], tmp_path: Path) -> None:
    sound, _ = with_members(tmp_path, name, {})
    sent = product.sent(sound).report["input"]
    path, _ = with_members(tmp_path, name, wrong)
    assert product.check(path).session["verdict"] == "healthy"
    assert product.sent(path).report["input"] == sent


def test_the_kinds_of_parts_are_not_looked_at(tmp_path: Path) -> None:
    path, item = with_members(tmp_path, "user", {METADATA: {"content_item_kinds": 7}})
    assert product.check(path).session["verdict"] == "healthy"
    assert item in product.sent(path).report["input"]


@pytest.mark.parametrize("name", ["agent", "compaction", "context", "tools"])
def test_an_item_that_is_no_message_is_sent(name: str, tmp_path: Path) -> None:
    path, item = with_members(
        tmp_path, name, {"content": [{"type": "input_text", "text": "hi"}]} if name == "agent" else {}
    )
    assert item in product.sent(path).report["input"]


def test_a_compaction_goes_out_under_its_new_type(tmp_path: Path) -> None:
    path, item = with_members(tmp_path, "compaction", {"type": "compaction_summary"})
    assert item | {"type": "compaction"} in product.sent(path).report["input"]


def test_an_unknown_status_is_removed_from_a_call(tmp_path: Path) -> None:
    path, _ = with_members(tmp_path, "call", {"status": "failed"})
    assert rebuilt(repaired(path))[1] == CALL


def test_a_message_of_the_system_is_not_sent_by_codex(tmp_path: Path) -> None:
    path, item = with_members(tmp_path, "user", {"role": "system"})
    assert item not in product.sent(path).report["input"]


@pytest.mark.parametrize(
    ("name", "wrong"), [("user", {"id": [7]}), ("call", {"status": "failed"}), ("call", {"type": "robot"})]
)
def test_an_item_of_a_compaction_is_looked_at(name: str, wrong: dict[str, Any], tmp_path: Path) -> None:
    item, *beside = SOUND[name]
    log = written(tmp_path, rollout(compacted([message("user", "kept"), item | wrong, *beside])))
    assert "M12" in product.check(log).errors
    healthy_again(log)


def test_a_local_shell_call_without_an_id_is_sent_and_its_output_is_not(tmp_path: Path) -> None:
    call = SOUND["shell"][0] | {"id": "lsh_1", "call_id": None}
    log = written(tmp_path, rollout(*responses([message("user", "go"), call, OUTPUT | {"call_id": "lsh_1"}])))
    assert product.check(log).errors == {"K3", "K5:lsh_1"}
    assert [item["type"] for item in product.sent(log).report["input"]] == ["message", "local_shell_call"]
    assert rebuilt(repaired(log))[1] == call | {"call_id": "lsh_1"}


@pytest.mark.parametrize(
    "odd", [{"timestamp": None}, {"timestamp": 7}, {"metadata": "m"}, {"metadata": {"client_authored": None}}]
)
@pytest.mark.parametrize("number", [2, 3])
def test_a_line_with_an_odd_envelope_is_skipped_by_codex(number: int, odd: dict[str, Any], tmp_path: Path) -> None:
    rows = rollout(*responses([message("user", "go"), message("user", "hi"), CALL, OUTPUT])).splitlines()
    rows[number] = json.dumps(json.loads(rows[number]) | odd).encode()
    log = written(tmp_path, b"\n".join(rows) + b"\n")
    assert "M12" in product.check(log).errors
    assert json.loads(rows[number])["payload"] not in product.sent(log).report["input"]
    repaired(log)


def test_a_message_without_a_type_gets_one(tmp_path: Path) -> None:
    said = {"role": "user", "content": "hi"}
    path = written(tmp_path, rollout(*responses([message("user", "go"), said, message("assistant", "ok")])))
    assert product.check(path).errors == {"M12"}
    assert rebuilt(repaired(path))[1] == message("user", "hi")


def test_a_local_shell_call_without_a_status_gets_one(tmp_path: Path) -> None:
    call = {"type": "local_shell_call", "call_id": "A", "action": {"type": "exec", "command": ["ls"]}}
    path = written(tmp_path, rollout(*responses([message("user", "go"), call, OUTPUT])))
    assert product.check(path).errors == {"M12"}
    assert rebuilt(repaired(path))[1] == call | {"status": "completed"}


def test_an_output_of_another_shape_is_seen_in_a_plan_that_leaves_it(tmp_path: Path) -> None:
    items = [message("user", "one"), CALL, {**OUTPUT, "output": 7}, message("assistant", "done")]
    answer = product.repair(written(tmp_path, rollout(*responses(items))), tmp_path / "out", preset="gemini-cli")
    assert "repairs M12" in answer.report["reason"]


def test_unreadable_lines_are_skipped_by_codex(tmp_path: Path) -> None:
    data = rollout(*responses([message("user", "go"), CALL, OUTPUT])) + b'{"timestamp":"2026'
    told = product.check(written(tmp_path, data)).session["on_resume"]
    assert (told["outcome"], told["loses"]) == ("as-is", ["the incomplete line"])


@pytest.mark.parametrize(
    "last",
    [
        event("error", message="stream disconnected: 429 Too Many Requests"),
        event("stream_error", message="429 Too Many Requests"),
        event("task_complete", turn_id="t", error={"message": "429 Too Many Requests"}),
    ],
)
def test_recorded_error_at_the_end(last: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    log = written(tmp_path, rollout(*responses([message("user", "go")]), last, event("token_count", info=None)))
    session = product.check(log).session
    assert (session["verdict"], session["recorded_error_kind"], session["findings"]) == ("healthy", "rate-limit", [])
    assert "429 Too Many Requests" in session["recorded_error"]


def test_bare_era_is_read_and_written_back_as_it_is(tmp_path: Path) -> None:
    history = parse('u"go" | a{A p=1} | u"on" | a"ok"')
    log = written(tmp_path, bare(history))
    session = product.check(log).session
    assert (session["format"], session["id"], session["on_resume"]["outcome"]) == ("codex", THREAD, "refuses")
    assert product.check(log).errors == {"D2:A"}
    out = tmp_path / "out.jsonl"
    assert product.repair(log, out).code == 0
    old, new = bare(history).splitlines(), out.read_bytes().splitlines()
    (added,) = [line for line in new if line not in old]
    assert (
        new.index(added)
        == old.index(json.dumps(call_item(Call("A", input={"p": 1})), separators=(",", ":")).encode()) + 1
    )
    assert json.loads(added)["type"] == "function_call_output"
    assert product.check(out).session["verdict"] == "healthy"


def test_headline_is_the_folder_and_the_first_real_question() -> None:
    context = [message("user", "<environment_context>x"), message("user", "# AGENTS.md instructions for /w")]
    data = rollout(*responses([*context, message("user", "Why is it late?\nTell me.")]))
    headline = Codex().metadata(Head(Source.of_bytes(data)))
    assert (headline.project, headline.title) == ("/w", "Why is it late?")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Fix the clock.\nPlease.", "Fix the clock."),
        ("# Context from my IDE setup:\n\n## Open tabs:\n- a.py: a.py\n\n## My request for Codex:\nFix it.", "Fix it."),
        ("# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request for Codex: Look.", "Look."),
        ("<environment_context>…</environment_context>", ""),
    ],
)
def test_the_title_is_what_was_typed(text: str, title: str) -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    assert title_from_item(item) == title


def test_events_show_model_and_tokens() -> None:
    usage = {"last_token_usage": {"input_tokens": 120, "output_tokens": 30}}
    lines = rollout(("turn_context", {"model": "gpt-5.5"}), event("token_count", info=usage)).splitlines()
    assert Codex().view(lines[1]).model == "gpt-5.5"
    assert (Codex().view(lines[2]).tokens_in, Codex().view(lines[2]).tokens_out) == (120, 30)


@pytest.mark.parametrize(
    "line",
    [
        b'{"timestamp":1,"type":"response_item","payload":{"type":"function_call","call_id":7,"name":[],"arguments":{}}}',
        b'{"type":"compacted","payload":{"message":null,"replacement_history":[null,1,"x",[],{}]}}',
        b'{"type":"compacted","payload":{"replacement_history":[],"replacement_history_metadata":{}}}',
        b'{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":"two"}}',
        b'{"type":"event_msg","payload":null}',
        b'{"type":"response_item","payload":{"type":"message","role":"user","content":{"a":1}}}',
        b'{"type":"response_item","payload":[]}',
        b"null",
    ],
)
def test_odd_lines_are_no_reason_to_stop(line: bytes, tmp_path: Path) -> None:
    data = rollout(*responses([message("user", "go")])) + line + b"\n" + rollout(*responses([CALL, OUTPUT]))
    log = written(tmp_path, data)
    assert product.check(log).session["format"] == "codex"
    assert product.repair(log, tmp_path / "out.jsonl").code in (0, 1)


@pytest.mark.parametrize("text", [b"alpha", b'"go"'])
def test_bytes_that_are_no_utf8_are_found_where_they_are_read(text: bytes, tmp_path: Path) -> None:
    data = rollout(*responses([message("user", "go"), CALL, OUTPUT])).replace(text, text[:-1] + b"\xff" + text[-1:])
    log = written(tmp_path, data)
    assert "F5" in product.check(log).rules
    out = tmp_path / "out.jsonl"
    assert product.repair(log, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"


def test_blank_line_does_not_hide_a_fused_one(tmp_path: Path) -> None:
    first, second, *rest = rollout(*responses([message("user", "go"), CALL, OUTPUT])).splitlines()
    log = written(tmp_path, b"\n".join([first, b"", second + rest[0], *rest[1:], b""]))
    assert "F2" in product.check(log).rules


def test_a_rollout_without_its_first_line_gets_one_as_codex_0_169_takes_it(tmp_path: Path) -> None:
    """Seen: it loads nothing without `session_meta`, and goes on from this one."""
    first, *rest = rollout(*[("response_item", each) for each in (message("user", "Go."), CALL, OUTPUT)]).splitlines(
        keepends=True
    )
    assert b'"session_meta"' in first
    path = written(tmp_path, b"".join(rest))
    session = product.check(path).session
    assert (session["verdict"], session["on_resume"]["outcome"]) == ("broken", "refuses")
    product.repair(path, out := tmp_path / "out.jsonl")
    made, *others = out.read_bytes().splitlines(keepends=True)
    assert others == rest
    texts = json.loads(made)["payload"]
    assert {*texts} >= {"id", "timestamp", "cwd", "originator", "cli_version"}
    assert all(isinstance(text, str) for text in texts.values())
    assert product.check(out).session["verdict"] == "healthy"
