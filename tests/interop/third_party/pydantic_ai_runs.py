"""Broken histories of Pydantic AI, with which a run goes on before and after a repair: BREAKS is the table.

Each goes to three APIs with the newest release, and to one of them with a release that does not put results first and
one that repairs nothing. What is sent is compared with the prediction, with older releases only whether it is accepted.
The repaired history has to be accepted with every real result.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.agents.provider import Provider, Request
from tests.interop.agents.provider.script import DONE
from tests.interop.third_party.environments import ENVIRONMENTS
from tests.support import product

VERSIONS = {
    "2.68.0": ENVIRONMENTS["pydantic-ai"],
    "2.20.0": ENVIRONMENTS["pydantic-ai-2.20"],
    "1.107.10": ENVIRONMENTS["pydantic-ai-1"],
}
NEWEST, *OLDER = VERSIONS
# The APIs by what a response names: its provider, and the beginning of the ids of its responses.
WIRES = {
    "openai-chat": ("openai", "chatcmpl-"),
    "openai-responses": ("openai", "resp_"),
    "anthropic": ("anthropic", "msg_"),
}
RUNS = [(NEWEST, wire) for wire in WIRES] + [(version, "openai-chat") for version in OLDER]
Json = dict[str, Any]


def call(call_id: str | None, **more: Any) -> Json:
    made = {"tool_name": "pay", "args": '{"amount":61}', "tool_call_id": call_id, "part_kind": "tool-call", **more}
    return {key: value for key, value in made.items() if (key, value) != ("tool_call_id", None)}


def result(call_id: str | None, content: Any = "", **more: Any) -> Json:
    told = content or f"paid {call_id}"
    made = {"tool_name": "pay", "content": told, "tool_call_id": call_id, "part_kind": "tool-return", **more}
    return {key: value for key, value in made.items() if (key, value) != ("tool_call_id", None)}


def prompt(words: Any = "go") -> Json:
    return {"content": words, "part_kind": "user-prompt"}


def text(words: str) -> Json:
    return {"content": words, "part_kind": "text"}


def request(*parts: Json, **more: Any) -> Json:
    return {"parts": list(parts), "kind": "request", "state": "complete", **more}


def response(*parts: Json, **more: Any) -> Json:
    return {"parts": list(parts), "kind": "response", "timestamp": "2026-11-29T00:00:00Z", "state": "complete", **more}


_GO, _NEXT, _OK = request(prompt()), request(prompt("well?")), response(text("Paid."))
_A, _AB = response(call("A")), response(text("I pay."), call("A"), call("B"))
_SYSTEM = {"content": "Be brief.", "part_kind": "system-prompt"}
_RETRY = {"content": "no such seat", "tool_name": "pay", "tool_call_id": "A", "part_kind": "retry-prompt"}
_FEEDBACK = {"content": "Say more.", "part_kind": "retry-prompt", "tool_call_id": "x"}
_THINKING = {"content": "So.", "part_kind": "thinking"}
_INTERRUPTED = {"state": "interrupted"}

BREAKS: dict[str, list[Json] | str] = {
    "sound": [request(_SYSTEM, prompt()), _AB, request(result("A"), result("B")), _OK],
    "killed in a tool": [_GO, _AB, request(result("A"), **_INTERRUPTED)],
    "killed in all tools": [_GO, _AB, request(**_INTERRUPTED)],
    "response cut off": [_GO, response(text("I pay."), call("A", args='{"amo'), **_INTERRUPTED)],
    "deferred": [_GO, _AB],
    "one deferred": [_GO, _AB, request(result("A"))],
    "one of two": [_GO, _AB, request(result("B")), _OK],
    "a prompt after the call": [_GO, _A, _NEXT, _OK],
    "a response after the call": [_GO, _A, _OK],
    "result without its call": [_GO, request(result("A")), _OK],
    "result without its call in the first request": [request(result("A"), prompt()), _OK],
    "result without its call at the end": [_GO, _OK, request(result("A"))],
    "result before its call": [_GO, request(result("A")), _A, _NEXT],
    "result of another call": [_GO, _A, request(result("B")), _OK],
    "result after an answer": [_GO, _A, _NEXT, _OK, request(result("A")), _OK],
    "result after a prompt": [_GO, _A, _NEXT, request(result("A")), _OK],
    "result behind a prompt": [_GO, _A, request(prompt("well?"), result("A")), _OK],
    "result behind a prompt at the end": [_GO, _A, request(prompt("well?"), result("A"))],
    "prompt between results": [_GO, _AB, request(result("A"), prompt("well?"), result("B")), _OK],
    "other instructions": [
        _GO,
        _A,
        request(prompt("w"), instructions="X"),
        request(result("A"), instructions="Y"),
        _OK,
    ],
    "result twice": [_GO, _A, request(result("A"), result("A", "paid twice")), _OK],
    "result twice, later": [
        _GO,
        _A,
        request(result("A")),
        _OK,
        request(prompt("well?"), result("A", "paid twice")),
        _OK,
    ],
    "id twice in a response": [_GO, response(call("A"), call("A")), request(result("A"), result("A", "paid 2")), _OK],
    "id twice, one result": [_GO, response(call("A"), call("A")), request(result("A")), _OK],
    "id in a later response": [_GO, _A, request(result("A")), _A, request(result("A", "paid 2")), _OK],
    "id in a later response, not answered": [
        _GO,
        _A,
        request(prompt("again")),
        _A,
        request(result("A", "paid 2")),
        _OK,
    ],
    "empty ids": [_GO, response(call("")), request(result("", "paid A")), _OK],
    "empty id without a result": [_GO, response(call("")), _NEXT, _OK],
    "no ids": [_GO, response(call(None)), request(result(None, "paid A")), _OK],
    "id null": [_GO, response(call("A") | {"tool_call_id": None}), request(result("A")), _OK],
    "id that is a number": [_GO, response(call("A") | {"tool_call_id": 7}), request(result("A")), _OK],
    "other members of another type": [request(prompt(), run_id=7, instructions=["x"]), response(text("ok"), usage=1)],
    "call without a name": [_GO, response({**call("A"), "tool_name": None}), request(result("A")), _OK],
    "result without a name": [_GO, _A, request({**result("A"), "tool_name": None}), _OK],
    "JSON and failed results": [
        _GO,
        _AB,
        request(result("A", {"paid": 1}), result("B", "no", outcome="failed")),
        _OK,
    ],
    "denied": [_GO, _A, request(result("A", "The tool call was denied.", outcome="denied")), _OK],
    "retry": [_GO, _A, request(_RETRY), response(call("B")), request(result("B")), _OK],
    "feedback without a tool": [_GO, _OK, request(_FEEDBACK), _OK],
    "arguments that are no JSON": [_GO, response(call("A", args='{"amo')), request(result("A")), _OK],
    "arguments that are a number": [_GO, response(call("A", args=61)), request(result("A")), _OK],
    "no arguments": [_GO, response(call("A", args=None)), request(result("A")), _OK],
    "call in a request": [request(prompt(), call("A")), request(result("A")), _OK],
    "result in a response": [_GO, response(call("A"), result("A")), _OK],
    "unknown part": [_GO, response({"part_kind": "dance", "content": "so"}), _OK],
    "content that is a number": [request(prompt(61)), _OK],
    "no parts": [_GO, {"kind": "response"}, _OK],
    "empty response": [_GO, response(), _NEXT, _OK],
    "empty response before a result": [_GO, _A, response(), request(result("A")), _OK],
    "empty text": [_GO, response(text(""), call("A")), request(result("A")), _OK],
    "empty prompt": [request(prompt("")), _OK],
    "prompt of parts": [request(prompt(["go", {"kind": "text-content", "content": "now"}])), _OK],
    "reasoning": [_GO, response(_THINKING, text("Paid.")), _GO, _OK],
    "starts with a response": [_A, request(result("A")), _OK],
    "torn": json.dumps([_GO, _A, request(result("A")), _OK])[:-60],
    "half of a character": json.dumps([request(prompt("go \ud83d")), _OK]),
    "NUL": json.dumps([_GO, _OK]).replace("Paid", "\0"),
}
# The words of feedback are the program's own, and older releases do not put these results first.
_OTHER_WORDS = ("retry", "feedback without a tool")
_ONLY_FOR_NEWEST = ("result behind a prompt", "prompt between results")
_REAL_RESULTS = ("paid A", "paid B", "paid 2", "paid twice", "no such seat")


@dataclass(frozen=True)
class Run:
    """What became of a history: the error of the run or the refusal of the provider, and what was sent."""

    error: str
    sent: str


@dataclass(frozen=True)
class Tried:
    """A broken history: what was predicted, what the run did, and what it did with the repaired one."""

    name: str
    version: str
    verdict: str
    outcome: str
    predicted: Run
    before: Run
    after: Run
    lost: set[str]

    @property
    def wrong(self) -> list[str]:
        """What must not be: another request or outcome than predicted, a refusal of the repair, or a lost result."""
        found = []
        if bool(self.before.error) != (self.outcome == "refuses"):
            found.append(f"said to be {self.outcome}, and the answer was {self.before.error or 'no refusal'}")
        is_compared = self.version == NEWEST and self.name not in _OTHER_WORDS
        if is_compared and self.predicted.sent != self.before.sent:
            found.append(f"predicted: {self.predicted.sent}; sent: {self.before.sent}")
        is_repaired = self.verdict != "waiting" and (self.version == NEWEST or self.name not in _ONLY_FOR_NEWEST)
        if is_repaired and self.after.error:
            found.append(f"the repaired history was refused: {self.after.error}")
        return [*found, *(f"the result {text} is not sent" for text in sorted(self.lost))]


def history(name: str, wire: str) -> str:
    """A history whose responses are of the provider that speaks `wire`."""
    messages = BREAKS[name]
    if isinstance(messages, str):
        return messages
    provider, prefix = WIRES[wire]
    named = {"provider_name": provider, "provider_response_id": f"{prefix}1", "model_name": "model"}
    return json.dumps([message | (named if message["kind"] == "response" else {}) for message in messages])


def in_short(message: Json) -> Iterator[str]:
    """A message or an item, as far as it is compared. New ids are not."""
    content = message.get("content")
    role = message.get("role") or message.get("type") or ""
    if message.get("type") in ("function_call", "function_call_output"):
        yield f"{_known(message['call_id'])}={_words(message.get('output', message.get('arguments')))}"
    elif role == "tool":
        yield f"{_known(message['tool_call_id'])}={_words(content)}"
    elif role == "system":
        yield f"s:{content if isinstance(content, str) else message['content'][0]['text']}"
    else:
        for block in [{"text": content}] if isinstance(content, str) else content or ():
            yield from (f"{role[0]}:{line}" for line in _block_in_short(block).splitlines())
        for each in message.get("tool_calls") or ():
            yield f"{_known(each['id'])}={each['function']['arguments']}"


def _block_in_short(block: Json) -> str:
    if block.get("type") == "tool_use":
        return f"{_known(block['id'])}={json.dumps(block['input'])}"
    if block.get("type") == "tool_result":
        content = block["content"]
        return f"{_known(block['tool_use_id'])}={content if isinstance(content, str) else content[0]['text']}"
    return str(block.get("text") or "")


def _words(told: Any) -> str:
    """The words of a result. OpenAI's APIs have no mark for one that failed."""
    return re.sub(r'^{"error":"(.*)"}$', r"\1", told)


