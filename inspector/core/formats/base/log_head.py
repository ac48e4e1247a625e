"""The first quarter megabyte of a log, which the formats score, and the check that a log was read as the right one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import compress
from operator import and_, not_
from typing import Any

import orjson

from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.session import Log
from inspector.core.model.views import CALL_KINDS, BlockKind
from inspector.core.providers.message_fields import texts_in_record
from inspector.core.storage import json_document
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_spans import close_truncated
from inspector.core.storage.json_text import ends_like_json, is_valid_json, parse_json, unescape_keys
from inspector.core.storage.source import HEAD_SIZE, Source

_SAMPLE_SIZE = 60
_DECODER = json.JSONDecoder()


class Head:
    """The first `size` bytes of a log, parsed as far as they go.

    `lines` are the objects of the first whole lines, also of several on one line, and `bad_lines` counts the lines that
    are not JSON. `is_lines` separates JSON Lines from one document. `messages` are the first objects of the first
    arrays of messages. Where not even the first line ends in the head (`is_in_first_line`), the lines are those at the
    end of the log. All lines before the byte `valid_up_to` of the log are known to be JSON. `faults` are sentences on
    formats that failed to look at it. A message in which the head of a document breaks off is left out, unless it
    is asked for.
    """

    def __init__(self, source: Source, size: int = HEAD_SIZE, path: str = "") -> None:
        self._source = source
        self._size = size
        self._messages: dict[MessagePaths, list[dict[str, Any]] | None] = {}
        self._tail_spans: dict[int, list[tuple[int, int]]] = {}
        self._includes_torn = False
        self.faults: list[str] = []
        self.text = source.read(source.start, source.start + size)
        self.is_complete = source.size - source.start <= size
        self.path = path or source.path
        pieces = self.text.split(b"\n")
        if not self.is_complete:
            pieces.pop()
        self.is_in_first_line = not pieces
        self.lines: list[dict[str, Any]] = []
        self.bad_lines = 0
        self.other_lines = 0
        self.valid_up_to = source.start
        for piece in (pieces or self.tail.split(b"\n")[1:])[:_SAMPLE_SIZE]:
            self._look_at(piece)
            self.valid_up_to += 0 if self.bad_lines or self.is_in_first_line else len(piece) + 1
        # A line of an indented document can be an object by chance; in JSON Lines most lines are. What begins with a
        # whole object ends with it, however many of the lines after it are damaged. What begins like no document is the
        # rest of a line, whose beginning is cut off.
        begins_with_rest = bool(self.bad_lines) and self.text.lstrip()[:1] not in (b"[", b"{", b"")
        self.is_lines = len(self.lines) > self.bad_lines - begins_with_rest or (bool(pieces) and _is_object(pieces[0]))

    def _look_at(self, piece: bytes) -> None:
        if not piece.strip():
            return
        if not ends_like_json(piece):
            self.bad_lines += 1
            return
        try:
            value = orjson.loads(piece)
        except orjson.JSONDecodeError:
            if not is_valid_json(piece):
                self.bad_lines += 1
                self.lines += _fused_objects(piece)
                return
            value = parse_json(piece)
        if isinstance(value, dict):
            self.lines.append(value)
        else:
            self.other_lines += 1

    @cached_property
    def plain(self) -> bytes:
        """The text with its keys unescaped, for searching keys."""
        return unescape_keys(self.text)

    @cached_property
    def is_empty(self) -> bool:
        """Whether the log is nothing but white space."""
        return self.is_complete and not self.text.strip()

    @cached_property
    def keys(self) -> set[str]:
        """The keys at the top of the first lines, or of the document."""
        return {key for line in self.lines for key in line} if self.is_lines else set(self.context)

    @cached_property
    def tail(self) -> bytes:
        """The end of the log, as many bytes as the head. What the head holds is not read again."""
        size = self._source.size
        return (
            b""
            if self.is_complete
            else self._source.read(max(self._source.start + self._size, size - self._size), size)
        )

    @cached_property
    def value(self) -> Any:
        """The document's value as far as the head goes, None when it is not JSON.

        The part where the text breaks off has gaps.
        """
        return self._parsed[0]

    @cached_property
    def _parsed(self) -> tuple[Any, set[int]]:
        """The value, and the ids of its arrays in which the text breaks off: their last element may be torn."""
        if self.is_complete:
            with suppress(orjson.JSONDecodeError):
                return orjson.loads(self.text), set()
        with suppress(ValueError):
            value = parse_json(close_truncated(self.text))
            return value, _arrays_at_end(value)
        return None, set()

    @cached_property
    def context(self) -> dict[str, Any]:
        """The readable members around the first array of messages, such as the model of a request body.

        Where the document is damaged, only those before the array.
        """
        if self.is_lines:
            return self.lines[0]
        value = self._before_messages if self.is_damaged else self.value
        return value if isinstance(value, dict) else {}

    @property
    def is_damaged(self) -> bool:
        """Whether it is not lines, and no document that can be read as far as the head goes."""
        return not self.is_lines and self.value is None

    @cached_property
    def _before_messages(self) -> Any:
        arrays = json_document.find_message_arrays(self.text).arrays
        with suppress(ValueError):
            return parse_json(close_truncated(self.text[: arrays[0].start + 1])) if arrays else None
        return None

    @property
    def messages(self) -> list[dict[str, Any]] | None:
        """The first messages where most formats keep them: see `messages_in`."""
        return self.messages_in(json_document.DEFAULT_MESSAGE_PATHS)

    def messages_in(self, shapes: MessagePaths) -> list[dict[str, Any]] | None:
        """Return the first messages of a document or of lines of conversations.

        None where there is no array of messages.
        """
        if shapes not in self._messages:
            self._messages[shapes] = self._find_messages(shapes)
        return self._messages[shapes]

    def include_torn_message(self) -> bool:
        """Include what the head holds of the message in which it breaks off. Return whether there is such a message."""
        if self.is_lines or self.is_complete or self._includes_torn:
            return False
        self._includes_torn = True
        self._messages.clear()
        return True

    def _find_messages(self, shapes: MessagePaths) -> list[dict[str, Any]] | None:
        if self.is_damaged:
            return self._salvaged(
                self.text, [array.spans for array in json_document.find_message_arrays(self.text, shapes).arrays]
            )
        values = self.lines if self.is_lines else [self.value]
        arrays = [array for value in values for array in json_document.message_arrays_in_value(value, shapes)]
        torn = set() if self.is_lines or self._includes_torn else self._parsed[1]
        whole = [array[:-1] if id(array) in torn else array for array in arrays]
        if not any(whole) and not self.is_complete and not self.is_lines:
            # Benchmark runs keep pages of settings before the first conversation; a first message can be as long.
            tail_spans = json_document.message_spans_in_tail(self.tail, shapes, _SAMPLE_SIZE, self._tail_spans)
            if tail_spans or not arrays:
                return self._salvaged(self.tail, [tail_spans] if tail_spans else [])
        if not arrays:
            return None
        return [message if isinstance(message, dict) else {} for array in whole for message in array[:_SAMPLE_SIZE]]

    def _salvaged(self, text: bytes, spans: list[list[tuple[int, int]]]) -> list[dict[str, Any]] | None:
        """Return the messages at `spans` that can be read."""
        messages = []
        for start, end in [span for array_spans in spans[:20] for span in array_spans[:_SAMPLE_SIZE]]:
            with suppress(orjson.JSONDecodeError):
                value = orjson.loads(text[start:end])
                messages.append(value if isinstance(value, dict) else {})
        return messages if spans else None


def _fused_objects(piece: bytes) -> list[dict[str, Any]]:
    """Return the objects that a line without its line ends holds one after the other, [] where it holds other text."""
    text, objects, at = piece.decode("utf-8", "replace").strip(), list[dict[str, Any]](), 0
    while text[at : at + 1] == "{":
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        objects.append(value)
        while text[at : at + 1].isspace():
            at += 1
    return objects if at == len(text) else []


def _is_object(piece: bytes) -> bool:
    return piece.lstrip()[:1] == b"{" and is_valid_json(piece)


def _arrays_at_end(value: Any) -> set[int]:
    """Return the ids of the arrays that contain the end of a value."""
    ids = set()
    while isinstance(value, dict | list) and value:
        if isinstance(value, list):
            ids.add(id(value))
            value = value[-1]
        else:
            value = value[next(reversed(value))]
    return ids


# Programs borrow one another's envelopes: Qwen Code's lines are Claude Code's, with Gemini's parts in them. Judged by
# its envelope alone, such a log is full of messages that seem to say nothing, or is healthy for lack of calls. A format
# that does not understand what it claimed gives the log up.

_IS_SPEAKER = bytes(role in (Role.USER, Role.ASSISTANT, Role.TOOL) for role in range(256))
_RESULT_KINDS = frozenset({BlockKind.RESULT, BlockKind.TOLD_RESULT, BlockKind.SERVER_RESULT})
# How the wires spell calls and results, by a member or by a type, and who speaks; in a text the quotes are escaped.
_CALL_PATTERN = rb'"(?:tool_calls|toolCalls|tool_uses)"\s*:\s*\[\s*\{|"(?:functionCall|toolUse)"\s*:\s*\{'
# Hermes keeps the list of calls as a text in its database and exports it so: its chat messages are of another format.
_CALL_PATTERN += rb'|"(?:tool_calls|toolCalls|tool_uses)"\s*:\s*"\s*\[\s*\{'
_TYPED_CALL_PATTERN = rb'"type"\s*:\s*"(?:tool[_-](?:use|call)|toolCall|(?:custom_tool|function)_call)"'
_RESULT_PATTERN = rb'"(?:functionResponse|function_response|toolResult)"\s*:\s*\{'
_RESULT_PATTERN += rb'|"type"\s*:\s*"(?:tool[_-]result|toolResult|(?:custom_tool|function)_call_output)"'
_ROLE_PATTERN = rb'"role"\s*:\s*"(?:user|assistant|model|tool)"|"type"\s*:\s*"(?:human|ai)"'
_CALL_OR_RESULT_PATTERN = b"|".join((_CALL_PATTERN, _TYPED_CALL_PATTERN, _RESULT_PATTERN))
_LARGEST_READ = 256 * 1024


def messages_fit_format(log: Log) -> bool:
    """Return whether the messages of a log have the shape that its format reads.

    They do not if half of them or more have content and hold nothing that the format knows. Nor do they if no message,
    no call or no result was found, and the text holds what another wire takes for one.
    """
    columns, kinds = log.columns, log.columns.block_kinds
    spoken = bytes(columns.roles.translate(_IS_SPEAKER))
    mute = _without_known_blocks(columns, spoken)
    if mute and 2 * sum(_has_text_or_call(log.raw(record)) for record in mute) >= spoken.count(1):
        return False
    if not spoken.count(1):
        return not _contains_pattern(log, _readable_records(columns), _ROLE_PATTERN)
    lacks_calls, lacks_results = CALL_KINDS.isdisjoint(kinds), _RESULT_KINDS.isdisjoint(kinds)
    if not (lacks_calls or lacks_results) or not _contains_pattern(
        log, _readable_records(columns), _CALL_OR_RESULT_PATTERN
    ):
        return True  # This is so for most logs: which records hold the patterns does not matter.
    if lacks_calls and (
        _contains_pattern(log, _readable_records(columns, spoken), _TYPED_CALL_PATTERN)
        or _contains_pattern(log, _readable_records(columns), _CALL_PATTERN)
    ):
        return False
    return not lacks_results or not _contains_pattern(log, _readable_records(columns, spoken), _RESULT_PATTERN)


def _without_known_blocks(columns: Columns, spoken: bytes) -> list[int]:
    """Return the messages without a block, and those with no block of a known kind."""
    empty = compress(range(len(columns)), map(and_, spoken, map(not_, columns.blocks)))
    odd = {columns.record_of_block(row) for row in columns.block_rows_of_kind(BlockKind.OTHER)}
    return [
        *empty,
        *(r for r in odd if spoken[r] and not any(columns.block_kinds[row] for row in columns.block_rows(r))),
    ]


def _readable_records(columns: Columns, only: bytes | None = None) -> Iterator[int]:
    """Yield the readable records, all or those of `only`.

    The text of a damaged record is no sign that a format overlooked something.
    """
    marks = enumerate(columns.marks)
    return (record for record, mark in marks if not mark & RecordMark.UNREADABLE and (only is None or only[record]))


def _contains_pattern(log: Log, records: Iterable[int], pattern: bytes) -> bool:
    search = re.compile(pattern).search
    # Most logs hold none. To find that out, many records are searched at once, with what lies between them.
    for low, high, records_there in _groups_of_neighbours(log.columns, records):
        if search(unescape_keys(log.source.read(low, high))) is not None and any(
            search(unescape_keys(log.raw(record))) for record in records_there
        ):
            return True
    return False


def _groups_of_neighbours(columns: Columns, records: Iterable[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield groups of records that lie near one another, each with the bytes from the first to the last."""
    starts, ends = columns.starts, columns.ends
    low = high = 0
    group: list[int] = []
    for record in records:
        start, end = starts[record], ends[record]
        if group and not (high <= start and end - low <= _LARGEST_READ):
            yield low, high, group
            group = []
        low, high = (low, end) if group else (start, end)
        group.append(record)
    if group:
        yield low, high, group


def _has_text_or_call(raw: bytes) -> bool:
    return re.search(_CALL_OR_RESULT_PATTERN, unescape_keys(raw)) is not None or (
        is_valid_json(raw) and any(texts_in_record(parse_json(raw)))
    )
