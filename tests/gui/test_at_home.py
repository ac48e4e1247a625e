"""The window on small screens, with large letters, and without a mouse."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QContextMenuEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QCommandLinkButton,
    QMenu,
    QMessageBox,
    QPushButton,
    QWidget,
)  # fmt: skip
from pytestqt.qtbot import QtBot

from inspector.gui.common import theme
from inspector.gui.common.actions import ACTION_TABLE, Action
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.settings import Settings
from inspector.gui.models.base import ItemRole
from inspector.gui.models.outline_model import OutlineColumn
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from inspector.gui.window.menus import describe_versions
from inspector.gui.worker.core_dependencies import CoreDependencies
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def letters(request: pytest.FixtureRequest) -> Iterator[float]:
    """The size of the letters, in points, that the person has set for all programs."""
    before = QGuiApplication.font()
    font = QGuiApplication.font()
    font.setPointSizeF(request.param)
    QApplication.setFont(font)
    yield request.param
    QApplication.setFont(before)


@pytest.fixture
def broken(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    """The window on a log with four findings, its repair in front."""
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    window.side.show_tab(window.side.repair)
    return window


def hidden_buttons(window: MainWindow) -> list[str]:
    """What can be pressed, but cannot be seen as a whole."""
    return [
        button.text() or button.objectName()
        for button in window.findChildren(QAbstractButton)
        if button.isVisible()
        and not button.objectName().startswith("qt_")
        and (button.visibleRegion().boundingRect() != button.rect()
             or button.width() < button.minimumSizeHint().width())
    ]  # fmt: skip


# fits


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 700), (960, 540)])
@pytest.mark.parametrize("tab", ["details", "raw", "repair"])
def test_every_button_is_seen_on_a_small_screen(broken: MainWindow, width: int, height: int, tab: str) -> None:
    broken.resize(width, height)
    broken.side.show_tab(getattr(broken.side, tab))
    QTest.qWait(1)
    assert (broken.width(), broken.height()) == (width, height)
    assert hidden_buttons(broken) == []


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 700), (960, 540)])
def test_a_sentence_above_the_panes_hides_no_button(broken: MainWindow, width: int, height: int) -> None:
    broken.resize(width, height)
    broken.side.show_tab(broken.side.repair)
    broken.document.show_notice(Notice("What happened, and what can be done about it. " * 4, "retry"))
    QTest.qWait(50)
    assert hidden_buttons(broken) == []
    assert broken._bar.sentence.height() >= broken._bar.sentence.heightForWidth(broken._bar.sentence.width())


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 700)])
def test_the_places_of_a_pasted_error_hide_no_button(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, samples: Path, width: int, height: int
) -> None:
    real_window.resize(width, height)
    real_window.open(str(samples / "claude-code-broken.jsonl"))
    settle(real_window.document)
    real_window.side.show_tab(real_window.side.repair)
    told = "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_01b3RrdRFZ7BvZ9SEvC7CFqA."
    QGuiApplication.clipboard().setText(f"messages.3: {told}")
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: real_window.error_lookup_bar.height() > 100, timeout=PATIENCE_MS)
    QTest.qWait(50)
    assert hidden_buttons(real_window) == []


@pytest.mark.parametrize(("width", "height"), [(1024, 700), (960, 540)])
def test_every_button_of_the_page_after_a_save_is_seen_on_the_smallest_screen(
    width: int, height: int, real_window: MainWindow, settle: Settle, questions: FakeQuestions, samples: Path,
    tmp_path: Path,
) -> None:  # fmt: skip
    log = tmp_path / "a.jsonl"
    log.write_bytes((samples / "claude-code-broken.jsonl").read_bytes())
    real_window.resize(width, height)
    real_window.open(str(log))
    settle(real_window.document)
    questions.closed = True
    real_window.window_actions[Action.SAVE_IN_PLACE].trigger()
    settle(real_window.document)
    QTest.qWait(50)
    assert "Restore the backup…" in [button.text() for button in real_window.findChildren(QPushButton)]
    assert hidden_buttons(real_window) == []


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 700)])
def test_both_sides_of_a_change_have_room(broken: MainWindow, width: int, height: int) -> None:
    broken.resize(width, height)
    QTest.qWait(1)
    panel = broken.side.repair.panel
    line = panel.fontMetrics().lineSpacing()
    assert panel.changes.compare.height() >= 6 * line
    assert panel.changes.view.viewport().height() >= line


def test_a_small_window_leaves_nothing_of_a_row_out(real_window: MainWindow, settle: Settle, samples: Path) -> None:
    real_window.resize(1024, 700)
    real_window.open(str(samples / "claude-code-broken.jsonl"))
    settle(real_window.document)
    view = real_window.outline.view
    assert [column.name for column in OutlineColumn if view.isColumnHidden(column)] == []
    assert view.columnWidth(OutlineColumn.SUMMARY) >= 220
    assert view.is_narrow
    real_window.resize(1600, 900)
    QTest.qWait(1)
    assert not view.is_narrow


def test_lists_give_way_before_the_tree_does(real_window: MainWindow, settle: Settle, samples: Path) -> None:
    real_window.resize(1280, 720)
    real_window.open(str(samples / "openai-chat-many.jsonl"))
    settle(real_window.document)
    assert real_window.sessions.isVisible()
    for width, listed in ((1024, False), (1280, True), (640, False)):
        real_window.resize(width, 720)
        QTest.qWait(1)
        assert real_window.sessions.isVisible() == listed
        assert real_window.outline.view.viewport().width() >= 260


@pytest.mark.parametrize("letters", [18.0], indirect=True)
def test_the_tree_keeps_its_width_with_letters_twice_as_large(
    letters: float, real_window: MainWindow, settle: Settle, samples: Path
) -> None:
    real_window.resize(1280, 720)
    real_window.open(str(samples / "claude-code-broken.jsonl"))
    settle(real_window.document)
    real_window.preview_repair()
    QTest.qWait(1)
    assert real_window.outline.width() >= 300
    assert real_window.side.width() + real_window.outline.width() <= real_window.width()


@pytest.mark.parametrize("letters", [8.0, 16.0, 24.0], indirect=True)
def test_letters_of_every_size_leave_the_window_on_the_screen(
    qtbot: QtBot, letters: float, core: CoreDependencies, settle: Settle, tmp_path: Path
) -> None:
    theme.apply("light")
    window = MainWindow(core, Settings())
    window.show()
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    window.side.show_tab(window.side.repair)
    least = window.minimumSizeHint()
    window.resize(1280, 720)

    def squeezed() -> list[str]:
        buttons = window.side.repair.panel.findChildren(QPushButton)
        shown = (each for each in buttons if each.isVisible())
        return [each.text() for each in shown if each.height() < each.minimumSizeHint().height()]

    qtbot.waitUntil(lambda: squeezed() == [])
    height = window.height()
    window.close()
    window.deleteLater()
    assert (least.width() <= 1024, least.height() <= 700, height) == (True, True, 720)


# keyboard


def walk(window: MainWindow, start: QWidget, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Where Tab leads, until it comes back."""
    start.setFocus()
    seen: list[QWidget] = []
    while (focus := there(QApplication.focusWidget())) not in seen:
        seen.append(focus)
        QTest.keyClick(focus, key)
    return seen


