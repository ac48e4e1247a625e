"""Codex: rollouts as it writes them, and the list that it rebuilds from one.

The fold follows `reconstruct_history_from_rollout` of openai/codex (codex-rs/core/src/session/rollout_reconstruction.rs
@0cf8861) and `drop_last_n_user_turns` (context_manager/history.rs @023fad2) over parsed lines.
"""

import json
from collections.abc import Sequence
from typing import Any

from tests.core.formats.openai_responses import pairing_error
from tests.core.formats.written import WrittenFormat, file_writer
from tests.support.judges import openai_error
from tests.support.notation import Call, History, Odd, Part, Result, Text, Thinking, Turn, clock, lines

THREAD = "0199a213-81c0-7800-8aa1-bbab2a035a53"
FILE = f"rollout-2026-01-01T00-00-00-{THREAD}.jsonl"
CUSTOM = "apply_patch"
OUTPUT_OF = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "tool_search_call": "tool_search_output",
}
SEARCHES = ("tool_search_call", "tool_search_output")
API_ITEMS = {
    *("message", "agent_message", "reasoning", "web_search_call", "image_generation_call", "compaction"),
    *OUTPUT_OF,
    *OUTPUT_OF.values(),
}
OUTPUTS_WITH_PARTS = ("function_call_output", "custom_tool_call_output")
OUTPUT_PARTS = ("input_text", "input_image", "input_audio", "encrypted_content")
CONTEXT = ("<environment_context>", "<user_instructions>", "<permissions instructions>", "<turn_aborted>")


# --- writing


