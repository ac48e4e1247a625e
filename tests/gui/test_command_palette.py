"""The command palette: all actions, found by their words, run with Enter."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSortFilterProxyModel, Qt
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.fake_logs import write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
CTRL = Qt.KeyboardModifier.ControlModifier


def rows(model: QSortFilterProxyModel) -> list[str]:
    """The rows that the palette shows: name | why not available | keys."""
    cells = [[str(model.index(row, column).data() or "") for column in range(3)] for row in range(model.rowCount())]
    return [" | ".join(row) for row in cells]


def test_the_palette_has_all_actions_with_keys_and_reasons(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, CTRL)
    palette = window.commands
    assert palette.isVisible()
    shown = rows(palette.model)
    assert len(shown) == len(Action) - 1
    assert shown[0] == "Open… |  | Ctrl+O"
    assert "Find text… | Open a log first. | Ctrl+F" in shown
    available = [not row.split(" | ")[1] for row in shown]
    assert available == sorted(available, reverse=True)


def test_words_in_any_order_filter_it(qtbot: QtBot, window: MainWindow) -> None:
    window.commands.ask()
    for text, shown in (
        ("folder OPEN", ["Open a folder… |  | Ctrl+Shift+O"]),
        ("ctrl+g", ["Go to… | Open a log first. | Ctrl+G"]),
        ("zoom out", ["Smaller text |  | Ctrl+-"]),
        ("no such (words", []),
    ):
        window.commands.field.setText(text)
        assert rows(window.commands.model) == shown
        assert window.commands.nothing.isVisible() == (not shown)


def test_a_command_with_the_words_in_its_name_comes_first(qtbot: QtBot, window: MainWindow) -> None:
    window.commands.ask()
    qtbot.keyClicks(window.commands.field, "sent")
    shown = rows(window.commands.model)
    assert len(shown) > 1
    assert shown[0].startswith("What will be sent…")


def test_enter_runs_the_current_row_and_escape_none(qtbot: QtBot, window: MainWindow, questions: FakeQuestions) -> None:
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
        window.commands.ask()
        qtbot.keyClicks(window.commands.field, "find or open a")
        qtbot.keyClick(window.commands.field, Qt.Key.Key_Escape)
        assert not window.commands.isVisible()
        window.commands.ask()
        assert window.commands.field.text() == ""
        qtbot.keyClick(window.commands.field, Qt.Key.Key_Down)
        qtbot.keyClick(window.commands.field, key)
        assert not window.commands.isVisible()
    assert questions.asked == ["folder"]


def test_a_command_that_is_not_available_says_why(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    window.commands.ask()
    qtbot.keyClicks(window.commands.field, "ctrl+z")
    assert rows(window.commands.model) == ["Undo | There is no choice to undo. | Ctrl+Z"]
    qtbot.keyClick(window.commands.field, Qt.Key.Key_Return)
    assert there(window.document.notice).sentence == "There is no choice to undo."
