"""A report to share, from the window: copied without content in one step, and by a dialog that shows it first."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from inspector.core.report.shareable.model import REPORT_FORMATS, REPORT_LANGUAGES
from inspector.gui.common.actions import Action
from inspector.gui.dialogs import share_dialogs
from inspector.gui.dialogs.share_dialogs import ReportDialog
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support.notation import claude_code_records, parse

Settle = Callable[[Document], None]
SECRET = "look at /home/mueller/adler for mueller@adler.example"


@pytest.fixture
def opened(real_window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    records = claude_code_records(parse('u"fix it" | a{A@Bash command=make} | u"and now?"'))
    records[2]["message"]["content"] = [{"type": "tool_result", "tool_use_id": "toolu_lost", "content": SECRET}]
    path = tmp_path / "adler.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    real_window.open(str(path))
    settle(real_window.document)
    return real_window


def dialog_of(qtbot: QtBot, window: MainWindow) -> ReportDialog:
    window.window_actions[Action.REPORT].trigger()
    dialog = there(window.findChild(ReportDialog))
    shown(qtbot, dialog, "broken")
    return dialog


def shown(qtbot: QtBot, dialog: ReportDialog, text: str) -> str:
    qtbot.waitUntil(lambda: dialog.copy.isEnabled() and text in dialog.preview.toPlainText(), timeout=PATIENCE_MS)
    return dialog.preview.toPlainText()


def test_a_key_puts_a_report_without_content_into_the_clipboard(qtbot: QtBot, opened: MainWindow) -> None:
    qtbot.keyClick(opened, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: opened.document.notice is not None, timeout=PATIENCE_MS)
    assert there(opened.document.notice).sentence.startswith("The report was copied.")
    text = QGuiApplication.clipboard().text()
    assert "broken" in text
    assert not [word for word in ("adler", "mueller", "fix it", "make") if word in text.lower()]


def test_what_was_replaced_is_listed_and_words_are_added(qtbot: QtBot, opened: MainWindow) -> None:
    dialog = dialog_of(qtbot, opened)
    assert "adler" not in dialog.preview.toPlainText().lower()
    assert [line for _, _, line in dialog.lines()] == ["It contains no text, paths or names from the log."]
    qtbot.mouseClick(dialog.content, Qt.MouseButton.LeftButton)
    assert "/home/[user-1]/adler for [email-1]" in shown(qtbot, dialog, "[user-1]")
    assert "[user-1]  mueller" in [line for _, _, line in dialog.lines()]
    qtbot.keyClicks(dialog.hidden, "Adler, Falke")
    assert "/home/[user-1]/[word-1] for" in shown(qtbot, dialog, "[word-1]")
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert "[word-1]" in QGuiApplication.clipboard().text()
    assert "adler" not in QGuiApplication.clipboard().text().lower()


def test_it_is_saved_under_a_name_that_tells_nothing(
    qtbot: QtBot, opened: MainWindow, questions: FakeQuestions, tmp_path: Path
) -> None:
    dialog = dialog_of(qtbot, opened)
    dialog.form.setCurrentIndex(1)
    dialog.language.setCurrentIndex(1)
    shown(qtbot, dialog, "<!doctype html>")
    questions.copy = str(tmp_path / "out.html")
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert questions.asked == [f"copy {tmp_path / 'report.html'}"]
    qtbot.waitUntil(lambda: opened.document.notice is not None, timeout=PATIENCE_MS)
    assert there(opened.document.notice).sentence == f"The report was saved: {tmp_path / 'out.html'}"
    assert 'lang="zh"' in (tmp_path / "out.html").read_text()


def test_a_report_that_cannot_be_written_is_told_of(qtbot: QtBot, opened: MainWindow, questions: FakeQuestions) -> None:
    dialog = dialog_of(qtbot, opened)
    questions.copy = opened.document.path
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: opened.document.notice is not None, timeout=PATIENCE_MS)
    assert there(opened.document.notice).sentence.endswith("contains part of it. Choose another name.")


def test_a_report_comes_though_the_log_is_read_anew_meanwhile(qtbot: QtBot, opened: MainWindow) -> None:
    opened.window_actions[Action.REPORT].trigger()
    opened.document.reload()
    shown(qtbot, there(opened.findChild(ReportDialog)), "broken")


def test_of_a_long_report_the_beginning_is_shown_and_all_is_copied(
    qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share_dialogs, "_MAX_PREVIEW_CHARS", 300)
    dialog = dialog_of(qtbot, opened)
    assert "… The whole report has" in dialog.preview.toPlainText()
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert len(QGuiApplication.clipboard().text()) > 600


def test_every_form_and_language_is_offered(qtbot: QtBot, opened: MainWindow) -> None:
    dialog = dialog_of(qtbot, opened)
    assert {dialog.form.itemData(row) for row in range(dialog.form.count())} == set(REPORT_FORMATS)
    assert [dialog.language.itemData(row) for row in range(dialog.language.count())] == list(REPORT_LANGUAGES)
    dialog.reject()


def test_without_a_log_there_is_none(qtbot: QtBot, real_window: MainWindow) -> None:
    assert not real_window.window_actions[Action.REPORT].isEnabled()
    assert not real_window.window_actions[Action.COPY_REPORT].isEnabled()
