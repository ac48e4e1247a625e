"""The details pane as a person reads it: by kind, folded, in pieces, copied; and nothing of a log acts in it."""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QTextBlock, QTextCharFormat, QTextCursor, QTextLayout
from pytestqt.qtbot import QtBot

from inspector.core.model.views import BlockKind
from inspector.core.presentation.detail_pieces import BlockDetails, DetailPiece, PieceKind
from inspector.gui.common.markdown import parse_markdown
from inspector.gui.details import entries
from inspector.gui.details.clipboard import EXACT_BYTES_MIME
from inspector.gui.details.entries import HeadingEntry, PartEntry
from inspector.gui.details.page import DetailsPage
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.requests import RECORD_DETAILS
from tests.gui.conftest import PATIENCE_MS
from tests.gui.there import there
from tests.support.notation import claude_code_records, parse

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
CHANGE = {"file_path": "/w/a.py", "old_string": "x = 1", "new_string": "x = 2"}
SAID = (
    "It **drifts**. See [docs](file:///etc/passwd), <b>x</b> ![p](file:///etc/shadow)\nhttps://a.example\n\n"
    '```py\ndef tick():\n    return "计"\n```'
)


def write_log(path: Path, results: dict[str, Any], said: str = SAID) -> Path:
    """A session with a call to Bash, an edit and a read, and what each answered."""
    head = claude_code_records(parse('u"fix it"'))[0]

    def record(number: int, role: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        message = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"msg_{number}", "type": "message", "model": "claude-x"}
        links = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number > 1 else head["uuid"]}
        return head | links | {"type": role, "timestamp": f"2026-03-14T09:0{number}:00.000Z", "message": message}

    calls = [
        ("Bash", {"command": "set -e\nls | wc", "timeout": 5}),
        ("Edit", CHANGE),
        ("Read", {"file_path": "/w/b.py"}),
    ]
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "I wonder about it.", "signature": "x"},
        {"type": "text", "text": said},
        *({"type": "tool_use", "id": name, "name": name, "input": given} for name, given in calls),
    ]
    answers = [
        record(number, "user", [{"type": "tool_result", "tool_use_id": name} | results.get(name, {"content": "ok"})])
        for number, (name, _) in enumerate(calls, 2)
    ]
    lines = [head, record(1, "assistant", blocks), *answers]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def read(real_window: MainWindow, settle: Settle, tmp_path: Path) -> Callable[..., DetailsPage]:
    """Open such a log, and look at its first answer."""

    def opened(results: dict[str, Any] | None = None, said: str = SAID) -> DetailsPage:
        real_window.open(str(write_log(tmp_path / "a.jsonl", results or {}, said)))
        settle(real_window.document)
        real_window.side.show_tab(real_window.side.details)
        real_window.document.select_node(there(real_window.document.log).outline.node_of_record[1])
        return real_window.side.details.page

    return opened


def paragraph(page: DetailsPage, text: str) -> QTextBlock:
    cursor = page.document().find(text)
    assert not cursor.isNull(), page.toPlainText()
    return cursor.block()


def is_coloured(block: QTextBlock) -> bool:
    return bool(block.layout().formats())


def look_of(page: DetailsPage, text: str) -> QTextCharFormat:
    """How a text looks, without colours that lie over it."""
    found = page.document().find(text)
    assert not found.isNull(), page.toPlainText()
    return found.charFormat()


def click(qtbot: QtBot, page: DetailsPage, text: str, within: str = "") -> None:
    """Click a word, the first behind another one."""
    cursor = page.document().find(text, page.document().find(within) if within else QTextCursor(page.document()))
    assert not cursor.isNull(), page.toPlainText()
    page.setTextCursor(QTextCursor(page.document()))
    middle = QTextCursor(page.document())
    middle.setPosition(cursor.selectionStart() + 1)
    page.setTextCursor(middle)
    page.ensureCursorVisible()
    qtbot.mouseClick(page.viewport(), LEFT, pos=page.cursorRect(middle).center() + QPoint(2, 0))


def test_a_command_stands_in_lines_and_its_json_is_a_click_away(qtbot: QtBot, read: Callable[..., DetailsPage]) -> None:
    page = read()
    assert paragraph(page, "set -e").next().text() == "ls | wc"
    assert look_of(page, "set -e").fontFamilies() != look_of(page, "Call · Bash").fontFamilies()
    assert there(QTextCursor(paragraph(page, "timeout")).currentTable()).rows() == 1
    assert '"timeout"' not in page.toPlainText()
    click(qtbot, page, "JSON", "Call · Bash")
    assert '"timeout": 5' in page.toPlainText()
    click(qtbot, page, "Short", "Call · Bash")
    assert '"timeout"' not in page.toPlainText()


