"""A pasted error: it leads to its record, in the open log or in a session of this machine, and never blocks."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QClipboard, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import LookupPlace
from inspector.gui.common.actions import Action
from inspector.gui.models.base import TableModel
from inspector.gui.models.list_columns import LOOKUP_PLACES_TABLE
from inspector.gui.state.document import Document
from inspector.gui.state.error_lookup import MAX_CHARS, LookupPhase
from inspector.gui.state.load_status import Phase
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_big, write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
ERROR = "API Error: 400 `tool_use` ids were found without `tool_result` blocks: lost2"


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the fake agent keeps its sessions: the newest is healthy."""
    folder = tmp_path / "stores"
    folder.mkdir()
    monkeypatch.setenv("FAKE_STORES", str(folder))
    write_healthy(folder / "sound.jsonl")
    os.utime(write_small(folder / "broken.jsonl"), (1_790_000_000,) * 2)
    return folder


@pytest.fixture
def opened(window: MainWindow, settle: Settle, stores: Path, tmp_path: Path) -> MainWindow:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    return window


def paste(qtbot: QtBot, widget: QWidget, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(widget, Qt.Key.Key_V, CONTROL)


def wait(qtbot: QtBot, window: MainWindow, looking: LookupPhase = LookupPhase.DONE) -> None:
    qtbot.waitUntil(lambda: window.error_lookup.phase == looking, timeout=PATIENCE_MS)


def current_id(window: MainWindow) -> str | None:
    document = window.document
    return there(document.log).findings[document.finding].call_id


def rows(window: MainWindow) -> list[list[str]]:
    model = window.error_lookup_bar.model
    return [[model.index(row, column).data() for column in range(4)] for row in range(model.rowCount())]


def test_ctrl_v_in_the_tree_goes_to_the_finding(qtbot: QtBot, opened: MainWindow) -> None:
    paste(qtbot, opened.outline.view, ERROR)
    wait(qtbot, opened)
    assert current_id(opened) == "lost2"
    assert opened.outline.view.currentIndex().internalId() == opened.document.node
    assert opened.error_lookup_bar.sentence.text() == "Line 6, found by id: Read was called and no result was recorded."
    assert opened.error_lookup_bar.more.text() == "A call has no result."
    assert not opened.error_lookup_bar.view.isVisible()
    assert not opened.error_lookup_bar.search.isVisible()


@pytest.mark.parametrize("pane", ["details", "raw"])
def test_a_text_that_cannot_be_edited_is_no_text_field(qtbot: QtBot, opened: MainWindow, pane: str) -> None:
    tab = getattr(opened.side, pane)
    opened.side.show_tab(tab)
    paste(qtbot, opened.focusWidget(), ERROR)
    wait(qtbot, opened)
    assert current_id(opened) == "lost2"


def test_a_text_field_keeps_its_ctrl_v(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    window.window_actions[Action.SHOW_STORES].trigger()
    qtbot.waitUntil(lambda: not window.log_list.busy, timeout=PATIENCE_MS)
    window.logs.filter.setFocus()
    paste(qtbot, window.logs.filter, "broken")
    assert window.logs.filter.text() == "broken"
    assert window.error_lookup.phase == LookupPhase.NOT


def test_a_clipboard_that_tells_nothing_is_an_empty_one(
    qtbot: QtBot, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QClipboard, "mimeData", lambda clipboard: None)
    qtbot.keyClick(opened.outline.view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert opened.error_lookup.phase == LookupPhase.FAILED


def test_several_places_are_a_list_to_click(qtbot: QtBot, opened: MainWindow) -> None:
    opened.error_lookup.ask("400 lost1 lost2 ghost", True)
    wait(qtbot, opened)
    assert opened.error_lookup_bar.sentence.text() == "3 places, found by id. The window shows line 6."
    assert [row[1:] for row in rows(opened)] == [
        ["line 6", "Bash was called and no result was recorded.", "found by id"],
        ["line 6", "Read was called and no result was recorded.", "found by id"],
        ["line 7", "ghost has a result, but nothing called it.", "found by id"],
    ]
    view = opened.error_lookup_bar.view
    assert view.isVisible()
    assert view.isColumnHidden(0)
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(opened.error_lookup_bar.model.index(2, 2)).center())
    assert current_id(opened) == "ghost"
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Up)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert current_id(opened) == "lost2"
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert not opened.error_lookup_bar.isVisible()


def test_what_the_log_does_not_explain_is_searched_on_the_machine(
    qtbot: QtBot, opened: MainWindow, settle: Settle, stores: Path, tmp_path: Path
) -> None:
    opened.open(str(write_healthy(tmp_path / "sound.jsonl")))
    settle(opened.document)
    opened.error_lookup.ask(ERROR, True)
    wait(qtbot, opened)
    assert opened.error_lookup_bar.sentence.text() == "Nothing in this log explains this error."
    qtbot.mouseClick(opened.error_lookup_bar.search, LEFT)
    wait(qtbot, opened)
    assert opened.error_lookup_bar.sentence.text() == "Found in 1 session on this machine."
    assert rows(opened)[0][:2] == ["broken.jsonl · stores", "line 6"]
    # A log is open: nothing is opened instead of it unless the person says so.
    assert opened.document.path == str(tmp_path / "sound.jsonl")
    view = opened.error_lookup_bar.view
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(opened.error_lookup_bar.model.index(0, 2)).center())
    settle(opened.document)
    assert opened.document.path == str(stores / "broken.jsonl")
    assert current_id(opened) == "lost2"
    assert opened.error_lookup_bar.isVisible()


