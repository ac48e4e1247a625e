"""Messages that are spelled plainly, as nearly all are, for a quick check of every API.

The reader of an API knows few members and few kinds of blocks, and returns None for everything else. None does not mean
that something is wrong, only that the rules have to check.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import orjson

# The id and the name of a call, or of the call that a result answers ("" if the API does not say it). They are taken
# from the message as they are, whatever their type.
IdAndName: TypeAlias = tuple[Any, Any]
# A block: "text", "call" or "result", and the call that it is or answers.
PlainBlock: TypeAlias = tuple[str, IdAndName | None]


class PlainMessage(NamedTuple):
    """One message: its role (user, assistant, tool, system), its calls and results, and whether it has a text.

    Results come before everything else in the message, calls after it.
    """

    role: str
    calls: list[IdAndName]
    results: list[IdAndName]
    has_text: bool


MessageReader: TypeAlias = Callable[[Any], PlainMessage | None]

TEXT_KEYS = {"type", "text", "cache_control"}


def read_blocks(role: str, blocks: Any, read_block: Callable[[Any], PlainBlock | None]) -> PlainMessage | None:
    """Read a message that is a list of blocks: results of the user first, then texts, then calls of the assistant."""
    calls: list[IdAndName] = []
    results: list[IdAndName] = []
    speaks = False
    for block in blocks if type(blocks) is list else ():
        plain = read_block(block)
        if plain is None:
            return None
        kind, value = plain
        if value is None:
            if calls:
                return None
            speaks = True
        elif kind == "call" and role == "assistant":
            calls.append(value)
        elif kind == "result" and role == "user" and not speaks:
            results.append(value)
        else:
            return None
    return PlainMessage(role, calls, results, speaks) if blocks and type(blocks) is list else None


def is_words(text: Any) -> bool:
    """Return whether a value is a text that is not blank."""
    return type(text) is str and bool(text) and not text.isspace()


def is_texts(content: Any, kind: str = "text", known: set[str] = TEXT_KEYS) -> bool:
    """Return whether a content is a text, or a list of text blocks, none of which is blank."""
    if type(content) is not list:
        return is_words(content)
    for block in content:
        if type(block) is not dict or not block.keys() <= known or block.get("type") != kind:
            return False
        if not is_words(block.get("text")):
            return False
    return bool(content)


def is_plain_result(content: Any) -> bool:
    """Return whether the content of a result is any text, or a list of text blocks."""
    return type(content) is str or is_texts(content)


def is_object_text(text: Any) -> bool:
    """Return whether a value is a text with a JSON object."""
    if type(text) is not str or text[:1] != "{":
        return False
    try:
        return type(orjson.loads(text)) is dict
    except ValueError:
        return False