def _known(call_id: str) -> str:
    return re.sub(r"pyd_ai_\w+", "new", call_id)


def _sent_in_short(messages: list[Json], wire: str) -> str:
    shown = filter(None, (words for message in messages for words in in_short(message)))
    return " | ".join(words for words in shown if not (wire == "anthropic" and words.startswith("s:")))


def tried(folder: Path, version: str = NEWEST, wire: str = "openai-chat") -> list[Tried]:
    """Every break, before and after its repair."""
    paths = {name: folder / f"{number}.json" for number, name in enumerate(BREAKS)}
    for name, path in paths.items():
        path.write_text(history(name, wire), "utf-8")
    repaired = {name: _repaired(path) for name, path in paths.items()}
    with Provider() as provider:
        before, after = (_runs(provider, version, wire, each) for each in (paths, repaired))
    return [_tried(name, version, path, wire, before[name], after[name]) for name, path in paths.items()]


def _repaired(path: Path) -> Path:
    out = path.with_suffix(".out.json")
    answer = product.repair(path, out)
    assert answer.code == 0, (path, path.read_text(), answer.report)
    return out if out.exists() else path


def _tried(name: str, version: str, path: Path, wire: str, before: Run, after: Run) -> Tried:
    session = product.check(path).session
    report = product.sent(path, "--agent-version", version).report
    told = report.get("input") or report.get("messages") or []
    lost = {value for value in _REAL_RESULTS if value in path.read_text("utf-8") and value not in after.sent}
    lost = set() if session["verdict"] == "waiting" else lost
    predicted = Run(report["error"], _sent_in_short(told, wire))
    return Tried(name, version, session["verdict"], report["outcome"], predicted, before, after, lost)


def _runs(provider: Provider, version: str, wire: str, paths: dict[str, Path]) -> dict[str, Run]:
    rows = [
        {"url": provider.url, "wire": wire, "history": path.read_text("utf-8"), "prompt": f"go on: {name}."}
        for name, path in paths.items()
    ]
    provider.play([DONE] * len(rows))
    told = VERSIONS[version].ask("pydantic_ai_run.py", rows)
    turns = {name: next((turn for turn in provider.turns if _is_of(turn, name)), None) for name in paths}
    return {
        name: Run(answer.get("error", ""), _sent_before_prompt(turns[name], name, wire))
        for name, answer in zip(paths, told, strict=True)
    }


def _is_of(turn: Request, name: str) -> bool:
    return f"go on: {name}." in json.dumps(turn.messages, ensure_ascii=False)


def _sent_before_prompt(turn: Request | None, name: str, wire: str) -> str:
    return _sent_in_short(turn.messages, wire).removesuffix(f"u:go on: {name}.").removesuffix(" | ") if turn else ""
