"""The walks that the page of the window tells of, with no action more than it says."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.models.base import ItemRole
from inspector.gui.state.document import Document
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.window.main_window import MainWindow
from tests.core.formats import FORMATS
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support.notation import parse

Settle = Callable[[Document], None]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
FIVE = " | ".join(f'u"ask {name}" | a{{{name}}}' for name in "ABCDE") + ' | u"stop"'


def written(history: str, folder: Path) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    return FORMATS["claude-code"].write(parse(history), folder)


def test_from_a_pasted_error_to_the_command_in_three_actions(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    store = tmp_path / "projects" / "-w"
    window, path = real_window, written('u | a{A} | u"stop" | a"ok"', store)
    window.open(str(path))
    settle(window.document)
    QGuiApplication.clipboard().setText("messages.1: `tool_use` ids were found without `tool_result` blocks: A")
    qtbot.keyClick(window, Qt.Key.Key_V, CTRL)
    qtbot.waitUntil(lambda: not window.error_lookup.searching and window.document.finding == 0, timeout=PATIENCE_MS)
    qtbot.keyClick(window, Qt.Key.Key_N, CTRL | SHIFT)
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    saved = there(window.document.saved)
    assert saved.verdict == "healthy"
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QPushButton), timeout=PATIENCE_MS)
    qtbot.keyClick(there(QApplication.focusWidget()), Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == saved.command
    page = window.side.repair.saved
    assert there(page.findChild(QPushButton, "copy_command")).text() == "Copied ✓"
    assert page.findChildren(PlainLabel)[0].text() == "Saved and checked."
    assert "claude --resume " in saved.command


def test_before_and_after_of_five_findings_in_five_keys(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window, compare = real_window, real_window.side.repair.panel.changes.compare
    window.open(str(written(FIVE, tmp_path)))
    settle(window.document)
    seen = []
    for press in range(5):
        if press:
            qtbot.keyClick(window, Qt.Key.Key_F8)
        else:
            qtbot.keyClick(window, Qt.Key.Key_3, CTRL)
        call = there(window.document.log).findings[window.document.finding].call_id
        qtbot.waitUntil(lambda call=call: f"+\nresult · {call}" in compare.text.toPlainText(), timeout=PATIENCE_MS)  # type: ignore[misc]
        seen.append(call)
    assert seen == list("ABCDE")


def test_from_the_name_of_a_tool_to_its_call_in_two_actions(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window, view = real_window, real_window.outline.view
    window.open(str(written('u"go" | a{A@Read p=1} | r(A=x) | a{B@Grep p=2} | r(B=y) | a"ok"', tmp_path)))
    settle(window.document)
    qtbot.keyClick(window, Qt.Key.Key_F, CTRL)
    qtbot.keyClicks(there(QApplication.focusWidget()), "grep")
    qtbot.waitUntil(lambda: getattr(view.currentIndex().data(ItemRole.ROW), "name", "") == "Grep", timeout=PATIENCE_MS)


def test_from_a_folder_to_the_cause_in_the_worst_log_in_one_action(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window = real_window
    for name, history in (("sound", 'u | a"ok"'), ("broken", 'u | a{A} | u"stop" | a"ok"')):
        written(history, tmp_path / name)
    window.open(str(tmp_path))
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    qtbot.keyClick(window.logs.table, Qt.Key.Key_Return)
    settle(window.document)
    assert Path(window.document.path).parent.name == "broken"
    assert there(window.document.log).findings[window.document.finding].call_id == "A"


def test_the_saved_page_names_folder_backup_and_what_was_set_aside(
    real_window: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    store = tmp_path / "projects" / "-w"
    window, path = real_window, written('u | a{A} | u"stop" | a"ok"', store)
    with path.open("a") as log:
        log.write('{"type": "user", "message": {"ro')
    questions.closed = True
    window.open(str(path))
    settle(window.document)
    qtbot.keyClick(window, Qt.Key.Key_S, CTRL | Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    settle(window.document)
    page = window.side.repair.saved
    assert window.side.currentWidget() is window.side.repair
    said = [label.text() for label in page.findChildren(PlainLabel)]
    assert "The saved log was read again and checked: healthy" in said
    assert any(line.startswith("The damaged bytes were saved to ") for line in said)
    assert any(line.startswith("2.  Go to the project's folder, /") for line in said)
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    there(page.findChild(QPushButton, "show_in_folder")).click()
    assert [Path(url.toLocalFile()) for url in opened] == [store]
    assert there(page.findChild(QPushButton, "restore")).isVisible()
