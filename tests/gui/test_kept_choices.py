"""Choices are kept per log: they survive another log, the end of the window and growth, and are gone when discarded."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.settings import Settings
from inspector.gui.models.logs_model import LogColumn
from inspector.gui.state.document import Document
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies
from tests.gui.conftest import PATIENCE_MS, shown
from tests.gui.fake_logs import line, result, write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return write_small(tmp_path / "logs" / "a.jsonl")


@pytest.fixture
def visible_again() -> Iterator[None]:
    yield
    hiding.set_enabled(False)


def opened(window: MainWindow, settle: Settle, path: Path) -> list[object]:
    """The choices for single findings once a log is open, and the title of the window."""
    window.open(str(path))
    settle(window.document)
    return [*sorted(window.document.repair.choices.findings.items()), window.windowTitle()]


def asked(window: MainWindow) -> list[str]:
    assert isinstance(window.prompts, FakeQuestions)
    return window.prompts.asked


def reject_two(window: MainWindow, settle: Settle) -> None:
    for finding in (0, 1):
        window.document.select_finding(finding)
        window.window_actions[Action.REJECT_CHANGE].trigger()
        settle(window.document)


TWO = [("D2:lost1:5", "leave"), ("D2:lost2:5", "leave")]
TITLE = "a.jsonl: 2 unsaved choices – Transcript Inspector"


def test_choices_survive_another_log_the_list_and_a_window_that_dies(
    window: MainWindow,
    qapp: QApplication,
    core: CoreDependencies,
    qtbot: QtBot,
    settle: Settle,
    log: Path,
    tmp_path: Path,
) -> None:
    opened(window, settle, log)
    reject_two(window, settle)
    assert window.windowTitle() == TITLE
    assert opened(window, settle, write_healthy(tmp_path / "b.jsonl")) == ["b.jsonl – Transcript Inspector"]
    assert opened(window, settle, log) == [*TWO, TITLE]
    with shown(qapp, core, FakeQuestions()) as another:  # the first one was never closed
        assert opened(another, settle, log) == [*TWO, TITLE]
        assert another.findings.model.index_of_leaf(0, 2).data() == "Leave unchanged"
        another.window_actions[Action.UNDO].trigger()
        settle(another.document)
        assert (another.document.repair.choices.findings, another.windowTitle()) == (
            {},
            "a.jsonl – Transcript Inspector",
        )
    assert asked(window) == []


def test_the_list_shows_which_logs_have_choices_that_are_not_saved(
    window: MainWindow, qtbot: QtBot, settle: Settle, log: Path
) -> None:
    window.show_list((str(log.parent),))
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    title = window.logs_model.index(0, LogColumn.TITLE)
    assert title.data() == "a"
    opened(window, settle, log)
    reject_two(window, settle)
    assert title.data() == "2 unsaved choices · a"
    window.window_actions[Action.REVERT].trigger()
    assert title.data() == "a"


def test_a_click_beside_the_tree_opens_another_log_and_the_one_with_choices_is_marked_there(
    window: MainWindow, qtbot: QtBot, settle: Settle, log: Path
) -> None:
    other = write_healthy(log.with_name("b.jsonl"))
    window.show_list((str(log.parent),))
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    opened(window, settle, log)
    reject_two(window, settle)
    beside = window.sessions.logs_view
    rows = [beside.model().index(row, beside.modelColumn()) for row in range(2)]
    assert [index.data() for index in rows] == ["2 unsaved choices · a", "b"]
    qtbot.mouseClick(beside.viewport(), Qt.MouseButton.LeftButton, pos=beside.visualRect(rows[1]).center())
    settle(window.document)
    assert window.document.path == str(other)


def test_a_growing_log_keeps_its_choices_and_another_log_in_its_place_does_not_get_them(
    window: MainWindow, settle: Settle, log: Path, tmp_path: Path
) -> None:
    opened(window, settle, log)
    reject_two(window, settle)
    opened(window, settle, write_healthy(tmp_path / "b.jsonl"))
    with log.open("a", encoding="utf-8") as file:
        file.write(line("user", result("ghost2", "late")) + "\n")
    assert opened(window, settle, log) == [*TWO, TITLE]
    kept = there(window.settings.findChild(QSettings))
    key = next(key for key in kept.allKeys() if key.startswith("choices/"))
    kept.setValue(key, str(kept.value(key)).replace("session-0", "session-9"))
    with_other_session = MainWindow(window.document._core, Settings(), FakeQuestions())
    assert opened(with_other_session, settle, log) == ["a.jsonl – Transcript Inspector"]
    with_other_session.close()
    with_other_session.deleteLater()


def test_choices_that_were_saved_are_kept_without_a_mark_and_those_saved_in_place_are_gone(
    window: MainWindow, qtbot: QtBot, settle: Settle, log: Path, tmp_path: Path
) -> None:
    opened(window, settle, log)
    window.document.repair.choose_for_rule("R1", "drop")
    settle(window.document)
    assert window.windowTitle() == "a.jsonl: 1 unsaved choice – Transcript Inspector"
    window.window_actions[Action.SAVE_NEW_SESSION].trigger()
    settle(window.document)
    assert window.windowTitle() == "a.jsonl – Transcript Inspector"
    opened(window, settle, write_healthy(tmp_path / "b.jsonl"))
    assert opened(window, settle, log) == ["a.jsonl – Transcript Inspector"]
    assert window.document.repair.choices.rules == {"R1": "drop"}
    assert isinstance(window.prompts, FakeQuestions)
    window.prompts.closed = True
    window.window_actions[Action.SAVE_IN_PLACE].trigger()
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    settle(window.document)
    opened(window, settle, write_healthy(tmp_path / "b.jsonl"))
    opened(window, settle, log)
    assert window.document.repair.has_choices is False


def test_only_names_and_ids_are_stored_and_forgetting_removes_them(
    window: MainWindow, settle: Settle, log: Path, tmp_path: Path
) -> None:
    opened(window, settle, log)
    reject_two(window, settle)
    store = there(window.settings.findChild(QSettings))
    store.sync()
    text = b"".join(path.read_bytes() for path in tmp_path.rglob("*.ini")).decode()
    assert "D2:lost1:5" in text
    assert [word for word in ("make test", "日志", "Why did it stop", "Bash") if word in text] == []
    window.operations.forget._settings.forget_all()
    window.operations.forget.forgotten.emit()
    assert not [key for key in store.allKeys() if key.startswith("choices/")]
    opened(window, settle, write_healthy(tmp_path / "b.jsonl"))
    assert window.kept_choices.unsaved_in(str(log)) == 0


@pytest.mark.usefixtures("visible_again")
def test_the_list_and_the_title_count_the_same_choices_where_none_can_be_kept(
    window: MainWindow, qtbot: QtBot, settle: Settle, log: Path
) -> None:
    window.show_list((str(log.parent),))
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    opened(window, settle, log)
    hiding.set_enabled(True)
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    settle(window.document)
    reject_two(window, settle)
    assert "2 unsaved choices" in window.windowTitle()
    assert window.logs_model.index(0, LogColumn.TITLE).data().startswith("2 unsaved choices")
    questions = there(window.prompts)
    assert isinstance(questions, FakeQuestions)
    questions.sure = True
    opened(window, settle, write_healthy(log.with_name("b.jsonl")))
    assert "choices" not in window.logs_model.index(0, LogColumn.TITLE).data()


@pytest.mark.usefixtures("visible_again")
def test_where_nothing_can_be_kept_the_window_asks(
    window: MainWindow, settle: Settle, log: Path, tmp_path: Path
) -> None:
    hiding.set_enabled(True)
    opened(window, settle, log)
    reject_two(window, settle)
    questions = there(window.prompts)
    assert isinstance(questions, FakeQuestions)
    window.open(str(write_healthy(tmp_path / "b.jsonl")))
    assert (questions.asked, Path(window.document.path).name) == (["lose 2"], "a.jsonl")
    assert not window.close()
    assert questions.asked == ["lose 2", "lose 2"]
    questions.sure = True
    window.open(str(tmp_path / "b.jsonl"))
    assert Path(window.document.path).name == "b.jsonl"
    hiding.set_enabled(False)
    assert Settings().all_choices() == {}
