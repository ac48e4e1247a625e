"""The list of many logs: it fills from the background, sorts and filters itself, and opens what is chosen."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QListView, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.presentation.engine_results import LogVerdict
from inspector.gui import app
from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.common.settings import Settings
from inspector.gui.models.base import ItemRole
from inspector.gui.models.logs_model import LogColumn, LogGrouping, LogsModel, verdict_text
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.state.log_list_loader import LoadStep, LogListLoader
from inspector.gui.state.log_work_marks import LogWorkMark, LogWorkMarks
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.child_main import Dispatcher
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.requests import CHECK_LOGS
from tests.gui.conftest import PATIENCE_MS, shown
from tests.gui.fake_logs import write_big, write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
NEWEST = 1_790_000_000


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the fake agent keeps its sessions."""
    folder = tmp_path / "stores"
    folder.mkdir()
    monkeypatch.setenv("FAKE_STORES", str(folder))
    return folder


def keep(folder: Path, *names: str) -> None:
    """Keep sessions, the newest first; "broken" or "heals" in a name says what it is."""
    for hour, name in enumerate(names):
        path = folder / f"{name}.jsonl"
        (write_small if "broken" in name or "heals" in name else write_healthy)(path)
        os.utime(path, (NEWEST - 3600 * hour,) * 2)


def wait_for(qtbot: QtBot, survey: LogListLoader, *steps: LoadStep) -> None:
    """Until it is at one of these steps, else done; a step that it passes at once may never be seen."""
    qtbot.waitUntil(lambda: survey.step in (*steps, LoadStep.DONE), timeout=PATIENCE_MS)


def list_stores(qtbot: QtBot, window: MainWindow) -> None:
    window.window_actions[Action.SHOW_STORES].trigger()
    wait_for(qtbot, window.log_list)


def titles(model: LogsModel) -> list[str]:
    return [model.index(row, LogColumn.TITLE).data() for row in range(model.rowCount())]


def verdicts_of(window: MainWindow) -> list[str]:
    model = table_of(window)
    return [model.index(row, LogColumn.VERDICT).data() for row in range(model.rowCount())]


def table_of(window: MainWindow) -> LogsModel:
    model = window.logs.table.model()
    assert isinstance(model, LogsModel)
    return model


def test_verdicts_arrive_and_the_worst_rise(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "new-healthy", "new-broken", "old-healthy", "old-broken")
    list_stores(qtbot, window)
    assert window.logs.isVisible()
    model = table_of(window)
    assert titles(model) == ["new broken", "old broken", "new healthy", "old healthy"]
    rows = [[model.index(row, column).data() for column in LogColumn] for row in (0, 2)]
    assert rows == [
        ["Broken · 3", "new broken", "", "/home/mei/tea", "Fake", *rows[0][5:]],
        ["Healthy", "new healthy", "", "/home/mei/tea", "Fake", *rows[1][5:]],
    ]
    assert window.logs.facts.text() == "4 logs · 2 broken · 2 healthy"
    assert window.windowTitle() == "Sessions on this machine – Transcript Inspector"


