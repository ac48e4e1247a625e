"""A day at a support desk: forty archives, their verdicts and causes, and reports without a word of content."""

import json
from pathlib import Path

import pytest

from inspector.core.reports.outward.names import FORMS
from tests import product
from tests.notation import claude_code_records, parse
from tests.outward.planted import PLANTED, written
from tests.outward.test_nothing_leaks import leaked
from tests.tickets.packing import PACKERS, locked, zipped

pytestmark = pytest.mark.usefixtures("watched")

ALIKE = 12


@pytest.fixture
def desk(tmp_path: Path, samples: Path) -> Path:
    """Forty archives: twelve with one cause, sound ones, two hostile, one without a log, one full of secrets."""
    folder = tmp_path / "desk"
    folder.mkdir()

    def add(name: str, members: dict[str, bytes], pack: int = 0) -> Path:
        made = PACKERS[pack % len(PACKERS)](tmp_path, members)
        return made.rename(folder / f"{name}{''.join(made.suffixes)}")

    for number in range(ALIKE):
        records = claude_code_records(parse(f'u"ticket {number}" | a{{A@Bash}} | u | a'))
        lines = "".join(json.dumps(record) + "\n" for record in records).encode()
        add(f"alike{number:02d}", {f"customer{number}/log.jsonl": lines}, number)
    add("secrets", {"home/customer001/log.jsonl": written(tmp_path).read_bytes()})
    add("hostile", {"../../customer.jsonl": b"{}", "/etc/customer": b"x", "bomb": bytes(9_000_000)})
    locked(add("locked", {"customer.jsonl": b"{}"}))
    add("nothing", {"customer.png": b"\x89PNG"})
    logs = sorted(path for path in samples.iterdir() if "-healthy" in path.name)[:24]
    for number, path in enumerate(logs[: 40 - ALIKE - 4]):
        add(f"sample{number:02d}", {f"customer/{path.name}": path.read_bytes()}, number)
    for number in range(40 - len(list(folder.iterdir()))):
        add(f"more{number}", {f"customer/{logs[0].name}": logs[0].read_bytes()}, number)
    assert len(list(folder.iterdir())) == 40
    return folder


def test_each_ticket_has_its_verdict_and_those_alike_are_one_group(desk: Path) -> None:
    report = product.check(desk).report
    verdicts: dict[str, set[str]] = {}
    for session in report["sessions"]:
        verdicts.setdefault(Path(session["path"]).relative_to(desk).parts[0].split(".")[0], set()).add(
            session["verdict"]
        )
    assert {verdicts[f"alike{number:02d}"].pop() for number in range(ALIKE)} == {"broken"}
    assert all(verdicts[name] == {"not-judged"} for name in ("hostile", "locked", "nothing"))
    assert all(
        found <= {"healthy", "waiting"} for name, found in verdicts.items() if name.startswith(("sample", "more"))
    )
    assert len(verdicts) == 40
    first = report["causes"][0]
    assert (first["cause"], len(first["logs"])) == ("claude-code-interrupted-shell", ALIKE + 1)
    assert len(report["not_read"]) == 4


@pytest.mark.parametrize("form", FORMS)
def test_no_report_of_the_day_tells_content(form: str, desk: Path) -> None:
    told = product.run("check", str(desk), "--format", form, "--content-free").output
    assert len(PLANTED) >= 200
    assert (leaked(told), "customer" in told, str(desk) in told) == ([], False, False)
    assert form in ("junit", "sarif") or "interrupted" in told or "was stopped while a command ran" in told


def test_forty_verdicts_by_one_command(desk: Path) -> None:
    lines = product.run("check", str(desk), "--content-free").output.splitlines()
    assert any(line.startswith(f"{ALIKE + 1} × Claude Code was stopped while a command ran") for line in lines)


def test_a_zip_alone_is_told_as_well(tmp_path: Path, samples: Path) -> None:
    path = zipped(tmp_path, {"customer/log.jsonl": (samples / "codex-broken.jsonl").read_bytes()}, "customer.zip")
    told = product.run("check", str(path), "--format", "markdown").output
    assert ("log-1" in told, "customer" in told) == (True, False)
