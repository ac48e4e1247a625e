"""The headline and the button beside it: what happens on resume, and what to do next."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.core.discovery.opening import open_source
from inspector.core.engine.log import OpenLog
from inspector.core.report.sentences import session_sentences
from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.panels.verdict_panel import wrap_label
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.test_window import verdict_texts

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
LOG = "88dd9faf-80e2-49f8-a338-f6d759acbce1.jsonl"


@pytest.fixture
def broken(
    real_window: MainWindow, settle: Settle, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> MainWindow:
    """A window with a broken session in the store of its agent."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = tmp_path / ".claude/projects/-home-mei-projects-tea-timer"
    folder.mkdir(parents=True)
    shutil.copy(samples / "claude-code-broken.jsonl", folder / LOG)
    real_window.resize(1280, 720)
    real_window.open(str(folder / LOG))
    settle(real_window.document)
    return real_window


def test_the_headline_is_the_sentence_of_the_terminal_and_stands_there_once(broken: MainWindow) -> None:
    with OpenLog(open_source(broken.document.path)) as log:
        headline = session_sentences(log.check().sessions[0])[0]
    texts = verdict_texts(broken)
    assert texts[0] == f"Broken: {headline}"
    assert texts[1] == "1 tool call has no result. 1 result has no call. The last record was cut off."
    assert texts[2].startswith("Claude Code was stopped while a command was running, and did not record the result.")
    assert not [text for text in texts[1:] if headline in text]


def test_from_the_button_to_the_copied_command_in_three_keys(broken: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    button = broken.verdict.primary
    assert button.accessibleName() == "Repair: add 1 placeholder and fix 2 more problems (lost: 1 damaged part)"
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert broken.side.currentWidget() is broken.side.repair
    save = QApplication.focusWidget()
    assert save is broken.side.repair.panel.primary
    assert save.objectName() == "save_new_session"
    qtbot.keyClick(save, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: broken.document.saved is not None, timeout=PATIENCE_MS)
    assert verdict_texts(broken) == [
        "The repair was saved and checked.", "Next: run the command that resumes the session.",
    ]  # fmt: skip
    assert button.text() == "Copy the resume command"
    qtbot.mouseClick(button, LEFT)
    assert "claude --resume" in QGuiApplication.clipboard().text()
    assert button.text() == "Copied ✓"
    broken.document.dismiss_saved()
    assert verdict_texts(broken)[0].startswith("Broken: ")
    assert button.accessibleName().startswith("Repair: ")


def test_what_the_button_leads_to_shows_a_change_with_room_for_both_sides(broken: MainWindow, qtbot: QtBot) -> None:
    theme.apply("light")
    qtbot.mouseClick(broken.verdict.primary, LEFT)
    changes = broken.side.repair.panel.changes
    assert changes._number.text() == "Change 1 of 4"
    assert [heading.text() for heading in changes.compare.headings if heading.isVisible()] == ["Original", "Repaired"]
    qtbot.waitUntil(lambda: "No result was recorded" in changes.compare.text.toPlainText(), timeout=PATIENCE_MS)
    line = QFontMetrics(theme.fixed_font(1)).lineSpacing()
    assert changes.compare.text.viewport().height() >= 15 * line
    qtbot.mouseClick(changes.next, LEFT)
    assert changes._number.text() == "Change 2 of 4"
    qtbot.mouseClick(changes.previous, LEFT)
    assert changes._number.text() == "Change 1 of 4"
    assert not changes.previous.isEnabled()


@pytest.mark.parametrize("width", [25, 38])
@pytest.mark.parametrize("number", [1, 3, 12, 345])
def test_the_label_of_the_button_is_not_broken_between_nothing_and_lost(number: int, width: int) -> None:
    lines = wrap_label(f"Repair: add {number} placeholders, nothing lost", width).split("\n")
    assert lines[-1].endswith("nothing lost")
    assert max(map(len, lines)) <= width


def test_a_partial_repair_is_only_reviewed(broken: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    broken.document.repair.choose_for_rule("D2", "leave")
    settle(broken.document)
    assert broken.verdict.primary.text() == "Review the repair"
    qtbot.mouseClick(broken.verdict.primary, LEFT)
    assert broken.side.currentWidget() is broken.side.repair


def test_a_log_that_is_only_read_is_to_be_converted(real_window: MainWindow, settle: Settle, samples: Path) -> None:
    real_window.open(str(samples / "otel-broken.json"))
    settle(real_window.document)
    assert real_window.verdict.primary.text() == "Convert the history…"
    assert real_window.verdict.primary.isEnabled()


def test_the_known_issue_is_a_click_away(broken: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    qtbot.mouseClick(broken.verdict.known_issue, LEFT)
    assert [url.toString() for url in opened] == ["https://github.com/anthropics/claude-code/issues/1894"]


def test_a_log_that_needs_no_repair_offers_its_command(window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path) -> None:  # fmt: skip # noqa: E501
    for path in (write_healthy(tmp_path / "a.jsonl"), write_small(tmp_path / "heals.jsonl")):
        window.open(str(path))
        settle(window.document)
        assert window.verdict.primary.text() == "Copy the resume command"
        qtbot.mouseClick(window.verdict.primary, LEFT)
        assert QGuiApplication.clipboard().text() == "fake --resume"
        QGuiApplication.clipboard().setText("")
        window.verdict._copied = ""


def test_no_step_is_offered_for_a_log_that_was_not_judged(
    real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    assert not real_window.verdict.primary.isVisible()
    log = tmp_path / "notes.txt"
    log.write_text("no log\n")
    real_window.open(str(log))
    settle(real_window.document)
    assert not real_window.verdict.primary.isVisible()
    assert real_window.window_actions[Action.SAVE_COPY].isEnabled() is False
