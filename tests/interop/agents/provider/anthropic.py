"""Anthropic Messages, as strict as the API: neighbours of one role are read as one message."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.interop.agents.provider.script import Say, fresh
from tests.interop.agents.provider.wire import Body, Wire, first_repeated, refuse_if

SIGNATURE = "c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"
_EMPTY = "all messages must have non-empty content except for the optional final assistant message"
_UNANSWERED = (
    "messages.{0}: `tool_use` ids were found without `tool_result` blocks immediately after: {1}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
_ORPHAN = (
    "messages.{0}: unexpected `tool_use_id` found in `tool_result` blocks: {1}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
_TWICE = "messages.{0}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {1}"
_PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."


def _blocks(message: Body) -> list[Body]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _judge_block(block: Body, role: str, place: str) -> None:
    """What can be said of a block by itself."""
    kind = block["type"]
    refuse_if(kind == "text" and not block["text"], "messages: text content blocks must be non-empty")
    no_words = kind == "text" and not block["text"].strip()
    refuse_if(no_words, "messages: text content blocks must contain non-whitespace text")
    refuse_if(
        kind == "thinking" and block["signature"] != SIGNATURE, f"{place}: Invalid `signature` in `thinking` block"
    )
    if kind == "tool_use":
        refuse_if(role != "assistant", f"{place}: `tool_use` blocks can only be in `assistant` messages")
        legal = re.fullmatch("[a-zA-Z0-9_-]+", block["id"])
        refuse_if(not legal, f"{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        no_object = not isinstance(block["input"], dict)
        refuse_if(no_object, f"{place}.tool_use.input: Input should be a valid dictionary")
    refuse_if(kind == "tool_result" and role != "user", f"{place}: `tool_result` blocks can only be in `user` messages")


def _turns(messages: list[Body]) -> list[tuple[int, str, list[Body]]]:
    """Number of the first message, role, blocks; the system's messages among them are nobody's turn."""
    turns: list[tuple[int, str, list[Body]]] = []
    for number, message in enumerate(messages):
        if message["role"] == "system":
            continue
        if turns and turns[-1][1] == message["role"]:
            turns[-1][2].extend(_blocks(message))
        else:
            turns.append((number, message["role"], [*_blocks(message)]))
    return turns


def _ids(blocks: list[Body], kind: str, field: str) -> list[str]:
    return [block[field] for block in blocks if block["type"] == kind]


def _leading_results(blocks: list[Body]) -> list[str]:
    """The ids of the results that a message begins with."""
    kinds = [block["type"] == "tool_result" for block in blocks]
    return _ids(blocks[: (*kinds, False).index(False)], "tool_result", "tool_use_id")


class Anthropic(Wire):
    name = "anthropic"
    too_long = "prompt is too long: {tokens} tokens > {window} maximum"
    history = "messages"

    def serves(self, path: str) -> bool:
        return path.endswith("/messages")

    def is_turn(self, body: Body) -> bool:
        return any("input_schema" in tool for tool in body.get("tools") or [])  # a server's own search is no turn

    def judge(self, messages: list[Body]) -> None:
        refuse_if(not messages, "messages: at least one message is required")
        for number, message in enumerate(messages):
            blocks = _blocks(message)
            refuse_if(not blocks and message is not messages[-1], f"messages.{number}: {_EMPTY}")
            for at, block in enumerate(blocks):
                _judge_block(block, message["role"], f"messages.{number}.content.{at}")
        turns = _turns(messages)
        refuse_if(turns[0][1] != "user", 'messages: first message must use the "user" role')
        repeated = first_repeated(id_ for _, _, blocks in turns for id_ in _ids(blocks, "tool_use", "id"))
        refuse_if(repeated, "messages: `tool_use` ids must be unique")
        open_calls: list[str] = []
        at = 0
        for number, _, blocks in turns:
            results = _ids(blocks, "tool_result", "tool_use_id")
            missing = [call for call in open_calls if call not in _leading_results(blocks)]
            refuse_if(missing, _UNANSWERED.format(at, ", ".join(missing)))
            orphans = [result for result in results if result not in open_calls]
            refuse_if(orphans, _ORPHAN.format(number, ", ".join(orphans)))
            refuse_if(twice := first_repeated(results), _TWICE.format(number, twice))
            open_calls, at = _ids(blocks, "tool_use", "id"), number
        refuse_if(open_calls, _UNANSWERED.format(at, ", ".join(open_calls)))
        refuse_if(turns[-1][1] == "assistant", _PREFILL)

    def failure(self, text: str) -> Body:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": text}}

    def answer(self, body: Body, say: Say) -> Body:
        content: list[dict[str, Any]] = []
        if say.thinking:
            content.append({"type": "thinking", "thinking": say.thinking, "signature": SIGNATURE})
        if say.text:
            content.append({"type": "text", "text": say.text})
        content += [{"type": "tool_use", "id": call.id, "name": call.tool, "input": call.input} for call in say.calls]
        return {
            "id": fresh("msg_"),
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": content,
            "stop_reason": "tool_use" if say.calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": say.read, "output_tokens": 20},
        }

    def events(self, answer: Body) -> Iterator[Body]:
        yield {"type": "message_start", "message": answer | {"content": [], "stop_reason": None}}
        for index, block in enumerate(answer["content"]):
            empty, deltas = _as_deltas(block)
            yield {"type": "content_block_start", "index": index, "content_block": empty}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        stop = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}}
        yield {"type": "message_stop"}


def _as_deltas(block: Body) -> tuple[Body, list[Body]]:
    """A block as a stream begins it, and what it then adds."""
    if block["type"] == "text":
        return block | {"text": ""}, [{"type": "text_delta", "text": block["text"]}]
    if block["type"] == "thinking":
        return block | {"thinking": "", "signature": ""}, [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
