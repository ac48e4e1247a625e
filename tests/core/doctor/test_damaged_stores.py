"""Whatever lies in a store: it is examined without a failure, and stays as it is."""

import random
from pathlib import Path

import pytest

from inspector.core.doctor.report import report_json, report_lines
from inspector.core.doctor.store_examination import examine_stores
from inspector.core.formats.base.stores import HostEnvironment
from tests.core.doctor.made_stores import MADE
from tests.core.doctor.test_stores import hashes

TRIALS = 60
PIECES = (b"", b"{", b"[]", b"null", b"\x00", b"\xff\xfe", b'{"id":1}', b'"x"', b"\n\n", b'{"cwd":[]}', b"}{")
NAMES = ("a b.jsonl", "x'y.jsonl", "-.jsonl", "\nz.jsonl", ".jsonl", "s.json")
TYPES = (b"1", b"null", b"[]", b"{}", b"true", b'"\\ud800"')


def damage(home: Path, rng: random.Random) -> None:
    """Change one file of a store, or what is in its place."""
    files = sorted(file for file in home.rglob("*") if file.is_file())
    if not files:
        return
    path = rng.choice(files)
    data = path.read_bytes()
    match rng.randrange(7):
        case 0:
            path.write_bytes(data[: rng.randrange(len(data) + 1)])
        case 1:
            at = rng.randrange(len(data) + 1)
            path.write_bytes(data[:at] + rng.choice(PIECES) + data[at:])
        case 2:
            path.write_bytes(rng.choice(PIECES))
        case 3:
            values = [at for at in range(len(data)) if data[at : at + 2] == b'"/'] or [0]
            at = rng.choice(values)
            end = data.find(b'"', at + 1) + 1
            path.write_bytes(data[:at] + rng.choice(TYPES) + data[end:])
        case 4:
            path.unlink()
            path.mkdir()
        case 5:
            path.unlink()
            path.symlink_to(rng.choice([home / "nowhere", path]))
        case 6:
            path.rename(
                path.with_name(rng.choice(["a b.jsonl", "x'y.jsonl", "-.jsonl", "\nz.jsonl", ".jsonl", "s.json"]))
            )


@pytest.mark.parametrize("agent", MADE)
def test_a_damaged_store_is_examined(agent: str, tmp_path: Path) -> None:
    for trial in range(TRIALS):
        home = tmp_path / str(trial)
        home.mkdir()
        MADE[agent](home)
        rng = random.Random(f"{agent} {trial}")
        for _ in range(rng.randrange(1, 4)):
            damage(home, rng)
        before = hashes(home)
        report = examine_stores(HostEnvironment({}, str(home)))
        assert report_json(report)
        assert list(report_lines(report))
        assert hashes(home) == before
