"""The first page: an error that is pasted, a sample, the recent logs, and what is dragged over it."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QCommandLinkButton, QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.there import there

Settle = Callable[[Document], None]


def press(qtbot: QtBot, window: MainWindow, text: str) -> None:
    button = next(each for each in window.welcome.findChildren(QPushButton) if each.text() == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_what_is_pasted_or_typed_in_the_field_is_looked_up(qtbot: QtBot, window: MainWindow) -> None:
    asked: list[str] = []
    window.error_lookup.ask = lambda text, in_log: asked.append(text)  # type: ignore[method-assign]
    field = window.welcome.error
    QGuiApplication.clipboard().setText("API Error: 400\nthe rest")
    qtbot.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert (asked, field.toPlainText()) == (["API Error: 400\nthe rest"], "API Error: 400\nthe rest")
    field.clear()
    press(qtbot, window, "Find the cause")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert len(asked) == 1
    qtbot.keyClicks(field, "toolu_1")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    press(qtbot, window, "Find the cause")
    assert asked[1:] == ["toolu_1", "toolu_1"]


def test_a_file_that_is_pasted_in_the_field_is_opened(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(write_small(tmp_path / "a.jsonl")))])
    window.welcome.error.insertFromMimeData(data)
    settle(window.document)
    assert window.document.path == str(tmp_path / "a.jsonl")


def test_the_sample_is_a_broken_session_and_is_not_remembered(
    qtbot: QtBot, real_window: MainWindow, settle: Settle
) -> None:
    press(qtbot, real_window, "Try a sample")
    settle(real_window.document)
    assert there(real_window.document.log).overview.sessions[0].verdict == "broken"
    assert Settings().recent == []


def test_only_what_could_be_opened_is_a_recent_log(
    qtbot: QtBot, window: MainWindow, settle: Callable[[Document], None], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("missing.jsonl", "bad.jsonl"):
        window.open(str(tmp_path / name))
        settle(window.document)
    window.open(str(tmp_path / "empty"))
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    assert Settings().recent == []
    window.open(str(write_small(tmp_path / "log.jsonl")))
    settle(window.document)
    assert Settings().recent == [str(tmp_path / "log.jsonl")]


def test_recent_logs_show_title_and_verdict_which_are_not_stored(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    for path in (write_healthy(tmp_path / "good-day.jsonl"), write_small(tmp_path / "bad-day.jsonl")):
        Settings().add_recent(str(path))
    Settings().add_recent("/gone/away.jsonl")
    window.welcome.hide()
    window.welcome.show()

    def described() -> list[str]:
        buttons = [button for button in window.welcome.findChildren(QCommandLinkButton) if button.isVisible()]
        return [f"{button.text()}: {button.description().split(' · ')[0]}" for button in buttons]

    qtbot.waitUntil(lambda: "Healthy" in "".join(described()), timeout=PATIENCE_MS)
    assert described() == ["away.jsonl: /\u200bgone", "bad day: Broken", "good day: Healthy"]
    window.close()
    store = there(window.settings.findChild(QSettings))
    store.sync()
    assert "bad day" not in Path(store.fileName()).read_text()


@pytest.mark.parametrize("listing", [False, True])
def test_the_page_is_highlighted_while_something_is_dragged_over_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, listing: bool
) -> None:
    if listing:
        write_healthy(tmp_path / "a.jsonl")
        window.open(str(tmp_path))
        qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    page = there(window.centralWidget())
    data, plain = QMimeData(), page.grab().toImage()
    data.setUrls([QUrl.fromLocalFile("/another.jsonl")])
    action, button, key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    # A QDragEnterEvent wants a QPoint before Qt 6.12 and a QPointF from then on; its base never changed.
    enter = QDropEvent(QPointF(9, 9), action, data, button, key, QEvent.Type.DragEnter)
    window.dragEnterEvent(enter)  # type: ignore[arg-type]
    assert page.grab().toImage() != plain
    window.dragLeaveEvent(QDragLeaveEvent())
    assert page.grab().toImage() == plain


def test_recent_logs_never_overlap(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    folder = tmp_path / "a-folder-with-a-long-name" / "another-folder-with-a-long-name" / "a-third-folder"
    folder.mkdir(parents=True)
    for number in range(5):
        window.settings.add_recent(str(write_small(folder / f"{number}.jsonl")))
    window.resize(1024, 480)
    window.welcome.refresh()

    def are_apart() -> None:
        places = [button.geometry() for button in window.welcome.findChildren(QCommandLinkButton)]
        places.sort(key=lambda place: place.top())
        assert len(places) == 5
        assert all(upper.bottom() < lower.top() for upper, lower in pairwise(places))

    qtbot.waitUntil(are_apart)
