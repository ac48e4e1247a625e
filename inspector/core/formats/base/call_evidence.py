"""The evidence in a log that a call was run.

There is none for a format that is no `CallEvidenceSource`.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any

from msgspec import Struct

from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log
from inspector.core.model.views import RecordLocation
from inspector.core.storage.json_text import parse_json, text_at
from inspector.core.translation import tr

TOOL_STARTED = tr("The log shows that the tool was started.")


class EvidenceStrength(IntEnum):
    """How much a piece of evidence shows.

    MENTIONED: the log speaks of the call, which does not show that it was started. STARTED: it was started, its end was
    not seen. RAN: its end, its outcome or its effect was seen.
    """

    MENTIONED = 1
    STARTED = 2
    RAN = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class EvidenceItem(Struct, frozen=True):
    """One piece of evidence for a call.

    `record` is the record that shows it, None for something outside of the log, and `sentence` says what it is. The
    caller of a format fills in `line`, the line of that record (None where the log has none), and `place`, its whole
    location.
    """

    strength: EvidenceStrength
    sentence: str
    record: int | None = None
    line: int | None = None
    place: RecordLocation | None = None


class EvidenceQuery(Struct, frozen=True):
    """A call that evidence is looked up for.

    `input` is parsed. `until` is the last record to look at, -1 for the whole log. `uuid` is the id of its record, ""
    where records have none.
    """

    record: int
    ordinal: int
    pointer: str
    id: str
    name: str
    input: Any
    uuid: str = ""
    until: int = -1


def newest_value_before_each(records: Iterable[int], value_of: Callable[[int], str]) -> dict[int, str]:
    """Return the newest value before each of `records`, which ascend.

    `value_of` reads the value of a record, "" where it has none. A record without a value before it is left out.
    """
    values: dict[int, str] = {}
    newest, previous = "", 0
    for record in records:
        newest = next(filter(None, map(value_of, range(record - 1, previous - 1, -1))), newest)
        previous = record
        if newest:
            values[record] = newest
    return values


class CallEvidenceSource:
    """The interface that looks up evidence for calls without a result. This base class finds none."""

    call_record_id_members: tuple[str, ...] = ()
    """The members in which a later record names the record of a call by its id."""

    folder_pointer = ""
    """The pointer to the folder in a record that the agent worked in."""

    def evidence_in(self, row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
        """Return the evidence for a call in a record that names it, None for none. `row` is its JSON value.

        `own` says that it is the record of the call itself, which is looked at where calls hold their results. Another
        record shows the same for all calls of one record with one id. The caller fills in the place.
        """
        return None

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        """Yield the evidence in files next to the log, with the number of the call. Only small files are read."""
        return iter(())

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        """Return the folder that the agent worked in at each of these ascending records, where the log names it."""
        folders = (
            (record, text_at(parse_json(raw(record)), self.folder_pointer)) for record in records if self.folder_pointer
        )
        return {record: folder for record, folder in folders if folder}


_NO_EVIDENCE = CallEvidenceSource()


def call_evidence_source_of(format: object) -> CallEvidenceSource:
    """Return the evidence provider of a format, one that finds nothing where the format is none."""
    return format if isinstance(format, CallEvidenceSource) else _NO_EVIDENCE