def test_with_nothing_open_the_machine_is_searched_and_the_session_opened(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    paste(qtbot, window, ERROR)
    assert window.error_lookup_bar.stop.isVisible()
    assert not window.error_lookup_bar.view.isVisible()
    qtbot.waitUntil(lambda: window.document.phase == Phase.READY, timeout=PATIENCE_MS)
    settle(window.document)
    assert window.document.path == str(stores / "broken.jsonl")
    assert current_id(window) == "lost2"
    assert window.error_lookup_bar.more.text() == (
        "A call has no result.\nSearched 2 of 2 sessions on this machine (1 KB)."
    )


def test_the_session_with_the_cause_is_opened_and_not_its_repair(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    write_small(stores / "a-repaired.jsonl")
    paste(qtbot, window, ERROR)
    qtbot.waitUntil(lambda: window.document.phase == Phase.READY, timeout=PATIENCE_MS)
    settle(window.document)
    assert window.document.path == str(stores / "broken.jsonl")
    assert window.error_lookup_bar.sentence.text() == "Found in 2 sessions on this machine."


def test_what_only_fits_is_listed_and_not_opened(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    window.error_lookup.ask("vague", False)
    wait(qtbot, window)
    sentence = "The findings in 1 session match this error, but the error may belong to another session."
    assert window.error_lookup_bar.sentence.text() == sentence
    assert len(rows(window)) == 3
    assert window.document.phase == Phase.EMPTY


def test_a_repair_that_was_chosen_is_not_given_up_for_another_log(
    qtbot: QtBot, opened: MainWindow, stores: Path
) -> None:
    opened.document.repair.choose_preset("clean")
    path = opened.document.path
    opened.window_actions[Action.SHOW_STORES].trigger()
    qtbot.waitUntil(lambda: not opened.log_list.busy, timeout=PATIENCE_MS)
    paste(qtbot, opened.logs.table, ERROR)
    wait(qtbot, opened)
    assert opened.document.path == path
    assert opened.error_lookup_bar.view.isVisible()


def test_from_the_list_back_to_the_log_that_is_open(
    qtbot: QtBot, window: MainWindow, settle: Settle, stores: Path
) -> None:
    window.open(str(stores / "broken.jsonl"))
    settle(window.document)
    window.window_actions[Action.SHOW_STORES].trigger()
    qtbot.waitUntil(lambda: not window.log_list.busy, timeout=PATIENCE_MS)
    paste(qtbot, window.logs.table, ERROR)
    log = window.document.log
    qtbot.waitUntil(lambda: window.outline.isVisible(), timeout=PATIENCE_MS)
    assert window.document.log is log
    assert current_id(window) == "lost2"


def test_an_error_pasted_while_the_log_is_read_waits_for_it(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    paste(qtbot, window, ERROR)
    assert window.error_lookup_bar.sentence.text() == "The search starts as soon as the whole log has been read."
    settle(window.document)
    wait(qtbot, window)
    assert current_id(window) == "lost2"


def test_a_log_that_was_not_read_to_its_end_is_not_looked_at(
    qtbot: QtBot, window: MainWindow, stores: Path, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "slow.jsonl")))
    window.error_lookup.ask(ERROR, True)
    window.document.cancel()
    assert window.error_lookup.phase == LookupPhase.FAILED
    assert window.error_lookup_bar.sentence.text() == "The log cannot be searched because it was not read completely."
    assert window.error_lookup_bar.search.isVisible()


def test_stop_ends_a_search_and_what_comes_late_is_not_heard(qtbot: QtBot, window: MainWindow, stores: Path) -> None:
    window.error_lookup.ask("slow lost2", False)
    qtbot.waitUntil(lambda: window.error_lookup.progress == (1, 2), timeout=PATIENCE_MS)
    assert window.error_lookup_bar.more.text() == "1 of 2 sessions"
    assert window.window_actions[Action.CANCEL].isEnabled()
    window.window_actions[Action.CANCEL].trigger()
    assert window.error_lookup_bar.sentence.text() == "The search was stopped before it finished."
    qtbot.mouseClick(window.error_lookup_bar.search, LEFT)
    assert window.error_lookup.searching
    qtbot.mouseClick(window.error_lookup_bar.close_button, LEFT)
    qtbot.wait(100)
    assert window.error_lookup.phase == LookupPhase.NOT
    assert not window.error_lookup_bar.isVisible()


def test_a_newer_text_replaces_an_older_one(qtbot: QtBot, opened: MainWindow) -> None:
    opened.error_lookup.ask("400 lost1", True)
    opened.error_lookup.ask("400 ghost", True)
    wait(qtbot, opened)
    assert rows(opened)[0][2] == "ghost has a result, but nothing called it."


def test_nothing_waits_for_the_search(qtbot: QtBot, opened: MainWindow) -> None:
    opened.error_lookup.ask("slow lost2", False)
    start = time.monotonic()
    opened.document.step_finding(True)
    opened.document.repair.choose_preset("clean")
    qtbot.waitUntil(lambda: not opened.document.repair.planning, timeout=PATIENCE_MS)
    assert time.monotonic() - start < PATIENCE_MS / 1000
    assert opened.error_lookup.searching


@pytest.mark.parametrize(
    ("text", "in_log", "sentence"),
    [
        ("whatever", True, "This error is unknown, and nothing in this log matches it."),
        ("whatever", False, "This error is unknown, and no session on this machine contains it."),
        ("400 whatever", False, "No sessions with this error were found on this machine."),
        ("messages", True, "No sessions in this log begin with this request."),
        ("messages", False, "No sessions on this machine begin with this request."),
        ("index 400 lost1", True, "Line 6, found by index: Bash was called and no result was recorded."),
    ],
)
def test_what_came_of_it_is_a_sentence(
    qtbot: QtBot, opened: MainWindow, text: str, in_log: bool, sentence: str
) -> None:
    opened.error_lookup.ask(text, in_log)
    wait(qtbot, opened)
    assert opened.error_lookup_bar.sentence.text() == sentence
    assert opened.error_lookup_bar.search.isVisible() == in_log


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" \n", "The clipboard contains no text to search for. Copy all or part of the error, and then paste again."),
        ("x" * (MAX_CHARS + 1), "This text is too long to be an error or a request."),
    ],
    ids=["empty", "giant"],
)
def test_what_cannot_be_asked_is_said_at_once(opened: MainWindow, text: str, sentence: str) -> None:
    opened.error_lookup.ask(text, True)
    assert opened.error_lookup_bar.sentence.text() == sentence


