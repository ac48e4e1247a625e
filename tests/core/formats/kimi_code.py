"""Kimi Code as the tests know it: written as its engine v1 writes, loaded by a fold of engine v1.

The fold is written from `ContextMemory` (MoonshotAI/kimi-code, `agent-core/src/agent/context/index.ts`). Where engine
v1 mends or refuses something, the history that it gives holds an Odd part: a repaired log leaves nothing to mend. But
for a result apart from its call, which every request has behind it (`repairToolExchangeAdjacency` in `projector.ts`).
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, by_role
from tests.support.judges import openai_error
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, Text, Thinking, Turn, lines

Record = dict[str, Any]
START = 1_779_256_791_085


class Writer:
    """Appends records as the engine does: results within their step, its end when the next thing is no result."""

    def __init__(self, version: str = "1.4") -> None:
        self.records: list[Record] = [{"type": "metadata", "protocol_version": version, "created_at": START}]
        self.step = 0
        self.in_step = False

    def add(self, kind: str, **payload: Any) -> None:
        self.records.append({"type": kind, **payload, "time": START + len(self.records)})

    def event(self, kind: str, **payload: Any) -> None:
        self.add("context.append_loop_event", event={"type": kind, **payload})

    def message(self, role: str, text: str, **more: Any) -> None:
        self.end()
        message = {"role": role, "content": [{"type": "text", "text": text}], "toolCalls": [], **more}
        self.add("context.append_message", message=message)

    def begin(self) -> None:
        self.end()
        self.step += 1
        self.in_step = True
        self.event("step.begin", uuid=self.uuid, turnId="0", step=self.step)

    def end(self, reason: str = "tool_calls") -> None:
        if self.in_step:
            self.event("step.end", uuid=self.uuid, turnId="0", step=self.step, finishReason=reason)
            self.in_step = False

    @property
    def uuid(self) -> str:
        return f"s{self.step}"

    def part(self, part: dict[str, Any]) -> None:
        self.event(
            "content.part", uuid=f"p{len(self.records)}", turnId="0", step=self.step, stepUuid=self.uuid, part=part
        )

    def call(self, call: Call) -> None:
        self.event(
            "tool.call",
            uuid=call.id,
            turnId="0",
            step=self.step,
            stepUuid=self.uuid,
            toolCallId=call.id,
            name=call.name,
            args=call.input,
        )

    def result(self, result: Result) -> None:
        given = {"output": result.text, "isError": result.error}
        self.event("tool.result", parentUuid=result.id, toolCallId=result.id, result=given)


def records_of(history: History, version: str = "1.4") -> list[Record]:
    writer = Writer(version)
    for turn in history:
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        if turn.role == "assistant":
            writer.begin()
        for part in turn.parts:
            _write(writer, turn.role, part)
    writer.end("end_turn")
    return writer.records


def _write(writer: Writer, role: str, part: Part) -> None:
    if isinstance(part, Result):
        writer.result(part)
    elif isinstance(part, Call):
        writer.call(part)
    elif isinstance(part, Thinking):
        writer.part({"type": "think", "think": part.text})
    elif isinstance(part, Text) and role == "assistant":
        writer.part({"type": "text", "text": part.text})
    elif isinstance(part, Text):
        writer.message("user", part.text, origin={"kind": "user"})
    else:
        raise NotExpressible(str(part))


def write(history: History, folder: Path) -> Path:
    path = folder / "wire.jsonl"
    path.write_bytes(lines(records_of(history)))
    return path


# engine v1


class Memory:
    """`ContextMemory`: what the records of a log make of its history."""

    def __init__(self) -> None:
        self.history: list[Record] = []
        self.steps: dict[str, Record] = {}
        self.pending: list[str] = []
        self.deferred: list[Record] = []
        self.odd: list[str] = []

    def restore(self, records: list[Record]) -> "Memory":
        self.replay(records)
        self.close()
        return self

    def replay(self, records: list[Record]) -> "Memory":
        assert records[0]["type"] == "metadata", "AgentRecords replay expected metadata as the first record"
        for record in records[1:]:
            match record["type"]:
                case "context.append_message":
                    (self.deferred if self.pending else self.history).append(record["message"])
                case "context.append_loop_event":
                    self.take(record["event"])
                case "context.apply_compaction":
                    self.compact(record)
                case "context.undo":
                    self.undo(record["count"])
                case "context.clear":
                    self.history = []
                    self.forget()
        return self

    def take(self, event: Record) -> None:
        match event["type"]:
            case "step.begin":
                self.close()
                self.steps[event["uuid"]] = {"role": "assistant", "content": [], "toolCalls": []}
                self.history.append(self.steps[event["uuid"]])
            case "step.end":
                self.steps.pop(event["uuid"], None)
                self.flush()
            case "content.part":
                self.steps[event["stepUuid"]]["content"].append(event["part"])
            case "tool.call":
                call = {"id": event["toolCallId"], "name": event["name"], "args": event.get("args")}
                self.steps[event["stepUuid"]]["toolCalls"].append(call)
                if event["toolCallId"] not in self.pending:
                    self.pending.append(event["toolCallId"])
            case "tool.result" if event["toolCallId"] in self.pending:
                self.answer(event["toolCallId"], event["result"]["output"], event["result"].get("isError"))
                self.flush()
            case "tool.result":
                self.odd.append(f"the result of {event['toolCallId']} is ignored")

    def answer(self, call_id: str, output: Any, error: bool | None) -> None:
        self.pending.remove(call_id)
        self.history.append({"role": "tool", "toolCallId": call_id, "content": output, "isError": error})

    def close(self) -> None:
        for call_id in list(self.pending):
            self.odd.append(f"the call {call_id} is closed in memory")
            self.answer(call_id, "interrupted", True)
        self.flush()

    def flush(self) -> None:
        if not self.pending:
            self.history += self.deferred
            self.deferred = []

    def forget(self) -> None:
        self.odd += [f"the message {message['content']} is lost" for message in self.deferred]
        self.steps, self.pending, self.deferred = {}, [], []

    def undo(self, count: int) -> None:
        kept = []
        while self.history and count:
            message = self.history.pop()
            kind = (message.get("origin") or {}).get("kind")
            if kind == "compaction_summary":
                self.history.append(message)
                break
            if kind == "injection":
                kept.append(message)
            count -= is_prompt(message)
        self.history += reversed(kept)
        self.forget()

    def compact(self, record: Record) -> None:
        self.odd += [f"the call {call_id} is cut off" for call_id in self.pending]
        text = record.get("contextSummary") or record["summary"]
        summary = {
            "role": "user",
            "content": [{"type": "text", "text": text}],
            "origin": {"kind": "compaction_summary"},
        }
        if "keptUserMessageCount" not in record and record["compactedCount"] < len(self.history):
            self.history = [summary, *self.history[record["compactedCount"] :]]
        else:
            self.history = [*filter(is_prompt, self.history), summary]
        self.forget()


def is_prompt(message: Record) -> bool:
    return message["role"] == "user" and (message.get("origin") or {}).get("kind") in (None, "user")


def restored(path: Path) -> Memory:
    """What engine v1 makes of a file: bad JSON anywhere but in an unterminated last line stops it."""
    text = path.read_text("utf-8")
    rows = text.split("\n")
    records = []
    for number, row in enumerate(rows):
        try:
            if row.strip():
                records.append(json.loads(row))
        except ValueError:
            assert number == len(rows) - 1, f"wire.jsonl: corrupted line {number + 1}"
    return Memory().restore(records)


def load(path: Path) -> History:
    memory = restored(path)
    history: History = [Turn("user", (Odd(what),)) for what in memory.odd]
    for message in adjacent(memory.history):
        if message["role"] == "tool":
            result = Result(message["toolCallId"], _text(message["content"]), bool(message.get("isError")))
            if history and history[-1].of(Result) == list(history[-1].parts):
                history[-1] = Turn("user", (*history[-1].parts, result))
            else:
                history.append(Turn("user", (result,)))
            continue
        parts: list[Part] = []
        for part in message["content"]:
            match part["type"]:
                case "think":
                    parts.append(Thinking(part["think"]))
                case "text":
                    parts.append(Text(part["text"]))
                case kind:
                    parts.append(Odd(kind))  # of which this reader knows nothing
        for call in message.get("toolCalls", ()):
            parts.append(Call(call["id"], call["name"], call.get("args")))
        if parts:
            history.append(Turn(message["role"], tuple(parts)))
    return history


def adjacent(messages: list[Record]) -> list[Record]:
    """`repairToolExchangeAdjacency`: the results of a message's calls behind it, and what stood between behind them."""
    left, found = list(messages), []
    while left:
        message = left.pop(0)
        found.append(message)
        for call_id in dict.fromkeys(call["id"] for call in message.get("toolCalls", ())):
            result = next((each for each in left if each["role"] == "tool" and each["toolCallId"] == call_id), None)
            if result is not None:
                left.remove(result)
                found.append(result)
    return found


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


FORMAT = WrittenFormat(
    "kimi-code",
    write,
    load,
    openai_error,
    cannot=NO_DEVELOPER
    | {
        "R3": "a message that comes while a call is open waits until the call has its result",
        "T35": "a message that comes while a call is open waits until the call has its result",
    },
    provider="openai-chat",
    is_message=lambda value: str(value.get("type")).startswith(("tool.", "content.")) or by_role(value),
)
