"""JSON documents whose arrays of messages hold the records: layouts, finding the arrays, and reading them in pieces.

In a whole text a parser measures the messages; in a truncated text they are measured here. The parser (msgspec) builds
only the lists of messages, each message as raw bytes. The walk then looks only at the text around them, which makes it
eight times as fast as a walk that measures every message itself.

The layouts are those in which people keep conversations: a bare list, a request body, a list of conversations,
benchmark runs (`traj` of tau-bench, `simulations[].messages` of tau2), a conversation a line, a provider's response.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import count, islice
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, Struct

from inspector.core.lazy import lazy_regex
from inspector.core.storage.json_spans import (
    TruncatedJson,
    array_elements,
    decode_key,
    pointer_part,
    skip_space,
    value_end,
)
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.storage.log_layout import Truncation
from inspector.core.storage.source import HEAD_SIZE, Source


class MessagePaths(Struct, frozen=True):
    """Where a format keeps its messages, as paths of keys. Arrays on the way are passed through.

    * `message_paths` end at an array of messages. A bare array of messages is found without a path.
    * `response_paths` end at a provider's newest response: a message, or an array of its items. "" is the document.
    * The key "*" at the end of a path is any other key whose array begins with a message.
    * An object with one of the `message_keys` is itself a message (or an item), and does not contain messages.
    """

    message_paths: tuple[str, ...]
    response_paths: tuple[str, ...] = ()
    message_keys: frozenset[str] = frozenset({"role", "call_id"})


# A request body, runs of tau-bench (`traj`) and of tau2 (`simulations`), the lines of a batch.
DEFAULT_MESSAGE_PATHS = MessagePaths(("messages", "traj", "simulations/messages", "body/messages", "params/messages"))

Tree: TypeAlias = "dict[str, Tree | str]"
LIST_LEAF, RESPONSE_LEAF = "list", "reply"
ANY_KEY = "*"


@cache
def path_tree(shapes: MessagePaths) -> Tree:
    """Return the paths as nested keys that end in LIST_LEAF or RESPONSE_LEAF."""
    root: Tree = {}
    for paths, leaf in ((shapes.message_paths, LIST_LEAF), (shapes.response_paths, RESPONSE_LEAF)):
        for path in filter(None, paths):
            *parents, last = path.split("/")
            node = root
            for key in parents:
                inner = node.setdefault(key, {})
                assert isinstance(inner, dict), f"{path} runs through the end of another path"
                node = inner
            node[last] = leaf
    return root


class MessageArray(Struct):
    """An array of messages: the offset of its `[`, and the spans of its complete elements.

    The fields are those of `RecordSequence`: the spans of the enclosing and of the outermost object (None if there is
    none), and the JSON pointer to the array. With `is_single_message` it is one message outside of an array, which
    begins at `start`.
    """

    start: int
    spans: list[tuple[int, int]]
    enclosing_object: tuple[int, int] | None = None
    outermost_object: tuple[int, int] | None = None
    is_single_message: bool = False
    is_response: bool = False
    pointer: str = ""


class DocumentArrays(Struct):
    """All arrays of messages of a text, and where it is truncated, None if it is complete.

    `parsed`: the parser, which does not check strings, found the whole text to be JSON.
    """

    arrays: list[MessageArray]
    truncation: Truncation | None = None
    parsed: bool = False


# The bracket or comma before a possible element of an array; and how many of them are tried.
_ELEMENT = lazy_regex(rb'[\[,](?=\s*\{\s*")')
_TRIES = 60
_GAP = lazy_regex(rb"[ \t\r\n]*,?[ \t\r\n]*")


def find_message_arrays(text: bytes, shapes: MessagePaths = DEFAULT_MESSAGE_PATHS) -> DocumentArrays:
    """Return the arrays of messages of a text; only their complete messages if it is truncated."""
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


def message_arrays_of_conversation(text: bytes, shapes: MessagePaths, number: int) -> list[MessageArray] | None:
    """Return the arrays of an object that is the element `number` of a document. None if the text is no such object."""
    walk = _Walk(text, shapes)
    walk.path.append(str(number))
    try:
        end = walk.element(_skeleton_decoders(shapes)[0].decode(text))
    except (msgspec.DecodeError, RecursionError, _LayoutMismatch, TruncatedJson):
        return None
    return walk.found if end == len(text) else None


def message_spans_in_tail(
    text: bytes,
    shapes: MessagePaths = DEFAULT_MESSAGE_PATHS,
    most: int | None = None,
    known: dict[int, list[tuple[int, int]]] | None = None,
) -> list[tuple[int, int]]:
    """Return the spans of the first complete messages in the tail of a document, to recognize its format.

    The tail may begin anywhere in the document. At most `most` messages are measured. `known` keeps what was measured
    at each offset, for further calls with the same text, the same `most` and other shapes.
    """
    known = {} if known is None else known
    keys = {path.rpartition("/")[2].encode() for path in shapes.message_paths}
    key = re.search(rb'"(?:' + b"|".join(map(re.escape, sorted(keys))) + rb')"\s*:\s*(?=\[)', text)
    starts = [key.end()] if key is not None else []
    starts += [match.start() for match in islice(_ELEMENT.finditer(text), _TRIES)]
    for start in starts:
        if start not in known:
            known[start] = _message_spans_at(text, start, most)
        if known[start]:
            return known[start]
    return []


def _message_spans_at(text: bytes, start: int, most: int | None) -> list[tuple[int, int]]:
    """Return the spans of the first complete messages of an array that may begin, or continue, at `start`."""
    spans: list[tuple[int, int]] = []
    with suppress(TruncatedJson):
        for span in islice(array_elements(text, start), most):
            # Most places hold no messages, so what follows the first element is not measured for nothing.
            if not spans and not _is_message_text(text[slice(*span)]):
                break
            spans.append(span)
    return spans


def _is_message_text(text: bytes) -> bool:
    return is_valid_json(text) and isinstance(value := parse_json(text), dict) and isinstance(value.get("role"), str)


class _LayoutMismatch(Exception):
    """The lists that the parser found are not all lists of the text, because a key is repeated."""


def _parse_skeleton(text: bytes, shapes: MessagePaths) -> Any:
    """Parse a text into a value that holds only its lists of messages. Raises msgspec.DecodeError."""
    single, several = _skeleton_decoders(shapes)
    at = skip_space(text, 0)
    if text[at : at + 1] != b"[":
        return single.decode(text)
    return (several if _holds_conversations(text, shapes) else _LIST_DECODER).decode(text)


_LIST_DECODER = msgspec.json.Decoder(list[Raw])


@cache
def _skeleton_decoders(shapes: MessagePaths) -> tuple[msgspec.json.Decoder[Any], msgspec.json.Decoder[Any]]:
    """Return decoders of an object with this layout, and of an array of such objects."""

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


def _holds_conversations(text: bytes, shapes: MessagePaths) -> bool:
    """Return whether the text is an array of objects that hold messages, rather than of messages."""
    at = skip_space(text, 0)
    tree = path_tree(shapes)
    for key, start in _first_members(text, at) if text[at : at + 1] == b"[" else ():
        if key in shapes.message_keys:
            return False
        if key in tree and text[start : start + 1] in (b"[", b"{"):
            return True
    return False


def _first_members(text: bytes, at: int) -> Iterator[tuple[str, int]]:
    """Yield the keys of the first element of the array at `at`, and the offsets of their values, if it is an object."""
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
    """Return the key at `at` and the offset of its value. Raises TruncatedJson."""
    if text[at : at + 1] != b'"':
        raise TruncatedJson(f"no key at byte {at}")
    key_end = value_end(text, at)
    colon = skip_space(text, key_end)
    if text[colon : colon + 1] != b":":
        raise TruncatedJson(f"no value after byte {key_end}")
    return decode_key(text[at + 1 : key_end - 1]), skip_space(text, colon + 1)


class _Walk:
    """One pass over a text that records how far it is complete, and which brackets are open there.

    The methods take what the parser found for the same value as `known`, None if the parser found nothing.
    """

    def __init__(self, text: bytes, shapes: MessagePaths) -> None:
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
        """The JSON pointer to the current value."""
        return "".join(f"/{pointer_part(key)}" for key in self.path)

    def run(self, known: Any) -> int:
        """Walk the value of the whole text and return the offset after it. Raises TruncatedJson, _LayoutMismatch."""
        at = skip_space(self.text, 0)
        if self.text[at : at + 1] != b"[":
            return self._object(at, self.tree, known)
        if _holds_conversations(self.text, self.shapes):
            return self._objects(at, self.tree, known)
        return self._messages(MessageArray(at, []), known)

    def element(self, known: Any) -> int:
        """Walk the object of the whole text, an element of a document, and return the offset after it."""
        return self._object(0, self.tree, known)

    def _object(self, at: int, tree: Tree, known: Any) -> int:
        """Walk a conversation, or an object that holds conversations, and return the offset after it."""
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
            array.outermost_object = (at, at_key + 1)  # the outermost object is the last to set it
        self.mark(at_key + 1)
        return at_key + 1

    def _member(self, node: Tree | str | None, start: int, owner: int, known: Any) -> int:
        """Walk the value of a member as `node` says, and return the offset after it."""
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
            response = MessageArray(
                start, [(start, end)], context, is_single_message=True, is_response=True, pointer=self.pointer
            )
            self.found.append(response)
        return end

    def _begins_with_message(self, at: int) -> bool:
        if self.text[at : at + 1] != b"[":
            return False
        return any(key in self.shapes.message_keys for key, _ in _first_members(self.text, at))

    def _objects(self, at: int, tree: Tree, known: Any) -> int:
        """Walk an array of conversations, or of objects that hold them, and return the offset after it."""
        known_items, numbers = iter(known if known is not None else ()), count()

        def visit(start: int) -> int:
            self.path.append(str(next(numbers)))
            end = self._object(start, tree, next(known_items, None))
            self.path.pop()
            return end

        return self._array(at, visit)

    def _messages(self, array: MessageArray, known: Any) -> int:
        """Walk an array of messages and return the offset after it."""
        self.found.append(array)
        if known is not None:
            return self._measured(array, known)
        return self._array(array.start, lambda start: self._message(array, start))

    def _measured(self, array: MessageArray, known: list[Raw]) -> int:
        """Walk an array of messages whose lengths are known, and return the offset after it."""
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
        """Walk an array whose elements `visit` measures, and return the offset after it. Every byte is read once."""
        self.open.append(b"]")
        self.mark(at + 1)
        at = skip_space(self.text, at + 1)
        while self.text[at : at + 1] != b"]":
            at = skip_space(self.text, visit(at))
            if self.text[at : at + 1] == b",":
                at = skip_space(self.text, at + 1)
                if self.text[at : at + 1] == b"]":
                    raise TruncatedJson(f"a comma with nothing after it before byte {at}")
            elif self.text[at : at + 1] != b"]":
                raise TruncatedJson(f"the array breaks off at byte {at}")
        self.open.pop()
        return at + 1


def message_arrays_in_value(value: Any, shapes: MessagePaths) -> list[list[Any]]:
    """Return the arrays of messages of a parsed value, such as the head of a log.

    A single response is returned as an array of one.
    """
    whole_value = [[value]] if "" in shapes.response_paths and isinstance(value, dict) else []
    if isinstance(value, dict) and path_tree(shapes).keys().isdisjoint(value):
        return whole_value
    if isinstance(value, list) and not _is_conversation(next(iter(value), None), shapes):
        return [value]
    arrays = [
        item for path in shapes.message_paths for item in _at(value, path.split("/"), shapes) if isinstance(item, list)
    ]
    for path in filter(None, shapes.response_paths):
        arrays += [item if isinstance(item, list) else [item] for item in _at(value, path.split("/"), shapes)]
    return arrays or whole_value


def _is_conversation(value: Any, shapes: MessagePaths) -> bool:
    if not isinstance(value, dict) or _is_message_value(value, shapes):
        return False
    return any(isinstance(value.get(key), list | dict) for key in path_tree(shapes))


def _at(value: Any, path: list[str], shapes: MessagePaths) -> list[Any]:
    """Return the values at the end of a path of keys. Arrays on the way are passed through."""
    if not path:
        return [value] if isinstance(value, dict | list) else []
    if isinstance(value, list):
        return [inner for item in value for inner in _at(item, path, shapes)]
    if not isinstance(value, dict):
        return []
    if path[0] != ANY_KEY:
        return _at(value[path[0]], path[1:], shapes) if path[0] in value else []
    return [item for item in value.values() if isinstance(item, list) and item and _is_message_value(item[0], shapes)]


def _is_message_value(value: Any, shapes: MessagePaths) -> bool:
    return isinstance(value, dict) and not shapes.message_keys.isdisjoint(value)


_FIRST_KEY = lazy_regex(rb'\{\s*"[^"\\]*"')
_BEGIN = lazy_regex(rb"\{")


class DocumentChunkReader:
    """A document with all of its messages in one array, read in pieces. No byte is read twice.

    `before` is the text before the messages, `separator` the text between two of them. `array` is set, without the
    spans, when everything was read. It stays None if the document is not what its beginning promised.

    The separator goes from the bracket that ends one message to the first key of the next. In a document that a program
    wrote it is the same between all messages, and it is in no string, because quotes are escaped there. So the log is
    cut there. A cut may not be the end of a message, for example if another history is quoted in a call. The text
    before it is then not JSON, and the document has to be read as a whole. Reading in pieces takes a third less time
    than that, and no memory (measured in the benchmark).
    """

    def __init__(self, source: Source, shapes: MessagePaths, before: bytes, separator: bytes) -> None:
        self.path, self._source, self._shapes = source.path, source, shapes
        self._before, self._separator = before, separator
        self._between, self._step = re.compile(re.escape(separator)), separator.index(b"{")
        self.array: MessageArray | None = None
        self.one_line = b"\n" not in before

    @classmethod
    def detect(cls, source: Source, shapes: MessagePaths) -> DocumentChunkReader | None:
        """Return the pieces of a document, None if its beginning does not show how it separates its messages."""
        head = source.read(source.start, source.start + HEAD_SIZE)
        arrays = find_message_arrays(head, shapes).arrays
        if len(arrays) != 1 or len(arrays[0].spans) < 2:
            return None
        (first, end), (start, _) = arrays[0].spans[:2]
        key = _FIRST_KEY.match(head, start)
        return None if key is None else cls(source, shapes, head[:first], head[end - 1 : key.end()])

    def read(
        self, progress: Callable[[int, int], None] | None, cancelled: Callable[[], bool] | None
    ) -> Iterator[tuple[int, memoryview, list[tuple[int, int]]]]:
        """Yield the pieces: offset, bytes (valid until the next piece), and the spans of the messages in them.

        The caller has to check that each span holds one valid value, because only then it is a message.
        """
        source, first = self._source, self._source.start + len(self._before)
        for offset, piece in source.chunks(self._separator, first, None, progress, cancelled):
            spans = self._spans_in(piece)
            if offset + len(piece) == source.size:
                start, _ = spans.pop()
                rest = bytes(piece[start:])
                try:
                    end = value_end(rest, 0)
                except TruncatedJson:
                    return
                spans.append((start, start + end))
                self.array = self._array(rest[end:], offset + start + end - first)
            buffer = piece.obj
            assert isinstance(buffer, bytes | bytearray)
            self.one_line = self.one_line and buffer.find(b"\n", 0, spans[-1][1]) < 0
            yield offset, piece, spans

    def _spans_in(self, piece: memoryview) -> list[tuple[int, int]]:
        """Return the spans of the messages in a piece of the log. The last message ends with the piece."""
        begin = _BEGIN.search(piece)
        starts = [begin.start() if begin is not None else 0]
        ends = []
        for match in self._between.finditer(piece):  # `find` takes 50 % longer
            ends.append(match.start() + 1)
            starts.append(match.start() + self._step)
        return list(zip(starts, [*ends, len(piece)], strict=True))

    def _array(self, after: bytes, size: int) -> MessageArray | None:
        """Return the array without its `size` bytes of messages, None if the rest is not one document with one array.

        `after` is the text after the messages.
        """
        rest = find_message_arrays(self._before + after, self._shapes)
        if not rest.parsed or len(rest.arrays) != 1:
            return None
        array = rest.arrays[0]
        if array.spans or array.start + 1 != len(self._before.rstrip()):
            return None
        context, root = (
            None if span is None else (span[0], span[1] + size)
            for span in (array.enclosing_object, array.outermost_object)
        )
        return MessageArray(array.start, [], context, root, is_response=array.is_response, pointer=array.pointer)


class ConversationChunkReader(DocumentChunkReader):
    """A document that is an array of conversations, read in pieces: its "messages" are the conversations.

    The caller has to check that each span holds one valid value, and to read the document as a whole if one does not.
    """

    @classmethod
    def detect(cls, source: Source, shapes: MessagePaths) -> ConversationChunkReader | None:
        head = source.read(source.start, source.start + HEAD_SIZE)
        if not _holds_conversations(head, shapes):
            return None
        elements = array_elements(head, skip_space(head, 0))
        with suppress(TruncatedJson, StopIteration):
            (first, end), (start, _) = next(elements), next(elements)
            key = _FIRST_KEY.match(head, start)
            return None if key is None else cls(source, shapes, head[:first], head[end - 1 : key.end()])
        return None

    def _array(self, after: bytes, size: int) -> MessageArray | None:
        is_whole = (self._before + after).split() in ([b"[", b"]"], [b"[]"])
        return MessageArray(len(self._before.rstrip()) - 1, []) if is_whole else None
