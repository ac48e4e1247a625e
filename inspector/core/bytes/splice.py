"""Edits inside one JSON text, named by pointer: only the bytes of the named value change.

What is put in takes the look of its neighbours: the separators and the indentation of the array it joins.
"""

from inspector.core.bytes.spans import elements, locate, members, skip_space


def replace(text: bytes, pointer: str, value: bytes) -> bytes:
    """`text` with the value at `pointer` exchanged."""
    start, end = locate(text, pointer)
    return text[:start] + value + text[end:]


def set_member(text: bytes, pointer: str, key: str, value: bytes) -> bytes:
    """`text` with member `key` of the object at `pointer` set: exchanged in place, or added as the last one."""
    at, end = locate(text, pointer)
    existing = list(members(text, at))
    for old in reversed(existing):
        if old.key == key:
            return text[: old.start] + value + text[old.end :]
    quoted = b'"' + key.encode() + b'"'
    if not existing:
        return text[: at + 1] + quoted + b":" + value + text[end - 1 :]
    last = existing[-1]
    colon = text[last.key_end : last.start]
    gap = _gap(text, at, [(m.key_start, m.end) for m in existing])
    return text[: last.end] + gap + quoted + colon + value + text[last.end :]


def remove_member(text: bytes, pointer: str, key: str) -> bytes:
    """`text` without member `key` of the object at `pointer`; unchanged when there is none."""
    at, _ = locate(text, pointer)
    spans = list(members(text, at))
    for number in reversed(range(len(spans))):
        if spans[number].key == key:
            text = _cut(text, [(m.key_start, m.end) for m in spans], number)
    return text


def remove_element(text: bytes, pointer: str, index: int) -> bytes:
    """`text` without element `index` of the array at `pointer`."""
    array = Array(text, pointer)
    array.remove(index)
    return array.text


def insert_element(text: bytes, pointer: str, index: int, value: bytes) -> bytes:
    """`text` with `value` put before element `index` of the array at `pointer` (at its end when there are fewer)."""
    array = Array(text, pointer)
    array.insert(index, value)
    return array.text


class Array:
    """The array at `pointer` of a text, taken apart for many edits; `text` is the whole with what became of it.

    `items` are its elements, to be exchanged at will; `_gaps` what stands before each of them and behind the last.
    """

    def __init__(self, text: bytes, pointer: str) -> None:
        at, end = locate(text, pointer)
        spans = list(elements(text, at))
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
