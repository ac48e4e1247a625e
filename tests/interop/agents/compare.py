"""Prediction against request: calls and results in their order, whatever the wire, and nothing that is injected anew.

A request holds more than the log: reminders, the environment, the prompt with which it was resumed. They are the
user's texts; of these a request must hold what was predicted, and may hold more.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from inspector.core.providers.placeholders import (
    FILLER_MESSAGES,
    OUR_PLACEHOLDER_TEXT,
    PLACEHOLDER_WORDINGS,
    fill_template,
)

Message = dict[str, Any]
SAID_ANEW = frozenset(text for texts in FILLER_MESSAGES.values() for text in texts)
SHOWN = 160  # characters of an item in a sentence


@dataclass(frozen=True)
class Item:
    """A call, a result, or a text of the model or the user; `content` is the input as sorted JSON, or the text."""

    kind: str
    content: str
    id: str = ""
    name: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, self.id, self.name, repr(self.content[:SHOWN]))))


def items(wire: str, messages: Iterable[Message]) -> list[Item]:
    """All of a request in its order; what programs say of themselves where something is missing is left out."""
    found = (item for message in messages for item in _READERS[wire](message))
    return [item for item in found if item.content.strip() and item.content not in SAID_ANEW]


def difference(wire: str, predicted: list[Message], sent: list[Message]) -> str:
    """The first thing in which they differ, "" for none."""
    expected, found = items(wire, predicted), items(wire, sent)
    for ours, theirs in zip_longest(_without_user(expected), _without_user(found)):
        if ours != theirs:
            return f"predicted was {ours or 'nothing more'}, sent was {theirs or 'nothing more'}"
    users = "\n".join(item.content for item in found if item.kind == "user")
    absent = [item for item in expected if item.kind == "user" and item.content not in users]
    return f"predicted was {absent[0]}, which was not sent" if absent else ""


def _without_user(found: list[Item]) -> list[Item]:
    return [item for item in found if item.kind != "user"]


def unkept(wire: str, sent: list[Message], real: dict[str, str], there: str) -> str:
    """What of a repair's promise a request does not keep, "" for nothing.

    `real` is the result of each call by the words of its command, `there` the results that stood in the broken log:
    each of those must be sent, as the result of its call where that is sent. Any other result is in our words, if it is
    not what the agent had itself written into the log, or what it sends instead of that.
    """
    found = items(wire, sent)
    answers = {item.id: item.content for item in found if item.kind == "result"}
    everything = "\n".join(item.content for item in found)
    for word, result in real.items():
        if result in there and result not in everything:
            return f"the result {result!r} was in the log, and is not sent"
        for call in found:
            if call.kind == "call" and word in call.content and result not in (answer := answers.get(call.id, "")):
                if result in there:
                    return f"the call to say {word} is answered with {answer[:SHOWN]!r}"
                if fill_template(OUR_PLACEHOLDER_TEXT, call.name, call.id) not in answer and not _stood(answer, there):
                    return f"the placeholder for {word} is not in our words: {answer[:SHOWN]!r}"
    return ""


def _stood(answer: str, there: str) -> bool:
    """Whether a result stood in the log, or is a placeholder that its agent sends in the place of one that stood."""
    written = [
        PLACEHOLDER_WORDINGS[f"{name}-resume"].text
        for name, wording in PLACEHOLDER_WORDINGS.items()
        if wording.text == answer and f"{name}-resume" in PLACEHOLDER_WORDINGS
    ]
    return bool(answer) and any(json.dumps(text)[1:-1] in there for text in (answer, *written))


def plain(content: Any) -> str:
    """The text of a content, in whichever way it is cut into parts."""
    if isinstance(content, list):
        return "\n".join(plain(part) for part in content)
    if isinstance(content, dict):
        return str(content["text"]) if "text" in content else json.dumps(content, sort_keys=True)
    return str(content or "")


def _sorted(value: Any) -> str:
    """An input as JSON of one spelling; a text that is none stands as it is."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
    return json.dumps(value, sort_keys=True)


def _anthropic(message: Message) -> Iterator[Item]:
    content = message["content"]
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if block["type"] == "tool_use":
            yield Item("call", _sorted(block["input"]), block["id"], block["name"])
        elif block["type"] == "tool_result":
            yield Item("result", plain(block.get("content")), block["tool_use_id"])
        elif block["type"] == "text" and message["role"] != "system":
            yield Item(message["role"], block["text"])


def _openai_chat(message: Message) -> Iterator[Item]:
    role, text = message["role"], plain(message.get("content"))
    if role == "tool":
        yield Item("result", text, message["tool_call_id"])
    elif role in ("user", "assistant"):
        yield Item(str(role), text)
    for call in message.get("tool_calls") or []:
        yield Item("call", _sorted(call["function"]["arguments"]), call["id"], call["function"]["name"])


def _openai_responses(item: Message) -> Iterator[Item]:
    kind = item.get("type", "message")
    if kind == "message" and item["role"] in ("user", "assistant"):
        yield Item(item["role"], plain(item["content"]))
    elif kind.endswith("_call"):
        yield Item("call", _sorted(item.get("arguments", item.get("input"))), item["call_id"], item.get("name") or kind)
    elif kind.endswith("_output"):
        yield Item("result", plain(item["output"]), item["call_id"])


def _gemini(content: Message) -> Iterator[Item]:
    for part in content["parts"]:
        if "functionCall" in part:
            call = part["functionCall"]
            yield Item("call", _sorted(call.get("args")), call.get("id", ""), call.get("name", ""))
        elif "functionResponse" in part:
            answer = part["functionResponse"]
            said = answer["response"]
            yield Item("result", plain(said.get("output", said.get("error", said))), answer.get("id", ""))
        elif "text" in part and not part.get("thought"):
            yield Item("assistant" if content.get("role") == "model" else "user", part["text"])


_READERS: dict[str, Callable[[Message], Iterator[Item]]] = {
    "anthropic": _anthropic,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "gemini": _gemini,
}
