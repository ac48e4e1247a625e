"""What a screen reader says: the verdict, notices and counts have their text as name, and changes are announced."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.widgets import labels
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_small
from tests.gui.there import there
from tests.support.paths import SAMPLES

Settle = Callable[[Document], None]


def spoken(widget: QWidget) -> str:
    return there(QAccessible.queryAccessibleInterface(widget)).text(QAccessible.Text.Name)


def test_verdict_notice_and_counts_are_read_and_announced(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, said = real_window, list[str]()
    monkeypatch.setattr(labels, "announce", lambda widget, text: said.append(text))
    window.show_path(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(window.document)
    assert spoken(window.verdict._sentence).startswith("Broken: ")
    window.document.show_notice(Notice("A copy was saved."))
    assert spoken(window._bar.sentence) == "A copy was saved."
    window.outline.find_strip.open()
    qtbot.keyClicks(window.outline.find_strip.field, "timer")
    count = window.outline.find_strip.answer_label
    qtbot.waitUntil(lambda: " of " in count.text(), timeout=PATIENCE_MS)
    assert spoken(count) == count.text()
    qtbot.waitUntil(lambda: count.text() in said, timeout=PATIENCE_MS)
    assert any(text.startswith("Broken: ") for text in said)
    assert "A copy was saved." in said


def test_totals_of_the_list_are_read(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    write_small(tmp_path / "a.jsonl")
    window.show_list((str(tmp_path),))
    qtbot.waitUntil(lambda: not window.log_list.busy, timeout=PATIENCE_MS)
    assert spoken(window.logs.facts) == window.logs.facts.text()
    assert window.logs.facts.text().startswith("1 log")
