"""The evidence for calls in the events of kimi-cli's `wire.jsonl`, for that file and `context.jsonl` next to it.

Facts: MoonshotAI/kimi-cli 1.49.0, src/kimi_cli/wire/types.py: ToolCall {id, function {name, arguments}}, whose
arguments the following ToolCallParts continue; ApprovalRequest and ToolResult name it by `tool_call_id`,
SubagentEvent by `parent_tool_call_id`. The ids of some models (Shell:0) start again with every turn.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.storage.json_text import dump_json, object_at, parse_json
from inspector.core.translation import tr

EVENTS_FILE = "wire.jsonl"
_LARGEST_FILE = 64 * 1024 * 1024
_NO_EVENT: tuple[str, dict[str, Any]] = ("", {})
_CALL_ID_KEYS = ("tool_call_id", "parent_tool_call_id")


def event_of(row: Any) -> tuple[str, dict[str, Any]] | None:
    """Return name and payload of an event, None for a line that is not an event."""
    message = object_at(row, "/message")
    if not isinstance(message.get("type"), str) or "role" in message:
        return None
    return message["type"], object_at(message, "/payload")


def evidence_of_call(row: Any, call_id: str) -> EvidenceItem | None:
    """Return the evidence in a line for the call with this id."""
    kind, payload = event_of(row) or _NO_EVENT
    if not call_id or call_id not in [payload.get(key) for key in _CALL_ID_KEYS]:
        return None
    if kind == "ToolResult":
        return EvidenceItem(EvidenceStrength.RAN, tr("The result of the call was displayed (ToolResult)."))
    if kind == "SubagentEvent":
        return EvidenceItem(
            EvidenceStrength.STARTED, tr("The subagent started by the call sent an event (SubagentEvent).")
        )
    if kind == "ApprovalRequest":
        return EvidenceItem(EvidenceStrength.MENTIONED, tr("The user was asked to allow the call (ApprovalRequest)."))
    return None


def evidence_in_file(file: Path, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
    """Yield the evidence in a file of events for calls of another log, with the number of the call.

    A call is matched with the newest event with its id, tool and arguments.
    """
    wanted = {(call.id, call.name, _comparable(call.input)): number for number, call in enumerate(calls) if call.id}
    lines = _read_events(file) if wanted else []
    starting = {line: number for number, line in _newest_starts(lines, wanted).items()}
    open_calls: dict[str, int] = {}
    for line, row in enumerate(lines if starting else []):
        kind, payload = _event(row)
        if line in starting:
            open_calls[calls[starting[line]].id] = starting[line]
        elif kind == "ToolCall" and isinstance(payload.get("id"), str):
            open_calls.pop(payload["id"], None)
        named = {call_id for key in _CALL_ID_KEYS if isinstance(call_id := payload.get(key), str)}
        for call_id in named & open_calls.keys():
            if evidence := evidence_of_call(row, call_id):
                sentence = tr(
                    "{sentence}. See {name}, line {line}.",
                    sentence=evidence.sentence[:-1],
                    name=file.name,
                    line=line + 1,
                )
                yield open_calls[call_id], EvidenceItem(evidence.strength, sentence)


def _newest_starts(lines: list[Any], wanted: dict[tuple[str, str, bytes], int]) -> dict[int, int]:
    """Return the line of the newest event of each wanted call."""
    starts: dict[int, int] = {}
    at, id_and_name, arguments = -1, ("", ""), ""

    def close() -> None:
        number = wanted.get((*id_and_name, _comparable(_value_or_text(arguments))), -1) if at >= 0 else -1
        if number >= 0:
            starts[number] = at

    for line, row in enumerate(lines):
        kind, payload = event_of(row) or _NO_EVENT
        if kind == "ToolCallPart":
            arguments += str(payload.get("arguments_part") or "")
        elif kind == "ToolCall":
            close()
            function = object_at(payload, "/function")
            at, id_and_name = line, (str(payload.get("id")), str(function.get("name")))
            arguments = str(function.get("arguments") or "")
    close()
    return starts


def _comparable(arguments: Any) -> bytes:
    return dump_json(dict(sorted(arguments.items(), key=str)) if isinstance(arguments, dict) else arguments)


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
    return _parsed_lines(text)


def _parsed_lines(text: bytes) -> list[Any]:
    return [_value_or_text(line.decode("utf-8", "replace")) for line in text.split(b"\n")]


# The results that `context.jsonl` lacks: it gets those of a turn when all of its tools are done, the events get each at
# once. How a result is written: src/kimi_cli/soul/message.py (tool_result_to_message).


def lost_results_in_events(text: bytes, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the results that events of another file hold for these calls.

    A call is matched by its id, tool and arguments, and only where the events know one call with this id.
    """
    lines, asked = _parsed_lines(text), list(calls.values())
    wanted = {(call.id, call.name, _comparable(call.input)): number for number, call in enumerate(asked)}
    named = Counter(payload.get("id") for kind, payload in map(_event, lines) if kind == "ToolCall")
    starts = {asked[number].id: start for number, start in _newest_starts(lines, wanted).items()}
    results: dict[str, LostResult | None] = {}
    for line, (kind, payload) in enumerate(map(_event, lines if starts else [])):
        call_id = payload.get("tool_call_id")
        if kind != "ToolResult" or not isinstance(call_id, str) or call_id in results:
            continue
        if named[call_id] == 1 and starts.get(call_id, line) < line:
            results[call_id] = _lost_result(call_id, object_at(payload, "/return_value"), line)
    yield from filter(None, map(results.get, starts))


def _event(row: Any) -> tuple[str, dict[str, Any]]:
    return event_of(row) or _NO_EVENT


def _lost_result(call_id: str, value: dict[str, Any], line: int) -> LostResult | None:
    """Return a result with the content that it has in `context.jsonl`, None where it has no known form."""
    failed, output, message = value.get("is_error"), value.get("output"), value.get("message")
    if not isinstance(failed, bool) or not isinstance(output, str | list) or not isinstance(message, str):
        return None
    says = f"ERROR: {message}" if failed else message
    parts = [_text_part(f"<system>{says}</system>")] if says else []
    parts += ([_text_part(output)] if output else []) if isinstance(output, str) else output
    if not parts:
        parts = [_text_part("<system>Tool output is empty.</system>")]
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if len(texts) != len(parts):
        return None  # It holds media.
    content = texts[0] if len(texts) == 1 else parts
    origin = tr("line {line}, event ToolResult", line=line + 1)
    return LostResult(call_id, "\n".join(texts), origin, failed, path=EVENTS_FILE, content=content)


def _text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
