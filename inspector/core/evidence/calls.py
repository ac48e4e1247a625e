"""The calls of a thread that are asked about, as the search and the reports need them."""

from typing import Any

from inspector.core.bytes.json_text import parse_json
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.isolated import view_of
from inspector.core.formats.bases.traces import TracedCall
from inspector.core.index.columns import Columns, ReadRecord
from inspector.core.index.views import BlockView


def evidence_queries(
    format: Format,
    columns: Columns,
    raw: ReadRecord,
    rows: list[int],
    faults: list[str],
    search_limits: list[int] | None = None,
) -> list[TracedCall]:
    """The calls in these block rows. `until` gives for each the record to look to, `faults` hears what fails."""
    found = []
    views: dict[str, BlockView] = {}
    shown = -1
    for number, row in enumerate(rows):
        record = columns.record_of_block(row)
        if record != shown:
            blocks = view_of(format, raw(record), faults).blocks
            # Of several at one pointer the first.
            views, shown = {view.pointer: view for view in reversed(blocks)}, record
        ordinal = row - columns.first_block[record]
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
            search_limits[number] if search_limits is not None else -1,
        )
        found.append(call)
    return found


def _input(text: str) -> Any:
    """The input of a call as it was given: JSON where it is some, else its text (a patch)."""
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return text
