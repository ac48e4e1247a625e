"""A finding, a row of the tree and a change are one thing: whichever is chosen, the others follow."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt
from PySide6.QtGui import QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication, QPushButton, QTreeView
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.models.base import ItemRole
from inspector.gui.models.findings_model import FindingColumn
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from tests.gui.fake_logs import write_big, write_healthy, write_small
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    """Line 6 holds two calls without a result (lost1, lost2), line 7 a result without a call (ghost)."""
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    window.side.show_tab(window.side.repair)
    return window


def shown(window: MainWindow) -> list[str]:
    """What each of the three says is current: a row of the tree, of the findings, of the changes."""
    log, changes = there(window.document.log), window.side.repair.panel.changes
    node = window.outline.view.currentIndex().internalId()
    finding = window.findings.view.currentIndex().siblingAtColumn(0)
    change = changes.model.row(changes.view.currentIndex())
    position = finding.data(ItemRole.POSITION) if finding.isValid() else -1
    assert (window.document.node, window.document.selection.change) == (
        node,
        changes.model.leaf(changes.view.currentIndex()),
    )
    return [
        f"line {log.number_of(node)}",
        log.findings[position].call_id or "" if position >= 0 else finding.data() or "none",
        f"{change.mark} {','.join(change.finding_ids) or change.record}" if change else "none",
    ]


def walk(window: MainWindow, view: QTreeView, key: Qt.Key, steps: int, qtbot: QtBot) -> list[list[str]]:
    view.setFocus()
    seen = []
    for _ in range(steps):
        qtbot.keyClick(view, key)
        seen.append(shown(window))
    return seen


def press(qtbot: QtBot, window: MainWindow, name: str) -> None:
    qtbot.mouseClick(there(window.side.repair.panel.findChild(QPushButton, name)), LEFT)


def test_f8_moves_all_three(opened: MainWindow, qtbot: QtBot) -> None:
    assert [shown(opened), *walk(opened, opened.outline.view, Qt.Key.Key_F8, 3, qtbot)] == [
        ["line 6", "lost1", "added D2:lost1:5"],
        ["line 6", "lost2", "added D2:lost2:5"],
        ["line 7", "ghost", "changed R1:ghost:6"],
        ["line 6", "lost1", "added D2:lost1:5"],
    ]


def test_arrows_in_the_findings_move_the_others_also_on_groups(opened: MainWindow, qtbot: QtBot) -> None:
    view, model = opened.findings.view, opened.findings.model
    view.setCurrentIndex(model.index_of_leaf(1))
    assert walk(opened, view, Qt.Key.Key_Down, 3, qtbot) == [
        ["line 7", "Warnings", "changed R1:ghost:6"],
        ["line 7", "Orphan result", "changed R1:ghost:6"],
        ["line 7", "ghost", "changed R1:ghost:6"],
    ]
    assert walk(opened, view, Qt.Key.Key_Up, 6, qtbot)[2:] == [
        ["line 6", "lost2", "added D2:lost2:5"],
        ["line 6", "lost1", "added D2:lost1:5"],
        ["line 6", "Unanswered call", "added D2:lost1:5"],
        ["line 6", "Errors", "added D2:lost1:5"],
    ]


def test_arrows_in_the_changes_move_the_others_also_on_what_is_unchanged(opened: MainWindow, qtbot: QtBot) -> None:
    view = opened.side.repair.panel.changes.view
    qtbot.keyClick(opened, Qt.Key.Key_F8)
    assert walk(opened, view, Qt.Key.Key_Up, 4, qtbot) == [
        ["line 6", "lost1", "added D2:lost1:5"],
        ["line 6", "lost1", "kept 5"],
        ["line 2", "none", "skipped 1"],
        ["line 1", "none", "kept 0"],
    ]
    assert walk(opened, view, Qt.Key.Key_Down, 5, qtbot)[3:] == [
        ["line 6", "lost2", "added D2:lost2:5"],
        ["line 7", "ghost", "changed R1:ghost:6"],
    ]


def test_rows_of_the_tree_move_the_others_also_turns_and_sound_messages(opened: MainWindow, qtbot: QtBot) -> None:
    view, outline = opened.outline.view, there(opened.document.log).outline
    click(qtbot, view, opened.outline.model.index_of(outline.node_of_record[2]))
    assert shown(opened) == ["line 3", "none", "skipped 1"]
    turn = outline.parent[outline.node_of_record[6]]
    click(qtbot, view, opened.outline.model.index_of(turn))
    assert shown(opened)[1:] == ["lost1", "added D2:lost1:5"]
    assert opened.document.finding == -1
    qtbot.keyClick(view, Qt.Key.Key_F8)
    assert shown(opened) == ["line 6", "lost1", "added D2:lost1:5"]


def test_f8_goes_on_from_where_one_is(opened: MainWindow, qtbot: QtBot) -> None:
    outline = there(opened.document.log).outline
    opened.document.select_node(outline.node_of_record[7])
    qtbot.keyClick(opened, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert shown(opened)[1] == "ghost"
    opened.document.select_node(outline.node_of_record[0])
    qtbot.keyClick(opened, Qt.Key.Key_F8)
    assert shown(opened)[1] == "lost1"


def test_rejecting_by_key_hits_the_change_in_view_and_stays_there(
    opened: MainWindow, qtbot: QtBot, settle: Settle
) -> None:
    opened.findings.view.setFocus()
    qtbot.keyClick(opened.findings.view, Qt.Key.Key_F8)
    qtbot.keyClick(opened.findings.view, Qt.Key.Key_D, CTRL)
    settle(opened.document)
    assert opened.document.repair.choices.findings == {"D2:lost2:5": "leave"}
    assert shown(opened) == ["line 6", "lost2", "rejected D2:lost2:5"]
    assert QApplication.focusWidget() is opened.findings.view
    assert opened.window_actions[Action.UNDO].text() == "&Undo: rejected the change in line 6"
    qtbot.keyClick(opened.findings.view, Qt.Key.Key_D, CTRL | Qt.KeyboardModifier.ShiftModifier)
    settle(opened.document)
    assert opened.document.repair.choices.findings == {}
    assert shown(opened) == ["line 6", "lost2", "added D2:lost2:5"]
    qtbot.keyClick(opened.findings.view, Qt.Key.Key_Z, CTRL)
    settle(opened.document)
    assert shown(opened) == ["line 6", "lost2", "rejected D2:lost2:5"]
    assert opened.window_actions[Action.REDO].text() == "&Redo: accepted the change in line 6"


def test_what_changes_nothing_cannot_be_rejected(opened: MainWindow, qtbot: QtBot) -> None:
    opened.document.select_node(there(opened.document.log).outline.node_of_record[2])
    assert not opened.window_actions[Action.REJECT_CHANGE].isEnabled()
    assert not opened.window_actions[Action.ACCEPT_CHANGE].isEnabled()


def test_buttons_stay_where_they_are_when_more_is_said(opened: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    names = ("reject_change", "accept_change", "save_copy")
    buttons = [there(opened.side.repair.panel.findChild(QPushButton, name)) for name in names]
    before = [button.mapToGlobal(button.rect().topLeft()) for button in buttons]
    for _ in range(2):
        press(qtbot, opened, "reject_change")
        settle(opened.document)
        qtbot.keyClick(opened, Qt.Key.Key_F8)
    assert [button.mapToGlobal(button.rect().topLeft()) for button in buttons] == before


def test_reading_again_keeps_what_is_selected(opened: MainWindow, qtbot: QtBot, settle: Settle) -> None:
    qtbot.keyClick(opened, Qt.Key.Key_F8)
    qtbot.keyClick(opened, Qt.Key.Key_F5)
    settle(opened.document)
    assert shown(opened) == ["line 6", "lost2", "added D2:lost2:5"]


def test_another_log_starts_at_its_own_cause(opened: MainWindow, settle: Settle, tmp_path: Path) -> None:
    opened.open(str(write_healthy(tmp_path / "b.jsonl")))
    settle(opened.document)
    assert (opened.document.finding, opened.document.selection.findings) == (-1, range(0))


def click(qtbot: QtBot, view: QTreeView, index: QModelIndex) -> None:
    view.scrollTo(index)
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())


def test_arrows_pass_the_pages_of_a_long_list_of_changes(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_big(tmp_path / "big.jsonl", 300)))
    settle(window.document)
    window.side.show_tab(window.side.repair)
    changes, selection = window.side.repair.panel.changes, window.document.selection
    selection.select_change(500)
    seen = []
    for _ in range(4):
        seen.append((changes.view.currentIndex().data(), selection.change))
        qtbot.keyClick(changes.view, Qt.Key.Key_Up)
    assert [change for _, change in seen[:2]] == [500, 500]
    assert seen[1][0] == "501 – 900"
    assert selection.change < 500


class PaintedRegion(QObject):
    """What a view has painted from now on."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self._view, self._viewport = view, view.viewport()
        self.region = QRegion()
        self._viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._viewport and isinstance(event, QPaintEvent):
            self.region += event.region()
        return False

    def contains(self, index: QModelIndex) -> bool:
        return self.region.contains(self._view.visualRect(index))


