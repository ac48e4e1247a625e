"""Broken sessions of Hermes, which it resumes before and after a repair: BREAKS is the table.

Each is in a database, every third one in an export. What Hermes sends to a provider of Chat Completions is compared
with the prediction. The repaired session has to be accepted, with every real result.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.core.formats.hermes import SESSION, add_messages, exported
from tests.interop.agents.provider import Provider, Request
from tests.interop.agents.provider.script import DONE
from tests.interop.third_party.environments import ENVIRONMENTS
from tests.support import product

ENVIRONMENT = ENVIRONMENTS["hermes"]
MARKER = "[hermes-agent: tool call arguments were corrupted"
Json = dict[str, Any]


def user(words: Any, **more: Any) -> Json:
    return {"role": "user", "content": words, **more}


def said(words: Any, *calls: Any, **more: Any) -> Json:
    return {"role": "assistant", "content": words, **({"tool_calls": list(calls)} if calls else {}), **more}


def call(own_id: str, arguments: Any = '{"amount": 61}', name: str = "pay", **more: Any) -> Json:
    return {"id": own_id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def result(call_id: str | None, words: Any = "", **more: Any) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "tool_name": "pay", "content": words or f"paid {call_id}", **more}


_GO, _NEXT, _OK = user("go"), user("well?"), said("Paid.")
_A, _B, _AB = said("I pay.", call("A")), said("I pay B.", call("B")), said("I pay.", call("A"), call("B"))
_RA, _RB = result("A"), result("B")
_PAID = [user("first"), _B, _RB, said("B is paid.")]
_GONE = {"active": 0, "compacted": 1}
_REVIEW = user("Review the conversation above and update the skill library now.")

BREAKS: dict[str, list[Json]] = {
    "sound": [_GO, _AB, _RA, _RB, _OK],
    "killed in a tool": [_GO, _AB],
    "killed in the second tool": [_GO, _AB, _RA],
    "killed, and a prompt": [_GO, _A, _NEXT],
    "killed, and an answer": [_GO, _A, _OK],
    "killed, and a call": [_GO, _A, _B, _RB, _OK],
    "one of two results": [_GO, _AB, _RA, _OK],
    "nothing but the call": [_A],
    "results in another order": [_GO, _AB, _RB, _RA, _OK],
    "result without its call": [_GO, _RA, _OK],
    "result without its call beside one": [_GO, _A, _RA, _RB, _OK],
    "result without its call at the end": [_GO, _OK, _RA],
    "result before its call": [_GO, _RA, _A, _NEXT],
    "result of another call": [_GO, _A, _RB, _OK],
    "result after a prompt": [_GO, _A, _NEXT, _RA, _OK],
    "result after an answer": [_GO, _A, _NEXT, _OK, _RA, _OK],
    "result after another turn": [_GO, _A, _B, _RB, _RA, _OK],
    "result behind a note": [_GO, _A, {"role": "system", "content": "Be quick."}, _RA, _OK],
    "result without an id": [_GO, _A, result(None, "paid A"), _OK],
    "result twice": [_GO, _A, _RA, result("A", "paid twice"), _OK],
    "result twice, later": [_GO, _A, _RA, _OK, _NEXT, result("A", "paid twice"), _OK],
    "result of null": [_GO, _A, _RA | {"content": None}, _OK],
    "result that is empty": [_GO, _A, _RA | {"content": " "}, _OK],
    "result with a picture": [_GO, _A, result("A", [{"type": "text", "text": "paid A"}]), _OK],
    "id twice in a turn": [_GO, said("", call("A"), call("A")), _RA, result("A", "paid twice"), _OK],
    "id in a later turn": [_GO, _A, _RA, _OK, _NEXT, _A, result("A", "paid 2"), _OK],
    "id in a later turn, beside another": [_GO, _A, _RA, _OK, _NEXT, _AB, result("A", "paid 2"), _RB, _OK],
    "id in a later turn, left open": [_GO, _A, _RA, _OK, _NEXT, _A],
    "id in a later turn, first left open": [_GO, _A, _NEXT, _A, result("A", "paid 2"), _OK],
    "no id": [_GO, said("", call("")), result("", "paid A"), _OK],
    "id with spaces": [_GO, said("", call(" A ")), result(" A ", "paid A"), _OK],
    "ids of responses": [_GO, said("", call("A", call_id="A", response_item_id="fc_1")), _RA, _OK],
    "ids of responses, reused": [
        _GO,
        said("", call("A", call_id="A", response_item_id="fc_1")),
        _RA,
        _NEXT,
        said("", call("A", call_id="A", response_item_id="fc_2")),
        result("A", "paid 2"),
        _OK,
    ],
    "no name": [_GO, said("", call("A", name="")), _RA, _OK],
    "no function": [_GO, said("", {"id": "A", "type": "function"}), _RA, _OK],
    "no type": [_GO, said("", {"id": "A", "function": {"name": "pay", "arguments": "{}"}}), _RA, _OK],
    "arguments torn": [_GO, said("", call("A", '{"amount": 6')), _RA, _OK],
    "arguments torn, no result": [_GO, said("", call("A", '{"amount": 6')), _NEXT],
    "arguments torn in one of two": [_GO, said("", call("A", "{"), call("B")), _RA, _RB, _OK],
    "arguments of an object": [_GO, said("", call("A", {"amount": 61})), _RA, _OK],
    "arguments of null": [_GO, said("", call("A", None)), _RA, _OK],
    "arguments blank": [_GO, said("", call("A", " ")), _RA, _OK],
    "calls that are no JSON": [*_PAID, _GO, said("I pay.") | {"tool_calls": '[{"id": "A", "ty'}, _RA, _OK],
    "calls in a text in a text": [
        *_PAID,
        _GO,
        said("I pay.") | {"tool_calls": json.dumps(json.dumps([call("A")]))},
        _RA,
        _OK,
    ],
    "calls of an object": [*_PAID, _GO, said("I pay.") | {"tool_calls": '{"id": "A"}'}, _RA, _OK],
    "calls that are empty": [_GO, said("Hm.") | {"tool_calls": "[]"}, _NEXT, _OK],
    "answers in a row": [_GO, said("One."), said("Two."), _NEXT],
    "answers in a row with calls": [_GO, _A, _B, _RA, _RB, _OK],
    "answers of null in a row": [_GO, said(None, call("A")), said(None, call("B")), _RA, _RB, _OK],
    "answers in a row, one provisional": [
        _GO,
        said("Draft.", finish_reason="verification_required"),
        said("Two."),
        _NEXT,
    ],
    "answers in a row, one incomplete": [_GO, said("Half", finish_reason="incomplete"), said("Whole."), _NEXT],
    "prompts in a row": [_GO, user("and?"), _OK],
    "prompts in a row, one with a picture": [_GO, user([{"type": "text", "text": "look"}]), _OK],
    "prompt that is empty": [user(""), _OK, _NEXT, _OK],
    "answer that is empty": [_GO, said(""), _NEXT, _OK],
    "answer of null": [_GO, said(None), _NEXT, _OK],
    "starts with an answer": [_OK, _NEXT, _OK],
    "thoughts alone": [_GO, said("", reasoning="Hm."), _NEXT, _OK],
    "thoughts alone, with null": [_GO, said(None, reasoning="Hm."), _NEXT, _OK],
    "thoughts with details alone": [_GO, said(None, reasoning_details=[{"type": "reasoning.text"}]), _NEXT, _OK],
    "thoughts beside a call": [_GO, said("", call("A"), reasoning="Hm."), _RA, _OK],
    "another role": [_GO, _A, {"role": "session_meta", "content": "x"}, _RA, _OK],
    "another role between answers": [_GO, _A, {"role": "note", "content": "x"}, _B, _RA, _RB, _OK],
    "content for the provider": [user("go", api_content="go (recalled: pots)"), _OK, _NEXT, _OK],
    "review": [_GO, _OK, _REVIEW, said("I am the curator."), _NEXT, _OK],
    "summarized in place": [_GO | _GONE, _A | _GONE, user("In short: paid."), _NEXT, _OK],
    "taken back": [_GO, _OK, _NEXT | {"active": 0}, _A | {"active": 0}, user("again"), _OK],
    "call taken back": [_GO, _A | {"active": 0}, _RA, _OK],
    "half of a character": [_GO, _A, result("A", "paid A \\ud83d"), _OK],
    "part that is unknown": [user([{"type": "dance"}]), _OK],
}
"""What is wrong, by name."""
# What a database and an export do not hold alike: rows that are not active, and texts in the place of JSON.
_OF_DATABASE = ("calls", "summarized", "taken", "call taken", "content for", "another role")
# What OpenAI refuses, and the provider of these tests accepts.
_NOT_REFUSED = ("part that is unknown", "result of null")
_REAL_RESULTS = ("paid A", "paid B", "paid 2", "paid twice")


@dataclass(frozen=True)
class Run:
    """What became of a session: the error of the run or the refusal of the provider, and what was sent."""

    error: str
    sent: str


@dataclass(frozen=True)
class Tried:
    """A broken session: what was predicted, what Hermes did, and what it did with the repaired one."""

    name: str
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
        if self.name not in _NOT_REFUSED and bool(self.before.error) != (self.outcome == "refuses"):
            found.append(f"said to be {self.outcome}, and the answer was {self.before.error or 'no refusal'}")
        if not self.predicted.error and self.predicted.sent != self.before.sent:
            found.append(f"predicted: {self.predicted.sent}; sent: {self.before.sent}")
        if self.after.error:
            found.append(f"the repaired session was refused: {self.after.error}; {self.after.sent}")
        return [*found, *(f"the result {text} is not sent" for text in sorted(self.lost))]


def in_short(message: Json) -> Iterator[str]:
    """A message, as far as it is compared: roles, texts, ids, names and inputs. Spaces around texts are not."""
    content = message.get("content")
    words = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())
    words = words.strip()
    if message["role"] == "tool":
        marked = re.fullmatch(rf"({re.escape(MARKER)}[^\n]*)\n(.*)", words, re.DOTALL)
        words = f"{marked[2]}\n{marked[1]}" if marked else words
        yield f"{(message.get('tool_call_id') or '').strip()}={words}"
        return
    calls = [
        f"{each['id'].strip()}:{each['function']['name']}={json.dumps(json.loads(each['function']['arguments']))}"
        for each in message.get("tool_calls") or ()
        if isinstance(each, dict)
    ]
    if words or not calls:
        yield f"{message['role'][0]}:{words}"
    yield from calls


def tried(folder: Path) -> list[Tried]:
    """Every break, before and after its repair."""
    paths = {name: _written(folder, number, name) for number, name in enumerate(BREAKS)}
    repaired = {name: _repaired(path) for name, path in paths.items()}
    with Provider() as provider:
        before, after = (_runs(provider, each) for each in (paths, repaired))
    return [_tried(name, path, before[name], after[name]) for name, path in paths.items()]


def _written(folder: Path, number: int, name: str) -> Path:
    """The session in a database; every third one in an export, unless it cannot be."""
    if number % 3 or name.startswith(_OF_DATABASE):
        return add_messages(folder / f"{number}.db", BREAKS[name])
    path = folder / f"{number}.jsonl"
    path.write_text(json.dumps(exported(BREAKS[name])) + "\n")
    return path


def _repaired(path: Path) -> Path:
    out = path.with_name(f"out-{path.name}")
    answer = product.repair(path, out)
    assert answer.code == 0, (path, answer.report)
    return out if out.exists() else path


def _tried(name: str, path: Path, before: Run, after: Run) -> Tried:
    session = product.check(path).session
    report = product.sent(path).report
    written = json.dumps(BREAKS[name])
    lost = {value for value in _REAL_RESULTS if value in written and value not in after.sent}
    lost = set() if session["verdict"] == "healthy" else lost
    sent = " | ".join(words for message in report.get("messages") or () for words in in_short(message))
    return Tried(name, session["verdict"], report["outcome"], Run(report["error"], sent), before, after, lost)


def _runs(provider: Provider, paths: dict[str, Path]) -> dict[str, Run]:
    rows = [
        {"url": provider.url, "path": str(path), "session": SESSION, "prompt": f"go on: {name}."}
        for name, path in paths.items()
    ]
    provider.play([DONE] * len(rows))
    told = ENVIRONMENT.ask("hermes_session.py", rows)
    turns = {name: next((turn for turn in provider.turns if _is_of(turn, name)), None) for name in paths}
    return {
        name: Run(answer.get("error", ""), _sent_before_prompt(turns[name], name))
        for name, answer in zip(paths, told, strict=True)
    }


def _is_of(turn: Request, name: str) -> bool:
    return f"go on: {name}." in json.dumps(turn.messages, ensure_ascii=False)


def _sent_before_prompt(turn: Request | None, name: str) -> str:
    if turn is None:
        return ""
    messages = [message for number, message in enumerate(turn.messages) if number or message["role"] != "system"]
    sent = " | ".join(words for message in messages for words in in_short(message))
    return re.sub(rf"(\n\n|( \| )?u:)go on: {re.escape(name)}\.$", "", sent)