def test_an_edit_is_a_diff_and_code_has_the_colours_of_its_language(
    qtbot: QtBot, read: Callable[..., DetailsPage]
) -> None:
    page = read({"Read": {"content": "     1→def f():\n     2→    return 2"}})
    grounds = {text: paragraph(page, text).blockFormat().background().color() for text in ("+x = 2", "-x = 1")}
    assert grounds["+x = 2"] != grounds["-x = 1"]
    for text, column in (("def tick", 0), ("def f", 7)):
        block = paragraph(page, text)
        qtbot.waitUntil(partial(is_coloured, block), timeout=PATIENCE_MS)
        starts = [each.start for each in block.layout().formats()]
        assert starts[0] == column, text
    assert paragraph(page, "计").layout().formats()


def test_output_has_the_colours_of_a_terminal_and_shows_what_steers(read: Callable[..., DetailsPage]) -> None:
    page = read({"Bash": {"content": "\x1b[1;31mFAILED\x1b[0m a\x1b[2K\x08 \u202egpj", "is_error": True}})
    assert look_of(page, "FAILED").foreground().color() != look_of(page, "⟦ESC⟧").foreground().color()
    assert "FAILED a⟦ESC⟧[2K⟦BS⟧ ⟦U+202E⟧gpj" in page.toPlainText()
    assert "✗ Result · marked as failed" in page.toPlainText()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_markdown_is_laid_out_and_inert(read: Callable[..., DetailsPage], tmp_path: Path) -> None:
    """Reading a pipe that nobody writes to would never come back."""
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    page = read(said=f"{SAID}\n\n![p](file://{pipe}) <img src='file://{pipe}'>")
    assert look_of(page, "drifts").fontWeight() > look_of(page, "See").fontWeight()
    text = page.toPlainText()
    assert "See docs (file:///etc/passwd), <b>x</b> [picture: file:///etc/shadow]" in text
    assert "https://a.example" in text
    assert all(run.format.anchorHref() == "" or run.format.anchorHref().isdigit() for run in runs_of(page))
    assert not any(run.format.isImageFormat() for run in runs_of(page))
    assert not look_of(page, "docs").isAnchor()


def runs_of(page: DetailsPage) -> Iterator[QTextLayout.FormatRange]:
    block = page.document().begin()
    while block.isValid():
        yield from block.textFormats()
        block = block.next()


@pytest.mark.parametrize(
    "text", ["[" * 9000, ">" * 9000, "- " * 3000, "`" * 9000, "&amp;" * 2000, "**a" * 3000, "\0\ud800"]
)
def test_odd_markdown_is_let_pass(qtbot: QtBot, text: str) -> None:
    assert parse_markdown(text).toPlainText()


def test_thinking_is_folded_until_somebody_looks(qtbot: QtBot, read: Callable[..., DetailsPage]) -> None:
    page = read(said="ok")
    assert "▸ Thinking" in page.toPlainText()
    page.setFocus()
    qtbot.keyClick(page, Qt.Key.Key_Tab)
    assert page.textCursor().selectedText() == "▸ Thinking"
    qtbot.keyClick(page, Qt.Key.Key_Return)
    assert "▾ Thinking" in page.toPlainText()
    assert paragraph(page, "▾ Thinking").next().text() == "I wonder about it."


def test_tab_goes_through_the_links_and_leaves(qtbot: QtBot, read: Callable[..., DetailsPage]) -> None:
    page = read(said="ok")
    page.setFocus()
    visited: list[str] = []
    while page.hasFocus() and len(visited) < 40:
        qtbot.keyClick(page, Qt.Key.Key_Tab)
        visited.append(page.textCursor().selectedText())
    assert "JSON" in visited
    assert not page.hasFocus()


def test_a_call_shows_its_result_and_what_came_between(
    qtbot: QtBot, read: Callable[..., DetailsPage], real_window: MainWindow
) -> None:
    page = read({"Edit": {"content": "The file was updated."}})
    text = page.toPlainText()
    assert text.index("Call · Edit") < text.index("The file was updated.") < text.index("Call · Read")
    assert "line 4 · after 2 min" in text
    assert "1 row in between:" in text
    click(qtbot, page, "line 3: result ok", "Call · Edit")
    assert there(real_window.document.log).record_of(real_window.document.node) == 2
    click(qtbot, page, "Answers Bash set -e ls | wc")
    assert there(real_window.document.log).record_of(real_window.document.node) == 1


def test_a_picture_is_shown(qtbot: QtBot, read: Callable[..., DetailsPage]) -> None:
    buffer, image = QBuffer(), QImage(900, 20, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.blue)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    assert image.save(buffer, "PNG")  # type: ignore[call-overload]
    whole = buffer.data().toBase64().toStdString()
    source = {"type": "base64", "media_type": "image/png"}
    parts = [{"type": "image", "source": source | {"data": data}} for data in (whole, whole[:60])]
    page = read({"Read": {"content": parts}})
    qtbot.waitUntil(lambda: any(run.format.isImageFormat() for run in runs_of(page)), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "This image cannot be shown" in page.toPlainText(), timeout=PATIENCE_MS)