def test_tab_leaves_every_list_and_comes_back(broken: MainWindow) -> None:
    walked = walk(broken, broken.outline.view)
    lists = {view.accessibleName() for view in walked if isinstance(view, QAbstractItemView)}
    assert lists == {"Conversation", "Findings", "Changes"}
    saves = [widget.objectName() for widget in walked if widget.objectName().startswith("save_")]
    assert saves == ["save_new_session", "save_copy", "save_in_place"]
    assert walk(broken, broken.outline.view, Qt.Key.Key_Backtab)[1:] == walked[:0:-1]


def test_f6_goes_around_the_panes_and_back(broken: MainWindow) -> None:
    broken.outline.view.setFocus()
    names = []
    for modifier in (*[Qt.KeyboardModifier.NoModifier] * 3, Qt.KeyboardModifier.ShiftModifier):
        QTest.keyClick(broken, Qt.Key.Key_F6, modifier)
        names.append(there(QApplication.focusWidget()).accessibleName())
    assert names == ["Findings", "Changes", "Conversation", "Changes"]


def test_the_row_with_the_keyboard_is_seen(broken: MainWindow) -> None:
    view = broken.findings.view

    def edge() -> str:
        top = view.visualRect(view.currentIndex()).topLeft() + QPoint(2, 0)
        return view.viewport().grab().toImage().pixelColor(top).name()

    view.setFocus()
    framed = edge()
    broken.outline.view.setFocus()
    assert (framed, edge()) == (theme.ACCENT.light, theme.EDGE.light)


