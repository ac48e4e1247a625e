"""What a log shows of the running of its calls; of a format that is no `Tracer`, nothing is known."""

from collections.abc import Iterator
from typing import Any

from inspector.core.bytes.json_text import parse_json, text_at
from inspector.core.formats.bases.traces import Trace, TracedCall
from inspector.core.index.columns import Columns, ReadRecord
from inspector.core.index.session import Log


class Tracer:
    """Asked about the calls that nothing answers. As it stands: nothing is known."""

    call_record_members: tuple[str, ...] = ()
    """Members in which a later record names the record of a call by its id."""

    folder_pointer = ""
    """Where a record names the folder that the agent worked in, as a pointer."""

    def evidence_in(self, row: Any, call: TracedCall, own: bool) -> Trace | None:
        """What a record that names a call shows of its running, None for nothing. `row` is its JSON value.

        With `own` it is the very record that holds the call, asked where calls are `inline`. Its place is filled in by
        who asks.
        """
        return None

    def evidence_beside(self, log: Log, calls: list[TracedCall]) -> Iterator[tuple[int, Trace]]:
        """What files beside the log show of the running of its calls, by number. Small files are read, never others."""
        return iter(())

    def folders_at(self, columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
        """The folder that the agent worked in at each of these records, which are in order, as far as the log tells."""
        told = (
            (record, text_at(parse_json(raw(record)), self.folder_pointer)) for record in records if self.folder_pointer
        )
        return {record: folder for record, folder in told if folder}


_NOTHING_KNOWN = Tracer()


def tracer_of(format: object) -> Tracer:
    """Who tells for a format what a log shows of its calls."""
    return format if isinstance(format, Tracer) else _NOTHING_KNOWN
