"""The page after a save: a command to copy stands there only where it can work."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.state.document import Document
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
SAVES_OF_WHOLE_REPAIRS = (Action.SAVE_NEW_SESSION, Action.SAVE_IN_PLACE, Action.SEND_BACK)


@pytest.mark.parametrize(
    ("place", "offered"), [(".claude/projects/-home-mei-projects-tea-timer", True), ("sent", False)]
)
@pytest.mark.parametrize("action", [Action.SAVE_IN_PLACE, Action.SAVE_NEW_SESSION])
def test_a_command_is_offered_only_where_the_agent_looks_for_the_session(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, samples: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, action: Action, place: str, offered: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = tmp_path / place
    folder.mkdir(parents=True)
    log = folder / "88dd9faf-80e2-49f8-a338-f6d759acbce1.jsonl"
    shutil.copy(samples / "claude-code-broken.jsonl", log)
    assert isinstance(real_window.prompts, FakeQuestions)
    real_window.prompts.closed = True
    real_window.open(str(log))
    settle(real_window.document)
    real_window.window_actions[action].trigger()
    qtbot.waitUntil(lambda: real_window.document.saved is not None, timeout=PATIENCE_MS)
    saved, page = there(real_window.document.saved), real_window.side.repair.saved
    assert bool(saved.command) == bool(page.findChild(QPushButton, "copy_command")) == offered
    told = "\n".join(label.text() for label in page.findChildren(PlainLabel))
    store = tmp_path / ".claude/projects/-home-mei-projects-tea-timer"
    assert (f"The agent looks for this session in {store}. Move the file there." in told) == (not offered)
    assert "Run: claude --resume" in told


def test_no_command_is_offered_for_a_file_whose_name_is_no_session_id(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, samples: Path, tmp_path: Path
) -> None:
    shutil.copy(samples / "claude-code-broken.jsonl", tmp_path / "inpl.jsonl")
    assert isinstance(real_window.prompts, FakeQuestions)
    real_window.prompts.closed = True
    real_window.open(str(tmp_path / "inpl.jsonl"))
    settle(real_window.document)
    real_window.window_actions[Action.SAVE_IN_PLACE].trigger()
    qtbot.waitUntil(lambda: real_window.document.saved is not None, timeout=PATIENCE_MS)
    saved = there(real_window.document.saved)
    assert saved.command == ""
    assert not [step for step in saved.steps if "claude --resume" in step]
    (step,) = [step for step in saved.steps if "inpl is not a session id" in step]
    # The log is repaired now, so there is nothing to save as a new session until the original is restored.
    assert not real_window.window_actions[Action.SAVE_NEW_SESSION].isEnabled()
    assert step.endswith("restore the original, and save the repair as a new session.")


def test_the_command_comes_first_and_both_buttons_say_that_it_was_copied(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, samples: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = tmp_path / ".claude/projects/-home-mei-projects-tea-timer"
    folder.mkdir(parents=True)
    log = folder / "88dd9faf-80e2-49f8-a338-f6d759acbce1.jsonl"
    shutil.copy(samples / "claude-code-broken.jsonl", log)
    real_window.open(str(log))
    settle(real_window.document)
    real_window.window_actions[Action.SAVE_NEW_SESSION].trigger()
    qtbot.waitUntil(lambda: real_window.document.saved is not None, timeout=PATIENCE_MS)
    saved, page = there(real_window.document.saved), real_window.side.repair.saved
    copy = there(page.findChild(QPushButton, "copy_command"))
    path = next(label for label in page.findChildren(PlainLabel) if label.text() == saved.path)
    qtbot.waitUntil(lambda: copy.mapTo(page, copy.rect().topLeft()).y() < path.mapTo(page, path.rect().topLeft()).y())
    copy.click()
    assert [button.text() for button in (copy, real_window.verdict.primary)] == ["Copied ✓", "Copied ✓"]


def test_a_partial_repair_is_saved_as_a_copy_that_says_what_remains(
    real_window: MainWindow, qtbot: QtBot, settle: Settle, samples: Path, tmp_path: Path
) -> None:
    log, copy = tmp_path / "88dd9faf-80e2-49f8-a338-f6d759acbce1.jsonl", tmp_path / "partial.jsonl"
    shutil.copy(samples / "claude-code-broken.jsonl", log)
    before = log.read_bytes()
    real_window.open(str(log))
    settle(real_window.document)
    draft, actions = real_window.document.repair, real_window.window_actions
    draft.choose_for_rule("D2", "leave")
    settle(real_window.document)
    assert draft.is_partial
    enabled = {action.name: actions[action].isEnabled() for action in (Action.SAVE_COPY, *SAVES_OF_WHOLE_REPAIRS)}
    assert enabled == {"SAVE_COPY": True, "SAVE_NEW_SESSION": False, "SAVE_IN_PLACE": False, "SEND_BACK": False}
    assert isinstance(real_window.prompts, FakeQuestions)
    real_window.prompts.copy = str(copy)
    actions[Action.SAVE_COPY].trigger()
    qtbot.waitUntil(lambda: real_window.document.saved is not None, timeout=PATIENCE_MS)
    saved, page = there(real_window.document.saved), real_window.side.repair.saved
    assert (saved.verdict, saved.command, saved.made) == ("broken", "", "partly-repaired")
    told = [label.text() for label in page.findChildren(PlainLabel)]
    assert told[0] == "A partially repaired copy was saved, but it is still broken."
    assert "Note: Line 11 still has a problem: The call to Bash has no result, but the conversation continued." in told
    assert log.read_bytes() == before != copy.read_bytes()
    assert real_window.kept_choices.unsaved == 0
