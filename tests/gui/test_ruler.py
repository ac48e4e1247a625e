"""The ruler beside the tree: what stands where in the whole log, and a click goes there."""

from array import array
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.panels.overview_ruler import OverviewMarks
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.seek_log import current, write

Settle = Callable[[Document], None]


@pytest.mark.parametrize(("size", "height"), [(3, 100), (100, 100), (100, 7), (100_000, 300), (1, 1)])
def test_each_record_has_its_row_and_each_row_its_record(size: int, height: int) -> None:
    marks = OverviewMarks(size, {"error": array("i", range(size))})
    rows = [marks.row_of_record(record, height) for record in range(size)]
    assert rows == sorted(rows)
    assert 0 <= rows[0] <= rows[-1] < height
    assert list(marks.pixel_rows("error", height)) == sorted(set(rows))
    for row in set(rows):
        assert marks.row_of_record(marks.record_at_row(row, height), height) == row


def test_a_click_goes_to_the_worst_that_is_near() -> None:
    marks = OverviewMarks(1000, {"error": array("i", [500]), "turn": array("i", [499, 501, 900])})
    assert marks.nearest(50, 100, 2) == 500
    assert marks.nearest(90, 100, 2) == 900
    assert marks.nearest(20, 100, 2) == 200


@pytest.fixture
def opened(qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    real_window.open(str(write(tmp_path)))
    settle(real_window.document)
    qtbot.waitUntil(lambda: bool(real_window.document.row_filter.facets.tools), timeout=PATIENCE_MS)
    return real_window


def at(window: MainWindow, record: int) -> QPoint:
    ruler = window.outline.ruler
    return QPoint(9, record * ruler.height() // 11)


def test_a_click_leads_there(qtbot: QtBot, opened: MainWindow) -> None:
    qtbot.mouseClick(opened.outline.ruler, Qt.MouseButton.LeftButton, pos=at(opened, 9))
    assert current(opened) == "user: so?"
    qtbot.mouseClick(opened.outline.ruler, Qt.MouseButton.LeftButton, pos=at(opened, 6))
    assert current(opened) == "call: Bash ls"


def test_it_says_what_stands_there(qtbot: QtBot, opened: MainWindow) -> None:
    ruler = opened.outline.ruler
    assert ruler.accessibleDescription() == "1 error, 1 failed tool call, 3 turns"
    position = at(opened, 6)
    QApplication.sendEvent(ruler, QHelpEvent(QHelpEvent.Type.ToolTip, position, ruler.mapToGlobal(position)))
    assert ruler.toolTip() == "Line 7: 1 error"


def test_it_shows_what_was_found(qtbot: QtBot, opened: MainWindow) -> None:
    before = opened.outline.ruler.grab().toImage()
    opened.document.search.look_for("needle", False)
    qtbot.waitUntil(lambda: "3 records" in opened.outline.ruler.accessibleDescription(), timeout=PATIENCE_MS)
    assert opened.outline.ruler.grab().toImage() != before
