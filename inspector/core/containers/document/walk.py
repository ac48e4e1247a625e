"""Finding the arrays of messages in a JSON text: measured by a parser where the text is whole, by hand where it is cut.

The parser (msgspec) builds nothing but the lists of messages, each message as raw bytes; the walk then only looks at
what stands around them, which makes it eight times as fast as one that measures every message itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import count, islice
from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.bytes.json_text import is_valid_json, parse_json
from inspector.core.bytes.sequences import Truncation
from inspector.core.bytes.spans import TruncatedJson, array_elements, decode_key, skip_space, value_end
from inspector.core.containers.document.shapes import (
    ANY_KEY,
    DEFAULT_LAYOUT,
    LIST_LEAF,
    RESPONSE_LEAF,
    DocumentArrays,
    DocumentLayout,
    MessageArray,
    Tree,
    path_tree,
)

# Where an element of an array may begin, seen from the bracket or comma before it; and how many are tried.
_ELEMENT = re.compile(rb'[\[,](?=\s*\{\s*")')
_TRIES = 60
_GAP = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")


def find_message_arrays(text: bytes, shapes: DocumentLayout = DEFAULT_LAYOUT) -> DocumentArrays:
    """The arrays of messages of a value; what is whole of them when the text is cut."""
    try:
        walk = _Walk(text, shapes)
        end, parsed = walk.run(_parse_skeleton(text, shapes)), True
    except (msgspec.DecodeError, RecursionError, _LayoutMismatch):
        walk = _Walk(text, shapes)
        try:
            end, parsed = walk.run(None), False
        except TruncatedJson:
            return DocumentArrays(walk.found, Truncation(walk.whole, walk.closers()))
    if not walk.found and "" in shapes.response_paths:
        start = skip_space(text, 0)
        walk.found.append(MessageArray(start, [(start, end)], is_single_message=True, is_response=True))
    if text[end:].strip():
        return DocumentArrays(walk.found, Truncation(end, b""))
    return DocumentArrays(walk.found, parsed=parsed)


def messages_in_tail(text: bytes, shapes: DocumentLayout = DEFAULT_LAYOUT) -> list[tuple[int, int]]:
    """The spans of whole messages in the end of a document, which starts anywhere: enough to tell the format by."""
    keys = {path.rpartition("/")[2].encode() for path in shapes.message_paths}
    key = re.search(rb'"(?:' + b"|".join(map(re.escape, sorted(keys))) + rb')"\s*:\s*(?=\[)', text)
    starts = [key.end()] if key is not None else []
    starts += [match.start() for match in islice(_ELEMENT.finditer(text), _TRIES)]
    for start in starts:
        found = []
        with suppress(TruncatedJson):
            for span in array_elements(text, start):
                found.append(span)
        if found and _is_message_text(text[slice(*found[0])]):
            return found
    return []


def _is_message_text(text: bytes) -> bool:
    return is_valid_json(text) and isinstance(value := parse_json(text), dict) and isinstance(value.get("role"), str)


class _LayoutMismatch(Exception):
    """The lists that the parser found are not those that stand in the text: a key is repeated."""


def _parse_skeleton(text: bytes, shapes: DocumentLayout) -> Any:
    """The value of the text with nothing in it but its lists of messages. Raises msgspec.DecodeError."""
    single, several = _skeleton_decoders(shapes)
    at = skip_space(text, 0)
    if text[at : at + 1] != b"[":
        return single.decode(text)
    return (several if _holds_conversations(text, shapes) else _LIST_DECODER).decode(text)


_LIST_DECODER = msgspec.json.Decoder(list[Raw])


@cache
def _skeleton_decoders(shapes: DocumentLayout) -> tuple[msgspec.json.Decoder[Any], msgspec.json.Decoder[Any]]:
    """Decoders of an object of these shapes, and of an array of such objects."""

    def type_of(tree: Tree) -> Any:
        fields: list[tuple[str, Any, Any]] = []
        for key, node in tree.items():
            inner = Raw if isinstance(node, str) else type_of(node)
            if node != RESPONSE_LEAF and key != ANY_KEY:
                value = list[inner] if node == LIST_LEAF else inner | list[inner]  # type: ignore[valid-type]
                fields.append((key, value | None, None))
        return msgspec.defstruct("Skeleton", fields, gc=False)

    root = type_of(path_tree(shapes))
    return msgspec.json.Decoder(root), msgspec.json.Decoder(list[root])  # type: ignore[valid-type]


def _holds_conversations(text: bytes, shapes: DocumentLayout) -> bool:
    """Whether the text is an array of objects that hold messages, rather than of messages."""
    at = skip_space(text, 0)
    tree = path_tree(shapes)
    for key, start in _first_members(text, at) if text[at : at + 1] == b"[" else ():
        if key in shapes.message_keys:
            return False
        if key in tree and text[start : start + 1] in (b"[", b"{"):
            return True
    return False


def _first_members(text: bytes, at: int) -> Iterator[tuple[str, int]]:
    """The keys of the first element of the array at `at`, and where their values start, as far as it is an object."""
    at = skip_space(text, at + 1)
    if text[at : at + 1] != b"{":
        return
    at = skip_space(text, at + 1)
    with suppress(TruncatedJson):
        while text[at : at + 1] != b"}":
            key, start = _key_at(text, at)
            yield key, start
            at = skip_space(text, value_end(text, start))
            at = skip_space(text, at + 1) if text[at : at + 1] == b"," else at


def _key_at(text: bytes, at: int) -> tuple[str, int]:
    """The key at `at` and where its value starts. Raises CutShort."""
    if text[at : at + 1] != b'"':
        raise TruncatedJson(f"no key at byte {at}")
    key_end = value_end(text, at)
    colon = skip_space(text, key_end)
    if text[colon : colon + 1] != b":":
        raise TruncatedJson(f"no value after byte {key_end}")
    return decode_key(text[at + 1 : key_end - 1]), skip_space(text, colon + 1)


class _Walk:
    """One pass that remembers how far the text is whole, and which brackets are open there.

    What the parser found walks along as `known`, None where nothing is known.
    """

    def __init__(self, text: bytes, shapes: DocumentLayout) -> None:
        self.text = text
        self.shapes = shapes
        self.tree = path_tree(shapes)
        self.found: list[MessageArray] = []
        self.open: list[bytes] = []
        self.path: list[str] = []
        self.whole = 0
        self.whole_open: tuple[bytes, ...] = ()

    def closers(self) -> bytes:
        return b"".join(reversed(self.whole_open))

    def mark(self, at: int) -> None:
        self.whole, self.whole_open = at, tuple(self.open)

    @property
    def pointer(self) -> str:
        """The JSON pointer to what is looked at."""
        return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in self.path)

    def run(self, known: Any) -> int:
        """Walk the value of the whole text; the offset after it. Raises CutShort, _Otherwise."""
        at = skip_space(self.text, 0)
        if self.text[at : at + 1] != b"[":
            return self._object(at, self.tree, known)
        if _holds_conversations(self.text, self.shapes):
            return self._objects(at, self.tree, known)
        return self._messages(MessageArray(at, []), known)

    def _object(self, at: int, tree: Tree, known: Any) -> int:
        """A conversation, or what holds some; the offset after it."""
        if self.text[at : at + 1] != b"{":
            return value_end(self.text, at)
        self.open.append(b"}")
        first, seen = len(self.found), set()
        at_key = skip_space(self.text, at + 1)
        while self.text[at_key : at_key + 1] != b"}":
            key, start = _key_at(self.text, at_key)
            node = tree.get(key)
            if node is None and ANY_KEY in tree and self._begins_with_message(start):
                node = tree[ANY_KEY]
            if known is not None and node is not None and key in seen:
                raise _LayoutMismatch
            seen.add(key)
            self.path.append(key)
            after = skip_space(self.text, self._member(node, start, at, getattr(known, key, None)))
            self.path.pop()
            at_key = skip_space(self.text, after + 1) if self.text[after : after + 1] == b"," else after
        self.open.pop()
        for array in self.found[first:]:
            if array.enclosing_object is not None and array.enclosing_object[0] == at:
                array.enclosing_object = (at, at_key + 1)
            array.outermost_object = (at, at_key + 1)  # the outermost object is the last to say so
        self.mark(at_key + 1)
        return at_key + 1

    def _member(self, node: Tree | str | None, start: int, owner: int, known: Any) -> int:
        """The value of a member that `node` says what to do with; the offset after it."""
        head = self.text[start : start + 1]
        context = (owner, len(self.text))
        if isinstance(node, dict) and head == b"{":
            return self._object(start, node, known)
        if isinstance(node, dict) and head == b"[":
            return self._objects(start, node, known)
        if isinstance(node, str) and head == b"[":
            return self._messages(
                MessageArray(start, [], context, is_response=node == RESPONSE_LEAF, pointer=self.pointer), known
            )
        end = value_end(self.text, start)
        if node == RESPONSE_LEAF and head == b"{":
            found = MessageArray(
                start, [(start, end)], context, is_single_message=True, is_response=True, pointer=self.pointer
            )
            self.found.append(found)
        return end

    def _begins_with_message(self, at: int) -> bool:
        if self.text[at : at + 1] != b"[":
            return False
        return any(key in self.shapes.message_keys for key, _ in _first_members(self.text, at))

    def _objects(self, at: int, tree: Tree, known: Any) -> int:
        """An array of conversations, or of what holds some; the offset after it."""
        each, numbers = iter(known if known is not None else ()), count()

        def visit(start: int) -> int:
            self.path.append(str(next(numbers)))
            end = self._object(start, tree, next(each, None))
            self.path.pop()
            return end

        return self._array(at, visit)

    def _messages(self, array: MessageArray, known: Any) -> int:
        """An array of messages; the offset after it."""
        self.found.append(array)
        if known is not None:
            return self._measured(array, known)
        return self._array(array.start, lambda start: self._message(array, start))

    def _measured(self, array: MessageArray, known: list[Raw]) -> int:
        """The same, the lengths of the messages being known."""
        at = skip_space(self.text, array.start + 1)
        add, gap = array.spans.append, _GAP.match
        for raw in known:
            end = at + len(raw)
            add((at, end))
            match = gap(self.text, end)
            assert match is not None
            at = match.end()
        if self.text[at : at + 1] != b"]":
            raise _LayoutMismatch
        return at + 1

    def _message(self, array: MessageArray, start: int) -> int:
        end = value_end(self.text, start)
        array.spans.append((start, end))
        self.mark(end)
        return end

    def _array(self, at: int, visit: Callable[[int], int]) -> int:
        """An array whose elements `visit` measures; the offset after it. Every byte is looked at once."""
        self.open.append(b"]")
        self.mark(at + 1)
        at = skip_space(self.text, at + 1)
        while self.text[at : at + 1] != b"]":
            at = skip_space(self.text, visit(at))
            if self.text[at : at + 1] == b",":
                at = skip_space(self.text, at + 1)
                if self.text[at : at + 1] == b"]":
                    raise TruncatedJson(f"a comma with nothing behind it before byte {at}")
            elif self.text[at : at + 1] != b"]":
                raise TruncatedJson(f"the array breaks off at byte {at}")
        self.open.pop()
        return at + 1
