"""The bytes of a record with every text hidden: what is read of them, in whatever way, tells nothing of the log.

Keys, brackets, the order and what is no JSON at all stay where they are, so that a format reads the record as ever.
"""

import re

import orjson

from inspector.core.showing.hiding.hider import ContentHider, hidden_size
from inspector.core.skeleton.masking import JSON_STRING
from inspector.core.skeleton.vocabulary import is_public_word, program_words

_KEY = re.compile(rb"\s*:")
# Between strings: what is a value, and in a line that is no JSON whatever stands there.
_VALUE = re.compile(rb"[^\s\[\]{}:,](?:[^\[\]{}:,]*[^\s\[\]{}:,])?")
_WORDS = frozenset({b"true", b"false", b"null"})
_JSON_NUMBER = re.compile(rb"-?\d{1,19}(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
# Of what a number may be shown: counts, times and what says how a call ended.
_COUNTED = re.compile(
    r"(?i)token|time|duration|created|updated|count|total|exit|index|seq|version|_ms$|^(?:ts|n|input|output|cached|thoughts)$"
)
# What people and programs say stands under these; elsewhere a word of a format is only that.
_PROSE_KEYS = frozenset("text content thinking output title prompt command query description message".split())
# What stands under these is told apart: the same has the same pseudonym.
_NAMES = re.compile(r"(?i)(?:id|name|key|slug)$")
_KEY_OF_OURS = re.compile(r"[A-Za-z0-9_$.-]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_NESTED = re.compile(r"\s*[\[{]")


def hide_record(raw: bytes, hider: ContentHider) -> bytes:
    """A record, or a part of one, with its texts hidden."""
    parts, at, key = [], 0, ""
    for found in JSON_STRING.finditer(raw):
        parts.append(_between(raw[at : found.start()], key))
        text = _unescaped(found[1])
        at = found.end()
        if _KEY.match(raw, at):
            key = text
            shown = text if _is_ours(text) else hider.name(text)
        else:
            shown = _value(text, key, hider)
        parts.append(orjson.dumps(shown)[: None if found[2] else -1])
    return b"".join([*parts, _between(raw[at:], key)])


def _value(text: str, key: str, hider: ContentHider) -> str:
    if _NESTED.match(text):
        return hide_record(text.encode("utf-8", "surrogatepass"), hider).decode()
    hidden = hider.name(text) if _NAMES.search(key) else hider.text(text)
    return hidden_size(text) if hidden == text and key in _PROSE_KEYS and " " not in text else hidden


def _is_ours(key: str) -> bool:
    """Whether a key is a word of a format, or made of words that we use."""
    if is_public_word(key):
        return True
    return bool(_KEY_OF_OURS.fullmatch(key)) and all(part.lower() in program_words() for part in _PART.findall(key))


def _between(raw: bytes, key: str) -> bytes:
    def hidden(found: re.Match[bytes]) -> bytes:
        value = found[0]
        if value in _WORDS:
            return value
        if _JSON_NUMBER.fullmatch(value):
            return value if _COUNTED.search(key) else b"0"
        return hidden_size(value.decode("utf-8", "replace")).encode()

    return _VALUE.sub(hidden, raw)


def _unescaped(raw: bytes) -> str:
    try:
        text: str = orjson.loads(b'"' + raw + b'"')
    except orjson.JSONDecodeError:
        return raw.decode("utf-8", "replace")
    return text
