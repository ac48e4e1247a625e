"""The logs of a machine or a folder as JSON."""

from collections.abc import Iterable
from datetime import UTC, datetime

from inspector.core.bytes.json_text import text_of
from inspector.core.showing.machine_answers import LogEntry
from inspector.version import __version__

SCHEMA = 1


def sessions_json(found: Iterable[LogEntry]) -> bytes:
    """The list as JSON, schema 1: fields may be added, never changed."""
    rows = [
        {
            "path": entry.path,
            "format": entry.format,
            "agent": entry.agent,
            "project": entry.project or None,
            "title": entry.title or None,
            "modified": datetime.fromtimestamp(entry.modified, UTC).isoformat(timespec="seconds"),
            "size": entry.size,
        }
        for entry in found
    ]
    head = {"schema": SCHEMA, "tool": f"transcript-inspector {__version__}", "logs": rows}
    return text_of(head) + b"\n"
