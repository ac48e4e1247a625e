"""The page of a rule, the costs in the strategy boxes, and who would accept a session; and that no word is missing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.core.error_lookup.locate import Certainty
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import Acceptance
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.providers.registry import PROFILES
from inspector.core.repair.presets import PRESETS
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.report.format_and_rule_tables import build_rule_page
from inspector.core.rules import RULES
from inspector.gui.common import ui_text
from inspector.gui.common.actions import Action
from inspector.gui.dialogs.rule_window import format_rule_page
from inspector.gui.models.base import TableModel
from inspector.gui.models.findings_model import FindingColumn
from inspector.gui.models.list_columns import ACCEPTANCE_TABLE, AcceptanceRow
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
PAGE = """\
Unanswered call (D2)
A call without its result.

What it finds
A call that nothing answers.

Example
user  hi
assistant  calls A

How each provider would respond
• Anthropic: `tool_use` ids were found without `tool_result` blocks immediately after

Repairs, cheapest first
• Add a placeholder result (answer) · adds a placeholder · default. Insert a result.
• Leave unchanged (leave) · repairs nothing."""


@pytest.fixture
def opened(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    window.open(str(write_small(tmp_path / "a.jsonl", 2)))
    settle(window.document)
    return window


# the words


def test_every_strategy_profile_preset_and_wording_has_its_words() -> None:
    assert set(ui_text.STRATEGY_WORDS) == set(STRATEGIES)
    assert set(ui_text.PROFILE_NAMES) == set(PROFILES)
    assert set(ui_text.LOOKUP_MATCH_WORDS) == {sure.word for sure in Certainty} | {
        "recorded", "request", "accepted", "candidate", "before-answer"
    }  # fmt: skip
    assert {ui_text.preset_label(name) for name in PRESETS} == {
        "Canonical", "Minimal loss", "Clean", "Claude Code", "Neovate", "Neovate (safe)", "deepagents", "Kilo", "Kimi",
        "Cline", "Codex", "goose", "Gemini CLI", "LiteLLM", "Pydantic AI",
    }  # fmt: skip
    assert [ui_text.program_label(name) for name in PLACEHOLDER_WORDINGS if "-" in ui_text.program_label(name)] == [
        "tool-call-repair"
    ]


@pytest.mark.parametrize("code", RULES)
def test_every_page_is_laid_out_whole(code: str) -> None:
    page = build_rule_page(RULES[code])
    text, headings = format_rule_page(page)
    lines = text.split("\n")
    titles = [lines[number] for number in headings]
    assert titles[0] == f"{ui_text.rule_title(page.slug, code)} ({code})"
    assert {"What it finds", "Why it matters", "Example", "Repairs"} <= set(titles)
    assert titles[-1] == "Repairs, cheapest first"
    assert all(any(answer in line for line in lines) for _, answer in page.answers)
    said = "".join(text.split())
    assert all("".join(part.split()).lower() in said.lower() for part in page.text.split(": ")[-1].splitlines())


# the page


def test_f1_shows_the_page_of_the_current_finding(qtbot: QtBot, opened: MainWindow) -> None:
    opened.document.select_finding(0)
    qtbot.keyClick(opened.outline.view, Qt.Key.Key_F1)
    qtbot.waitUntil(lambda: opened.page.view.toPlainText() == PAGE, timeout=PATIENCE_MS)
    assert opened.page.windowTitle() == "Unanswered call (D2)"
    assert not opened.page.isModal()
    assert opened.page.isVisible()
    qtbot.keyClick(opened.page.view, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not opened.page.isVisible(), timeout=PATIENCE_MS)


def test_the_button_beside_the_reason_and_the_row_of_a_rule(qtbot: QtBot, opened: MainWindow) -> None:
    findings = opened.findings
    opened.document.select_finding(2)
    qtbot.mouseClick(findings.help, LEFT)
    qtbot.waitUntil(lambda: opened.page.view.toPlainText() == "There is no such page.", timeout=PATIENCE_MS)
    top = findings.model.index(0, 0)
    findings.view.setCurrentIndex(findings.model.index(0, 0, top))
    findings.ask_for_page()
    qtbot.waitUntil(lambda: opened.page.view.toPlainText() == PAGE, timeout=PATIENCE_MS)


def test_a_row_without_a_finding_has_no_page(opened: MainWindow) -> None:
    opened.document.select_node(1)
    assert opened.document.finding == -1
    assert not opened.window_actions[Action.WHAT_IS_THIS].isEnabled()
    assert "Select a finding first." in opened.window_actions[Action.WHAT_IS_THIS].toolTip()


def test_without_findings_there_is_no_page(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_healthy(tmp_path / "a.jsonl")))
    settle(window.document)
    assert not window.window_actions[Action.WHAT_IS_THIS].isEnabled()
    assert not window.findings.help.isVisible()


# the costs


def test_the_box_says_what_each_strategy_costs(qtbot: QtBot, opened: MainWindow) -> None:
    view, model = opened.findings.view, opened.findings.model
    index = model.index_of_leaf(0, FindingColumn.STRATEGY)
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "Add a placeholder result · adds a placeholder"
    view.scrollTo(index)
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
    box = there(view.viewport().findChild(QComboBox))
    qtbot.waitUntil(lambda: box.view().isVisible(), timeout=PATIENCE_MS)
    assert [box.itemText(row) for row in range(box.count())] == [
        "Add a placeholder result · adds a placeholder",
        "Remove only the call · loses a call",
        "Leave unchanged · repairs nothing",
    ]
    assert box.view().width() >= box.view().sizeHintForColumn(0)


# who would accept it


def answers(model: TableModel[AcceptanceRow]) -> list[list[str]]:
    return [[model.index(row, column).data() for column in range(4)] for row in range(model.rowCount())]


def ask(qtbot: QtBot, window: MainWindow) -> None:
    window.window_actions[Action.WHO_ACCEPTS].trigger()
    qtbot.waitUntil(lambda: window.acceptance.model.rowCount() > 0, timeout=PATIENCE_MS)


def test_every_provider_answers_and_a_row_leads_to_the_record(qtbot: QtBot, opened: MainWindow) -> None:
    ask(qtbot, opened)
    pane = opened.acceptance
    assert answers(pane.model) == [
        ["Anthropic", "rejects it (2)", "line 7", "Bash was called and no result was recorded."],
        ["OpenAI Chat", "accepts it", "", ""],
        ["Mistral", "not everything was checked", "", "Skipped checks: K3"],
    ]
    assert pane.state.text() == "1 of 3 providers would accept the unrepaired session, and 1 would reject it."
    assert "Provider's answer\n`tool_use` ids were found" in pane.words.toPlainText()
    qtbot.mouseClick(pane.view.viewport(), LEFT, pos=pane.view.visualRect(pane.model.index(0, 3)).center())
    assert there(opened.document.log).findings[opened.document.finding].call_id == "lost1"
    pane.view.setCurrentIndex(pane.model.index(1, 0))
    assert not pane.repair.isEnabled()
    assert not pane.help.isEnabled()
    qtbot.keyClick(pane.view, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not pane.isVisible(), timeout=PATIENCE_MS)


def test_another_session_has_other_answers(qtbot: QtBot, opened: MainWindow) -> None:
    opened.document.select_node(there(opened.document.log).node_of_session(1))
    ask(qtbot, opened)
    pane = opened.acceptance
    assert pane.sessions.isVisible()
    assert answers(pane.model) == [["Anthropic", "accepts it", "", ""]]
    pane.sessions.setCurrentIndex(0)
    assert answers(pane.model)[0][1] == "rejects it (2)"


def test_repair_for_this_provider_chooses_it_in_the_repair(qtbot: QtBot, opened: MainWindow, settle: Settle) -> None:
    ask(qtbot, opened)
    qtbot.mouseClick(opened.acceptance.repair, LEFT)
    settle(opened.document)
    assert opened.document.repair.choices.profile == "anthropic"
    assert opened.side.currentWidget() is opened.side.repair


def test_what_is_this_leads_to_the_page(qtbot: QtBot, opened: MainWindow) -> None:
    ask(qtbot, opened)
    qtbot.mouseClick(opened.acceptance.help, LEFT)
    qtbot.waitUntil(lambda: opened.page.view.toPlainText() == PAGE, timeout=PATIENCE_MS)


def test_it_asks_again_when_another_log_is_open(
    qtbot: QtBot, opened: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    ask(qtbot, opened)
    opened.open(str(write_healthy(tmp_path / "sound.jsonl")))
    settle(opened.document)
    qtbot.waitUntil(lambda: answers(opened.acceptance.model)[:1] == [["Anthropic", "accepts it", "", ""]])
    assert not opened.acceptance.sessions.isVisible()


def test_a_failure_is_said(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_small(tmp_path / "unaskable.jsonl")))
    settle(window.document)
    window.window_actions[Action.WHO_ACCEPTS].trigger()
    qtbot.waitUntil(lambda: window.acceptance.state.text() == "Nobody can be asked.", timeout=PATIENCE_MS)
    assert window.document.notice is None


def test_nobody_is_asked_about_a_log_that_was_not_judged(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_small(tmp_path / "unjudged.jsonl")))
    settle(window.document)
    assert not window.window_actions[Action.WHO_ACCEPTS].isEnabled()
    assert "The log was not checked." in window.window_actions[Action.WHO_ACCEPTS].toolTip()


def test_the_answers_pass_the_tester(qtmodeltester: ModelTester) -> None:
    model = TableModel(ACCEPTANCE_TABLE)
    qtmodeltester.check(model)
    model.show([("lax", Acceptance(True)), ("gemini", Acceptance(False, "D2", "no", "why", RecordLocation(3)))])
    qtmodeltester.check(model)
    assert answers(model) == [
        ["A permissive local server", "accepts it", "", ""],
        ["Gemini", "rejects it", "record 4", "why"],
    ]
    assert model.find(lambda row: row[0] == "gemini").row() == 1
    assert model.find(lambda row: row[0] == "nobody").row() == -1
