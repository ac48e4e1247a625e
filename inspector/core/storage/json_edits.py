"""Edits of values in a JSON text, by JSON pointer: only the bytes of the named value change.

An inserted value takes over the separators and the indentation of its neighbors.
"""

import re
from collections.abc import Callable
from functools import cache

from inspector.core.lazy import lazy_regex
from inspector.core.storage.json_spans import (
    PointerNotFound,
    array_elements,
    find_member,
    object_members,
    pointer_span,
    skip_space,
)
from inspector.core.storage.json_text import unescape_keys

_LIST_POINTER = lazy_regex(r"((?:/(?!\d+(?:/|\Z))[^/]*)+)/(\d+)((?:/.*)?)\Z", re.DOTALL)


def replace_value(text: bytes, pointer: str, value: bytes) -> bytes:
    """Return `text` with the value at `pointer` replaced."""
    start, end = pointer_span(text, pointer)
    return text[:start] + value + text[end:]


def set_member(text: bytes, pointer: str, key: str, value: bytes) -> bytes:
    """Return `text` with member `key` of the object at `pointer` replaced, or added as the last member."""
    at, end = pointer_span(text, pointer)
    old = find_member(text, at, key)
    if old is not None:
        return text[: old.start] + value + text[old.end :]
    existing = list(object_members(text, at))
    quoted = b'"' + key.encode() + b'"'
    if not existing:
        return text[: at + 1] + quoted + b":" + value + text[end - 1 :]
    last = existing[-1]
    colon = text[last.key_end : last.start]
    gap = _gap(text, at, [(m.key_start, m.end) for m in existing])
    return text[: last.end] + gap + quoted + colon + value + text[last.end :]


def remove_member(text: bytes, pointer: str, key: str) -> bytes:
    """Return `text` without member `key` of the object at `pointer`; unchanged if there is none."""
    at, _ = pointer_span(text, pointer)
    spans = list(object_members(text, at))
    for number in reversed(range(len(spans))):
        if spans[number].key == key:
            text = _cut(text, [(m.key_start, m.end) for m in spans], number)
    return text


def remove_element(text: bytes, pointer: str, index: int) -> bytes:
    """Return `text` without element `index` of the array at `pointer`."""
    array = ArrayEditor(text, pointer)
    array.remove(index)
    return array.text


def insert_element(text: bytes, pointer: str, index: int, value: bytes) -> bytes:
    """Return `text` with `value` inserted before element `index` of the array at `pointer`, or at its end."""
    array = ArrayEditor(text, pointer)
    array.insert(index, value)
    return array.text


class ArrayEditor:
    """An array in a JSON text, split into its elements for many edits. `text` is the whole text with these edits.

    `items` are the elements, which may be replaced. `_gaps` are the bytes before each element and after the last one.
    """

    def __init__(self, text: bytes, pointer: str) -> None:
        at, end = pointer_span(text, pointer)
        spans = list(array_elements(text, at))
        self.items = [text[low:high] for low, high in spans]
        edges = [at + 1, *(edge for span in spans for edge in span), end - 1]
        self._gaps = [text[low:high] for low, high in zip(edges[::2], edges[1::2], strict=True)]
        self._before, self._behind = text[: at + 1], text[end - 1 :]

    @property
    def text(self) -> bytes:
        pairs = zip(self._gaps, self.items, strict=False)
        return b"".join((self._before, *(part for pair in pairs for part in pair), self._gaps[-1], self._behind))

    def remove(self, index: int) -> None:
        """Remove an element and the separator before it; for the first element, the separator after it."""
        del self.items[index]
        if index:
            del self._gaps[index]
        else:
            del self._gaps[1]

    def insert(self, index: int, value: bytes) -> None:
        """Insert a value before element `index`, or at the end if the array is shorter."""
        if not self.items:
            self.items, self._gaps = [value], [b"", b""]
            return
        gap = self._gaps[1] if len(self.items) > 1 else b"," + self._gaps[0]
        self._gaps.insert(min(index, len(self.items) - 1) + 1, gap)
        self.items.insert(index, value)


