"""A foreign log is never judged as one of ours: every sample with another wire's messages in its own envelope.

Programs borrow envelopes (Qwen Code's lines are Claude Code's, with Gemini's parts in them). Who judges such a log has
to see what it holds: each call and each result, and no message that seems to be empty.
"""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery.opening import open_log, open_source
from inspector.core.errors import WrongFormat
from inspector.core.storage.wrappers import unwrap
from tests.core.formats import (
    FORMATS,
    ai_sdk,
    bedrock_converse,
    gemini_contents,
    langchain,
    openai_responses,
)
from tests.core.formats.written import SAYS, WrittenFormat
from tests.support import paths, product
from tests.support.notation import History, anthropic_messages, lines, openai_messages, parse
from tests.support.product import Answer

Message = dict[str, Any]
SAMPLES = sorted(paths.SAMPLES.glob("*-healthy*"))
TALK = 'u"hello" | a"good day" | u"more" | a"done"'
CALLS = 'u"hello" | a"t"{A p=1} | r(A=alpha) | a"ok" | u"more" | a{B p=2} | r(B=beta) | a"done"'


WIRES: dict[str, Callable[[History], list[Message]]] = {
    "anthropic": anthropic_messages,
    "openai": openai_messages,
    "gemini": gemini_contents.contents,
    "converse": bedrock_converse.messages,
    "responses": openai_responses.items,
    "langchain": langchain.fields,
    "ai-sdk": ai_sdk.messages,
}
# What a format's own messages are spelled in: there is nothing foreign in it.
OWN = {
    "claude-code": "anthropic", "claude-stream": "anthropic", "cline-task": "anthropic", "cline-sdk": "anthropic",
    "anthropic-messages": "anthropic", "openai-chat": "openai", "kimi-cli": "openai", "gemini-contents": "gemini",
    "qwen-code": "gemini", "bedrock-converse": "converse", "openai-responses": "responses", "codex": "responses",
    "langchain": "langchain", "langgraph": "langchain", "openai-agents": "responses", "ai-sdk": "ai-sdk",
    "openai-agents-state": "responses", "google-adk": "gemini", "swe-agent": "openai", "mini-swe-agent": "openai",
    "hermes": "openai",
}  # fmt: skip
# What stands beside a message in an item, or around it, is a part of it.
OF_ITEMS = ("codex", "openai-agents", "openai-agents-state", "openai-responses", "langchain", "langgraph")
_READ_ONLY = WrittenFormat(
    "kimi-cli-wire",
    lambda history, folder: folder,
    lambda path: [],
    lambda history: None,
    is_message=lambda value: value.get("type") in ("text", "function") or "return_value" in value,
)


def written(name: str) -> WrittenFormat:
    return FORMATS.get(name, _READ_ONLY)


def holders(name: str, value: Any) -> Iterator[Message]:
    """The objects of a sample that hold a message each, in order: what stands in them beside it stays."""
    if isinstance(value, list):
        for each in value:
            yield from holders(name, each)
    elif isinstance(value, dict):
        if written(name).is_message(value):
            yield value
        else:
            for each in value.values():
                yield from holders(name, each)


def foreign(sample: Path, wire: str, talk: str) -> tuple[bytes, int]:
    """The sample with messages of another wire, over and over with ids of their own, and how many calls these hold."""
    name, data = sample.name.partition("-healthy")[0], sample.read_bytes()
    wrapped = unwrap(data, str(sample))
    text = (data if wrapped is None else wrapped.text).decode()
    value = [json.loads(line) for line in text.splitlines()] if sample.suffix == ".jsonl" else json.loads(text)
    places = list(holders(name, value))
    messages: list[Message] = []
    while len(messages) < len(places):
        number = len(messages)
        messages += WIRES[wire](parse(talk.replace("A", f"A{number}").replace("B", f"B{number}")))
    for place, message in zip(places, messages, strict=False):
        kept = {key: inner for key, inner in place.items() if key not in SAYS.union(written(name).says)}
        place.clear()
        place |= ({} if name in OF_ITEMS else kept) | deepcopy(message)
    data = lines(value) if sample.suffix == ".jsonl" else json.dumps(value, indent=2).encode()
    shown = json.dumps(messages[: len(places)])
    return data, sum(f'"{letter}{number}"' in shown for letter in "AB" for number in range(len(messages)))


