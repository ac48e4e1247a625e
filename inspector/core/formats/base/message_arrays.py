"""The base classes of formats that are API messages in JSON: arrays of messages, or one or a conversation per line."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any, NoReturn, TypeAlias

import msgspec
from msgspec import Struct

from inspector.core.errors import NotDivisible, UnreadableLog, WrongFormat
from inspector.core.formats.base.agent_behavior import Agent, NextSteps
from inspector.core.formats.base.format import Format, ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.registry import safe_first_words
from inspector.core.formats.base.stores import first_user_text
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import DECODE_ERRORS, LenientDecoder
from inspector.core.storage.json_document import (
    DEFAULT_MESSAGE_PATHS,
    ConversationChunkReader,
    DocumentArrays,
    DocumentChunkReader,
    MessageArray,
    MessagePaths,
    find_message_arrays,
    message_arrays_of_conversation,
)
from inspector.core.storage.json_lines import nonblank_lines
from inspector.core.storage.json_spans import skip_space
from inspector.core.storage.json_text import is_valid_json, may_be_too_deep, parse_json, unescape_keys, value_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source, raise_if_cancelled
from inspector.core.translation import tr

# Where the providers' requests, and agents that keep them, hold the system prompt.
_SYSTEM_PROMPT_KEYS = ("system", "instructions", "systemInstruction", "system_instruction", "system_prompt")


_LINES_PER_REPORT = 1000
_ROWS_PER_PART = 20_000  # records and conversations of a log that is read in parts: some 30 MB


# The offset of a conversation, its bytes, and its arrays of messages: None where the bytes are not JSON.
_Conversation: TypeAlias = tuple[int, bytes, list[MessageArray] | None]


class _RequestModel(Struct):
    model: str = ""


_decode_request_model = msgspec.json.Decoder(_RequestModel).decode


def enclosing_request(log: Log, sequence: RecordSequence, span: tuple[int, int] | None) -> bytes:
    """Return the object around an array of messages (one of its spans), with the array emptied, b"" if none."""
    if span is None or sequence.array_start is None:
        return b""
    start, end = span
    last = log.columns.ends[sequence.high - 1] if sequence.high > sequence.low else sequence.array_start + 1
    # A log that breaks off within the array ends with it.
    rest = log.source.read(last, end) if last < end else b"]}"
    return unescape_keys(log.source.read(start, sequence.array_start + 1) + rest)


def requested_model(log: Log, sequence: RecordSequence) -> str:
    """Return the model that the request around an array of messages names, "" where it names none."""
    with suppress(*DECODE_ERRORS):
        return _decode_request_model(enclosing_request(log, sequence, sequence.enclosing_object) or b"{}").model
    return ""


def requested_system_prompt(log: Log, sequence: RecordSequence | None) -> str:
    """Return the system prompt of the request around an array of messages, under the key of any provider."""
    request = enclosing_request(log, sequence, sequence.enclosing_object) if sequence is not None else b""
    body = parse_json(request) if is_valid_json(request) else None
    prompts = (body.get(key) for key in _SYSTEM_PROMPT_KEYS) if isinstance(body, dict) else ()
    return next((text for text in map(_prompt_text, prompts) if text.strip()), "")


def _prompt_text(value: Any) -> str:
    """Return the texts of a system prompt: a string, a list of blocks, or an object with parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _prompt_text(value.get("text") or value.get("parts"))
    return "\n\n".join(filter(None, map(_prompt_text, value))) if isinstance(value, list) else ""


# The keys at the top of a line or document that holds messages of a provider.
MESSAGE_CONTAINER_KEYS = "role content messages input contents output choices candidates response body params"
_NEWEST_ANSWERS = 5  # answers that an error wrote name no model


