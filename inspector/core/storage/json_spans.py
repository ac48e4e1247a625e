"""The byte offsets of the values in a JSON text, found without building the values.

Only edits by offset keep everything else as it is: a parser followed by a writer changes numbers, escapes, spacing
and repeated keys.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from msgspec import Struct

from inspector.core.lazy import lazy_regex

_SPACE = lazy_regex(rb"[ \t\r\n]*")
_STRING = lazy_regex(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_KEY = lazy_regex(rb'"([^"\\]*(?:\\.[^"\\]*)*)"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_SCALAR = lazy_regex(rb'[^\s,\]}"\[{:]+')
_GAP, _QUOTED = rb"[ \t\r\n]*+", rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# A value nested no deeper than in most records, which one match passes over.
_INSIDE = rb'[^"\[\]{}]++|%s' % _QUOTED
for _ in range(5):
    _INSIDE = rb'[^"\[\]{}]++|%s|[\[{](?:%s)*+[\]}]' % (_QUOTED, _INSIDE)
_SHALLOW_VALUE = rb'(?:%s|[\[{](?:%s)*+[\]}]|[^\s,\]}"\[{:]++)' % (_QUOTED, _INSIDE)
# Everything up to the next bracket, and the bracket. A text cut inside a string has no next bracket.
_NEXT_BRACKET = lazy_regex(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+[\[\]{}]', re.DOTALL)


class TruncatedJson(ValueError):
    """The text ends, or goes wrong, before the value does."""


class PointerNotFound(KeyError):
    """A pointer names no value of a text.

    It has its own class because any other KeyError is a fault of the program.
    """

    def __str__(self) -> str:
        return f"there is nothing at {self.args[0]}"


class JsonMember(Struct, frozen=True):
    """One member of an object: its key and the byte spans of key (with its quotes) and value."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int


def skip_space(text: bytes, at: int) -> int:
    """Return the first offset at or after `at` that is not white space."""
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def value_end(text: bytes, at: int) -> int:
    """Return the offset just after the value that starts at `at`. Raises TruncatedJson."""
    head = text[at : at + 1]
    if head in (b"[", b"{"):
        depth, end, next_bracket = 0, at, _NEXT_BRACKET.match
        while (bracket := next_bracket(text, end)) is not None:
            end = bracket.end()
            if text[end - 1] in b"[{":
                depth += 1
            else:
                depth -= 1
                if not depth:
                    return end
        raise TruncatedJson(f"the value at byte {at} is not closed")
    match = (_STRING if head == b'"' else _SCALAR).match(text, at)
    if match is None:
        raise TruncatedJson(f"no value at byte {at}")
    return match.end()


def close_truncated(text: bytes) -> bytes:
    """Return a truncated text cut after its last bracket and closed there."""
    end, brackets = _open_brackets(text)
    return text[:end] + brackets


def closing_brackets(text: bytes) -> bytes:
    """Return the brackets that close what a truncated text leaves open."""
    return _open_brackets(text)[1]


def _open_brackets(text: bytes) -> tuple[int, bytes]:
    """Return the offset after the last bracket outside of strings, and the brackets that close what is open there."""
    opened, end, next_bracket = bytearray(), 0, _NEXT_BRACKET.match
    while (match := next_bracket(text, end)) is not None:
        bracket = text[match.end() - 1]
        if bracket in b"[{":
            opened.append(bracket + 2)
        elif opened:
            opened.pop()
        else:
            break
        end = match.end()
    return end, bytes(reversed(opened))