def judged(answer: Answer) -> bool:
    return any(session["verdict"] not in ("not-judged", "unreadable") for session in answer.report["sessions"])


CASES = [
    pytest.param(sample, wire, id=f"{sample.stem}-{wire}")
    for sample in SAMPLES
    if sample.is_file() and sample.suffix in (".json", ".jsonl")
    for wire in WIRES
    if OWN.get(sample.name.partition("-healthy")[0]) != wire
]


@pytest.mark.parametrize(("sample", "wire"), CASES)
def test_who_judges_foreign_messages_sees_their_calls(sample: Path, wire: str, tmp_path: Path) -> None:
    data, calls = foreign(sample, wire, CALLS)
    path = tmp_path / sample.name
    path.write_bytes(data)
    answer = product.check(path)
    seen = sum(session["calls"] for session in answer.report["sessions"])
    told = [(session["format"], session["verdict"], session["messages"]) for session in answer.report["sessions"]]
    assert not judged(answer) or seen == calls, (told, seen, calls)


@pytest.mark.parametrize(("sample", "wire"), CASES)
def test_no_repair_deletes_foreign_messages(sample: Path, wire: str, tmp_path: Path) -> None:
    path = tmp_path / sample.name
    path.write_bytes(foreign(sample, wire, TALK)[0])
    answer = product.repair(path, tmp_path / "out")
    assert [edit for edit in answer.edits if edit["action"] == "delete"] == []


def test_a_format_that_is_named_says_that_it_does_not_understand(samples: Path) -> None:
    with open_source(str(samples / "qwen-code-healthy.jsonl")) as source, pytest.raises(WrongFormat):
        open_log(source, "claude-code")


MESSAGE_FORMATS = ("openai-chat", "openai-responses", "gemini-contents", "bedrock-converse", "langchain", "cline-sdk")


@pytest.mark.parametrize("named", [*MESSAGE_FORMATS, "cline-task", "cline-ui", "opencode"])
def test_lines_that_a_named_format_does_not_know_are_no_empty_history(named: str, samples: Path) -> None:
    said = product.run("check", str(samples / "claude-code-healthy.jsonl"), "--log-format", named)
    assert (said.exit_code, "Choose another format" in said.output) == (2, True), said.output


@pytest.mark.parametrize("named", ["codex", "pi", "kimi-cli", "qwen-code"])
def test_the_lines_of_a_document_are_no_damaged_records(named: str, tmp_path: Path) -> None:
    """A named format of JSON Lines does not fit a document, however it is indented."""
    path = tmp_path / "log.json"
    path.write_text('[\n  {"role": "user", "content": "go"},\n  {"role": "assistant", "content": "done"}\n]\n', "utf-8")
    said = product.run("check", str(path), "--log-format", named)
    assert (said.exit_code, "Choose another format" in said.output) == (2, True), said.output


def test_one_strange_message_among_many_does_not_give_the_log_up(samples: Path, tmp_path: Path) -> None:
    """It is told, and what it says is not lost without a word."""
    records = [json.loads(line) for line in (samples / "claude-code-healthy.jsonl").read_text("utf-8").splitlines()]
    strange = next(record for record in reversed(records) if record["type"] == "user")
    strange["message"] = {"role": "user", "parts": [{"text": "said in another way"}]}
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines(records))
    answer = product.repair(path, tmp_path / "out.jsonl")
    assert answer.session["format"] == "claude-code"
    assert [f["message"] for f in answer.findings if f["rule"] == "M7"] == [
        "The message has text, but not in the field that the provider reads."
    ]
    assert "said in another way" in answer.lost_text


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "kimi-cli", "neovate", "qwen-code"])
def test_a_torn_call_is_no_foreign_one(name: str, tmp_path: Path) -> None:
    """What is unreadable spells the only call of the log: the format has not overlooked it."""
    log = FORMATS[name].write(parse('u"hello" | a"ok" | u"more" | a{A p=1}'), tmp_path)
    log.write_bytes(log.read_bytes().rpartition(b"Read")[0])
    assert product.check(log).session["format"] == name
