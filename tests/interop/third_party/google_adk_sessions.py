"""Broken sessions of Google ADK, with which a run goes on before and after a repair: BREAKS is the table.

Each goes to a Gemini model with the newest release, to a model of LiteLLM, and with releases that do not drop calls
without a result to Gemini. What is sent is compared with the prediction. The repaired session has to be accepted with
every real result that was not replaced by a later one.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.core.formats.google_adk import SESSION, add_events, document, event
from tests.interop.agents.provider import Provider, Request
from tests.interop.agents.provider.script import DONE
from tests.interop.third_party.environments import ENVIRONMENTS
from tests.support import product

VERSIONS = {
    "2.13.0": ENVIRONMENTS["google-adk-sessions"],
    "2.9.2": ENVIRONMENTS["google-adk-2.9"],
    "1.39.1": ENVIRONMENTS["google-adk-1"],
}
NEWEST, *OLDER = VERSIONS
MODELS = {"gemini": "gemini-2.5-flash", "openai-chat": "gpt-5-mini"}
RUNS = [(NEWEST, wire) for wire in MODELS] + [(version, "gemini") for version in OLDER]
Json = dict[str, Any]


def text(words: str, **more: Any) -> Json:
    return {"text": words, **more}


def call(call_id: str | None, **more: Any) -> Json:
    return {"functionCall": ({"id": call_id} if call_id else {}) | {"name": "pay", "args": {"amount": 61}} | more}


def result(call_id: str | None, words: str = "", **more: Any) -> Json:
    told = {"name": "pay", "response": {"output": words or f"paid {call_id}"}} | more
    return {"functionResponse": ({"id": call_id} if call_id else {}) | told}


def user(*parts: Json, **more: Any) -> Json:
    return {"content": {"role": "user", "parts": list(parts)}, **more}


def model(*parts: Json, **more: Any) -> Json:
    return {"content": {"role": "model", "parts": list(parts)}, **more}


_GO, _NEXT, _OK = user(text("go")), user(text("well?")), model(text("Paid."))
_A, _AB = model(call("A")), model(text("I pay."), call("A"), call("B"))
_RA, _RAB = user(result("A")), user(result("A"), result("B"))
_OTHER = {"author": "helper_agent"}
_SUMMARY = {"startTimestamp": 0.0, "compactedContent": {"role": "model", "parts": [{"text": "In short: paid."}]}}


def compaction(last: int, start: int = 0) -> Json:
    """A summary of the events from number `start` to `last`."""
    times = {"startTimestamp": 1795334512.25 + start, "endTimestamp": 1795334512.25 + last}
    return {"content": None, "author": "user", "actions": {"compaction": _SUMMARY | times}}


def rewind(invocation: str) -> Json:
    return {"content": None, "author": "user", "actions": {"rewindBeforeInvocationId": invocation}}


BREAKS: dict[str, list[Json | str]] = {
    "sound": [_GO, _AB, _RAB, _OK],
    "killed in a tool": [_GO, _AB],
    "killed before a tool, and a prompt": [_GO, _AB, _NEXT],
    "one of two results": [_GO, _AB, _RA, _OK],
    "a prompt after the call": [_GO, _A, _NEXT, _OK],
    "an answer after the call": [_GO, _A, _OK],
    "nothing but the call": [_A],
    "result without its call": [_GO, _RA, _OK],
    "result without its call beside one": [_GO, _A, _RAB, _OK],
    "result without its call at the end": [_GO, _OK, _RA],
    "result before its call": [_GO, _RA, _A, _NEXT],
    "result of another call": [_GO, _A, user(result("B")), _OK],
    "result after a prompt": [_GO, _A, _NEXT, _RA, _OK],
    "result after an answer": [_GO, _A, _NEXT, _OK, _RA, _OK],
    "results in two events": [_GO, _AB, user(result("B")), _RA, _OK],
    "results in two events, apart": [_GO, _AB, _RA, _NEXT, user(result("B")), _OK],
    "result behind a text": [_GO, _A, user(text("well?"), result("A")), _OK],
    "results of two events in one": [_GO, _A, _NEXT, model(call("B")), _RAB, _OK],
    "call after an answer": [_GO, _OK, _A, _RA, _OK],
    "result twice": [_GO, _A, _RA, user(result("A", "paid twice")), _OK],
    "result twice in an event": [_GO, _A, user(result("A"), result("A", "paid twice")), _OK],
    "result twice, later": [_GO, _A, _RA, _OK, _NEXT, user(result("A", "paid twice")), _OK],
    "id twice in an event": [_GO, model(call("A"), call("A")), user(result("A"), result("A", "paid 2")), _OK],
    "id in a later event": [_GO, _A, _RA, _OK, _NEXT, _A, user(result("A", "paid 2")), _OK],
    "id in a later event, not answered": [_GO, _A, _NEXT, _A, user(result("A", "paid 2")), _OK],
    "id in a later event, left open": [_GO, _A, _RA, _OK, _NEXT, _A, _NEXT],
    "no ids": [_GO, model(call(None)), user(result(None, "paid A")), _OK],
    "no ids, two calls": [
        _GO,
        model(call(None), call(None)),
        user(result(None, "paid A"), result(None, "paid 2")),
        _OK,
    ],
    "no id, no result": [_GO, model(call(None)), _NEXT, _OK],
    "long-running, waiting": [_GO, _A | {"longRunningToolIds": ["A"]}, _NEXT, _OK],
    "long-running, updates": [
        _GO,
        _A | {"longRunningToolIds": ["A"]},
        user(result("A", "started")),
        model(text("It started.")),
        user(result("A")) | {"author": "user", "invocationId": "e-2"},
        _OK,
    ],
    "confirmation": [
        _GO,
        _A,
        user(result("A", "asks first")),
        model(call("Q", name="adk_request_confirmation"), longRunningToolIds=["Q"]),
        user(result("Q", "yes", name="adk_request_confirmation"), author="user"),
        _RA,
        _OK,
    ],
    "confirmation, waiting": [
        _GO,
        _A,
        user(result("A")),
        model(call("Q", name="adk_request_confirmation"), longRunningToolIds=["Q"]),
    ],
    "another agent": [_GO, _A | _OTHER, _RA | _OTHER, _OK | _OTHER, _NEXT, _OK],
    "another agent, killed": [_GO, _A | _OTHER, _NEXT, _OK],
    "tool branch": [_GO, _A, model(text("half"), branch="pay@A"), _RA, _OK],
    "other branch": [_GO, _A, _RA, model(text("half"), branch="root_agent.other"), _OK],
    "rewound": [
        _GO | {"invocationId": "e-1"},
        _A | {"invocationId": "e-1"},
        rewind("e-1"),
        _NEXT | {"invocationId": "e-2"},
        _OK | {"invocationId": "e-2"},
    ],
    "compacted": [_GO, _A, _RA, _OK, compaction(3), _NEXT, _OK],
    "compacted, call without its result": [_GO, _OK, _NEXT, _A, compaction(3), _RA, _OK],
    "compacted twice": [_GO, _OK, compaction(1), _NEXT, _OK, compaction(4, 0), _NEXT, _OK],
    "thoughts alone": [_GO, model(text("Hm.", thought=True)), _OK],
    "thought beside a call": [_GO, model(text("Hm.", thought=True), call("A")), _RA, _OK],
    "empty text": [_GO, model(text("")), _NEXT, _OK],
    "empty text beside a call": [_GO, model(text(""), call("A")), _RA, _OK],
    "no parts": [_GO, model(), _NEXT, _OK],
    "no role": [_GO, {"content": {"parts": [text("lost")]}, "author": "root_agent"}, _OK],
    "no content": [_GO, {"content": None, "author": "root_agent"}, _OK],
    "error": [_GO, {"content": None, "author": "root_agent", "errorCode": "429", "errorMessage": "too many"}],
    "another role": [_GO, {"content": {"role": "assistant", "parts": [text("Paid.")]}, "author": "root_agent"}, _NEXT],
    "call and result in an event": [_GO, model(call("A"), result("A")), _OK],
    "call of the user": [user(text("go"), call("A")), _RA, _OK],
    "starts with an answer": [_OK, _NEXT, _OK],
    "signature": [_GO, model(call("A") | {"thoughtSignature": "c2ln"}), _RA, _OK],
    "signature that is not base64": [_GO, model(call("A") | {"thoughtSignature": "***"}), _RA, _OK],
    "input that is a text": [_GO, model(call("A", args="61")), _RA, _OK],
    "input that is null": [_GO, model(call("A", args=None)), _RA, _OK],
    "id that is a number": [_GO, model(call("A") | {"functionCall": {"id": 7, "name": "pay"}}), _RA, _OK],
    "name that is null": [_GO, model(call("A", name=None)), _RA, _OK],
    "response that is a text": [_GO, _A, user(result("A", response="paid A")), _OK],
    "response that is null": [_GO, _A, user(result("A", response=None)), _OK],
    "text that is a number": [_GO, model(text(5)), _OK],  # type: ignore[arg-type]
    "unknown part": [_GO, model({"dance": 1}), _OK],
    "empty part": [_GO, model({}, text("Paid.")), _OK],
    "member of a call": [_GO, model(call("A", why="so")), _RA, _OK],
    "unknown action": [_GO, _OK | {"actions": {"jump": 1}}],
    "unknown member": [_GO, _OK | {"jump": 1}],
    "author that is null": [_GO, _OK | {"author": None}],
    "time that is a text": [_GO, _OK | {"timestamp": "noon"}],
    "not an object": [_GO, "[]", _OK],
    "torn": [_GO, '{"content": {"par', _OK],
    "half of a character": [user(text("go \ud83d")), _OK],
}
"""What is wrong, by name. A text is stored as it is."""
_OF_DATABASE = ("not an object", "torn")
# What Gemini is reported to refuse, and the provider of these tests accepts: texts beside results, results that come
# twice as in a request of Gemini CLI, and an answer that comes first.
_NOT_REFUSED = ("result behind a text", "result twice in an event", "starts with an answer")
# What the oldest release sends in other words or at another place, and releases before 2.10 that run tools in branches.
_OTHERWISE_BEFORE = {
    "1.39.1": ("another agent", "another agent, killed", "compacted", "compacted twice", "tool branch"),
    "2.9.2": ("tool branch",),
}
# What only Gemini refuses. LiteLLM sends an id that is missing as "".
_OF_GEMINI = ("another role", "empty part", "no ids")
# A call right after a summary, which is the model's. It is not known whether Gemini refuses that.
_NOT_JUDGED = ("compacted, call without its result",)
_REAL_RESULTS = ("paid A", "paid B", "paid 2", "paid twice")


@dataclass(frozen=True)
class Run:
    """What became of a session: the error of the run or the refusal of the provider, and what was sent."""

    error: str
    sent: str


@dataclass(frozen=True)
class Tried:
    """A broken session: what was predicted, what the run did, and what it did with the repaired one."""

    name: str
    version: str
    wire: str
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
        is_compared = self.wire == "gemini" or self.name not in _OF_GEMINI
        if (
            self.name not in (*_NOT_REFUSED, *_NOT_JUDGED)
            and is_compared
            and bool(self.before.error) != (self.outcome == "refuses")
        ):
            found.append(f"said to be {self.outcome}, and the answer was {self.before.error or 'no refusal'}")
        is_compared = is_compared and self.name not in (*_OTHERWISE_BEFORE.get(self.version, ()), *_NOT_JUDGED)
        is_refused = bool(self.before.error and self.predicted.error)
        if is_compared and not is_refused and self.predicted.sent != self.before.sent:
            found.append(f"predicted: {self.predicted.sent}; sent: {self.before.sent}")
        if self.after.error and self.verdict != "waiting" and self.name not in _NOT_JUDGED:
            found.append(f"the repaired session was refused: {self.after.error}; {self.after.sent}")
        return [*found, *(f"the result {text} is not sent" for text in sorted(self.lost))]


def stored(name: str, wire: str) -> list[Json | str]:
    """The events of a break, with a model that speaks `wire`."""
    made: list[Json | str] = []
    for number, each in enumerate(BREAKS[name]):
        if isinstance(each, str):
            made.append(each)
            continue
        one = event(each["content"], number, **{key: value for key, value in each.items() if key != "content"})
        made.append(one | ({"modelVersion": MODELS[wire]} if "modelVersion" in one else {}))
    return made


def in_short(message: Json) -> Iterator[str]:
    """A content or a message, as far as it is compared: roles, texts, ids of results, inputs."""
    role = message.get("role", "")
    if role == "tool":
        yield f"{message['tool_call_id']}={_words(message['content'])}"
        return
    for part in message.get("parts") or ():
        kind = next((key for key in ("functionCall", "functionResponse") if key in part), "")
        inner = part.get(kind) or {}
        if kind:
            shown = inner.get("args") if kind == "functionCall" else _words(json.dumps(inner.get("response")))
            yield f"{role[0]}:{_known(inner.get('id'))}:{inner.get('name') or ''}={shown or ''}"
        elif "text" in part:
            yield f"{role[0]}:{part['text']}"
    content = message.get("content")
    words = content if isinstance(content, str) else "\n".join(part["text"] for part in content or ())
    if words and role != "system":
        yield f"{role[0]}:{words}"
    for each in message.get("tool_calls") or ():
        yield f"{_known(each['id'])}={json.loads(each['function']['arguments']) or {}}"


def _known(call_id: str | None) -> str:
    """The id of a call, "" for one that is not in the session."""
    return "" if call_id is None or call_id.startswith("no-id:") else call_id


def _words(told: str) -> str:
    """The text of a result, without the object around it."""
    value = json.loads(told) if told.startswith("{") else told
    return str(next(iter(value.values()), "")) if isinstance(value, dict) else str(value or "")


def tried(folder: Path, version: str = NEWEST, wire: str = "gemini") -> list[Tried]:
    """Every break, before and after its repair."""
    paths = {name: _written(folder, number, name, wire) for number, name in enumerate(BREAKS)}
    repaired = {name: _repaired(path) for name, path in paths.items()}
    with Provider() as provider:
        before, after = (_runs(provider, version, wire, each) for each in (paths, repaired))
    return [_tried(name, version, wire, path, before[name], after[name]) for name, path in paths.items()]


def _written(folder: Path, number: int, name: str, wire: str) -> Path:
    """The session in a database; every third one as JSON, unless it cannot be."""
    if number % 3 or name in _OF_DATABASE:
        return add_events(folder / f"{number}.db", stored(name, wire))
    path = folder / f"{number}.json"
    path.write_text(json.dumps(document(stored(name, wire))), "utf-8")
    return path


def _repaired(path: Path) -> Path:
    out = path.with_name(f"out-{path.name}")
    answer = product.repair(path, out)
    assert answer.code == 0, (path, answer.report)
    return out if out.exists() else path


def _tried(name: str, version: str, wire: str, path: Path, before: Run, after: Run) -> Tried:
    session = product.check(path).session
    report = product.sent(path, "--agent-version", version).report
    told = report.get("contents") or report.get("messages") or []
    written = json.dumps(BREAKS[name])
    lost = {value for value in _REAL_RESULTS if value in written and value not in before.sent + after.sent}
    lost = set() if session["verdict"] in ("waiting", "healthy") else lost
    predicted = Run(report["error"], _sent_in_short(told))
    return Tried(name, version, wire, session["verdict"], report["outcome"], predicted, before, after, lost)


def _sent_in_short(messages: list[Json]) -> str:
    """What is sent, without the words before what another agent said."""
    sent = " | ".join(words for message in messages for words in in_short(message))
    return re.sub(r"u:For context: below[^|]*from the user\.(?: \| u:|\n)", "u:", sent)


def _runs(provider: Provider, version: str, wire: str, paths: dict[str, Path]) -> dict[str, Run]:
    rows = [
        {"url": provider.url, "wire": wire, "path": str(path), "session": SESSION, "prompt": f"go on: {name}."}
        for name, path in paths.items()
    ]
    provider.play([DONE] * len(rows))
    told = VERSIONS[version].ask("google_adk_session.py", rows)
    turns = {name: next((turn for turn in provider.turns if _is_of(turn, name)), None) for name in paths}
    return {
        name: Run(answer.get("error", ""), _sent_before_prompt(turns[name], name))
        for name, answer in zip(paths, told, strict=True)
    }


def _is_of(turn: Request, name: str) -> bool:
    return f"go on: {name}." in json.dumps(turn.messages, ensure_ascii=False)


def _sent_before_prompt(turn: Request | None, name: str) -> str:
    return _sent_in_short(turn.messages).removesuffix(f"u:go on: {name}.").removesuffix(" | ") if turn else ""