def test_a_long_text_is_shown_in_pieces(qtbot: QtBot, read: Callable[..., DetailsPage]) -> None:
    lines = "".join(f"line {number} of many\n" for number in range(60_000)) + "the end"
    page = read({"Bash": {"content": lines}})
    qtbot.waitUntil(lambda: "line 300 of many" in page.toPlainText(), timeout=PATIENCE_MS)
    assert page.document().characterCount() < 40_000
    click(qtbot, page, "Show more")
    qtbot.waitUntil(lambda: "line 3000 of many" in page.toPlainText(), timeout=PATIENCE_MS)
    assert "line 50000 of many" not in page.toPlainText()
    click(qtbot, page, "Show all")
    qtbot.waitUntil(lambda: "the end" in page.toPlainText(), timeout=PATIENCE_MS)
    text = page.toPlainText()
    assert text.count("line 3000 of many") == 1
    assert "Show more" not in text
    assert text.index("the end") < text.index("Call · Edit")


def test_a_record_that_is_too_large_for_the_window_comes_from_the_child(
    qtbot: QtBot, read: Callable[..., DetailsPage], real_window: MainWindow
) -> None:
    page = read({name: {"content": "begin " + "x" * 3_000_000} for name in ("Bash", "Edit")})
    assert page.toPlainText().count("This large record (3.0 MB)") == 2
    assert '"content": "begin xxx' in page.toPlainText()
    qtbot.waitUntil(lambda: page.toPlainText().count("\nbegin xxx") == 2, timeout=PATIENCE_MS)
    assert "It is being read" not in page.toPlainText()


def test_the_child_s_answer_does_not_move_another_row(
    qtbot: QtBot, read: Callable[..., DetailsPage], real_window: MainWindow
) -> None:
    page = read({"Bash": {"content": "begin " + "x" * 3_000_000}}, said="words\n\n" * 200)
    document = real_window.document
    document.select_node(there(document.log).outline.node_of_record[4])
    begun = page.toPlainText()
    changed: list[str] = []
    with qtbot.waitSignal(document.process.answer_signal(RECORD_DETAILS), timeout=PATIENCE_MS):
        page.document().contentsChanged.connect(partial(changed.append, "drawn anew"))
    assert (changed, page.toPlainText()) == ([], begun)


def test_what_is_not_shown_of_a_row_is_said(
    qtbot: QtBot, read: Callable[..., DetailsPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "MAX_BLOCKS", 2)
    page = read()
    assert "Call · Bash" not in page.toPlainText()
    assert page.toPlainText().endswith("The other parts are shown as separate rows in the tree.")
    rows = tuple((f"name {number}", "x") for number in range(1500))
    table = BlockDetails(BlockKind.CALL, (DetailPiece(PieceKind.TABLE, rows=rows),), "")
    page.show_entries([PartEntry(table, 0, HeadingEntry("Call"))])
    qtbot.waitUntil(lambda: "and 1,400 more" in page.toPlainText(), timeout=PATIENCE_MS)
    assert "name 99\n" in page.toPlainText()
    assert "name 100" not in page.toPlainText()


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (Qt.Key.Key_C, '{\n  "file_path": "/w/a.py"'),
        (Qt.Key.Key_J, '{\n  "type": "tool_use"'),
        (Qt.Key.Key_B, '{"type": "tool_use", "id": "Edit"'),
    ],
)
def test_a_part_is_copied_by_keys(qtbot: QtBot, read: Callable[..., DetailsPage], key: Qt.Key, expected: str) -> None:
    page = read()
    page.setFocus()
    page.setTextCursor(page.document().find("+x = 2"))
    qtbot.keyClick(page, key, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    assert QGuiApplication.clipboard().text().startswith(expected)


def test_a_part_is_copied_by_the_menu_and_bytes_are_exact(
    read: Callable[..., DetailsPage], real_window: MainWindow
) -> None:
    page = read({"Bash": {"content": "\x1b[31mred 中"}})
    at = page.cursorRect(page.document().find("red 中")).center()
    menu = real_window.side.details.menu_at(at)
    text, as_json, exact = [action for action in menu.actions() if action.text().startswith("Copy")]
    text.trigger()
    assert QGuiApplication.clipboard().text() == "⟦ESC⟧[31mred 中"
    exact.trigger()
    data = QGuiApplication.clipboard().mimeData().data(EXACT_BYTES_MIME).data()
    log = Path(real_window.document.path).read_bytes()
    assert bytes(data) in log
    assert bytes(data).startswith(b'{"type": "tool_result", "tool_use_id": "Bash"')
    as_json.trigger()
    assert '\n  "tool_use_id": "Bash",' in QGuiApplication.clipboard().text()


def test_a_row_of_the_tree_is_copied_whole(
    qtbot: QtBot, read: Callable[..., DetailsPage], real_window: MainWindow
) -> None:
    read()
    real_window.outline.setFocus()
    qtbot.keyClick(
        real_window.outline.view, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    line = Path(real_window.document.path).read_text().splitlines()[1]
    assert QGuiApplication.clipboard().text() == line
