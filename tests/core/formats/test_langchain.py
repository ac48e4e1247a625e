"""LangChain and LangGraph: the spellings, mirrors of a call, states of a thread, summaries, and the real loader."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.presentation.engine_results import SessionSummary
from inspector.core.repair.choices import Choices
from tests.core.formats.langchain import fields, read, to_constructor, to_dict
from tests.support import product
from tests.support.judges import JUDGES
from tests.support.notation import PLACEHOLDER, parse

BROKEN = 'u"hi" | a"t"{A p=1,B p=2} | r(B=beta) | u"more" | r(X=lost) | a"ok"'
FORMS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "data": to_dict,
    "kwargs": to_constructor,
    "flat": lambda message: message,
}
judge = JUDGES["openai"][0]


def log(folder: Path, document: Any, name: str = "log.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    return path


def repaired(path: Path, **options: Any) -> Any:
    out = path.with_name("out.json")
    answer = product.repair(path, out, **options)
    assert answer.code == 0, answer.report.get("reason")
    return json.loads(out.read_bytes())


def bare(form: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    key = {"data": "data", "kwargs": "kwargs"}.get(form)
    return [message[key] if key else message for message in messages]


def summary_of(path: Path) -> SessionSummary:
    engine = WindowEngine()
    opened = engine.open(str(path))
    engine.close()
    return opened.overview.sessions[0]


def state(messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"values": {"messages": messages}, "next": [], "tasks": [], "interrupts": []} | more


def history(text: str) -> list[dict[str, Any]]:
    return fields(parse(text))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lines", [False, True], ids=["a list", "a message a line"])
def test_a_new_message_is_spelled_as_the_others(form: str, lines: bool, tmp_path: Path) -> None:
    messages = [FORMS[form](message) for message in history(BROKEN)]
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    path.write_text("".join(json.dumps(each) + "\n" for each in messages) if lines else json.dumps(messages), "utf-8")
    answer = product.check(path)
    assert answer.session["format"] == "langchain"
    assert answer.errors == {"D3:A", "R1:X"}
    assert product.repair(path, out).code == 0
    text = out.read_text("utf-8")
    after = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    assert judge(read(bare(form, after))) is None
    new = bare(form, [each for each in after if each not in messages])
    assert [each["type"] for each in new] == ["tool", "human"]
    assert (new[0]["tool_call_id"], new[0]["status"], new[0]["name"]) == ("A", "error", "Read")
    assert new[0]["content"] == PLACEHOLDER.format("Read")
    assert new[0]["id"] not in {each["id"] for each in bare(form, messages)}
    assert new[1]["id"] == bare(form, messages)[4]["id"]


def test_a_class_is_known_by_the_end_of_its_path(tmp_path: Path) -> None:
    messages = [to_constructor(message) for message in history('u"hi" | a"t"{A p=1}')]
    for message in messages:
        name = message["id"][-1]
        message["id"] = ["langchain_core", "messages", name + "Chunk" * (name == "AIMessage")]
    after = repaired(log(tmp_path, messages))
    assert after[:-1] == messages
    assert after[-1]["id"] == ["langchain_core", "messages", "ToolMessage"]


def with_mirrors() -> list[dict[str, Any]]:
    """An answered call and an open one, each three times over."""
    messages = history('u"hi" | a"t"{A p=1,B p=2} | r(A=alpha) | u"go on" | a"ok"')
    calls = messages[1]["tool_calls"]
    messages[1]["additional_kwargs"]["tool_calls"] = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": "{}"}} for call in calls
    ]
    blocks = [{"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}} for call in calls]
    messages[1]["content"] = [{"type": "text", "text": "t"}, *blocks]
    return messages


def test_mirrors_of_a_call_are_one_call(tmp_path: Path) -> None:
    session = product.check(log(tmp_path, with_mirrors())).session
    assert (session["calls"], session["results"]) == (2, 1)
    assert [finding["pointer"] for finding in session["findings"]] == ["/tool_calls/1"]


def test_a_call_is_dropped_with_its_mirrors(tmp_path: Path) -> None:
    message = repaired(log(tmp_path, with_mirrors()), strategies="D3=drop-call")[1]
    assert [call["id"] for call in message["tool_calls"]] == ["A"]
    assert [call["id"] for call in message["additional_kwargs"]["tool_calls"]] == ["A"]
    assert [block.get("id") for block in message["content"]] == [None, "A"]


def test_the_last_call_leaves_no_empty_list_in_the_extras(tmp_path: Path) -> None:
    messages = with_mirrors()
    del messages[1]["tool_calls"][0], messages[1]["additional_kwargs"]["tool_calls"][0], messages[1]["content"][1]
    del messages[2]
    message = repaired(log(tmp_path, messages), strategies="D2=drop-call")[1]
    assert message["tool_calls"] == []
    assert message["additional_kwargs"] == {}
    assert message["content"] == [{"type": "text", "text": "t"}]


def test_a_message_of_mirrors_alone_goes_with_its_call(tmp_path: Path) -> None:
    messages = history('u"hi" | a"x"{A p=1} | u"go on" | a"ok"')
    messages[1]["content"] = [{"type": "tool_use", "id": "A", "name": "Read", "input": {"p": 1}}]
    after = repaired(log(tmp_path, messages), strategies="D2=drop-exchange")
    assert after == [messages[0], *messages[2:]]


def test_a_repeated_id_is_renamed_in_every_mirror(tmp_path: Path) -> None:
    messages = with_mirrors()
    for calls in (
        messages[1]["tool_calls"],
        messages[1]["additional_kwargs"]["tool_calls"],
        messages[1]["content"][1:],
    ):
        calls[1]["id"] = "A"
    path = log(tmp_path, messages)
    assert "K2" in {error.partition(":")[0] for error in product.check(path).errors}
    message = repaired(path)[1]
    new = message["tool_calls"][1]["id"]
    assert new not in ("A", "B")
    assert [call["id"] for call in message["additional_kwargs"]["tool_calls"]] == ["A", new]
    assert [block.get("id") for block in message["content"]] == [None, "A", new]


def test_calls_that_are_a_text_are_listed_when_they_go(tmp_path: Path) -> None:
    """The text is JSON without a word that could be looked for."""
    messages = fields(parse('u"hi" | a"ok" | u"more" | a"done"'))
    messages[1]["tool_calls"] = "[[" + 5000 * "9" + "]]"
    path, out = log(tmp_path, [to_dict(message) for message in messages]), tmp_path / "out.json"
    answer = product.repair(path, out)
    assert [loss["text"] for loss in answer.losses] == [messages[1]["tool_calls"]]


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("D2", {"additional_kwargs": {"tool_calls": [{"id": "A", "type": "function", "function": {"name": "Read"}}]}}),
        ("D7", {"content": [{"type": "tool_use", "id": "A", "name": "Read", "input": {}}]}),
        ("D7", {"content": [{"type": "function_call", "id": "f", "call_id": "A", "name": "Read", "arguments": "{}"}]}),
        ("D5", {"invalid_tool_calls": [{"type": "invalid_tool_call", "id": "A", "name": "Read", "args": '{"p'}]}),
    ],
    ids=["extras", "tool_use", "function_call", "invalid"],
)
def test_a_call_that_is_not_in_tool_calls(rule: str, field: dict[str, Any], tmp_path: Path) -> None:
    messages = history('u"hi" | a"t" | r(A=alpha) | a"ok"')
    messages[1].update(field)
    path = log(tmp_path, messages)
    assert product.check(path).session["verdict"] == "healthy"
    del messages[2]
    (finding,) = [found for found in product.check(log(tmp_path, messages)).findings if found["severity"] == "error"]
    assert (finding["rule"], finding["call_id"], finding["tool"]) == (rule, "A", "Read")
    value: Any = messages[1]
    for key in finding["pointer"].split("/")[1:]:
        value = value[int(key) if isinstance(value, list) else key]
    assert value in (*field.get("content", ()), *field.get("invalid_tool_calls", ()), *_extras(field))
    after = repaired(path, strategies="D7=answer")
    assert after[1] == messages[1]
    assert after[2]["tool_call_id"] == "A"
    if rule == "D7":
        listed = repaired(path)
        assert listed[1].pop("tool_calls") == [{"name": "Read", "args": {}, "id": "A", "type": "tool_call"}]
        assert listed[1] == {key: messages[1][key] for key in messages[1] if key != "tool_calls"}
        assert [message.get("tool_call_id") for message in listed] == [None, None, "A", None]


def test_a_call_in_both_lists_is_one_call(tmp_path: Path) -> None:
    messages = history('u"hi" | a"t"{A p=1} | u"go on" | a"ok"')
    messages[1]["invalid_tool_calls"] = [
        {"type": "invalid_tool_call", "id": name, "name": "Read", "args": '{"p"'} for name in "AB"
    ]
    path = log(tmp_path, messages)
    answer = product.check(path)
    assert [(f["call_id"], f["pointer"]) for f in answer.findings if f["severity"] == "error"] == [
        ("A", "/tool_calls/0"),
        ("B", "/invalid_tool_calls/1"),
    ]
    assert [message["tool_call_id"] for message in repaired(path) if message["type"] == "tool"] == ["A", "B"]
    dropped = repaired(path, strategies="D4=drop-call D2=drop-call D5=drop-call")
    assert (dropped[1]["tool_calls"], dropped[1]["invalid_tool_calls"]) == ([], [])


def _extras(field: dict[str, Any]) -> list[Any]:
    found: list[Any] = field.get("additional_kwargs", {}).get("tool_calls", [])
    return found


def test_invalid_calls_are_told(tmp_path: Path) -> None:
    messages = history('u"hi" | a"t" | r(A=alpha) | a"ok"')
    messages[1]["invalid_tool_calls"] = [{"id": "A", "name": "Read", "args": "{", "error": None}]
    assert "could not be parsed" in product.check(log(tmp_path, messages)).session["state"]


def test_args_that_are_no_object_are_mended(tmp_path: Path) -> None:
    messages = history('u"hi" | a{A} | r(A=alpha) | a"ok"')
    messages[1]["tool_calls"][0]["args"] = '{"p": 1}'
    path = log(tmp_path, messages)
    assert product.check(path, profile="anthropic").errors == {"K6:A"}
    assert repaired(path, profile="anthropic")[1]["tool_calls"][0]["args"] == {"p": 1}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("content", "told"), [(5, "5"), ([["a", 1]], '["a",1]'), (["a", 7.5], "7.5")])
def test_content_that_the_loader_does_not_take(content: Any, told: str, form: str, tmp_path: Path) -> None:
    """`BaseMessage.content` is a text, or a list of texts and objects; a ToolMessage makes texts of anything else."""
    messages = history('u"hi" | a"t"{A p=1} | r(A=x) | a"ok"')
    messages[2]["content"] = [["any"]]
    messages[3]["content"] = content
    path = log(tmp_path, [FORMS[form](message) for message in messages])
    assert product.check(path).errors == {"M12"}
    assert told in json.dumps(bare(form, repaired(path))[3]["content"]).replace("\\", "").replace(" ", "")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("wrong", "left"),
    [
        ({"content": None}, {"content": ""}),
        ({"content": [{"type": "text", "text": "t"}, {"type": "text"}]}, {}),
        ({"additional_kwargs": None}, {}),
        ({"response_metadata": []}, {}),
        ({"invalid_tool_calls": None}, {}),
    ],
)
def test_members_that_the_loader_does_not_take(
    wrong: dict[str, Any], left: dict[str, Any], form: str, tmp_path: Path
) -> None:
    messages = history('u"hi" | a"t"{A p=1} | r(A=x) | a"ok"')
    messages[1] |= wrong
    path = log(tmp_path, [FORMS[form](message) for message in messages])
    assert product.check(path).errors == {"M12"}
    changed = bare(form, repaired(path))[1]
    assert changed.items() >= left.items()
    assert len(changed["tool_calls"]) == 1
    (key,) = wrong
    assert key == "content" or key not in changed


@pytest.mark.parametrize(
    "stop", [{"next": ["tools"]}, {"interrupts": [{"value": "ok?", "id": "i"}]}, {"tasks": [{"interrupts": [{}]}]}]
)
def test_a_call_before_which_the_graph_stopped_is_pending(stop: dict[str, Any], tmp_path: Path) -> None:
    path = log(tmp_path, state(history('u"hi" | a"t"{A p=1}'), **stop))
    answer = product.check(path)
    assert (answer.session["verdict"], answer.rules) == ("waiting", {"D6"})
    assert repaired(path) == json.loads(path.read_bytes())


def test_an_older_open_call_of_a_stopped_graph_is_broken(tmp_path: Path) -> None:
    path = log(tmp_path, state(history('u"hi" | a"t"{A p=1} | u"go on" | a"x"{B p=1}'), next=["tools"]))
    assert product.check(path).errors == {"D2:A"}
    assert product.check(path).rules == {"D2", "D6"}


def test_only_the_newest_state_of_a_history_is_judged(tmp_path: Path) -> None:
    older, newer = 'u"hi" | a"t"{A p=1} | u"x" | a"y"', 'u"hi" | a"t"{A p=1} | r(A=alpha) | a"y"'
    states = [
        state(history(newer), created_at="2026-04-01T10:00:00"),
        state(history(older), created_at="2026-04-01T09:00:00"),
    ]
    for name, ordered in (("newest first", states), ("oldest first", states[::-1])):
        answer = product.check(log(tmp_path, ordered, f"{name}.json"))
        assert {session["verdict"] for session in answer.report["sessions"]} == {"healthy"}
        assert {finding["severity"] for finding in answer.findings} == {"info"}
    swapped = [states[0] | {"values": states[1]["values"]}, states[1] | {"values": states[0]["values"]}]
    assert product.check(log(tmp_path, swapped, "broken.json")).errors == {"D2:A"}


def test_other_lists_of_a_state(tmp_path: Path) -> None:
    document = state(history('u"hi" | a"hello"'))
    document["values"]["scratch"] = history('u"sub" | a"t"{A p=1} | u"x" | a"y"')
    document["values"]["todos"] = [{"content": "look", "status": "pending"}]
    document["values"]["documents"] = [{"type": "Document", "page_content": "x", "metadata": {}}]
    answer = product.check(log(tmp_path, document))
    assert [session["verdict"] for session in answer.report["sessions"]] == ["healthy", "broken"]
    after = repaired(log(tmp_path, document))
    assert after["values"]["scratch"][2]["tool_call_id"] == "A"
    assert {key: after["values"][key] for key in ("messages", "todos", "documents")} == {
        key: document["values"][key] for key in ("messages", "todos", "documents")
    }


@pytest.mark.parametrize(
    "summary",
    [
        {"additional_kwargs": {"lc_source": "summarization"}, "content": "What was said."},
        {"content": "Here is a summary of the conversation to date:\n\nWhat was said."},
    ],
    ids=["marked", "by its words"],
)
@pytest.mark.parametrize(
    ("text", "at", "code"),
    [
        ('u"S" | r(A=alpha) | a"ok"', 0, "C2:A"),
        ('u"S" | u"q" | r(A=alpha) | a"ok"', 0, "R1:A"),
        ('u"hi" | a"t"{A p=1} | u"S" | a"ok"', 2, "C1:A"),
        ('u"hi" | a"t"{A p=1} | u"no" | u"S" | a"ok"', 3, "D2:A"),
    ],
)
def test_what_a_summary_cut_apart(summary: dict[str, Any], text: str, at: int, code: str, tmp_path: Path) -> None:
    messages = history(text)
    place = next(number for number, message in enumerate(messages) if message["content"] == "S")
    assert place == at
    messages[place].update(summary)
    path = log(tmp_path, messages)
    assert product.check(path).errors == {code}
    assert judge(read(repaired(path))) is None


def test_what_deepagents_no_longer_sends_is_not_judged(tmp_path: Path) -> None:
    document = state(history('u"hi" | a"t"{A p=1} | r(A=alpha) | u"go on" | a"ok"'))
    document["values"]["_summarization_event"] = {"cutoff_index": 2, "summary_message": {}, "file_path": None}
    path = log(tmp_path, document)
    assert product.check(path).errors == {"C2:A"}
    document["values"]["_summarization_event"]["cutoff_index"] = 3
    assert product.check(log(tmp_path, document)).session["verdict"] == "healthy"


@pytest.mark.parametrize(("model", "profile"), [("claude-sonnet-4-5", "anthropic"), ("gpt-4.1", "openai-chat")])
def test_the_profile_is_that_of_the_model(model: str, profile: str, tmp_path: Path) -> None:
    messages = history('u"hi" | a"hello"')
    messages[1]["response_metadata"] = {"model_name": model}
    assert summary_of(log(tmp_path, messages)).profile == profile


@pytest.mark.parametrize(
    ("text", "said"),
    [('u"hi" | a{A} | u"x"', "INVALID_CHAT_HISTORY"), ('u"hi" | r(A=alpha) | a"x"', "checks only the ids")],
)
def test_what_langgraph_would_do(text: str, said: str, tmp_path: Path) -> None:
    assert said in summary_of(log(tmp_path, history(text))).on_resume


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "human", "role": "user", "content": "x"}],
        [{"type": "user", "content": "x"}],
        [{"type": "system", "subtype": "init"}, {"type": "assistant", "message": {}}],
        [{"type": "human", "data": "x"}],
        {"messages": [{"role": "user", "content": "x"}]},
        {"values": {"messages": []}},
    ],
)
def test_what_is_not_claimed(document: Any, tmp_path: Path) -> None:
    answer = product.check(log(tmp_path, document))
    assert "langchain" not in {session["format"] for session in answer.report["sessions"]}


@pytest.mark.parametrize("thread", [True, False])
def test_the_snippet_loads_the_repaired_messages(thread: bool, tmp_path: Path) -> None:
    """The snippet is run as it is, with stand-ins for the modules that it imports."""
    messages = history(BROKEN)
    document: Any = state(messages, checkpoint={"thread_id": 'a"b'}) if thread else [to_dict(each) for each in messages]
    engine = WindowEngine()
    engine.open(str(log(tmp_path, document)))
    saved = engine.save(Choices(), "copy", str(tmp_path / "out.json"))
    engine.close()
    graph = Graph()
    names = {"graph": graph, "convert_to_messages": list, "messages_from_dict": list, "REMOVE_ALL_MESSAGES": "all"}
    lines = [line for line in saved.command.splitlines() if not line.startswith("from ")]
    exec("\n".join(lines), names | {"RemoveMessage": dict})
    if not thread:
        assert saved.command.splitlines()[2] == "from langchain_core.messages import messages_from_dict"
        assert graph.updates == []
        return
    ((config, update, as_node),) = graph.updates
    after = json.loads((tmp_path / "out.json").read_bytes())["values"]["messages"]
    assert config == {"configurable": {"thread_id": 'a"b'}}
    assert as_node == "__start__"  # a thread that stopped before its tools goes on with the model
    assert update == {"messages": [{"id": "all"}, *after]}


def test_a_long_list_of_values_is_told_as_one(tmp_path: Path) -> None:
    messages = history('u"hi" | a"ok"')
    messages[0]["content"] = [*range(1000)]
    after = repaired(log(tmp_path, state(messages)))
    assert json.loads(after["values"]["messages"][0]["content"].partition("\n")[2]) == [*range(1000)]


NAMELESS: list[dict[str, Any]] = [
    {"tool_calls": [{"args": {}, "id": "B", "type": "tool_call"}]},
    {"tool_calls": [{"id": "B", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"tool_calls": [], "invalid_tool_calls": [{"args": "x", "id": "B"}]},
    {"tool_calls": [], "content": [{"type": "tool_use", "id": "B", "input": {}}]},
    {"tool_calls": [], "additional_kwargs": {"tool_calls": [{"id": "B"}]}},
]


@pytest.mark.parametrize("said", NAMELESS)
def test_a_call_without_a_name_is_given_one(said: dict[str, Any], tmp_path: Path) -> None:
    messages = history('u"hi" | a{A} | r(A=alpha) | a{B} | r(B=beta) | a"ok"')
    messages[3] |= said
    path = log(tmp_path, state(messages))
    assert "K7:B" in product.check(path).errors
    assert "invalid_tool_call" in json.dumps(repaired(path)["values"]["messages"][3])


def test_a_call_of_the_person_is_none(tmp_path: Path) -> None:
    messages = history('u"hi" | a{A} | r(A=alpha) | a"ok"')
    messages[0]["tool_calls"] = [{"name": "Read", "args": {}, "id": "B", "type": "tool_call"}]
    assert product.check(log(tmp_path, state(messages))).session["verdict"] == "healthy"
    assert judge(read(messages)) is None


class Graph:
    """Stands in for a compiled graph."""

    def __init__(self) -> None:
        self.updates: list[tuple[Any, Any, str]] = []

    def update_state(self, config: Any, update: Any, as_node: str = "") -> None:
        self.updates.append((config, update, as_node))


@pytest.mark.filterwarnings("ignore::Warning")
@pytest.mark.parametrize("form", FORMS)
def test_langchain_itself_loads_what_is_written(form: str, tmp_path: Path) -> None:
    core = pytest.importorskip("langchain_core.messages", reason="langchain-core is not installed")
    load = pytest.importorskip("langchain_core.load").load
    messages = [FORMS[form](message) for message in with_mirrors()]
    after = repaired(log(tmp_path, messages))
    loaders: dict[str, Callable[[Any], Any]] = {
        "data": core.messages_from_dict,
        "flat": core.convert_to_messages,
        "kwargs": load,
    }
    loaded = loaders[form](after)
    asked = [call["id"] for message in loaded if message.type == "ai" for call in message.tool_calls]
    assert asked == [message.tool_call_id for message in loaded if message.type == "tool"] == ["A", "B"]
    assert loaded[3].status == "error"