class MessageArrays(Agent, Format):
    """API messages in any of the containers that people keep them in. A conversation is a session.

    `shapes` names the keys of an array of messages, or of a response of a provider.
    """

    shapes: MessagePaths = DEFAULT_MESSAGE_PATHS
    container = tr("JSON document or JSON Lines")
    is_provider_api = True
    conversations_are_independent = True
    """Nothing in one conversation of a log says anything about another."""

    def is_message_line(self, first: dict[str, Any]) -> bool:
        """Return whether this line is a message itself, rather than holding an array of them."""
        return False

    def index(self, source: Source, reading: ReadOptions) -> Log:
        log = Log(source, self.name, Columns(), [], deeply_checked=reading.deep)
        if reading.deep or reading.limit is not None or not self._index_pieces(log, reading):
            log = Log(source, self.name, Columns(), [], deeply_checked=reading.deep)
            self._index_text(log, reading)
        return self._with_sessions(log)

    def index_in_parts(self, source: Source, reading: ReadOptions) -> Iterator[Log]:
        conversations = self._conversations(source, reading)
        if conversations is None:
            return
        part, damaged = Log(source, self.name, Columns(), [], deeply_checked=reading.deep), list[tuple[int, int]]()
        for start, text, arrays in conversations:
            if arrays is None:
                damaged.append((start, start + len(text)))
            elif arrays:
                if len(part.columns) + len(part.sequences) > _ROWS_PER_PART:
                    part.is_part = True
                    yield self._with_sessions(part)
                    part = _next_part(part)
                _add_damaged_lines(part, damaged)
                self._index_arrays(part, DocumentArrays(arrays), start, text, True)
        if not part.sequences:
            raise NotDivisible(source.path)
        _add_damaged_lines(part, damaged)
        yield self._with_sessions(part)

    def _with_sessions(self, log: Log) -> Log:
        log.sessions = self.sessions(log, log.columns, log.raw)
        return log

    def _conversations(self, source: Source, reading: ReadOptions) -> Iterator[_Conversation] | None:
        """Return the conversations of a log that holds one on each line, or all in one array; None for another log."""
        if not (self.is_provider_api and self.conversations_are_independent):
            return None
        head = Head(source)
        if head.is_lines:
            is_divisible = not head.is_in_first_line and not self.is_message_line(head.lines[0])
            return self._conversation_lines(source, reading) if is_divisible else None
        elements = ConversationChunkReader.detect(source, self.shapes)
        return None if elements is None else self._conversation_elements(elements, reading)

    def _conversation_lines(self, source: Source, reading: ReadOptions) -> Iterator[_Conversation]:
        for offset, chunk in source.line_chunks(None, reading.progress, reading.cancelled):
            for start, _, text in nonblank_lines(offset, bytes(chunk)):
                yield start, text, find_message_arrays(text, self.shapes).arrays if is_valid_json(text) else None

    def _conversation_elements(
        self, elements: ConversationChunkReader, reading: ReadOptions
    ) -> Iterator[_Conversation]:
        numbers = count()
        for offset, piece, spans in elements.read(reading.progress, reading.cancelled):
            for start, end in spans:
                text = bytes(piece[start:end])
                arrays = message_arrays_of_conversation(text, self.shapes, next(numbers))
                if arrays is None or (reading.deep and not is_valid_json(text)):
                    raise NotDivisible(elements.path)
                yield offset + start, text, arrays
        if elements.array is None:
            raise NotDivisible(elements.path)

    def _index_pieces(self, log: Log, reading: ReadOptions) -> bool:
        """Read a large document of one array of messages. Return False when it has to be read as a whole."""
        document = DocumentChunkReader.detect(log.source, self.shapes)
        if document is None:
            return False
        for offset, piece, spans in document.read(reading.progress, reading.cancelled):
            if not self.add_all(log.columns, piece, spans, offset):
                return False
        if document.array is None:
            return False
        self._note_array(log, document.array, 0, log.source.start)
        log.one_line = document.one_line
        return True

    def _index_text(self, log: Log, reading: ReadOptions) -> None:
        source = log.source
        text = source.read(source.start, source.size)
        if reading.limit is not None:
            text = text[: reading.limit]
        first = skip_space(text, 0)
        line_end = text.find(b"\n", first)
        several = line_end >= 0 and skip_space(text, line_end) < len(text)
        log.one_line = not several and b"\n" not in text[:first]
        head = Head(source)
        if head.is_lines and self.is_message_line(head.lines[0]):
            self._index_lines(log, text)
        elif head.is_lines and several:
            self._index_conversations(log, text, reading)
        else:
            self._index_document(log, text, reading)

    def _index_conversations(self, log: Log, text: bytes, reading: ReadOptions) -> None:
        """Index lines that hold a conversation each. There may be a million of them.

        Raises WrongFormat where none of them does and the text is whole: a log of another program is no empty history.
        """
        for number, (start, end, piece) in enumerate(nonblank_lines(log.source.start, text)):
            if not number % _LINES_PER_REPORT:
                raise_if_cancelled(reading.cancelled)
                if reading.progress is not None:
                    reading.progress(start, log.source.size)
            if is_valid_json(piece):
                self._index_arrays(log, find_message_arrays(piece, self.shapes), start, piece, True)
            else:
                _add_damaged_lines(log, [(start, end)])
        if reading.limit is None and not any(
            each.array_start is not None or each.is_single_message for each in log.sequences
        ):
            self._raise_without_messages(log)

    def _raise_without_messages(self, log: Log) -> NoReturn:
        raise WrongFormat(
            tr(
                "{path} has no messages where the {label} format stores them. Choose another format.",
                path=log.source.path,
                label=self.label,
            )
        )

    def _index_document(self, log: Log, text: bytes, reading: ReadOptions) -> None:
        """Index a text that is one JSON value. A parser has read it before; a deep check reads it once more."""
        arrays, start = find_message_arrays(text, self.shapes), log.source.start
        if arrays.truncation is not None:
            self._index_arrays(log, arrays, start, text, False)
            if reading.limit is None:
                self._note_cut(log, arrays, start)
            return
        if not arrays.arrays:
            self._raise_without_messages(log)
        whole = (arrays.parsed and not reading.deep) or is_valid_json(text)
        self._index_arrays(log, arrays, start, text, whole)
        if not whole and not log.columns.has_mark(RecordMark.UNREADABLE):
            raise UnreadableLog(
                tr(
                    "{path} is not valid JSON, because the text before or after the messages is invalid. Check "
                    "that text.",
                    path=log.source.path,
                )
            )

    def add_all(self, columns: Columns, text: memoryview, spans: list[tuple[int, int]], offset: int) -> bool:
        """Index the records at `spans` of a text that begins at `offset`. Return False when one of them is not JSON."""
        sound = True
        for start, end in spans:
            sound = self.add_whole(columns, text[start:end], offset + start, offset + end) and sound
        return sound

    def add_whole(self, columns: Columns, raw: bytes | memoryview, start: int, end: int) -> bool:
        """Index one record in a fast check. Return False when it is not JSON.

        Bytes that nothing decodes are not judged.
        """
        return self.index_record(columns, bytes(raw), start, end)

    def _index_lines(self, log: Log, text: bytes) -> None:
        for start, end, piece in nonblank_lines(log.source.start, text):
            self.index_record(log.columns, piece, start, end)
        log.sequences.append(RecordSequence(0, len(log.columns)))

    def _index_arrays(self, log: Log, arrays: DocumentArrays, offset: int, text: bytes, whole: bool) -> None:
        for array_of_messages in arrays.arrays:
            low = len(log.columns)
            if whole:
                self.add_all(log.columns, memoryview(text), array_of_messages.spans, offset)
            else:
                for start, end in array_of_messages.spans:
                    self.index_record(log.columns, text[start:end], offset + start, offset + end)
            self._note_array(log, array_of_messages, low, offset)

    def _note_array(self, log: Log, array: MessageArray, low: int, offset: int) -> None:
        """Add a sequence of the records from `low` on, which are in this array of a text that begins at `offset`."""
        at = None if array.is_single_message else offset + array.start
        context, root = (
            None if span is None else (offset + span[0], offset + span[1])
            for span in (array.enclosing_object, array.outermost_object)
        )
        sequence = RecordSequence(
            low, len(log.columns), at, context, root, array.is_single_message, array.is_response, array.pointer
        )
        log.sequences.append(sequence)

    def _note_cut(self, log: Log, arrays: DocumentArrays, offset: int) -> None:
        """Add the torn end of a document as one unreadable record at the end of the last array."""
        assert arrays.truncation is not None
        log.truncation = type(arrays.truncation)(offset + arrays.truncation.offset, arrays.truncation.closers)
        log.columns.add_record(
            log.truncation.offset, log.source.size, Role.OPAQUE, RecordMark.UNREADABLE | RecordMark.GROUP_END
        )
        if log.sequences:
            log.sequences[-1].high += 1
        else:
            log.sequences.append(RecordSequence(0, 1))

    def describe(self, log: Log, session: Session) -> None:
        """Set the title of a conversation to the person's first words."""
        session.title = first_user_text(
            log, session.main_thread.path[:20], lambda raw: safe_first_words(self, raw, session.faults)
        )

    def system_prompt(self, log: Log, session: Session) -> str:
        containing = (
            sequence for sequence in log.sequences if session.records.start in range(sequence.low, sequence.high)
        )
        return requested_system_prompt(log, next(containing, None))

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        sessions = []
        for number, (sequence, low, high) in enumerate(_conversation_ranges(log, columns)):
            path = array("I", range(low, high))
            name = log.first_session + number
            session = Session(name, str(name), range(low, high), [Thread(path)], self.profile)
            session.stops_before_tool_calls = sequence is not None and sequence.is_response
            if sequence is not None:
                session.missing_part_reason = self.why_incomplete(log, columns, sequence, session.records)
                self.read_context(session, log, columns, sequence, raw)
            sessions.append(session)
        return sessions or [Session(0, "0", range(0), [Thread(array("I"))], self.profile)]

    def why_incomplete(self, log: Log, columns: Columns, sequence: RecordSequence, members: range) -> str:
        """Return why the other half of a call or result may be outside of the log, "" where it cannot be."""
        return ""

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        """Add to a session what the log says about its conversation outside of the messages."""

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        if not self.is_provider_api:
            return super().copy_steps(log, path)
        return NextSteps((tr("Send the messages in this file with your next request."),))

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the calls of a provider's newest response: the program runs them next."""
        return call_ids_of_newest_answer(columns, path) if session.stops_before_tool_calls else set()


