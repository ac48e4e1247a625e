"""A pasted error over the real core: in the open log, and among the sessions of a machine."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import Cancelled
from inspector.core.providers.registry import PROFILES
from inspector.gui.common.actions import Action
from inspector.gui.state.document import Document
from inspector.gui.state.error_lookup import LookupPhase
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.test_real_logs import SESSION, call, record, result, write_session
from tests.gui.there import there

Settle = Callable[[Document], None]
ERROR = (
    'API Error: 400 {"error":{"message":"messages.3: `tool_use` ids were found without `tool_result` blocks '
    'immediately after: toolu_lost. Each `tool_use` block must have a corresponding `tool_result` block."}}'
)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with one session of Claude Code."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return write_session(tmp_path / "home" / ".claude" / "projects" / "-home-me-project" / f"{SESSION}.jsonl")


def wait(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.error_lookup.phase in (LookupPhase.DONE, LookupPhase.FAILED), timeout=PATIENCE_MS)


def test_it_leads_to_the_session_on_this_machine_and_then_into_it(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, stored: Path
) -> None:
    window, document = real_window, real_window.document
    QGuiApplication.clipboard().setText(ERROR)
    window.window_actions[Action.PASTE].trigger()
    wait(qtbot, window)
    settle(document)
    assert document.path == str(stored)
    assert there(document.log).findings[document.finding].call_id == "toolu_lost"
    assert window.error_lookup_bar.more.text().endswith("Searched 1 of 1 sessions on this machine (4 KB).")

    window.error_lookup.ask("messages.6.content.0: unexpected `tool_use_id` found in `tool_result` blocks", True)
    wait(qtbot, window)
    assert window.error_lookup_bar.sentence.text().startswith(
        "Line 7, found by index: The log does not contain the call of this result, 'toolu_ghost'."
    )
    window.error_lookup.ask(
        "messages.99: `tool_use` ids were found without `tool_result` blocks immediately after", True
    )
    wait(qtbot, window)
    assert "There is no message 99: the history has 8 messages" in window.error_lookup_bar.more.text()
    assert window.error_lookup_bar.search.isVisible()
    window.error_lookup.ask("400 Improperly formed request.", True)
    wait(qtbot, window)
    assert "The provider accepted the history up to line " in window.error_lookup_bar.more.text()
    answer = window.error_lookup.answer
    assert answer is not None
    assert {place.how for place in answer.places} == {"before-answer", "accepted"}
    assert window.error_lookup_bar.model.rowCount() == len(answer.places)


def test_a_request_leads_to_the_session_that_it_begins(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, stored: Path
) -> None:
    messages = [
        record(1, "user", "Fix the failing test. 请修复测试。"),
        record(2, "assistant", [call("Bash", "toolu_a")]),
    ]
    messages.append(record(3, "user", [result("toolu_a", "1 failed")]))
    body = json.dumps({"model": "m", "messages": [each["message"] for each in messages]}, ensure_ascii=False)
    real_window.error_lookup.ask(f"curl https://host/v1/messages -d '{body}'", False)
    wait(qtbot, real_window)
    settle(real_window.document)
    assert (
        real_window.error_lookup_bar.sentence.text() == "Found 1 session on this machine that begin with this request."
    )
    answer = real_window.error_lookup.answer
    assert [(place.path, place.place.record, place.how) for place in there(answer).places] == [
        (str(stored), 2, "request")
    ]
    assert real_window.document.path == str(stored)
    assert there(real_window.document.log).record_of(real_window.document.node) == 2


def test_the_page_and_the_answers_of_all_providers(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window = real_window
    window.open(str(write_session(tmp_path / f"{SESSION}.jsonl")))
    settle(window.document)
    window.window_actions[Action.WHAT_IS_THIS].trigger()
    qtbot.waitUntil(lambda: "Why it matters" in window.page.view.toPlainText(), timeout=PATIENCE_MS)
    assert "• Mistral: Not the same number of function calls and responses" in window.page.view.toPlainText()
    window.window_actions[Action.WHO_ACCEPTS].trigger()
    qtbot.waitUntil(lambda: window.acceptance.model.rowCount() == len(PROFILES), timeout=PATIENCE_MS)
    model = window.acceptance.model
    told = dict(there(model.row(model.index(row, 0))) for row in range(len(PROFILES)))
    assert (told["lax"].accepts, told["anthropic"].accepts, there(told["anthropic"].place).line) == (True, False, 4)


def test_a_search_is_cancelled_between_two_logs(stored: Path) -> None:
    seen: list[tuple[int, int]] = []
    with pytest.raises(Cancelled):
        WindowEngine().search(ERROR, lambda done, total: seen.append((done, total)), lambda: True)
    assert seen == []
    WindowEngine().search(ERROR, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 1)]
