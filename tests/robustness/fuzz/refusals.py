"""Why a log that is called healthy would be refused, as others judge it: the schemas and validators of the tests."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.core.formats import WRITABLE
from tests.interop.third_party.shapes import SHAPES
from tests.robustness.fuzz.published_requests import PROVIDER_OF_FORMAT, violation
from tests.robustness.fuzz.requests import Unreadable, requests_in
from tests.robustness.fuzz.shapes import WIRES
from tests.robustness.properties.records import Contents
from tests.support.judges import mistral_error
from tests.support.notation import History, Odd, Result, Text

# What is not listened to, by format or provider and by the beginning of what is said, and why.
NOT_ASKED = {
    ("claude-stream", "the first turn is not the user's"): "the stream begins behind the prompt",
    ("crush", "the first turn is not the user's"): "Crush sends a reminder of its own before the history",
    ("gemini", "shape: no text in Result"): "a response is an object, and what stands in it any value",
    ("qwen-code", "shape: no text in Result"): "the same, and its converters write what is no text as JSON",
    ("opencode", "shape: no text in Result"): "`toModelOutput` hands what is neither a text nor an object on as JSON",
    ("openai-chat", ".* other than 'null'"): "the word null is an id like any other, but to Mistral",
    ("openai-chat", ".* Function name was [\\w.-]+ but must be"): "newer models take dots in names, Mistral takes none",
    ("openai-chat", ".* Unexpected role 'system'"): "OpenAI takes a system message anywhere, Mistral does not",
    ("gemini", "pydantic-ai"): "calls without ids are bound by their names, which it does not know",
    ("openai-responses", "pydantic-ai"): "outputs are found by their ids wherever they stand, which it does not know",
}

# Whose histories mistral-common is asked about: it knows chat messages, and results that follow their calls.
_CHAT = ("openai-chat", "kimi-code", "kimi-cli", "langchain", "langgraph", "qwen-code")


def refusal(format_name: str, profile: str, written: str, contents: Contents) -> str | None:
    """What some provider would say against a log of a format; None when none says anything, or none can be asked.

    `profile` is the provider that its session is held to; `written` is the row of WRITABLE that loads it as its agent
    does.
    """
    if format_name in WIRES:
        found = _of_wire(format_name, profile, contents)
    elif written and WRITABLE[written].name == format_name:
        found = _of_history(format_name, written, profile, _loaded(written, contents))
    else:
        return None
    return next((said for said in found if not _is_exempt(said, format_name, profile)), None)


def _is_exempt(said: str, *names: str) -> bool:
    return any(name in names and re.match(words, said) for name, words in NOT_ASKED)


def _of_wire(format_name: str, profile: str, contents: Contents) -> Iterator[str]:
    schema, key = WIRES[format_name]
    (data,) = contents.values()
    try:
        requests = requests_in(data if isinstance(data, bytes) else b"", key)
    except Unreadable:
        return
    for messages in requests:
        for message in messages:
            if wrong := schema(message):
                yield f"shape: {wrong}"
        if wrong := violation(PROVIDER_OF_FORMAT.get(format_name, ""), messages):
            yield wrong
        history = _loaded(format_name, {"log.json": json.dumps({key: messages}).encode()})
        yield from _of_history(format_name, format_name, profile, history)


def _of_history(format_name: str, written: str, profile: str, history: History | None) -> Iterator[str]:
    if history is None or any(turn.of(Odd) for turn in history) or profile != WRITABLE[written].provider:
        return
    if wrong := _misshapen(history):
        yield f"shape: {wrong}"
        return
    if said := WRITABLE[written].judge(history):
        yield said
    if format_name in _CHAT and not _has_foreign_parts(history) and (said := mistral_error(history)):
        yield f"mistral-common: {said}"
    if _refused_by_pydantic_ai(history):
        yield "pydantic-ai: it would repair it"


def _has_foreign_parts(history: History) -> bool:
    """Whether a message of the user or a developer holds more than a chat message says of them."""
    return any(
        not isinstance(part, Text | Result) for turn in history if turn.role != "assistant" for part in turn.parts
    )


def _misshapen(history: History) -> str | None:
    """What is no text where every provider wants one; a reader hands on what it finds."""
    for turn in history:
        for part in turn.parts:
            texts = [getattr(part, name) for name in ("text", "id", "name") if hasattr(part, name)]
            if not all(isinstance(text, str) for text in texts):
                return f"no text in {type(part).__name__}"
    return None


def _loaded(written: str, contents: Contents) -> History | None:
    """The history that the agent loads; None for what its reader in these tests knows nothing of."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        for name, data in contents.items():
            if not isinstance(data, bytes):
                return None
            at = path / name
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_bytes(data)
        try:
            return WRITABLE[written].load(path if len(contents) > 1 else path / next(iter(contents)))
        except Exception:  # the readers of the tests are written for what agents write, and fail at anything else
            return None


def _refused_by_pydantic_ai(history: History) -> bool:
    adapter, repair, refused = _pydantic_ai()
    try:
        messages = adapter.validate_json(json.dumps(SHAPES["pydantic-ai"](history)))
    except refused:
        return False  # the translation of the tests has no word for some part of it
    return bool(repair(messages) != messages)


@cache
def _pydantic_ai() -> tuple[Any, Any, type[Exception]]:
    from pydantic import ValidationError  # noqa: PLC0415 - heavy, and asked about healthy logs alone
    from pydantic_ai.messages import ModelMessagesTypeAdapter, repair_messages  # noqa: PLC0415

    return ModelMessagesTypeAdapter, repair_messages, ValidationError