def test_the_boxes_of_all_levels_are_painted_again_after_every_choice(
    opened: MainWindow, qtbot: QtBot, settle: Settle
) -> None:
    """Without the pointer over them: Qt paints only what `dataChanged` names."""
    view, model = opened.findings.view, opened.findings.model
    finding = model.index_of_leaf(0, FindingColumn.STRATEGY)
    boxes = [finding, finding.parent().siblingAtColumn(FindingColumn.STRATEGY)]
    qtbot.keyClick(view, Qt.Key.Key_F8)
    opened.document.select_finding(0)
    seen = []
    for key, modifiers in ((Qt.Key.Key_D, CTRL), (Qt.Key.Key_Z, CTRL), (Qt.Key.Key_Y, CTRL)):
        qtbot.wait(0)
        painted = PaintedRegion(view)
        qtbot.keyClick(view, key, modifiers)
        at_once = finding.data()
        settle(opened.document)
        for box in boxes:
            qtbot.waitUntil(partial(painted.contains, box))
        seen.append((at_once, *(box.data() for box in boxes)))
    left, added = "Leave unchanged", "Add a placeholder result"
    assert seen == [(left, left, ""), (added, added, added), (left, left, "")]


def test_a_choice_for_all_findings_of_a_kind_is_shown_before_the_plan(
    window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(write_small(tmp_path / "held.jsonl")))
    (tmp_path / "go").touch()
    settle(window.document)
    (tmp_path / "go").unlink()
    model, draft = window.findings.model, window.document.repair
    finding = model.index_of_leaf(0, FindingColumn.STRATEGY)
    rule = finding.parent().siblingAtColumn(FindingColumn.STRATEGY)
    draft.choose_for_rule("D2", "drop-call")
    assert (draft.planning, finding.data(), rule.data()) == (True, "Remove only the call", "Remove only the call")
    draft.choose_for_finding(0, "leave")
    assert (draft.planning, finding.data(), rule.data()) == (True, "Leave unchanged", "")
    draft.choose_for_finding(1, "leave")
    assert (draft.planning, rule.data()) == (True, "Leave unchanged")
    (tmp_path / "go").touch()
    settle(window.document)
    assert (finding.data(), rule.data()) == ("Leave unchanged", "Leave unchanged")
