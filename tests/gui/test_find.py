"""A text is found in the whole log, as a person looks for it: with Ctrl+F, F3 and Escape."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from pytestqt.qtbot import QtBot

from inspector.gui.details import page as long_texts
from inspector.gui.models.base import ItemRole
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_small
from tests.gui.seek_log import current, write

Settle = Callable[[Document], None]
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def look_for(qtbot: QtBot, window: MainWindow, text: str, expected: str) -> None:
    strip = window.outline.find_strip
    qtbot.keyClick(window, Qt.Key.Key_F, CTRL)
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(strip.field, Qt.Key.Key_V, CTRL)
    qtbot.waitUntil(lambda: strip.answer_label.text() == expected, timeout=PATIENCE_MS)


def test_f3_walks_what_was_found_around_the_end(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window = real_window
    window.open(str(write(tmp_path)))
    settle(window.document)
    window.document.select_node(2)
    look_for(qtbot, window, "needle", "1 of 3 records")
    walked = [current(window)]
    for _ in range(3):
        qtbot.keyClick(window, Qt.Key.Key_F3)
        walked.append(current(window))
    assert walked == ["user: Please find the needle", "call: Grep needle", "assistant: a NEEDLE, 中文针", walked[0]]
    qtbot.keyClick(window, Qt.Key.Key_F3, SHIFT)
    assert current(window) == walked[2]


def test_f3_walks_the_places_within_a_row_and_says_which_one(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window, far = real_window, "word " * 8000
    history = 'u"a needle, a Needle" | a"one needle FAR and a needle"{A@Bash command=needle} | r(A=no needle)'
    window.open(str(write(tmp_path, history.replace("FAR", far))))
    settle(window.document)
    window.document.select_node(2)
    look_for(qtbot, window, "needle", "1 of 4 records · match 1 of 2")
    said, page, walked = window.outline.find_strip.answer_label, window.side.details.page, []
    for key in (Qt.KeyboardModifier.NoModifier,) * 6 + (SHIFT,) * 5:
        qtbot.keyClick(window, Qt.Key.Key_F3, key)
        qtbot.waitUntil(lambda: page._awaited is None, timeout=PATIENCE_MS)
        walked.append(f"{current(window).split()[0]} {said.text()}")
    assert walked == [
        "user: 1 of 4 records · match 2 of 2",
        "text: 2 of 4 records · match 1 of 1+",  # the other one is not drawn yet
        "text: 2 of 4 records · match 2 of 2",
        "call: 3 of 4 records",
        "result: 4 of 4 records",
        "user: 1 of 4 records · match 1 of 2",
        "result: 4 of 4 records",
        "call: 3 of 4 records",
        "text: 2 of 4 records · match 1 of 1+",
        "user: 1 of 4 records · match 2 of 2",
        "user: 1 of 4 records · match 1 of 2",
    ]


@pytest.mark.parametrize("at_once", [long_texts._SOUGHT, 10_000])
def test_f3_reaches_a_place_that_lies_megabytes_behind_what_is_drawn(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(long_texts, "_SOUGHT", at_once)
    window, far = real_window, "word " * 600_000
    window.open(str(write(tmp_path, 'u"go" | a"one needle FAR a needle FAR a Needle"'.replace("FAR", far))))
    settle(window.document)
    look_for(qtbot, window, "needle", "1 of 1 record · match 1 of 1+")
    said, page = window.outline.find_strip.answer_label, window.side.details.page
    walked = []
    for _ in range(3):
        qtbot.waitUntil(lambda: not page._long.searching and page._awaited is None, timeout=PATIENCE_MS)
        qtbot.keyClick(window, Qt.Key.Key_F3)
        qtbot.waitUntil(lambda: not page._long.searching and page._awaited is None, timeout=PATIENCE_MS)
        walked.append(f"{said.text()}: {page.textCursor().block().text()[page.textCursor().positionInBlock() :][:6]}")
    assert walked == [
        "1 of 1 record · match 2 of 2+: needle",
        "1 of 1 record · match 3 of 3: Needle",
        "1 of 1 record · match 1 of 3: needle",
    ]
    left = re.findall(r"([\d,]+) characters left", page.toPlainText())
    assert len(left) == 2
    assert len(page.toPlainText()) < 50_000


def test_the_only_place_of_a_row_is_gone_to_wherever_it_lies(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window, page = real_window, real_window.side.details.page
    window.open(str(write(tmp_path, 'u"go" | a"FAR a needle FAR"'.replace("FAR", "word " * 600_000))))
    settle(window.document)
    look_for(qtbot, window, "needle", "1 of 1 record")
    cursor = page.textCursor()
    assert cursor.block().text()[cursor.positionInBlock() :].startswith("needle")


def test_f3_walks_more_places_of_a_row_than_are_marked(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window = real_window
    window.open(str(write(tmp_path, 'u"go" | a"FAR"'.replace("FAR", "ab " * 600))))
    settle(window.document)
    look_for(qtbot, window, "ab", "1 of 1 record · match 1 of 600")
    page = window.side.details.page
    page.step_match(forward=True)
    page._go_to(499)
    qtbot.keyClick(window, Qt.Key.Key_F3)
    assert window.outline.find_strip.answer_label.text() == "1 of 1 record · match 501 of 600"
    assert page.textCursor().position() in {mark.cursor.selectionStart() for mark in page.extraSelections()}


def test_what_only_the_bytes_of_a_row_hold_is_said(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    real_window.open(str(write(tmp_path, 'u"go" | a"ok"')))
    settle(real_window.document)
    look_for(qtbot, real_window, "uuid", "1 of 2 records · only in the raw bytes of this record")


def test_chinese_is_found_though_the_log_has_escapes(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = write(tmp_path)
    assert b"\\u4e2d" in path.read_bytes()
    real_window.open(str(path))
    settle(real_window.document)
    look_for(qtbot, real_window, "中文", "1 of 1 record")
    assert current(real_window) == "assistant: a NEEDLE, 中文针"


def test_case_is_told_apart_when_it_is_asked_for(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    real_window.open(str(write(tmp_path)))
    settle(real_window.document)
    look_for(qtbot, real_window, "NEEDLE", "3 of 3 records")
    strip = real_window.outline.find_strip
    strip.match_case.click()
    qtbot.waitUntil(lambda: strip.answer_label.text() == "1 of 1 record", timeout=PATIENCE_MS)


def test_what_is_found_is_marked_until_the_strip_is_closed(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window = real_window
    window.open(str(write(tmp_path)))
    settle(window.document)
    look_for(qtbot, window, "needle", "3 of 3 records")
    found = window.outline.view.currentIndex()
    assert found.data(ItemRole.FOUND)
    marked = window.outline.view.viewport().grab().toImage()
    rect = window.outline.view.visualRect(found)
    assert marked.pixelColor(rect.x() + 1, rect.center().y()) == QColor("#d08700")
    assert window.side.details.page.extraSelections()
    qtbot.keyClick(window.outline.find_strip.field, Qt.Key.Key_Escape)
    assert not window.outline.find_strip.isVisible()
    assert not found.data(ItemRole.FOUND)
    assert window.outline.view.hasFocus()


def test_escape_closes_one_thing_at_a_time_wherever_the_focus_is(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window, document = real_window, real_window.document
    window.open(str(write(tmp_path)))
    settle(document)
    document.row_filter.set_line("needle")
    window.error_lookup.ask("messages.5: tool_use ids were found without tool_result blocks: toolu_c", True)
    qtbot.waitUntil(lambda: window.error_lookup.answer is not None, timeout=PATIENCE_MS)
    qtbot.keyClick(window, Qt.Key.Key_F, CTRL)
    window.findings.view.setFocus()
    shown = list[tuple[bool, bool, str]]()
    for _ in range(3):
        qtbot.keyClick(window.findings.view, Qt.Key.Key_Escape)
        shown.append(
            (window.outline.find_strip.isVisible(), window.error_lookup_bar.isVisible(), document.row_filter.line)
        )
    assert shown == [(False, True, "needle"), (False, False, "needle"), (False, False, "needle")]
    assert window.findings.view.hasFocus()


def test_what_is_not_there_is_said(qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    real_window.open(str(write(tmp_path)))
    settle(real_window.document)
    before = real_window.document.node
    look_for(qtbot, real_window, "haystack", "Not found in this log")
    assert real_window.document.node == before


def test_what_is_found_survives_reading_the_log_again(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = write(tmp_path)
    real_window.open(str(path))
    settle(real_window.document)
    look_for(qtbot, real_window, "the end", "1 of 1 record")
    with path.open("ab") as file:
        file.write(path.read_bytes().splitlines(keepends=True)[-1].replace(b"-", b"e", 1))
    qtbot.keyClick(real_window, Qt.Key.Key_F5)
    settle(real_window.document)
    count = real_window.outline.find_strip.answer_label
    qtbot.waitUntil(lambda: "2 records" in count.text(), timeout=PATIENCE_MS)


def test_a_log_that_is_being_read_is_searched_later_and_says_so(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "slow.jsonl")))
    look_for(qtbot, window, "anything", "The search starts as soon as the whole log has been read")
    window.outline.filter_strip.field.setText("is:error")
    said = window.outline.filter_strip.said
    text = "The filter will be applied as soon as the whole log has been read."
    qtbot.waitUntil(lambda: said.text() == text, timeout=PATIENCE_MS)


def test_a_bookmark_stands_on_the_ruler(qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    real_window.open(str(write(tmp_path)))
    settle(real_window.document)
    qtbot.keyClick(real_window, Qt.Key.Key_B, CTRL)
    assert "1 bookmark" in real_window.outline.ruler.accessibleDescription()


def test_a_line_without_a_text_is_gone_in_the_next_log(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    strip, shown = window.outline.find_strip, []
    for name in ("first", "second", "third"):
        window.open(str(write_small(tmp_path / f"{name}.jsonl")))
        settle(window.document)
        shown.append(strip.isVisible())
        qtbot.keyClick(window, Qt.Key.Key_F, CTRL)
        if name == "second":
            strip.field.setText("hello")
    assert shown == [False, False, True]
