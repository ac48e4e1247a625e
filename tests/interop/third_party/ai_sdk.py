"""Broken histories of the AI SDK, sent by versions 4 to 7 before and after a repair: BREAKS is the table.

Each version converts, checks and sends the messages to a model that answers without being asked. What the model gets is
compared with the prediction for this version, and the repaired messages have to be sent with every real result.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.third_party.environments import ENVIRONMENTS, Environment
from tests.support import product

VERSIONS: dict[str, Environment] = {
    "4": ENVIRONMENTS["ai-sdk-4"],
    "5": ENVIRONMENTS["ai-sdk-5"],
    "6": ENVIRONMENTS["ai-sdk"],
    "7": ENVIRONMENTS["ai-sdk-7"],
}
Message = dict[str, Any]
_STEP = {"type": "step-start"}


def text(words: str) -> Message:
    return {"type": "text", "text": words}


def user(words: str = "go") -> Message:
    return {"role": "user", "content": [text(words)]}


def call(call_id: str, **more: Any) -> Message:
    return {"type": "tool-call", "toolCallId": call_id, "toolName": "pay", "input": {"seat": 61}, **more}


def result(call_id: str, value: Any = "", kind: str = "text") -> Message:
    output = {"type": kind, "value": value or f"paid {call_id}"}
    return {"type": "tool-result", "toolCallId": call_id, "toolName": "pay", "output": output}


def assistant(*parts: Message) -> Message:
    return {"role": "assistant", "content": list(parts)}


def tool(*parts: Message) -> Message:
    return {"role": "tool", "content": list(parts)}


def ui(role: str, *parts: Message, **more: Any) -> Message:
    return {"id": f"msg_{role}", "role": role, "parts": list(parts), **more}


def part(call_id: str, state: str, **more: Any) -> Message:
    made = {"type": "tool-pay", "toolCallId": call_id, "state": state, "input": {"seat": 61}, **more}
    return {key: value for key, value in made.items() if value is not None and (key, value) != ("state", "")}


def done(call_id: str, value: Any = "") -> Message:
    return part(call_id, "output-available", output=value or f"paid {call_id}")


def invocation(call_id: str, state: str, **more: Any) -> Message:
    made = {"state": state, "step": 0, "toolCallId": call_id, "toolName": "pay", "args": {"seat": 61}, **more}
    return {"type": "tool-invocation", "toolInvocation": made}


_ASKED, _DENIED = {"id": "approval_1"}, {"id": "approval_1", "approved": False, "reason": "too dear"}
_APPROVED = _ASKED | {"approved": True}
_REQUEST = {"type": "tool-approval-request", "approvalId": "approval_1", "toolCallId": "A"}
_RESPONSE = {"type": "tool-approval-response", "approvalId": "approval_1"}
_OLD_CALL = {"type": "tool-call", "toolCallId": "A", "toolName": "pay", "args": {"seat": 61}}
_OLD_RESULT = {"type": "tool-result", "toolCallId": "A", "toolName": "pay", "result": "paid A"}
_OK = text("ok")
_GO, _UI_GO, _NEXT = user(), ui("user", text("go")), ui("user", text("and then?"))
_PAID = [_GO, assistant(call("A")), tool(result("A"))]
_REASONING = {"type": "reasoning", "text": "so"}
_NAMELESS = {key: value for key, value in result("A").items() if key != "toolName"}
_OLD_GO = {"id": "1", "role": "user", "content": "go", "parts": [text("go")]}

# The versions that read the messages, and the messages.
BREAKS: dict[str, tuple[str, list[Message]]] = {
    "sound": (
        "567",
        [_GO, assistant(call("A"), call("B")), tool(result("A")), tool(result("B")), assistant(_OK)],
    ),
    "killed in a tool": ("567", [_GO, assistant(text("I pay."), call("A"))]),
    "one of two": ("567", [_GO, assistant(call("A"), call("B")), tool(result("A")), assistant(_OK)]),
    "a prompt after the call": ("567", [_GO, assistant(call("A")), user("well?"), assistant(_OK)]),
    "result without its call": ("567", [_GO, tool(result("A")), assistant(_OK)]),
    "result before its call": ("567", [_GO, tool(result("A")), assistant(call("A")), user("well?")]),
    "result after an answer": ("567", [_GO, assistant(call("A")), assistant(_OK), tool(result("A"))]),
    "result after a prompt": ("567", [_GO, assistant(call("A")), user("well?"), tool(result("A"))]),
    "result twice": ("567", [_GO, assistant(call("A")), tool(result("A"), result("A", "paid twice"))]),
    "id twice in a turn": ("567", [_GO, assistant(call("A"), call("A")), tool(result("A"), result("A", "paid 2"))]),
    "id in a later turn": (
        "567",
        [
            _GO,
            assistant(call("A")),
            tool(result("A")),
            user("again"),
            assistant(call("A")),
            tool(result("A", "paid 2")),
        ],
    ),
    "JSON and failed results": (
        "567",
        [_GO, assistant(call("A"), call("B")), tool(result("A", {"paid": 1}, "json"), result("B", "no", "error-text"))],
    ),
    "result without a name": ("567", [_GO, assistant(call("A")), tool(_NAMELESS)]),
    "results of the user": ("567", [_GO, assistant(call("A")), {"role": "user", "content": [result("A")]}]),
    "text in a tool message": ("567", [_GO, assistant(call("A")), tool(result("A"), text("so"))]),
    "reasoning of the user": ("567", [*_PAID, {"role": "user", "content": [text("go"), _REASONING]}]),
    "empty text": ("567", [_GO, assistant(text(""), call("A")), tool(result("A"))]),
    "approval open": ("67", [_GO, assistant(call("A"), _REQUEST)]),
    "approval open, and a prompt": ("67", [_GO, assistant(call("A"), _REQUEST), user("well?")]),
    "approved": ("67", [_GO, assistant(call("A"), _REQUEST), tool(_RESPONSE | {"approved": True})]),
    "approved, and a prompt": (
        "67",
        [_GO, assistant(call("A"), _REQUEST), tool(_RESPONSE | {"approved": True}), user("well?")],
    ),
    "denied": ("67", [_GO, assistant(call("A"), _REQUEST), tool(_RESPONSE | {"approved": False})]),
    "approved and run": (
        "67",
        [_GO, assistant(call("A"), _REQUEST), tool(_RESPONSE | {"approved": True}), tool(result("A"))],
    ),
    "call of the provider": ("567", [_GO, assistant(call("A", providerExecuted=True), _OK)]),
    "version 4": ("4", [_GO, assistant(_OLD_CALL), tool(_OLD_RESULT), assistant(_OK)]),
    "version 4: killed in a tool": ("4", [_GO, assistant(_OLD_CALL), user("well?")]),
    "UI: sound": ("567", [_UI_GO, ui("assistant", _STEP, done("A"), _STEP, done("B", {"paid": 1}), _STEP, _OK)]),
    "UI: input-available": ("567", [_UI_GO, ui("assistant", _STEP, text("I pay."), part("A", "input-available"))]),
    "UI: one of two": (
        "567",
        [_UI_GO, ui("assistant", done("A"), part("B", "input-available"), _STEP, _OK), _NEXT],
    ),
    "UI: input-streaming": ("567", [_UI_GO, ui("assistant", text("I pay."), part("A", "input-streaming")), _NEXT]),
    "UI: input-streaming without input": (
        "567",
        [_UI_GO, ui("assistant", text("I pay."), part("A", "input-streaming", input=None)), _NEXT],
    ),
    "UI: approval-requested": ("67", [_UI_GO, ui("assistant", part("A", "approval-requested", approval=_ASKED))]),
    "UI: approval-requested, and a prompt": (
        "67",
        [_UI_GO, ui("assistant", text("I pay."), part("A", "approval-requested", approval=_ASKED)), _NEXT],
    ),
    "UI: approval-responded": ("67", [_UI_GO, ui("assistant", part("A", "approval-responded", approval=_APPROVED))]),
    "UI: approval-responded, and a prompt": (
        "67",
        [_UI_GO, ui("assistant", part("A", "approval-responded", approval=_APPROVED)), _NEXT],
    ),
    "UI: denied": ("67", [_UI_GO, ui("assistant", part("A", "approval-responded", approval=_DENIED))]),
    "UI: denied, and a prompt": (
        "67",
        [_UI_GO, ui("assistant", part("A", "approval-responded", approval=_DENIED)), _NEXT],
    ),
    "UI: output-denied": ("67", [_UI_GO, ui("assistant", part("A", "output-denied", approval=_DENIED)), _NEXT]),
    "UI: output-error": ("567", [_UI_GO, ui("assistant", part("A", "output-error", errorText="no")), _NEXT]),
    "UI: preliminary": ("567", [_UI_GO, ui("assistant", done("A") | {"preliminary": True}), _NEXT]),
    "UI: no state": ("567", [_UI_GO, ui("assistant", part("A", ""), _STEP, _OK), _NEXT]),
    "UI: no state, with its output": ("567", [_UI_GO, ui("assistant", part("A", "", output="paid A")), _NEXT]),
    "UI: id twice": ("567", [_UI_GO, ui("assistant", done("A"), done("A", "paid 2")), _NEXT]),
    "UI: dynamic tool": (
        "567",
        [_UI_GO, ui("assistant", part("A", "input-available", type="dynamic-tool", toolName="pay")), _NEXT],
    ),
    "UI: call of the provider": (
        "67",
        [_UI_GO, ui("assistant", part("A", "input-available", providerExecuted=True), _OK), _NEXT],
    ),
    "UI: empty answer": ("567", [_UI_GO, ui("assistant"), _NEXT]),
    "UI 4: sound": (
        "4",
        [
            _OLD_GO,
            ui("assistant", _STEP, invocation("A", "result", result="paid A"), _OK, content="ok"),
            _OLD_GO,
        ],
    ),
    "UI 4: call": ("4", [_OLD_GO, ui("assistant", _STEP, invocation("A", "call"), content=""), _OLD_GO]),
    "UI 4: partial-call": ("4", [_OLD_GO, ui("assistant", invocation("A", "partial-call"), content=""), _OLD_GO]),
    "UI 4: without parts": (
        "4",
        [
            {"id": "1", "role": "user", "content": "go"},
            {
                "id": "2",
                "role": "assistant",
                "content": "ok",
                "toolInvocations": [
                    invocation("A", "result", result="paid A")["toolInvocation"],
                    invocation("B", "call", step=1)["toolInvocation"],
                ],
            },
            {"id": "3", "role": "user", "content": "well?"},
        ],
    ),
}
# The rest of a call of the provider is not predicted, and the words of what an approved tool did are not known.
_UNKNOWN = ("call of the provider", "approved", "UI: approval-responded", "UI: call of the provider")


@dataclass(frozen=True)
class Tried:
    """A broken history and a version: what was predicted, what the SDK did, and what it did with the repaired one."""

    name: str
    version: str
    verdict: str
    predicted: str
    real: str
    repaired: str
    invalid: str
    lost: set[str]

    @property
    def wrong(self) -> list[str]:
        """What must not be: another prompt or error than predicted, a refusal of the repair, or a lost result."""
        found = []
        is_error = self.predicted.startswith("AI_") and self.real.startswith(self.predicted)
        if not (is_error or self.predicted == self.real or self.name in _UNKNOWN):
            found.append(f"predicted: {self.predicted}; real: {self.real}")
        if self.repaired.startswith(("AI_", "the SDK stops")) and not self.verdict.startswith("waiting"):
            found.append(f"the repaired messages were refused: {self.repaired}")
        if self.invalid:
            found.append(f"the repaired messages are not valid: {self.invalid}")
        return [*found, *(f"the result {text} is not sent" for text in sorted(self.lost))]


def _in_short(messages: Iterable[tuple[str, list[str]]]) -> str:
    """A prompt as it is compared: who says what, the ids of calls, and the results.

    Version 5 leaves neighbouring tool messages as they are, and empty ones, of which its providers make nothing.
    """
    turns: list[tuple[str, list[str]]] = []
    for role, said in messages:
        if role == "tool" and turns and turns[-1][0] == "tool":
            turns[-1][1].extend(said)
        elif said or role != "tool":
            turns.append((role, list(said)))
    return " | ".join(f"{role[0]}:{','.join(said)}" for role, said in turns)


def _part_in_short(part: Message) -> str:
    match part:
        case {"type": "text", "text": words}:
            return str(words)
        case {"type": "tool-call", "toolCallId": id_}:
            return f"{{{id_}}}"
        case {"type": "tool-result", "toolCallId": id_, "result": value} | {
            "type": "tool-result",
            "toolCallId": id_,
            "output": {"value": value},
        }:
            return f"{id_}={_json(value)}"
        case {"type": "tool-result", "toolCallId": id_, "output": {"type": "execution-denied", **more}}:
            return f"{id_}={more.get('reason') or 'Tool call execution denied.'}"
    return str(part)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _predicted(path: Path, version: str) -> tuple[str, str]:
    """What is predicted for a version: the prompt or the error, and the outcome."""
    report = product.sent(path, "--agent-version", version).report
    if not report["messages"]:
        return _error_in_short(report["error"]), report["outcome"]
    return _in_short((each["role"], _chat_in_short(each)) for each in report["messages"]), report["outcome"]


def _chat_in_short(message: Message) -> list[str]:
    if message["role"] == "tool":
        return [f"{message['tool_call_id']}={message['content']}"]
    calls = [f"{{{each['id']}}}" for each in message.get("tool_calls") or ()]
    return [message["content"], *calls] if message["content"] else calls


def _error_in_short(error: str) -> str:
    """An error; those of the language, where the SDK does not expect a message, are all alike."""
    return error if error.startswith("AI_") else "the SDK stops"


def tried(folder: Path, versions: Iterable[str]) -> list[Tried]:
    """Every break with every version that reads it, before and after its repair."""
    found = []
    for version in versions:
        names = [name for name, (readers, _) in BREAKS.items() if version in readers]
        paths = {name: folder / f"{version}-{number}.json" for number, name in enumerate(names)}
        for name, path in paths.items():
            path.write_text(json.dumps(BREAKS[name][1]), "utf-8")
        repaired = {name: _repaired(path) for name, path in paths.items()}
        before = _real(version, {name: BREAKS[name][1] for name in names})
        after = _real(version, repaired)
        found += [_tried(name, version, paths[name], before[name], after[name]) for name in names]
    return found


def _repaired(path: Path) -> list[Message]:
    out = path.with_suffix(".out.json")
    answer = product.repair(path, out)
    assert answer.code == 0, (path, answer.report)
    messages: list[Message] = json.loads((out if out.exists() else path).read_text("utf-8"))
    return messages


def _tried(name: str, version: str, path: Path, before: Message, after: Message) -> Tried:
    predicted, outcome = _predicted(path, version)
    results = [str(value) for value in ("paid A", "paid B", "paid 2", "paid twice") if value in path.read_text("utf-8")]
    lost = {value for value in results if value not in _shown(after)}
    verdict = f"{product.check(path).session['verdict']}, {outcome}"
    return Tried(name, version, verdict, predicted, _shown(before), _shown(after), after["invalid"], lost)


def _shown(answer: Message) -> str:
    """The prompt in short, or the error."""
    if "prompt" not in answer:
        return _error_in_short(answer["error"])
    return _in_short((each["role"], [*map(_part_in_short, each["content"])]) for each in answer["prompt"])


def _real(version: str, histories: dict[str, list[Message]]) -> dict[str, Message]:
    rows = [{"messages": messages, "ui": name.startswith("UI")} for name, messages in histories.items()]
    return dict(zip(histories, VERSIONS[version].ask("ai_sdk_send.mjs", rows), strict=True))
