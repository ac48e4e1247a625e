"""Results for many logs are printed as they are judged, and many findings as they are worded."""

from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli import check_runner
from inspector.cli.app import main
from inspector.core.analysis.finding import Finding
from inspector.core.check.findings import Findings
from inspector.core.engine.log import OpenLog
from inspector.core.report.sentences import MAX_ROWS
from tests.core.repair.logs import written
from tests.support import notation
from tests.support.notation import Call, Text, Turn

HISTORY = "u | a{A} | u"


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_first_log_of_a_folder_is_told_before_the_next_is_opened(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "last"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "openai", HISTORY)
    (tmp_path / "notes.txt").write_text("no log")
    happened: list[str] = []

    def in_folder(path: str, format: str, deep: bool, jobs: int) -> OpenLog | None:
        log = opened(path, format, deep, jobs)
        if log is not None:
            happened.append(f"open {Path(path).parent.name}")
        return log

    def put(text: bytes) -> None:
        words = (b"other file", b"not_logs", b"first/", b"last/")
        happened.extend([f"say {word.decode().strip('/')}" for word in words if word in text][:1])

    opened = OpenLog.in_folder
    monkeypatch.setattr(OpenLog, "in_folder", in_folder)
    monkeypatch.setattr(check_runner, {"text": "write_stdout", "json": "print_json"}[form], put)
    CliRunner().invoke(main, ["check", str(tmp_path), "--format", form], catch_exceptions=False)
    rest = {"text": "say other file", "json": "say not_logs"}[form]
    assert happened == ["open first", "say first", "open last", "say last", rest]


def test_findings_are_put_into_words_only_as_they_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = claude_code(tmp_path, 400)
    worded: list[int] = []
    word = Findings._worded

    def counted(self: Findings, at: int) -> Finding:
        worded.append(at)
        return word(self, at)

    monkeypatch.setattr(Findings, "_worded", counted)

    CliRunner().invoke(main, ["check", str(log)], catch_exceptions=False)
    assert max(worded) < MAX_ROWS

    at_piece: list[int] = []
    monkeypatch.setattr(check_runner, "print_json", lambda piece: at_piece.append(len(worded)))
    worded.clear()
    CliRunner().invoke(main, ["check", str(log), "--format", "json"], catch_exceptions=False)
    assert len(worded) == 400
    assert all(more < 100 for more in (after - before for before, after in pairwise(at_piece)))


def claude_code(folder: Path, calls: int) -> Path:
    turns = [turn for number in range(calls) for turn in (Turn("assistant", (Call(f"call_{number}"),)), go_on())]
    path = folder / "log.jsonl"
    path.write_bytes(notation.claude_code([go_on(), *turns]))
    return path


def go_on() -> Turn:
    return Turn("user", (Text("go on"),))
