"""Rows that a person marked: by key, with a word of their own, kept for each log and outside of it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from inspector.gui.models.base import ItemRole
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.core.presentation.branches import written
from tests.gui.fake_questions import FakeQuestions

Settle = Callable[[Document], None]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LOG = ("1<0 u go", "2<1 a yes", "3<2 u secret", "4<3 a ok")


def opened(window: MainWindow, settle: Settle, path: Path) -> QModelIndex:
    """The row of the second prompt, made current."""
    window.open(str(path))
    settle(window.document)
    log = window.document.log
    assert log
    index = window.outline.model.index_of(log.outline.node_of_record[2])
    window.outline.view.setCurrentIndex(index)
    return index


def listed(window: MainWindow) -> list[str]:
    """What the menu of bookmarks holds."""
    (menu,) = (menu for menu in window.findChildren(QMenu) if menu.title() == "Boo&kmarks")
    menu.aboutToShow.emit()
    return [action.text() for action in menu.actions()]


def test_a_key_marks_a_row_and_takes_the_mark_away(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    index = opened(real_window, settle, written(tmp_path, *LOG))
    assert listed(real_window) == ["No rows in this log are marked."]
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_B, CTRL)
    assert index.data(ItemRole.NOTE) == ""
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "user, secret, bookmark, level 2"
    assert listed(real_window) == ["3"]
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_B, CTRL)
    assert index.data(ItemRole.NOTE) is None


def test_a_note_is_there_again_when_the_log_is_opened_again(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path, questions: FakeQuestions
) -> None:
    log = written(tmp_path, *LOG)
    opened(real_window, settle, log)
    questions.words = "here it goes wrong"
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_K, CTRL | SHIFT)
    assert questions.asked == ["note ''"]
    written(tmp_path, *LOG, "5<4 u more")
    index = opened(real_window, settle, log)
    assert index.data(ItemRole.NOTE) == "here it goes wrong"
    assert listed(real_window) == ["3 · here it goes wrong"]


def test_a_record_that_is_another_one_has_no_note_until_it_is_back(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    log = written(tmp_path, *LOG)
    opened(real_window, settle, log)
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_B, CTRL)
    written(tmp_path, "1<0 u go", "2<1 a yes", "3<2 u public", "4<3 a ok")
    assert opened(real_window, settle, log).data(ItemRole.NOTE) is None
    written(tmp_path, *LOG)
    assert opened(real_window, settle, log).data(ItemRole.NOTE) == ""


def test_a_record_that_is_gone_has_no_note_until_it_is_back(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    log, bookmarks = written(tmp_path, *LOG), real_window.bookmarks
    opened(real_window, settle, log)
    bookmarks.set_note(2, "here it goes wrong")
    written(tmp_path, *LOG[:2])
    real_window.document.reload()
    settle(real_window.document)
    assert listed(real_window) == ["No rows in this log are marked."]
    bookmarks.set_note(0, "here it begins")
    written(tmp_path, *LOG)
    real_window.document.reload()
    settle(real_window.document)
    assert listed(real_window) == ["1 · here it begins", "3 · here it goes wrong"]


def test_another_log_that_is_still_read_has_none(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    opened(real_window, settle, written(tmp_path, *LOG))
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_B, CTRL)
    real_window.document.reload()
    assert listed(real_window) == ["3"]
    (tmp_path / "other").mkdir()
    real_window.open(str(written(tmp_path / "other", *LOG)))
    assert listed(real_window) == ["No rows in this log are marked."]
    settle(real_window.document)


def test_nothing_of_the_log_is_kept(qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    opened(real_window, settle, written(tmp_path, *LOG))
    qtbot.keyClick(real_window.outline.view, Qt.Key.Key_B, CTRL)
    store = real_window.settings._store
    store.sync()
    assert "notes" in store.childGroups()
    assert "secret" not in Path(store.fileName()).read_text()
