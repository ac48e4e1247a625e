"""What a log shows of the running of a call: the terms in which formats tell of it."""

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

from msgspec import Struct

from inspector.core.index.place import RecordLocation


class Weight(IntEnum):
    """How much a trace shows. MENTIONED: the log speaks of the call, which does not show that it was begun.

    STARTED: it was begun, its end was not seen. RAN: its end, its outcome or its effect was seen.
    """

    MENTIONED = 1
    STARTED = 2
    RAN = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class Trace(Struct, frozen=True):
    """One piece of evidence: `record` shows it (None: something beside the log does), `sentence` says what it is.

    `line` is that of the record, None where the log has none, `place` the whole of where it stands. Both are filled in
    by who asks a format.
    """

    strength: Weight
    sentence: str
    record: int | None = None
    line: int | None = None
    place: RecordLocation | None = None


class TracedCall(Struct, frozen=True):
    """A call whose running is asked about. `input` is parsed; `until` is the record to look to, -1 for the whole log.

    `uuid` is the id of its record, "" where records have none.
    """

    record: int
    ordinal: int
    pointer: str
    id: str
    name: str
    input: Any
    uuid: str = ""
    until: int = -1


def newest_before(records: Iterable[int], told: Callable[[int], str]) -> dict[int, str]:
    """For each of `records`, which ascend, what the newest record before it tells; none where no record tells it."""
    found: dict[int, str] = {}
    newest, at = "", 0
    for record in records:
        newest = next(filter(None, map(told, range(record - 1, at - 1, -1))), newest)
        at = record
        if newest:
            found[record] = newest
    return found
