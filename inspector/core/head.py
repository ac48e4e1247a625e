"""The first quarter megabyte of a log, parsed as far as it goes: what the formats score to tell which one it is."""

from functools import cached_property
from typing import Any

import orjson

from inspector.core.containers.document import message_arrays
from inspector.core.json_text import is_sound, value_of
from inspector.core.source import HEAD, Source

_SAMPLE = 60


class Head:
    """A look at the start of a log.

    `lines` are the objects of the first whole lines, `bad_lines` how many of those are no JSON; `is_lines` tells JSON
    Lines from one document. `messages` are the first objects of the first arrays of messages.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.text = source.read(source.start, source.start + HEAD)
        self.whole = source.size - source.start <= HEAD
        self.path = source.path
        pieces = self.text.split(b"\n")
        if not self.whole:
            pieces.pop()
        self.lines: list[dict[str, Any]] = []
        self.bad_lines = 0
        self.odd_lines = 0
        for piece in pieces[:_SAMPLE]:
            self._look_at(piece)
        # A line of an indented document can be an object by chance; in JSON Lines most lines are.
        self.is_lines = len(self.lines) > self.bad_lines and self.text.lstrip(b"\0 \t\r\n")[:1] == b"{"

    def _look_at(self, piece: bytes) -> None:
        if not piece.strip():
            return
        if not is_sound(piece):
            self.bad_lines += 1
            return
        value = value_of(piece)
        if isinstance(value, dict):
            self.lines.append(value)
        else:
            self.odd_lines += 1

    @cached_property
    def empty(self) -> bool:
        """Whether there is nothing at all but white space."""
        return self.whole and not self.text.strip()

    @cached_property
    def context(self) -> dict[str, Any]:
        """The members around the first array of messages (a request body's model, say) that can be read."""
        start = self.text.lstrip()[:1]
        if self.is_lines:
            return self.lines[0]
        if start != b"{" or not self.whole:
            return {}
        try:
            value = orjson.loads(self.text)
        except orjson.JSONDecodeError:
            return {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def messages(self) -> list[dict[str, Any]] | None:
        """The first messages of a document or of lines with conversations; None when there is no array of messages."""
        found = self._messages_in(self.text)
        if found is None and not self.whole and not self.is_lines and self.text.lstrip()[:1] == b"{":
            # Benchmark runs keep pages of settings before the first conversation.
            found = self._messages_in(self._source.read(self._source.start, self._source.size))
        return found

    def _messages_in(self, whole_text: bytes) -> list[dict[str, Any]] | None:
        texts = [whole_text]
        if self.is_lines:
            texts = [line for line in self.text.split(b"\n")[:_SAMPLE] if line.strip()]
        found: list[dict[str, Any]] = []
        any_array = False
        for text in texts:
            for array in message_arrays(text).found[:20]:
                any_array = True
                for start, end in array.spans[:_SAMPLE]:
                    try:
                        value = orjson.loads(text[start:end])
                    except orjson.JSONDecodeError:
                        continue
                    found.append(value if isinstance(value, dict) else {})
        return found if any_array else None
