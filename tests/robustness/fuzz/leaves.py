"""The texts of a log and whether they are still somewhere: a walk over the JSON that knows no format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from tests.core.formats import FORMATS
from tests.robustness.fuzz.mutations.spelling import SIGNS
from tests.robustness.fuzz.mutations.values import WORDS, misspelt
from tests.robustness.fuzz.published_types import enumerated_words
from tests.robustness.fuzz.requests import Unreadable, unpacked
from tests.robustness.fuzz.tree import inner
from tests.robustness.properties.records import Contents

SHORT = 6  # characters: what is shorter is found anywhere by chance

# Keys whose texts say nothing by themselves, and why one may go without being told as a loss.
_USUAL = frozenset(
    """
    id uuid parentUuid parentID parentId parent_id
    messageId messageID sessionID sessionId session_id message_id requestId promptId slug
    logicalParentUuid sourceToolAssistantUUID leafUuid prompt_id item_id turn_id toolCallId tool_call_id call_id callId
    callID tool_use_id toolUseId tool_id
    firstKeptEntryId targetId fromId stepUuid turnId
    timestamp ts time created updated created_at updated_at time_created time_updated
    type role kind status state version model modelId cwd gitBranch userType subtype phase provenance
    stop_reason finish_reason terminal_reason stopReason finishReason
    name displayName toolName tool_name tool format protocol_version provider providerID modelID model_provider
    originator source service_tier approvalMode
    cli_version
    signature thinkingSignature thoughtSignature thought_signature encrypted_content
    """.split()
)
BOOKKEEPING = _USUAL.union(*(each.bookkeeping for each in FORMATS.values()))
_RUN_TOGETHER = frozenset(key.replace("_", "") for key in BOOKKEEPING)
_MISSPELT = BOOKKEEPING.union(*map(misspelt, BOOKKEEPING))

# Why an answer ended, in the words of the APIs, and the words of their enumerations. A cut may join half the key of
# such a word with another.
_WORDS = frozenset(
    {
        *WORDS,
        *enumerated_words(),
        *"tool_calls function_call tool_use end_turn toolUse tool-calls max_tokens stop_sequence".split(),
    }
)

_SAYING = frozenset({"text", "content", "output", "thinking", "result"})
_NAME = re.compile(r"[a-z]+(_[a-z]+)+")
_STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?', re.S)
_HOLDS_JSON = re.compile(r'\{\s*"|\[[\s\[]*["{]')
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))
_NO_LETTERS = re.compile(r"[^A-Za-z_]+")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\([\"\\/bfnrt])")
_ID = re.compile(r"(call|toolu)_\w+")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.,]+(Z|[+-][\d:]+)?")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def texts_of(contents: Contents) -> Iterator[str]:
    """Every text in the records of a log that says something; what is an id or a name anywhere is one everywhere."""
    found = [leaf for data in _files(contents) for value in _values(data) for leaf in leaves(value)]
    names = {text for key, text in found if _is_bookkeeping(key)}
    yield from (text for key, text in found if text not in names and _says_something(key, text))


def _is_bookkeeping(key: str) -> bool:
    """Whether it is such a key, or one that a mutation misspelt, cut, put a sign behind, or a token into."""
    return (
        bool({key, _NO_LETTERS.sub("", key)} & _MISSPELT)
        or key.replace("_", "") in _RUN_TOGETHER
        or key.endswith(("_id", "Id", "ID", "_name", "_version"))
        or any(key.endswith(sign) and key.removesuffix(sign) in BOOKKEEPING for sign in SIGNS)
    )


def _says_something(key: str, text: str) -> bool:
    """A time, the id of a call and a word of an API's say nothing under any key: a mutation gives keys other names.

    Nor does a sign that a mutation puts into a short text, or what looks like the name of a tool.
    """
    if text in _WORDS or _TIME.fullmatch(text) or _ID.fullmatch(text) or (key not in _SAYING and _NAME.fullmatch(text)):
        return False
    return len(plain(_SIGN.sub("", unescaped(text)))) >= SHORT


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value with the nearest key above it; JSON in a text counts as what it holds.

    What a mutation makes an object of, `{"value": ...}`, stands under the key that it stood under.
    """
    waiting = [(key, value)]
    while waiting:
        key, each = waiting.pop()
        if isinstance(each, dict):
            waiting += ((key if list(each) == ["value"] else inside, x) for inside, x in each.items())
        elif isinstance(each, list):
            waiting += ((key, x) for x in each)
        elif isinstance(each, str):
            held = _held_in(each)
            if held is None and key.endswith("_json"):
                held = _json(each)  # of a column: it need not hold a text
            if held is None:
                yield key, each
            else:
                waiting.append((key, held))


def everything_in(texts: Iterable[str]) -> str:
    """One text in which all that stands in these can be found, however often it is quoted."""
    found: list[str] = []
    for text in texts:
        found += (text, *_unquoted(text))
        for value in _values(text.encode("utf-8", "surrogateescape")):
            found += (each for _, each in leaves(value))
            found += (key for each in [value, *inner(value)] if isinstance(each, dict) for key in each)
    return plain("\x01".join(found))


def _unquoted(text: str) -> Iterator[str]:
    """What a text says when its escapes are read, once and again: a quote may hold a quote."""
    while (said := unescaped(text)) != text:
        yield said
        text = said


def all_bytes(contents: Contents) -> list[str]:
    return [data.decode("utf-8", "surrogateescape") for data in _files(contents)]


def plain(text: str) -> str:
    """Without what a repair may write otherwise: white space, halves of surrogate pairs, bytes that are no UTF-8."""
    return " ".join(re.sub("[\ud800-\udfff\ufffd]+", "\ufffd", text).split())


def unescaped(text: str) -> str:
    def value(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _PLAIN.get(match[2], match[2])

    return _ESCAPES.sub(value, text)


def _files(contents: Contents) -> Iterator[bytes]:
    for content in contents.values():
        if isinstance(content, bytes):
            try:
                yield unpacked(content)
            except Unreadable:
                yield content
        else:
            yield from (row.encode("utf-8", "surrogateescape") for row in content)


def _values(data: bytes) -> Iterator[Any]:
    """The value of a document or those of its lines; what is no JSON is left out, and a line that is a key alone."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    value = _json(text)
    if value is not None:
        yield value
        return
    yield from (value for line in text.split("\n") if isinstance(value := _json(line), dict | list))


def _held_in(text: str) -> list[Any] | dict[str, Any] | None:
    """The value of a text that is JSON; of one that was to be, and is damaged, the texts in it."""
    text = text.removeprefix("\ufeff")
    value = _json(text) if text[:1] in ('"', "{", "[") else None
    if isinstance(value, str):
        return [value]
    if not _HOLDS_JSON.match(text):
        return None
    return (
        value
        if isinstance(value, dict | list)
        else [unescaped(each) for each, key in _STRINGS.findall(text) if not key]
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
