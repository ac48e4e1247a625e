"""Ctrl+G leads to a line, a record, a message by its number, and to an id; Alt+Left back again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.gui.models.outline_model import OutlineColumn
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.seek_log import current, write
from tests.gui.there import there

Settle = Callable[[Document], None]
CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def opened(real_window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    real_window.open(str(write(tmp_path)))
    settle(real_window.document)
    real_window.document.select_node(2)
    return real_window


def go_to(qtbot: QtBot, window: MainWindow, text: str) -> str:
    """The row that it leads to, else the sentence that says why there is none."""
    strip = window.outline.go_to_strip
    qtbot.keyClick(window, Qt.Key.Key_G, CTRL)
    strip.field.insert(text)
    qtbot.keyClick(strip.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not strip.isVisible() or bool(strip.answer_label.text()), timeout=PATIENCE_MS)
    return strip.answer_label.text() or current(window)


LEADS_TO = {
    "4": "result: a.py",
    "line 3": "call: Grep needle",
    "record 2": "assistant: looking · Grep needle",
    "message 3": "call: Bash make",
    "messages.3.content.0": "call: Bash make",
    "messages[3]": "call: Bash make",
    "B": "Enter a line number",
    "toolu_b": "call: Bash make",
    "TOOLU_": "No call, record or message has an id that starts with TOOLU_",
    "toolu_": "call: Grep needle",
    "9" * 5000: "No call, record or message has an id that starts with 999",
    "99": "There is no line 99. The last record ends on line 11.",
    "record 0": "There is no record 0. This log has 11 records.",
    "message 99": "There is no message 99. The provider counts 10 messages, starting at 0.",
    "nothing-like-it": "No call, record or message has an id that starts with nothing-like-it",
}


def test_a_number_leads_to_its_row(qtbot: QtBot, opened: MainWindow) -> None:
    for text, expected in LEADS_TO.items():
        assert go_to(qtbot, opened, text).startswith(expected), text
        qtbot.keyClick(opened.outline.go_to_strip.field, Qt.Key.Key_Escape)


def test_a_uuid_leads_to_its_record(qtbot: QtBot, opened: MainWindow) -> None:
    raw = there(there(opened.document.reader).visible_bytes(4))
    assert go_to(qtbot, opened, json.loads(raw)["uuid"]) == "call: Bash make"


def test_alt_left_goes_back_through_everything_visited(qtbot: QtBot, opened: MainWindow) -> None:
    begun = current(opened)
    assert go_to(qtbot, opened, "4") == "result: a.py"
    for _ in range(2):
        qtbot.keyClick(opened.outline.view, Qt.Key.Key_Down)
    walked = current(opened)
    assert walked == "result: failed: it broke"
    assert go_to(qtbot, opened, "11") == "assistant: the end"
    visited = [current(opened)]
    for _ in range(2):
        qtbot.keyClick(opened, Qt.Key.Key_Left, ALT)
        visited.append(current(opened))
    assert visited == ["assistant: the end", walked, begun]
    qtbot.keyClick(opened, Qt.Key.Key_Right, ALT)
    assert current(opened) == walked


def test_the_keys_of_a_mouse_go_back_and_forward(qtbot: QtBot, opened: MainWindow) -> None:
    begun = current(opened)
    go_to(qtbot, opened, "11")
    for view in (opened.outline.view, opened.findings.view):
        QTest.mouseClick(view.viewport(), Qt.MouseButton.BackButton, pos=QPoint(9, 9))
        assert current(opened) == begun
        QTest.mouseClick(view.viewport(), Qt.MouseButton.ForwardButton, pos=QPoint(9, 9))
        assert current(opened) == "assistant: the end"


def test_back_leads_into_the_log_that_was_open_before(
    qtbot: QtBot, opened: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    go_to(qtbot, opened, "4")
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other", 'u"another log" | a"ok"')
    opened.open(str(other))
    settle(opened.document)
    opened.document.select_node(2)
    qtbot.keyClick(opened, Qt.Key.Key_Left, ALT)
    if opened.document.path == str(other):
        qtbot.keyClick(opened, Qt.Key.Key_Left, ALT)
    settle(opened.document)
    qtbot.waitUntil(
        lambda: opened.document.path != str(other) and current(opened) == "result: a.py", timeout=PATIENCE_MS
    )


def test_ctrl_j_leads_to_the_result_of_a_call_that_a_resume_does_not_load(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    log = write(tmp_path, 'u"go" | a{A@Bash p=1} | r(A=x) | u"anew" | a"ok"')
    records = [json.loads(each) for each in log.read_text().splitlines()]
    records[3]["parentUuid"] = None
    log.write_text("".join(json.dumps(each) + "\n" for each in records))
    real_window.open(str(log))
    settle(real_window.document)
    call, result = there(real_window.document.log).outline.node_of_record[1:3]
    real_window.document.select_node(call)
    for node, pair in ((result, "answers → #2"), (call, "answered → #3")):
        qtbot.keyClick(real_window, Qt.Key.Key_J, CTRL)
        assert real_window.document.node == node
        assert real_window.outline.model.index_of(node, OutlineColumn.PAIR).data() == pair
