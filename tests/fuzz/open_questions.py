"""Failures of the trials of which nobody has yet tried who is right: the long run shows them, the short one does not.

What an agent does with a message that no agent writes is known only when its program is run on it; until then the
readers of these tests hand such a message on, and the product takes it for one that the agent passes over.
"""

import re

from tests.formats import FORMATS

# By the beginning of a group's place: what is to be tried.
OPEN = {
    r"(kimi-cli|qwen-code|langchain): turn …: empty or odd content": "a message without content, or of an odd role",
    r"(kimi-cli|kimi-code): mistral-common: ValueError: Unknown message role": "a role that the program does not know",
    r"(kimi-code|claude-code|claude-stream|opencode): shape: no text in": "a block whose text is no text",
    r"(claude-code|cline-sdk|neovate|opencode): the first turn is not the user's": "the first message has another role",
    r"(claude-stream|cline-sdk|neovate): turn …: a call or result … the wrong role": "an unknown role",
    r"(neovate|claude-stream|cline-sdk): turn …: the server's result": "a result of the provider's tool put elsewhere",
    r"(claude-code|langchain|neovate|qwen-code|kimi-cli): turn …: open": "records that name no id, or share one",
    r"opencode: (the end: open|turn …: id … is not unique|turn …: blank text)": "two messages under one id",
    r"gemini-cli: contents…: (other parts stand beside|… function response parts)": "a response in another's call",
    r"gemini-contents: contents…: a response to": "a response under an id that names no call beside it",
    r"gemini-contents: shape: role": "the role tool, which the API's own library writes",
}


def is_open(kind: str, place: str) -> bool:
    """Whether a failure of the property `kind` is one of these."""
    own = (f"{name}: {words}" for name, each in FORMATS.items() for words in each.open_questions)
    return kind == "healthy_is_accepted" and any(re.match(words, place) for words in (*OPEN, *own))
