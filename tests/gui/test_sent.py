"""What will be sent: asked by menu or keyboard, of the log as it is and as planned; followed, copied, saved."""

import json
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QMenu
from pytestqt.qtbot import QtBot

from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import RequestPreview, RequestPreviewBlock
from inspector.gui.common import theme, ui_text
from inspector.gui.common.actions import Action
from inspector.gui.models.base import ItemRole
from inspector.gui.models.resume_request_model import ResumeRequestColumn, ResumeRequestModel
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.packed_answers import PackedResumeRequest, pack_resume_request
from inspector.gui.worker.protocol import decode_value, encode_value
from tests.core.resume_request.test_claude_code import NEW, log
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_engine import FakeEngine
from tests.gui.fake_logs import write_big, write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support import product

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
OTHERS = [
    ["5", "user", "answered by the agent", "result Bash", "It broke off.", ""],
    ["5", "user", "answered by the agent", "result Read", "It broke off.", ""],
    ["", "user", "dropped", "result", "the output of a call that nobody made", "7"],
]


def rows(model: ResumeRequestModel) -> list[list[str]]:
    return [[model.index(row, column).data() for column in ResumeRequestColumn] for row in range(model.rowCount())]


def others(model: ResumeRequestModel) -> list[list[str]]:
    return [row for row in rows(model) if row[ResumeRequestColumn.MARK] != "kept"]


def said(window: MainWindow) -> list[str]:
    return window.sent.said.text().split("\n")


def wait(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.sent.model.rowCount() > 0, timeout=PATIENCE_MS)


def show(qtbot: QtBot, window: MainWindow) -> None:
    window.window_actions[Action.WHAT_IS_SENT].trigger()
    wait(qtbot, window)


def click(qtbot: QtBot, button: QAbstractButton) -> None:
    """Where its text begins: a switch is wider than what can be clicked of it."""
    qtbot.mouseClick(button, LEFT, pos=QPoint(10, button.height() // 2))


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    return window


# asking


def test_the_keyboard_shows_what_goes_out_what_is_answered_and_what_is_dropped(
    qtbot: QtBot, opened: MainWindow
) -> None:
    qtbot.keyClick(opened, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    wait(qtbot, opened)
    pane = opened.sent
    assert rows(pane.model)[2:4] == [
        ["1", "assistant", "kept", "text", "Let me look at it.", "2"],
        ["1", "assistant", "kept", "call Bash", '{ "command": "pytest -x tests/test_parser.py" }', "2"],
    ]
    assert rows(pane.model)[-6:-1] == [
        ["5", "assistant", "kept", "call Bash", '{"command": "make test"}', "6"],
        OTHERS[0],
        ["5", "assistant", "kept", "call Read", '{"file": "日志.txt"}', "6"],
        *OTHERS[1:],
    ]
    assert said(opened) == [
        "Fake mends it, and loses a result.",
        "7 messages for Anthropic (1.2 KB). Blocks: 11 kept, 2 answered by the agent, 1 dropped.",
    ]
    assert pane.view.currentIndex().siblingAtColumn(ResumeRequestColumn.MARK).data() == "answered by the agent"
    qtbot.keyClick(pane.view, Qt.Key.Key_Escape)
    assert not pane.isVisible()


def test_the_action_is_in_the_menu(opened: MainWindow) -> None:
    go = next(action.menu() for action in opened.menuBar().actions() if action.text() == "&Go")
    assert isinstance(go, QMenu)
    assert opened.window_actions[Action.WHAT_IS_SENT] in go.actions()
    keys = [key for action in Action for key in opened.window_actions[action].shortcuts()]
    assert len(keys) == len(set(map(str, keys)))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("unmodelled.jsonl", "Cannot determine what the agent sends on resume for a log in this format (Fake log)."),
        ("unjudged.jsonl", "The log was not checked."),
    ],
)
def test_what_is_not_known_is_not_asked(
    window: MainWindow, settle: Settle, tmp_path: Path, name: str, why: str
) -> None:
    assert "Open a log first." in window.window_actions[Action.WHAT_IS_SENT].toolTip()
    window.open(str(write_small(tmp_path / name)))
    settle(window.document)
    action = window.window_actions[Action.WHAT_IS_SENT]
    assert (action.isEnabled(), action.toolTip().split("\n")[-1]) == (False, why)


def test_a_failure_is_said(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_small(tmp_path / "unaskable.jsonl")))
    settle(window.document)
    window.window_actions[Action.WHAT_IS_SENT].trigger()
    qtbot.waitUntil(lambda: said(window) == ["Nobody can be asked."], timeout=PATIENCE_MS)
    assert window.document.notice is None
    assert not window.sent.copy.isEnabled()


