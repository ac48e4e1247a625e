"""What a log shows of the running of its calls; of a format that is no `Tracer`, nothing is known.

Merged; to be rewritten:
`traces`: What a log shows of the running of a call: the terms in which formats tell of it.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any

from msgspec import Struct

from inspector.core.model.columns import Columns, ReadRecord
from inspector.core.model.session import Log
from inspector.core.model.views import RecordLocation
from inspector.core.storage.json_text import parse_json, text_at

# What a log shows of the running of a call: the terms in which formats tell of it.


class EvidenceStrength(IntEnum):
    """How much a trace shows. MENTIONED: the log speaks of the call, which does not show that it was begun.

    STARTED: it was begun, its end was not seen. RAN: its end, its outcome or its effect was seen.
    """

    MENTIONED = 1
    STARTED = 2
    RAN = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class EvidenceItem(Struct, frozen=True):
    """One piece of evidence: `record` shows it (None: something beside the log does), `sentence` says what it is.

    `line` is that of the record, None where the log has none, `place` the whole of where it stands. Both are filled in
    by who asks a format.
    """

    strength: EvidenceStrength
    sentence: str
    record: int | None = None
    line: int | None = None
    place: RecordLocation | None = None


class EvidenceQuery(Struct, frozen=True):
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


def newest_value_before(records: Iterable[int], told: Callable[[int], str]) -> dict[int, str]:
    """For each of `records`, which ascend, what the newest record before it tells; none where no record tells it."""
    found: dict[int, str] = {}
    newest, at = "", 0
    for record in records:
        newest = next(filter(None, map(told, range(record - 1, at - 1, -1))), newest)
        at = record
        if newest:
            found[record] = newest
    return found


class EvidenceProvider:
    """Asked about the calls that nothing answers. As it stands: nothing is known."""

    call_record_members: tuple[str, ...] = ()
    """Members in which a later record names the record of a call by its id."""

    folder_pointer = ""
    """Where a record names the folder that the agent worked in, as a pointer."""

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        """What a record that names a call shows of its running, None for nothing. `row` is its JSON value.

        With `own` it is the very record that holds the call, asked where calls are `inline`. Its place is filled in by
        who asks.
        """
        return None

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        """What files beside the log show of the running of its calls, by number. Small files are read, never others."""
        return iter(())

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        """The folder that the agent worked in at each of these records, which are in order, as far as the log tells."""
        told = (
            (record, text_at(parse_json(raw(record)), self.folder_pointer)) for record in records if self.folder_pointer
        )
        return {record: folder for record, folder in told if folder}


_NO_EVIDENCE = EvidenceProvider()


def evidence_provider_of(format: object) -> EvidenceProvider:
    """Who tells for a format what a log shows of its calls."""
    return format if isinstance(format, EvidenceProvider) else _NO_EVIDENCE
