"""Trim and convert: the dialogs, what they say before anything is written, and the page after it."""

import shutil
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.core.presentation.engine_results import ConvertNote
from inspector.core.repair.choices import Choices
from inspector.core.trim.options import Shrinking, Trimming, Wish, parse_fit
from inspector.gui.common.actions import Action
from inspector.gui.dialogs.export_dialog_base import ExportDialogBase
from inspector.gui.dialogs.trim_and_convert_dialogs import ConvertDialog, TrimDialog
from inspector.gui.models.base import ItemRole, TableModel
from inspector.gui.models.list_columns import CONVERT_NOTES_TABLE, convert_note_rows
from inspector.gui.panels.side_panel import SavedPage
from inspector.gui.state.document import Document
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support.paths import SAMPLES

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def opened(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    return window


def trim_dialog(window: MainWindow, qtbot: QtBot) -> TrimDialog:
    window.window_actions[Action.TRIM].trigger()
    dialog = there(window.findChild(TrimDialog))
    wait(dialog, qtbot)
    return dialog


def convert_dialog(window: MainWindow, qtbot: QtBot) -> ConvertDialog:
    window.window_actions[Action.CONVERT].trigger()
    dialog = there(window.findChild(ConvertDialog))
    wait(dialog, qtbot)
    return dialog


def wait(dialog: ExportDialogBase, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: dialog.answer is not None or bool(dialog.failure), timeout=PATIENCE_MS)


def figures(dialog: TrimDialog) -> dict[str, tuple[str, str]]:
    return {name: (before.text(), after.text()) for name, (before, after) in dialog.figures.items()}


def test_trimming_says_before_what_it_comes_to(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = trim_dialog(opened, qtbot)
    dialog.number.setValue(3)
    assert figures(dialog)["messages"] == ("", "…")
    assert dialog.said.text() == "Preparing the preview…"
    wait(dialog, qtbot)
    assert figures(dialog)["messages"] == ("8", "3")
    assert figures(dialog)["tokens"] == ("90,000", "about 33,750")
    assert dialog.said.text().split("\n") == [
        "Removed: 5 × text (100 bytes)",
        "The prompt cache starts anew.",
        "Accepted by Anthropic",
    ]
    dialog.reject()


def test_every_wish_of_the_dialog_reaches_the_core(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = trim_dialog(opened, qtbot)
    assert dialog.options()[0] == Trimming(Wish(keep=4), repairs=Choices())
    dialog.share.setValue(25)
    assert dialog.by_share.isChecked()
    dialog.first.click()
    dialog.shrink.setCurrentIndex(1)
    dialog.kilobytes.setValue(12)
    assert dialog.options()[0] == Trimming(Wish(fraction=0.25, first=True), Shrinking(over=12_000), Choices())
    dialog.all.click()
    dialog.shrink.setCurrentIndex(2)
    dialog.count.setValue(3)
    assert dialog.options()[0] == Trimming(Wish(first=True), Shrinking(most=3), Choices())
    wait(dialog, qtbot)
    assert "3 results are replaced with notes" in dialog.said.text()
    dialog.reject()


def test_a_history_is_fitted_to_a_model_and_saved_as_a_new_session(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = trim_dialog(opened, qtbot)
    dialog.model.setCurrentIndex(dialog.model.findData("gpt-4o"))
    dialog.by_fit.click()
    assert dialog.options()[0] == Trimming(Wish(), repairs=Choices(), fit=parse_fit("gpt-4o"))
    assert not dialog.shrink.isEnabled()
    wait(dialog, qtbot)
    assert dialog.said.text().split("\n")[0] == "It fits gpt-4o."
    assert dialog.save_target() == ""
    dialog.all.click()
    assert dialog.shrink.isEnabled()
    dialog.reject()


def test_a_broken_log_is_repaired_first_and_a_sound_one_is_not(
    opened: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    dialog = trim_dialog(opened, qtbot)
    assert (dialog.repair.isChecked(), dialog.repair.isEnabled()) == (True, False)
    dialog.reject()
    qtbot.waitUntil(lambda: opened.findChild(QDialog) is None, timeout=PATIENCE_MS)
    opened.open(str(write_healthy(tmp_path / "healthy.jsonl")))
    settle(opened.document)
    dialog = trim_dialog(opened, qtbot)
    assert dialog.options()[0].repairs is None
    dialog.reject()


def test_what_cannot_be_trimmed_is_said_and_not_saved(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = trim_dialog(opened, qtbot)
    dialog.number.setValue(2)
    wait(dialog, qtbot)
    assert dialog.said.text() == "There is no place where this history can be cut."
    assert not dialog.save.isEnabled()
    dialog.all.click()
    wait(dialog, qtbot)
    assert dialog.said.text() == "Nothing would be trimmed."
    assert not dialog.save.isEnabled()
    dialog.reject()


def test_a_trimmed_copy_is_saved_and_its_page_shown(
    opened: MainWindow, qtbot: QtBot, questions: FakeQuestions, tmp_path: Path
) -> None:
    before = Path(opened.document.path).read_bytes()
    dialog = trim_dialog(opened, qtbot)
    questions.copy = str(tmp_path / "short.jsonl")
    qtbot.mouseClick(dialog.save, LEFT)
    qtbot.waitUntil(lambda: opened.document.saved is not None, timeout=PATIENCE_MS)
    assert questions.asked == [f"copy {tmp_path / 'a.trimmed.jsonl'}"]
    assert Path(questions.copy).read_bytes() == b"".join(before.splitlines(keepends=True)[4:])
    assert Path(opened.document.path).read_bytes() == before
    page = opened.side.repair.saved
    assert page.isVisible()
    assert page_says(page, "The trimmed copy was saved.")


def page_says(page: SavedPage, sentence: str) -> bool:
    return any(label.text() == sentence for label in page.findChildren(PlainLabel))


def test_thinking_better_of_the_file_keeps_the_dialog(
    opened: MainWindow, qtbot: QtBot, questions: FakeQuestions
) -> None:
    dialog = trim_dialog(opened, qtbot)
    questions.copy = ""
    dialog.save.click()
    assert (dialog.isVisible(), opened.document.saving) == (True, False)
    dialog.reject()


def test_converting_lists_what_is_left_out(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = convert_dialog(opened, qtbot)
    assert dialog.options() == ("openai", "0", Choices())
    assert "Left out: 1 × reasoning, it is bound to its provider" in dialog.said.text()
    row = [dialog.model.index(0, column).data() for column in range(4)]
    assert row == ["left out", "2", "reasoning", "I should look first."]
    dialog.as_held.click()
    wait(dialog, qtbot)
    assert dialog.options() == ("openai", "0", None)
    assert "Unmatched: 2 × call, no result is in the history" in dialog.said.text()
    assert "The history is broken" in dialog.said.text()
    dialog.targets.setCurrentIndex(2)
    dialog.as_repaired.click()
    wait(dialog, qtbot)
    assert dialog.said.text().startswith("Every block is copied unchanged.")
    assert not dialog.view.isVisible()
    dialog.reject()


def test_a_repair_that_does_not_verify_cannot_be_converted(opened: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    opened.document.repair.choose_for_rule("D2", "leave")
    settle(opened.document)
    dialog = convert_dialog(opened, qtbot)
    assert (dialog.as_repaired.isEnabled(), dialog.as_held.isChecked()) == (False, True)
    assert dialog.as_repaired.toolTip() == "What you left as it is would still be refused."
    dialog.reject()


def test_the_current_session_is_converted_and_another_can_be_chosen(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "a.jsonl", sessions=3)))
    settle(window.document)
    window.document.select_node(there(window.document.log).node_of_session(2))
    dialog = convert_dialog(window, qtbot)
    assert dialog.sessions.isVisible()
    assert (dialog.sessions.currentText(), dialog.options()[1]) == ("Session 3", "2")
    dialog.sessions.setCurrentIndex(1)
    assert dialog.options()[1] == "1"
    dialog.reject()


def test_a_converted_page_is_saved_and_not_offered_to_be_opened(
    opened: MainWindow, qtbot: QtBot, questions: FakeQuestions, tmp_path: Path
) -> None:
    dialog = convert_dialog(opened, qtbot)
    dialog.targets.setCurrentIndex(2)
    wait(dialog, qtbot)
    questions.copy = str(tmp_path / "page.md")
    qtbot.mouseClick(dialog.save, LEFT)
    qtbot.waitUntil(lambda: opened.document.saved is not None, timeout=PATIENCE_MS)
    assert Path(questions.copy).read_text(encoding="utf-8") == "a.markdown.0.repaired"
    page = opened.side.repair.saved
    assert page_says(page, "The converted history was saved.")
    assert page.findChild(QPushButton, "open_saved") is None


def test_nothing_can_be_trimmed_or_converted_while_nothing_is_open(window: MainWindow) -> None:
    for action in (Action.TRIM, Action.CONVERT, Action.UNDO_PLACEHOLDERS, Action.RESULTS_FROM):
        assert not window.window_actions[action].isEnabled()


def test_the_list_of_notes_is_a_sound_model(qtmodeltester: ModelTester) -> None:
    model = TableModel(CONVERT_NOTES_TABLE)
    qtmodeltester.check(model)
    notes = (ConvertNote("open", "call", "", 7, "ls\n-l"), ConvertNote("kept", "id", ""))
    model.show(convert_note_rows(notes, array("q", [1, 2])))
    qtmodeltester.check(model)
    assert [model.index(0, column).data() for column in range(4)] == ["unmatched", "8", "call", "ls -l"]
    assert model.index(1, 1).data() == ""
    assert model.index(0, 0).data(ItemRole.MARK) == "warning"


def test_a_session_continues_from_before_the_selected_message(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    store = tmp_path / "projects" / "-w"
    store.mkdir(parents=True)
    log = Path(shutil.copy(SAMPLES / "claude-code-broken.jsonl", store / "11111111-2222-4333-8444-555555555555.jsonl"))
    real_window.open(str(log))
    settle(real_window.document)
    action = real_window.window_actions[Action.CONTINUE_FROM]
    real_window.document.select_node(0)
    assert not action.isEnabled()
    opened = there(real_window.document.log)
    real_window.document.select_node(opened.outline.node_of_record[10])
    action.trigger()
    dialog = there(real_window.findChild(TrimDialog))
    wait(dialog, qtbot)
    assert (dialog.windowTitle(), dialog.by_place.text()) == (
        "Continue from here",
        "&Everything before the selected message (line 10)",
    )
    assert (dialog.first.isEnabled(), dialog.shrink.isEnabled()) == (False, False)
    assert figures(dialog)["messages"] == ("13", "3")
    assert "The history ends before line 10" in dialog.said.text()
    dialog.save.click()
    settle(real_window.document)
    saved = there(real_window.document.saved)
    assert saved.steps[0] == f"The trimmed session is at {saved.path}."
    assert [path.name for path in store.glob("*.jsonl") if path != log] == [Path(saved.path).name]
    dialog = trim_dialog(real_window, qtbot)
    assert not dialog.by_place.isVisible()
    dialog.reject()
