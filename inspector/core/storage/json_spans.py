"""Where the values of a JSON text stand, as byte offsets, without building them.

Editing by offsets is the only way to keep what no edit names: a parser followed by a writer changes numbers,
escapes, spacing and repeated keys.
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
# A value with no more brackets in one another than most records have: it is passed over at once.
_INSIDE = rb'[^"\[\]{}]++|%s' % _QUOTED
for _ in range(5):
    _INSIDE = rb'[^"\[\]{}]++|%s|[\[{](?:%s)*+[\]}]' % (_QUOTED, _INSIDE)
_SHALLOW_VALUE = rb'(?:%s|[\[{](?:%s)*+[\]}]|[^\s,\]}"\[{:]++)' % (_QUOTED, _INSIDE)
# What lies before a bracket, and the bracket. A text cut inside a string has no next one.
_NEXT_BRACKET = lazy_regex(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+[\[\]{}]', re.DOTALL)


class TruncatedJson(ValueError):
    """The text ends, or goes wrong, before the value does."""


class PointerNotFound(KeyError):
    """A pointer names no value of a text. An error of its own: any other KeyError is a fault of the program."""

    def __str__(self) -> str:
        return f"nothing stands at {self.args[0]}"


class JsonMember(Struct, frozen=True):
    """One member of an object: its key and the byte spans of key (with its quotes) and value."""

    key: str
    key_start: int
    key_end: int
    start: int
    end: int


def skip_space(text: bytes, at: int) -> int:
    """The first offset at or after `at` that is no white space."""
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def value_end(text: bytes, at: int) -> int:
    """The offset just after the value that starts at `at`. Raises CutShort."""
    head = text[at : at + 1]
    if head in (b"[", b"{"):
        depth, end, next_bracket = 0, at, _NEXT_BRACKET.match
        while (found := next_bracket(text, end)) is not None:
            end = found.end()
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
    """A text that breaks off, cut back to where an array or object began or ended last, and closed there."""
    end, brackets = _open_brackets(text)
    return text[:end] + brackets


def closing_brackets(text: bytes) -> bytes:
    """The brackets that would close what a torn text leaves open."""
    return _open_brackets(text)[1]


def _open_brackets(text: bytes) -> tuple[int, bytes]:
    """Where the last bracket ends that is no part of a string, and what closes all that is open there."""
    opened, end, next_bracket = bytearray(), 0, _NEXT_BRACKET.match
    while (found := next_bracket(text, end)) is not None:
        bracket = text[found.end() - 1]
        if bracket in b"[{":
            opened.append(bracket + 2)
        elif opened:
            opened.pop()
        else:
            break
        end = found.end()
    return end, bytes(reversed(opened))


def array_elements(text: bytes, at: int) -> Iterator[tuple[int, int]]:
    """The spans of the elements of the array at `at`. Raises CutShort where the text breaks off."""
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
    """The members of the object at `at`, repeated keys included. Raises CutShort where the text breaks off."""
    at = skip_space(text, at + 1)
    while text[at : at + 1] != b"}":
        found = _KEY.match(text, at)
        if found is None:
            raise TruncatedJson(f"the object breaks off at byte {at}")
        end = value_end(text, found.end())
        yield JsonMember(decode_key(found[1]), at, found.end(1) + 1, found.end(), end)
        at = skip_space(text, end)
        if text[at : at + 1] == b",":
            at = skip_space(text, at + 1)
        elif text[at : at + 1] != b"}":
            raise TruncatedJson(f"the object breaks off at byte {at}")


def decode_key(raw: bytes) -> str:
    """A key as it reads, of the bytes between its quotes."""
    if b"\\" in raw:  # as no known program writes it
        with suppress(ValueError):
            return str(json.loads(b'"%s"' % raw))
    return raw.decode("utf-8", "replace")


def find_member(text: bytes, at: int, key: str) -> JsonMember | None:
    """The last member called `key` of the object at `at` (the one that parsers keep), or None."""
    sought = _member_pattern(key).match(text, at) if key.isascii() else None
    if sought is not None:
        found = JsonMember(key, sought.start(1), sought.end(1), sought.start(2), sought.end(2))
        # A key that comes twice is read as its last one, which may be spelled with escapes.
        if text.find(sought[1], found.end) < 0 and text.find(b"\\u00", found.end) < 0:
            return found
    return _last_member(text, at, key)


def _last_member(text: bytes, at: int, key: str) -> JsonMember | None:
    found = None
    for candidate in object_members(text, at):
        if candidate.key == key:
            found = candidate
    return found


@lru_cache(maxsize=64)
def _member_pattern(key: str) -> re.Pattern[bytes]:
    """What a member of this key and the members before it look like where their values are no deeper than most."""
    quoted = re.escape(b'"' + key.encode("utf-8", "replace") + b'"')
    before = rb"(?:(?!%s)%s%s:%s%s%s,%s)*+" % (quoted, _QUOTED, _GAP, _GAP, _SHALLOW_VALUE, _GAP, _GAP)
    ending = rb"(?=%s[,}])" % _GAP
    return re.compile(rb"\{%s%s(%s)%s:%s(%s)%s" % (_GAP, before, quoted, _GAP, _GAP, _SHALLOW_VALUE, ending), re.DOTALL)


def pointer_parts(pointer: str) -> list[str]:
    """The reference tokens of an RFC 6901 pointer."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def pointer_span(text: bytes, pointer: str) -> tuple[int, int]:
    """The span of the value that `pointer` names. Raises NothingThere when there is none, CutShort when torn.

    What was found in the newest texts is remembered: the blocks of one, or of one as it was and as it is now, are asked
    for one after another.
    """
    found = _pointer_cache(text).span(pointer)
    if found is None:
        raise PointerNotFound(pointer)
    return found


def json_at(text: bytes, pointer: str) -> bytes:
    """The JSON that stands at a pointer. Raises what `locate` does."""
    return text[slice(*pointer_span(text, pointer))]


class _PointerCache:
    """The values of one text that were asked for: members by their pointer, the elements of an array by its offset."""

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
                found = find_member(self.text, at, *pointer_parts(f"/{part}"))
                self._spans[pointer] = None if found is None else (found.start, found.end)
            return self._spans[pointer]
        if head == b"[" and part.isdigit():
            if at not in self._elements:
                self._elements[at] = list(array_elements(self.text, at))
            spans = self._elements[at]
            return spans[int(part)] if int(part) < len(spans) else None
        return None


_LONG = 1 << 14
_in_long, _in_short = lru_cache(maxsize=2)(_PointerCache), lru_cache(maxsize=16)(_PointerCache)


def _pointer_cache(text: bytes) -> _PointerCache:
    """Parts of a long text are looked into between two looks at it, and do not push it out."""
    return (_in_long if len(text) > _LONG else _in_short)(text)
