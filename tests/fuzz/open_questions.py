"""Failures of the trials whose cause is known and not yet mended: the long run shows them, the short one does not."""

import re

# By the beginning of a group's place: what is to be mended.
OPEN = {
    r"claude-code: turn …: open": "fragments of one message on both sides of another one: the agent joins them",
    r"gemini-cli: contents…: (other parts stand beside|… function response parts)": "a response in another's call",
}


def is_open(kind: str, place: str) -> bool:
    """Whether a failure of the property `kind` is one of these."""
    return kind == "healthy_is_accepted" and any(re.match(words, place) for words in OPEN)