class StructMessages(MessageArrays):
    """Messages whose index needs only what fits a struct. A fast check judges nothing else of them."""

    decode: LenientDecoder[Any]
    role_of_empty_message = ""
    """The role under which a message without role and content is sent, to be refused. "" where it is not sent."""

    @abstractmethod
    def add_decoded(self, columns: Columns, start: int, end: int, message: Any, odd: bool, /) -> None:
        """Index a message. An `odd` one had another shape."""

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        known = self.decode.decode_strict(raw)
        message, odd = known or self.decode(raw), known is None
        if self.role_of_empty_message and not message.role and is_empty_message(parse_json(raw)):
            message.role, odd = self.role_of_empty_message, False
        self.add_decoded(columns, start, end, message, odd)

    def add_whole(self, columns: Columns, raw: bytes | memoryview, start: int, end: int) -> bool:
        message = self.decode.decode_strict(raw)
        if message is None or not message.role or may_be_too_deep(raw):
            return self.index_record(columns, bytes(raw), start, end)
        self.add_decoded(columns, start, end, message, False)
        return True


class BatchIndexedMessages(StructMessages):
    """Messages of a wire of which many are indexed at once. `is_odd` says which of them need a closer look."""

    is_odd: Callable[[Any], bool]
    add_messages: Callable[[Columns, list[Any], list[tuple[int, int]], int, list[int]], None]

    def add_decoded(self, columns: Columns, start: int, end: int, message: Any, odd: bool) -> None:
        mark = RecordMark.MAYBE_MALFORMED if odd or self.is_odd(message) else 0
        self.add_messages(columns, [message], [(start, end)], 0, [mark])

    def add_all(self, columns: Columns, text: memoryview, spans: list[tuple[int, int]], offset: int) -> bool:
        decoded = (self.decode.decode_strict(text[start:end]) for start, end in spans)
        messages = [message for message in decoded if message is not None and message.role]
        if len(messages) < len(spans):
            return super().add_all(columns, text, spans, offset)
        marks = [RecordMark.MAYBE_MALFORMED if self.is_odd(message) else 0 for message in messages]
        self.add_messages(columns, messages, spans, offset, marks)
        return True


