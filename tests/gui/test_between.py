"""Another log of the conversation, compared in the window."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.dialogs.other_log_dialogs import CompareLogsDialog
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.core.analysis.logs import answered, claude_lines, written
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


def dialog_of(window: MainWindow, qtbot: QtBot) -> CompareLogsDialog:
    window.window_actions[Action.COMPARE].trigger()
    dialog = there(window.findChild(CompareLogsDialog))
    qtbot.waitUntil(lambda: dialog.head.sentence.text() != "Reading…", timeout=PATIENCE_MS)
    return dialog


def test_what_a_copy_has_is_listed_and_its_results_are_taken_over(
    real_window: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path,
    qtmodeltester: ModelTester,
) -> None:  # fmt: skip
    window, document = real_window, real_window.document
    copy = [*claude_lines(answered("installed 3 packages"))]
    copy[0]["message"]["content"] = "other words"
    questions.other = str(written(tmp_path, "copy.jsonl", copy))
    window.open(str(written(tmp_path, "open.jsonl", claude_lines())))
    settle(document)
    dialog = dialog_of(window, qtbot)
    assert dialog.head.sentence.text() == "1 record is the same in both logs, 2 differences."
    assert "This log is broken. The other log is healthy." in dialog.head.more.text()
    assert "1 missing result was found in the other log." in dialog.head.more.text()
    rows = [[dialog.model.index(row, column).data() for column in range(4)] for row in range(2)]
    assert rows == [["different", "1", "1", "user: hi"], ["only there", "", "3", "user: result installed 3 packages"]]
    qtmodeltester.check(dialog.model)
    qtbot.mouseClick(dialog.view.viewport(), LEFT, pos=dialog.view.visualRect(dialog.model.index(0, 0)).center())
    assert there(document.log).record_of(document.node) == 0
    qtbot.mouseClick(dialog.take, LEFT)
    settle(document)
    assert "Missing results are copied from copy.jsonl." in window.side.repair.panel.outcome.text()


def test_what_cannot_be_compared_is_a_sentence(
    real_window: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    questions.other = str(tmp_path / "gone.jsonl")
    real_window.open(str(written(tmp_path, "open.jsonl", claude_lines())))
    settle(real_window.document)
    dialog = dialog_of(real_window, qtbot)
    assert "gone.jsonl cannot be read" in dialog.head.sentence.text()
    assert not dialog.take.isEnabled()
    dialog.reject()
