"""The ready lists of a log: what they hold, sorted by a click on a column, and a row leads to its place."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.gui.models.list_columns import CONTENT_LISTS
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.seek_log import current, write

Settle = Callable[[Document], None]
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
HISTORY = (
    'u"first" | a{A@Read file_path="/w/a.py"} | r(A=text) | a{B@Edit file_path="/w/b.py"} | r!(B=no such file)'
    ' | u"second" | a{C@Read file_path="/w/a.py"} | r(C=a much longer text than all the others have) | a"the end"'
)


@pytest.fixture
def opened(real_window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    real_window.open(str(write(tmp_path, HISTORY)))
    settle(real_window.document)
    return real_window


def rows(qtbot: QtBot, window: MainWindow, title: str) -> list[str]:
    """The cells of a list, once it is there."""
    lists = window.lists
    qtbot.keyClick(window, Qt.Key.Key_L, CTRL_SHIFT)
    number = [ready.title for ready in CONTENT_LISTS].index(title)
    qtbot.mouseClick(lists.tabs.tabBar(), LEFT, pos=lists.tabs.tabBar().tabRect(number).center())
    qtbot.waitUntil(lambda: "row" in lists.state.text(), timeout=PATIENCE_MS)
    return shown(window, number)


def shown(window: MainWindow, number: int) -> list[str]:
    model = window.lists.models[number]
    return [
        " | ".join(model.index(row, column).data() for column in range(model.columnCount()))
        for row in range(model.rowCount())
    ]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Turns", ["1 | first | 4 | 5 min", "6 | second | 3 | "]),
        ("Failed tools", ["5 | Edit | no such file"]),
        ("Files touched", ["2 | /w/a.py | Read | 7", "1 | /w/b.py | Edit | 4"]),
    ],
)
def test_a_list_holds_what_it_says(qtbot: QtBot, opened: MainWindow, title: str, expected: list[str]) -> None:
    assert rows(qtbot, opened, title) == expected


def test_what_a_program_put_there_is_no_turn(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    history = 'u"<environment_context>linux</environment_context>" | a"ok" | u"go" | a"ok"'
    real_window.open(str(write(tmp_path, history)))
    settle(real_window.document)
    assert rows(qtbot, real_window, "Turns") == ["3 | go | 1 | "]


def test_the_largest_record_is_the_first(qtbot: QtBot, opened: MainWindow) -> None:
    first, *_, last = rows(qtbot, opened, "Largest records")
    assert "a much longer text" in first
    assert "first" in last or "second" in last


def test_every_wait_is_a_minute_here(qtbot: QtBot, opened: MainWindow) -> None:
    waits = rows(qtbot, opened, "Longest waits")
    assert len(waits) == 8
    assert {wait.split(" | ")[0] for wait in waits} == {"1 min"}


def test_a_click_on_a_column_sorts_and_one_on_a_row_goes_there(
    qtbot: QtBot, qtmodeltester: ModelTester, opened: MainWindow
) -> None:
    rows(qtbot, opened, "Files touched")
    model, view = opened.lists.models[4], opened.lists.views[4]
    qtmodeltester.check(model)
    header = view.header()
    qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(header.sectionViewportPosition(3) + 9, 9))
    assert [row.split(" | ")[1] for row in shown(opened, 4)] == ["/w/b.py", "/w/a.py"]
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(model.index(0, 1)).center())
    assert current(opened) == "call: Edit b.py"


def test_a_log_that_has_none_says_so(qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    real_window.open(str(write(tmp_path, 'u"hi" | a"ok"')))
    settle(real_window.document)
    qtbot.keyClick(real_window, Qt.Key.Key_L, CTRL_SHIFT)
    lists = real_window.lists
    lists.tabs.setCurrentIndex(4)
    qtbot.waitUntil(lambda: lists.state.text() == "No calls refer to a file.", timeout=PATIENCE_MS)
