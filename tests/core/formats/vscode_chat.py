"""VS Code Copilot chats: written as VS Code appends its operations, folded as `ObjectMutationLog.read` does.

A history in it cannot break: Copilot builds its request from rounds, and leaves out calls without a result.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer, tear_file
from tests.support.judges import openai_error
from tests.support.notation import Call, History, NotExpressible, Part, Result, Text, Turn
from tests.system.corpus.otherwise import OfFormat

SESSION = "3d0f1c9e-6a57-4c1b-9a51-3f6f1f2a7c11"
NAME = f"{SESSION}.jsonl"
START = 1788800000000
_LEFT_OUT = "Copilot leaves out a call without a result, and a result without a call"


def document(**members: Any) -> dict[str, Any]:
    head = {"version": 3, "sessionId": SESSION, "creationDate": START, "responderUsername": "GitHub Copilot"}
    state = {"attachments": [], "mode": {"id": "agent", "kind": "agent"}, "inputText": "", "selections": []}
    return {**head, "initialLocation": "panel", "requests": [], "inputState": state, "pendingRequests": [], **members}


def initial(**members: Any) -> dict[str, Any]:
    return {"kind": 0, "v": document(**members)}


def request(number: int, text: str) -> dict[str, Any]:
    """A request as it is stored when it is sent."""
    where = {"startLineNumber": 1, "startColumn": 1, "endLineNumber": 1, "endColumn": len(text) + 1}
    span = {"start": 0, "endExclusive": len(text)}
    message = {"text": text, "parts": [{"range": span, "editorRange": where, "text": text, "kind": "text"}]}
    made = {"requestId": f"request_{number}", "timestamp": START + number, "message": message}
    return {**made, "modelId": "copilot/gpt-5-mini", "variableData": {"variables": []}, "response": []}


def answered(number: int, parts: list[Any], metadata: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """The operations that store what a request got."""
    yield {"kind": 2, "k": ["requests", number, "response"], "v": parts}
    yield {"kind": 1, "k": ["requests", number, "responseId"], "v": f"response_{number}"}
    result = {"timings": {"totalElapsed": 900}} | ({} if metadata is None else {"metadata": metadata})
    yield {"kind": 1, "k": ["requests", number, "result"], "v": result}
    yield {"kind": 1, "k": ["requests", number, "modelState"], "v": {"value": 1, "completedAt": START + number + 9}}


def a_round(number: int, text: str, *calls: Call) -> dict[str, Any]:
    made = [{"id": each.id, "name": each.name, "arguments": json.dumps(each.input)} for each in calls]
    return {"id": f"round_{number}", "response": text, "toolInputRetry": 0, "toolCalls": made}


def result_of(text: str) -> dict[str, Any]:
    return {"$mid": 20, "content": [{"$mid": 21, "value": text}]}


def invocation(call: Call, is_complete: bool) -> dict[str, Any]:
    """A call as it is shown."""
    head = {"kind": "toolInvocationSerialized", "toolCallId": f"{call.id}__vscode-1", "toolId": f"copilot_{call.name}"}
    return {**head, "invocationMessage": {"value": f"Running {call.name}"}, "isComplete": is_complete}


def operations(history: History) -> Iterator[dict[str, Any]]:
    yield initial()
    yield {"kind": 1, "k": ["inputState", "inputText"], "v": "g"}
    requests = list[tuple[str, list[Turn]]]()
    for turn in history:
        if turn.role == "developer" or (turn.role == "assistant" and not requests):
            raise NotExpressible("a message that does not belong to a prompt")
        for part in turn.parts if turn.role == "user" else ():
            if isinstance(part, Text):
                requests.append((part.text, []))
            elif not requests:
                raise NotExpressible("a result before the first prompt")
            else:
                requests[-1][1].append(Turn("user", (part,)))
        if turn.role == "assistant":
            requests[-1][1].append(turn)
    for number, (text, turns) in enumerate(requests):
        yield {"kind": 2, "k": ["requests"], "v": [request(number, text)]}
        answers = [turn for turn in turns if turn.role == "assistant"]
        said = ["".join(part.text for part in turn.of(Text)) for turn in answers]
        rounds = [a_round(at, said[at], *turn.of(Call)) for at, turn in enumerate(answers)]
        results = {each.id: result_of(each.text) for turn in turns for each in turn.of(Result)}
        metadata = {"toolCallRounds": rounds, "toolCallResults": results} if rounds else None
        shown: list[Any] = [{"value": each} for each in said]
        shown += [invocation(call, call.id in results) for turn in answers for call in turn.of(Call)]
        yield from answered(number, shown, metadata)


def lines(made: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for each in made)


def render(history: History) -> bytes:
    return lines(list(operations(history)))


def fold(data: bytes) -> dict[str, Any]:
    """`ObjectMutationLog.read`: a path that leads nowhere raises an error."""
    state: Any = None
    for line in filter(None, data.split(b"\n")):
        entry = json.loads(line.decode("utf-8", "replace"))
        if entry["kind"] == 0:
            state = entry["v"]
            continue
        if state is None:
            raise ValueError("Log file is missing an initial entry")
        held = state
        *way, last = entry["k"]
        for step in way:
            held = held[step]
        if entry["kind"] == 2:
            kept = (held.get(last) if isinstance(held, dict) else held[last]) or []
            if "i" in entry:
                del kept[entry["i"] :]
            held[last] = [*kept, *entry.get("v", ())]
        elif entry["kind"] == 1:
            held[last] = entry["v"]
        elif entry["kind"] == 3:
            held.pop(last, None)
        else:
            raise ValueError("Unreachable")
    if not isinstance(state, dict):
        raise ValueError("Empty log file")
    return state


def told(document: dict[str, Any]) -> History:
    """`AgentConversationHistory`: what Copilot sends of the requests."""
    history: History = []
    for each in document["requests"]:
        message = each["message"]
        history.append(Turn("user", (Text(message if isinstance(message, str) else message["text"]),)))
        metadata = (each.get("result") or {}).get("metadata") or {}
        results = metadata.get("toolCallResults", {})
        rounds = metadata.get("toolCallRounds", [])
        for made in rounds:
            calls = [call for call in made["toolCalls"] if call["id"] in results]
            if made["toolCalls"] and not calls:
                continue
            said: list[Part] = [Text(made["response"])] if made["response"] else []
            sent = [Call(call["id"], call["name"], json.loads(call["arguments"])) for call in calls]
            history.append(Turn("assistant", (*said, *sent)))
            found = tuple(Result(call.id, results[call.id]["content"][0]["value"]) for call in sent)
            history += [Turn("user", found)] if found else []
        if not rounds:
            shown = "".join(part["value"] for part in each["response"] if "kind" not in part)
            history += [Turn("assistant", (Text(shown),))] if shown else []
    return history


def load(path: Path) -> History:
    return told(fold(path.read_bytes()))


FORMAT = WrittenFormat(
    "vscode-chat",
    file_writer(NAME, render),
    load,
    openai_error,
    cannot=NO_DEVELOPER | dict.fromkeys(("D1", "D2", "D3", "R1", "R3", "R5"), _LEFT_OUT),
    tear=tear_file,
    provider="openai-chat",
    holds_calls=False,
    is_message=lambda value: "toolCallRounds" in value or "parts" in value,
    says=("text", "toolCallRounds", "toolCallResults"),
)
CORPUS = OfFormat(folders=("vscode-chat",), elsewhere=(), broken={"vscode-chat/*no-initial-entry.jsonl": "G1"})