class JsonEditor:
    """A JSON text for many edits in the elements of its arrays. Such an edit takes the time of its element alone.

    An element is edited by itself; a value outside of all arrays is edited in the whole text. `text` is the result.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._apart: dict[str, tuple[int, int, ArrayEditor]] = {}

    @property
    def text(self) -> bytes:
        parts, done = [], 0
        for start, end, array in sorted(self._apart.values(), key=lambda entry: entry[0]):
            parts += [self._text[done:start], array.text]
            done = end
        return b"".join((*parts, self._text[done:]))

    def array_at(self, pointer: str) -> ArrayEditor | None:
        """Return an editor of the array at `pointer`, None if there is no array."""
        if pointer not in self._apart:
            try:
                start, end = pointer_span(self._text, pointer)
            except PointerNotFound:
                return None
            if self._text[start : start + 1] != b"[":
                return None
            self._apart[pointer] = start, end, ArrayEditor(self._text[start:end], "")
        return self._apart[pointer][2]

    def element(self, pointer: str, number: int) -> bytes:
        """Return an element of the array at `pointer`. Raises PointerNotFound."""
        array = self.array_at(pointer)
        if array is None or number >= len(array.items):
            raise PointerNotFound(f"{pointer}/{number}")
        return array.items[number]

    def edit(self, pointer: str, edited: Callable[[bytes, str], bytes]) -> None:
        """Replace a text by what `edited` returns for the text and a pointer into it. Raises PointerNotFound."""
        holder, number, inner = _split_list_pointer(pointer)
        array = self.array_at(holder) if number is not None else None
        if array is None or number is None:
            self._text, self._apart = edited(self.text, pointer), {}
        else:
            array.items[number] = edited(self.element(holder, number), inner)

    def replace(self, pointer: str, value: bytes) -> None:
        self.edit(pointer, lambda text, at: replace_value(text, at, value))

    def set_member(self, pointer: str, key: str, value: bytes) -> None:
        self.edit(pointer, lambda text, at: set_member(text, at, key, value))

    def remove_member(self, pointer: str, key: str) -> None:
        self.edit(pointer, lambda text, at: remove_member(text, at, key))

    def remove_element(self, pointer: str, index: int) -> None:
        self.element(pointer, index)
        array = self.array_at(pointer)
        if array is not None:
            array.remove(index)


def set_leading_member(text: bytes, key: str, value: bytes) -> bytes:
    """Return `text` with member `key` set. This is fast if it is the first member, as agents write it."""
    match = match_leading_member(text, key)
    if match is None:
        return set_member(text, "", key, value)
    return text[: match.start(1)] + value + text[match.end(1) :]


def match_leading_member(text: bytes, key: str) -> re.Match[bytes] | None:
    """Return a match of member `key` if it is the first member and occurs nowhere else, else None.

    Its value, null or a string without escapes, is group 1.
    """
    quoted, pattern = _leading_member_pattern(key)
    match = pattern.match(text)
    return None if match is None or unescape_keys(text).count(quoted) > 1 else match


def _split_list_pointer(pointer: str) -> tuple[str, int | None, str]:
    """Split a pointer into the pointer of an array, the number of an element, and the pointer inside the element.

    The number is None if the pointer leads through no array.
    """
    match = _LIST_POINTER.match(pointer)
    return (match[1], int(match[2]), match[3]) if match else ("", None, "")


def _gap(text: bytes, at: int, spans: list[tuple[int, int]]) -> bytes:
    """Return the separator of two items: the one between the first two, or a comma and the first one's indentation."""
    if len(spans) > 1:
        return text[spans[0][1] : spans[1][0]]
    return b"," + text[at + 1 : spans[0][0]]


def _cut(text: bytes, spans: list[tuple[int, int]], index: int) -> bytes:
    start, end = spans[index]
    if index:
        return text[: spans[index - 1][1]] + text[end:]
    if len(spans) > 1:
        return text[:start] + text[spans[1][0] :]
    return text[:start] + text[skip_space(text, end) :]


@cache
def _leading_member_pattern(key: str) -> tuple[bytes, re.Pattern[bytes]]:
    """Return the quoted key, and a pattern of a record that begins with this key and a simple value."""
    quoted = b'"%s"' % key.encode()
    return quoted, re.compile(rb'\{%s:(null|"[^"\\]*")[,}]' % re.escape(quoted))
