"""Messages that no provider takes as they are written (M12), wire by wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.request_repair import repair_messages
from inspector.core.providers.bedrock_converse import schema
from inspector.core.providers.error_parser import explain_error
from inspector.core.providers.gemini import schema as gemini
from tests.core.formats.api_logs import log, repaired
from tests.core.repair.logs import saved
from tests.support import product
from tests.support.judges import mistral_refusal
from tests.support.notation import claude_code_records, lines, parse

QUOTED = "[A block that no provider takes, quoted as it stood here]\n"
LONG = "words that nobody may lose " * 4
Json = dict[str, Any]

HI: Json = {"role": "user", "content": "hi"}
SAID: Json = {"role": "assistant", "content": "ok"}
CHAT_CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "A", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
CHAT: list[Json] = [HI, CHAT_CALL, {"role": "tool", "tool_call_id": "A", "content": "alpha"}]
USE: Json = {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "f", "input": {}}]}


def result(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": content}]}


ANTHROPIC = [HI, USE, result("alpha")]
CONVERSE = [
    {"role": "user", "content": [{"text": "hi"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "A", "name": "f", "input": {}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "A", "content": [{"text": "alpha"}]}}]},
]
GEMINI = [
    {"role": "user", "parts": [{"text": "hi"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "alpha"}}}]},
]
ITEMS = [
    HI,
    {"type": "function_call", "call_id": "A", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "A", "output": "alpha"},
]
REQUESTS = {
    "anthropic": "messages",
    "chat": "messages",
    "converse": "messages",
    "gemini": "contents",
    "responses": "input",
}
# What stands in the log behind a sound history; where it is; what stands there when it is mended.
MENDED: list[tuple[str, list[Json], Json, str, Any]] = [
    ("anthropic", ANTHROPIC, {"role": "assistant", "content": [LONG]}, "/content/0", [{"type": "text", "text": LONG}]),
    (
        "anthropic",
        ANTHROPIC,
        {"role": "assistant", "content": [{"text": LONG}]},
        "/content/0/type",
        [{"type": "text", "text": LONG}],
    ),
    ("anthropic", ANTHROPIC, {"role": "assistant", "content": {"type": "text", "text": LONG}}, "/content", LONG),
    ("anthropic", ANTHROPIC, {"role": "assistant", "content": 7.5}, "/content", "7.5"),
    ("chat", CHAT, {"role": "assistant", "content": [LONG]}, "/content/0", [{"type": "text", "text": LONG}]),
    ("chat", CHAT, {"role": "assistant", "content": 5}, "/content", "5"),
    ("chat", CHAT, {"role": "assistant", "content": {"type": "text", "text": LONG}}, "/content", LONG),
    ("chat", CHAT, {"role": "system", "content": True}, "/content", "true"),
    ("chat", CHAT, {"role": "system", "content": None}, "/content", ""),
    ("chat", CHAT, {"role": "user", "content": 0}, "/content", "0"),
    ("chat", CHAT, {"role": "user", "content": {}}, "/content", f"{QUOTED}{{}}"),
    ("anthropic", ANTHROPIC, {"role": "assistant", "content": False}, "/content", "false"),
    (
        "responses",
        ITEMS,
        {"role": "assistant", "content": [LONG]},
        "/content/0",
        [{"type": "output_text", "text": LONG}],
    ),
    ("responses", ITEMS, {"role": "user", "content": [LONG]}, "/content/0", [{"type": "input_text", "text": LONG}]),
    (
        "gemini",
        GEMINI,
        {"role": "model", "parts": [{"text": 5}]},
        "/parts/0/text",
        [{"text": f'{QUOTED}{{"text":5}}'}],
    ),
    (
        "anthropic",
        ANTHROPIC,
        {"role": "assistant", "content": [{"type": "", "text": LONG}]},
        "/content/0/type",
        [{"type": "text", "text": LONG}],
    ),
    (
        "responses",
        ITEMS,
        {"role": "user", "content": [{"type": "", "text": LONG}]},
        "/content/0/type",
        [{"type": "input_text", "text": LONG}],
    ),
    (
        "converse",
        CONVERSE,
        {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": 5}}}, {"text": "ok"}]},
        "/content/0/reasoningContent/reasoningText/text",
        [{"text": f'{QUOTED}{{"reasoningContent":{{"reasoningText":{{"text":5}}}}}}'}, {"text": "ok"}],
    ),
    (
        "chat",
        CHAT,
        USE | {"content": [{"type": "text", "text": LONG}, *USE["content"]]},
        "/content/1/type",
        [
            {"type": "text", "text": LONG},
            {"type": "text", "text": f'{QUOTED}{{"type":"tool_use","id":"A","name":"f","input":{{}}}}'},
        ],
    ),
    ("gemini", GEMINI, {"role": "model", "parts": LONG}, "/parts", [{"text": LONG}]),
    ("gemini", GEMINI, {"role": "model", "parts": [LONG]}, "/parts/0", [{"text": LONG}]),
    ("converse", CONVERSE, {"role": "assistant", "content": LONG}, "/content", [{"text": LONG}]),
    ("converse", CONVERSE, {"role": "assistant", "content": [LONG]}, "/content/0", [{"text": LONG}]),
]


BESIDE = {"anthropic": {"max_tokens": 1024, "system": "Be brief."}}
BEFORE = {
    "gemini": [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "ok"}]}],
    "converse": [{"role": "user", "content": [{"text": "hi"}]}, {"role": "assistant", "content": [{"text": "ok"}]}],
}


def whole(folder: Path, wire: str, messages: list[Any]) -> Path:
    """A history long enough for its format to be told by what stands before the odd message."""
    return log(folder, BESIDE.get(wire, {}) | {REQUESTS[wire]: [*BEFORE.get(wire, [HI, SAID]) * 31, *messages]})


@pytest.mark.parametrize(("wire", "sound", "odd", "at", "mended"), MENDED)
def test_words_stay_where_they_stood(
    wire: str, sound: list[Any], odd: Any, at: str, mended: Any, tmp_path: Path
) -> None:
    path = whole(tmp_path, wire, [*sound, odd])
    answer = product.check(path)
    assert (answer.session["verdict"], {f["rule"] for f in answer.findings if f["severity"] == "error"}) == (
        "broken",
        {"M12"},
    )
    (finding,) = [each for each in answer.findings if each["rule"] == "M12"]
    assert f"({at}: " in finding["message"]
    last = repaired(path, REQUESTS[wire])[-1]
    assert last.get("content", last.get("parts")) == mended


RESULTS = [
    ("anthropic", [*ANTHROPIC[:2], result(5)], lambda each: each["content"][0]["content"], "5"),
    (
        "anthropic",
        [*ANTHROPIC[:2], result(["alpha"])],
        lambda each: each["content"][0]["content"],
        [{"type": "text", "text": "alpha"}],
    ),
    ("chat", [*CHAT[:2], CHAT[2] | {"content": None}], lambda each: each["content"], ""),
    ("chat", [*CHAT[:2], CHAT[2] | {"content": 1}], lambda each: each["content"], "1"),
    ("responses", [*ITEMS[:2], ITEMS[2] | {"output": True}], lambda each: each["output"], "true"),
    (
        "gemini",
        [*GEMINI[:2], {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": "x"}}]}],
        lambda each: each["parts"][0]["functionResponse"]["response"],
        {"output": "x"},
    ),
    (
        "converse",
        [*CONVERSE[:2], {"role": "user", "content": [{"toolResult": {"toolUseId": "A", "content": "x"}}]}],
        lambda each: each["content"][0]["toolResult"]["content"],
        [{"text": "x"}],
    ),
]


@pytest.mark.parametrize(("wire", "messages", "output", "mended"), RESULTS)
def test_a_result_keeps_its_call(wire: str, messages: list[Any], output: Any, mended: Any, tmp_path: Path) -> None:
    path = whole(tmp_path, wire, messages)
    assert {error.partition(":")[0] for error in product.check(path).errors} == {"M12"}
    assert output(repaired(path, REQUESTS[wire])[-1]) == mended


@pytest.mark.parametrize("part", ["x", None, [1], 5])
@pytest.mark.parametrize("key", ["functionCall", "functionResponse"])
def test_a_call_that_is_none_is_quoted_and_what_stood_around_it_mended(key: str, part: Any, tmp_path: Path) -> None:
    path = whole(tmp_path, "gemini", [*GEMINI, {"role": "model", "parts": [{"text": "ok"}, {key: part}]}])
    assert "M12" in {error.partition(":")[0] for error in product.check(path).errors}
    assert key in repaired(path, "contents")[-1]["parts"][1]["text"]


@pytest.mark.parametrize(
    ("wire", "content", "kind"),
    [
        *(("gemini", "parts", kind) for kind in sorted(gemini.BLOCK_SCHEMA.kinds.keys() - {"text"})),
        *(("bedrock-converse", "content", kind) for kind in sorted(schema.BLOCK_KEYS - {"text"})),
    ],
)
def test_nothing_stands_beside_a_text(wire: str, content: str, kind: str, tmp_path: Path) -> None:
    """The quick look knows every member that a part may have."""
    model = {"gemini": "model"}.get(wire, "assistant")
    user: Json = {"role": "user", content: [{"text": "q"}]}
    said: Json = {"role": model, content: [{"text": "ok", kind: {}}]}
    key = {"gemini": "contents"}.get(wire, "messages")
    assert "M12" in product.check(log(tmp_path, {key: [user, said]})).errors


HANDED_ON = {
    "api_conversation_history.json": "",
    "1_a.messages.json": '"version": 1, "updated_at": "2026-01-01T00:00:00Z", "sessionId": "1_a", ',
}


def of_cline(folder: Path, name: str, messages: list[Any]) -> Path:
    listed = json.dumps([message | {"ts": number} for number, message in enumerate(messages)])
    (folder / name).write_text(f'{{{HANDED_ON[name]}"messages": {listed}}}' if HANDED_ON[name] else listed)
    return folder / name


@pytest.mark.parametrize("name", HANDED_ON)
@pytest.mark.parametrize("odd", [{"type": "text", "text": {"type": "text", "text": LONG}}, LONG])
def test_an_agent_hands_on_what_no_provider_takes(name: str, odd: Any, tmp_path: Path) -> None:
    path = of_cline(tmp_path, name, [HI, SAID, HI, {"role": "assistant", "content": [odd]}])
    assert product.check(path).errors == {"M12"}
    out = tmp_path / "out" / name
    out.parent.mkdir()
    assert product.repair(path, out).code == 0
    messages = json.loads(out.read_bytes())
    (block,) = (messages["messages"] if HANDED_ON[name] else messages)[3]["content"]
    assert LONG in block["text"]


@pytest.mark.parametrize("name", HANDED_ON)
def test_what_an_agent_notes_in_its_own_way_is_left(name: str, tmp_path: Path) -> None:
    own = [{"type": "image", "data": "aGk=", "mediaType": "image/png"}, {"type": "file", "path": "a", "content": "x"}]
    assert product.check(of_cline(tmp_path, name, [{"role": "user", "content": own}, SAID])).errors == set()


@pytest.mark.parametrize(("wire", "sound"), [("anthropic", ANTHROPIC), ("chat", CHAT)])
def test_a_long_list_of_values_is_told_as_one(wire: str, sound: list[Any], tmp_path: Path) -> None:
    numbers = [number / 8 for number in range(1000)]
    path = whole(tmp_path, wire, [*sound, {"role": "user", "content": numbers}])
    (finding,) = product.check(path).findings
    assert "/content: a long list of values" in finding["message"]
    told = repaired(path, "messages")[-1]["content"]
    assert json.loads(told.partition("\n")[2]) == numbers


NOBODY: list[tuple[str, list[Json], Json]] = [
    ("anthropic", ANTHROPIC, {"content": [{"type": "text", "text": LONG}]}),
    ("anthropic", ANTHROPIC, {"role": None, "content": LONG}),
    ("anthropic", ANTHROPIC, {"role": 5, "content": LONG}),
    ("chat", CHAT, {"role": ["user"], "content": LONG}),
    ("chat", CHAT, {"role": "assistant", "content": LONG, "tool_calls": {}}),
    ("converse", CONVERSE, {"content": [{"text": LONG}]}),
    ("responses", ITEMS, {"type": 7, "content": LONG}),
]


@pytest.mark.parametrize(("wire", "sound", "odd"), NOBODY)
def test_what_nobody_said_is_kept_beside_the_output(wire: str, sound: list[Any], odd: Any, tmp_path: Path) -> None:
    path, out = whole(tmp_path, wire, [*sound, odd]), tmp_path / "out.json"
    answer = product.repair(path, out)
    assert (answer.code, answer.errors) == (0, {"M12"})
    assert LONG[:50] in answer.lost_text
    assert json.dumps(LONG).encode() in out.with_name("out.json.quarantine").read_bytes()
    assert json.loads(out.read_bytes())[REQUESTS[wire]][62:] == sound


SUMMARIES = [
    (LONG, [{"type": "summary_text", "text": LONG}]),
    ([LONG], [{"type": "summary_text", "text": LONG}]),
    (None, [{"type": "summary_text", "text": ""}]),
    ([{"type": "output_text", "text": LONG}], [{"type": "summary_text", "text": LONG}]),
]


@pytest.mark.parametrize(("odd", "mended"), SUMMARIES)
def test_a_summary_is_a_list_of_texts(odd: Any, mended: Any, tmp_path: Path) -> None:
    path = whole(tmp_path, "responses", [*ITEMS, {"type": "reasoning", "id": "rs_1", "summary": odd}, SAID])
    assert product.check(path).errors == {"M12"}
    assert repaired(path, "input")[-2]["summary"] == mended


@pytest.mark.parametrize("odd", [{"name": ""}, {"id": ""}, {"name": None}, {"input": None}])
def test_a_call_of_a_server_tool_has_an_id_a_name_and_an_input(odd: dict[str, Any], tmp_path: Path) -> None:
    call = {"type": "server_tool_use", "id": "S", "name": "web_search", "input": {}} | odd
    told = {"type": "web_search_tool_result", "tool_use_id": "S", "content": []}
    path = whole(tmp_path, "anthropic", [*ANTHROPIC, {"role": "assistant", "content": [call, told]}])
    assert "M12" in {error.partition(":")[0] for error in product.check(path).errors}
    assert "server_tool_use" in repaired(path, "messages")[-1]["content"][0]["text"]


def test_the_id_of_a_server_s_result_is_a_text(tmp_path: Path) -> None:
    call = {"type": "server_tool_use", "id": "S", "name": "web_search", "input": {}}
    told = {"type": "web_search_tool_result", "tool_use_id": ["S"], "content": []}
    path = whole(tmp_path, "anthropic", [*ANTHROPIC, {"role": "assistant", "content": [call, told]}])
    assert "M12" in {error.partition(":")[0] for error in product.check(path).errors}
    repaired(path, "messages")


def test_the_result_of_a_server_tool_is_no_part_of_a_result(tmp_path: Path) -> None:
    """What an agent's log holds may be newer than the tables, but this type is known, and belongs elsewhere."""
    records = claude_code_records(parse('u | a{A} | r(A=x) | a"ok"'))
    (block,) = records[2]["message"]["content"]
    block["content"] = [{"type": "web_search_tool_result", "tool_use_id": "S", "content": []}]
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(records))
    assert product.check(path).errors == {"M12"}


