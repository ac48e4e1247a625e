"""OpenAI Agents SDK: a `RunState`, as far as a history goes; the rest of it is in the samples, which the SDK wrote."""

import json
from pathlib import Path
from typing import Any

from tests.core.formats import openai_responses
from tests.core.formats.written import WrittenFormat, by_role, file_writer
from tests.support.notation import History

_TYPES = {
    "function_call": "tool_call_item",
    "function_call_output": "tool_call_output_item",
    "reasoning": "reasoning_item",
    "message": "message_output_item",
}

Item = dict[str, Any]


def generated(item: Item, kind: str = "") -> Item:
    return {"type": kind or _TYPES[item["type"]], "raw_item": item, "agent": {"name": "agent"}}


def state(given: list[Item] | str, made: list[Item]) -> Item:
    head = {"$schemaVersion": "1.21", "current_turn": 1, "current_agent": {"name": "agent"}, "original_input": given}
    return {**head, "model_responses": [], "max_turns": 10, "generated_items": made, "current_step": None}


def render(history: History) -> bytes:
    """What precedes the newest prompt was given to the run, and the rest was made in it."""
    items = openai_responses.items(history)
    prompts = [place for place, item in enumerate(items) if item.get("role") == "user"]
    begin = prompts[-1] + 1 if prompts else 0
    return json.dumps(state(items[:begin], [generated(item) for item in items[begin:]]), indent=2).encode()


def load(path: Path) -> History:
    read = json.loads(path.read_bytes())
    return openai_responses.folded([*read["original_input"], *(each["raw_item"] for each in read["generated_items"])])


FORMAT = WrittenFormat(
    "openai-agents-state",
    file_writer("state.json", render),
    load,
    openai_responses.error,
    provider="openai-responses",
    written_back=False,
    is_message=lambda value: "call_id" in value or value.get("type") == "reasoning" or by_role(value),
)
