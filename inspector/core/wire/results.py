"""The content of a result in every wire's spelling: where it stands in the result's JSON, and what may stand there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector.core.bytes.json_text import text_of, value_of
from inspector.core.bytes.spans import CutShort, locate, members, skip_space


def _string(text: str) -> Any:
    return text


def _texts(text: str) -> Any:
    return [{"type": "text", "text": text}]


def _untyped(text: str) -> Any:
    return [{"text": text}]


def _response(text: str) -> Any:
    return {"output": text}


# From the most telling place to the least: the first that a result has is where its content stands.
_PLACES: tuple[tuple[str, Callable[[str], Any]], ...] = (
    ("/toolResult/content", _untyped),  # Bedrock Converse
    ("/functionResponse/response", _response),  # Gemini
    ("/function_response/response", _response),
    ("/event/result/output", _string),  # Kimi Code, an event
    ("/message/content", _texts),  # and a message
    ("/result/llmContent", _string),  # Neovate
    ("/data/content", _string),  # LangChain, as it dumps messages
    ("/kwargs/content", _string),
    ("/output", _string),  # OpenAI Responses, Codex, the state of a part of opencode
    ("/content", _string),  # Anthropic, OpenAI Chat, LangChain's flat messages
)


def content_of(block: bytes) -> bytes | None:
    """The JSON of a result's content, None where there is none of a known spelling."""
    found = _content(block)
    return None if found is None else block[found[1] : found[2]]


def cleared(block: bytes, text: str) -> bytes | None:
    """A result with `text` in the place of its content: its id, its flags and what else it says stay.

    None where its content is of a kind that no text can stand for (the screen picture of a computer call).
    """
    found = _content(block)
    if found is None:
        return None
    spelled, start, end = found
    if not _may_be_text(value_of(block[start:end])):
        return None
    return block[:start] + text_of(spelled(text)) + block[end:]


def _content(block: bytes) -> tuple[Callable[[str], Any], int, int] | None:
    try:
        outer = {member.key for member in members(block, skip_space(block, 0))}
    except CutShort:
        return None
    for pointer, spelled in _PLACES:
        if pointer.split("/", 2)[1] in outer:
            try:
                return spelled, *locate(block, pointer)
            except (KeyError, CutShort):
                continue
    return None


def _may_be_text(content: Any) -> bool:
    if isinstance(content, dict):
        return "image_url" not in content and "type" not in content
    if isinstance(content, list):
        return all(isinstance(part, dict) and "stdout" not in part for part in content)
    return isinstance(content, str)
