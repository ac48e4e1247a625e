"""What agents note in a small JSON file beside a log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.core.bytes.json_text import object_at, parse_json

if TYPE_CHECKING:
    from pathlib import Path


def value_in(path: Path) -> Any:
    """The value in a file; None where the file is not there, or is something else."""
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def object_in(path: Path) -> dict[str, Any]:
    """The object in a file; an empty one where it holds none."""
    return object_at(value_in(path), "")
