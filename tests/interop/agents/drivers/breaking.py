"""How a healthy log is broken: what happened to a result, to a call, to a line. EDITS is the table.

An edit works on the records of the first exchange, which has one call, where its name does not say "last". A layout
says what the records of an agent are; records that name their parents are linked anew, as if the agent had never
written what is gone.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Records = list[Record]
COPY_ID = "00000000-0000-4000-8000-000000000002"
SAID = b"Now alpha."  # the first text of the model


class Breaking(ABC):
    """What can happen to the log of an agent."""

    @abstractmethod
    def breaks(self, path: Path, how: str) -> bool:
        """Break the log; False when it cannot be broken so."""

    @abstractmethod
    def results(self, path: Path) -> str:
        """All that stands as a result in a log, as text."""


@dataclass(frozen=True)
class Layout(Breaking):
    """The records of a log. `together` is what the records of one message have in common."""

    call: Callable[[Record], Any]
    result: Callable[[Record], Any]
    message: Callable[[Record], Any]
    together: Callable[[Record], Any] = lambda record: None
    id: str = ""
    parent: str = ""
    ordinal: str = ""

    def breaks(self, path: Path, how: str) -> bool:
        if how in DAMAGES:
            return self.damage(path, DAMAGES[how])
        if how in BYTES:
            path.write_bytes(BYTES[how](self, path.read_bytes()))
            return True
        if how in CHARACTERS:
            path.write_bytes(path.read_bytes().replace(SAID, CHARACTERS[how]))
            return True
        records = EDITS[how](self, self.read(path))
        for number, record in enumerate(records):
            if self.ordinal:
                record[self.ordinal] = number
        self.write(path, records)
        return True

    def read(self, path: Path) -> Records:
        """The records; a line that is none is left out."""
        return [record for line in path.read_bytes().splitlines() if (record := record_of(line)) is not None]

    def write(self, path: Path, records: Records) -> None:
        path.write_bytes(b"".join(_line(record) for record in records))

    def results(self, path: Path) -> str:
        return "".join(map(json.dumps, filter(self.result, self.read(path))))

    def damage(self, path: Path, damage: Callable[["Layout", Records], tuple[int, bool]]) -> bool:
        """Half of a line is gone, and the lines behind it, unless they stay."""
        records = self.read(path)
        at, rest_stays = damage(self, records)
        lines = path.read_bytes().splitlines(keepends=True)
        half = lines[at][: len(lines[at]) // 2]
        path.write_bytes(b"".join(lines[:at]) + half + (b"\n" + b"".join(lines[at + 1 :]) if rest_stays else b""))
        return True

    def first(self, what: Callable[[Record], Any], records: Records) -> int:
        return next(at for at, record in enumerate(records) if what(record))

    def last_message(self, records: Records) -> int:
        return max(at for at, record in enumerate(records) if self.message(record))

    def first_message_with_call(self, records: Records) -> int:
        """Where the message begins that holds the first call."""
        at = self.first(self.call, records)
        key = self.together(records[at])
        return at if key is None else self.first(lambda record: self.together(record) == key, records)

    def without(self, records: Records, at: int) -> Records:
        gone = records[at]
        rest = records[:at] + records[at + 1 :]
        for record in rest:
            if self.parent and record.get(self.parent) == gone.get(self.id):
                record[self.parent] = gone[self.parent]
        return rest

    def inserted(self, records: Records, at: int, new: Record) -> Records:
        """With a record before another, between it and its parent; at the end it is a child of the last."""
        if self.parent:
            linked = [record for record in records[at:] if record.get(self.id)]
            before = [record for record in records[:at] if record.get(self.id)]
            new[self.parent] = linked[0][self.parent] if linked else before[-1][self.id]
            if linked:
                linked[0][self.parent] = new[self.id]
        return [*records[:at], new, *records[at:]]


def record_of(line: bytes) -> Record | None:
    """A JSON object, None where there is none."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return None


def _line(record: Record) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _result_lost(layout: Layout, records: Records) -> Records:
    return layout.without(records, layout.first(layout.result, records))


def _last_result_lost(layout: Layout, records: Records) -> Records:
    """One of two that stand side by side, where each is a record."""
    return layout.without(records, max(at for at, record in enumerate(records) if layout.result(record)))


def _result_late(layout: Layout, records: Records) -> Records:
    """Behind the last message."""
    at = layout.first(layout.result, records)
    result, rest = records[at], layout.without(records, at)
    return layout.inserted(rest, layout.last_message(rest) + 1, result)


def _result_early(layout: Layout, records: Records) -> Records:
    """Before the whole message of its call."""
    at = layout.first(layout.result, records)
    result, rest = records[at], layout.without(records, at)
    return layout.inserted(rest, layout.first_message_with_call(rest), result)


def _result_twice(layout: Layout, records: Records) -> Records:
    at = layout.first(layout.result, records)
    copy = json.loads(json.dumps(records[at])) | ({layout.id: COPY_ID} if layout.id else {})
    return layout.inserted(records, at + 1, copy)


def _call_lost(layout: Layout, records: Records) -> Records:
    return layout.without(records, layout.first(layout.call, records))


EDITS: dict[str, Callable[[Layout, Records], Records]] = {
    "result lost": _result_lost,
    "last result lost": _last_result_lost,
    "result late": _result_late,
    "result early": _result_early,
    "result twice": _result_twice,
    "call lost": _call_lost,
}
DAMAGES: dict[str, Callable[[Layout, Records], tuple[int, bool]]] = {
    "torn last line": lambda layout, records: (layout.last_message(records), False),
    "damaged middle": lambda layout, records: (layout.first(layout.result, records), True),
}


def _fused(layout: Layout, log: bytes) -> bytes:
    """The first result and the record after it are on one line."""
    lines = log.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if (record := record_of(line)) is not None and layout.result(record))
    return b"".join([*lines[:at], lines[at].rstrip(b"\n"), *lines[at + 1 :]])


def _with_behind(text: bytes, layout: Layout, log: bytes) -> bytes:
    """A text behind the first result, on its line."""
    lines = log.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if (record := record_of(line)) is not None and layout.result(record))
    return b"".join([*lines[:at], lines[at].rstrip(b"\n"), text, b"\n", *lines[at + 1 :]])


BYTES: dict[str, Callable[[Layout, bytes], bytes]] = {
    "fused lines": _fused,
    "zero bytes behind a record": partial(_with_behind, bytes(20)),
    "text behind a record": partial(_with_behind, b"}"),
}
# What becomes of the model's first text, wherever it is.
CHARACTERS = {"broken characters": b"Now \xf0\x9f\x98 alpha.", "half a character": b"Now \\ud83d alpha."}
