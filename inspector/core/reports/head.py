"""What every report as JSON begins with. Schema 1: fields may be added, never changed."""

from typing import Any

from inspector.core.bytes.json_text import text_of
from inspector.version import __version__

HEAD: dict[str, Any] = {"schema": 1, "tool": f"transcript-inspector {__version__}"}


def document(fields: dict[str, Any]) -> bytes:
    """A whole report with these fields, on one line."""
    return text_of(HEAD | fields) + b"\n"
