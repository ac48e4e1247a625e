"""The messages within lines that a repair adds or salvages, each of which is a record of the draft.

In some formats a line holds messages, which are records of their own. A line that could not be read has none, so they
are added when the draft gets the line. A change of one is written into its line. It can be neither dropped nor moved,
because such formats name messages by number.
"""

from msgspec import Struct


class _Place(Struct):
    """The slot of the line that holds a message, and where in the line it is."""

    line: int
    start: int
    end: int


class MessagesInLines:
    """The places of messages in lines, by their slots."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}
        self._lines: set[int] = set()

    def is_message(self, slot: int) -> bool:
        return slot in self._places

    def is_known(self, slot: int) -> bool:
        """Return whether a slot is such a message, or a line whose messages are known."""
        return slot in self._places or slot in self._lines

    def line_of(self, slot: int) -> int:
        """Return the slot of the line that holds a message, for any other record its own slot."""
        return self._places[slot].line if slot in self._places else slot

    def add(self, slot: int, line: int, start: int, end: int) -> None:
        self._places[slot] = _Place(line, start, end)
        self._lines.add(line)

    def replace_in_line(self, slot: int, text: bytes, line: bytes) -> bytes:
        """Return a line in which a message has another text."""
        place = self._places[slot]
        changed = line[: place.start] + text + line[place.end :]
        by = len(changed) - len(line)
        for other in self._places.values():
            if other.line == place.line and other.start > place.start:
                other.start, other.end = other.start + by, other.end + by
        place.end += by
        return changed