def array_elements(text: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the elements of the array at `at`. Raises TruncatedJson where the text breaks off."""
    at = skip_space(text, at + 1)
    while text[at : at + 1] != b"]":
        end = value_end(text, at)
        yield at, end
        at = skip_space(text, end)
        if text[at : at + 1] == b",":
            at = skip_space(text, at + 1)
        elif text[at : at + 1] != b"]":
            raise TruncatedJson(f"the array breaks off at byte {at}")


def object_members(text: bytes, at: int) -> Iterator[JsonMember]:
    """Yield the members of the object at `at`, with repeated keys. Raises TruncatedJson where the text breaks off."""
    at = skip_space(text, at + 1)
    while text[at : at + 1] != b"}":
        key = _KEY.match(text, at)
        if key is None:
            raise TruncatedJson(f"the object breaks off at byte {at}")
        end = value_end(text, key.end())
        yield JsonMember(decode_key(key[1]), at, key.end(1) + 1, key.end(), end)
        at = skip_space(text, end)
        if text[at : at + 1] == b",":
            at = skip_space(text, at + 1)
        elif text[at : at + 1] != b"}":
            raise TruncatedJson(f"the object breaks off at byte {at}")


def decode_key(raw: bytes) -> str:
    """Return the key whose bytes between its quotes are `raw`."""
    if b"\\" in raw:  # no known program writes such a key
        with suppress(ValueError):
            return str(json.loads(b'"%s"' % raw))
    return raw.decode("utf-8", "replace")


def find_member(text: bytes, at: int, key: str) -> JsonMember | None:
    """Return the last member `key` of the object at `at` (the one that parsers keep), None if there is none."""
    match = _member_pattern(key).match(text, at) if key.isascii() else None
    if match is not None:
        member = JsonMember(key, match.start(1), match.end(1), match.start(2), match.end(2))
        # The last of several equal keys counts, and it may be spelled with escapes.
        if text.find(match[1], member.end) < 0 and text.find(b"\\u00", member.end) < 0:
            return member
    return _last_member(text, at, key)


def _last_member(text: bytes, at: int, key: str) -> JsonMember | None:
    last = None
    for member in object_members(text, at):
        if member.key == key:
            last = member
    return last


@lru_cache(maxsize=64)
def _member_pattern(key: str) -> re.Pattern[bytes]:
    """Return a pattern of an object up to its member `key`, for values nested no deeper than in most records."""
    quoted = re.escape(b'"' + key.encode("utf-8", "replace") + b'"')
    before = rb"(?:(?!%s)%s%s:%s%s%s,%s)*+" % (quoted, _QUOTED, _GAP, _GAP, _SHALLOW_VALUE, _GAP, _GAP)
    ending = rb"(?=%s[,}])" % _GAP
    return re.compile(rb"\{%s%s(%s)%s:%s(%s)%s" % (_GAP, before, quoted, _GAP, _GAP, _SHALLOW_VALUE, ending), re.DOTALL)


def pointer_part(key: str) -> str:
    """Return a key as a part of a pointer, with its tildes and slashes escaped (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def pointer_parts(pointer: str) -> list[str]:
    """Return the reference tokens of a JSON pointer (RFC 6901), unescaped."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def pointer_span(text: bytes, pointer: str) -> tuple[int, int]:
    """Return the span of the value that `pointer` names. Raises PointerNotFound, or TruncatedJson if the text is torn.

    Spans in the most recent texts are cached, because the blocks of one record, or of its old and its new text, are
    looked up one after another.
    """
    span = _pointer_cache(text).span(pointer)
    if span is None:
        raise PointerNotFound(pointer)
    return span


def raw_json_at(text: bytes, pointer: str) -> bytes:
    """Return the JSON text of the value at a pointer. Raises the same errors as `pointer_span`."""
    return text[slice(*pointer_span(text, pointer))]


class _PointerCache:
    """The known spans of one text: of members by their pointer, of the elements of an array by its offset."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._spans: dict[str, tuple[int, int] | None] = {}
        self._elements: dict[int, list[tuple[int, int]]] = {}

    def span(self, pointer: str) -> tuple[int, int] | None:
        if not pointer:
            if pointer not in self._spans:
                start = skip_space(self.text, 0)
                self._spans[pointer] = start, value_end(self.text, start)
            return self._spans[pointer]
        holder, _, part = pointer.rpartition("/")
        held = self.span(holder)
        if held is None:
            return None
        at, head = held[0], self.text[held[0] : held[0] + 1]
        if head == b"{":
            if pointer not in self._spans:
                member = find_member(self.text, at, *pointer_parts(f"/{part}"))
                self._spans[pointer] = None if member is None else (member.start, member.end)
            return self._spans[pointer]
        if head == b"[" and part.isdigit():
            if at not in self._elements:
                self._elements[at] = list(array_elements(self.text, at))
            spans = self._elements[at]
            return spans[int(part)] if int(part) < len(spans) else None
        return None


_LONG = 1 << 14
_in_long, _in_short = lru_cache(maxsize=2)(_PointerCache), lru_cache(maxsize=4)(_PointerCache)


def _pointer_cache(text: bytes) -> _PointerCache:
    """Return the cache of a text. Short texts have caches of their own, so that they do not push out a long one."""
    return (_in_long if len(text) > _LONG else _in_short)(text)
