"""A backup is put back from the window: it says what goes where, asks, and shows the log that is what it was."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from inspector.core.presentation.engine_results import SaveResult
from inspector.gui.common import dialog_questions as asking
from inspector.gui.common.actions import Action
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.safe_text import make_message_box
from inspector.gui.panels.side_panel import SavedPage
from inspector.gui.state.document import Document
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker import requests
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support.notation import SESSION, claude_code, parse

BROKEN = claude_code(parse('u"go" | a{A} | u"stop" | a"ok"'))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(BROKEN)
    return path


@pytest.fixture
def saved(
    real_window: MainWindow, questions: FakeQuestions, settle: Callable[[Document], None], log: Path
) -> MainWindow:
    """A window whose log was repaired in place."""
    real_window.open(str(log))
    settle(real_window.document)
    questions.closed = questions.sure = True
    real_window.window_actions[Action.SAVE_IN_PLACE].trigger()
    settle(real_window.document)
    assert log.read_bytes() != BROKEN
    return real_window


def notice(window: MainWindow) -> str:
    return window.document.notice.sentence if window.document.notice else ""


def test_the_page_after_a_save_restores_its_backup(
    qtbot: QtBot, saved: MainWindow, questions: FakeQuestions, settle: Callable[[Document], None], log: Path
) -> None:
    repaired = log.read_bytes()
    there(saved.side.repair.saved.findChild(QPushButton, "restore")).click()
    qtbot.waitUntil(lambda: "was restored" in notice(saved), timeout=PATIENCE_MS)
    settle(saved.document)
    assert questions.asked[-1] == f"restore {log}.backup as {log}"
    assert log.read_bytes() == BROKEN
    assert notice(saved) == f"{log} was restored from its backup. The replaced file was kept as {log}.backup-2."
    assert Path(f"{log}.backup-2").read_bytes() == repaired
    assert saved.document.saved is None
    assert saved.document.repair.plan is not None


def test_who_thinks_better_of_it_changes_nothing(
    qtbot: QtBot, saved: MainWindow, questions: FakeQuestions, log: Path
) -> None:
    questions.sure, questions.backup, repaired = False, f"{log}.backup", log.read_bytes()
    saved.window_actions[Action.RESTORE].trigger()
    qtbot.waitUntil(lambda: questions.asked[-1].startswith("restore "), timeout=PATIENCE_MS)
    assert questions.asked[-2] == "backup"
    assert log.read_bytes() == repaired


def test_a_backup_is_restored_with_no_log_open(
    qtbot: QtBot, real_window: MainWindow, questions: FakeQuestions, settle: Callable[[Document], None], log: Path
) -> None:
    backup = log.rename(f"{log}.backup")
    questions.sure, questions.backup = True, str(backup)
    real_window.window_actions[Action.RESTORE].trigger()
    qtbot.waitUntil(lambda: "was restored" in notice(real_window), timeout=PATIENCE_MS)
    settle(real_window.document)
    assert log.read_bytes() == BROKEN
    assert notice(real_window) == f"{log} was restored from its backup."
    assert real_window.document.path == str(log)


def test_a_refusal_is_a_sentence(qtbot: QtBot, real_window: MainWindow, questions: FakeQuestions, log: Path) -> None:
    questions.backup = str(log)
    real_window.window_actions[Action.RESTORE].trigger()
    qtbot.waitUntil(lambda: bool(questions.told), timeout=PATIENCE_MS)
    assert questions.told[0].startswith("Nothing was restored: ")
    assert "is not named like a backup" in questions.told[0]
    assert log.read_bytes() == BROKEN


def test_the_page_after_a_save_tells_what_went_wrong(qtbot: QtBot, document: Document) -> None:
    page = SavedPage(document)
    qtbot.addWidget(page)
    warnings = ("The owner was not kept.",)
    saved = SaveResult(
        path="/a", backup="/a.backup", quarantine="", steps=(), command="", verdict="", warnings=warnings
    )
    page.show_saved(saved)
    assert "Note: The owner was not kept." in [label.text() for label in page.findChildren(PlainLabel)]


def test_a_restore_is_never_broken_off() -> None:
    assert requests.RESTORE.uninterruptible


def test_what_is_asked_names_both_places(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes: list[QMessageBox] = []

    def box(*about: object) -> QMessageBox:
        boxes.append(make_message_box(*about))  # type: ignore[arg-type]
        monkeypatch.setattr(boxes[-1], "exec", lambda: 0)
        return boxes[-1]

    monkeypatch.setattr(asking, "make_message_box", box)
    assert not DialogQuestions().confirm_restore("/store.backup", "/store")
    assert "will be restored:\n/store\n" in boxes[0].informativeText()
    assert "\n/store.backup\n" in boxes[0].informativeText()
    assert "kept under another name" in boxes[0].informativeText()