def message(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def call_item(call: Call) -> dict[str, Any]:
    if call.name == CUSTOM:
        patch = json.dumps(call.input)
        return {"type": "custom_tool_call", "status": "completed", "call_id": call.id, "name": CUSTOM, "input": patch}
    return {"type": "function_call", "name": call.name, "arguments": json.dumps(call.input), "call_id": call.id}


def output_item(result: Result, custom: bool = False) -> dict[str, Any]:
    kind = "custom_tool_call_output" if custom else "function_call_output"
    return {"type": kind, "call_id": result.id, "output": result.text}


def items(history: History) -> list[dict[str, Any]]:
    """The items of a history, in the order in which Codex records them."""
    made: list[dict[str, Any]] = []
    custom: set[str] = set()
    for turn in history:
        for part in turn.parts:
            if isinstance(part, Text):
                made.append(message(turn.role, part.text))
            elif isinstance(part, Thinking):
                summary = [{"type": "summary_text", "text": part.text}]
                made.append({"type": "reasoning", "summary": summary, "content": None, "encrypted_content": "gAAA"})
            elif isinstance(part, Call):
                custom |= {part.id} if part.name == CUSTOM else set()
                made.append(call_item(part))
            elif isinstance(part, Result):
                made.append(output_item(part, part.id in custom))
    return made


def envelope(number: int, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": clock(number), "type": kind, "payload": payload}


def event(kind: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "event_msg", {"type": kind, **fields}


def rollout(*entries: tuple[str, dict[str, Any]], **meta: Any) -> bytes:
    """A rollout of (type, payload) lines behind its `session_meta`; paginated ones are numbered."""
    head = {"id": THREAD, "timestamp": clock(0), "cwd": "/w", "originator": "codex_cli_rs", "cli_version": "0.146.0"}
    records = [
        envelope(number, kind, payload)
        for number, (kind, payload) in enumerate([("session_meta", head | meta), *entries])
    ]
    if meta.get("history_mode") == "paginated":
        records = [
            {"timestamp": record.pop("timestamp"), "ordinal": number, **record} for number, record in enumerate(records)
        ]
    return lines(records)


def responses(history_or_items: Sequence[Turn | dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Items as lines."""
    found = [each for each in history_or_items if isinstance(each, dict)]
    history = [each for each in history_or_items if isinstance(each, Turn)]
    return [("response_item", item) for item in found or items(history)]


def codex(history: History) -> bytes:
    """A session as the program leaves it: the context first, and for the screen each message once more."""
    entries = [
        ("response_item", message("user", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>")),
        ("turn_context", {"cwd": "/w", "model": "gpt-5.5", "effort": "high", "summary": "auto"}),
    ]
    for kind, item in responses(history):
        entries.append((kind, item))
        if item["type"] == "message":
            told = "user_message" if item["role"] == "user" else "agent_message"
            entries.append(event(told, message=item["content"][0]["text"]))
        elif item["type"] == "function_call":
            entries.append(event("token_count", info=None))
    return rollout(*entries)


def bare(history: History) -> bytes:
    """A session of the time before envelopes."""
    head = {"id": THREAD, "timestamp": clock(0), "instructions": None, "git": {"branch": "main"}}
    return lines([head, {"record_type": "state"}, *items(history)])


# --- the list that Codex rebuilds


def parsed(data: bytes) -> list[dict[str, Any]]:
    """The lines that parse, as (type, payload); the others are skipped and counted."""
    found = []
    for line in data.split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and isinstance(record.get("payload"), dict) and _parses(record):
            found.append(record)
    return found


def _parses(record: dict[str, Any]) -> bool:
    """Whether an output is a text, or a list of parts that Codex knows."""
    item = record["payload"]
    if record.get("type") != "response_item" or item.get("type") not in OUTPUTS_WITH_PARTS:
        return True
    output = item.get("output")
    parts = output if isinstance(output, list) else []
    known = all(isinstance(part, dict) and part.get("type") in OUTPUT_PARTS for part in parts)
    return isinstance(output, str | list) and known


def texts(item: dict[str, Any]) -> list[str]:
    return [part.get("text", "") for part in item.get("content") or []]


def is_context(item: dict[str, Any]) -> bool:
    return any(text.startswith(CONTEXT) for text in texts(item))


def is_user_turn(item: dict[str, Any]) -> bool:
    if item["type"] == "agent_message":
        return True
    return item["type"] == "message" and item["role"] == "user" and not is_context(item)


def checkpoint(records: list[dict[str, Any]]) -> tuple[list[dict[str, Any]] | None, int]:
    """From the newest line back: the replacement history that survives, and where the replay begins."""
    base: list[dict[str, Any]] | None = None
    start, pending = 0, 0
    segment: dict[str, Any] | None = None

    def finish(done: dict[str, Any]) -> None:
        nonlocal base, pending
        if pending:
            pending -= done["user"]
        elif base is None:
            base = done["base"]

    for index in reversed(range(len(records))):
        kind, payload = records[index]["type"], records[index]["payload"]
        name, turn = payload.get("type") if kind == "event_msg" else kind, payload.get("turn_id")
        if name == "thread_rolled_back":
            pending += payload["num_turns"]
            continue
        if name == "task_started":
            if segment is not None and (segment["turn"] is None or turn is None or segment["turn"] == turn):
                finish(segment)
                segment = None
            continue
        known = ("compacted", "task_complete", "turn_aborted", "user_message", "turn_context", "response_item")
        if name not in known or (name == "turn_aborted" and segment is None and turn is None):
            continue
        segment = segment or {"turn": None, "user": False, "base": None}
        if name in ("task_complete", "turn_aborted", "turn_context") and segment["turn"] is None:
            segment["turn"] = turn
        if name == "compacted" and segment["base"] is None and payload.get("replacement_history") is not None:
            segment["base"], start = payload["replacement_history"], index + 1
        if name == "user_message" or (name == "response_item" and is_user_turn(payload)):
            segment["user"] = True
    if segment is not None:
        finish(segment)
    return base, start


def rebuilt(data: bytes) -> list[dict[str, Any]]:
    """What Codex would have in memory after a resume, before it mends anything."""
    records = parsed(data)
    base, start = checkpoint(records)
    history = list(base or [])
    for record in records[start:]:
        kind, payload = record["type"], record["payload"]
        if kind == "response_item" and payload.get("type") in API_ITEMS:
            history.append(payload)
        elif kind == "compacted" and payload.get("replacement_history") is not None:
            history = list(payload["replacement_history"])
        elif kind == "compacted":
            said = [item for item in history if item["type"] == "message" and is_user_turn(item)]
            history = [*said, message("user", payload["message"] or "(no summary available)")]
        elif payload.get("type") == "thread_rolled_back":
            history = without_turns(history, payload["num_turns"])
    return history


def without_turns(history: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    turns = [at for at, item in enumerate(history) if is_user_turn(item)]
    if not turns or not number:
        return history
    cut = turns[-number] if number < len(turns) else turns[0]
    while cut > turns[0] and is_context(history[cut - 1]):
        cut -= 1
    return history[:cut]


# --- as a history


def part_of(item: dict[str, Any]) -> Part:
    kind = item["type"]
    if kind in OUTPUT_OF:
        value = item.get("arguments", item.get("input", {}))
        return Call(item["call_id"], item.get("name", kind), json.loads(value) if isinstance(value, str) else value)
    if kind in OUTPUT_OF.values():
        output = item.get("output", "")
        return Result(item["call_id"], output if isinstance(output, str) else "".join(map(str, output)))
    if kind == "reasoning":
        return Thinking("".join(each["text"] for each in item.get("summary") or []) or "th")
    return Odd(kind)


def history_of(found: list[dict[str, Any]]) -> History:
    """Items as turns: what the model says in one go, and its outputs in one go."""
    history: History = []
    kinds: dict[str, str] = {}
    for item in found:
        if item["type"] == "message" and is_context(item):
            continue
        if item["type"] in SEARCHES and item.get("call_id") is None:
            continue  # The API ran the search itself, and binds no output by an id.
        if item["type"] == "message":
            role = item["role"]
            parts: tuple[Part, ...] = tuple(Text(text) for text in texts(item))
        else:
            role = "user" if item["type"] in OUTPUT_OF.values() else "assistant"
            parts = (part_of(item),)
            if item["type"] in OUTPUT_OF:
                kinds[item["call_id"]] = OUTPUT_OF[item["type"]]
            elif item["type"] != kinds.get(item.get("call_id", ""), item["type"]):
                parts = (Odd("an output of another kind than its call"),)
        goes_on = history and history[-1].role == role and (role == "assistant" or parts[0].__class__ is Result)
        if goes_on and (role == "assistant" or history[-1].of(Result)):
            history[-1] = Turn(role, history[-1].parts + parts)
        else:
            history.append(Turn(role, parts))
    return history


def in_order(history: History) -> str | None:
    """At a server that wants every output at once."""
    return openai_error(history) or pairing_error(history)


_ITEMS = ("message", "function_call", "custom_tool_call", "reasoning")
FORMAT = WrittenFormat(
    "codex",
    file_writer(FILE, codex),
    lambda path: history_of(rebuilt(path.read_bytes())),
    pairing_error,
    provider="openai-responses",
    in_order=in_order,
    is_message=lambda value: str(value.get("type")).startswith(_ITEMS),
)
