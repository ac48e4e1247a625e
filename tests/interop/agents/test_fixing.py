"""What `fix` printed, wrote and led to is judged as a person would see it."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interop.agents.fixing import (
    AGO,
    DRY_RUN,
    MOST_LINES,
    SAVED,
    Run,
    changed_files,
    files_in,
    judge_command,
    judge_run,
    judge_sent,
    make_older,
    new_files,
    starter,
    summary,
)
from tests.interop.agents.provider import WIRES, Request
from tests.interop.agents.test_provider import SHAPE_OF
from tests.interop.agents.workplace import PROMPT
from tests.interop.third_party.shapes import SHAPES
from tests.support.notation import PLACEHOLDER, parse

COMMAND = "cd /w && agent --resume 1"
RESUMED = Run(0, f"Nothing to repair.\n  healthy  x\n{COMMAND}\n")
REPAIRED = Run(0, f"x  BROKEN\n  Lost  Nothing.\n{SAVED}\n1. It is there.\n\n{COMMAND}\n")


def test_the_last_line_is_the_command_and_the_summary_comes_before_the_save() -> None:
    assert (RESUMED.command, len(RESUMED.summary)) == (COMMAND, 2)
    assert (REPAIRED.command, len(REPAIRED.summary)) == (COMMAND, 2)
    assert Run(0, "").command == ""


@pytest.mark.parametrize(
    ("run", "is_broken", "changed", "dry", "wrong"),
    [
        (RESUMED, False, [], False, ""),
        (REPAIRED, True, [], False, ""),
        (Run(1, DRY_RUN), True, [], True, ""),
        (RESUMED, False, [], True, ""),
        (Run(2, "usage"), False, [], False, "exit code 2"),
        (Run(0, DRY_RUN), True, [], True, "exit code 0"),
        (RESUMED, True, [], False, "it does not say"),
        (RESUMED, False, ["log"], False, "it changed log"),
        (Run(0, "line\n" * (MOST_LINES + 1) + COMMAND), False, [], False, "it says 7 lines"),
    ],
)
def test_a_run_of_fix_is_judged(run: Run, is_broken: bool, changed: list[str], dry: bool, wrong: str) -> None:
    found = judge_run(run, is_broken, changed, dry)
    assert found.startswith(wrong)
    assert bool(found) is bool(wrong)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (COMMAND, ""),
        (f"repair x && {COMMAND}", ""),
        ("agent --resume 1", "the command does not go to the folder"),
        ("4. To undo, delete x.", "the last line does not start agent"),
    ],
)
def test_a_command_starts_the_agent_in_the_folder(line: str, wrong: str) -> None:
    found = judge_command(line, "agent")
    assert found.startswith(wrong)
    assert bool(found) is bool(wrong)


def test_files_are_compared_by_what_is_in_them(tmp_path: Path) -> None:
    for name in ("same", "changed", "gone"):
        (tmp_path / name).write_text(name)
    before = files_in(tmp_path)
    (tmp_path / "changed").write_text("anew")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("new")
    after = files_in(tmp_path)
    assert changed_files(before, after) == ["changed", "gone"]
    assert new_files(before, after) == ("new",)


def test_files_become_older_and_keep_their_order(tmp_path: Path) -> None:
    for number, name in enumerate(("log", "log-wal")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, ns=(0, AGO * (number + 2)))
    make_older(tmp_path)
    assert [(tmp_path / name).stat().st_mtime_ns for name in ("log", "log-wal")] == [AGO, 2 * AGO]


def sent(history: str, wire: str = "anthropic", refused: str = "") -> list[Request]:
    messages: list[dict[str, Any]] = SHAPES[SHAPE_OF[wire]](parse(history))
    return [Request(WIRES[wire], {WIRES[wire].history: messages}, refused)]


THERE = f'u"{PROMPT}" | a{{A@Bash command=alpha}} | r(A=alpha-real) | a"Said."'
REAL = {"alpha": "alpha-real"}


@pytest.mark.parametrize("wire", WIRES)
def test_what_was_there_is_sent(wire: str) -> None:
    assert judge_sent(sent(THERE, wire), REAL, "alpha-real", is_repaired=True) is None
    assert summary(sent(THERE, wire)) == "1 call, 1 result"


@pytest.mark.parametrize(
    ("requests", "wrong"),
    [
        ([], "the agent sent nothing"),
        (sent(THERE, refused="no"), "refused: no"),
        (sent('u"Go on."'), "the agent began a new session"),
        (sent(THERE.replace("alpha-real", "lost")), "in the log, and not sent: alpha-real"),
    ],
)
def test_what_is_missing_is_said(requests: list[Request], wrong: str) -> None:
    cell = judge_sent(requests, REAL, "alpha-real", is_repaired=False)
    assert cell is not None
    assert (cell.no, cell.why) == (True, wrong)


def test_a_repair_speaks_for_itself_and_an_agent_in_its_own_words() -> None:
    ours, theirs = (
        sent(THERE.replace("alpha-real", PLACEHOLDER.format("Bash"))),
        sent(THERE.replace("alpha-real", "aborted")),
    )
    assert judge_sent(ours, REAL, "", is_repaired=True) is None
    assert judge_sent(theirs, REAL, "", is_repaired=False) is None
    assert judge_sent(theirs, REAL, "", is_repaired=True) is not None


@pytest.mark.skipif(os.name == "nt", reason="the shells of Unix")
def test_the_program_of_a_command_gets_its_words_between_others(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text(starter(["printf", "<%s>"], ["a b"], ["it's"]))
    (tmp_path / "agent").chmod(0o755)
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    sh = shutil.which("sh") or "sh"
    done = subprocess.run(
        [sh, "-c", "agent --resume '1 2'"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "<a b><--resume><1 2><it's>"
