"""What the formats share that are API messages in JSON: arrays of messages, or a message or a conversation a line."""

from abc import abstractmethod
from array import array
from collections.abc import Callable
from typing import Any

from inspector.core.columns import Columns, Mark, Role
from inspector.core.containers.document import Arrays, message_arrays
from inspector.core.containers.lines import lines_of
from inspector.core.errors import UnreadableLog
from inspector.core.formats.format import Format, Reading
from inspector.core.json_text import is_sound
from inspector.core.layout import Sequence
from inspector.core.session import Log, Session, Thread
from inspector.core.source import Source
from inspector.core.views import BlockKind


class MessageArrays(Format):
    """API messages in any of the containers that people keep them in. A conversation is a session."""

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
        first = text.lstrip()[:1]
        line, _, rest = text.partition(b"\n")
        if first == b"{" and is_sound(line) and self.message_a_line(line):
            self._index_lines(log, text)
        elif first == b"{" and rest.strip() and is_sound(line):
            for start, end, piece in lines_of(source.start, text):
                if is_sound(piece):
                    self._index_arrays(log, message_arrays(piece), start, piece)
                else:
                    log.sequences.append(Sequence(len(columns), len(columns) + 1))
                    columns.add_record(start, end, Role.OPAQUE, Mark.BAD)
        else:
            arrays = message_arrays(text)
            self._index_arrays(log, arrays, source.start, text)
            if arrays.cut is not None and reading.limit is None:
                self._note_cut(log, arrays, source.start)
            elif reading.limit is None and not columns.any_marked(Mark.BAD) and not is_sound(text):
                raise UnreadableLog(
                    f"{source.path} is no sound JSON, and not because of its messages: look at what stands around them."
                )
        log.sessions = self.sessions(log, columns, log.raw)
        return log

    def _index_lines(self, log: Log, text: bytes) -> None:
        for start, end, piece in lines_of(log.source.start, text):
            self.add(log.columns, piece, start, end)
        log.sequences.append(Sequence(0, len(log.columns)))

    def _index_arrays(self, log: Log, arrays: Arrays, offset: int, text: bytes) -> None:
        for found in arrays.found:
            low = len(log.columns)
            for start, end in found.spans:
                self.add(log.columns, text[start:end], offset + start, offset + end)
            context = None
            if found.context is not None:
                context = (offset + found.context[0], offset + found.context[1])
            log.sequences.append(Sequence(low, len(log.columns), offset + found.at, context))

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
        bounds = _bounds(log, columns)
        found = []
        for number, (low, high) in enumerate(bounds):
            path = array("I", range(low, high))
            found.append(Session(number, str(number), range(low, high), [Thread(path)], self.profile))
        return found or [Session(0, "0", range(0), [Thread(array("I"))], self.profile)]


def role_of(message: dict[str, Any]) -> str:
    """The role of a message, "" when it is none that could be one."""
    role = message.get("role")
    return role if isinstance(role, str) else ""


def _bounds(log: Log, columns: Columns) -> list[tuple[int, int]]:
    """The record ranges of the conversations in `columns`, which may hold added records and lack dropped ones.

    A record belongs to the conversation of the last original record at or before it.
    """
    arrays = [sequence for sequence in log.sequences if sequence.array is not None or len(log.sequences) == 1]
    if len(arrays) < 2:
        return [(0, len(columns))] if len(columns) or arrays else []
    original = len(log.columns)
    bounds: list[tuple[int, int]] = []
    at = 0
    for sequence in arrays:
        start = at
        while at < len(columns):
            slot = columns.slots[at]
            if slot < original and slot >= sequence.high:
                break
            at += 1
        bounds.append((start, at))
    # What stands behind the last conversation (a torn line) is told with it.
    bounds[-1] = (bounds[-1][0], len(columns))
    return bounds
