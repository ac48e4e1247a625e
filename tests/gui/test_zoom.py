"""The size of all letters is changed with keys while the window is open, and stays so."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.core_dependencies import CoreDependencies
from tests.gui.conftest import shown
from tests.gui.fake_logs import write_small
from tests.gui.fake_questions import FakeQuestions

Settle = Callable[[Document], None]


@pytest.fixture
def zoomed(window: MainWindow, settle: Settle, tmp_path: Path) -> Iterator[MainWindow]:
    """A window with a log, whose zoom is reset afterwards."""
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    yield window
    window.set_zoom(0)


def heights(window: MainWindow) -> tuple[int, int, int]:
    """The height of a row, and those of letters that have a size of their own and of others."""
    view = window.outline.view
    row = view.visualRect(view.model().index(0, 0, view.rootIndex())).height()
    return row, window.logs.title.fontMetrics().height(), window.side.details.page.fontMetrics().height()


@pytest.mark.parametrize("styled", [False, True])
def test_letters_grow_and_shrink_everywhere(zoomed: MainWindow, styled: bool, qapp: QApplication) -> None:
    theme.apply("light", styled=styled)
    usual = heights(zoomed)
    for _ in range(3):
        zoomed.window_actions[Action.ZOOM_IN].trigger()
    qapp.processEvents()
    assert all(large > small for large, small in zip(heights(zoomed), usual, strict=True))
    zoomed.window_actions[Action.ZOOM_RESET].trigger()
    qapp.processEvents()
    assert heights(zoomed) == usual
    zoomed.window_actions[Action.ZOOM_OUT].trigger()
    qapp.processEvents()
    assert all(small < large for small, large in zip(heights(zoomed), usual, strict=True))
    qapp.setStyleSheet("")


def test_the_zoom_has_limits_and_is_remembered(
    qtbot: QtBot, qapp: QApplication, zoomed: MainWindow, core: CoreDependencies, questions: FakeQuestions
) -> None:
    larger, size = zoomed.window_actions[Action.ZOOM_IN], qapp.font().pointSizeF()
    while larger.isEnabled():
        larger.trigger()
    assert qapp.font().pointSizeF() == pytest.approx(2 * size)
    assert "The text cannot be made any larger." in larger.toolTip()
    with shown(qapp, core, questions) as again:
        assert again.zoom.steps == 10
        assert zoomed.settings.state("logs_columns").isEmpty()  # they are not those that a person chose
        assert qapp.font().pointSizeF() == pytest.approx(2 * size)


def test_the_columns_of_the_tree_are_as_wide_as_before_when_the_zoom_is_reset(
    zoomed: MainWindow, qapp: QApplication
) -> None:
    theme.apply("light")
    zoomed.resize(1280, 720)
    header = zoomed.outline.view.header()

    def widths() -> list[int]:
        qapp.processEvents()
        return [header.sectionSize(column) for column in range(header.count())]

    usual = widths()
    for _ in range(4):
        zoomed.window_actions[Action.ZOOM_IN].trigger()
        assert widths() != usual
    zoomed.window_actions[Action.ZOOM_RESET].trigger()
    assert widths() == usual
    qapp.setStyleSheet("")