@pytest.mark.parametrize("in_log", [True, False])
@pytest.mark.parametrize(("text", "sentence"), [("bad", "This text cannot be looked for."), ("crash", "unexpectedly")])
def test_a_failure_is_said_and_the_log_stays(
    qtbot: QtBot, opened: MainWindow, text: str, sentence: str, in_log: bool
) -> None:
    opened.error_lookup.ask(text, in_log)
    wait(qtbot, opened, LookupPhase.FAILED)
    assert sentence in opened.error_lookup_bar.sentence.text()
    assert opened.document.log is not None
    assert (opened.document.notice is not None) == (text == "crash" and in_log)


def test_a_log_whose_process_is_gone_is_read_again_first(qtbot: QtBot, opened: MainWindow, settle: Settle) -> None:
    opened.document.process.close()
    opened.error_lookup.ask(ERROR, True)
    settle(opened.document)
    wait(qtbot, opened)
    assert current_id(opened) == "lost2"


def test_an_answer_about_the_log_goes_when_it_is_read_again(qtbot: QtBot, opened: MainWindow) -> None:
    opened.error_lookup.ask(ERROR, True)
    wait(qtbot, opened)
    opened.document.reload()
    assert opened.error_lookup.phase == LookupPhase.NOT


def test_lone_surrogates_are_no_obstacle(qtbot: QtBot, opened: MainWindow) -> None:
    opened.error_lookup.ask("400 \ud800 lost2", True)
    wait(qtbot, opened)
    assert current_id(opened) == "lost2"


