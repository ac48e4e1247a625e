"""One JSON document, or JSON values line by line, whose arrays of messages hold the records.

Finds the arrays in the shapes that people keep conversations in: a bare list, a request body, a list of conversations,
benchmark runs (`traj` of tau-bench, `simulations[].messages` of tau2), a conversation a line.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from inspector.core.columns import Columns
from inspector.core.layout import Cut, RecordEdits, Sequence, Splice
from inspector.core.source import Source
from inspector.core.spans import CutShort, skip_space, value_end

LISTS = ("messages", "traj")
RUNS = "simulations"


class MessageArray(Struct):
    """An array of messages: offset of its `[`, spans of its whole elements, span of the object around it if any."""

    at: int
    spans: list[tuple[int, int]]
    context: tuple[int, int] | None = None


class Arrays(Struct):
    """All arrays of messages of a text, and where it is cut if it is. `last` is the end of the last whole thing."""

    found: list[MessageArray]
    cut: Cut | None = None


def message_arrays(text: bytes, at: int = 0) -> Arrays:
    """The arrays of messages of the value at `at`; what is whole of them when the text is cut."""
    walk = _Walk(text)
    try:
        end = walk.value(skip_space(text, at), None)
    except CutShort:
        return Arrays(walk.found, Cut(walk.whole, walk.closers()))
    if text[end:].strip():
        return Arrays(walk.found, Cut(end, b""))
    return Arrays(walk.found)


class _Walk:
    """One pass that remembers how far the text is whole, and which brackets are open there."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.found: list[MessageArray] = []
        self.open: list[bytes] = []
        self.whole = 0
        self.whole_open: tuple[bytes, ...] = ()

    def closers(self) -> bytes:
        return b"".join(reversed(self.whole_open))

    def mark(self, at: int) -> None:
        self.whole, self.whole_open = at, tuple(self.open)

    def value(self, at: int, context: int | None) -> int:
        head = self.text[at : at + 1]
        if head == b"[":
            return self.array(at, context)
        return self.object(at)

    def array(self, at: int, context: int | None) -> int:
        """An array of messages, or of conversations; the offset after it. Every byte is looked at once."""
        first = skip_space(self.text, at + 1)
        self.open.append(b"]")
        self.mark(at + 1)
        if self.text[first : first + 1] == b"{" and self._is_conversation(first):
            end = self._each(at, self.object)
        else:
            array = MessageArray(at, [])
            if context is not None:
                array.context = (context, len(self.text))
            self.found.append(array)
            end = self._each(at, lambda start: self._message(array, start))
        self.open.pop()
        return end

    def _message(self, array: MessageArray, start: int) -> int:
        end = value_end(self.text, start)
        array.spans.append((start, end))
        self.mark(end)
        return end

    def object(self, at: int) -> int:
        """A conversation, or what holds some; the offset after it."""
        if self.text[at : at + 1] != b"{":
            return value_end(self.text, at)
        self.open.append(b"}")
        known = len(self.found)
        at_key = skip_space(self.text, at + 1)
        while self.text[at_key : at_key + 1] != b"}":
            key, start = _key_at(self.text, at_key)
            after = skip_space(self.text, self._member(key, start, at))
            at_key = skip_space(self.text, after + 1) if self.text[after : after + 1] == b"," else after
        self.open.pop()
        for array in self.found[known:]:
            if array.context is not None and array.context[0] == at:
                array.context = (at, at_key + 1)
        self.mark(at_key + 1)
        return at_key + 1

    def _member(self, key: str, start: int, owner: int) -> int:
        is_array = self.text[start : start + 1] == b"["
        if is_array and key in LISTS:
            return self.array(start, owner)
        if is_array and key == RUNS:
            self.open.append(b"]")
            end = self._each(start, self.object)
            self.open.pop()
            return end
        return value_end(self.text, start)

    def _each(self, at: int, visit: Callable[[int], int]) -> int:
        """Visit the elements of the array at `at`, which `visit` measures; the offset after the array."""
        at = skip_space(self.text, at + 1)
        while self.text[at : at + 1] != b"]":
            at = skip_space(self.text, visit(at))
            if self.text[at : at + 1] == b",":
                at = skip_space(self.text, at + 1)
                if self.text[at : at + 1] == b"]":
                    raise CutShort(f"a comma with nothing behind it before byte {at}")
            elif self.text[at : at + 1] != b"]":
                raise CutShort(f"the array breaks off at byte {at}")
        return at + 1

    def _is_conversation(self, at: int) -> bool:
        at = skip_space(self.text, at + 1)
        try:
            while self.text[at : at + 1] != b"}":
                key, start = _key_at(self.text, at)
                if key == "role":
                    return False
                if key in LISTS and self.text[start : start + 1] == b"[":
                    return True
                at = skip_space(self.text, value_end(self.text, start))
                at = skip_space(self.text, at + 1) if self.text[at : at + 1] == b"," else at
        except CutShort:
            pass
        return False


def _key_at(text: bytes, at: int) -> tuple[str, int]:
    """The key at `at` and where its value starts. Raises CutShort."""
    if text[at : at + 1] != b'"':
        raise CutShort(f"no key at byte {at}")
    key_end = value_end(text, at)
    colon = skip_space(text, key_end)
    if text[colon : colon + 1] != b":":
        raise CutShort(f"no value after byte {key_end}")
    return text[at + 1 : key_end - 1].decode("utf-8", "replace"), skip_space(text, colon + 1)


def splices(source: Source, columns: Columns, number: int, sequence: Sequence, edits: RecordEdits) -> Iterator[Splice]:
    """The splices that carry out `edits` on the elements of one array, in order."""
    low, high = sequence.low, sequence.high
    touched = sorted(r for r in {*edits.replaced, *edits.deleted, *edits.after} if low <= r < high)
    head = edits.before.get(number, [])
    if not touched and not head:
        return
    assert sequence.array is not None
    lead = source.read(sequence.array + 1, columns.starts[low])
    gap = source.read(columns.ends[low], columns.starts[low + 1]) if high - low > 1 else b"," + lead
    kept_before = low
    while kept_before < high and kept_before in edits.deleted:
        kept_before += 1
    yield from _head(columns, edits, low, kept_before, high, head, gap)
    for record in touched:
        if record < kept_before:
            continue
        start, end = columns.starts[record], columns.ends[record]
        added = b"".join(gap + raw for raw in edits.after.get(record, []))
        if record in edits.deleted:
            yield Splice(columns.ends[record - 1], end, added)
        elif record in edits.replaced:
            yield Splice(start, end, edits.replaced[record] + added)
        else:
            yield Splice(end, end, added)


def _head(
    columns: Columns, edits: RecordEdits, low: int, kept: int, high: int, head: list[bytes], gap: bytes
) -> Iterator[Splice]:
    """What happens before the first record that stays: there the separators belong to the record after."""
    added = list(head)
    for record in range(low, kept):
        added += edits.after.get(record, [])
    if kept == high:
        yield Splice(columns.starts[low], columns.ends[high - 1], gap.join(added))
    elif added or kept > low:
        text = b"".join(raw + gap for raw in added)
        yield Splice(columns.starts[low], columns.starts[kept], text)
