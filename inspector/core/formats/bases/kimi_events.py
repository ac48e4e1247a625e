"""What the events of kimi-cli's `wire.jsonl` show of calls: told of that file, and of `context.jsonl` beside it.

Facts: MoonshotAI/kimi-cli 1.49.0, src/kimi_cli/wire/types.py: ToolCall {id, function {name, arguments}}, whose
arguments the ToolCallParts behind it go on with; ApprovalRequest and ToolResult name it by `tool_call_id`,
SubagentEvent by `parent_tool_call_id`. The ids of some models (Shell:0) begin anew with every turn.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.core.bytes.json_text import dump_json, object_at, parse_json
from inspector.core.formats.bases.traces import Trace, TracedCall, Weight

WIRE = "wire.jsonl"
_LARGEST = 64 * 1024 * 1024
_NO_EVENT: tuple[str, dict[str, Any]] = ("", {})
_NAMING = ("tool_call_id", "parent_tool_call_id")


def event_of(row: Any) -> tuple[str, dict[str, Any]] | None:
    """Name and payload of an event; None for a line that is none."""
    message = object_at(row, "/message")
    if not isinstance(message.get("type"), str) or "role" in message:
        return None
    return message["type"], object_at(message, "/payload")


def trace_of(row: Any, call_id: str) -> Trace | None:
    """What a line shows of the call with this id."""
    kind, payload = event_of(row) or _NO_EVENT
    if not call_id or call_id not in [payload.get(key) for key in _NAMING]:
        return None
    if kind == "ToolResult":
        return Trace(Weight.RAN, "Its result was shown (ToolResult).")
    if kind == "SubagentEvent":
        return Trace(Weight.STARTED, "The subagent that it started reported (SubagentEvent).")
    if kind == "ApprovalRequest":
        return Trace(Weight.MENTIONED, "The person was asked to allow it (ApprovalRequest).")
    return None


def traces_in(file: Path, calls: list[TracedCall]) -> Iterator[tuple[int, Trace]]:
    """The traces that a file of events holds of calls of another log, by number.

    A call is that of the newest event with its id, tool and arguments.
    """
    wanted = {(call.id, call.name, _key(call.input)): number for number, call in enumerate(calls) if call.id}
    lines = _lines(file) if wanted else []
    for number, at in _begun(lines, wanted).items():
        call_id = calls[number].id
        for later in range(at + 1, len(lines)):
            kind, payload = event_of(lines[later]) or _NO_EVENT
            if kind == "ToolCall" and payload.get("id") == call_id:
                break
            trace = trace_of(lines[later], call_id)
            if trace is not None:
                yield number, Trace(trace.strength, f"{trace.sentence[:-1]} in {file.name}, line {later + 1}.")


def _begun(lines: list[Any], wanted: dict[tuple[str, str, bytes], int]) -> dict[int, int]:
    """The line of the newest event of each wanted call."""
    found: dict[int, int] = {}
    at, named, arguments = -1, ("", ""), ""

    def close() -> None:
        number = wanted.get((*named, _key(_parsed(arguments))), -1) if at >= 0 else -1
        if number >= 0:
            found[number] = at

    for line, row in enumerate(lines):
        kind, payload = event_of(row) or _NO_EVENT
        if kind == "ToolCallPart":
            arguments += str(payload.get("arguments_part") or "")
        elif kind == "ToolCall":
            close()
            given = object_at(payload, "/function")
            at, named = line, (str(payload.get("id")), str(given.get("name")))
            arguments = str(given.get("arguments") or "")
    close()
    return found


def _key(given: Any) -> bytes:
    return dump_json(dict(sorted(given.items(), key=str)) if isinstance(given, dict) else given)


def _parsed(text: str) -> Any:
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return text


def _lines(file: Path) -> list[Any]:
    try:
        if file.stat().st_size > _LARGEST:
            return []
        text = file.read_bytes()
    except OSError:
        return []
    return [_parsed(line.decode("utf-8", "replace")) for line in text.split(b"\n")]
