"""A child that is busy, or meets a fault, keeps nobody from stopping it or from opening another log."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector.core.model.views import RecordView
from inspector.core.repair.choices import Choices
from inspector.gui.common.actions import Action
from inspector.gui.state.document import Document
from inspector.gui.state.file_watcher import FileState
from inspector.gui.state.load_status import Phase
from inspector.gui.state.record_reader import RecordReader
from inspector.gui.window.main_window import MainWindow
from inspector.gui.window.status_bar import StatusBar
from inspector.gui.worker import child_client, requests
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.core_dependencies import CoreDependencies
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.test_models import opened

FAULT = "The program failed because of an internal error (ZeroDivisionError in "


@pytest.fixture
def held(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> MainWindow:
    """A window whose log is read, and whose repair is being planned for as long as it takes."""
    window.open(str(write_small(tmp_path / "held.jsonl")))
    qtbot.waitUntil(lambda: window.document.repair.planning, timeout=PATIENCE_MS)
    return window


def test_another_log_is_opened_while_a_plan_takes_long(
    held: MainWindow, settle: Callable[[Document], None], tmp_path: Path
) -> None:
    held.open(str(write_small(tmp_path / "other.jsonl")))
    assert held.document.log is not None  # the first rows, at once
    settle(held.document)
    assert held.document.log.complete
    assert held.document.repair.plan is not None
    assert held.windowTitle().startswith("other.jsonl")


def test_a_long_plan_can_be_stopped(qtbot: QtBot, held: MainWindow, settle: Callable[[Document], None]) -> None:
    document, stop = held.document, held.window_actions[Action.CANCEL]
    line = held.statusBar()
    assert isinstance(line, StatusBar)
    qtbot.waitUntil(line._stop.isVisible, timeout=PATIENCE_MS)
    assert stop.isEnabled()
    stop.trigger()
    assert not document.repair.planning
    assert document.phase == Phase.READY
    assert document.notice is not None
    assert document.notice.sentence.startswith("There is no repair to show or save because planning was stopped")
    assert (stop.isEnabled(), line._stop.isVisible()) == (False, False)
    Path(document.path).with_name("go").touch()
    document.repair.choose_preset("clean")  # what the child may still be doing does not keep it waiting
    settle(document)
    assert document.repair.plan is not None


def test_the_progress_of_a_long_save_is_shown(
    qtbot: QtBot, window: MainWindow, settle: Callable[[Document], None], tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "lasting.jsonl")))
    settle(window.document)
    line = window.statusBar()
    assert isinstance(line, StatusBar)
    window.window_actions[Action.SAVE_NEW_SESSION].trigger()
    qtbot.waitUntil(line._bar.isVisible, timeout=PATIENCE_MS)
    assert line._bar.value() / line._bar.maximum() == 0.25
    assert line._facts.text().endswith(" · saving…")
    assert not line._stop.isVisible()
    (tmp_path / "go").touch()
    settle(window.document)
    assert not line._bar.isVisible()


def test_what_is_saved_is_told_of_though_the_log_is_read_anew(qtbot: QtBot, held: MainWindow, tmp_path: Path) -> None:
    """It waits behind what takes long, and is neither broken off nor forgotten."""
    process, told = held.document.process, list[str]()
    process.answer_signal(requests.SAVE_RESUME_REQUEST).connect(told.append)
    target = str(tmp_path / "sent.json")
    child = process._process
    process.ask(requests.SAVE_RESUME_REQUEST, None, "0", target)
    held.document.reload()
    qtbot.wait(600)
    assert process._process is child
    Path(held.document.path).with_name("go").touch()
    qtbot.waitUntil(lambda: told == [target], timeout=PATIENCE_MS)
    assert Path(target).is_file()


def test_what_is_saved_twice_is_told_of_twice(qtbot: QtBot, held: MainWindow, tmp_path: Path) -> None:
    process, told = held.document.process, list[str]()
    process.answer_signal(requests.SAVE_RESUME_REQUEST).connect(told.append)
    targets = [str(tmp_path / name) for name in ("first.json", "second.json")]
    for each in targets:
        process.ask(requests.SAVE_RESUME_REQUEST, None, "0", each)
    Path(held.document.path).with_name("go").touch()
    qtbot.waitUntil(lambda: told == targets, timeout=PATIENCE_MS)


def test_a_save_is_told_of_though_another_log_was_opened(qtbot: QtBot, held: MainWindow, tmp_path: Path) -> None:
    """By a sentence: what is to be done with it belongs to the log that was left."""
    document, target = held.document, tmp_path / "repaired.jsonl"
    document.write(requests.SAVE_REPAIR, document.repair.choices, "copy", str(target))
    held.open(str(write_small(tmp_path / "other.jsonl")))
    (tmp_path / "go").touch()
    qtbot.waitUntil(lambda: document.notice is not None, timeout=PATIENCE_MS)
    assert document.notice is not None
    assert document.notice.sentence == f"Saved: {target}"
    assert (document.saved, document.path) == (None, str(tmp_path / "other.jsonl"))


def test_a_window_that_is_closed_during_a_save_finishes_it(qtbot: QtBot, held: MainWindow, tmp_path: Path) -> None:
    document, target = held.document, tmp_path / "repaired.jsonl"
    document.write(requests.SAVE_REPAIR, document.repair.choices, "copy", str(target))
    assert not held.close()
    assert held.isVisible()
    assert document.notice is not None
    assert document.notice.sentence == "The window will close when the save is finished."
    (tmp_path / "go").touch()
    qtbot.waitUntil(lambda: not held.isVisible(), timeout=PATIENCE_MS)
    assert target.is_file()
    assert [path for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def test_who_closes_it_once_more_is_asked(held: MainWindow, questions: FakeQuestions, tmp_path: Path) -> None:
    document, target = held.document, tmp_path / "repaired.jsonl"
    document.write(requests.SAVE_REPAIR, document.repair.choices, "copy", str(target))
    held.close()
    assert not held.close()
    assert questions.asked == ["close during a save"]
    questions.sure = True
    assert held.close()
    assert not target.exists()
    assert [path for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def test_a_save_that_fails_keeps_the_window_open(qtbot: QtBot, held: MainWindow, tmp_path: Path) -> None:
    document = held.document
    document.write(
        requests.SAVE_REPAIR, document.repair.choices, "copy", str(tmp_path / "no folder" / "repaired.jsonl")
    )
    held.close()
    (tmp_path / "go").touch()
    qtbot.waitUntil(lambda: not document.saving, timeout=PATIENCE_MS)
    assert held.isVisible()
    assert "No such file" in (document.notice.sentence if document.notice else "")


def test_what_waits_to_be_saved_is_asked_of_the_next_child(
    qtbot: QtBot, core: CoreDependencies, tmp_path: Path
) -> None:
    """Which has no log open, and says so."""
    process, told = ChildProcess(core), list[RequestFailure]()
    process.failed.connect(told.append)
    with qtbot.waitSignal(process.progressed, timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "deaf.jsonl")), "", False, False)
    process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "other.jsonl")), "", False, False)
    process.ask(requests.SAVE_RESUME_REQUEST, None, "0", str(tmp_path / "sent.json"))
    process.ask(requests.OPEN_LOG, str(tmp_path / "other.jsonl"), "", False, False)
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        pass
    assert [each.request for each in told] == [requests.SAVE_RESUME_REQUEST]
    process.close()


def test_what_is_being_written_is_let_finish(qtbot: QtBot, core: CoreDependencies, tmp_path: Path) -> None:
    writing = replace(requests.PREVIEW_REPAIR, always_answered=True)  # a preview can be held here, as a save cannot
    process = ChildProcess(core)
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "held.jsonl")), "", False, False)
    process.ask(writing, Choices())
    child = process._process
    process.ask(requests.OPEN_LOG, str(write_small(tmp_path / "other.jsonl")), "", False, False)
    qtbot.wait(600)
    assert process._process is child
    assert child.is_alive()
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS) as arrived:
        (tmp_path / "go").touch()
    assert Path(arrived.args[0].overview.path).name == "other.jsonl"
    assert process._process is child
    process.close()


# faults


def test_a_fault_of_the_child_names_log_fault_and_place(
    document: Document, settle: Callable[[Document], None], tmp_path: Path
) -> None:
    path = write_small(tmp_path / "fault.jsonl")
    document.open(str(path))
    settle(document)
    assert document.phase == Phase.FAILED
    assert document.notice is not None
    assert document.notice.sentence.startswith(f"{path}: {FAULT}child_main.py, line")
    assert "words of the log" not in document.notice.sentence


def test_a_record_that_meets_a_fault_is_a_row_that_says_so(tmp_path: Path) -> None:
    def fail(format_name: str, raw: bytes) -> RecordView:
        raise ZeroDivisionError("words of the log")

    path = write_small(tmp_path / "a.jsonl")
    brief = RecordReader(opened(path)[0], FileState.read(path), fail).summary(0)
    assert brief.role == "unreadable"
    assert brief.summary.startswith(f"{FAULT}record_reader.py, line")
    assert "words of the log" not in brief.summary


def test_an_answer_that_cannot_be_read_is_a_sentence(
    qtbot: QtBot,
    document: Document,
    settle: Callable[[Document], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(child_client, "decode_value", lambda parcel, as_type: 1 // 0)
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    assert document.notice is not None
    assert FAULT in document.notice.sentence
