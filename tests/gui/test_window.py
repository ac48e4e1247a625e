"""The window as a person uses it: with mouse and keyboard, over the fake core."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.core.presentation.outline import NodeKind
from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.common.settings import Settings
from inspector.gui.models.base import ItemRole
from inspector.gui.models.findings_model import FindingColumn
from inspector.gui.models.outline_model import OutlineColumn
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import PADDING
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.window.main_window import MainWindow
from inspector.gui.window.status_bar import StatusBar
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_big, write_healthy, write_small
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


def open_small(window: MainWindow, settle: Settle, tmp_path: Path, name: str = "a.jsonl", sessions: int = 1) -> Path:
    path = write_small(tmp_path / name, sessions)
    window.open(str(path))
    settle(window.document)
    return path


def click_cell(qtbot: QtBot, view: QAbstractItemView, index: QModelIndex) -> None:
    view.scrollTo(index)
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())


def choose_strategy(qtbot: QtBot, window: MainWindow, position: int, strategy: str) -> None:
    """Click the strategy cell of a finding, and a row of the box that opens."""
    view = window.findings.view
    click_cell(qtbot, view, window.findings.model.index_of_leaf(position, FindingColumn.STRATEGY))
    box = view.viewport().findChild(QComboBox)
    assert box is not None
    qtbot.waitUntil(lambda: box.view().isVisible(), timeout=PATIENCE_MS)
    rows = box.view()
    row = rows.model().index(box.findData(strategy), 0)
    qtbot.mouseClick(rows.viewport(), LEFT, pos=rows.visualRect(row).center())


def verdict_texts(window: MainWindow) -> list[str]:
    return [label.text() for label in window.verdict.findChildren(PlainLabel) if label.isVisible()]


def test_verdict_and_recorded_error_stand_on_top_and_the_rest_is_folded(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    open_small(window, settle, tmp_path)
    headline, *more = verdict_texts(window)
    assert headline.startswith("Broken: 3 calls")
    assert [text[:31] for text in more] == ["Recorded error: API Error: 400 "]
    qtbot.mouseClick(window.verdict.more, LEFT)
    assert verdict_texts(window)[2] == "Fake refuses it.\nfake-agent 1.2 · 8 messages · 3 calls · 2 results"
    qtbot.keyClick(window.verdict.more, Qt.Key.Key_Space)
    assert verdict_texts(window) == [headline, *more]


def test_what_the_agent_does_is_said_once_of_a_log_that_heals_itself(
    window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    open_small(window, settle, tmp_path, "heals.jsonl")
    texts = [label.text() for label in window.verdict.findChildren(PlainLabel) if label.isVisible()]
    assert texts[0] == "Repairs itself: Fake mends it. Nothing is lost."
    assert not [text for text in texts[1:] if "mends" in text]


def test_a_copy_is_suggested_next_to_the_log_then_where_the_last_one_went(
    qtbot: QtBot, window: MainWindow, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    open_small(window, settle, tmp_path)
    (tmp_path / "sent").mkdir()
    questions.copy = str(tmp_path / "sent" / "one.jsonl")
    for folder in (tmp_path, tmp_path / "sent"):
        window.window_actions[Action.SAVE_COPY].trigger()
        settle(window.document)
        assert questions.asked[-1] == f"copy {folder / 'a.repaired.jsonl'}"


def test_main_path_by_clicking(
    qtbot: QtBot, window: MainWindow, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    open_small(window, settle, tmp_path)
    window.side.show_tab(window.side.repair)
    click_cell(qtbot, window.findings.view, window.findings.model.index_of_leaf(2))
    assert window.document.finding == 2
    assert window.outline.view.currentIndex().internalId() == window.document.node
    choose_strategy(qtbot, window, 2, "drop")
    settle(window.document)
    panel = window.side.repair.panel
    assert "Lost: " in panel.outcome.text()
    assert "Accepted by Anthropic, OpenAI Chat" in panel.outcome.text()
    questions.copy = str(tmp_path / "repaired.jsonl")
    save = there(panel.findChild(QPushButton, "save_copy"))
    assert save.isEnabled()
    qtbot.mouseClick(save, LEFT)
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    assert window.side.repair.currentWidget() is window.side.repair.saved
    qtbot.mouseClick(window.side.repair.saved.findChild(QPushButton, "open_saved"), LEFT)
    settle(window.document)
    assert window.document.path == questions.copy
    assert there(window.document.log).overview.sessions[0].verdict == "healthy"


def test_what_is_left_as_it_is_blocks_all_saves_but_a_copy_and_says_why(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    open_small(window, settle, tmp_path)
    window.side.show_tab(window.side.repair)
    panel = window.side.repair.panel
    view, model = panel.changes.view, panel.changes.model
    added = next(leaf for leaf in range(9) if model.index_of_leaf(leaf).data(ItemRole.MARK) == "added")
    click_cell(qtbot, view, model.index_of_leaf(added))
    qtbot.mouseClick(panel.findChild(QPushButton, "reject_change"), LEFT)
    settle(window.document)
    save = there(panel.findChild(QPushButton, "save_new_session"))
    assert not save.isEnabled()
    assert there(panel.findChild(QPushButton, "save_copy")).isEnabled()
    assert "What you left as it is would still be refused." in save.toolTip()
    assert view.currentIndex().data(ItemRole.MARK) == "rejected"
    qtbot.mouseClick(panel.findChild(QPushButton, "accept_change"), LEFT)
    settle(window.document)
    assert save.isEnabled()


def test_in_place_asks_first(
    qtbot: QtBot, window: MainWindow, questions: FakeQuestions, settle: Settle, tmp_path: Path
) -> None:
    path = open_small(window, settle, tmp_path)
    before = path.read_bytes()
    window.window_actions[Action.SAVE_IN_PLACE].trigger()
    assert questions.asked == ["in-place"]
    assert path.read_bytes() == before
    questions.closed = True
    window.window_actions[Action.SAVE_IN_PLACE].trigger()
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    settle(window.document)
    assert path.read_bytes() != before
    assert Path(f"{path}.backup").read_bytes() == before
    assert there(window.document.log).overview.sessions[0].verdict == "healthy"
    assert window.side.repair.currentWidget() is window.side.repair.saved


def test_resume_command_is_copied(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path)
    window.side.show_tab(window.side.repair)
    qtbot.mouseClick(window.side.repair.panel.findChild(QPushButton, "save_new_session"), LEFT)
    qtbot.waitUntil(lambda: window.document.saved is not None, timeout=PATIENCE_MS)
    qtbot.mouseClick(window.side.repair.saved.findChild(QPushButton, "copy_command"), LEFT)
    assert QGuiApplication.clipboard().text() == "agent --resume 1234"


def test_f8_walks_the_findings(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path)
    window.outline.view.setFocus()
    seen = []
    for _ in range(3):
        seen.append(window.outline.view.currentIndex().siblingAtColumn(OutlineColumn.LINE).data())
        qtbot.keyClick(window.outline.view, Qt.Key.Key_F8)
    assert seen == ["6", "6", "7"]
    qtbot.keyClick(window.outline.view, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert there(window.document.log).findings[window.document.finding].call_id == "ghost"


def test_click_and_enter_on_a_pair_go_to_the_counterpart(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    open_small(window, settle, tmp_path)
    view, model = window.outline.view, window.outline.model
    call = there(window.document.log).outline.mark.find(1)
    view.expand(model.index_of(call).parent())
    click_cell(qtbot, view, model.index_of(call, OutlineColumn.PAIR))
    assert view.currentIndex().data(ItemRole.MARK) == 2
    assert view.viewport().rect().contains(view.visualRect(view.currentIndex()).center())
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.currentIndex().internalId() == call


def test_a_dropped_file_is_opened(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(write_healthy(tmp_path / "a.jsonl")))])
    window.dropEvent(QDropEvent(QPointF(10, 10), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier))
    settle(window.document)
    assert there(window.document.log).overview.sessions[0].verdict == "healthy"
    assert Settings().recent == [str(tmp_path / "a.jsonl")]


def test_open_by_dialog(window: MainWindow, questions: FakeQuestions, settle: Settle, tmp_path: Path) -> None:
    questions.log = str(write_healthy(tmp_path / "a.jsonl"))
    window.window_actions[Action.OPEN].trigger()
    settle(window.document)
    assert questions.asked == ["open"]
    assert window.windowTitle() == "a.jsonl – Transcript Inspector"


def test_expansion_survives_the_complete_outline(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_big(tmp_path / "a.jsonl", 2000)))
    node = there(window.document.log).outline.node_of_record[41]
    window.outline.view.expand(window.outline.model.index_of(node).parent())
    window.outline.view.setCurrentIndex(window.outline.model.index_of(node))
    settle(window.document)
    now = there(window.document.log).outline.node_of_record[41]
    assert now != node
    assert window.outline.view.currentIndex().internalId() == now
    assert window.outline.view.isExpanded(window.outline.model.index_of(now).parent())


def test_raw_shows_the_bytes_and_where_they_stand(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    path = open_small(window, settle, tmp_path)
    window.side.show_tab(window.side.raw)
    window.document.select_node(there(window.document.log).outline.node_of_record[0])
    first = path.read_bytes().split(b"\n")[0]
    assert window.side.raw._text.toPlainText() == first.decode()
    assert window.side.raw._place.text() == f"Line 1 · bytes 0–{len(first)} · {len(first)} bytes"


def test_details_are_plain_text(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"role": "user", "blocks": [{"kind": "text", "text": "<b>bold</b> \\u202e <img src=x>"}]}\n')
    window.open(str(path))
    settle(window.document)
    window.side.show_tab(window.side.details)
    window.document.select_node(there(window.document.log).outline.node_of_record[0])
    assert "<b>bold</b> ⟦U+202E⟧ <img src=x>" in window.side.details.page.toPlainText()


def test_several_sessions_are_a_list(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path)
    assert not window.sessions.isVisible()
    open_small(window, settle, tmp_path, "b.jsonl", 3)
    assert window.sessions.isVisible()
    click_cell(qtbot, window.sessions.view, window.sessions.model.index(2, 0))
    assert there(window.document.log).session_of(window.document.node) == 2
    assert window.outline.view.currentIndex().data() == "Session 3"


def test_unjudged_log_offers_formats(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path, "unjudged.jsonl")
    assert window.outline.model.rowCount() == 1
    read = next(button for button in window.verdict.findChildren(QPushButton) if button.text() == "Read")
    # A click goes to what lies at the place: the panel must have been laid out.
    qtbot.waitUntil(lambda: window.childAt(read.mapTo(window, read.rect().center())) is read, timeout=PATIENCE_MS)
    qtbot.mouseClick(read, LEFT)
    settle(window.document)
    assert window.document.format_name == "fake"
    assert there(window.document.log).overview.sessions[0].verdict == "broken"


def test_unreadable_log_is_a_sentence_with_what_to_do(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path, "bad-headless.jsonl")
    assert window.welcome.isVisible()
    assert "Choose a .jsonl file." in window.welcome.sentence.text()


def test_healthy_log_has_nothing_to_repair(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_healthy(tmp_path / "a.jsonl")))
    settle(window.document)
    assert [
        label.text()
        for label in window.side.repair.panel.findChildren(PlainLabel)
        if "nothing to repair" in label.text()
    ]
    assert not window.side.repair.panel.changes.view.isVisibleTo(window.side)
    assert not window.window_actions[Action.SAVE_COPY].isEnabled()
    assert not window.window_actions[Action.NEXT_FINDING].isEnabled()


def test_dead_child_shows_a_bar_with_try_again(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path, "crash.jsonl")
    bar = window._bar
    assert bar.isVisible()
    assert "exited unexpectedly" in bar.sentence.text()
    assert bar.offer.text() == "Try again"


def test_hidden_columns_are_remembered(window: MainWindow) -> None:
    menu = window.outline.view.column_menu(window)
    next(action for action in menu.actions() if action.text() == "Tokens").setChecked(False)
    assert window.outline.view.isColumnHidden(OutlineColumn.TOKENS)
    assert Settings().hidden_columns == ["TOKENS"]


def test_expand_all_stops_somewhere(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path)
    window.outline.view.setCurrentIndex(window.outline.model.index(0, 0))
    window.window_actions[Action.EXPAND_BELOW].trigger()
    call = there(window.document.log).outline.mark.find(1)
    parent = window.outline.model.index_of(call).parent()
    qtbot.waitUntil(lambda: window.outline.view.isExpanded(parent), timeout=PATIENCE_MS)


def test_no_two_actions_share_a_key(window: MainWindow) -> None:
    keys = Counter(
        key.toString() for action in Action for key in window.window_actions[action].shortcuts() if not key.isEmpty()
    )
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_input_has_an_accessible_name(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path)
    window.side.show_tab(window.side.repair)
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and not widget.accessibleName()
        and not (widget.metaObject().indexOfProperty("text") >= 0 and widget.property("text"))
        and not widget.objectName().startswith("qt_")
    ]
    assert [type(widget).__name__ for widget in nameless] == []


def test_dark_and_light_are_different(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path)
    light = window.grab().toImage()
    theme.apply("dark")
    dark = window.grab().toImage()
    theme.apply("light")
    corner = QPoint(window.width() - 8, window.height() // 2)
    assert light.pixelColor(corner).lightness() > 200 > 100 > dark.pixelColor(corner).lightness()


def test_window_can_be_small(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    for number in range(8):
        Settings().add_recent(str(tmp_path / f"{number}.jsonl"))
    open_small(window, settle, tmp_path)
    window.side.show_tab(window.side.repair)
    window.resize(1000, 650)
    assert (window.width(), window.height()) == (1000, 650)


def test_narrow_tree_gives_its_room_to_the_conversation(window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    open_small(window, settle, tmp_path)
    view = window.outline.view
    assert not view.isColumnHidden(OutlineColumn.TIME)
    window.resize(800, 650)
    assert view.isColumnHidden(OutlineColumn.TOKENS)
    assert not view.isColumnHidden(OutlineColumn.PAIR)
    assert Settings().hidden_columns == []
    window.resize(1400, 800)
    assert not view.isColumnHidden(OutlineColumn.TOKENS)


def test_the_largest_number_of_a_pair_is_shown_whole_in_a_narrow_tree(
    window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.resize(1000, 650)
    window.open(str(write_big(tmp_path / "a.jsonl", 4000, broken=False)))
    settle(window.document)
    view, outline = window.outline.view, there(window.document.log).outline
    nodes = outline.node_of_block(11_998, 1), outline.node_of_block(11_999, 0)
    columns = OutlineColumn.PAIR, OutlineColumn.LINE
    cells = [window.outline.model.index_of(node, column) for node in nodes for column in columns]
    assert [cell.data() for cell in cells] == ["answered → #12000", "11,999", "answers → #11999", "12,000"]
    assert view.is_narrow
    for cell in cells:
        assert view.fontMetrics().horizontalAdvance(cell.data()) < view.columnWidth(cell.column()) - 2 * PADDING


def test_checks_that_did_not_run_are_run_from_where_they_are_told(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    open_small(window, settle, tmp_path)
    window.document.repair.choose_for_rule("R1", "drop")
    settle(window.document)
    line = window.statusBar()
    assert isinstance(line, StatusBar)
    skipped = line.skipped
    assert skipped.text() == "1 check was skipped. Run it"
    qtbot.mouseClick(skipped, LEFT)
    settle(window.document)
    assert not skipped.isVisible()
    assert window.document.repair.choices.rules == {"R1": "drop"}


def test_expanding_says_where_it_stopped(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> None:
    window.open(str(write_big(tmp_path / "a.jsonl", 3000, broken=False)))
    settle(window.document)
    window.document.select_node(1)
    qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: window.document.notice is not None, timeout=PATIENCE_MS)
    sentence = there(window.document.notice).sentence
    assert sentence.startswith("Expanded ")
    stopped = int(sentence.split("line ")[1].split(".")[0].replace(",", ""))
    outline, model, view = there(window.document.log).outline, window.outline.model, window.outline.view
    turns = [node for node in range(len(outline)) if outline.kind[node] == NodeKind.TURN and outline.count[node]]
    above = [node for node in turns if outline.record[node] + 1 < stopped]
    assert above
    assert all(view.isExpanded(model.index_of(node)) for node in above)
    assert len(above) < len(turns)
