"""What the events of kimi-cli's `wire.jsonl` show of calls: told of that file, and of `context.jsonl` beside it.

Facts: MoonshotAI/kimi-cli 1.49.0, src/kimi_cli/wire/types.py: ToolCall {id, function {name, arguments}}, whose
arguments the ToolCallParts behind it go on with; ApprovalRequest and ToolResult name it by `tool_call_id`,
SubagentEvent by `parent_tool_call_id`. The ids of some models (Shell:0) begin anew with every turn.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.core.formats.base.evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.storage.json_text import dump_json, object_at, parse_json

EVENTS_FILE = "wire.jsonl"
_LARGEST_FILE = 64 * 1024 * 1024
_NO_EVENT: tuple[str, dict[str, Any]] = ("", {})
_CALL_ID_KEYS = ("tool_call_id", "parent_tool_call_id")


def event_of(row: Any) -> tuple[str, dict[str, Any]] | None:
    """Name and payload of an event; None for a line that is none."""
    message = object_at(row, "/message")
    if not isinstance(message.get("type"), str) or "role" in message:
        return None
    return message["type"], object_at(message, "/payload")


def evidence_of_call(row: Any, call_id: str) -> EvidenceItem | None:
    """What a line shows of the call with this id."""
    kind, payload = event_of(row) or _NO_EVENT
    if not call_id or call_id not in [payload.get(key) for key in _CALL_ID_KEYS]:
        return None
    if kind == "ToolResult":
        return EvidenceItem(EvidenceStrength.RAN, "Its result was shown (ToolResult).")
    if kind == "SubagentEvent":
        return EvidenceItem(EvidenceStrength.STARTED, "The subagent that it started reported (SubagentEvent).")
    if kind == "ApprovalRequest":
        return EvidenceItem(EvidenceStrength.MENTIONED, "The person was asked to allow it (ApprovalRequest).")
    return None


def evidence_in_file(file: Path, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
    """The traces that a file of events holds of calls of another log, by number.

    A call is that of the newest event with its id, tool and arguments.
    """
    wanted = {(call.id, call.name, _comparable(call.input)): number for number, call in enumerate(calls) if call.id}
    lines = _read_events(file) if wanted else []
    for number, at in _newest_starts(lines, wanted).items():
        call_id = calls[number].id
        for later in range(at + 1, len(lines)):
            kind, payload = event_of(lines[later]) or _NO_EVENT
            if kind == "ToolCall" and payload.get("id") == call_id:
                break
            trace = evidence_of_call(lines[later], call_id)
            if trace is not None:
                yield number, EvidenceItem(trace.strength, f"{trace.sentence[:-1]} in {file.name}, line {later + 1}.")


def _newest_starts(lines: list[Any], wanted: dict[tuple[str, str, bytes], int]) -> dict[int, int]:
    """The line of the newest event of each wanted call."""
    found: dict[int, int] = {}
    at, named, arguments = -1, ("", ""), ""

    def close() -> None:
        number = wanted.get((*named, _comparable(_value_or_text(arguments))), -1) if at >= 0 else -1
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


def _comparable(given: Any) -> bytes:
    return dump_json(dict(sorted(given.items(), key=str)) if isinstance(given, dict) else given)


def _value_or_text(text: str) -> Any:
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return text


def _read_events(file: Path) -> list[Any]:
    try:
        if file.stat().st_size > _LARGEST_FILE:
            return []
        text = file.read_bytes()
    except OSError:
        return []
    return [_value_or_text(line.decode("utf-8", "replace")) for line in text.split(b"\n")]