def test_the_text_can_be_typed(qtbot: QtBot, opened: MainWindow, questions: FakeQuestions) -> None:
    opened.window_actions[Action.PASTE_ERROR].trigger()
    assert (questions.asked, opened.error_lookup.phase) == (["error"], LookupPhase.NOT)
    questions.pasted = ERROR
    opened.window_actions[Action.PASTE_ERROR].trigger()
    wait(qtbot, opened)
    assert current_id(opened) == "lost2"


@pytest.mark.parametrize("dropped", [True, False])
def test_a_text_is_looked_for_and_a_file_is_opened(
    qtbot: QtBot, opened: MainWindow, settle: Settle, tmp_path: Path, dropped: bool
) -> None:
    def give(data: QMimeData) -> None:
        if dropped:
            # A QDragEnterEvent wants a QPoint before Qt 6.12 and a QPointF from then on; its base never changed.
            place = (QPointF(50, 50), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
            enter = QDropEvent(*place, QEvent.Type.DragEnter)
            opened.dragEnterEvent(enter)  # type: ignore[arg-type]
            assert enter.isAccepted()
            opened.dropEvent(QDropEvent(*place))
        else:
            QGuiApplication.clipboard().setMimeData(data)
            opened.window_actions[Action.PASTE].trigger()

    text, file = QMimeData(), QMimeData()
    text.setText(ERROR)
    give(text)
    wait(qtbot, opened)
    assert current_id(opened) == "lost2"
    other = write_healthy(tmp_path / "other.jsonl")
    file.setUrls([QUrl.fromLocalFile(str(other))])
    give(file)
    settle(opened.document)
    assert opened.document.path == str(other)


def test_the_places_pass_the_tester(qtmodeltester: object) -> None:
    model = TableModel(LOOKUP_PLACES_TABLE)
    qtmodeltester.check(model)  # type: ignore[attr-defined]
    place = LookupPlace(path="/a/b.jsonl", place=RecordLocation(4), how="recorded", sentence="x\ny\x1b[31mz")
    model.show((place,) * 3)
    qtmodeltester.check(model)  # type: ignore[attr-defined]
    assert [model.index(1, column).data() for column in range(4)] == [
        "b.jsonl · a", "record 5", "x yz", "recorded in the log",
    ]  # fmt: skip
    model.show(())
    assert model.rowCount() == 0


def test_a_place_is_found_among_many_findings_at_once(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_big(tmp_path / "big.jsonl", 20_000)))
    settle(window.document)
    document = window.document
    place = there(document.log).findings[there(document.log).findings.log_order[15_000]].place
    start = time.monotonic()
    assert document.navigator.go_to(place, f"D2:c15000:{place.record}")
    assert time.monotonic() - start < 1
    assert current_id(window) == "c15000"