@pytest.mark.parametrize("keys", ["F2", "Alt+Down"])
def test_a_strategy_is_chosen_by_keys(qtbot: QtBot, broken: MainWindow, settle: Settle, keys: str) -> None:
    view = broken.findings.view if keys == "Alt+Down" else broken.outline.view
    view.setFocus()
    position = broken.document.finding
    before = broken.document.repair.strategy_of_finding(position)
    modifier = Qt.KeyboardModifier.AltModifier if keys == "Alt+Down" else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(view, Qt.Key.Key_Down if keys == "Alt+Down" else Qt.Key.Key_F2, modifier)
    box = there(broken.findings.view.viewport().findChild(QComboBox))
    qtbot.waitUntil(lambda: box.view().isVisible(), timeout=PATIENCE_MS)
    QTest.keyClick(box.view(), Qt.Key.Key_Down)
    QTest.keyClick(box.view(), Qt.Key.Key_Return)
    settle(broken.document)
    assert broken.document.repair.strategy_of_finding(position) != before


def menu_of(view: QAbstractItemView, look: Callable[[list[QAction]], object]) -> None:
    """Open the menu over the current row with the key for menus, look at its entries, and close it."""
    where = view.visualRect(view.currentIndex()).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, where, view.viewport().mapToGlobal(where))
    looked = []

    def look_and_close() -> None:
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu):
            looked.append(look(menu.actions()))
            menu.close()

    QTimer.singleShot(0, look_and_close)
    QApplication.sendEvent(view, event)
    QTest.qWait(1)
    assert looked, view.accessibleName()


def test_the_menu_of_a_finding_has_its_strategies(broken: MainWindow, settle: Settle) -> None:
    view = broken.findings.view
    view.setCurrentIndex(broken.findings.model.index_of_leaf(2))
    names = view.currentIndex().data(ItemRole.STRATEGIES)

    def choose_the_last(entries: list[QAction]) -> None:
        assert [entry.isChecked() for entry in entries[: len(names)]] == [True] + [False] * (len(names) - 1)
        assert "&What is this?" in [entry.text() for entry in entries]
        entries[len(names) - 1].trigger()

    menu_of(view, choose_the_last)
    settle(broken.document)
    assert broken.document.repair.strategy_of_finding(2) == names[-1]


def test_every_list_has_a_menu(broken: MainWindow) -> None:
    views = [view for view in broken.findChildren(QAbstractItemView) if view.isVisible() and view.accessibleName()]
    assert len(views) == 3
    for view in views:
        menu_of(view, lambda entries: None)


# help


