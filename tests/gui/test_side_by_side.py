"""Both sides of a change, as a person looks at them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QTextCharFormat, QTextTable
from PySide6.QtWidgets import QTextEdit
from pytestqt.qtbot import QtBot

from inspector.core.presentation.detail_pieces import AnsiStyle, PieceKind
from inspector.core.presentation.diff_result import DiffRun, DiffSide
from inspector.core.presentation.engine_results import PreviewRow
from inspector.gui.details.piece_writer import TextFormats
from inspector.gui.panels.diff_view import DiffView, SideBySideText
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.core.presentation.test_details import PIXEL
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_small
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def opened(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    """The orphan result of line 7 is selected."""
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    window.side.show_tab(window.side.repair)
    window.document.step_finding(False)
    return window


def compare(window: MainWindow) -> DiffView:
    return window.side.repair.panel.changes.compare


def table(view: DiffView) -> list[list[str]]:
    """The cells of what is shown, row by row; a sign with what it stands before."""
    frame = there(view.text.document().rootFrame().childFrames()[0])
    assert isinstance(frame, QTextTable)
    rows = []
    for row in range(frame.rows()):
        cells = [frame.cellAt(row, column) for column in range(frame.columns())]
        texts = []
        for cell in cells:
            cursor = cell.firstCursorPosition()
            cursor.setPosition(cell.lastPosition(), cursor.MoveMode.KeepAnchor)
            texts.append(cursor.selectedText().replace("\u2029", "\n"))
        if cells[0].columnSpan() == len(cells):
            rows.append(texts[:1])
        elif cells[0].columnSpan() == 2:
            rows.append(texts[::2])
        else:
            rows.append([" ".join(filter(None, side)) for side in batched(texts)])
    return rows


def batched(texts: list[str]) -> list[tuple[str, str]]:
    return list(zip(texts[::2], texts[1::2], strict=True))


def wait_for(qtbot: QtBot, window: MainWindow, text: str) -> None:
    qtbot.waitUntil(lambda: text in compare(window).text.toPlainText(), timeout=PATIENCE_MS)


def current_line(view: DiffView) -> str:
    """The text at the upper edge of what is seen."""
    return view.text.cursorForPosition(QPoint(40, 14)).block().text()


def test_the_selected_change_is_at_the_top_with_what_stands_around_it(opened: MainWindow, qtbot: QtBot) -> None:
    opened.resize(1200, 560)  # too low for all changes
    wait_for(qtbot, opened, "changed · line 7")
    rows = [row[0] for row in table(compare(opened))]
    assert [row for row in rows if " · user" in row and "−" not in row] == [
        "added · user", "added · user", "▸ changed · line 7 · user", "kept · line 8 · user",
    ]  # fmt: skip
    at = rows.index("▸ changed · line 7 · user")
    assert rows[at + 1 : at + 5] == [
        "− result · ghost",
        "+ text",
        "− the output of a call that nobody made",
        "+ [note] the output of a call that nobody made",
    ]
    qtbot.keyClick(opened, Qt.Key.Key_F8)
    wait_for(qtbot, opened, "▸ added · user – The call has no result.")
    assert current_line(compare(opened)).startswith("▸ added")


def test_two_columns_where_there_is_room(opened: MainWindow, qtbot: QtBot) -> None:
    wait_for(qtbot, opened, "changed · line 7")
    assert all(len(row) == 1 for row in table(compare(opened)))
    opened.resize(1900, 800)
    opened._workspace._across.setSizes([0, 600, 1200])
    assert [heading.text() for heading in compare(opened).headings if heading.isVisible()] == ["Original", "Repaired"]
    qtbot.waitUntil(lambda: max(map(len, table(compare(opened)))) == 2, timeout=PATIENCE_MS)
    said = "the output of a call that nobody made"
    assert [f"− {said}", f"+ [note] {said}"] in table(compare(opened))


def test_an_added_result_shows_its_text_and_folds_its_envelope_until_it_is_wanted_as_json(
    opened: MainWindow, qtbot: QtBot
) -> None:
    opened.document.select_finding(0)
    wait_for(qtbot, opened, "▸ added · user")
    rows = [row[0] for row in table(compare(opened))]
    at = rows.index("▸ added · user – The call has no result.")
    assert rows[at + 1 : at + 4] == ["+ result · lost1", "+ No result was recorded.", "⋯ 1 more field in the record"]
    qtbot.mouseClick(compare(opened).as_json, LEFT)
    wait_for(qtbot, opened, '"kind": "result"')
    qtbot.mouseClick(compare(opened).as_json, LEFT)
    qtbot.waitUntil(lambda: '"kind"' not in compare(opened).text.toPlainText(), timeout=PATIENCE_MS)


def test_what_is_the_same_is_folded_until_it_is_wanted(opened: MainWindow, qtbot: QtBot) -> None:
    wait_for(qtbot, opened, "changed · line 7")
    assert "role: " not in compare(opened).text.toPlainText()
    qtbot.mouseClick(compare(opened).unfolded, LEFT)
    wait_for(qtbot, opened, 'role: "user"')


def test_what_was_rejected_stays_as_it_is(opened: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    qtbot.keyClick(opened, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    settle(opened.document)
    wait_for(qtbot, opened, "▸ rejected · line 7 · user")
    assert "[note]" not in compare(opened).text.toPlainText()


def test_a_log_is_shown_letter_by_letter_and_a_large_record_in_part(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    path = write_small(tmp_path / "a.jsonl")
    bad = "<b>bold</b> \\u202e<img src=x>" + "words and words " * 100_000
    path.write_text(path.read_text("utf-8").replace("the output of a call that nobody made", bad), "utf-8")
    window.open(str(path))
    settle(window.document)
    window.side.show_tab(window.side.repair)
    window.document.step_finding(False)
    wait_for(qtbot, window, "[note] <b>bold</b> ⟦U+202E⟧<img src=x>")
    assert len(compare(window).text.toPlainText()) < 60_000


def test_both_sides_are_drawn_as_the_details_are(qtbot: QtBot) -> None:
    change = PreviewRow(mark="removed", record=0, line=1, role="user", summary="")
    told = [
        (PieceKind.TERMINAL, "", "\x1b[31m1 failed"),
        (PieceKind.DIFF, "", "+new"),
        (PieceKind.TABLE, "", "timeout\t9"),
        (PieceKind.MARKDOWN, "", "**bold**"),
        (PieceKind.CODE, "a.py", "x = 1"),
    ]
    runs = tuple(DiffRun("changed", "", DiffSide(((text, False),), kind, title)) for kind, title, text in told)
    side = DiffSide((("a picture", False),), PieceKind.IMAGE, picture=PIXEL)
    picture = DiffRun("same", "", side, side)
    text = SideBySideText("")
    qtbot.addWidget(text)
    asked = []
    text.painting.wanted.connect(lambda serial, texts: asked.extend(texts))
    text.show_rows([(change, (*runs, picture))], 0)
    assert (
        look_of(text, "1 failed").foreground().color()
        == TextFormats(text.palette()).terminal(AnsiStyle(ink=1)).foreground().color()
    )
    assert text.document().find("+new").block().blockFormat().background().color().alpha() < 255
    assert text.document().find("timeout").currentTable().columns() == 2
    assert look_of(text, "bold").fontWeight() > QFont.Weight.Normal
    assert [(each.text, each.language) for each in asked] == [("x = 1", "a.py")]
    qtbot.waitUntil(lambda: "\ufffc" in text.document().toRawText(), timeout=PATIENCE_MS)


def test_changed_words_are_marked_where_they_stand(qtbot: QtBot) -> None:
    change = PreviewRow(mark="changed", record=0, line=1, role="user", summary="")
    sides = (
        DiffSide((("a 𝄞 \x07 ", False), ("old", True), (" end", False))),
        DiffSide((("a 𝄞 \x07 ", False), ("new", True))),
    )
    text = SideBySideText("")
    qtbot.addWidget(text)
    text.show_rows([(change, (DiffRun("changed", "", *sides),))], 0)
    assert [word for word in ("a 𝄞", "old", " end", "new") if look_of(text, word).fontUnderline()] == ["old", "new"]


def look_of(text: QTextEdit, words: str) -> QTextCharFormat:
    cursor = text.document().find(words)
    assert cursor.selectedText() == words
    return cursor.charFormat()
