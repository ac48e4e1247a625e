"""The filter line: typed, clicked together, counted; a finding that it hides is a click away."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import FILTER_ROWS, AnyRequest
from tests.gui.conftest import PATIENCE_MS
from tests.gui.seek_log import current, rows, write
from tests.gui.there import there

Settle = Callable[[Document], None]
CTRL, LEFT = Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def opened(qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    real_window.open(str(write(tmp_path)))
    settle(real_window.document)
    qtbot.waitUntil(lambda: bool(real_window.document.row_filter.facets.tools), timeout=PATIENCE_MS)
    return real_window


def said(qtbot: QtBot, window: MainWindow, start: str) -> None:
    label = window.outline.filter_strip.said
    qtbot.waitUntil(lambda: label.isVisible() and label.text().startswith(start), timeout=PATIENCE_MS)


def type_line(qtbot: QtBot, window: MainWindow, line: str) -> None:
    qtbot.keyClick(window, Qt.Key.Key_L, CTRL)
    qtbot.keyClicks(window.outline.filter_strip.field, line)


def test_the_tree_shows_what_the_line_names(qtbot: QtBot, opened: MainWindow) -> None:
    whole = rows(opened)
    tester = QAbstractItemModelTester(opened.outline.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    type_line(qtbot, opened, "tool:Bash is:failed")
    said(qtbot, opened, "2 of 11 rows, 9 hidden, with 1 finding.")
    assert rows(opened) == ["user: Please find the needle", "call: Bash make", "result: failed: it broke"]
    field = opened.outline.filter_strip.field
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    if field.text():
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: rows(opened) == whole, timeout=PATIENCE_MS)
    assert not opened.outline.filter_strip.said.isVisible()
    assert opened.focusWidget() is opened.outline.view
    tester.deleteLater()


def test_a_click_writes_the_line_and_a_second_takes_it_back(qtbot: QtBot, opened: MainWindow) -> None:
    strip = opened.outline.filter_strip
    buttons = {state: button.text() for state, button in strip.buttons.items() if button.isVisible()}
    assert buttons == {"error": "Errors 1", "unanswered": "Unanswered 1", "failed": "Failed 1"}
    qtbot.mouseClick(strip.buttons["unanswered"], LEFT)
    assert strip.field.text() == "is:unanswered"
    said(qtbot, opened, "1 of 11 rows")
    assert rows(opened)[-1] == "call: Bash ls"
    qtbot.mouseClick(strip.buttons["unanswered"], LEFT)
    qtbot.waitUntil(lambda: len(rows(opened)) > 8, timeout=PATIENCE_MS)


def test_the_menu_has_tools_and_roles(qtbot: QtBot, opened: MainWindow) -> None:
    strip = opened.outline.filter_strip
    strip.menu.aboutToShow.emit()
    menus = {action.text(): action.menu() for action in strip.menu.actions() if action.menu()}
    assert [action.text() for action in menus["Tool"].actions()] == ["Bash (2)", "Grep (1)"]  # type: ignore[attr-defined]
    menus["Tool"].actions()[1].trigger()  # type: ignore[attr-defined]
    assert strip.field.text() == "tool:Grep"
    said(qtbot, opened, "2 of 11 rows")


def test_what_the_filter_hides_is_said_and_shown_with_a_click(qtbot: QtBot, opened: MainWindow) -> None:
    type_line(qtbot, opened, "role:user")
    strip = opened.outline.filter_strip
    qtbot.waitUntil(lambda: opened.document.row_filter.kept is not None, timeout=PATIENCE_MS)
    qtbot.keyClick(opened, Qt.Key.Key_F8)
    said(qtbot, opened, "3 of 11 rows, 8 hidden, with 1 finding. The filter hides the current row (line 7).")
    qtbot.mouseClick(strip.reveal, LEFT)
    assert current(opened) == "call: Bash ls"
    assert rows(opened) == ["user: Please find the needle", "call: Bash ls", "user: and now?", "user: so?"]
    said(qtbot, opened, "3 of 11 rows")


def test_a_line_that_means_nothing_changes_nothing_and_says_why(qtbot: QtBot, opened: MainWindow) -> None:
    whole = rows(opened)
    type_line(qtbot, opened, "is:odd")
    said(qtbot, opened, "“odd” is not a valid value for “is:”.")
    assert rows(opened) == whole


def test_the_last_word_is_completed(qtbot: QtBot, opened: MainWindow) -> None:
    field = opened.outline.filter_strip.field
    type_line(qtbot, opened, "role:user -tool:g")
    completer = opened.outline.filter_strip.completer
    assert completer.currentCompletion() == "role:user -tool:Grep"
    qtbot.waitUntil(there(completer.popup()).isVisible, timeout=PATIENCE_MS)
    qtbot.keyClick(there(completer.popup()), Qt.Key.Key_Down)
    qtbot.keyClick(there(completer.popup()), Qt.Key.Key_Return)
    assert field.text() == "role:user -tool:Grep"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Down])
def test_from_a_complete_word_a_key_goes_to_the_rows(qtbot: QtBot, opened: MainWindow, key: Qt.Key) -> None:
    strip = opened.outline.filter_strip
    type_line(qtbot, opened, "tool:Gre")
    qtbot.waitUntil(there(strip.completer.popup()).isVisible, timeout=PATIENCE_MS)
    qtbot.keyClicks(strip.field, "p")
    assert not there(strip.completer.popup()).isVisible()
    qtbot.keyClick(strip.field, key)
    assert opened.document.row_filter.line == "tool:Grep"
    assert opened.focusWidget() is opened.outline.view


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Down])
@pytest.mark.parametrize(("line", "first"), [("Grep", "call: Grep needle"), ("needle", "user: Please find the needle")])
def test_a_key_leads_to_the_first_match_if_the_current_row_is_hidden(
    qtbot: QtBot, opened: MainWindow, key: Qt.Key, line: str, first: str
) -> None:
    assert current(opened) == "call: Bash ls"
    type_line(qtbot, opened, line)
    qtbot.keyClick(opened.outline.filter_strip.field, key)
    qtbot.waitUntil(lambda: opened.outline.view.selectionModel().hasSelection(), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: current(opened) == first, timeout=PATIENCE_MS)
    assert opened.document.row_filter.line == line


def test_a_key_leaves_the_current_row_that_the_filter_shows(qtbot: QtBot, opened: MainWindow) -> None:
    type_line(qtbot, opened, "tool:Bash")
    said(qtbot, opened, "3 of 11 rows")
    qtbot.keyClick(opened.outline.filter_strip.field, Qt.Key.Key_Return)
    assert current(opened) == "call: Bash ls"


def test_a_filter_stays_when_the_log_is_read_again_and_goes_with_it(
    qtbot: QtBot, opened: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    type_line(qtbot, opened, "role:user")
    said(qtbot, opened, "3 of 11 rows")
    qtbot.keyClick(opened, Qt.Key.Key_F5)
    settle(opened.document)
    qtbot.waitUntil(lambda: opened.document.row_filter.kept is not None, timeout=PATIENCE_MS)
    said(qtbot, opened, "3 of 11 rows")
    assert len(rows(opened)) == 3
    (tmp_path / "other").mkdir()
    opened.open(str(write(tmp_path / "other", 'u"another" | a"ok"')))
    settle(opened.document)
    assert opened.outline.filter_strip.field.text() == ""
    assert rows(opened) == ["user: another", "assistant: ok"]


@pytest.mark.parametrize("request_", [FILTER_ROWS, None])
def test_a_failure_ends_the_filtering(request_: AnyRequest | None, opened: MainWindow) -> None:
    row_filter = opened.document.row_filter
    row_filter.set_line("tool:Bash")
    assert row_filter.pending
    opened.document.process.failed.emit(RequestFailure(request_, "It broke.", died=request_ is None))
    assert (row_filter.pending, row_filter.error) == (False, "It broke.")