def test_an_item_without_content_says_nothing(tmp_path: Path) -> None:
    for odd in ({"role": "user"}, {"type": "message", "role": "assistant", "content": None}):
        path = whole(tmp_path, "responses", [*ITEMS, odd])
        assert product.check(path).errors == {"M7"}
        assert repaired(path, "input")[62:] == ITEMS


@pytest.mark.parametrize("said", [{}, {"content": []}])
@pytest.mark.parametrize(
    ("wire", "messages", "role"),
    [
        ("chat", CHAT, "system"),
        ("chat", CHAT, "developer"),
        ("anthropic", ANTHROPIC, "system"),
        ("converse", CONVERSE, "system"),
        ("responses", ITEMS, "developer"),
    ],
)
def test_a_system_message_without_content_goes(
    wire: str, messages: list[Json], role: str, said: Json, tmp_path: Path
) -> None:
    path = whole(tmp_path, wire, [*messages, {"role": role, **said}])
    assert product.check(path).errors == {"M12"}
    assert repaired(path, REQUESTS[wire])[62:] == messages


@pytest.mark.parametrize("held", [{}, {"reasoningText": None}])
def test_reasoning_that_holds_nothing_is_no_block(held: Json, tmp_path: Path) -> None:
    odd = {"role": "assistant", "content": [{"reasoningContent": held}, {"text": "ok"}]}
    path = whole(tmp_path, "converse", [*CONVERSE, odd])
    assert product.check(path).errors == {"M12"}
    assert repaired(path, "messages")[62:-1] == CONVERSE


