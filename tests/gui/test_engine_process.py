"""The engine in its own process: answers, cancelling, death, stale answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector.core.repair.choices import Choices
from inspector.gui.worker import child_main, requests
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.packed_answers import OpenedLog, PlannedRepair
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_big, write_small

SPAWNED = child_main.launch_child  # as a person's window starts it


@pytest.fixture
def process(qtbot: QtBot, core: CoreDependencies, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChildProcess]:
    monkeypatch.setattr(child_main, "launch_child", SPAWNED)
    made = ChildProcess(core)
    yield made
    made.close()


def test_opens_previews_and_saves(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    path = write_small(tmp_path / "a.jsonl")
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS) as opened:
        process.ask(requests.OPEN_LOG, str(path), "", False, False)
    log = opened.args[0]
    assert len(log.starts) == len(log.lines) == 8
    assert list(log.lines) == list(range(1, 9))
    assert [log.findings[position].rule for position in range(3)] == ["D2", "D2", "R1"]
    with qtbot.waitSignal(process.answer_signal(requests.PREVIEW_REPAIR), timeout=PATIENCE_MS) as previewed:
        process.ask(requests.PREVIEW_REPAIR, Choices())
    plan = previewed.args[0]
    assert plan.summary.verified
    assert [plan.strategy_of(position) for position in range(3)] == ["answer", "answer", "keep-as-note"]
    with qtbot.waitSignal(process.answer_signal(requests.SAVE_REPAIR), timeout=PATIENCE_MS) as saved:
        process.ask(requests.SAVE_REPAIR, Choices(), "copy", str(tmp_path / "b.jsonl"))
    assert Path(saved.args[0].path).is_file()


def test_many_findings_cross_the_pipe(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS) as opened:
        process.ask(requests.OPEN_LOG, str(write_big(tmp_path / "a.jsonl", 5000)), "", False, False)
    log = opened.args[0]
    assert len(log.findings) == 5000
    assert log.findings[4999].call_id == "c4999"
    assert list(log.findings.positions_at_node(log.findings.nodes[4321])) == [4321]


def test_sentence_of_the_core_arrives(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    with qtbot.waitSignal(process.failed, timeout=PATIENCE_MS) as failed:
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "bad.jsonl")), "", False, False)
    assert failed.args[0] == RequestFailure(
        requests.OPEN_LOG, "This file is no log: it is a picture. Choose a .jsonl file."
    )


def test_fault_becomes_a_sentence(qtbot: QtBot, process: ChildProcess) -> None:
    with qtbot.waitSignal(process.failed, timeout=PATIENCE_MS) as failed:
        process.ask(requests.PREVIEW_REPAIR, Choices())
    assert failed.args[0].request is requests.PREVIEW_REPAIR
    assert "an internal error" in failed.args[0].sentence
    assert process.alive


def test_dead_child_is_a_sentence_and_the_next_request_starts_another(
    qtbot: QtBot, process: ChildProcess, tmp_path: Path
) -> None:
    with qtbot.waitSignal(process.failed, timeout=PATIENCE_MS) as failed:
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "crash.jsonl")), "", False, False)
    assert failed.args[0].died
    assert "exit code 3" in failed.args[0].sentence
    assert not process.alive
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "a.jsonl")), "", False, False)


def test_cancelling_keeps_a_child_that_listens(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    with qtbot.waitSignal(process.progressed, timeout=PATIENCE_MS) as progressed:
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "slow.jsonl")), "", False, False)
    assert progressed.args[0] == (1, 100)
    process.cancel()
    qtbot.wait(1700)
    assert process.alive
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "a.jsonl")), "", False, False)


def test_cancelling_ends_a_child_that_does_not_listen(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    with qtbot.waitSignal(process.progressed, timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "deaf.jsonl")), "", False, False)
    process.cancel()
    qtbot.waitUntil(lambda: not process.alive, timeout=PATIENCE_MS)
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "a.jsonl")), "", False, False)


def test_only_the_newest_preview_arrives(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "a.jsonl")), "", False, False)
    plans: list[PlannedRepair] = []
    process.answer_signal(requests.PREVIEW_REPAIR).connect(plans.append)
    for strategy in ("drop", "leave", "drop", "leave"):
        process.ask(requests.PREVIEW_REPAIR, Choices(rules={"R1": strategy}))
    qtbot.waitUntil(lambda: bool(plans), timeout=PATIENCE_MS)
    qtbot.wait(200)
    assert [plan.strategy_of(2) for plan in plans] == ["leave"]


def test_opening_anew_drops_the_answer_to_the_first(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    logs: list[OpenedLog] = []
    process.answer_signal(requests.OPEN_LOG).connect(logs.append)
    process.ask(requests.OPEN_LOG, str(write_big(tmp_path / "first.jsonl", 200)), "", False, False)
    process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "second.jsonl")), "", False, False)
    qtbot.waitUntil(lambda: bool(logs), timeout=PATIENCE_MS)
    qtbot.wait(100)
    assert [Path(log.overview.path).name for log in logs] == ["second.jsonl"]
