"""Messages of an API in a file, and what a repair makes of them."""

import json
from pathlib import Path
from typing import Any

from tests.support import product


def log(folder: Path, value: Any) -> Path:
    path = folder / "log.json"
    path.write_text(json.dumps(value))
    return path


def repaired(path: Path, key: str, strategies: str = "") -> list[dict[str, Any]]:
    """The messages (bare, or under `key`) after a repair that leaves them healthy and has nothing left to do."""
    out, again = path.with_name("out.json"), path.with_name("again.json")
    assert product.repair(path, out, strategies=strategies).code == 0
    assert product.check(out).session["verdict"] in ("healthy", "waiting")
    assert product.repair(out, again).code == 0
    assert again.read_bytes() == out.read_bytes()
    value = json.loads(out.read_bytes())
    return value if isinstance(value, list) else value[key]
