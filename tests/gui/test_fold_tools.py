"""Prompts and answers first: one switch folds calls and results, and what is found or gone to is shown all the same."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.models.base import ItemRole
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.there import there

Settle = Callable[[Document], None]
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def chips(window: MainWindow) -> set[str]:
    """The roles and kinds of all rows of the tree, unfolded."""
    model, found, stack = window.outline.model, set[str](), [QModelIndex()]
    while stack:
        parent = stack.pop()
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            found.add(index.data(ItemRole.ROW).chip)
            stack.append(index)
    return found


@pytest.fixture
def folded(real_window: MainWindow, qtbot: QtBot, settle: Settle, samples: Path) -> MainWindow:
    """A window that shows only prompts and answers, with a prompt selected."""
    real_window.open(str(samples / "claude-code-broken.jsonl"))
    settle(real_window.document)
    assert {"call", "result"} <= chips(real_window)
    real_window.document.select_node(there(real_window.document.log).outline.node_of_record[2])
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_P, CONTROL_SHIFT)
    qtbot.waitUntil(lambda: real_window.document.row_filter.kept is not None, timeout=PATIENCE_MS)
    return real_window


def test_one_key_folds_tools_and_one_click_shows_them_again(folded: MainWindow, qtbot: QtBot) -> None:
    assert not {"call", "result", "system"} & chips(folded)
    assert {"user", "assistant", "text"} <= chips(folded)
    assert folded.window_actions[Action.FOLD_TOOLS].isChecked()
    assert "rows, " in folded.outline.filter_strip.said.text()
    qtbot.mouseClick(folded.outline.filter_strip.fold, Qt.MouseButton.LeftButton)
    assert {"call", "result"} <= chips(folded)
    assert not folded.window_actions[Action.FOLD_TOOLS].isChecked()
    assert folded.outline.filter_strip.said.text() == ""


def test_what_is_found_is_shown_although_tools_are_folded(folded: MainWindow, qtbot: QtBot) -> None:
    folded.window_actions[Action.FIND].trigger()
    qtbot.keyClicks(folded.outline.find_strip.field, "npm test -- timer")
    qtbot.keyClick(folded.outline.find_strip.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "call" in chips(folded), timeout=PATIENCE_MS)
    assert folded.outline.view.currentIndex().data(ItemRole.ROW).chip == "call"
    assert not folded.outline.filter_strip.reveal.isVisible()


def test_the_switch_holds_for_the_next_log_and_its_first_finding_is_shown(
    folded: MainWindow, qtbot: QtBot, settle: Settle, samples: Path
) -> None:
    folded.open(str(samples / "codex-broken.jsonl"))
    settle(folded.document)
    qtbot.waitUntil(lambda: folded.document.row_filter.kept is not None, timeout=PATIENCE_MS)
    assert not folded.document.row_filter.hides(folded.document.node)
    assert folded.window_actions[Action.FOLD_TOOLS].isChecked()
