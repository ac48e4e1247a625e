"""The calls of a thread that are asked about, as the search and the reports need them."""

from typing import Any

from inspector.core.bytes.json_text import value_of
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.isolated import view_of
from inspector.core.formats.bases.traces import TracedCall
from inspector.core.index.columns import Columns, RawOf
from inspector.core.index.views import BlockView


def traced(
    format: Format, columns: Columns, raw: RawOf, rows: list[int], faults: list[str], until: list[int] | None = None
) -> list[TracedCall]:
    """The calls in these block rows. `until` gives for each the record to look to, `faults` hears what fails."""
    found = []
    views: dict[str, BlockView] = {}
    shown = -1
    for number, row in enumerate(rows):
        record = columns.record_of(row)
        if record != shown:
            blocks = view_of(format, raw(record), faults).blocks
            # Of several at one pointer the first.
            views, shown = {view.pointer: view for view in reversed(blocks)}, record
        ordinal = row - columns.first[record]
        pointer = format.pointer(columns, record, ordinal)
        text = views[pointer].text if pointer in views else ""
        call = TracedCall(
            record,
            ordinal,
            pointer,
            columns.call_ids[row] or "",
            columns.names[row] or "",
            _input(text),
            columns.uuids[record] or "",
            until[number] if until is not None else -1,
        )
        found.append(call)
    return found


def _input(text: str) -> Any:
    """The input of a call as it was given: JSON where it is some, else its text (a patch)."""
    try:
        return value_of(text.encode("utf-8", "replace"))
    except ValueError:
        return text