def test_another_session_and_another_log_are_asked_anew(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "two.jsonl", 2)))
    settle(window.document)
    window.document.select_node(there(window.document.log).node_of_session(1))
    show(qtbot, window)
    assert window.sent.sessions.isVisible()
    assert others(window.sent.model) == []
    assert not window.sent.only.isEnabled()
    window.sent.sessions.setCurrentIndex(0)
    qtbot.waitUntil(lambda: len(others(window.sent.model)) == 3, timeout=PATIENCE_MS)
    window.open(str(write_healthy(tmp_path / "healthy.jsonl")))
    settle(window.document)
    qtbot.waitUntil(lambda: window.sent.model.rowCount() == 3, timeout=PATIENCE_MS)
    assert not window.sent.sessions.isVisible()


def test_the_session_stays_while_the_repair_is_planned_anew(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "two.jsonl", 2)))
    settle(window.document)
    show(qtbot, window)
    window.sent.sessions.setCurrentIndex(1)
    click(qtbot, window.sent.as_planned)
    window.document.repair.choose_preset("clean")
    qtbot.waitUntil(lambda: said(window)[0] == "Fake loads the session unchanged.", timeout=PATIENCE_MS)
    assert window.sent.sessions.currentIndex() == 1
    assert others(window.sent.model) == []


# as planned


def test_the_switch_shows_what_is_sent_of_the_planned_repair(qtbot: QtBot, opened: MainWindow, settle: Settle) -> None:
    show(qtbot, opened)
    pane = opened.sent
    click(qtbot, pane.as_planned)
    qtbot.waitUntil(lambda: said(opened)[0] == "Fake loads the session unchanged.", timeout=PATIENCE_MS)
    assert [row[ResumeRequestColumn.MARK] for row in others(pane.model)] == ["added by the repair"] * 2
    opened.document.repair.choose_preset("clean")
    assert said(opened) == ["Building the request…"]
    qtbot.waitUntil(lambda: said(opened)[0] == "Fake loads the session unchanged.", timeout=PATIENCE_MS)
    click(qtbot, pane.as_it_is)
    qtbot.waitUntil(lambda: others(pane.model) == OTHERS, timeout=PATIENCE_MS)


def test_a_repair_that_does_not_verify_cannot_be_asked_about(qtbot: QtBot, opened: MainWindow, settle: Settle) -> None:
    show(qtbot, opened)
    pane = opened.sent
    click(qtbot, pane.as_planned)
    opened.document.repair.choose_for_rule("D2", "leave")
    settle(opened.document)
    qtbot.waitUntil(lambda: others(pane.model) == OTHERS, timeout=PATIENCE_MS)
    assert (pane.as_it_is.isChecked(), pane.as_planned.isEnabled()) == (True, False)
    assert pane.as_planned.toolTip() == "What you left as it is would still be refused."


# going there


def test_enter_and_a_double_click_lead_to_the_record(qtbot: QtBot, opened: MainWindow) -> None:
    show(qtbot, opened)
    pane, document = opened.sent, opened.document
    dropped = next(row for row in range(pane.model.rowCount()) if rows(pane.model)[row] == OTHERS[2])
    pane.view.setCurrentIndex(pane.model.index(dropped, 0))
    qtbot.keyClick(pane.view, Qt.Key.Key_Return)
    assert there(document.log).findings[document.finding].call_id == "ghost"
    text = pane.view.visualRect(pane.model.index(2, ResumeRequestColumn.TEXT)).center()
    qtbot.mouseClick(pane.view.viewport(), LEFT, pos=text)
    qtbot.mouseDClick(pane.view.viewport(), LEFT, pos=text)
    assert opened.outline.view.currentIndex().data() == "Let me look at it."


def test_an_answer_that_the_log_does_not_hold_leads_to_its_call(qtbot: QtBot, opened: MainWindow) -> None:
    show(qtbot, opened)
    opened.document.select_node(1)
    qtbot.mouseClick(opened.sent.go, LEFT)
    assert there(opened.document.log).findings[opened.document.finding].call_id == "lost1"


def test_only_what_differs_is_shown_on_demand(qtbot: QtBot, opened: MainWindow) -> None:
    show(qtbot, opened)
    click(qtbot, opened.sent.only)
    assert rows(opened.sent.model) == OTHERS
    click(qtbot, opened.sent.only)
    assert len(rows(opened.sent.model)) == 14


# copying and saving


