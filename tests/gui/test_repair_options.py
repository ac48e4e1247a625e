"""Preset, provider and wording of a repair, chosen in their boxes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from inspector.core.repair.choices import Choices
from inspector.gui.common.actions import Action
from inspector.gui.common.settings import Settings
from inspector.gui.state.document import Document
from inspector.gui.widgets.inputs import ElidedComboBox
from inspector.gui.window.main_window import MainWindow
from tests.gui.fake_engine import FAILED_TO_SHOW
from tests.gui.fake_logs import write_small
from tests.gui.fake_questions import FakeQuestions

Settle = Callable[[Document], None]


@pytest.fixture
def opened(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    return window


def pick(box: QComboBox, row: int) -> None:
    """What a click on a row of the list does."""
    box.setCurrentIndex(row)
    box.activated.emit(row)


def test_a_provider_is_chosen_and_taken_back(opened: MainWindow) -> None:
    options, draft = opened.side.repair.panel.options, opened.document.repair
    pick(options.profiles, options.profiles.findText("Gemini"))
    assert draft.choices == Choices(profile="gemini")
    opened.window_actions[Action.UNDO].trigger()
    assert (draft.choices, options.profiles.currentIndex()) == (Choices(), 0)


def test_the_first_provider_is_the_sessions_own_and_not_named_twice(opened: MainWindow) -> None:
    box = opened.side.repair.panel.options.profiles
    assert box.itemText(0) == "from the log (Anthropic)"
    assert [box.itemText(row) for row in range(box.count())].count("Anthropic") == 0


def test_a_systems_wording_is_a_setting_for_the_next_log_too(
    opened: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    options, draft = opened.side.repair.panel.options, opened.document.repair
    pick(options.wordings, options.wordings.findText("Codex"))
    assert draft.choices == Choices(wording="codex")
    opened.open(str(write_small(tmp_path / "b.jsonl")))
    settle(opened.document)
    assert (draft.choices, draft.has_choices) == (Choices(wording="codex"), False)
    assert options.wordings.currentText() == "Codex"
    assert Settings().wording == "codex"


def test_words_of_ones_own_start_from_those_in_use(opened: MainWindow, questions: FakeQuestions) -> None:
    options, draft = opened.side.repair.panel.options, opened.document.repair
    questions.words = "no answer from {name}"
    pick(options.wordings, options.wordings.count() - 1)
    assert questions.asked[-1].startswith("wording [No result was recorded for this call to {name}.")
    assert draft.choices.wording == "no answer from {name}"
    assert options.wordings.currentText() == "no answer from {name}"


def test_thinking_better_of_it_changes_nothing(opened: MainWindow, questions: FakeQuestions) -> None:
    options, draft = opened.side.repair.panel.options, opened.document.repair
    pick(options.wordings, options.wordings.count() - 1)
    assert (draft.choices, options.wordings.currentIndex()) == (Choices(), 0)


def test_what_a_format_failed_to_show_is_told(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_small(tmp_path / "odd-format.jsonl")))
    settle(window.document)
    assert FAILED_TO_SHOW in window.side.repair.panel.outcome.text()


def test_consequences_and_what_is_to_be_known_of_a_preset_are_told(opened: MainWindow, settle: Settle) -> None:
    panel = opened.side.repair.panel
    assert "The prompt cache is broken from message 6 on." in panel.outcome.text()
    assert "About the preset" not in panel.outcome.text()
    pick(panel.options.presets, 1)
    settle(opened.document)
    assert "About the preset: It drops what is orphaned." in panel.outcome.text()


def test_a_preset_keeps_provider_and_wording(opened: MainWindow) -> None:
    options, draft = opened.side.repair.panel.options, opened.document.repair
    pick(options.profiles, options.profiles.findText("Bedrock"))
    pick(options.wordings, options.wordings.findText("LiteLLM"))
    pick(options.presets, 1)
    assert draft.choices == Choices("clean", profile="bedrock-converse", wording="litellm")


def test_a_box_says_with_dots_that_there_is_more_of_its_text(qtbot: QtBot) -> None:
    pictures = []
    for text in ("its own (OpenAI)", "its own (Other)", "from the log"):
        box = ElidedComboBox()
        qtbot.addWidget(box)
        box.addItem(text)
        box.resize(90, 24)
        box.show()
        pictures.append(box.grab().toImage())
    assert pictures[0] == pictures[1] != pictures[2]
