"""Hidden content: logs of every format are opened, and no widget, model or clipboard says a word of theirs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    Qt,
)
from PySide6.QtGui import QAction, QGuiApplication, QWindow
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from inspector.core.presentation.outline import NodeKind
from inspector.gui.common.actions import Action
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.settings import Settings
from inspector.gui.models.base import ItemRole
from inspector.gui.state.document import Document
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.support.canaries import BROKEN, PLANTED, planted_sample

Settle = Callable[[Document], None]
PROPERTIES = ("text", "title", "placeholderText", "plainText", "windowTitle", "toolTip", "statusTip", "whatsThis")
SPOKEN = ("accessibleName", "accessibleDescription", "iconText", "currentText", "description", "undoText")
_ROLE = Qt.ItemDataRole
ROLES = (
    _ROLE.DisplayRole, _ROLE.EditRole, _ROLE.ToolTipRole, _ROLE.StatusTipRole, _ROLE.WhatsThisRole,
    _ROLE.AccessibleTextRole, _ROLE.AccessibleDescriptionRole, *ItemRole,
)  # fmt: skip
PANES = (Action.SHOW_DETAILS, Action.SHOW_RAW, Action.SHOW_REPAIR)
WINDOWS = (
    Action.LISTS, Action.WHO_ACCEPTS, Action.WHAT_IS_SENT, Action.WHAT_IS_THIS, Action.TRIM, Action.CONVERT,
    Action.REPORT,
)  # fmt: skip
COPIES = (Action.COPY_TEXT, Action.COPY_JSON, Action.COPY_BYTES)


def columns(model: QAbstractItemModel, above: QModelIndex) -> int:
    return 1 if isinstance(model, QAbstractListModel) else model.columnCount(above)


def indexes(model: QAbstractItemModel, above: QModelIndex) -> Iterator[QModelIndex]:
    for row in range(model.rowCount(above)):
        for column in range(columns(model, above)):
            yield model.index(row, column, above)
        yield from indexes(model, model.index(row, 0, above))


def said_by(thing: QObject) -> Iterator[str]:
    """All that a widget, a menu, an action or a model says."""
    if isinstance(thing, QAbstractItemModel):
        for index in indexes(thing, QModelIndex()):
            yield from (str(thing.data(index, role)) for role in ROLES)
        for section in range(columns(thing, QModelIndex())):
            yield from (str(thing.headerData(section, Qt.Orientation.Horizontal, role)) for role in ROLES)
    elif isinstance(thing, QWidget | QAction | QWindow):
        yield from (str(thing.property(name)) for name in (*PROPERTIES, *SPOKEN))
        if isinstance(thing, QComboBox):
            yield from map(thing.itemText, range(thing.count()))


def said(seen: bool = False) -> Iterator[str]:
    """All that can be read in this program now, `seen` or not, also by a screen reader and from the clipboard."""
    for window in QApplication.topLevelWidgets():
        for thing in (window, *window.findChildren(QObject)):
            if not seen or (isinstance(thing, QWidget) and thing.isVisible()):
                yield from said_by(thing.model() if seen and isinstance(thing, QAbstractItemView) else thing)
    yield from copied()


def copied() -> Iterator[str]:
    data: QMimeData | None = QGuiApplication.clipboard().mimeData()
    for form in data.formats() if data else ():
        yield bytes(data.data(form).data()).decode("utf-8", "replace") if data else ""


def leaks(seen: bool = False) -> set[str]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return {text[:300] for text in said(seen) if PLANTED.search(text)}


@pytest.fixture
def hidden_window(real_window: MainWindow) -> Iterator[MainWindow]:
    real_window.window_actions[Action.HIDE_CONTENT].trigger()
    yield real_window
    hiding.set_enabled(False)


@pytest.mark.parametrize("name", ["claude-code-broken.jsonl", "gemini-cli-broken.jsonl", "openai-chat-broken.json"])
def test_nothing_that_a_log_says_is_seen_anywhere(
    name: str, hidden_window: MainWindow, settle: Settle, qtbot: QtBot, tmp_path: Path
) -> None:
    window, document = hidden_window, hidden_window.document
    window.open(str(planted_sample(name, tmp_path)))
    assert not leaks()  # the first rows, before the log is read
    settle(document)
    assert document.log is not None
    window.outline.view.expandAll()
    for kind in (NodeKind.SESSION, NodeKind.TURN, NodeKind.BLOCK):
        document.select_node(document.log.outline.kind.find(kind))
        for pane, copy in zip(PANES, COPIES, strict=True):
            window.window_actions[pane].trigger()
            window.window_actions[copy].trigger()
            assert not list(filter(PLANTED.search, copied()))
        assert not leaks()
    for action in WINDOWS:
        window.window_actions[action].trigger()
    qtbot.waitUntil(lambda: document.open_calls.evidence is not None, timeout=PATIENCE_MS)
    qtbot.wait(400)
    assert not leaks()
    assert not Settings().recent


def test_a_list_of_logs_names_no_file_title_or_folder(
    hidden_window: MainWindow, settle: Settle, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "zq999kunde"
    folder.mkdir()
    for name in BROKEN[2:5]:
        planted_sample(name, folder)
    (folder / "zq998kunde.txt").write_text("no log")
    hidden_window.open(str(folder))
    qtbot.waitUntil(lambda: hidden_window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    qtbot.mouseClick(hidden_window.logs.others, Qt.MouseButton.LeftButton)
    assert hidden_window.logs.names.toPlainText().endswith(".txt›: It contains no log in a supported format.")
    assert not leaks()


def test_content_is_shown_again_for_one_log_and_only_while_it_is_open(
    hidden_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window, document = hidden_window, hidden_window.document
    paths = [str(planted_sample(name, tmp_path)) for name in BROKEN[2:4]]
    window.open(paths[0])
    settle(document)
    window.window_actions[Action.SHOW_CONTENT].trigger()
    settle(document)
    assert "zq000kunde" in window.windowTitle()
    assert leaks()
    for path in reversed(paths):
        window.open(path)
        settle(document)
        assert not leaks()


def test_the_switch_is_remembered_and_place_and_choices_stay(
    real_window: MainWindow, settle: Settle, qtbot: QtBot, tmp_path: Path
) -> None:
    window, document = real_window, real_window.document
    window.open(str(planted_sample("claude-code-broken.jsonl", tmp_path)))
    settle(document)
    document.step_finding(True)
    document.repair.choose_for_finding(document.finding, "leave")
    settle(document)
    for action in (*PANES, *WINDOWS[:4]):
        window.window_actions[action].trigger()
    qtbot.waitUntil(lambda: document.open_calls.evidence is not None, timeout=PATIENCE_MS)
    qtbot.wait(300)
    node, choices = document.node, document.repair.choices
    window.window_actions[Action.HIDE_CONTENT].trigger()
    settle(document)
    assert Settings().hide_content
    assert window.window_actions[Action.HIDE_CONTENT].isChecked()
    assert (document.node, document.repair.choices) == (node, choices)
    qtbot.wait(300)
    assert not leaks()
    window.window_actions[Action.HIDE_CONTENT].trigger()
    settle(document)
    assert not Settings().hide_content
    assert (document.node, document.repair.choices) == (node, choices)


def test_open_windows_forget_the_content_at_once(
    real_window: MainWindow, settle: Settle, qtbot: QtBot, tmp_path: Path
) -> None:
    window, document = real_window, real_window.document
    window.open(str(planted_sample("claude-code-broken.jsonl", tmp_path)))
    settle(document)
    document.step_finding(True)
    for action in (*PANES, Action.LISTS, Action.WHO_ACCEPTS, Action.WHAT_IS_SENT):
        window.window_actions[action].trigger()
    qtbot.waitUntil(lambda: document.open_calls.evidence is not None, timeout=PATIENCE_MS)
    qtbot.wait(400)
    window.window_actions[Action.SHOW_DETAILS].trigger()
    qtbot.wait(100)
    assert leaks()
    window.window_actions[Action.HIDE_CONTENT].trigger()
    window.window_actions[Action.SHOW_REPAIR].trigger()
    assert document.whole_log is None  # The log is not read again yet.
    assert not leaks(seen=True)
    settle(document)
    assert not leaks()
    window.window_actions[Action.HIDE_CONTENT].trigger()


def test_what_is_saved_is_whole(
    hidden_window: MainWindow, settle: Settle, questions: FakeQuestions, tmp_path: Path
) -> None:
    path = planted_sample("claude-code-broken.jsonl", tmp_path)
    hidden_window.open(str(path))
    settle(hidden_window.document)
    questions.copy = str(tmp_path / "out.jsonl")
    hidden_window.window_actions[Action.SAVE_COPY].trigger()
    settle(hidden_window.document)
    written, read = (Path(each).read_text(errors="replace") for each in (questions.copy, path))
    assert len(PLANTED.findall(written)) >= len(PLANTED.findall(read))
    assert not leaks()


@pytest.mark.parametrize("hides", [True, False])
def test_the_file_dialog_keeps_no_folder_where_content_is_hidden(
    hides: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = tmp_path / "QtProject.conf"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path))

    def dialog(*_: object) -> tuple[str, str]:
        kept.write_text("[FileDialog]\nhistory=file:///zq000kunde\nlastVisited=file:///zq000kunde\nviewMode=List\n")
        return "/a/log.jsonl", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", dialog)
    hiding.set_enabled(hides)
    assert DialogQuestions().log_to_open("") == "/a/log.jsonl"
    hiding.set_enabled(False)
    assert ("zq000kunde" in kept.read_text()) is not hides
    assert "viewMode=List" in kept.read_text()
