"""What a screen reader says: the verdict, notices and counts have their text as name, and changes are announced."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.widgets import labels
from inspector.gui.widgets.labels import IconLabel
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


def test_levels_and_icons_are_read(real_window: MainWindow, settle: Settle) -> None:
    real_window.show_path(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    model, role = real_window.outline.model, Qt.ItemDataRole.AccessibleTextRole
    session = model.index(0, 0)
    prompt = model.index(0, 0, session)
    levels = [index.data(role).rpartition(", ")[2] for index in (session, prompt, model.index(0, 0, prompt))]
    assert levels == ["level 1", "level 2", "level 3"]
    real_window.show_repair()
    icons = [icon for icon in real_window.findChildren(IconLabel) if icon.isVisible()]
    assert {spoken(icon) for icon in icons} >= {"Error", "Good", "Note"}


def test_totals_of_the_list_are_read(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    write_small(tmp_path / "a.jsonl")
    window.show_list((str(tmp_path),))
    qtbot.waitUntil(lambda: not window.log_list.busy, timeout=PATIENCE_MS)
    assert spoken(window.logs.facts) == window.logs.facts.text()
    assert window.logs.facts.text().startswith("1 log")


def test_panes_are_read_in_their_order(real_window: MainWindow, settle: Settle) -> None:
    real_window.show_path(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    names: list[str] = []

    def walk(interface: QAccessibleInterface) -> None:
        names.append(interface.text(QAccessible.Text.Name))
        if interface.role() not in (QAccessible.Role.Tree, QAccessible.Role.Table, QAccessible.Role.List):
            for number in range(interface.childCount()):
                walk(interface.child(number))

    walk(there(QAccessible.queryAccessibleInterface(real_window)))
    wanted = ["Conversation", "Findings", "Changes"]
    assert [name for name in names if name in wanted] == wanted


def test_counts_agree_with_their_words_and_no_answer_is_hidden(
    qtbot: QtBot, real_window: MainWindow, settle: Settle
) -> None:
    real_window.show_path(str(SAMPLES / "claude-code-broken.jsonl"))
    settle(real_window.document)
    model = real_window.outline.model
    prompt = model.index(0, 0, model.index(0, 0)).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "1 error, 0 warnings and 1 note in the rows below" in prompt
    card = real_window.side.details.evidence
    qtbot.waitUntil(card.isVisible, timeout=PATIENCE_MS)
    assert spoken(card.head.sentence) == "Did it run? No trace."
    assert spoken(card.head._icon) == ""
