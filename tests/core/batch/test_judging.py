"""One source becomes rows: whatever it is, nothing is raised, and no row has content of the log."""

import io
import os
import pickle
import re
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import inspector
from inspector.core import batch
from inspector.core.batch.judging import JudgingOptions, LogTask, judge_task, tasks_at
from inspector.core.report.tables import LogResult, merge_check_results
from tests.core.batch.folders import BROKEN, SOUND, mixed_folder
from tests.core.formats import opencode
from tests.core.formats.opencode import text, user
from tests.support.canaries import BROKEN as BROKEN_SAMPLES
from tests.support.canaries import PLANTED, planted_sample
from tests.support.notation import claude_code, parse
from tests.support.paths import SAMPLES


def files(result: LogResult) -> list[str]:
    return [
        " ".join(filter(None, (Path(file.source).name, file.member, file.status, file.reason))) for file in result.files
    ]


def test_a_folder_is_all_its_files(tmp_path: Path) -> None:
    result = inspector.judge(mixed_folder(tmp_path, 3))
    assert files(result) == [
        "00.jsonl judged",
        "01.jsonl judged",
        "02.jsonl judged",
        "cut.zip unreadable The upload was cut off. Ask for the file again.",
        "empty.jsonl unreadable It is empty. Ask for the file again.",
        "notes.txt no-log It contains no log in a supported format.",
        "packed.jsonl.zst judged",
        "ticket.zip one.jsonl judged",
        "ticket.zip stopped.jsonl judged",
        "ticket.zip deep/three.jsonl judged",
        "ticket.zip notes.txt no-log It contains no log in a supported format.",
        "ticket.zip two.jsonl duplicate It is identical to another file in the archive.",
    ]
    assert [session.verdict for session in result.sessions] == [
        "broken",
        *["healthy"] * 3,
        "broken",
        "broken",
        "healthy",
    ]
    assert (result.verdict, result.cause) == ("unreadable", "claude-code-interrupted")


def test_a_log_is_its_sessions_and_findings() -> None:
    result = inspector.judge(SAMPLES / "claude-code-broken.jsonl")
    (file,), (session,) = result.files, result.sessions
    assert (file.size, session.calls, session.dangling, session.orphans) == (21412, 7, 1, 1)
    assert [(f.rule, f.severity, f.line, f.tool, f.strategy) for f in result.findings] == [
        ("D2", "error", 11, "Bash", "answer"),
        ("R1", "error", 24, None, "keep-as-note"),
        ("F1", "error", 27, None, "quarantine"),
        ("G5", "info", 8, None, "leave"),
    ]
    assert {session.log, *(finding.log for finding in result.findings)} == {file.log}
    assert result.verdict == "broken"


def test_the_source_can_be_bytes_or_a_file_object() -> None:
    of_bytes = inspector.judge(BROKEN)
    of_file = inspector.judge(io.BytesIO(BROKEN))
    assert of_bytes.sessions == of_file.sessions
    assert of_bytes.findings == of_file.findings
    assert of_bytes.files[0].source == "-"


def test_a_store_of_many_files_is_one_log(tmp_path: Path) -> None:
    store = opencode.write_folder([user(1, text("go"))], tmp_path / "storage")
    assert [session.format for session in inspector.judge(store).sessions] == ["opencode"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "unreadable"),
        (b"%PDF-1.7", "unreadable"),
        (b'{"a": 1}\n', "not-judged"),
        (b"\xff\xfe\x00", "unreadable"),
        (b'{"type":"user"', "not-judged"),
    ],
    ids=["empty", "pdf", "unknown", "binary", "torn"],
)
def test_what_is_no_log_raises_nothing(data: bytes, said: str) -> None:
    result = inspector.judge(data)
    assert (result.verdict, result.sessions) == (said, ())
    assert result.files[0].reason


