"""The calls of a thread that are asked about, as the search and the reports need them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector.core.bytes.json_text import value_of
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.traces import TracedCall
from inspector.core.index.columns import Columns
from inspector.core.index.views import BlockView


def traced(
    format: Format, columns: Columns, raw: Callable[[int], bytes], rows: list[int], until: list[int] | None = None
) -> list[TracedCall]:
    """The calls in these block rows. `until` gives for each the record to look to."""
    found = []
    views: dict[str, BlockView] = {}
    shown = -1
    for number, row in enumerate(rows):
        record = columns.record_of(row)
        if record != shown:
            views, shown = _views(format, raw(record)), record
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


def _views(format: Format, raw: bytes) -> dict[str, BlockView]:
    """The blocks of a record by their pointer, of several at one the first."""
    try:
        return {view.pointer: view for view in reversed(format.view(raw).blocks)}
    except (ValueError, KeyError):
        return {}


def _input(text: str) -> Any:
    """The input of a call as it was given: JSON where it is some, else its text (a patch)."""
    try:
        return value_of(text.encode("utf-8", "replace"))
    except ValueError:
        return text
