"""Edits inside one JSON text, named by pointer: only the bytes of the named value change.

What is put in takes the look of its neighbours: the separators and the indentation of the array it joins.
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
    """`text` with the value at `pointer` exchanged."""
    start, end = pointer_span(text, pointer)
    return text[:start] + value + text[end:]


def set_member(text: bytes, pointer: str, key: str, value: bytes) -> bytes:
    """`text` with member `key` of the object at `pointer` set: exchanged in place, or added as the last one."""
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
    """`text` without member `key` of the object at `pointer`; unchanged when there is none."""
    at, _ = pointer_span(text, pointer)
    spans = list(object_members(text, at))
    for number in reversed(range(len(spans))):
        if spans[number].key == key:
            text = _cut(text, [(m.key_start, m.end) for m in spans], number)
    return text


def remove_element(text: bytes, pointer: str, index: int) -> bytes:
    """`text` without element `index` of the array at `pointer`."""
    array = ArrayEditor(text, pointer)
    array.remove(index)
    return array.text


def insert_element(text: bytes, pointer: str, index: int, value: bytes) -> bytes:
    """`text` with `value` put before element `index` of the array at `pointer` (at its end when there are fewer)."""
    array = ArrayEditor(text, pointer)
    array.insert(index, value)
    return array.text


class ArrayEditor:
    """The array at `pointer` of a text, taken apart for many edits; `text` is the whole with what became of it.

    `items` are its elements, to be exchanged at will; `_gaps` what stands before each of them and behind the last.
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
        """Remove an element with what separates it from the one before it, or behind it where it is the first."""
        del self.items[index]
        if index:
            del self._gaps[index]
        else:
            del self._gaps[1]

    def insert(self, index: int, value: bytes) -> None:
        """Put a value before element `index`, or at the end when there are fewer."""
        if not self.items:
            self.items, self._gaps = [value], [b"", b""]
            return
        gap = self._gaps[1] if len(self.items) > 1 else b"," + self._gaps[0]
        self._gaps.insert(min(index, len(self.items) - 1) + 1, gap)
        self.items.insert(index, value)


class JsonEditor:
    """A text for many edits in the elements of its own lists, each of which costs its element alone.

    An element is edited by itself; what does not lie in one is edited in the whole. `text` is what became of it.
    """

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._apart: dict[str, tuple[int, int, ArrayEditor]] = {}

    @property
    def text(self) -> bytes:
        parts, done = [], 0
        for start, end, array in sorted(self._apart.values(), key=lambda each: each[0]):
            parts += [self._text[done:start], array.text]
            done = end
        return b"".join((*parts, self._text[done:]))

    def array_at(self, pointer: str) -> ArrayEditor | None:
        """The list that is the member at `pointer` of the text, taken apart; None where it is none."""
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
        """An element of the list at `pointer`. Raises NothingThere."""
        array = self.array_at(pointer)
        if array is None or number >= len(array.items):
            raise PointerNotFound(f"{pointer}/{number}")
        return array.items[number]

    def edit(self, pointer: str, edited: Callable[[bytes, str], bytes]) -> None:
        """Let `edited` make of a text, and of a pointer into it, what is to stand there. Raises NothingThere."""
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


def _split_list_pointer(pointer: str) -> tuple[str, int | None, str]:
    """What a pointer leads through: a list of the text, the number of its element, and the pointer from there on."""
    match = _LIST_POINTER.match(pointer)
    return (match[1], int(match[2]), match[3]) if match else ("", None, "")


def _gap(text: bytes, at: int, spans: list[tuple[int, int]]) -> bytes:
    """What separates two items here: as between the first two, else a comma and the first one's indentation."""
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


def set_leading_member(text: bytes, key: str, value: bytes) -> bytes:
    """`text` with member `key` set: where it stands first, as agents write it, the rest need not be searched for it."""
    first = leading_member(text, key)
    if first is None:
        return set_member(text, "", key, value)
    return text[: first.start(1)] + value + text[first.end(1) :]


def leading_member(text: bytes, key: str) -> re.Match[bytes] | None:
    """Member `key` where it stands first and nowhere else; its value, null or a text without escapes, is group 1."""
    quoted, pattern = _leading_member_pattern(key)
    first = pattern.match(text)
    return None if first is None or unescape_keys(text).count(quoted) > 1 else first


@cache
def _leading_member_pattern(key: str) -> tuple[bytes, re.Pattern[bytes]]:
    """A key as it is quoted, and the beginning of a record in which it stands first, with a text for its value."""
    quoted = b'"%s"' % key.encode()
    return quoted, re.compile(rb'\{%s:(null|"[^"\\]*")[,}]' % re.escape(quoted))
