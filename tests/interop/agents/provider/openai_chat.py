"""OpenAI Chat Completions, as strict as the API: tool messages follow their assistant message at once."""

import json
import time
from collections.abc import Iterator
from typing import Any

from tests.interop.agents.provider.script import Say, fresh
from tests.interop.agents.provider.wire import Body, Wire, first_repeated, refuse_if

_UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)
_ORPHAN = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. "
    "(param messages.[{}].role)"
)
_TWICE = "Invalid parameter: Duplicate value for 'tool_call_id' of '{}', in messages[{}]."
_EMPTY_CALLS = "Invalid 'messages[{}].tool_calls': empty array. Expected an array with minimum length 1."
_NO_TEXT = "Invalid type for 'messages[{}].tool_calls[0].function.arguments': expected a string."
_NULL = "Invalid value for 'content': expected a string, got null. (messages.[{}].content)"


def _judge_assistant(message: Body, number: int) -> list[str]:
    """The ids of its calls."""
    calls = message.get("tool_calls")
    refuse_if(calls == [], _EMPTY_CALLS.format(number))
    refuse_if(not calls and message.get("content") is None, _NULL.format(number))
    texts = [isinstance(call["function"].get("arguments"), str) for call in calls or []]
    refuse_if(not all(texts), _NO_TEXT.format(number))
    ids = [call["id"] for call in calls or []]
    refuse_if(repeated := first_repeated(ids), f"Duplicate value for 'tool_calls.id' of '{repeated}'.")
    return ids


class OpenAIChat(Wire):
    name = "openai-chat"
    too_long = (
        "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. "
        "Please reduce the length of the messages."
    )
    history = "messages"

    def serves(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def judge(self, messages: list[Body]) -> None:
        due: list[str] = []
        answered: list[str] = []
        for number, message in enumerate(messages):
            if message["role"] == "tool":
                id_ = message["tool_call_id"]
                refuse_if(id_ in answered, _TWICE.format(id_, number))
                refuse_if(id_ not in due, _ORPHAN.format(number))
                due.remove(id_)
                answered.append(id_)
                continue
            refuse_if(due, _UNANSWERED + ", ".join(due))
            answered = []
            due = _judge_assistant(message, number) if message["role"] == "assistant" else []
        refuse_if(due, _UNANSWERED + ", ".join(due))

    def failure(self, text: str) -> Body:
        return {"error": {"message": text, "type": "invalid_request_error", "param": "messages", "code": None}}

    def answer(self, body: Body, say: Say) -> Body:
        message: dict[str, Any] = {"role": "assistant", "content": say.text}
        if say.thinking:
            message["reasoning_content"] = say.thinking
        if say.calls:
            message["tool_calls"] = [
                {
                    "index": index,
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.tool, "arguments": json.dumps(call.input)},
                }
                for index, call in enumerate(say.calls)
            ]
        return {
            "id": fresh("chatcmpl-"),
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if say.calls else "stop"}],
            "usage": {"prompt_tokens": say.read, "completion_tokens": 20, "total_tokens": say.read + 20},
        }

    def events(self, answer: Body) -> Iterator[Body | str]:
        (choice,) = answer["choices"]
        chunk = answer | {"object": "chat.completion.chunk"}
        usage = chunk.pop("usage")
        yield chunk | {"choices": [{"index": 0, "delta": choice["message"], "finish_reason": None}]}
        yield chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
        yield chunk | {"choices": [], "usage": usage}
        yield "[DONE]"
