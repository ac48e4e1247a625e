"""The logs of a machine or a folder as JSON."""

from collections.abc import Iterable
from datetime import UTC, datetime

from inspector.core.reports.head import encode_document
from inspector.core.stores.log_entry import LogEntry


def log_list_json(found: Iterable[LogEntry]) -> bytes:
    """The list as JSON."""
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
    return encode_document({"logs": rows})
