"""OpenAI Responses: items as the `openai` SDK types them, judged as the API answers in public reports.

The judges are strict where the reports are: one output a call, behind it, and no id twice in the whole input
(openai-agents-python#673, hermes-agent#111443). OpenAI finds an output by its id; other servers want it right behind
the calls of its turn (awesome-deepseek-integration#740 compares the two).
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import WrittenFormat, by_role, file_writer
from tests.support.notation import Call, History, Odd, Part, Result, Text, Thinking, Turn


def items(history: History) -> list[dict[str, Any]]:
    return [item for turn in history for part in turn.parts for item in [_item(turn.role, part)]]


def _item(role: str, part: Part) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"type": "function_call", "id": f"fc_{part.id}", "call_id": part.id, "name": part.name} | {
            "arguments": json.dumps(part.input),
            "status": "completed",
        }
    if isinstance(part, Result):
        return {"type": "function_call_output", "call_id": part.id, "output": part.text}
    if isinstance(part, Thinking):
        return {"type": "reasoning", "id": f"rs_{part.text}", "summary": [], "encrypted_content": "Z0FB"}
    assert isinstance(part, Text)
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": part.text}]}


def render(history: History) -> bytes:
    document = {"model": "gpt-5", "store": False, "input": items(history)}
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def load(path: Path) -> History:
    return folded(json.loads(path.read_bytes())["input"])


def folded(found: list[dict[str, Any]]) -> History:
    """Items of one side that follow one another are one turn."""
    turns: History = []
    for item in found:
        role, part = _part(item)
        if turns and turns[-1].role == role:
            turns[-1] = Turn(role, (*turns[-1].parts, part))
        else:
            turns.append(Turn(role, (part,)))
    return turns


def _part(item: dict[str, Any]) -> tuple[str, Part]:
    match item:
        case {"type": "function_call", "call_id": str(id_), "name": name, "arguments": str(arguments)}:
            return "assistant", Call(id_, name, json.loads(arguments))
        case {"type": "function_call_output", "call_id": str(id_), "output": str(text)}:
            return "user", Result(id_, text)
        case {"type": "reasoning", **more}:
            return "assistant", Thinking((more.get("id") or "").removeprefix("rs_"))
        case {"role": role, "content": [{"text": str(text)}]} | {"role": role, "content": str(text)}:
            return role, Text(text)
    return "user", Odd(str(item))


def error(history: History) -> str | None:
    """What OpenAI answers. Reasoning without an id is bound to no item (vercel/ai#12869, CLIProxyAPI#4285)."""
    if (unpaired := pairing_error(history)) is not None:
        return unpaired
    last = ((number, turn.parts[-1]) for number, turn in enumerate(history))
    ends = [number for number, part in last if isinstance(part, Thinking) and part.text]
    return f"turn {ends[0]}: reasoning was provided without its required following item" if ends else None


def pairing_error(history: History) -> str | None:
    """One output a call, somewhere behind it, and no id twice."""
    seen: set[str] = set()
    open_calls: list[str] = []
    for number, turn in enumerate(history):
        if turn.of(Odd):
            return f"turn {number}: {turn.of(Odd)}"
        for part in turn.parts:
            if isinstance(part, Call):
                if part.id in seen or not 0 < len(part.id) <= 64:
                    return f"Duplicate function_call_output for call_id {part.id}"
                seen.add(part.id)
                open_calls.append(part.id)
            elif isinstance(part, Result):
                if part.id not in open_calls:
                    return f"No tool call found for function call output with call_id {part.id}."
                open_calls.remove(part.id)
    return f"No tool output found for function call {open_calls[0]}." if open_calls else None


def in_order_error(history: History) -> str | None:
    """What a server answers that looks at what comes next."""
    open_calls: list[str] = []
    for number, turn in enumerate(history):
        results = turn.of(Result)
        if sorted(open_calls) != sorted(result.id for result in results):
            return f"No tool output found: open {open_calls}, answered {[result.id for result in results]}"
        if any(not isinstance(part, Result) for part in turn.parts[: len(results)]):
            return f"turn {number}: something stands between a call and its output"
        open_calls = [call.id for call in turn.of(Call)]
    return pairing_error(history)


FORMAT = WrittenFormat(
    "openai-responses",
    file_writer("responses.json", render),
    load,
    error,
    provider="openai-responses",
    in_order=in_order_error,
    is_message=lambda value: "call_id" in value or value.get("type") == "reasoning" or by_role(value),
)