def test_the_json_is_copied(qtbot: QtBot, opened: MainWindow) -> None:
    show(qtbot, opened)
    click(qtbot, opened.sent.as_planned)
    qtbot.waitUntil(lambda: said(opened)[0] == "Fake loads the session unchanged.", timeout=PATIENCE_MS)
    qtbot.mouseClick(opened.sent.copy, LEFT)
    qtbot.waitUntil(lambda: said(opened)[-1] == "Copied as JSON.", timeout=PATIENCE_MS)
    assert json.loads(QGuiApplication.clipboard().text()) == {"session": "0", "repaired": True, "text": "结果"}


def test_what_is_too_much_for_the_clipboard_is_saved(
    qtbot: QtBot, window: MainWindow, settle: Settle, questions: FakeQuestions, tmp_path: Path
) -> None:
    path = write_small(tmp_path / "huge.jsonl")
    window.open(str(path))
    settle(window.document)
    show(qtbot, window)
    assert not window.sent.copy.isEnabled()
    assert "too large for the clipboard" in window.sent.copy.toolTip()
    questions.copy = str(path)
    qtbot.mouseClick(window.sent.save, LEFT)
    qtbot.waitUntil(lambda: said(window)[-1] == "That is the log itself.", timeout=PATIENCE_MS)
    questions.copy = str(tmp_path / "sent.json")
    qtbot.mouseClick(window.sent.save, LEFT)
    qtbot.waitUntil(lambda: said(window)[-1] == f"Saved as JSON: {questions.copy}", timeout=PATIENCE_MS)
    assert json.loads(Path(questions.copy).read_bytes())["repaired"] is False
    assert questions.asked == [f"copy {tmp_path / 'huge.sent.json'}"] * 2


# the list itself


def book_of(preview: RequestPreview) -> PackedResumeRequest:
    """As it comes out of the pipe."""
    book: PackedResumeRequest = decode_value(encode_value(pack_resume_request(preview)), PackedResumeRequest)
    return book


def test_long_lists_have_pages_and_pass_the_tester(qtmodeltester, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    engine, model = FakeEngine(), ResumeRequestModel()
    qtmodeltester.check(model)
    engine.open(str(write_big(tmp_path / "big.jsonl", 700)))
    book = book_of(engine.resume_request(None))
    for only in (False, True):
        model.show(book, engine.held.starts, only)
        qtmodeltester.check(model)
        assert model.index(1, ResumeRequestColumn.TEXT).data() == f"501 – {700 if only else 1000:,}"
        assert model.first_changed_row().siblingAtColumn(ResumeRequestColumn.MARK).data() == "answered by the agent"
    model.show(None, engine.held.starts)
    qtmodeltester.check(model)


def test_a_row_is_read_out_whole_and_what_is_dropped_looks_so() -> None:
    place = RecordLocation(6)
    blocks = (
        RequestPreviewBlock(
            mark="kept", message=3, role="user", kind="result", name="Bash", text="done\nwell", place=place
        ),
        RequestPreviewBlock(mark="dropped", message=None, role="user", kind="result", text="lost", place=place),
        RequestPreviewBlock(mark="", message=4, role="assistant", kind="other"),
    )
    model = ResumeRequestModel()
    preview = RequestPreview(wire="anthropic", outcome="mends", sentence="", messages=2, bytes=9, blocks=blocks)
    model.show(book_of(preview), array("q"))
    spoken = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(3)]
    assert spoken == [
        "kept: message 3, user, result Bash, done well, line 7",
        "dropped: user, result, lost, line 7",
        "empty: message 4, assistant, other",
    ]
    assert [model.index(row, ResumeRequestColumn.TEXT).data(ItemRole.MARK) for row in range(3)] == [
        None,
        "dropped",
        None,
    ]


def test_every_mark_has_its_word_icon_and_colour() -> None:
    assert set(ui_text.SENT_MARK_WORDS) == set(ui_text.SENT_MARK_ICONS)
    assert set(ui_text.SENT_MARK_ICONS.values()) == set(theme.SENT_MARK_COLOURS)


# the real core


def test_a_real_log_says_the_same_as_the_command(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = log(tmp_path, "u | a{A,B} | r(A=alpha)", NEW)
    real_window.open(str(path))
    settle(real_window.document)
    show(qtbot, real_window)
    assert [row[2:4] for row in others(real_window.sent.model)] == [["answered by the agent", "result Read"]]
    qtbot.mouseClick(real_window.sent.copy, LEFT)
    qtbot.waitUntil(lambda: len(said(real_window)) == 3, timeout=PATIENCE_MS)
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied == product.sent(path).report