def test_a_role_that_came_late_is_no_reason_not_to_judge(tmp_path: Path) -> None:
    path = whole(tmp_path, "chat", [*CHAT, {"role": "boss", "content": LONG}])
    assert any("'boss' instead of" in each["message"] for each in product.check(path).findings if each["rule"] == "M12")


@pytest.mark.parametrize(
    ("wire", "messages", "odd"),
    [
        ("chat", CHAT, {"role": "function", "content": LONG}),
        ("gemini", GEMINI, {"role": "system", "parts": [{"text": LONG}]}),
    ],
)
def test_what_is_no_message_of_the_wire_goes(wire: str, messages: list[Json], odd: Json, tmp_path: Path) -> None:
    path = whole(tmp_path, wire, [*messages, odd])
    assert product.check(path).errors == {"M12"}
    assert repaired(path, REQUESTS[wire])[62:] == messages


def test_a_response_of_the_system_is_moved_before_its_message_goes(tmp_path: Path) -> None:
    path = whole(tmp_path, "gemini", [*GEMINI[:2], GEMINI[2] | {"role": "system"}])
    assert product.check(path).errors == {"R11:no-id:f:63.0"}
    assert repaired(path, "contents")[62:] == GEMINI


@pytest.mark.parametrize(
    ("wire", "messages"),
    [
        ("anthropic", [*ANTHROPIC, {"role": "assistant", "content": [{"type": "new_kind", "words": "x"}]}]),
        ("anthropic", [*ANTHROPIC[:2], {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A"}]}]),
        ("chat", [*CHAT, {"role": "assistant", "content": [{"type": "new_kind"}]}]),
        ("gemini", [*GEMINI, {"parts": [{"text": "a", "function_call": None, "thought": None}]}]),
        ("gemini", [*GEMINI, {"role": "model", "parts": [{"newKind": {"words": "x"}}]}]),
        ("converse", [*CONVERSE, {"role": "assistant", "content": [{"newKind": {"words": "x"}}]}]),
        ("converse", [*CONVERSE, {"role": "assistant", "content": [{"cachePoint": {"type": "default"}}]}]),
        ("responses", [*ITEMS, {"type": "new_kind", "words": "x"}]),
        ("responses", [*ITEMS, {"type": "reasoning", "id": "rs_1", "summary": []}, SAID]),
    ],
)
def test_what_an_api_may_have_learned_since_is_left(wire: str, messages: list[Any], tmp_path: Path) -> None:
    path = whole(tmp_path, wire, messages)
    assert "M12" not in product.check(path).rules


@pytest.mark.parametrize("odd", [{"functionCall"}, {"functionResponse"}, {"functionCall", "functionResponse"}])
@pytest.mark.parametrize("member", ["id", "name"])
def test_the_names_and_ids_of_a_call_and_of_its_response_are_texts(odd: set[str], member: str, tmp_path: Path) -> None:
    held: dict[str, Any] = {
        "functionCall": {"id": "7", "name": "7", "args": {}},
        "functionResponse": {"id": "7", "name": "7", "response": {"output": LONG}},
    }
    sound = [{"role": role, "parts": [{key: held[key]}]} for role, key in zip(("model", "user"), held, strict=True)]
    for key in odd:
        held[key] = held[key] | {member: 7}
    broken = [{"role": role, "parts": [{key: held[key]}]} for role, key in zip(("model", "user"), held, strict=True)]
    path = whole(tmp_path, "gemini", [*GEMINI[:1], *broken])
    assert "M12" in product.check(path).rules
    assert repaired(path, "contents")[-2:] == sound


def test_the_status_of_a_result_is_a_text(tmp_path: Path) -> None:
    odd = {"toolResult": {"toolUseId": "A", "content": [{"text": "alpha"}], "status": {}}}
    path = whole(tmp_path, "converse", [*CONVERSE[:2], {"role": "user", "content": [odd]}])
    assert "M12" in product.check(path).rules
    assert "alpha" in str(repaired(path, "messages"))


def test_every_odd_part_of_a_message_is_mended_at_once(tmp_path: Path) -> None:
    path = whole(
        tmp_path,
        "anthropic",
        [*ANTHROPIC, {"role": "assistant", "content": [1, "b", {"text": "c"}, {"type": "text", "text": "d"}]}],
    )
    (finding,) = [each for each in product.check(path).findings if each["rule"] == "M12"]
    assert ", and 2 more problems" in finding["message"]
    assert [block["text"] for block in repaired(path, "messages")[-1]["content"]] == ["1", "b", "c", "d"]


ODD: list[tuple[str, Json]] = [(each[0], each[2]) for each in MENDED] + [(each[0], each[2]) for each in NOBODY]


@pytest.mark.parametrize("odd", [odd for wire, odd in ODD if wire == "chat" and odd.get("role") != "system"])
def test_a_judge_from_outside_says_the_same(odd: Any, tmp_path: Path) -> None:
    history = [*CHAT, SAID, HI, odd]
    path = whole(tmp_path, "chat", history)
    if "tool_calls" not in odd:  # it passes over calls that are no list
        assert mistral_refusal([*history, HI]) is not None
    assert mistral_refusal([*repaired(path, "messages"), HI]) is None


# --- blocks of a type that the API does not know

IMAGE_URL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
UNKNOWN_TYPES: list[tuple[str, list[Json], Json, str]] = [
    ("anthropic", ANTHROPIC, {"role": "user", "content": [{"type": "foo", "words": LONG}]}, "foo"),
    ("anthropic", ANTHROPIC, {"role": "user", "content": [{"type": "input_text", "text": LONG}]}, "input_text"),
    ("anthropic", ANTHROPIC, {"role": "assistant", "content": [{"type": "output_text", "text": LONG}]}, "output_text"),
    ("anthropic", ANTHROPIC, {"role": "user", "content": [IMAGE_URL, {"type": "text", "text": LONG}]}, "image_url"),
    ("anthropic", ANTHROPIC[:2], result([{"type": "foo", "words": LONG}]), "foo"),
    ("anthropic", ANTHROPIC[:2], result([{"type": "input_text", "text": LONG}]), "input_text"),
    ("anthropic", ANTHROPIC[:2], result([{"type": "web_search_tool_result", "words": LONG}]), "web_search_tool_result"),
    ("chat", CHAT, {"role": "user", "content": [{"type": "foo", "words": LONG}]}, "foo"),
    ("chat", CHAT, {"role": "user", "content": [{"type": "input_text", "text": LONG}]}, "input_text"),
    ("chat", CHAT, {"role": "assistant", "content": [{"type": "output_text", "text": LONG}]}, "output_text"),
    ("chat", CHAT[:2], CHAT[2] | {"content": [{"type": "foo", "words": LONG}]}, "foo"),
    ("chat", CHAT, {"role": "user", "content": [{"type": "server_tool_use", "words": LONG}]}, "server_tool_use"),
]


@pytest.mark.parametrize(("wire", "sound", "odd", "kind"), UNKNOWN_TYPES)
def test_a_type_that_the_api_does_not_know(wire: str, sound: list[Any], odd: Any, kind: str, tmp_path: Path) -> None:
    path = whole(tmp_path, wire, [*sound, odd])
    (finding,) = [each for each in product.check(path).findings if each["rule"] == "M12"]
    assert (finding["severity"], f"the API does not recognize the type '{kind}'" in finding["message"]) == (
        "error",
        True,
    )
    told = finding["refused_by"][{"anthropic": "anthropic", "chat": "openai-chat"}[wire]]
    assert ("Input tag" if wire == "anthropic" else "Supported values are: 'text'") in told
    explained = explain_error(told)
    assert explained is not None
    assert explained.rules == ("M12",)
    last = json.dumps(repaired(path, "messages")[-1])
    assert LONG.strip() in last
    assert f'"type": "{kind}"' not in last


NOT_JUDGED: list[tuple[str, list[Json], Json]] = [
    ("anthropic", ANTHROPIC, {"role": "assistant", "content": [{"type": "new_tool_result", "tool_use_id": "S"}]}),
    ("anthropic", ANTHROPIC[:2], result([{"type": "tool_reference", "tool_name": "f"}])),
    *(
        ("anthropic", ANTHROPIC, {"role": "user", "content": [block, {"type": "text", "text": "hi"}]})
        for block in (
            {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]},
            {"type": "container_upload", "file_id": "f"},
            {"type": "compaction"},
            {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}},
            {"type": "mid_conv_system"},
        )
    ),
    *(
        ("chat", CHAT, {"role": "user", "content": [{"type": kind}, {"type": "text", "text": "hi"}]})
        for kind in ("video_url", "audio_url", "document_url", "thinking")
    ),
]


@pytest.mark.parametrize(("wire", "sound", "odd"), NOT_JUDGED)
def test_a_type_that_somebody_takes_is_left(wire: str, sound: list[Any], odd: Any, tmp_path: Path) -> None:
    assert "M12" not in product.check(whole(tmp_path, wire, [*sound, odd])).rules


@pytest.mark.parametrize(("kind", "rules"), [("new_kind", set()), ("input_text", {"M12"})])
def test_an_agent_s_log_may_be_newer_than_what_is_known(kind: str, rules: set[str], tmp_path: Path) -> None:
    """Claude Code sends blocks of any type unchanged; of those of another API it is certain that they are refused."""
    records = claude_code_records(parse('u"hi" | a'))
    records[0]["message"]["content"] = [{"type": "text", "text": "hi"}, {"type": kind, "text": LONG}]
    path = saved(tmp_path, "claude-code", lines(records))
    assert product.check(path).rules == rules


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SEARCHED = {"type": "server_tool_use", "id": "S", "name": "web_search", "input": {}}


def heard(**block: Any) -> Json:
    return {"role": "user", "content": [block, {"type": "text", "text": "hi"}]}


def answered(*blocks: Json) -> Json:
    return {"role": "assistant", "content": [*blocks, {"type": "text", "text": "ok"}]}


# What the types of the SDKs do not allow, behind a sound history, and where it is.
AGAINST_THE_TYPES: list[tuple[str, list[Json], Json, str]] = [
    ("anthropic", ANTHROPIC, heard(type="text", text="x", cache_control=7), "/content/0/cache_control"),
    (
        "anthropic",
        ANTHROPIC,
        heard(type="text", text="x", cache_control={"type": "x"}),
        "/content/0/cache_control/type",
    ),
    (
        "anthropic",
        ANTHROPIC,
        heard(type="text", text="x", citations=[{"type": "char_location"}]),
        "/content/0/citations/0/cited_text",
    ),
    ("anthropic", ANTHROPIC, heard(type="search_result", source="s", content=[]), "/content/0/title"),
    ("anthropic", ANTHROPIC, heard(type="container_upload"), "/content/0/file_id"),
    (
        "anthropic",
        ANTHROPIC,
        answered(
            {
                "type": "code_execution_tool_result",
                "tool_use_id": "srvtoolu_1",
                "content": {
                    "type": "encrypted_code_execution_result",
                    "encrypted_stdout": "x",
                    "stderr": "",
                    "return_code": 0,
                    "content": [{"file_id": "f"}],
                },
            },
        ),
        "/content/0/content/content/0/type",
    ),
    ("anthropic", ANTHROPIC, heard(type="image", source={"type": "url"}), "/content/0/source/url"),
    (
        "anthropic",
        ANTHROPIC,
        heard(type="image", source={"type": "base64", "data": PIXEL}),
        "/content/0/source/media_type",
    ),
    ("anthropic", ANTHROPIC, heard(type="document", source={"type": "text", "data": 7}), "/content/0/source/data"),
    (
        "anthropic",
        ANTHROPIC,
        answered(SEARCHED, {"type": "web_search_tool_result", "tool_use_id": "S", "content": "x"}),
        "/content/1/content",
    ),
    (
        "anthropic",
        ANTHROPIC,
        answered(
            SEARCHED, {"type": "web_search_tool_result", "tool_use_id": "S", "content": [{"type": "web_search_result"}]}
        ),
        "/content/1/content/0/encrypted_content",
    ),
    ("anthropic", [HI, USE], result([{"type": "tool_reference"}]), "/content/0/content/0/tool_name"),
    ("chat", CHAT, HI | {"name": 7}, "/name"),
    ("chat", CHAT, heard(type="image_url", image_url={"detail": "low"}), "/content/0/image_url/url"),
    ("chat", CHAT, heard(type="input_audio", input_audio={"data": "x"}), "/content/0/input_audio/format"),
    ("chat", CHAT, heard(type="file", file={"file_id": 7}), "/content/0/file/file_id"),
    ("chat", CHAT, SAID | {"function_call": {"name": "f"}}, "/function_call/arguments"),
    ("chat", CHAT, SAID | {"refusal": []}, "/refusal"),
    ("responses", ITEMS, HI | {"content": [{"type": "text", "text": "hi"}]}, "/content/0/type"),
    ("responses", ITEMS, HI | {"content": [{"type": "input_image", "image_url": {}}]}, "/content/0/image_url"),
    ("responses", ITEMS, ITEMS[2] | {"status": "done"}, "/status"),
    ("responses", ITEMS, {"type": "web_search_call", "id": "ws_1", "action": []}, "/action"),
    ("responses", ITEMS, {"type": "compaction"}, "/encrypted_content"),
    ("responses", ITEMS, {"type": "mcp_call", "id": "mcp_1", "name": "n", "arguments": "{}"}, "/server_label"),
    ("responses", ITEMS, {"type": "item_reference"}, "/id"),
    (
        "responses",
        ITEMS,
        SAID | {"content": [{"type": "output_text", "text": "x", "annotations": None}]},
        "/content/0/annotations",
    ),
    ("responses", ITEMS, {"type": "additional_tools", "role": "developer", "tools": ["f"]}, "/tools/0"),
    (
        "responses",
        ITEMS,
        {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "queries": ["q", 7]}},
        "/action/queries/1",
    ),
    (
        "responses",
        ITEMS,
        {"type": "shell_call", "call_id": "S", "action": {"commands": [["ls"]]}},
        "/action/commands/0",
    ),
    ("gemini", GEMINI, {"parts": [{"text": "hi", "thoughtSignature": 7}]}, "/parts/0/thoughtSignature"),
    ("gemini", GEMINI, {"parts": [{"inlineData": {"data": 7}}]}, "/parts/0/inlineData/data"),
    ("gemini", GEMINI, {"parts": [{"text": "hi", "videoMetadata": []}]}, "/parts/0/videoMetadata"),
    ("gemini", GEMINI, {"parts": [{"executableCode": {"language": "C"}}]}, "/parts/0/executableCode/language"),
]


