"""The log of a subagent opens from its row, is judged like any other, and there is a way back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from inspector.core.presentation.outline import NodeKind
from inspector.gui.common.actions import Action
from inspector.gui.models.findings_model import FindingColumn
from inspector.gui.models.outline_model import OutlineColumn
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.core.formats.test_claude_code import session, subagent
from tests.gui.there import there
from tests.support.notation import SESSION

Settle = Callable[[Document], None]
BROKEN = 'u"find it" | a{B@Bash command=ls} | u"and?" | a"found"'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / SESSION / "subagents"
    subagent(folder, BROKEN)
    (folder / "agent-x1.meta.json").write_text('{"toolUseId":"A"}')
    return session(tmp_path)


@pytest.mark.parametrize("kind", [NodeKind.SECTION, NodeKind.BLOCK])
def test_enter_opens_it_and_alt_left_leads_back(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, path: Path, kind: NodeKind
) -> None:
    document, view = real_window.document, real_window.outline.view
    real_window.open(str(path))
    settle(document)
    log = there(document.log)
    node = next(node for node in range(1, len(log.outline)) if log.subagent_of(node) and log.outline.kind[node] == kind)
    view.setFocus()
    view.setCurrentIndex(real_window.outline.model.index_of(node))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    settle(document)
    assert Path(document.path).name == "agent-x1.jsonl"
    assert there(document.log).overview.sessions[0].verdict == "broken"
    qtbot.keyClick(real_window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    settle(document)
    assert document.path == str(path)
    assert document.node == node


def test_its_findings_stand_in_the_list_and_name_its_file(real_window: MainWindow, settle: Settle, path: Path) -> None:
    document, model = real_window.document, real_window.findings.model
    real_window.open(str(path))
    settle(document)
    log = there(document.log)
    assert [finding.log for finding in map(log.findings.__getitem__, range(len(log.findings)))] == ["agent-x1.jsonl"]
    leaf = model.index_of_leaf(0)
    assert leaf.data().startswith("agent-x1.jsonl: The call to Bash has no result")
    assert leaf.siblingAtColumn(FindingColumn.LINE).data() == "2"
    assert leaf.siblingAtColumn(FindingColumn.STRATEGY).data() == ""
    assert leaf.parent().data() == "Unanswered call · agent-x1.jsonl"
    real_window.side.show_tab(real_window.side.details)
    document.step_finding(True)
    assert "agent-x1.jsonl, line 2" in real_window.side.details.page.toPlainText()
    row = real_window.outline.model.index_of(document.node, OutlineColumn.LINE)
    assert row.data(Qt.ItemDataRole.ToolTipRole) == "agent-x1.jsonl"
    assert log.overview.sessions[0].verdict == "healthy"
    assert real_window.findings.isVisible()


def test_what_is_done_about_them_is_decided_in_their_log(real_window: MainWindow, settle: Settle, path: Path) -> None:
    document, decide = real_window.document, real_window.window_actions[Action.CHOOSE_STRATEGY]
    real_window.open(str(path))
    settle(document)
    document.select_finding(0)
    assert not decide.isEnabled()
    assert "The message is in a subagent's log. Open that log to see the message." in decide.toolTip()
    document.open(str(path.with_suffix("") / "subagents" / "agent-x1.jsonl"))
    settle(document)
    document.select_finding(0)
    assert decide.isEnabled()
