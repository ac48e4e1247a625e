"""Logs on disk for the cases, and the one judgement that every repair must pass."""

from pathlib import Path

from tests.support import product
from tests.support.judges import log_error, refusals
from tests.support.notation import FORMATS, parse
from tests.support.product import Answer
from tests.support.projection import read


def written(folder: Path, name: str, history: str) -> Path:
    """The history as a log of the format."""
    return saved(folder, name, FORMATS[name].render(parse(history)))


def saved(folder: Path, name: str, data: bytes) -> Path:
    path = folder / FORMATS[name].file
    path.write_bytes(data)
    return path


def repaired(
    path: Path, name: str, *, strategies: str = "", preset: str = "", profile: str = ""
) -> tuple[bytes, Answer]:
    """Repair next to the log; the input is untouched, the judges accept the output, a second repair changes nothing."""
    original = path.read_bytes()
    out, again = (path.with_name(f"{stem}{path.suffix}") for stem in ("repaired", "again"))
    answer = product.repair(path, out, strategies=strategies, preset=preset, profile=profile)
    assert path.read_bytes() == original
    assert answer.code == 0, answer.report.get("reason")
    data = out.read_bytes()
    assert refusals(read(data, name), name) == []
    assert log_error(data, name) is None
    assert product.repair(out, again, strategies=strategies, preset=preset, profile=profile).code == 0
    assert again.read_bytes() == data
    return data, answer


def refused(path: Path, *, strategies: str = "", preset: str = "") -> Answer:
    """The same for a plan that cannot be verified: nothing is written, and the report says why."""
    original, out = path.read_bytes(), path.with_name(f"repaired{path.suffix}")
    answer = product.repair(path, out, strategies=strategies, preset=preset)
    assert path.read_bytes() == original
    assert (answer.code, answer.report["output"]) == (1, None)
    assert answer.report["reason"]
    assert not out.exists()
    return answer
