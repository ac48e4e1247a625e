"""OpenAI Responses, as strict as the API: one output a call, anywhere behind it; reasoning before what it led to."""

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.interop.agents.provider.script import Say, fresh
from tests.interop.agents.provider.wire import Body, Wire, refuse_if

# Which output answers which call.
OUTPUTS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "tool_search_call": "tool_search_output",
}
_NOT_FOLLOWED = "Item '{}' of type 'reasoning' was provided without its required following item."
USAGE = {
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 0},
}


def _follows_reasoning(item: Body) -> bool:
    if item.get("type", "message") == "message":
        return bool(item["role"] == "assistant")
    return item["type"] not in OUTPUTS.values()


def _words(kind: str) -> str:
    return kind.replace("_", " ")


class OpenAIResponses(Wire):
    name = "openai-responses"
    too_long = "Your input exceeds the context window of this model. Please adjust your input and try again."
    history = "input"

    def serves(self, path: str) -> bool:
        return path.endswith("/responses")

    def judge(self, messages: list[Body]) -> None:
        calls: dict[str, str] = {}
        answered: set[str] = set()
        for item, follower in zip(messages, [*messages[1:], None], strict=True):
            kind, id_ = item.get("type", "message"), item.get("call_id", "")
            if kind in OUTPUTS:
                refuse_if(id_ in calls, f"Duplicate {kind} for call_id {id_}")
                calls[id_] = kind
            elif kind in OUTPUTS.values():
                fits = OUTPUTS.get(calls.get(id_, "")) == kind
                refuse_if(not fits, f"No tool call found for {_words(kind)} with call_id {id_}.")
                refuse_if(id_ in answered, f"Duplicate {kind} for call_id {id_}")
                answered.add(id_)
            elif kind == "reasoning":
                followed = follower is not None and _follows_reasoning(follower)
                refuse_if(not followed, _NOT_FOLLOWED.format(item.get("id")))
        for id_, kind in calls.items():
            refuse_if(id_ not in answered, f"No tool output found for {_words(kind)} {id_}.")

    def failure(self, text: str) -> Body:
        return {"error": {"message": text, "type": "invalid_request_error", "param": "input", "code": None}}

    def answer(self, body: Body, say: Say) -> Body:
        items: list[dict[str, Any]] = []
        if say.thinking:
            summary = [{"type": "summary_text", "text": say.thinking}]
            items.append(
                {"type": "reasoning", "id": fresh("rs_"), "summary": summary, "encrypted_content": fresh("sealed")}
            )
        if say.text:
            content = [{"type": "output_text", "text": say.text, "annotations": []}]
            items.append(
                {"type": "message", "id": fresh("msg_"), "role": "assistant", "status": "completed", "content": content}
            )
        items += [
            {
                "type": "function_call",
                "id": fresh("fc_"),
                "call_id": call.id,
                "name": call.tool,
                "arguments": json.dumps(call.input),
                "status": "completed",
            }
            for call in say.calls
        ]
        return {
            "id": fresh("resp_"),
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "model": body.get("model"),
            "output": items,
            "usage": USAGE | {"input_tokens": say.read, "total_tokens": say.read + 20},
        }

    def events(self, answer: Body) -> Iterator[Body]:
        yield {"type": "response.created", "response": answer | {"status": "in_progress", "output": []}}
        for index, item in enumerate(answer["output"]):
            yield {"type": "response.output_item.added", "output_index": index, "item": item}
            if item["type"] == "message":
                delta = {"item_id": item["id"], "content_index": 0, "delta": item["content"][0]["text"]}
                yield {"type": "response.output_text.delta", "output_index": index, **delta}
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield {"type": "response.completed", "response": answer}
