"""Placeholders of other tools undone, results of other logs taken over, and a preset for one session alone."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import ResultInOtherLog, SessionSummary
from inspector.core.repair.choices import Choices, SessionChoice
from inspector.gui.common.actions import Action
from inspector.gui.dialogs.export_dialog_base import ExportDialogBase
from inspector.gui.dialogs.other_log_dialogs import ResultOffersDialog
from inspector.gui.models.base import ItemRole, TableModel
from inspector.gui.models.findings_model import FindingColumn
from inspector.gui.models.list_columns import RESULT_OFFERS_TABLE
from inspector.gui.panels.repair_panel import session_key
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.test_real_logs import call, record, result
from tests.gui.test_repair_options import pick
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def opened(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    return window


def offers_dialog(window: MainWindow, qtbot: QtBot, questions: FakeQuestions, path: Path) -> ResultOffersDialog:
    questions.results = [str(path)]
    window.window_actions[Action.RESULTS_FROM].trigger()
    dialog = window.findChild(QDialog)
    assert isinstance(dialog, ResultOffersDialog)
    qtbot.waitUntil(lambda: dialog.head.sentence.text() != "Reading…", timeout=PATIENCE_MS)
    return dialog


def position_of(window: MainWindow, call_id: str) -> int:
    book = there(window.document.log).findings
    return next(position for position in range(len(book)) if book[position].call_id == call_id)


def strategy_at(window: MainWindow, call_id: str) -> str:
    return window.document.repair.strategy_of_finding(position_of(window, call_id))


def test_a_result_of_another_log_is_listed_taken_and_rejected(
    opened: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text("lost1", encoding="utf-8")
    dialog = offers_dialog(opened, qtbot, questions, other)
    assert dialog.head.sentence.text() == "1 missing result was found."
    row = [dialog.model.index(0, column).data() for column in range(4)]
    assert row == ["6", "Bash", "the real 结果", "other.jsonl, line 1"]
    qtbot.mouseClick(dialog.take, LEFT)
    settle(opened.document)
    draft, panel = opened.document.repair, opened.side.repair.panel
    assert draft.choices == Choices(results_from=(str(other),))
    assert (strategy_at(opened, "lost1"), strategy_at(opened, "lost2")) == ("adopt", "answer")
    assert "Missing results are copied from other.jsonl." in panel.outcome.text()

    plan = there(draft.plan)
    leaf = next(leaf for leaf in range(len(plan)) if plan[leaf].summary == "the real 结果")
    panel.changes.view.setCurrentIndex(panel.changes.model.index_of_leaf(leaf))
    qtbot.mouseClick(panel.findChild(QPushButton, "reject_change"), LEFT)
    settle(opened.document)
    assert strategy_at(opened, "lost1") == "leave"
    for _ in range(2):
        opened.window_actions[Action.UNDO].trigger()
        settle(opened.document)
    assert (draft.choices, strategy_at(opened, "lost1")) == (Choices(), "answer")


def test_the_box_of_a_finding_offers_what_was_found_for_it(
    opened: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text("lost1", encoding="utf-8")
    offers_dialog(opened, qtbot, questions, other).take.click()
    settle(opened.document)
    model = opened.findings.model

    def boxes() -> list[bool]:
        ids = ("lost1", "lost2")
        return ["adopt" in model.index_of_leaf(position_of(opened, name)).data(ItemRole.STRATEGIES) for name in ids]

    assert boxes() == [True, False]
    index = model.index_of_leaf(position_of(opened, "lost1"), FindingColumn.STRATEGY)
    assert model.setData(index, "answer", ItemRole.STRATEGY)
    settle(opened.document)
    assert strategy_at(opened, "lost1") == "answer"
    assert model.setData(index, "adopt", ItemRole.STRATEGY)
    settle(opened.document)
    assert strategy_at(opened, "lost1") == "adopt"
    opened.document.repair.revert()
    assert boxes() == [False, False]


def test_another_log_has_none_of_the_results_that_were_found_for_the_one_before(
    window: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    """The two logs are alike: what was found for a call of the first must not be offered for that of the second."""
    other = tmp_path / "other.jsonl"
    for name, found in (("a", "lost1"), ("b", "lost2")):
        window.open(str(write_small(tmp_path / f"{name}.jsonl")))
        settle(window.document)
        other.write_text(found, encoding="utf-8")
        offers_dialog(window, qtbot, questions, other).take.click()
        settle(window.document)
        offered = [each for each in ("lost1", "lost2") if window.document.repair.is_offered(position_of(window, each))]
        assert offered == [found]


def test_a_log_without_a_missing_result_changes_nothing(
    opened: MainWindow, qtbot: QtBot, questions: FakeQuestions, tmp_path: Path
) -> None:
    dialog = offers_dialog(opened, qtbot, questions, write_healthy(tmp_path / "other.jsonl"))
    assert (
        dialog.head.sentence.text()
        == "The other log does not contain any of the results that are missing from this log."
    )
    assert not dialog.take.isEnabled()
    dialog.reject()
    assert opened.document.repair.choices == Choices()


def test_a_log_that_cannot_be_read_is_a_sentence_in_the_dialog(
    opened: MainWindow, qtbot: QtBot, questions: FakeQuestions, tmp_path: Path
) -> None:
    dialog = offers_dialog(opened, qtbot, questions, tmp_path / "missing.jsonl")
    assert dialog.head.sentence.text() == f"{tmp_path / 'missing.jsonl'} cannot be read."
    assert opened.document.notice is None
    dialog.reject()


def test_where_every_call_has_its_result_none_is_asked_for(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_healthy(tmp_path / "a.jsonl")))
    settle(window.document)
    action = window.window_actions[Action.RESULTS_FROM]
    assert (action.isEnabled(), action.statusTip()) == (False, "Every call has a result.")


def test_the_list_of_offers_is_a_sound_model(qtmodeltester: ModelTester) -> None:
    model = TableModel(RESULT_OFFERS_TABLE)
    qtmodeltester.check(model)
    offer = ResultInOtherLog(
        place=RecordLocation(11),
        call_id="c1",
        tool="",
        path="/b.jsonl",
        at=RecordLocation(3),
        sentence="It is there.",
        text="a\nb",
    )
    model.show((offer,))
    qtmodeltester.check(model)
    assert [model.index(0, column).data() for column in range(4)] == ["12", "c1", "a b", "b.jsonl, record 4"]


def test_one_session_gets_a_preset_of_its_own_and_gives_it_back(
    window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.side.show_tab(window.side.repair)
    window.open(str(write_small(tmp_path / "a.jsonl", sessions=2)))
    settle(window.document)
    document, options = window.document, window.side.repair.panel.options
    assert not options.own_preset.isVisible()
    window.side.repair.panel.changes.options_button.click()
    assert options.own_preset.isVisible()
    document.select_node(there(document.log).node_of_session(1))
    pick(options.own_preset, options.own_preset.findData("clean"))
    assert document.repair.choices == Choices(sessions={"session-1": SessionChoice("clean")})
    document.select_node(there(document.log).node_of_session(0))
    assert options.own_preset.currentText() == "same as for all sessions"
    document.select_node(there(document.log).node_of_session(1))
    assert options.own_preset.currentText() == "Clean"
    pick(options.own_preset, 0)
    assert document.repair.choices == Choices()
    window.window_actions[Action.UNDO].trigger()
    assert options.own_preset.currentText() == "Clean"


def test_a_log_of_one_session_has_one_box_for_presets(opened: MainWindow) -> None:
    opened.side.show_tab(opened.side.repair)
    options = opened.side.repair.panel.options
    opened.side.repair.panel.changes.options_button.click()
    assert (options.presets.isVisible(), options.own_preset.isVisible()) == (True, False)


def test_a_session_whose_id_says_nothing_is_named_by_its_number(opened: MainWindow) -> None:
    first: SessionSummary = there(opened.document.log).overview.sessions[0]
    same = (first, first)
    assert (session_key(first, (first,)), session_key(first, same)) == ("session-0", "0")


# with the real core


def write_real(path: Path, answer: str = "") -> Path:
    """A session whose call has no result, or a result that says `answer`."""
    records = [
        record(1, "user", "Build it."),
        record(2, "assistant", [call("Bash", "toolu_01AbCdEf2345", command="make")]),
        record(3, "user", [result("toolu_01AbCdEf2345", answer)] if answer else "Did it work?"),
        record(4, "assistant", [{"type": "text", "text": "Let me see."}]),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in records), encoding="utf-8")
    return path


def test_the_real_result_replaces_a_tools_placeholder(
    real_window: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    window, document = real_window, real_window.document
    window.open(str(write_real(tmp_path / "a.jsonl", "[Tool result missing due to internal error]")))
    settle(document)
    action = window.window_actions[Action.UNDO_PLACEHOLDERS]
    assert (there(document.repair.plan).summary.edits, action.isEnabled()) == (0, True)
    action.trigger()
    settle(document)
    assert document.repair.choices.rules == {"R13": "undo-placeholder"}
    assert there(document.repair.plan).summary.edits > 0
    assert not action.isEnabled()
    window.window_actions[Action.UNDO].trigger()
    settle(document)
    assert (there(document.repair.plan).summary.edits, action.isEnabled()) == (0, True)


def test_a_real_result_is_found_taken_and_saved(
    real_window: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    window, document = real_window, real_window.document
    window.open(str(write_real(tmp_path / "a.jsonl")))
    settle(document)
    dialog = offers_dialog(window, qtbot, questions, write_real(tmp_path / "b.jsonl", "12 targets built"))
    assert dialog.head.sentence.text() == "1 missing result was found."
    assert dialog.model.index(0, 2).data() == "12 targets built"
    dialog.take.click()
    settle(document)
    questions.copy = str(tmp_path / "out.jsonl")
    window.window_actions[Action.SAVE_COPY].trigger()
    qtbot.waitUntil(lambda: document.saved is not None or document.notice is not None, timeout=PATIENCE_MS)
    assert document.notice is None
    assert "12 targets built" in Path(questions.copy).read_text(encoding="utf-8")


@pytest.mark.parametrize("action", [Action.TRIM, Action.CONVERT])
def test_a_real_copy_is_trimmed_and_converted(
    real_window: MainWindow, qtbot: QtBot, questions: FakeQuestions, settle: Settle, tmp_path: Path, action: Action
) -> None:
    window, document = real_window, real_window.document
    window.open(str(write_real(tmp_path / "a.jsonl")))
    settle(document)
    window.window_actions[action].trigger()
    dialog = window.findChild(QDialog)
    assert isinstance(dialog, ExportDialogBase)
    qtbot.waitUntil(lambda: dialog.answer is not None or bool(dialog.failure), timeout=PATIENCE_MS)
    assert dialog.failure == ""
    questions.copy = str(tmp_path / "out.json")
    dialog.save.click()
    qtbot.waitUntil(lambda: document.saved is not None or document.notice is not None, timeout=PATIENCE_MS)
    assert document.notice is None
    there(window.side.repair.saved.findChild(QPushButton, "open_saved")).click()
    settle(document)
    assert document.path == questions.copy
    assert there(document.log).overview.sessions[0].verdict == "healthy"


def test_what_is_said_of_several_sessions_is_said_once(real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    asked = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Look it up."},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "user", "content": "And?"},
    ]
    path = tmp_path / "several.jsonl"
    path.write_text(3 * (json.dumps({"messages": messages}) + "\n"), encoding="utf-8")
    real_window.open(str(path))
    settle(real_window.document)
    assert there(real_window.document.repair.plan).summary.effects == (
        "In 3 sessions: Starting with message 2 (counting from 0), messages can no longer be read from the prompt "
        "cache.",
    )
