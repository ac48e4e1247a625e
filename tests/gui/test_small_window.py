"""What shares a small window: the bar about an error, the verdict, the repair, the context and side windows."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.common import theme
from inspector.gui.panels.repair_panel import outcome_lines
from inspector.gui.state.document import Document
from inspector.gui.state.error_lookup import LookupPhase
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.requests import OPEN_LOG
from tests.core.presentation.test_context_series import HISTORY, log_of
from tests.gui.conftest import PATIENCE_MS
from tests.gui.there import there

Settle = Callable[[Document], None]
SMALL_WINDOWS = [QSize(1280, 720), QSize(1024, 700)]


@pytest.fixture
def opened(real_window: MainWindow, settle: Settle, samples: Path, tmp_path: Path) -> MainWindow:
    """A window with a broken session, with the style sheet that the program has."""
    theme.apply("light")
    log = tmp_path / "88dd9faf-80e2-49f8-a338-f6d759acbce1.jsonl"
    shutil.copy(samples / "claude-code-broken.jsonl", log)
    real_window.open(str(log))
    settle(real_window.document)
    return real_window


def is_whole(widget: QWidget, pane: QWidget) -> bool:
    """Whether a widget is visible, and nothing of it is outside of a pane."""
    place = QRect(widget.mapTo(pane, widget.rect().topLeft()), widget.size())
    return widget.isVisible() and pane.rect().contains(place)


@pytest.mark.parametrize("size", SMALL_WINDOWS)
def test_the_places_of_an_error_leave_room_for_the_verdict(opened: MainWindow, qtbot: QtBot, size: QSize) -> None:
    opened.resize(size)
    opened.error_lookup.ask("API Error: 400 Improperly formed request", True)
    qtbot.waitUntil(lambda: opened.error_lookup.phase == LookupPhase.DONE, timeout=PATIENCE_MS)
    assert opened.error_lookup_bar.model.rowCount() >= 4
    qtbot.wait(50)
    verdict = opened.verdict
    assert all(is_whole(part, verdict.viewport()) for part in (verdict.primary, verdict._sentence))
    opened.error_lookup.dismiss()
    qtbot.waitUntil(verdict._problems.isVisible)


@pytest.mark.parametrize(("size", "lines"), [*zip(SMALL_WINDOWS, (15, 14), strict=True)])
def test_the_verdict_is_one_headline_while_the_repair_is_shown(
    opened: MainWindow, qtbot: QtBot, size: QSize, lines: int
) -> None:
    opened.resize(size)
    verdict, panel = opened.verdict, opened.side.repair.panel
    opened.preview_repair()
    qtbot.wait(50)
    assert not any(part.isVisible() for part in (verdict.primary, verdict._problems, verdict._cause))
    line = QFontMetrics(theme.fixed_font(1)).lineSpacing()
    assert panel.changes.compare.text.viewport().height() >= lines * line
    row = panel.changes.view.visualRect(panel.changes.view.currentIndex()).height()
    assert panel.changes.view.viewport().height() >= 5 * row
    verdict.more.setChecked(True)
    assert verdict._problems.isVisible()
    verdict.more.setChecked(False)
    opened.side.show_tab(opened.side.details)
    assert verdict.primary.isVisible()
    assert verdict._problems.isVisible()


@pytest.mark.parametrize("size", SMALL_WINDOWS)
def test_no_line_of_the_outcome_is_cut_in_half(opened: MainWindow, qtbot: QtBot, size: QSize) -> None:
    opened.resize(size)
    opened.preview_repair()
    qtbot.wait(50)
    outcome = opened.side.repair.panel.outcome
    height = outcome.viewport().height()
    lines = [QRect(words.mapTo(outcome.viewport(), words.rect().topLeft()), words.size()) for _, words in outcome._rows]
    assert sum(line.bottom() < height for line in lines) >= 2
    assert not [line for line in lines if line.top() < height - 1 <= line.bottom()]


@pytest.mark.parametrize("size", SMALL_WINDOWS)
def test_no_line_of_the_verdict_is_cut_in_half(opened: MainWindow, qtbot: QtBot, size: QSize) -> None:
    opened.resize(size)
    verdict = opened.verdict
    verdict.more.setChecked(True)
    qtbot.wait(50)
    full = there(verdict.widget()).sizeHint().height()
    for room in range(120, 160):
        verdict.set_limit(room)
        height = verdict.maximumHeight()
        assert room - 20 < height <= room < full
        for text in (verdict._problems, verdict._cause, verdict._error, verdict._rest):
            line = text.fontMetrics().lineSpacing()
            tops = range(text.y(), text.geometry().bottom(), line)
            assert not [top for top in tops if top < height - 2 < top + line - 4]


def test_what_remains_wrong_is_said_once_and_without_codes(opened: MainWindow, settle: Settle) -> None:
    opened.document.repair.choose_for_rule("F1", "leave")
    settle(opened.document)
    errors = [text for icon, _, text in outcome_lines(opened.document) if icon == "error"]
    message = "The log ends in the middle of its last record."
    assert errors == [f"Anthropic Messages would still reject the history: {message}"]


@pytest.mark.parametrize("size", SMALL_WINDOWS)
@pytest.mark.parametrize(
    ("history", "tokens"), [(HISTORY, (30_000,) * 4), (f"{HISTORY} | a{{C}}", (30_000, 50_000)), ('u"one" | a{A}', ())]
)
def test_nothing_moves_the_tree_once_the_verdict_is_there(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path, size: QSize, history: str,
    tokens: tuple[int, ...],
) -> None:  # fmt: skip
    theme.apply("light")
    window, strip, process = real_window, real_window.outline.context, real_window.document.process
    held: list[Callable[[], None]] = []
    with pytest.MonkeyPatch.context() as patch:
        ask = process.ask
        patch.setattr(
            process, "ask", lambda *each: ask(*each) if each[0] is OPEN_LOG else held.append(partial(ask, *each))
        )
        window.resize(size)
        window.open(str(log_of(tmp_path, history, *tokens)))
        qtbot.waitUntil(lambda: window.document.whole_log is not None, timeout=PATIENCE_MS)
        qtbot.wait(50)
    before, waiting = window.outline.filter_strip.mapTo(window, QPoint()).y(), strip.sentence.text()
    for request in held:
        request()
    settle(window.document)
    qtbot.waitUntil(lambda: len(strip.bars.series.records) > 0, timeout=PATIENCE_MS)
    qtbot.wait(50)
    assert window.outline.filter_strip.mapTo(window, QPoint()).y() == before
    assert waiting == "Measuring the context…"


def test_side_windows_leave_the_verdict_of_a_window_that_fills_the_screen_in_sight(
    opened: MainWindow, qtbot: QtBot
) -> None:
    opened.setGeometry(opened.screen().availableGeometry())
    opened.shortcuts.ask()
    opened.page.open(there(opened.document.log).findings[0].rule)
    opened.sent.open()
    verdict = QRect(opened.verdict.mapToGlobal(opened.verdict.rect().topLeft()), opened.verdict.size())
    for window in (opened.shortcuts, opened.page, opened.sent):
        assert not window.frameGeometry().intersects(verdict)
        window.close()
