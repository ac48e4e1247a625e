"""Opening a log: find its format and read it into columns; or only its head, so that the first rows show at once."""

from __future__ import annotations

from inspector.core.errors import UnreadableLog
from inspector.core.formats import detect, format_named
from inspector.core.formats.format import Reading
from inspector.core.head import Head
from inspector.core.session import Log
from inspector.core.source import Source

DEEP_UP_TO = 16 * 1024 * 1024


def open_log(source: Source, format_name: str = "", reading: Reading | None = None) -> Log:
    """Find the format (unless it is named) and read the log. Raises UnreadableLog, UnknownName, Cancelled."""
    head = Head(source)
    if head.empty:
        raise UnreadableLog(f"{source.path} is empty: there is nothing to read in it.")
    format = format_named(format_name) if format_name else detect(head)
    if reading is None:
        reading = Reading()
    if not reading.deep and source.size <= DEEP_UP_TO:
        reading = Reading(True, reading.limit, reading.progress, reading.cancelled)
    return format.index(source, reading)
