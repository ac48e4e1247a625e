"""What leaves the desk, from the window: a bundle, a repair to send back; and everything that is kept, forgotten."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from inspector.core.engine.log import OpenLog
from inspector.gui.common.actions import Action
from inspector.gui.common.settings import Settings
from inspector.gui.dialogs.share_dialogs import SaveExplanationDialog, SendBackRepairDialog
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support.canaries import PLANTED, planted_sample

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def opened(real_window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    real_window.open(str(planted_sample("codex-broken.jsonl", tmp_path)))
    settle(real_window.document)
    return real_window


def told(qtbot: QtBot, window: MainWindow, words: str) -> str:
    def sentence() -> str:
        return window.document.notice.sentence if window.document.notice else ""

    qtbot.waitUntil(lambda: words in sentence(), timeout=2 * PATIENCE_MS)
    return sentence()


def test_a_bundle_is_made_and_holds_nothing_of_the_log(
    qtbot: QtBot, opened: MainWindow, questions: FakeQuestions, tmp_path: Path
) -> None:
    questions.copy = str(tmp_path / "b.zip")
    opened.window_actions[Action.BUNDLE].trigger()
    dialog = there(opened.findChild(SaveExplanationDialog))
    dialog.language.setCurrentIndex(1)
    qtbot.mouseClick(dialog.save, LEFT)
    assert questions.asked == [f"copy {tmp_path / 'bundle.zip'}"]
    assert told(qtbot, opened, "was saved").endswith("It has the same 3 findings as the log.")
    with zipfile.ZipFile(questions.copy) as bundle:
        assert "report.md" in bundle.namelist()
        assert not [name for name in bundle.namelist() if PLANTED.search(bundle.read(name).decode("utf-8", "replace"))]
        assert "日志" in bundle.read("report.txt").decode()


def test_a_bundle_is_told_by_its_name_though_a_second_was_given_up(
    qtbot: QtBot, opened: MainWindow, questions: FakeQuestions, tmp_path: Path
) -> None:
    for target in (str(tmp_path / "b.zip"), ""):
        questions.copy = target
        opened.window_actions[Action.BUNDLE].trigger()
        qtbot.mouseClick(opened.findChildren(SaveExplanationDialog)[-1].save, LEFT)
    assert str(tmp_path / "b.zip") in told(qtbot, opened, "was saved")


def test_a_repair_is_sent_back_with_a_page_in_the_language_of_who_gets_it(
    qtbot: QtBot, opened: MainWindow, questions: FakeQuestions, tmp_path: Path
) -> None:
    log = Path(opened.document.path)
    before = log.read_bytes()
    opened.window_actions[Action.SEND_BACK].trigger()
    dialog = there(opened.findChild(SendBackRepairDialog))
    qtbot.waitUntil(lambda: "transcript-inspector repair --plan" in dialog.preview.toPlainText(), timeout=PATIENCE_MS)
    dialog.system.setCurrentIndex(3)
    dialog.language.setCurrentIndex(1)
    qtbot.waitUntil(lambda: dialog.save.isEnabled() and "关闭" in dialog.preview.toPlainText(), timeout=PATIENCE_MS)
    assert '"LOG"' in dialog.preview.toPlainText()
    questions.copy = str(tmp_path / "back.zip")
    qtbot.mouseClick(dialog.save, LEFT)
    told(qtbot, opened, "back.zip")
    with zipfile.ZipFile(questions.copy) as sent:
        texts = [sent.read(name).decode() for name in sent.namelist()]
    assert not [text for text in texts if PLANTED.search(text)]
    assert log.read_bytes() == before
    with OpenLog.at(log) as again:
        assert again.check().verdict.word == "broken"


def test_a_healthy_log_has_no_repair_to_send_back(
    real_window: MainWindow, settle: Settle, samples: Path, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes((samples / "codex-healthy.jsonl").read_bytes())
    real_window.open(str(path))
    settle(real_window.document)
    assert not real_window.window_actions[Action.SEND_BACK].isEnabled()
    assert real_window.window_actions[Action.BUNDLE].isEnabled()


def test_everything_is_forgotten_once_it_is_confirmed(
    qtbot: QtBot, opened: MainWindow, questions: FakeQuestions, tmp_path: Path
) -> None:
    opened.document.step_finding(True)
    opened.bookmarks.toggle()
    (tmp_path / "zq000kunde-codex-broken.jsonl.backup").write_text("said")
    assert Settings().recent == [opened.document.path]
    opened.window_actions[Action.FORGET].trigger()
    assert Settings().recent
    questions.sure = True
    opened.window_actions[Action.FORGET].trigger()
    qtbot.waitUntil(lambda: bool(questions.told), timeout=PATIENCE_MS)
    assert not Settings().recent
    assert not list((tmp_path / "settings").rglob("*zq000*"))
    kept = "".join(path.read_text() for path in (tmp_path / "settings").rglob("*.ini"))
    assert "kunde" not in kept
    assert "notes" not in kept
    assert "were removed" in questions.told[0]