def test_of_broken_logs_the_one_that_lost_the_most_is_first(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    for hour, lost in enumerate((2, 9, 5)):
        path = write_big(stores / f"broken-{lost}.jsonl", lost)
        os.utime(path, (NEWEST - 3600 * hour,) * 2)
    list_stores(qtbot, window)
    assert titles(table_of(window)) == ["broken 9", "broken 5", "broken 2"]


def test_list_is_there_before_its_verdicts(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "slow", "healthy")
    window.window_actions[Action.SHOW_STORES].trigger()
    wait_for(qtbot, window.log_list, LoadStep.CHECKING)
    model = table_of(window)
    assert titles(model) == ["slow", "healthy"]
    assert model.index(0, LogColumn.VERDICT).data() == "Not checked yet"
    assert window.logs.facts.text() == "2 logs · 0 logs checked so far"
    assert window.window_actions[Action.CANCEL].isEnabled()
    qtbot.mouseClick(window.logs.stop, LEFT)
    assert window.log_list.step == LoadStep.STOPPED
    assert window.logs.facts.text() == "Stopped after 0 of 2 logs · 2 logs"
    assert not window.window_actions[Action.CANCEL].isEnabled()
    (stores / "slow.jsonl").rename(stores / "fast.jsonl")
    qtbot.keyClick(window, Qt.Key.Key_F5)
    wait_for(qtbot, window.log_list)
    assert window.logs.facts.text() == "2 logs · 2 healthy"


def test_stopped_judging_goes_on(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "broken", "slow")
    window.window_actions[Action.SHOW_STORES].trigger()
    qtbot.waitUntil(lambda: window.log_list.count("broken") == 1, timeout=PATIENCE_MS)
    window.window_actions[Action.CANCEL].trigger()
    assert titles(table_of(window)) == ["broken", "slow"]
    assert window.logs.stop.text() == "Continue"
    qtbot.mouseClick(window.logs.stop, LEFT)
    wait_for(qtbot, window.log_list, LoadStep.CHECKING)
    assert window.log_list.checked_count == 1


def test_a_search_that_was_stopped_never_says_that_there_is_no_log(
    qtbot: QtBot, window: MainWindow, stores: Path
) -> None:
    keep(stores, "one-broken", "two")
    window.window_actions[Action.SHOW_STORES].trigger()
    window.log_list.stop()
    assert window.log_list.step == LoadStep.STOPPED
    assert window.logs.facts.text() == "Stopped while looking for logs"
    assert (
        window.logs.empty.text()
        == "The search was stopped before a log was found. To resume the search, select Continue."
    )
    qtbot.mouseClick(window.logs.stop, LEFT)
    wait_for(qtbot, window.log_list)
    assert window.logs.facts.text() == "2 logs · 1 broken · 1 healthy"


def test_a_folder_that_is_opened_before_the_window_is_shown_has_the_focus_in_its_list(
    qtbot: QtBot, window: MainWindow, stores: Path
) -> None:
    """As on the command line: Space must not stop the search."""
    keep(stores, "slow")
    window.hide()
    window.open(str(stores))
    window.show()
    assert window.focusWidget() is window.logs.table


def test_a_log_that_ends_the_child_is_unreadable_and_the_others_are_judged(
    qtbot: QtBot, window: MainWindow, stores: Path
) -> None:
    keep(stores, "broken", "crash", "fault", "healthy")
    list_stores(qtbot, window)
    model = table_of(window)
    assert [model.index(row, 0).data() for row in range(4)] == ["Broken · 3", "Unreadable", "Unreadable", "Healthy"]
    tips = [model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in (1, 2)]
    assert "exit code 3" in tips[0]
    assert "ZeroDivisionError" in tips[1]


def test_folder_that_cannot_be_listed_is_a_sentence(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "unlistable").mkdir()
    window.open(str(tmp_path / "unlistable"))
    wait_for(qtbot, window.log_list, LoadStep.FAILED)
    assert window.logs.empty.text() == "This folder cannot be read."
    assert window.logs.empty.isVisible()


def test_empty_lists_say_what_to_do(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    list_stores(qtbot, window)
    assert "Open a folder that contains logs instead." in window.logs.empty.text()
    window.open(str(stores))
    wait_for(qtbot, window.log_list)
    assert window.logs.empty.text().startswith("This folder and its subfolders contain no supported log")


def test_enter_opens_and_alt_left_goes_back(qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path) -> None:
    keep(stores, "one-broken", "two-broken", "three")
    list_stores(qtbot, window)
    table = window.logs.table
    qtbot.waitUntil(table.hasFocus, timeout=PATIENCE_MS)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert table.currentIndex().row() == 0
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle(window.document)
    assert Path(window.document.path).name == "two-broken.jsonl"
    assert window.outline.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.logs.isVisible()
    assert table.currentIndex().siblingAtColumn(LogColumn.TITLE).data() == "two broken"
    assert not window.window_actions[Action.NEXT_FINDING].isEnabled()


def test_enter_opens_only_a_row_that_was_seen_as_current_while_rows_still_move(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    keep(stores, "healthy", "slow")
    window.window_actions[Action.SHOW_STORES].trigger()
    wait_for(qtbot, window.log_list, LoadStep.CHECKING)
    table, field = window.logs.table, window.logs.filter
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.listing
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert (window.listing, table.hasFocus(), table.currentIndex().row()) == (True, True, 0)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle(window.document)
    assert Path(window.document.path).name == "healthy.jsonl"


def test_a_group_stays_current_when_the_rows_are_chosen_again(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "one-broken", "two-broken", "three", "four")
    list_stores(qtbot, window)
    model, table = table_of(window), window.logs.table
    model.set_grouping(LogGrouping.CAUSE)
    table.setCurrentIndex(model.index(1, LogColumn.TITLE))
    window.logs.filter.setText("o")
    assert table.currentIndex().siblingAtColumn(LogColumn.TITLE).data() == "▸ 2 logs · Healthy"


def test_home_and_end_go_to_the_first_and_the_last_row(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "one-broken", "two-broken", "three", "four")
    list_stores(qtbot, window)
    table = window.logs.table
    none, control, shift = (getattr(Qt.KeyboardModifier, f"{name}Modifier") for name in ("No", "Control", "Shift"))
    for key, held, rows in (
        (Qt.Key.Key_End, none, [3]),
        (Qt.Key.Key_Home, none, [0]),
        (Qt.Key.Key_End, control, [3]),
        (Qt.Key.Key_Home, control, [0]),
        (Qt.Key.Key_End, shift, [0, 1, 2, 3]),
    ):
        qtbot.keyClick(table, key, held)
        assert sorted({index.row() for index in table.selectionModel().selectedRows()}) == rows


def test_keys_go_to_the_log_that_was_opened_wherever_the_focus_was_before(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    keep(stores, "one-broken", "two-broken")
    list_stores(qtbot, window)
    table = window.logs.table
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle(window.document)
    window.preview_repair()
    assert window.side.isAncestorOf(there(window.focusWidget()))
    qtbot.keyClick(window, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert table.hasFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.outline.view.hasFocus()
    settle(window.document)
    assert window.outline.view.hasFocus()


def test_a_verdict_is_shown_when_it_is_counted(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "slow")
    window.window_actions[Action.SHOW_STORES].trigger()
    wait_for(qtbot, window.log_list, LoadStep.CHECKING)
    window.log_list._on_judged((0, LogVerdict("broken", "", errors=3)))
    assert verdicts_of(window) == ["Not checked yet"]
    assert window.logs.facts.text() == "1 log · 0 logs checked so far"
    qtbot.waitUntil(lambda: verdicts_of(window) == ["Broken · 3"], timeout=PATIENCE_MS)
    assert "broken" in window.logs.facts.text()


def test_the_open_log_stays_in_sight_beside_the_tree_when_rows_move(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    keep(stores, *(f"{number}-broken" for number in range(60)))
    list_stores(qtbot, window)
    qtbot.keyClick(window.logs.table, Qt.Key.Key_Return)
    settle(window.document)
    window.window_actions[Action.SAVE_NEW_SESSION].trigger()
    settle(window.document)
    wait_for(qtbot, window.log_list)
    view = window.sessions.logs_view
    qtbot.waitUntil(lambda: table_of(window).rowCount() == 61, timeout=PATIENCE_MS)
    wait_for(qtbot, window.log_list)
    current = view.currentIndex()
    assert (current.data(), current.row() > 50) == ("0 broken", True)
    assert view.viewport().rect().intersects(view.visualRect(current))


def test_a_panel_that_gets_lower_does_not_cut_the_open_log(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    keep(stores, *(f"{number}-broken" for number in range(60)))
    list_stores(qtbot, window)
    qtbot.keyClick(window.logs.table, Qt.Key.Key_Return)
    settle(window.document)
    view = window.sessions.logs_view
    view.setCurrentIndex(view.model().index(30, LogColumn.TITLE))
    view.scrollTo(view.currentIndex(), QAbstractItemView.ScrollHint.PositionAtBottom)
    window.resize(1200, 740)
    qtbot.wait(50)
    assert view.viewport().rect().contains(view.visualRect(view.currentIndex()))


def test_a_notice_in_the_place_of_the_counts_does_not_move_the_list(
    qtbot: QtBot, window: MainWindow, stores: Path
) -> None:
    keep(stores, "one", "two-broken")
    list_stores(qtbot, window)
    window.resize(400, 600)
    qtbot.wait(50)
    table = window.logs.table
    before = table.mapTo(window, QPoint()).y()
    window.logs.show_notice(Notice("Copied."))
    qtbot.wait(50)
    assert table.mapTo(window, QPoint()).y() == before


def test_double_click_opens_and_the_left_panel_goes_on(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    keep(stores, "one-broken", "two-broken", "three")
    list_stores(qtbot, window)
    table = window.logs.table
    where = table.visualRect(table.model().index(0, LogColumn.TITLE)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=where)
    qtbot.mouseDClick(table.viewport(), LEFT, pos=where)
    settle(window.document)
    assert Path(window.document.path).name == "one-broken.jsonl"
    beside = window.sessions.logs_view
    assert beside.isVisible()
    assert not window.sessions.view.isVisible()
    assert beside.currentIndex().data() == "one broken"
    beside.setCurrentIndex(beside.model().index(1, LogColumn.TITLE))
    qtbot.keyClick(beside, Qt.Key.Key_Return)
    settle(window.document)
    assert Path(window.document.path).name == "two-broken.jsonl"


def test_one_log_alone_has_no_list_beside_it(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path, tmp_path: Path
) -> None:
    keep(stores, "one", "two")
    list_stores(qtbot, window)
    window.open(str(write_healthy(tmp_path / "elsewhere.jsonl")))
    settle(window.document)
    assert not window.sessions.isVisible()


def test_words_filter_the_list(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "one-broken", "two-broken", "three", "潮汐表-broken")
    list_stores(qtbot, window)
    model, field = table_of(window), window.logs.filter
    qtbot.keyClicks(field, "BROKEN tw")
    assert titles(model) == ["two broken"]
    field.setText("healthy")
    assert titles(model) == ["three"]
    field.setText("潮汐")
    assert titles(model) == ["潮汐表 broken"]
    assert (window.logs.match_count.isVisible(), window.logs.match_count.text()) == (True, "1 of 4")
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert window.logs.table.hasFocus()
    field.setText("nowhere to be found")
    assert window.logs.empty.text() == "No logs match the filter. Clear the filter to see all logs."
    assert window.logs.match_count.text() == "0 of 4"
    field.clear()
    assert not window.logs.match_count.isVisible()
    assert len(titles(model)) == 4
    assert window.logs.table.currentIndex().siblingAtColumn(LogColumn.TITLE).data() == "潮汐表 broken"


@pytest.mark.parametrize("action", [Action.FIND, Action.FILTER])
def test_find_and_filter_go_to_the_filter_of_a_list_and_enter_opens(
    qtbot: QtBot, window: MainWindow, stores: Path, settle: Settle, action: Action
) -> None:
    window.window_actions[Action.SHOW_STORES].trigger()
    wait_for(qtbot, window.log_list)
    assert not window.window_actions[action].isEnabled()
    assert "The list is empty." in window.window_actions[action].toolTip()
    keep(stores, "one-broken", "two-broken", "three")
    list_stores(qtbot, window)
    window.logs.table.setFocus()
    window.window_actions[action].trigger()
    field = window.logs.filter
    assert field.hasFocus()
    qtbot.keyClicks(field, "two")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle(window.document)
    assert not window.listing
    assert Path(window.document.path).stem == "two-broken"
    window.go_back_to_list()
    window.window_actions[action].trigger()
    assert field.selectedText() == "two"


def test_a_filter_typed_while_logs_are_looked_for_applies_to_the_rows_that_arrive(
    qtbot: QtBot, window: MainWindow, stores: Path
) -> None:
    keep(stores, "one-broken", "two-broken", "three")
    window.open(str(stores))
    assert window.log_list.step == LoadStep.LISTING
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(there(window.focusWidget()), "two")
    qtbot.keyClick(there(window.focusWidget()), Qt.Key.Key_Return)
    assert window.logs.facts.text() == "Looking for logs…"
    wait_for(qtbot, window.log_list)
    assert (window.logs.filter.text(), window.listing) == ("two", True)
    assert titles(table_of(window)) == ["two broken"]


def test_filter_follows_the_verdicts(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "a", "b-broken")
    window.logs.filter.setText("broken ·")
    list_stores(qtbot, window)
    assert titles(table_of(window)) == ["b broken"]


def test_headers_sort(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "b", "c-broken", "a")
    list_stores(qtbot, window)
    header, model = window.logs.table.horizontalHeader(), table_of(window)

    def click(column: LogColumn) -> list[str]:
        x = header.sectionViewportPosition(column) + 20
        qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, header.height() // 2))
        return titles(model)

    assert click(LogColumn.TITLE) == ["a", "b", "c broken"]
    assert click(LogColumn.TITLE) == ["c broken", "b", "a"]
    assert click(LogColumn.CHANGED) == ["b", "c broken", "a"]
    assert click(LogColumn.SIZE) == ["c broken", "b", "a"]
    assert click(LogColumn.VERDICT) == ["c broken", "b", "a"]


def test_chosen_row_stays_where_it_is_while_others_rise(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, *(f"{number:03}" for number in range(100)), *(f"{number}-broken" for number in range(30)))
    list_stores(qtbot, window)
    table, model = window.logs.table, table_of(window)
    chosen = model.index(60, LogColumn.TITLE)
    table.scrollTo(chosen)
    table.setCurrentIndex(chosen)
    title, seen_at = chosen.data(), table.visualRect(chosen).top()
    model.sort(LogColumn.TITLE, Qt.SortOrder.DescendingOrder)
    assert table.currentIndex().data() == title
    assert table.currentIndex().row() != 60
    assert table.visualRect(table.currentIndex()).top() == seen_at


def test_known_verdicts_are_kept_when_the_list_is_read_again(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "one-broken", "two")
    list_stores(qtbot, window)
    (stores / "new-slow.jsonl").write_text("")
    table, model = window.logs.table, table_of(window)
    table.setCurrentIndex(model.index(1, LogColumn.TITLE))
    window.window_actions[Action.RELOAD].trigger()
    wait_for(qtbot, window.log_list, LoadStep.CHECKING)
    assert [titles(model), window.log_list.checked_count] == [["one broken", "new slow", "two"], 2]
    assert table.currentIndex().siblingAtColumn(LogColumn.TITLE).data() == "two"


def test_logs_are_grouped_by_what_they_have_in_common(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "one-broken", "two-broken", "three", "four")
    list_stores(qtbot, window)
    model, grouping = table_of(window), window.logs.grouping
    ModelTester(None).check(model)
    assert [grouping.itemText(row) for row in range(grouping.count())] == [
        "Logs and tickets", "Causes", "Agents and versions", "Projects",
    ]  # fmt: skip
    grouping.setCurrentIndex(grouping.findData(LogGrouping.CAUSE))
    assert titles(model) == ["▸ 2 logs · No known cause", "▸ 2 logs · Healthy"]
    model.set_expanded(0)
    assert titles(model)[:3] == ["▾ 2 logs · No known cause", "      one broken", "      two broken"]
    assert [log.path[-16:] for log in model.logs_at([0])] == ["one-broken.jsonl", "two-broken.jsonl"]
    grouping.setCurrentIndex(grouping.findData(LogGrouping.PROJECT))
    assert titles(model) == ["▸ 4 logs · /home/mei/tea"]
    grouping.setCurrentIndex(grouping.findData(LogGrouping.AGENT))
    assert titles(model) == ["▸ 4 logs · Fake"]
    window.logs.filter.setText("three")
    assert titles(model) == ["▸ 4 logs · Fake"]
    grouping.setCurrentIndex(grouping.findData(LogGrouping.TICKET))
    assert titles(model) == ["three"]


def test_columns_that_were_widened_or_moved_stay_so(
    qtbot: QtBot, qapp: QApplication, window: MainWindow, stores: Path, core: CoreDependencies, questions: FakeQuestions
) -> None:
    keep(stores, "one-broken", "two")
    list_stores(qtbot, window)
    table, header = window.logs.table, window.logs.table.horizontalHeader()
    edge = header.sectionViewportPosition(LogColumn.CAUSE) + header.sectionSize(LogColumn.CAUSE) - 1
    before, middle = header.sectionSize(LogColumn.CAUSE), header.height() // 2
    qtbot.mousePress(header.viewport(), LEFT, pos=QPoint(edge, middle))
    qtbot.mouseMove(header.viewport(), QPoint(edge + 60, middle))
    qtbot.mouseRelease(header.viewport(), LEFT, pos=QPoint(edge + 60, middle))
    assert header.sectionSize(LogColumn.CAUSE) == before + 60
    header.moveSection(header.visualIndex(LogColumn.AGENT), 0)
    window.resize(window.width() - 50, window.height())
    assert header.sectionSize(LogColumn.CAUSE) == before + 60
    with shown(qapp, core, questions) as again:
        other = again.logs.table.horizontalHeader()
        assert (other.sectionSize(LogColumn.CAUSE), other.visualIndex(LogColumn.AGENT)) == (before + 60, 0)
    (reset,) = header.actions()
    reset.trigger()
    assert header.visualIndex(LogColumn.AGENT) == LogColumn.AGENT
    assert table.horizontalHeader().sectionSize(LogColumn.CAUSE) != before + 60


def test_a_column_that_is_widened_a_lot_leaves_the_title_readable_and_the_others_within_reach(
    qtbot: QtBot, window: MainWindow, stores: Path
) -> None:
    keep(stores, "one-broken", "two")
    list_stores(qtbot, window)
    table, header = window.logs.table, window.logs.table.horizontalHeader()
    edge = header.sectionViewportPosition(LogColumn.CAUSE) + header.sectionSize(LogColumn.CAUSE) - 1
    middle = header.height() // 2
    qtbot.mousePress(header.viewport(), LEFT, pos=QPoint(edge, middle))
    qtbot.mouseMove(header.viewport(), QPoint(edge + 900, middle))
    qtbot.mouseRelease(header.viewport(), LEFT, pos=QPoint(edge + 900, middle))
    assert header.sectionSize(LogColumn.TITLE) >= table.fontMetrics().horizontalAdvance("x" * 20)
    qtbot.waitUntil(table.horizontalScrollBar().isVisible)
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    size = header.sectionViewportPosition(LogColumn.SIZE) + header.sectionSize(LogColumn.SIZE)
    assert size <= table.viewport().width()


def test_marks_are_kept_until_the_log_grows(
    qtbot: QtBot, qapp: QApplication, window: MainWindow, stores: Path, core: CoreDependencies, questions: FakeQuestions
) -> None:
    keep(stores, "one-broken", "two-broken", "three")
    list_stores(qtbot, window)
    window.logs.table.setCurrentIndex(table_of(window).index(0, LogColumn.TITLE))
    window.window_actions[Action.COPY_REPORT].trigger()
    qtbot.waitUntil(lambda: "reported" in verdicts_of(window)[0], timeout=PATIENCE_MS)
    window.log_marks.add([str(stores / "two-broken.jsonl")], LogWorkMark.REPAIRED)
    assert verdicts_of(window) == ["Broken · 3, reported", "Broken · 3, repaired", "Healthy"]
    with shown(qapp, core, questions) as again:
        list_stores(qtbot, again)
        assert verdicts_of(again) == ["Broken · 3, reported", "Broken · 3, repaired", "Healthy"]
        assert again.logs.facts.text() == "3 logs · 2 broken · 1 healthy · 1 repaired · 1 reported"
        os.utime(stores / "two-broken.jsonl", (4_000_000_000,) * 2)
        list_stores(qtbot, again)
        assert verdicts_of(again) == ["Broken · 3", "Broken · 3, reported", "Healthy"]
        again.log_marks.forget_all()
        assert verdicts_of(again) == ["Broken · 3", "Broken · 3", "Healthy"]


def test_a_log_is_no_longer_repaired_when_the_saved_session_is_deleted(
    qtbot: QtBot, qapp: QApplication, window: MainWindow, stores: Path, core: CoreDependencies, questions: FakeQuestions
) -> None:
    keep(stores, "broken")
    window.open(str(stores / "broken.jsonl"))
    qtbot.waitUntil(window.window_actions[Action.SAVE_NEW_SESSION].isEnabled, timeout=PATIENCE_MS)
    window.window_actions[Action.SAVE_NEW_SESSION].trigger()
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    with shown(qapp, core, questions) as again:
        list_stores(qtbot, again)
        assert "Broken · 3, repaired" in verdicts_of(again)
        Path(there(window.document.saved).path).unlink()
        qtbot.keyClick(again, Qt.Key.Key_F5)
        wait_for(qtbot, again.log_list)
        assert verdicts_of(again) == ["Broken · 3"]


def test_marks_of_earlier_versions_are_kept(window: MainWindow) -> None:
    window.settings._store.setValue("marks", '{"3f2a repaired": 1790000000.5}')
    assert window.settings.marks == {"3f2a repaired": (1790000000.5, "")}


def test_a_save_marks_the_repaired_log_and_lists_the_new_session(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    keep(stores, "two-broken", "one-broken", "three")
    list_stores(qtbot, window)
    model, seen = table_of(window), list[int]()
    window.log_list.changed.connect(lambda: seen.append(model.rowCount()))
    window.open(str(stores / "two-broken.jsonl"))
    settle(window.document)
    window.window_actions[Action.SAVE_NEW_SESSION].trigger()
    settle(window.document)
    qtbot.waitUntil(lambda: model.rowCount() == 4, timeout=PATIENCE_MS)
    wait_for(qtbot, window.log_list)
    assert [model.index(row, LogColumn.VERDICT).data() for row in range(4)] == [
        "Broken · 3", "Broken · 3, repaired", "Healthy", "Healthy"
    ]  # fmt: skip
    assert titles(model)[:2] == ["one broken", "two broken"]
    assert "new two broken" in titles(model)
    assert window.logs.facts.text() == "4 logs · 2 broken · 2 healthy · 1 repaired"
    assert min(seen) == 3, "the list was empty while it was read again"


def test_folders_come_by_dialog_by_drop_and_by_argument(
    qtbot: QtBot, window: MainWindow, questions: FakeQuestions, stores: Path
) -> None:
    keep(stores, "one")
    questions.folder = str(stores)
    window.window_actions[Action.OPEN_FOLDER].trigger()
    folders = [window.log_list.paths]
    window.window_actions[Action.SHOW_STORES].trigger()
    folders.append(window.log_list.paths)
    assert folders == [(str(stores),), ()]
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(stores))])
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier))
    assert window.log_list.paths == (str(stores),)
    assert window.logs.title.text() == f"Logs in {stores}"
    wait_for(qtbot, window.log_list)
    assert titles(table_of(window)) == ["one"]
    assert Settings().recent == [str(stores)]


def test_welcome_page_leads_to_the_list(
    qtbot: QtBot, window: MainWindow, questions: FakeQuestions, stores: Path
) -> None:
    buttons = {button.text(): button for button in window.welcome.findChildren(QPushButton)}
    qtbot.mouseClick(buttons["Open a folder… (Ctrl+Shift+O)"], LEFT)
    assert questions.asked == ["folder"]
    qtbot.mouseClick(buttons["Sessions on this machine (Ctrl+Shift+M)"], LEFT)
    wait_for(qtbot, window.log_list)
    assert window.logs.isVisible()


def test_nothing_of_a_log_is_remembered(qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path) -> None:
    keep(stores, "one-broken", "two")
    list_stores(qtbot, window)
    window.logs.filter.setText("secretly searched")
    window.open(str(stores / "one-broken.jsonl"))
    settle(window.document)
    window.close()
    there(window.settings.findChild(QSettings)).sync()
    kept = b"".join(path.read_bytes() for path in stores.parent.rglob("*.ini"))
    assert kept
    assert b"one broken" not in kept
    assert b"home/mei" not in kept
    assert b"secretly" not in kept


def test_every_input_of_the_list_has_an_accessible_name(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "one-broken", "slow")
    window.window_actions[Action.SHOW_STORES].trigger()
    wait_for(qtbot, window.log_list, LoadStep.CHECKING)
    inputs = [
        widget
        for widget in window.logs.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
    ]
    assert {type(widget).__name__ for widget in inputs} >= {"LogsTable", "_FilterField", "QPushButton"}
    assert [widget for widget in inputs if not (widget.accessibleName() or widget.property("text"))] == []
    spoken = table_of(window).index(0, LogColumn.TITLE).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith(("Not checked yet: one broken, Fake, ", "Broken · 3: one broken, Fake, "))
    assert isinstance(window.logs.filter, QLineEdit)


def test_f6_goes_from_filter_to_list(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    keep(stores, "one")
    list_stores(qtbot, window)
    window.logs.filter.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_F6)
    assert window.logs.table.hasFocus()
    qtbot.keyClick(window, Qt.Key.Key_F6)
    assert window.logs.filter.hasFocus()


def test_model_passes_the_tester(
    qtbot: QtBot, qtmodeltester: ModelTester, core: CoreDependencies, stores: Path
) -> None:
    keep(stores, *(f"{number:03}" for number in range(60)), "a-broken", "b-broken", "crash")
    survey = LogListLoader(core)
    model = LogsModel(survey, LogWorkMarks(Settings()))
    qtmodeltester.check(model)
    survey.start()
    for steps in ((LoadStep.CHECKING,), ()):
        wait_for(qtbot, survey, *steps)
        qtmodeltester.check(model)
    for column in LogColumn:
        model.sort(column, Qt.SortOrder.DescendingOrder)
        qtmodeltester.check(model)
    for words in ("0", "broken", "nothing at all", ""):
        model.set_filter(words)
        qtmodeltester.check(model)
    view = QListView()
    view.setModel(model)
    assert model.index(0, 0).data(ItemRole.MARK) in ("broken", "healthy", "unreadable")
    survey.start(("unlistable",))
    wait_for(qtbot, survey, LoadStep.FAILED)
    assert model.rowCount() == 0
    qtmodeltester.check(model)
    survey.close()


def test_what_its_agent_heals_stands_between_the_broken_and_the_healthy(
    qtbot: QtBot, window: MainWindow, stores: Path
) -> None:
    keep(stores, "new-healthy", "new-heals", "old-broken", "old-heals")
    list_stores(qtbot, window)
    model = table_of(window)
    verdicts = [model.index(row, LogColumn.VERDICT).data() for row in range(4)]
    assert verdicts == ["Broken · 3", "Repairs itself", "Repairs itself", "Healthy"]
    assert window.logs.facts.text() == "4 logs · 1 broken · 2 repair themselves · 1 healthy"
    spoken = model.index(1, LogColumn.TITLE).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Repairs itself: new heals, Fake")
    qtbot.keyClicks(window.logs.filter, "itself")
    assert titles(model) == ["new heals", "old heals"]


@pytest.mark.parametrize("mode", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
def test_screenshot_of_a_folder(qtbot: QtBot, samples: Path, tmp_path: Path, mode: str) -> None:
    out = tmp_path / "window.png"
    assert app.screenshot(str(samples), str(out), mode=mode) == 0
    assert out.stat().st_size > 20_000


def test_real_stores_are_listed_judged_and_opened(
    qtbot: QtBot, settle: Settle, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / ".claude" / "projects" / "-home-mei-projects-tea-timer"
    project.mkdir(parents=True)
    for digit, name in enumerate(("healthy", "broken")):
        data = (samples / f"claude-code-{name}.jsonl").read_bytes()
        (project / f"88dd9faf-80e2-49f8-a338-f6d759acbce{digit}.jsonl").write_bytes(data)
    theme.apply("light")
    window = MainWindow(CoreDependencies(), Settings(), FakeQuestions())
    window.show()
    list_stores(qtbot, window)
    model = table_of(window)
    assert [model.index(row, LogColumn.AGENT).data() for row in range(2)] == [
        "Claude Code 2.1.14",
        "Claude Code 2.1.112",
    ]
    assert [model.index(row, 0).data(ItemRole.MARK) for row in range(2)] == ["broken", "healthy"]
    assert model.index(1, LogColumn.TITLE).data() == "Tea timer drift and Chinese texts"
    window.logs.table.setCurrentIndex(model.index(0, 0))
    qtbot.keyClick(window.logs.table, Qt.Key.Key_Return)
    settle(window.document)
    assert there(window.document.log).overview.sessions[0].verdict == "broken"
    window.close()
    window.deleteLater()


def test_a_log_may_change_while_the_same_bytes_are_looked_for(
    qtbot: QtBot, core: CoreDependencies, tmp_path: Path
) -> None:
    paths = [str(write_small(tmp_path / name)) for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    survey = LogListLoader(core)
    survey.process.done.connect(lambda: Path(paths[0]).write_bytes(b""))
    survey.start(tuple(paths))
    wait_for(qtbot, survey, LoadStep.FAILED)
    assert (survey.step, len(survey.logs)) == (LoadStep.DONE, 3)
    survey.close()


def test_the_same_bytes_are_told_by_the_child(tmp_path: Path) -> None:
    texts = {"a": "one", "b": "one", "c": "two", "d": "", "e": "", "f": "longer", "g": "one"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    same = Dispatcher(WindowEngine())._find_duplicates([str(tmp_path / name) for name in (*texts, "gone", "")])
    assert sorted(Path(path).name for path in same) == ["b", "g"]


def test_a_child_that_dies_once_all_is_judged_takes_nothing_with_it(
    qtbot: QtBot, core: CoreDependencies, tmp_path: Path
) -> None:
    survey = LogListLoader(core)
    survey.start((str(write_small(tmp_path / "a.jsonl")),))
    wait_for(qtbot, survey)
    survey.step = LoadStep.CHECKING  # the verdict is there, the end of the answer is not
    survey.process.failed.emit(RequestFailure(CHECK_LOGS, "It ended.", died=True))
    assert (survey.step, there(survey.verdicts[0]).verdict) == (LoadStep.DONE, "broken")
    survey.close()


def test_a_verdict_says_what_a_resume_would_lose() -> None:
    broken = LogVerdict("broken", "", errors=3)
    assert verdict_text(broken) == "Broken · 3"
    assert verdict_text(replace(broken, sent=60, messages=1204)) == "Broken · 3 · keeps 4%"
    assert verdict_text(replace(broken, sent=999, messages=1000)) == "Broken · 3 · keeps 99%"
    assert verdict_text(replace(broken, sent=7, messages=7, drops="3 calls")) == "Broken · 3 · drops 3 calls"
    assert verdict_text(replace(broken, sent=60, messages=1204), marks={LogWorkMark.REPAIRED}) == "Broken · 3, repaired"
    reported = verdict_text(replace(broken, sent=60, messages=1204), marks={LogWorkMark.REPORTED})
    assert reported == "Broken · 3 · keeps 4%, reported"
