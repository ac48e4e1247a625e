"""A day at a support desk: forty archives, their verdicts and causes, and reports without a word of content."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.core.report.shareable.model import REPORT_FORMATS
from tests.core.report.planted import PLANTED, written
from tests.core.report.test_nothing_leaks import leaked
from tests.support import product
from tests.support.archives import PACKERS, locked, zipped
from tests.support.notation import claude_code_records, parse

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


@pytest.mark.parametrize("form", REPORT_FORMATS)
def test_no_report_of_the_day_tells_content(form: str, desk: Path) -> None:
    names = ("--names", "none") if form in ("sarif", "github") else ()
    told = product.run("check", str(desk), "--format", form, "--content-free", *names).output
    assert len(PLANTED) >= 200
    assert (leaked(told), "customer" in told, str(desk) in told) == ([], False, False)
    assert form in ("junit", "sarif") or "interrupted" in told or "was stopped while a command ran" in told


def test_what_is_made_of_each_broken_log_tells_no_content(desk: Path, tmp_path: Path) -> None:
    """A bundle, a plan and a repair to send back, of every log of the day that is broken."""
    made, broken = (
        tmp_path / "made",
        [each["path"] for each in product.check(desk).report["sessions"] if each["verdict"] == "broken"],
    )
    made.mkdir()
    assert len(broken) == ALIKE + 1
    for number, path in enumerate(broken):
        for arguments in (
            ("bundle", path, "-o", made / f"{number}.zip"),
            ("repair", path, "--plan-out", made / f"{number}.json"),
            ("repair", path, "--send-back", made / f"{number}-back.zip"),
        ):
            told = product.run(*map(str, arguments))
            assert told.exit_code == 0, told.output
    assert len(list(made.iterdir())) == 3 * len(broken)
    text = "\n".join(_all_texts(made))
    assert text.count('"schema": 1') >= 3 * len(broken)
    assert (leaked(text), "customer" in text, str(desk) in text) == ([], False, False)
    assert not any(f"ticket {number}" in text for number in range(ALIKE))


def _all_texts(folder: Path) -> Iterator[str]:
    """All names and contents, those of the members of archives as well."""
    for path in folder.iterdir():
        if path.suffix != ".zip":
            yield path.read_text("utf-8")
            continue
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield f"{name}\n{archive.read(name).decode('utf-8', 'replace')}"


def test_forty_verdicts_by_one_command(desk: Path) -> None:
    lines = product.run("check", str(desk), "--content-free").output.splitlines()
    assert any(line.startswith(f"{ALIKE + 1} × Claude Code was stopped while a command was running") for line in lines)


def test_of_a_ticket_without_a_log_the_report_says_so(tmp_path: Path) -> None:
    path = locked(zipped(tmp_path, {"customer.jsonl": b"{}"}, "customer.zip"))
    told = product.run("check", str(path), "--content-free").output
    assert "It is password-protected. Ask for a file without a password." in told
    assert "skipped for safety: 1" in told
    assert "contains 1 file, which is not a supported log." in product.run("check", str(path)).output


def test_a_zip_alone_is_told_as_well(tmp_path: Path, samples: Path) -> None:
    path = zipped(tmp_path, {"customer/log.jsonl": (samples / "codex-broken.jsonl").read_bytes()}, "customer.zip")
    told = product.run("check", str(path), "--format", "markdown").output
    assert ("log-1" in told, "customer" in told) == (True, False)
