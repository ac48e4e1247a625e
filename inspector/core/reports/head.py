"""What every report as JSON begins with. Schema 1: fields may be added, never changed."""

from typing import Any

from inspector.core.bytes.json_text import dump_json
from inspector.version import __version__

JSON_HEADER: dict[str, Any] = {"schema": 1, "tool": f"transcript-inspector {__version__}"}


def encode_document(fields: dict[str, Any]) -> bytes:
    """A whole report with these fields, on one line."""
    return dump_json(JSON_HEADER | fields) + b"\n"