def newest_provider_and_model(
    columns: Columns, path: Iterable[int], raw: ReadRecord, provider: str, model: str
) -> tuple[str, str]:
    """Return provider and model at two pointers of the newest response, "" where none of the last few has them."""
    responses = [record for record in path if columns.roles[record] == Role.ASSISTANT]
    for record in reversed(responses[-_NEWEST_ANSWERS:]):
        values = [value_at(parse_json(raw(record)), pointer) for pointer in (provider, model)]
        if any(values):
            return str(values[0] or ""), str(values[1] or "")
    return "", ""


def role_of_message(message: dict[str, Any]) -> str:
    """Return the role of a message, "" when it is not a string."""
    role = message.get("role")
    return role if isinstance(role, str) else ""


def is_empty_message(message: Any, content: str = "content") -> bool:
    """Return whether an element of an array of messages is empty: no object, or an object without content.

    It may have a role, and no other member: an element with more may be of another program.
    """
    if not isinstance(message, dict):
        return True
    known = message.keys() <= {"role", content} and isinstance(message.get("role"), str | None)
    return known and not message.get(content)


def call_ids_of_newest_answer(columns: Columns, path: array[int]) -> set[str]:
    """Return the ids of the calls of the newest message of the assistant, even if results follow it."""
    ids: set[str] = set()
    seen_assistant = False
    for record in reversed(path):
        role = columns.roles[record]
        if role == Role.ASSISTANT:
            seen_assistant = True
            rows = columns.block_rows(record)
            ids.update(columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == BlockKind.CALL)
        elif role == Role.USER or (role == Role.TOOL and seen_assistant):
            break
    return ids


