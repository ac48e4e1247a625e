"""The main path over the real core: open, select a finding, change its strategy, preview, save, open again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui import app
from inspector.gui.common.actions import Action
from inspector.gui.models.base import ItemRole
from inspector.gui.models.findings_model import FindingColumn
from inspector.gui.models.outline_model import OutlineColumn
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.core.presentation.branches import written
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
SESSION = "3f1c9a52-7d4e-4b60-9a51-0c2d8e6f7a10"


def record(number: int, kind: str, content: object, **more: object) -> dict[str, object]:
    """One line of a Claude Code session; its parent is the line before."""
    uuid = "00000000-0000-4000-8000-{:012d}"
    message: dict[str, object] = {"role": kind, "content": content}
    if kind == "assistant":
        message = {"id": f"msg_{number:03}", "type": "message", "model": "claude-sonnet-4-5", **message}
        message["usage"] = {"input_tokens": 1200, "output_tokens": 34}
    return {
        "parentUuid": uuid.format(number - 1) if number > 1 else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/me/project",
        "sessionId": SESSION,
        "version": "2.1.9",
        "type": kind,
        "message": message,
        "uuid": uuid.format(number),
        "timestamp": f"2026-11-21T10:00:{number:02}.000Z",
        **more,
    }


def call(name: str, call_id: str, **fields: object) -> dict[str, object]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": fields}


def result(call_id: str, words: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": words}


def write_session(path: Path) -> Path:
    """A call in the middle has no result, and a result has no call."""
    records = [
        record(1, "user", "Fix the failing test. 请修复测试。"),
        record(2, "assistant", [call("Bash", "toolu_a", command="pytest")]),
        record(3, "user", [result("toolu_a", "1 failed")]),
        record(4, "assistant", [call("Read", "toolu_lost", file_path="/home/me/project/a.py")]),
        record(5, "user", "Why did you stop?"),
        record(6, "assistant", [{"type": "text", "text": "I do not know."}]),
        record(7, "user", [result("toolu_ghost", "the text of an orphan")]),
        record(8, "assistant", [{"type": "text", "text": "Done."}]),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in records), encoding="utf-8")
    return path


def test_the_tree_reads_like_the_conversation(real_window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window, document = real_window, real_window.document
    window.open(str(write_session(tmp_path / "project" / f"{SESSION}.jsonl")))
    settle(document)
    view = window.outline.view
    view.expandAll()
    printed, index = [], view.model().index(0, 0)
    while (index := view.indexBelow(index)).isValid():
        row = index.data(ItemRole.ROW)
        printed.append(" ".join(filter(None, (f"{row.chip}:", row.name, row.text, row.pair and f"({row.pair})"))))
    assert printed[:8] == [
        "user: Fix the failing test. 请修复测试。",
        "call: Bash pytest (answered → #3)",
        "result: 1 failed (answers → #2)",
        "call: Read a.py (no result)",
        "user: Why did you stop?",
        "assistant: I do not know.",
        "result: the text of an orphan (orphan)",
        "assistant: Done.",
    ]


def test_a_broken_session_becomes_a_healthy_one(
    qtbot: QtBot, real_window: MainWindow, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    window, document = real_window, real_window.document
    path = write_session(tmp_path / "project" / f"{SESSION}.jsonl")
    before = path.read_bytes()
    window.open(str(path))
    settle(document)
    assert there(document.log).overview.sessions[0].verdict == "broken"
    window.side.show_tab(window.side.repair)
    position = next(
        n for n in range(len(there(document.log).findings)) if there(document.log).findings[n].call_id == "toolu_lost"
    )
    view, model = window.findings.view, window.findings.model
    index = model.index_of_leaf(position)
    view.scrollTo(index)
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
    assert document.finding == position
    assert window.outline.view.currentIndex().siblingAtColumn(OutlineColumn.PAIR).data() == "no result"

    plan = document.repair.plan
    assert there(plan).summary.verified
    assert document.repair.strategy_of_finding(position) == "answer"
    cell = model.index_of_leaf(position, FindingColumn.STRATEGY)
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(cell).center())
    box = there(view.viewport().findChild(QComboBox))
    qtbot.waitUntil(lambda: box.view().isVisible(), timeout=PATIENCE_MS)
    row = box.view().model().index(box.findData("drop-call"), 0)
    qtbot.mouseClick(box.view().viewport(), LEFT, pos=box.view().visualRect(row).center())
    settle(document)
    assert document.repair.plan is not plan
    assert document.repair.strategy_of_finding(position) == "drop-call"
    changes = window.side.repair.panel.changes.model
    marks = {changes.index_of_leaf(leaf).data(ItemRole.MARK) for leaf in range(len(there(document.repair.plan)))}
    assert marks & {"removed", "changed"}

    questions.copy = str(tmp_path / "repaired.jsonl")
    qtbot.mouseClick(window.side.repair.panel.findChild(QPushButton, "save_copy"), LEFT)
    qtbot.waitUntil(lambda: document.saved is not None or document.notice is not None, timeout=PATIENCE_MS)
    assert document.notice is None
    assert path.read_bytes() == before
    qtbot.mouseClick(window.side.repair.saved.findChild(QPushButton, "open_saved"), LEFT)
    settle(document)
    assert document.path == questions.copy
    assert there(document.log).overview.sessions[0].verdict == "healthy"


def test_new_session_has_a_command_to_resume(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, document = real_window, real_window.document
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    path = write_session(tmp_path / "projects" / "-home-me-project" / f"{SESSION}.jsonl")
    window.open(str(path))
    settle(document)
    window.window_actions[Action.SAVE_NEW_SESSION].trigger()
    qtbot.waitUntil(lambda: document.saved is not None or document.notice is not None, timeout=PATIENCE_MS)
    assert document.notice is None
    assert "--resume" in there(document.saved).command
    assert SESSION not in there(document.saved).command
    assert Path(there(document.saved).path).is_file()


def test_in_place_with_backup_and_the_window_follows(
    qtbot: QtBot, real_window: MainWindow, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    window, document = real_window, real_window.document
    path = write_session(tmp_path / "project" / f"{SESSION}.jsonl")
    before = path.read_bytes()
    window.open(str(path))
    settle(document)
    questions.closed = True
    window.window_actions[Action.SAVE_IN_PLACE].trigger()
    qtbot.waitUntil(lambda: document.saved is not None or document.notice is not None, timeout=PATIENCE_MS)
    settle(document)
    assert document.notice is None
    assert Path(there(document.saved).backup).read_bytes() == before
    assert there(document.log).overview.sessions[0].verdict == "healthy"


def test_other_branches_are_folded_by_one_key(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    log = written(tmp_path, "1<0 u go", "2<1 a no", "3<1 a yes", "4<3 u on", "5<4 a on", "6<4 a off")
    real_window.open(str(log))
    settle(real_window.document)
    view = real_window.outline.view
    shown = [real_window.outline.model.index_of(node) for node in there(real_window.document.log).inactive_branch_nodes]
    label = "Not on the active path, so not loaded on resume (1)"
    assert [index.data(ItemRole.ROW).text for index in shown] == [label] * 2
    assert [index.data(ItemRole.ROW).inactive for index in shown] == [True, True]
    for unfolded in (True, False):
        qtbot.keyClick(view, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        assert [view.isExpanded(index) for index in shown] == [unfolded, unfolded]


def test_first_rows_of_a_real_log_need_no_child(real_window: MainWindow, tmp_path: Path) -> None:
    real_window.open(str(write_session(tmp_path / "a.jsonl")))
    texts = [
        real_window.outline.model.index_of(n).data() for n in range(1, len(there(real_window.document.log).outline))
    ]
    assert any("请修复测试" in text for text in texts)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_screenshot_writes_a_picture(qtbot: QtBot, tmp_path: Path, mode: str) -> None:
    out = tmp_path / "window.png"
    assert app.screenshot(str(write_session(tmp_path / "a.jsonl")), str(out), mode=mode) == 0
    assert out.stat().st_size > 20_000


def test_picture_of_a_missing_log_is_a_failure(qtbot: QtBot, tmp_path: Path) -> None:
    assert app.screenshot(str(tmp_path / "missing.jsonl"), str(tmp_path / "window.png")) == 2


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\x02 no log", b'{"a": 1}', b"[]"], ids=["empty", "binary", "object", "no-messages"]
)
def test_what_is_no_session_is_said_and_not_healthy_by_mistake(
    real_window: MainWindow, settle: Settle, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "strange.json"
    path.write_bytes(content)
    real_window.open(str(path))
    settle(real_window.document)
    document = real_window.document
    if document.log is None:
        assert there(document.notice).sentence
    elif content != b"[]":
        assert {session.verdict for session in document.log.overview.sessions} <= {"not-judged", "unreadable"}
    assert not real_window.window_actions[Action.SAVE_COPY].isEnabled()