@pytest.mark.parametrize(
    ("wire", "sound", "odd", "place"), AGAINST_THE_TYPES, ids=[f"{wire} {at}" for wire, _, _, at in AGAINST_THE_TYPES]
)
def test_what_the_types_of_the_sdks_do_not_allow(
    wire: str, sound: list[Json], odd: Json, place: str, tmp_path: Path
) -> None:
    path = whole(tmp_path, wire, [*(sound[:-1] if odd.get("call_id") == "A" else sound), odd])
    (finding,) = [each for each in product.check(path).findings if each["rule"] == "M12"]
    assert f"({place}: " in finding["message"]
    repaired(path, REQUESTS[wire])
    assert "M12" not in product.check(path.with_name("out.json")).rules


def test_a_member_that_can_be_spared_is_removed_and_the_rest_stays(tmp_path: Path) -> None:
    odd = {"type": "text", "text": LONG, "cache_control": {"type": "for ever and ever"}}
    path = whole(tmp_path, "anthropic", [*ANTHROPIC, {"role": "user", "content": [odd]}])
    answer = product.repair(path, path.with_name("out.json"))
    assert json.loads(path.with_name("out.json").read_bytes())["messages"][-1]["content"] == [
        {"type": "text", "text": LONG}
    ]
    assert any("for ever" in str(loss["text"]) for loss in answer.session["losses"])


@pytest.mark.parametrize("odd", [{"annotations": None}, {"annotations": 7}, {"annotations": ["a"]}, {"logprobs": "x"}])
def test_a_text_with_such_annotations_is_not_sound_at_a_glance(odd: Json) -> None:
    part: Json = {"type": "output_text", "text": "ok", "annotations": []}
    for members, sound in (({}, True), (odd, False)):
        messages = [HI, SAID | {"content": [part | members]}, HI]
        answer = repair_messages(messages, profile="openai-responses")
        assert (answer.messages == messages) == sound


def test_a_call_with_an_unknown_status_is_not_sound_at_a_glance() -> None:
    messages = [*ITEMS[:1], ITEMS[1] | {"status": "failed"}, ITEMS[2]]
    assert repair_messages(messages, profile="openai-responses").messages == ITEMS
