"""Whether what is called healthy has the types that the providers' SDKs publish: what is not asked for, and why.

The types come from `published_types`, so that a gap in the tables of the product is no gap here. A log in the messages
of an API is judged as it is; of an agent's log, the messages that `sent` says the agent will send.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from tests.robustness.fuzz.published_types import PROVIDERS, violations

PROVIDER_OF_FORMAT = {
    "anthropic-messages": "anthropic",
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "gemini-contents": "gemini",
}

# What the published types refuse and is not asked for, by provider and by what is said, and why. What is said begins
# with the role of the message.
_NEWER = "a type in an answer may be newer than the tables of the product (rule M12)"
_WORD = "a word with which the API answers may be newer than the SDK"
_OTHER_SERVERS = "servers of other makers take it, and the format is theirs, too"
_SUPPORTED = "the API names it among the supported types of every message (MervinPraison/PraisonAI#3934)"
_OF_PROMPTS = ("input_text", "input_image", "input_file", "input_audio")  # _SUPPORTED holds of them, too
_CODEX = "Codex sends it without (openai/codex, codex-rs/protocol/src/models.rs)"
EXCEPTIONS: tuple[tuple[str, str, str], ...] = (
    ("anthropic", r"assistant AssistantMessage\.content: an object of an unknown type: ['\"].*", _NEWER),
    ("anthropic", r"assistant \w+ToolResultBlock\.content: an object of an unknown type: ['\"].*", _NEWER),
    ("anthropic", r"\w+ \w+\.(error_code|name): a value outside the enumeration", _WORD),
    (
        "openai-chat",
        r"assistant ChatCompletionAssistantMessage\.content: an object of an unknown type: ['\"].*",
        _NEWER,
    ),
    (
        "openai-chat",
        r"\w+ \w+\.content: an object of an unknown type: '(audio(_embeds|_url)?|document(_url)?|file"
        r"|image(_embeds|_pil|_url)?|input_audio|reasoning|redacted_thinking|reference|refusal|think(ing)?|tool_reference|video(_url)?)'",
        _OTHER_SERVERS,
    ),
    ("openai-chat", r"\w+ ChatCompletionContentPartImage\.image_url: string, .*", _OTHER_SERVERS),
    (
        "openai-responses",
        r"(user|system|developer|) \w+\.(content|output): an object of an unknown type: "
        r"'(output_text|refusal|summary_text|input_audio|computer_screenshot|encrypted_content)'",
        _SUPPORTED,
    ),
    ("openai-responses", r"\w* message: an object of an unknown type: (?!'message'$)['\"].*", _NEWER),
    ("openai-responses", r" (ResponseReasoningItem|ResponseFunctionWebSearch|LocalShellCall)\.id: missing", _CODEX),
    # SDKs write what is not set as null, which counts as missing.
    ("openai-responses", r" ResponseReasoningItem\.id: null, .*", _CODEX),
    ("openai-responses", r" ResponseFunctionWebSearch\.(action|status): missing", _CODEX),
    ("openai-responses", r" LocalShellCallAction\.env: .*", _CODEX),
    ("openai-responses", r"\w* ResponseInputImage\.detail: missing", "the API reference gives it a default"),
)

# What an agent converts before it sends it, and `sent` shows as it is stored, by format and by what is said. Cline
# makes each block anew.
CONVERTED = {
    "cline-sdk": r"published types: (ImageBlock\.source: missing|UserMessage\.content: .* unknown type: 'file')",
}


def violation(provider: str, messages: Iterable[Any]) -> str | None:
    """The first message that does not have the published types, None when all have them or the provider has none."""
    if provider not in PROVIDERS:
        return None
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else ""
        role = role if isinstance(role, str) else ""  # of an item of an unknown type nothing is asked
        typed = _with_what_is_not_asked_for(message) if provider == "openai-responses" else message
        for wrong in violations(provider, typed):
            if not is_excepted(provider, f"{role} {wrong}"):
                return f"published types: {wrong}"
    return None


def is_excepted(provider: str, said: str) -> bool:
    return any(name == provider and re.fullmatch(words, said) for name, words, _ in EXCEPTIONS)


def _with_what_is_not_asked_for(item: Any) -> Any:
    """An answer with the members that the SDK requires and Codex leaves out, without parts that only a prompt has."""
    if not isinstance(item, dict) or item.get("role") != "assistant" or not isinstance(item.get("content"), list):
        return item
    parts = [
        {"annotations": []} | part if isinstance(part, dict) and part.get("type") == "output_text" else part
        for part in item["content"]
        if not isinstance(part, dict) or part.get("type") not in _OF_PROMPTS
    ]
    told = {key: value for key, value in item.items() if value is not None}
    return {"type": "message", "id": "msg_0", "status": "completed"} | told | {"content": parts}
