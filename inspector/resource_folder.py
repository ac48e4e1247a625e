"""The folder of resources: icons and translations."""

from functools import lru_cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@lru_cache(1)
def resources_folder() -> Path:
    """Return the folder inside the installed package, else the one next to the package in a checkout."""
    inside = _PACKAGE / "resources"
    return inside if inside.is_dir() else _PACKAGE.parent / "resources"
