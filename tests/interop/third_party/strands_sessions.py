"""Broken sessions of Strands, which an agent continues before and after a repair: BREAKS is the table.

Each goes to the APIs of WIRES. What is sent is compared with the prediction. The repaired session has to be accepted,
with every real result, and without an answer of Strands's own. Bedrock is a double: botocore looks at the request, and
`error` below judges it as public reports say that the API does.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.core.formats import bedrock_converse
from tests.core.formats.strands import AGENT, Json, agent_file, joined, message_file, write_session
from tests.interop.agents.provider import Provider, Request
from tests.interop.agents.provider.anthropic import SIGNATURE
from tests.interop.agents.provider.script import DONE
from tests.interop.third_party.environments import ENVIRONMENTS
from tests.support import product
from tests.support.notation import show

ENVIRONMENT = ENVIRONMENTS["strands"]
# The APIs, by what the ids of their calls begin with.
WIRES = {"bedrock-converse": "tooluse_", "anthropic": "toolu_", "openai-chat": "call_"}
PLACEHOLDER = "Tool was interrupted."


def text(words: Any = "go") -> Json:
    return {"text": words}


def call(id_: str, **more: Any) -> Json:
    return {"toolUse": {"toolUseId": f"@{id_}", "name": "pay", "input": {"amount": 61}, **more}}


def result(id_: str, told: str = "", *more: Json, **others: Any) -> Json:
    content = [text(told or f"paid {id_}"), *more]
    return {"toolResult": {"toolUseId": f"@{id_}", "status": "success", "content": content, **others}}


def without(block: Json, key: str) -> Json:
    """A block without a member of its call or result."""
    return {kind: {name: value for name, value in inner.items() if name != key} for kind, inner in block.items()}


def u(*blocks: Any) -> Json:
    return {"role": "user", "content": list(blocks)}


def a(*blocks: Any) -> Json:
    return {"role": "assistant", "content": list(blocks)}


_GO, _NEXT, _OK = u(text()), u(text("well?")), a(text("Paid."))
_A, _AB = a(call("A")), a(text("I pay."), call("A"), call("B"))
_THINKING = {"reasoningContent": {"reasoningText": {"text": "So.", "signature": SIGNATURE}}}
_SUMMARY = {"role": "user", "content": [text("They paid.")]}
_PICTURE = {"image": {"format": "png", "source": {"bytes": {"__bytes_encoded__": True, "data": "iVBORw0KGgo="}}}}

# The messages by the name of the break; a text is a whole file.
_MESSAGES: dict[str, list[Json | str]] = {
    "sound": [_GO, _AB, u(result("A"), result("B")), _OK],
    "text behind results": [_GO, _A, u(result("A"), text("well?")), _OK],
    "killed in a tool": [_GO, _AB],
    "answered after a kill": [_GO, _A, u(result("A", PLACEHOLDER, status="error")), _NEXT, _OK],
    "a prompt after the call": [_GO, _A, _NEXT, _OK],
    "an answer after the call": [_GO, _A, _OK],
    "an answer after the call at the end": [_GO, _A, _OK, _NEXT],
    "one of two": [_GO, _AB, u(result("B")), _OK],
    "one of two, with a text": [_GO, _AB, u(result("B"), text("well?")), _OK],
    "results in two messages": [_GO, _AB, u(result("A")), u(result("B")), _OK],
    "results around a text": [_GO, _AB, u(result("A"), text("well?"), result("B")), _OK],
    "result behind a text": [_GO, _A, u(text("well?"), result("A")), _OK],
    "result after a prompt": [_GO, _A, _NEXT, u(result("A")), _OK],
    "result after an answer": [_GO, _A, _NEXT, _OK, u(result("A")), _OK],
    "result before its call": [_GO, u(result("A")), _A, _NEXT, _OK],
    "result without its call": [_GO, u(result("A")), _OK],
    "result without its call, with a text": [_GO, u(result("A"), text("well?")), _OK],
    "result without its call at the start": [u(result("A")), _OK, _NEXT, _OK],
    "result without its call at the end": [_GO, _OK, u(result("A"))],
    "result of another call": [_GO, _A, u(result("B")), _OK],
    "result of another call as well": [_GO, _A, u(result("A"), result("B")), _OK],
    "result twice": [_GO, _A, u(result("A"), result("A", "paid twice")), _OK],
    "result twice, one missing": [_GO, _AB, u(result("A"), result("A", "paid twice")), _OK],
    "result twice, later": [_GO, _A, u(result("A")), _OK, u(result("A", "paid twice"), text("well?")), _OK],
    "result twice, at the end": [_GO, _A, u(result("A"), result("A"))],
    "id twice in a message": [_GO, a(call("A"), call("A")), u(result("A"), result("A", "paid 2")), _OK],
    "id twice, one result": [_GO, a(call("A"), call("A")), u(result("A")), _OK],
    "id in a later message": [_GO, _A, u(result("A")), _A, u(result("A", "paid 2")), _OK],
    "two messages with calls": [_GO, _A, a(call("B")), u(result("A"), result("B")), _OK],
    "call of the user": [u(text(), call("A")), u(result("A")), _OK],
    "result of the assistant": [_GO, _A, a(result("A")), _OK],
    "empty message after a call": [_GO, _A, a(), _NEXT, _OK],
    "empty message of the user after a call": [_GO, _A, u(), _OK],
    "empty messages": [_GO, a(), u(), _OK],
    "blank texts": [_GO, a(text(" "), call("A")), u(result("A")), a(text("")), _NEXT, _OK],
    "blank text of the user": [u(text(" ")), _OK],
    "blank result": [_GO, _A, u(result("A", " ")), _OK],
    "result without content": [_GO, _A, u(result("A", content=[])), _OK],
    "failed result without content": [_GO, _A, u(result("A", content=[], status="error")), _OK],
    "result of two parts": [_GO, _A, u(result("A", "paid A", text("and more"))), _OK],
    "result with JSON": [_GO, _A, u(result("A", content=[{"json": {"paid": 1}}])), _OK],
    "result with a picture": [_GO, _A, u(result("A", "paid A", _PICTURE)), _OK],
    "result without a status": [_GO, _A, u(without(result("A"), "status")), _OK],
    "call without a name": [_GO, a(without(call("A"), "name")), u(result("A")), _OK],
    "name with a space": [_GO, a(call("A", name="pay now")), u(result("A")), _OK],
    "long name": [_GO, a(call("A", name="p" * 65)), u(result("A")), _OK],
    "call without an id": [_GO, a(without(call("A"), "toolUseId")), u(result("A")), _OK],
    "call without an id at the end": [_GO, a(without(call("A"), "toolUseId"))],
    "result without an id": [_GO, _A, u(without(result("A"), "toolUseId")), _OK],
    "orphan without an id": [_GO, u(without(result("A"), "toolUseId")), _OK],
    "empty ids": [_GO, a(call("A", toolUseId="")), u(result("A", toolUseId="")), _OK],
    "id that is a number": [_GO, a(call("A", toolUseId=7)), u(result("A", toolUseId=7)), _OK],
    "illegal id": [_GO, a(call("A", toolUseId="a b")), u(result("A", toolUseId="a b")), _OK],
    "input that is a string": [_GO, a(call("A", input='{"amount": 61}')), u(result("A")), _OK],
    "input that is a list": [_GO, a(call("A", input=[61])), u(result("A")), _OK],
    "no input": [_GO, a(without(call("A"), "input")), u(result("A")), _OK],
    "reasoning": [_GO, a(_THINKING, text("Paid.")), _NEXT, _OK],
    "reasoning without a signature": [
        _GO,
        a({"reasoningContent": {"reasoningText": {"text": "So."}}}, text("Paid.")),
        _NEXT,
    ],
    "unknown block": [_GO, a({"dance": {}}), _NEXT, _OK],
    "block with two members": [_GO, a({"text": "Paid.", **call("A")}), u(result("A")), _OK],
    "text that is a number": [u(text(61)), _OK],
    "text that is null": [_GO, a(text(None)), _NEXT, _OK],
    "block that is a string": [u("go"), _OK, _NEXT, _OK],
    "content that is a string": [{"role": "user", "content": "go"}, _OK, _NEXT, _OK],
    "no content": [{"role": "user"}, _OK, _NEXT, _OK],
    "no role": [_GO, {"content": [text("Paid.")]}, _NEXT, _OK],
    "role of a tool": [_GO, _A, {"role": "tool", "content": [result("A")]}, _OK],
    "starts with an answer": [_OK, _NEXT, _OK],
    "starts with a call": [_A, u(result("A")), _OK],
    "answers in a row": [_GO, a(text("Wait.")), _OK, _NEXT, _OK],
    "prompts in a row": [_GO, _NEXT, _OK],
    "torn": [_GO, '{"message": {"role": "us', _OK],
    "empty file": [_GO, "", _OK],
    "NUL": [_GO, "\0\0\0", _OK],
    "two records": [_GO, json.dumps(message_file(1, _OK)) * 2, _NEXT],
    "byte order mark": [_GO, "\ufeff" + json.dumps(message_file(1, _OK)), _NEXT],
    "list": [_GO, "[]", _OK],
    "no message": [_GO, '{"message_id": 1}', _OK],
    "no number": [_GO, json.dumps({"message": _OK}), _NEXT],
    "number that is a text": [_GO, json.dumps(message_file(1, _OK) | {"message_id": "1"}), _NEXT],
    "half of a character": [json.dumps(message_file(0, u(text("go \ud83d")))), _OK],
    "invalid UTF-8": [message_file(0, u(text("go \udcff"))), _OK],
    "redacted": [json.dumps(message_file(0, _GO, redact_message=_NEXT)), _OK],
}
# The messages and the file of the agent.
BREAKS = {name: (messages, agent_file()) for name, messages in _MESSAGES.items()}
BREAKS |= {
    "removed messages": ([_GO, _A, _NEXT, _OK, _GO, _OK], agent_file(4)),
    "call before the window": ([_GO, _A, u(result("A"), text("well?")), _OK], agent_file(2)),
    "summary": ([_GO, _OK, _NEXT, _OK], agent_file(2, _SUMMARY)),
    "summary before a result": ([_GO, _A, u(result("A")), _OK], agent_file(2, _SUMMARY)),
    "damaged file before the window": (["{", _OK, _NEXT, _OK], agent_file(2)),
    "more removed than there are": ([_GO, _OK], agent_file(9)),
}
# The first of the members goes to Bedrock, and another API gets both.
_NOT_COMPARED = {
    "bedrock-converse": ("block with two members",),
    "anthropic": ("input that is a string", "input that is a list", "block with two members"),  # they are refused
}
_REAL_RESULTS = ("paid A", "paid B", "paid 2", "paid twice")


@dataclass(frozen=True)
class Run:
    """What became of a session: the error of the program or the refusal of the provider, and what was sent."""

    error: str
    sent: str


@dataclass(frozen=True)
class Tried:
    """A broken session: what was predicted, what the agent did, and what it did with the repaired one."""

    name: str
    wire: str
    profile: str
    verdict: str
    outcome: str
    predicted: str
    before: Run
    after: Run
    lost: set[str]

    @property
    def wrong(self) -> list[str]:
        """What must not be: another request or outcome than predicted, a refusal of the repair, or a lost result.

        Where nothing in the session shows the API, it is taken for Bedrock: then only the repair is looked at.
        """
        found = [] if self.wire != self.profile else self._wrong_prediction
        if self.after.error:
            found.append(f"the repaired session was refused: {self.after.error}")
        if PLACEHOLDER in self.after.sent and self.name != "answered after a kill":
            found.append(f"Strands repairs the repaired session: {self.after.sent}")
        return [*found, *(f"the result {told} is not sent" for told in sorted(self.lost))]

    @property
    def _wrong_prediction(self) -> list[str]:
        found = []
        if bool(self.before.error) != (self.outcome == "refuses"):
            found.append(f"said to be {self.outcome}, and the answer was {self.before.error or 'no refusal'}")
        is_compared = self.before.sent and self.predicted and self.name not in _NOT_COMPARED.get(self.wire, ())
        if is_compared and self.predicted != self.before.sent:
            found.append(f"predicted: {self.predicted}; sent: {self.before.sent}")
        if self.verdict == "healthy" and self.before.error:
            found.append("said to be healthy")
        return found


def written(name: str, wire: str, folder: Path) -> Path:
    """A session whose calls have ids of the API."""
    messages, agent = BREAKS[name]
    files = [
        each if isinstance(each, str) or "message" in each else message_file(number, each)
        for number, each in enumerate(messages)
    ]
    text_of = json.dumps(files).replace('"@', f'"{WIRES[wire]}')
    path = write_session(
        folder,
        [each.replace('\\"@', f'\\"{WIRES[wire]}') if isinstance(each, str) else each for each in json.loads(text_of)],
        agent,
    )
    if name == "invalid UTF-8":
        file = path / "agents" / f"agent_{AGENT}" / "messages" / "message_0.json"
        file.write_bytes(file.read_bytes().replace("\udcff".encode("utf-8", "surrogatepass"), b"\xff"))
    return path


def in_short(message: Json) -> Iterator[str]:
    """A message, as far as it is compared."""
    content, role = message.get("content"), message.get("role", "?")
    if "tool_call_id" in message:
        yield f"{message['tool_call_id']}={_words(content)}"
        return
    for block in [text(content)] if isinstance(content, str) else content or ():
        yield from _block_in_short(block, role[0])
    for each in message.get("tool_calls") or ():
        function = each["function"]
        yield f"{each['id']}={function['name']} {json.dumps(json.loads(function['arguments']))}"


def _block_in_short(block: Json, role: str) -> Iterator[str]:
    used, told = block.get("toolUse") or block, block.get("toolResult") or block
    if "toolUse" in block or block.get("type") == "tool_use":
        yield f"{used.get('toolUseId', used.get('id'))}={used['name']} {json.dumps(used['input'])}"
    elif "toolResult" in block or block.get("type") == "tool_result":
        yield f"{told.get('toolUseId', told.get('tool_use_id'))}={_words(told['content'])}"
    elif (
        block.get("text") != ""
        and block.get("type") not in ("thinking", "image", "image_url")
        and not {"image", "reasoningContent"} & block.keys()
    ):
        yield f"{role}:{block.get('text')}"


def _words(content: Any) -> str:
    """The words of a result, without spaces in JSON and without pictures."""
    parts = [text(content)] if isinstance(content, str) else content
    words = (
        part.get("text") if "text" in part else json.dumps(part["json"]) if "json" in part else "" for part in parts
    )
    said = "\n".join(filter(None, words)).removesuffix("\n[image]")
    return "".join(said.split()) if said.startswith("{") else said


def _sent_in_short(messages: list[Json], name: str) -> str:
    shown = " | ".join(words for message in messages for words in in_short(message))
    return shown.removesuffix(f"u:go on: {name}.").removesuffix(" | ")


def error(messages: list[Json]) -> str:
    """Why Bedrock refuses messages. Neighbours of one role are read as one message."""
    if "\\ud83d" in json.dumps(messages):
        return "no low surrogate in string"
    history = joined(bedrock_converse.history_of([_with_plain_results(message) for message in messages]))
    return f"{told} ({show(history)})" if (told := bedrock_converse.error(history)) else ""


def _with_plain_results(message: Json) -> Json:
    """A message whose results have one text each."""
    blocks = [
        {"toolResult": block["toolResult"] | {"content": [text(_words(block["toolResult"]["content"]))]}}
        if "toolResult" in block
        else block
        for block in message["content"]
    ]
    return message | {"content": blocks}


def tried(folder: Path, wire: str) -> list[Tried]:
    """Every break, before and after its repair."""
    paths = {name: written(name, wire, folder / str(number)) for number, name in enumerate(BREAKS)}
    repaired, lost = dict[str, Path](), dict[str, str]()
    for name, path in paths.items():
        repaired[name], lost[name] = _repaired(path)
    with Provider() as provider:
        before, after = (_runs(provider, wire, each) for each in (paths, repaired))
    return [_tried(name, path, before[name], after[name], lost[name], wire) for name, path in paths.items()]


def _repaired(path: Path) -> tuple[Path, str]:
    """The repaired session, and what its repair says is lost."""
    out = path.parent / "out" / path.name
    out.parent.mkdir()
    answer = product.repair(path, out)
    assert answer.code == 0, (path, answer.report)
    return out if out.exists() else path, " ".join(str(loss["text"]) for loss in answer.losses)


def _tried(name: str, path: Path, before: Run, after: Run, told_lost: str, wire: str) -> Tried:
    session, report = product.check(path).session, product.sent(path).report
    stored = "".join(each.read_text("utf-8", "replace") for each in path.rglob("message_*.json"))
    known = [told for told in _REAL_RESULTS if f'"{told}"' in stored or f'\\"{told}\\"' in stored]
    lost = {told for told in known if told not in after.sent and told not in told_lost} if not after.error else set()
    predicted = _sent_in_short(report.get("messages") or [], name)
    return Tried(
        name,
        wire,
        session["profile"],
        session["verdict"],
        session["on_resume"]["outcome"],
        predicted,
        before,
        after,
        lost,
    )


def _runs(provider: Provider, wire: str, paths: dict[str, Path]) -> dict[str, Run]:
    rows = [
        {
            "path": str(path), "agent": AGENT, "wire": wire, "url": provider.url, "prompt": f"go on: {name}.",
            "manager": BREAKS[name][1]["conversation_manager_state"]["__name__"],
        }
        for name, path in paths.items()
    ]  # fmt: skip
    provider.play([DONE] * len(rows))
    told = ENVIRONMENT.ask("strands_session.py", rows)
    turns = {name: next((turn for turn in provider.turns if _is_of(turn, name)), None) for name in paths}
    runs = {}
    for name, answer in zip(paths, told, strict=True):
        turn = turns[name]
        messages = answer["messages"] if turn is None else turn.messages
        refused = answer.get("error", "") or (error(messages) if wire == "bedrock-converse" else "")
        runs[name] = Run(refused, _sent_in_short(messages, name))
    return runs


def _is_of(turn: Request, name: str) -> bool:
    return f"go on: {name}." in json.dumps(turn.messages, ensure_ascii=False)
