"""What the formats share that are API messages in JSON: arrays of messages, or a message or a conversation a line."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Callable
from typing import Any

from inspector.core.columns import Columns, Mark, Role
from inspector.core.containers.document import SHAPES, Arrays, Shapes, message_arrays
from inspector.core.containers.lines import lines_of
from inspector.core.errors import NotThisFormat, UnreadableLog
from inspector.core.formats.format import Format, Reading
from inspector.core.json_text import is_sound
from inspector.core.layout import Sequence
from inspector.core.session import Log, Session, Thread
from inspector.core.source import HEAD, Source
from inspector.core.spans import skip_space
from inspector.core.views import BlockKind


class MessageArrays(Format):
    """API messages in any of the containers that people keep them in. A conversation is a session.

    `shapes` says under which keys: an array of messages, or what a provider has just answered.
    """

    shapes: Shapes = SHAPES
    container = "JSON document or JSON Lines"
    api = True

    @abstractmethod
    def message_a_line(self, first: bytes) -> bool:
        """Whether this line is a message itself, rather than holding an array of them."""

    def index(self, source: Source, reading: Reading) -> Log:
        columns = Columns()
        log = Log(source, self.name, columns, [], deep=reading.deep)
        text = source.read(source.start, source.size)
        if reading.limit is not None:
            text = text[: reading.limit]
        first = skip_space(text, 0)
        line_end = text.find(b"\n", first)
        several = line_end >= 0 and skip_space(text, line_end) < len(text)
        line = text[:line_end] if several else text[:HEAD]
        log.one_line = not several and b"\n" not in text[:first]
        is_lines = text[first : first + 1] == b"{" and is_sound(line)
        if is_lines and self.message_a_line(line):
            self._index_lines(log, text)
        elif is_lines and several:
            self._index_conversations(log, text)
        else:
            self._index_document(log, text, reading)
        log.sessions = self.sessions(log, columns, log.raw)
        return log

    def _index_conversations(self, log: Log, text: bytes) -> None:
        """A line holds a conversation."""
        for start, end, piece in lines_of(log.source.start, text):
            if is_sound(piece):
                self._index_arrays(log, message_arrays(piece, self.shapes), start, piece, True)
            else:
                log.sequences.append(Sequence(len(log.columns), len(log.columns) + 1))
                log.columns.add_record(start, end, Role.OPAQUE, Mark.BAD)

    def _index_document(self, log: Log, text: bytes, reading: Reading) -> None:
        """The text is one value. A parser has looked at all of it by now, and only a deep look does it once more."""
        arrays, start = message_arrays(text, self.shapes), log.source.start
        if arrays.cut is not None:
            self._index_arrays(log, arrays, start, text, False)
            if reading.limit is None:
                self._note_cut(log, arrays, start)
            return
        if not arrays.found:
            raise NotThisFormat(f"{log.source.path} holds no messages where {self.label} keeps them.")
        whole = (arrays.parsed and not reading.deep) or is_sound(text)
        self._index_arrays(log, arrays, start, text, whole)
        if not whole and not log.columns.any_marked(Mark.BAD):
            raise UnreadableLog(
                f"{log.source.path} is no sound JSON, and not because of its messages: look at what stands around them."
            )

    def add_all(self, columns: Columns, text: memoryview, spans: list[tuple[int, int]], offset: int) -> None:
        """Index the records at `spans` of a text that is known to be JSON and begins at `offset`."""
        for start, end in spans:
            self.add_whole(columns, text[start:end], offset + start, offset + end)

    def add_whole(self, columns: Columns, raw: bytes | memoryview, start: int, end: int) -> bool:
        """Index one record that is known to be JSON; in a fast check, bytes that nothing decodes are not judged."""
        return self.add(columns, bytes(raw), start, end)

    def _index_lines(self, log: Log, text: bytes) -> None:
        for start, end, piece in lines_of(log.source.start, text):
            self.add(log.columns, piece, start, end)
        log.sequences.append(Sequence(0, len(log.columns)))

    def _index_arrays(self, log: Log, arrays: Arrays, offset: int, text: bytes, whole: bool) -> None:
        for found in arrays.found:
            low = len(log.columns)
            if whole:
                self.add_all(log.columns, memoryview(text), found.spans, offset)
            else:
                for start, end in found.spans:
                    self.add(log.columns, text[start:end], offset + start, offset + end)
            at = None if found.alone else offset + found.at
            context, root = (
                None if span is None else (offset + span[0], offset + span[1]) for span in (found.context, found.root)
            )
            log.sequences.append(Sequence(low, len(log.columns), at, context, root, found.alone, found.reply))

    def _note_cut(self, log: Log, arrays: Arrays, offset: int) -> None:
        """The torn end of a document stands as one unreadable record at the end of the last array."""
        assert arrays.cut is not None
        log.cut = type(arrays.cut)(offset + arrays.cut.at, arrays.cut.closers)
        log.columns.add_record(log.cut.at, log.source.size, Role.OPAQUE, Mark.BAD)
        if log.sequences:
            log.sequences[-1].high += 1
        else:
            log.sequences.append(Sequence(0, 1))

    def describe(self, log: Log, session: Session) -> None:
        """The title of a conversation is what the person said first."""
        for record in session.main.path[:20]:
            if log.columns.roles[record] == Role.USER:
                views = self.view(log.raw(record)).blocks
                said = next((view.text.strip() for view in views if view.kind == BlockKind.TEXT), "")
                if said:
                    session.title = said.splitlines()[0][:120]
                    return

    def sessions(self, log: Log, columns: Columns, raw: Callable[[int], bytes]) -> list[Session]:
        found = []
        for number, (sequence, low, high) in enumerate(_bounds(log, columns)):
            path = array("I", range(low, high))
            session = Session(number, str(number), range(low, high), [Thread(path)], self.profile)
            session.answering = sequence is not None and sequence.reply
            if sequence is not None:
                session.elsewhere = self.elsewhere(log, columns, sequence, session.members)
                self.tell(session, log, columns, sequence, raw)
            found.append(session)
        return found or [Session(0, "0", range(0), [Thread(array("I"))], self.profile)]

    def elsewhere(self, log: Log, columns: Columns, sequence: Sequence, members: range) -> str:
        """Why the other half of a call or result of a conversation may lie outside of the log, "" where it cannot."""
        return ""

    def tell(
        self, session: Session, log: Log, columns: Columns, sequence: Sequence, raw: Callable[[int], bytes]
    ) -> None:
        """Note in a session what the log says of its conversation beside the messages."""

    def copy_steps(self, log: Log, path: str) -> tuple[tuple[str, ...], str]:
        if not self.api:
            return super().copy_steps(log, path)
        return ("Send its messages with your next request.",), ""

    def pending(self, session: Session, columns: Columns, path: array[int], raw: Callable[[int], bytes]) -> set[str]:
        """The calls that a provider has just answered with: the program runs them next."""
        return calls_at_end(columns, path) if session.answering else set()


def role_of(message: dict[str, Any]) -> str:
    """The role of a message, "" when it is none that could be one."""
    role = message.get("role")
    return role if isinstance(role, str) else ""


def request_around(log: Log, sequence: Sequence, span: tuple[int, int] | None) -> bytes:
    """The object around an array of messages (one of its spans), with the array emptied; b"" where there is none."""
    if span is None or sequence.array is None:
        return b""
    start, end = span
    last = log.columns.ends[sequence.high - 1] if sequence.high > sequence.low else sequence.array + 1
    return log.source.read(start, sequence.array + 1) + log.source.read(last, end)


def calls_at_end(columns: Columns, path: array[int]) -> set[str]:
    """The ids of the calls of the newest message of the assistant, results behind it or not."""
    found: set[str] = set()
    spoken = False
    for record in reversed(path):
        role = columns.roles[record]
        if role == Role.ASSISTANT:
            spoken = True
            rows = columns.rows(record)
            found.update(columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == BlockKind.CALL)
        elif role == Role.USER or (role == Role.TOOL and spoken):
            break
    return found


def _bounds(log: Log, columns: Columns) -> list[tuple[Sequence | None, int, int]]:
    """The record ranges of the conversations in `columns`, which may hold added records and lack dropped ones.

    A record belongs to the conversation of the last original record at or before it.
    """
    only = len(log.sequences) == 1
    found = [each for each in log.sequences if each.array is not None or each.alone or only]
    if len(found) < 2:
        sequence = found[0] if found else None
        return [(sequence, 0, len(columns))] if len(columns) or found else []
    original = len(log.columns)
    bounds: list[tuple[Sequence | None, int, int]] = []
    at = 0
    for sequence in found:
        start = at
        while at < len(columns):
            slot = columns.slots[at]
            if slot < original and slot >= sequence.high:
                break
            at += 1
        bounds.append((sequence, start, at))
    # What stands behind the last conversation (a torn line) is told with it.
    bounds[-1] = (*bounds[-1][:2], len(columns))
    return bounds