def test_a_path_that_leads_nowhere_is_unreadable(tmp_path: Path) -> None:
    assert files(inspector.judge(tmp_path / "gone.jsonl")) == [
        "gone.jsonl unreadable It cannot be read: No such file or directory."
    ]


@pytest.mark.parametrize("size", [0, 3_000_000], ids=["emptied", "cut short"])
@pytest.mark.parametrize("moment", ["judging.OpenLog.check", "judging._digest"])
def test_a_log_that_becomes_shorter_while_it_is_read_is_unreadable(
    moment: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(claude_code(parse(" | ".join(["u", "a"] * 6000))))
    function = attrgetter(moment)(batch)

    def cut_and_call(*args: Any, **kwargs: Any) -> Any:
        os.truncate(log, size)
        return function(*args, **kwargs)

    monkeypatch.setattr(f"inspector.core.batch.{moment}", cut_and_call)
    assert log.stat().st_size > size
    assert files(inspector.judge(log)) == [
        "log.jsonl unreadable The file changed while it was being read. Check it again."
    ]


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (Path.unlink, "b.jsonl unreadable It cannot be read: No such file or directory."),
        (lambda log: log.write_bytes(b""), "b.jsonl unreadable It is empty. Ask for the file again."),
        (lambda log: log.write_bytes(BROKEN + SOUND), "b.jsonl judged"),
        (lambda log: (log.unlink(), log.mkdir()), "b.jsonl no-log It contains no log in a supported format."),
        pytest.param(
            lambda log: (log.unlink(), os.mkfifo(log)),  # type: ignore[func-returns-value]
            "b.jsonl no-log It is a pipe, a socket or a device, not a file.",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes"),
        ),
    ],
    ids=["removed", "emptied", "grown", "a folder", "a pipe"],
)
def test_a_log_that_changes_after_it_was_found_costs_itself_alone(
    change: Callable[[Path], object], row: str, tmp_path: Path
) -> None:
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_bytes(SOUND)
    tasks = [*tasks_at([str(tmp_path)])]
    change(tmp_path / "b.jsonl")
    results = merge_check_results(judge_task(task, JudgingOptions()).result for task in tasks)
    assert files(results) == ["a.jsonl judged", row, "c.jsonl judged"]


def test_a_folder_without_a_log_is_not_judged(tmp_path: Path) -> None:
    assert (inspector.judge(tmp_path).verdict, inspector.judge(tmp_path).files) == ("not-judged", ())


def test_a_failure_of_the_program_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    (tmp_path / "a.jsonl").write_bytes(BROKEN)
    monkeypatch.setattr("inspector.core.engine.log.OpenLog.check", fail)
    result = inspector.judge(tmp_path / "a.jsonl")
    assert files(result) == ["a.jsonl fault The program failed on this log because of an internal error."]
    assert result.verdict == "not-judged"


def test_results_can_be_pickled_and_are_plain_dicts(tmp_path: Path) -> None:
    result = inspector.judge(mixed_folder(tmp_path))
    assert pickle.loads(pickle.dumps(result)) == result
    assert {name: len(rows) for name, rows in result.to_dict().items()} == {
        name: len(rows) for name, rows in result.tables().items()
    }


def test_a_name_that_is_not_utf_8_is_written_with_escapes(tmp_path: Path) -> None:
    path = bytes(tmp_path) + b"/a\xff.jsonl"
    with open(path, "wb") as file:
        file.write(BROKEN)
    (task,) = [LogTask(path.decode("utf-8", "surrogateescape"), "")]
    (row,) = judge_task(task, JudgingOptions()).result.files
    assert row.source.endswith(r"a\xff.jsonl")


@pytest.mark.parametrize("name", BROKEN_SAMPLES)
def test_no_row_has_content_of_the_log(name: str, tmp_path: Path) -> None:
    result = inspector.judge(planted_sample(name, tmp_path).read_bytes())
    assert result.findings
    assert not re.search(PLANTED, str(result.to_dict()))
