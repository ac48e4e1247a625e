"""The key of an action that is not available is answered: it is done when the plan is ready, or the window says why."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.there import there

Settle = Callable[[Document], None]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press_new_session(qtbot: QtBot, window: MainWindow) -> str:
    """Press the keys where the focus is, and return what the window says."""
    window.outline.view.setFocus()
    qtbot.keyClick(window.outline.view, Qt.Key.Key_N, CTRL | SHIFT)
    return there(window.document.notice).sentence if window.document.notice else ""


@pytest.mark.parametrize("phase", [Phase.LOADING, Phase.READY])
def test_a_save_that_is_asked_for_while_the_repair_is_planned_is_done_when_it_is_ready(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path, phase: Phase
) -> None:
    window.open(str(write_small(tmp_path / "held.jsonl")))
    qtbot.waitUntil(lambda: window.document.phase == phase, timeout=PATIENCE_MS)
    assert press_new_session(qtbot, window) == "“Save as new session” starts as soon as the repair has been planned."
    (tmp_path / "go").touch()
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    assert Path(there(window.document.saved).path).name == "new-held.jsonl"
    assert window.document.notice is None


def test_a_save_that_turns_out_to_be_impossible_is_answered(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_healthy(tmp_path / "held.jsonl")))
    press_new_session(qtbot, window)
    (tmp_path / "go").touch()
    settle(window.document)
    assert there(window.document.notice).sentence == "There is nothing to repair."


def test_a_save_that_was_asked_for_is_not_done_for_another_log(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "held.jsonl")))
    press_new_session(qtbot, window)
    window.open(str(write_small(tmp_path / "other.jsonl")))
    settle(window.document)
    assert (window.document.saved, window.document.notice) == (None, None)
    assert not list(tmp_path.glob("new-*"))


def test_other_keys_say_why_they_do_nothing(window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_healthy(tmp_path / "a.jsonl")))
    settle(window.document)
    said = []
    for key, modifiers in ((Qt.Key.Key_F8, 0), (Qt.Key.Key_Z, CTRL), (Qt.Key.Key_Escape, 0)):
        qtbot.keyClick(window.outline.view, key, Qt.KeyboardModifier(modifiers))
        said.append(there(window.document.notice).sentence if window.document.notice else "")
        window.document.dismiss_notice()
    assert said == ["There are no findings.", "There is no choice to undo.", ""]
    window.show_list((str(tmp_path),))
    qtbot.keyClick(window.logs.table, Qt.Key.Key_F8)
    assert window.logs.facts.text() == "Open a log first."
    assert window.window_actions[Action.NEXT_FINDING].isEnabled() is False


def test_a_rejected_change_is_called_so_and_a_reason_goes_with_the_state_that_it_speaks_of(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)

    def press(key: Qt.Key) -> str:
        qtbot.keyClick(window.outline.view, key, CTRL)
        settle(window.document)
        return window.document.notice.sentence if window.document.notice else ""

    window.side.repair.panel.changes.step(1)
    assert press(Qt.Key.Key_Z) == "There is no choice to undo."
    assert press(Qt.Key.Key_D) == ""
    assert press(Qt.Key.Key_D) == "This change has already been rejected."
    assert press(Qt.Key.Key_Z) == ""


def test_while_a_log_is_read_actions_say_so_and_what_is_over_leaves_the_status_bar(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "held.jsonl")))
    assert window.document.phase == Phase.LOADING
    qtbot.keyClick(window, Qt.Key.Key_R, CTRL | Qt.KeyboardModifier.AltModifier)
    assert there(window.document.notice).sentence == "The log has not been read yet."
    tip = window.window_actions[Action.NEXT_FINDING].statusTip()
    assert tip == "The log has not been read yet."
    QApplication.sendEvent(window, QStatusTipEvent(tip))  # as if the pointer were on its button
    assert window.statusBar().currentMessage() == tip
    (tmp_path / "go").touch()
    settle(window.document)
    assert window.window_actions[Action.NEXT_FINDING].isEnabled()
    assert window.statusBar().currentMessage() == ""
