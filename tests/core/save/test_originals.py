"""What is made of a log takes the place of none of its files, and is as private as they are."""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import CannotWrite
from inspector.core.presentation.engine_results import ShareableReportOptions
from inspector.core.repair.choices import Choices
from tests.core.formats import opencode
from tests.core.save.test_multi_file import OPEN, PART
from tests.support import product

MAKING = {
    "check": "check {0} -o {1}",
    "bundle": "bundle {0} -o {1}",
    "repair": "repair {0} -o {1}",
    "plan": "repair {0} --plan-out {1}",
    "send back": "repair {0} --send-back {1}",
    "trim": "trim {0} --repair --keep 2 -o {1}",
    "convert": "convert {0} --to markdown -o {1}",
}


@pytest.fixture
def archive(samples: Path, tmp_path: Path) -> Path:
    path = tmp_path / "ticket.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(samples / "codex-broken.jsonl", "log.jsonl")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("command", MAKING.values(), ids=MAKING)
def test_it_never_takes_the_place_of_the_log(command: str, samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    shutil.copy(samples / "codex-broken.jsonl", path)
    assert refused(command, path, path)


@pytest.mark.parametrize("command", MAKING.values(), ids=MAKING)
def test_nor_that_of_the_archive_that_the_log_lies_in(command: str, archive: Path) -> None:
    assert refused(command, archive / "log.jsonl", archive)


@pytest.mark.parametrize("command", [MAKING["convert"], MAKING["check"], MAKING["bundle"]])
def test_nor_that_of_a_file_of_the_store_that_it_is(command: str, tmp_path: Path) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    assert refused(command, store, store / PART)


def refused(command: str, log: Path, target: Path) -> bool:
    before = target.read_bytes()
    told = product.run(*command.format(log, target).split())
    assert target.read_bytes() == before
    return told.exit_code == 2 and "is the log itself or contains part of it" in told.output


@pytest.mark.parametrize(
    ("save", "asked"),
    [
        (WindowEngine.save_resume_request, (Choices(), "")),
        (WindowEngine.save_share_report, (ShareableReportOptions(),)),
    ],
)
def test_what_the_window_makes_of_a_log_in_an_archive(
    save: Callable[..., str], asked: tuple[object, ...], archive: Path, tmp_path: Path
) -> None:
    engine, out = WindowEngine(), tmp_path / "made"
    engine.open(str(archive / "log.jsonl"))
    with pytest.raises(CannotWrite, match="is the log itself"):
        save(engine, *asked, str(archive))
    save(engine, *asked, str(out))
    assert out.stat().st_mode & 0o777 == 0o600
    engine.close()


def test_what_is_converted_is_as_private_as_the_archive(archive: Path, tmp_path: Path) -> None:
    product.run(*MAKING["convert"].format(archive / "log.jsonl", tmp_path / "page.md").split())
    assert (tmp_path / "page.md").stat().st_mode & 0o777 == 0o600
