"""Finding the arrays of messages in a JSON text: measured by a parser where the text is whole, by hand where it is cut.

The parser (msgspec) builds nothing but the lists of messages, each message as raw bytes; the walk then only looks at
what stands around them, which makes it eight times as fast as one that measures every message itself.

Merged; to be rewritten:
`document`: One JSON document, or JSON values line by line, whose arrays of messages hold the records.
`shapes`: Where a format keeps its messages, as data; and what is found there.
`parsed`: The same shapes in a value that is parsed already, as the head of a log is.
`pieces`: A document that keeps all of its messages in one array, read in pieces: none of it is looked at twice.
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

from inspector.core.storage.json_spans import TruncatedJson, array_elements, decode_key, skip_space, value_end
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.storage.source import HEAD_SIZE, Source
from inspector.core.storage.splices import Truncation

# One JSON document, or JSON values line by line, whose arrays of messages hold the records.
#
# Finds the arrays in the shapes that people keep conversations in: a bare list, a request body, a list of
# conversations,
# benchmark runs (`traj` of tau-bench, `simulations[].messages` of tau2), a conversation a line, a provider's response.


# Where a format keeps its messages, as data; and what is found there.


class DocumentLayout(Struct, frozen=True):
    """Where a format keeps its messages, as paths of keys; arrays on the way are passed through.

    A path of `lists` ends at an array of messages. One of `replies` ends at what a provider has just answered: a
    message, or an array of its items; "" is the document itself. A bare array of messages is found without a path.
    The key "*" at the end of a path is any other key whose array begins with a message. An object with one of the keys
    `telling` is itself a message (or an item) of the array that it stands in, rather than holding some.
    """

    message_paths: tuple[str, ...]
    response_paths: tuple[str, ...] = ()
    message_keys: frozenset[str] = frozenset({"role", "call_id"})


# A list of messages, runs of tau-bench (`traj`) and of tau2 (`simulations`), the lines of a batch.
DEFAULT_LAYOUT = DocumentLayout(("messages", "traj", "simulations/messages", "body/messages", "params/messages"))

Tree: TypeAlias = "dict[str, Tree | str]"
LIST_LEAF, RESPONSE_LEAF = "list", "reply"
ANY_KEY = "*"


@cache
def path_tree(shapes: DocumentLayout) -> Tree:
    """The paths as nested keys that end in LIST or REPLY."""
    root: Tree = {}
    for paths, leaf in ((shapes.message_paths, LIST_LEAF), (shapes.response_paths, RESPONSE_LEAF)):
        for path in filter(None, paths):
            *way, last = path.split("/")
            node = root
            for key in way:
                inner = node.setdefault(key, {})
                assert isinstance(inner, dict), f"{path} runs through the end of another path"
                node = inner
            node[last] = leaf
    return root


class MessageArray(Struct):
    """An array of messages: offset of its `[`, spans of its whole elements, span of the object around it if any.

    `root` is the span of the outermost object around it. With `single`, one message that stands by itself, at that
    offset. `reply`: a provider has just answered it. `pointer` is the JSON pointer to it.
    """

    start: int
    spans: list[tuple[int, int]]
    enclosing_object: tuple[int, int] | None = None
    outermost_object: tuple[int, int] | None = None
    is_single_message: bool = False
    is_response: bool = False
    pointer: str = ""


class DocumentArrays(Struct):
    """All arrays of messages of a text, and where it is cut if it is.

    `parsed`: a parser that does not look into strings has found the whole text to be JSON.
    """

    arrays: list[MessageArray]
    truncation: Truncation | None = None
    parsed: bool = False


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


# The same shapes in a value that is parsed already, as the head of a log is.


def message_arrays_in_value(value: Any, shapes: DocumentLayout) -> list[list[Any]]:
    """The arrays of messages of a value, and what a provider has just answered in it as arrays of one."""
    alone = [[value]] if "" in shapes.response_paths and isinstance(value, dict) else []
    if isinstance(value, dict) and path_tree(shapes).keys().isdisjoint(value):
        return alone
    if isinstance(value, list) and not _is_conversation(next(iter(value), None), shapes):
        return [value]
    found = [
        each for path in shapes.message_paths for each in _at(value, path.split("/"), shapes) if isinstance(each, list)
    ]
    for path in filter(None, shapes.response_paths):
        found += [each if isinstance(each, list) else [each] for each in _at(value, path.split("/"), shapes)]
    return found or alone


def _is_conversation(value: Any, shapes: DocumentLayout) -> bool:
    if not isinstance(value, dict) or _is_message_value(value, shapes):
        return False
    return any(isinstance(value.get(key), list | dict) for key in path_tree(shapes))


def _at(value: Any, path: list[str], shapes: DocumentLayout) -> list[Any]:
    """What lies at the end of a path of keys; arrays on the way are passed through."""
    if not path:
        return [value] if isinstance(value, dict | list) else []
    if isinstance(value, list):
        return [found for each in value for found in _at(each, path, shapes)]
    if not isinstance(value, dict):
        return []
    if path[0] != ANY_KEY:
        return _at(value[path[0]], path[1:], shapes) if path[0] in value else []
    return [each for each in value.values() if isinstance(each, list) and each and _is_message_value(each[0], shapes)]


def _is_message_value(value: Any, shapes: DocumentLayout) -> bool:
    return isinstance(value, dict) and not shapes.message_keys.isdisjoint(value)


# A document that keeps all of its messages in one array, read in pieces: none of it is looked at twice.
#
# What stands between the first two messages, from the bracket that ends one to the first key of the next, stands
# between
# all of them where a program wrote the document, and is in no string: there a quote is escaped. So the log is cut
# there.
# Where a cut is no end of a message (another history is quoted in a call, say), what lies before it is no JSON, and the
# document has to be read as a whole. It takes a third less time than that, and no memory (measured in the benchmark).

_FIRST_KEY = re.compile(rb'\{\s*"[^"\\]*"')
_BEGIN = re.compile(rb"\{")


class DocumentPieces:
    """The messages of the document in `source`: `before` stands before them, `separator` between each two.

    `array`, but for the spans, is known when all was read: None when the document is not what its beginning promised.
    """

    def __init__(self, source: Source, shapes: DocumentLayout, before: bytes, separator: bytes) -> None:
        self._source, self._shapes = source, shapes
        self._before, self._separator = before, separator
        self._between, self._step = re.compile(re.escape(separator)), separator.index(b"{")
        self.array: MessageArray | None = None
        self.one_line = b"\n" not in before

    @classmethod
    def detect(cls, source: Source, shapes: DocumentLayout) -> DocumentPieces | None:
        """None when the beginning of the document does not tell how it separates its messages."""
        head = source.read(source.start, source.start + HEAD_SIZE)
        found = find_message_arrays(head, shapes).arrays
        if len(found) != 1 or len(found[0].spans) < 2:
            return None
        (first, end), (start, _) = found[0].spans[:2]
        key = _FIRST_KEY.match(head, start)
        return None if key is None else cls(source, shapes, head[:first], head[end - 1 : key.end()])

    def read(
        self, progress: Callable[[int, int], None] | None, cancelled: Callable[[], bool] | None
    ) -> Iterator[tuple[int, memoryview, list[tuple[int, int]]]]:
        """The pieces: offset, bytes (good until the next one is asked for), spans of the messages in them.

        Whoever takes them judges whether each span holds one sound value, for only then it is a message.
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
        """The spans of the messages in a piece of the log, the last of which ends with it."""
        begin = _BEGIN.search(piece)
        starts = [begin.start() if begin is not None else 0]
        ends = []
        for match in self._between.finditer(piece):  # `find` takes half as long again
            ends.append(match.start() + 1)
            starts.append(match.start() + self._step)
        return list(zip(starts, [*ends, len(piece)], strict=True))

    def _array(self, behind: bytes, size: int) -> MessageArray | None:
        """The array that `size` bytes of messages were taken out of: what is left is a small document."""
        left = find_message_arrays(self._before + behind, self._shapes)
        if not left.parsed or len(left.arrays) != 1:
            return None
        array = left.arrays[0]
        if array.spans or array.start + 1 != len(self._before.rstrip()):
            return None
        context, root = (
            None if span is None else (span[0], span[1] + size)
            for span in (array.enclosing_object, array.outermost_object)
        )
        return MessageArray(array.start, [], context, root, is_response=array.is_response, pointer=array.pointer)
