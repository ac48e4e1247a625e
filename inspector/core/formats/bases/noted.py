"""What agents note in a small JSON file beside a log."""

from pathlib import Path
from typing import Any

from inspector.core.bytes.json_text import value_of


def object_in(path: Path) -> dict[str, Any]:
    """The object in a file; an empty one where the file is not there, or is something else."""
    try:
        value = value_of(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
