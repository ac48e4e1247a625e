"""The strip above the tree: how large the context was, what happened to it, and a click goes there."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.core.presentation.engine_results import ContextSeries
from inspector.gui.common.actions import Action
from inspector.gui.panels.context_strip import ContextBars, layout_bars
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.requests import CONTEXT_SERIES
from tests.core.presentation.test_context_series import HISTORY, log_of
from tests.gui.conftest import PATIENCE_MS
from tests.gui.seek_log import current

Settle = Callable[[Document], None]


@pytest.mark.parametrize(("answers", "width"), [(1, 300), (20, 300), (300, 300), (301, 300), (100_000, 300)])
def test_every_answer_is_in_one_bar_and_no_two_bars_share_a_pixel(answers: int, width: int) -> None:
    bars = list(layout_bars(list(range(answers)), width))
    assert [each for bar in bars for each in range(bar.first, bar.last + 1)] == list(range(answers))
    assert all(left.x + left.width <= right.x for left, right in pairwise(bars))
    assert bars[-1].x + bars[-1].width <= width
    assert all(bar.tokens == bar.last for bar in bars)


@pytest.fixture
def opened(qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    real_window.open(
        str(log_of(tmp_path, f'{HISTORY} | u"x" | a{{C}} | u"y"', 30_000, 50_000, 120_000, 170_000, 180_000))
    )
    settle(real_window.document)
    qtbot.waitUntil(lambda: len(real_window.outline.context.bars.series.records) > 0, timeout=PATIENCE_MS)
    return real_window


def click(qtbot: QtBot, bars: ContextBars, x: int) -> None:
    qtbot.mouseClick(bars, Qt.MouseButton.LeftButton, pos=QPoint(x, 20))


def told_at(bars: ContextBars, x: int) -> list[str]:
    where = QPoint(x, 20)
    QApplication.sendEvent(bars, QHelpEvent(QHelpEvent.Type.ToolTip, where, bars.mapToGlobal(where)))
    return [line for line in bars.toolTip().replace("<br>", "\n").split("\n") if "http" not in line]


def test_it_says_the_essence(opened: MainWindow) -> None:
    strip = opened.outline.context
    sentence = "Context: 180,000 of 200,000 tokens at turn 3; broken at turn 3"
    assert strip.isVisible()
    assert (strip.sentence.text(), strip.bars.accessibleName()) == (sentence, sentence)
    assert strip.trim.isVisible()
    assert strip.trim.defaultAction() is opened.window_actions[Action.TRIM]


def test_a_click_goes_to_the_answer_and_to_the_break(qtbot: QtBot, opened: MainWindow) -> None:
    bars = opened.outline.context.bars
    click(qtbot, bars, bars.x_of_position(1))
    assert current(opened) == "assistant: done"
    click(qtbot, bars, bars.x_of_record(bars.series.broken))
    assert current(opened).startswith("call: Read")
    assert opened.document.finding >= 0


def test_the_arrow_keys_go_from_answer_to_answer(qtbot: QtBot, opened: MainWindow) -> None:
    bars = opened.outline.context.bars
    shown = []
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_End):
        qtbot.keyClick(bars, key)
        shown.append(bars.accessibleDescription().split("\n")[0])
    assert shown == [
        "Turn 1: 30,000 tokens",
        "Turn 1: 50,000 tokens",
        "Turn 2: 120,000 tokens",
        "Turn 1: 50,000 tokens",
        "Turn 3: 180,000 tokens",
    ]


def test_a_tooltip_shows_the_figures_and_what_happened(opened: MainWindow) -> None:
    bars = opened.outline.context.bars
    assert told_at(bars, bars.x_of_position(0)) == [
        "Turn 1: 30,000 tokens",
        "15% of claude-sonnet-4's 200,000-token limit",
        "1 failed tool call",
    ]
    assert told_at(bars, bars.x_of_position(4)) == [
        "Turn 3: 180,000 tokens",
        "90% of claude-sonnet-4's 200,000-token limit",
        "The session broke here.",
    ]


def test_a_log_that_does_not_record_tokens_keeps_the_strip(opened: MainWindow) -> None:
    strip = opened.outline.context
    height = strip.sizeHint().height()
    opened.document.process.answer_signal(CONTEXT_SERIES).emit(ContextSeries())
    assert (strip.isVisible(), strip.sizeHint().height()) == (True, height)
    assert strip.sentence.text() == "The log does not record the size of the context."
    assert not strip.bars.isEnabled()


def test_it_can_be_hidden_and_that_is_remembered(opened: MainWindow) -> None:
    strip, action = opened.outline.context, opened.window_actions[Action.SHOW_CONTEXT]
    assert action.isChecked()
    action.trigger()
    assert not strip.isVisible()
    assert not opened.settings.show_context
    action.trigger()
    assert strip.isVisible()


def test_a_short_pane_leaves_the_room_to_the_tree(opened: MainWindow) -> None:
    strip = opened.outline.context
    shown = []
    for height in (400, 299, 179, 400):
        strip.set_room(height)
        shown.append((strip.isVisible(), strip.bars.isVisible()))
    assert shown == [(True, True), (True, False), (False, False), (True, True)]


def test_another_log_shows_nothing_of_the_one_before(
    qtbot: QtBot, opened: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    opened.open(str(log_of(tmp_path / "other", 'u"one"')))
    settle(opened.document)
    qtbot.wait(50)
    assert not opened.outline.context.isVisible()
    assert not opened.outline.context.bars.series.records