def _next_part(part: Log) -> Log:
    """Return an empty part for what follows a part of a log."""
    columns = Columns(part.columns.first_number + len(part.columns))
    following = Log(part.source, part.format, columns, [], deeply_checked=part.deeply_checked, is_part=True)
    following.first_session = part.first_session + len(part.sessions)
    following.last_counted_line = part.last_counted_line
    return following


def _add_damaged_lines(log: Log, spans: list[tuple[int, int]]) -> None:
    """Add lines that are not JSON to the conversation that comes next, and empty the list."""
    for start, end in spans:
        log.sequences.append(RecordSequence(len(log.columns), len(log.columns) + 1))
        log.columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)
    spans.clear()


def _conversation_ranges(log: Log, columns: Columns) -> list[tuple[RecordSequence | None, int, int]]:
    """Return the record ranges of the conversations in `columns`, which may have added and dropped records.

    An added record belongs to the conversation of the original one before it; a record that was put first, to the one
    after it.
    """
    only = len(log.sequences) == 1
    sequences = [
        sequence for sequence in log.sequences if sequence.array_start is not None or sequence.is_single_message or only
    ]
    if len(sequences) < 2:
        sequence = sequences[0] if sequences else None
        return [(sequence, 0, len(columns))] if len(columns) or sequences else []
    original = len(log.columns)
    bounds: list[tuple[RecordSequence | None, int, int]] = []
    position = 0
    for sequence in sequences:
        start = position
        while position < len(columns) and not sequence.high <= _original_slot(columns, position, original) < original:
            position += 1
        bounds.append((sequence, start, position))
    # What follows the last conversation, such as a torn line, belongs to it.
    bounds[-1] = (*bounds[-1][:2], len(columns))
    return bounds


def _original_slot(columns: Columns, record: int, originals: int) -> int:
    """Return the stable number of a record, or that of the next original record for one that was put first."""
    slots, first = columns.stable_numbers, columns.first_number
    if columns.marks[record] & RecordMark.INSERTED_FIRST:
        record = next((later for later in range(record + 1, len(slots)) if slots[later] - first < originals), record)
    return slots[record] - first