def test_keys_stand_on_one_page(qtbot: QtBot, broken: MainWindow) -> None:
    QTest.keyClick(broken.outline.view, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    page = broken.shortcuts
    assert page.isVisible()
    told = [[page.model.index(row, column).data() for column in range(3)] for row in range(page.model.rowCount())]
    assert ["F8", "Go to the next finding", "Go"] in told
    keys = ", ".join(row[0] for row in told)
    for action, info in ACTION_TABLE.items():
        assert not info.keys or broken.window_actions.shortcut_text(action) in keys, action
    qtbot.waitUntil(page.isActiveWindow, timeout=PATIENCE_MS)
    qtbot.keyClick(page.view, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not page.isVisible(), timeout=PATIENCE_MS)


def test_f1_tells_of_the_keys_where_nothing_is_selected(window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_F1)
    assert window.shortcuts.isVisible()


def test_f1_on_a_finding_opens_its_page(broken: MainWindow) -> None:
    QTest.keyClick(broken, Qt.Key.Key_F1)
    assert broken.page.isVisible()
    assert not broken.shortcuts.isVisible()


def test_versions_are_shown_and_copied(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    def press_copy(box: QMessageBox) -> int:
        assert box.text() == describe_versions()
        box.show()
        qtbot.mouseClick(next(button for button in box.buttons() if button.text() == "Copy"), LEFT)
        return 0

    monkeypatch.setattr(QMessageBox, "exec", press_copy)
    window.prompts = DialogQuestions(window)
    window.window_actions[Action.ABOUT].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert [line.split()[0] for line in lines] == [
        "Transcript",
        "Python",
        "Qt",
        "PySide6-Essentials",
        "orjson",
        "msgspec",
    ]


# files


def drop(window: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier))


def test_dropped_files_are_all_there(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    paths = [write_small(tmp_path / "one-broken.jsonl"), write_healthy(tmp_path / "two.jsonl")]
    drop(window, *paths)
    settle(window.document)
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    assert window.document.path == str(paths[0])
    beside = window.sessions.logs_view
    assert beside.isVisible()
    titles = [beside.model().index(row, 1).data() for row in range(beside.model().rowCount())]
    assert titles == ["one-broken.jsonl · one broken", "two.jsonl · two"]
    beside.setCurrentIndex(beside.model().index(1, 1))
    qtbot.keyClick(beside, Qt.Key.Key_Return)
    settle(window.document)
    assert window.document.path == str(paths[1])


def test_what_is_no_log_is_counted_and_named(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    write_healthy(folder / "one.jsonl")
    for name in ("notes.md", "<b>.png"):
        (folder / name).write_text("no log")
    drop(window, folder)
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    assert window.logs.others.text() == "2 files were not read"
    qtbot.mouseClick(window.logs.others, LEFT)
    assert window.logs.names.toPlainText().splitlines() == [
        f"{folder / name}: It contains no log in a supported format." for name in ("<b>.png", "notes.md")
    ]
    drop(window, write_healthy(folder / "two.jsonl"), folder / "one.jsonl")
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    assert not window.logs.others.isVisibleTo(window.logs)
    assert not window.logs.names.isVisibleTo(window.logs)


def test_recent_logs_are_told_with_their_whole_paths(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 6, "a.jsonl")
    Settings().add_recent(str(path))
    window.welcome.refresh()
    button = there(window.welcome.findChild(QCommandLinkButton))
    assert button.description().replace("\u200b", "") == str(path.parent)
    assert button.toolTip() == str(path)


def test_no_line_of_the_first_page_is_cut(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    label = window.welcome.sentence
    for path in ("", tmp_path / ("a-long-name" * 12) / "gone.jsonl"):
        if path:
            window.open(str(path))
            settle(window.document)
            assert "gone.jsonl" in label.text()
        QTest.qWait(50)
        assert label.height() >= label.heightForWidth(label.width())


def test_a_window_that_opens_leaves_room_for_its_frame(qtbot: QtBot, core: CoreDependencies) -> None:
    window = MainWindow(core, Settings())
    assert window.height() < window.screen().availableSize().height()
    assert window.shortcuts.height() < window.screen().availableSize().height()
    window.close()
    window.deleteLater()
