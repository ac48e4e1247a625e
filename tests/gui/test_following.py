"""A log that changes on disk while it is open: what is new is read and marked, and no choice is lost."""

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from inspector.core.engine import activity
from inspector.core.engine.log import OpenLog
from inspector.gui.common import theme
from inspector.gui.common.actions import Action
from inspector.gui.models.logs_model import LogColumn
from inspector.gui.models.outline_model import OutlineColumn
from inspector.gui.state import file_watcher
from inspector.gui.state.document import Document
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.state.navigation import make_node_key
from inspector.gui.state.record_reader import RecordReader, RecordSummary
from inspector.gui.window.main_window import MainWindow
from tests.core.formats import opencode
from tests.core.repair.logs import written
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import call, line, text, write_big, write_small
from tests.gui.there import there
from tests.support import product
from tests.support.notation import claude_code_records, parse

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
OPEN_CALL = 'u"run the tests" | a"ok"{A@Bash}'


def shown(window: MainWindow, settle: Settle, path: Path) -> MainWindow:
    """A window on a log, which looks at the disk more often than for a person."""
    window.document.watcher.poll_timer.setInterval(20)
    window.open(str(path))
    settle(window.document)
    return window


def add(path: Path, *lines: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{each}\n" for each in lines))


def node_of(window: MainWindow, record: int) -> int:
    return there(window.document.log).outline.node_of_record[record]


def says(qtbot: QtBot, window: MainWindow, words: str) -> None:
    """Wait until the bar below all panes says it."""

    def told() -> None:
        assert window._bar.isVisible()
        assert words in window._bar.sentence.text()

    qtbot.waitUntil(told, timeout=PATIENCE_MS)


@pytest.fixture
def small(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    return shown(window, settle, write_small(tmp_path / "a.jsonl"))


def test_the_bar_about_new_records_does_not_move_the_tree(qtbot: QtBot, small: MainWindow, settle: Settle) -> None:
    view = small.outline.view
    before = view.mapTo(small, QPoint()).y()
    add(Path(small.document.path), line("user", text("One more thing")), line("assistant", text("Yes?")))
    says(qtbot, small, "The log has grown: 2 new records.")
    settle(small.document)
    qtbot.wait(50)
    assert view.mapTo(small, QPoint()).y() == before


def test_a_log_that_grows_is_read_on_and_marked_where_the_person_looked_last(
    qtbot: QtBot, small: MainWindow, settle: Settle
) -> None:
    path, before = Path(small.document.path), len(there(small.document.log).starts)
    place = make_node_key(there(small.document.log).outline, small.document.node)
    add(path, line("user", text("One more thing")), line("assistant", text("Yes?")))
    says(qtbot, small, "The log has grown: 2 new records.")
    settle(small.document)
    log = there(small.document.log)
    assert len(log.starts) == before + 2
    assert make_node_key(log.outline, small.document.node) == place
    small.window_actions[Action.EXPAND_BELOW].trigger()
    qtbot.mouseClick(small._bar.offer, LEFT)
    view = small.outline.view
    assert log.outline.record[view.currentIndex().internalId()] == before
    assert not small._bar.isVisible()
    edge = view.visualRect(view.currentIndex()).center()
    edge.setX(1)
    assert view.viewport().grab().toImage().pixelColor(edge) == theme.ACCENT.for_palette(small.palette())


def test_what_was_shown_is_not_read_again_when_more_comes_behind_it(
    qtbot: QtBot, small: MainWindow, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    last, read = len(there(small.document.log).starts), list[int]()
    make = RecordReader._make_brief

    def noted(reader: RecordReader, record: int) -> RecordSummary:
        read.append(record)
        return make(reader, record)

    monkeypatch.setattr(RecordReader, "_make_brief", noted)
    add(Path(small.document.path), line("user", text("One more thing")))
    says(qtbot, small, ": 1 new record.")
    settle(small.document)
    small.grab()
    assert set(read) == {last}
    qtbot.keyClick(small, Qt.Key.Key_F5)
    settle(small.document)
    small.grab()
    assert set(read) == set(range(last + 1))


@pytest.mark.parametrize("size", [0, 10_000_000])
def test_a_large_log_rests_in_proportion_to_what_reading_it_took(
    qtbot: QtBot, small: MainWindow, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(file_watcher, "_SHORT", 0 if size else 10_000_000)
    assert small.document.watcher._min_pause_ms == 0
    add(Path(small.document.path), line("user", text("One")))
    says(qtbot, small, ": 1 new record.")
    assert bool(small.document.watcher._min_pause_ms) == bool(size)


def test_what_comes_while_nobody_looks_is_counted_together(qtbot: QtBot, small: MainWindow) -> None:
    path = Path(small.document.path)
    add(path, line("user", text("One")))
    says(qtbot, small, ": 1 new record.")
    add(path, line("user", text("Two")))
    says(qtbot, small, ": 2 new records.")
    small.document.dismiss_notice()
    add(path, line("user", text("Three")))
    says(qtbot, small, ": 1 new record.")


def test_the_place_in_the_tree_stays_each_time_the_log_grows(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = write_big(tmp_path / "a.jsonl", 30)
    view = shown(window, settle, path).outline.view
    window.document.select_node(node_of(window, 8))
    view.collapse(window.outline.model.index_of(node_of(window, 0)))
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2 + 5)
    top, scrolled = view.indexAt(QPoint(4, 4)).data(), bar.value()
    for count in (1, 2):
        add(path, line("user", text("One more thing")))
        says(qtbot, window, f": {count} new record")
        settle(window.document)
        assert (view.indexAt(QPoint(4, 4)).data(), bar.value()) == (top, scrolled)
        assert view.currentIndex().internalId() == window.document.node
        assert not view.isExpanded(window.outline.model.index_of(node_of(window, 0)))


def test_a_finding_in_what_is_new_does_not_move_the_reader(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = write_big(tmp_path / "a.jsonl", 30, broken=False)
    bar = shown(window, settle, path).outline.view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    node, scrolled = window.document.node, bar.value()
    add(path, line("assistant", call("Bash", "open")))
    says(qtbot, window, ": 1 new record.")
    settle(window.document)
    assert len(there(window.document.log).findings)
    assert (window.document.node, bar.value()) == (node, scrolled)


def test_half_a_line_is_waited_for(qtbot: QtBot, small: MainWindow) -> None:
    path, before = Path(small.document.path), len(there(small.document.log).starts)
    whole = line("user", text("A line that is being written"))
    small.document.watcher.poll_timer.stop()
    with path.open("a") as file:
        file.write(whole[:20])
    small.document.watcher._on_look_timeout()
    with path.open("a") as file:
        file.write(whole[20:] + "\n")
    small.document.watcher.poll_timer.start()
    says(qtbot, small, ": 1 new record.")
    assert len(there(small.document.log).starts) == before + 1


def test_choices_stay_and_what_no_longer_applies_is_said(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", 'u"go" | a{A} | u"and?" | a"hm"{B} | u"so?" | a"ok"')
    window = shown(real_window, settle, path)
    document = window.document
    for finding in range(2):
        document.select_finding(finding)
        document.repair.choose_for_finding(finding, "drop-call")
        settle(document)
    chosen = dict(document.repair.choices.findings)
    assert len(chosen) == 2
    qtbot.keyClick(window, Qt.Key.Key_F5)
    settle(document)
    assert document.repair.choices.findings == chosen
    assert document.repair.undo_stack.canUndo()
    (tmp_path / "other").mkdir()
    path.write_bytes(written(tmp_path / "other", "claude-code", 'u"go" | a{A} | u"and?" | a"ok"').read_bytes())
    says(qtbot, window, "The log became shorter because it was truncated or rewritten, so it was read again")
    says(
        qtbot,
        window,
        "drop-call has no effect, because this log has no D2 (unanswered-call) finding",
    )
    assert document.repair.choices.findings == chosen


def test_a_log_that_never_existed_is_not_called_deleted(
    qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    window.open(str(tmp_path / "never.jsonl"))
    settle(window.document)
    said = there(window.document.notice).sentence
    assert "never.jsonl cannot be read" in said
    with qtbot.waitSignal(window.document.watcher.log_changed, timeout=PATIENCE_MS):
        pass
    assert there(window.document.notice).sentence == said


def test_deleted_is_told_from_changed_and_can_be_tried_again(qtbot: QtBot, small: MainWindow, settle: Settle) -> None:
    path = Path(small.document.path)
    aside = path.rename(path.with_name("moved.jsonl"))
    says(qtbot, small, "The log was deleted, moved or renamed.")
    assert small._bar.offer.text() == "Try again"
    add(aside, line("user", text("Back again")))
    aside.rename(path)
    qtbot.mouseClick(small._bar.offer, LEFT)
    settle(small.document)
    assert not small._bar.isVisible()
    path.write_bytes(path.read_bytes().replace(b"Running", b"Ruining"))
    says(qtbot, small, "The log changed on disk and was read again.")


def test_a_log_that_was_put_in_the_place_of_another_is_read(qtbot: QtBot, small: MainWindow) -> None:
    path = Path(small.document.path)
    begun = path.with_name("rotated")
    begun.write_text(line("user", text("A new log")) + "\n")
    os.replace(begun, path)
    says(qtbot, small, "it was truncated or rewritten")
    assert len(there(small.document.log).starts) == 1


# logs of many files or rows

STARTED = opencode.messages_of(parse('u"go" | a"t"{A} | r(A=done) | u"and now?"'))
GOES_ON = opencode.messages_of(parse('u"go" | a"t"{A} | r(A=done) | u"and now?" | a"wait"{B}'))
ENDED = opencode.messages_of(parse('u"go" | a"t"{A} | r(A=done) | u"and now?" | a"wait"{B} | r(B=fine)'))
OTHER_ID = "ses_0other"


@pytest.mark.parametrize("of_session", [False, True], ids=["folder", "session"])
def test_a_folder_is_followed(
    of_session: bool, qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    store = opencode.write_folder(STARTED, tmp_path / "storage")
    own = store / "session" / opencode.PROJECT / f"{opencode.SESSION}.json"
    window = shown(real_window, settle, own if of_session else store)
    opencode.write_folder(GOES_ON, store)
    says(qtbot, window, "The log has grown: 1 new record.")
    settle(window.document)
    assert pair_of(window) == "running"
    opencode.write_folder(ENDED[-1:], store)  # Its result comes into the file of the call.
    qtbot.waitUntil(lambda: pair_of(window) == "answers → #4", timeout=PATIENCE_MS)


def of_other(message: opencode.Message) -> opencode.Message:
    """The message in another session."""
    text = json.dumps(message).replace(opencode.SESSION, OTHER_ID).replace("msg_", "msg_x").replace("prt_", "prt_x")
    moved: opencode.Message = json.loads(text)
    return moved


def test_of_a_database_the_session_that_grows_is_at_work_and_no_other(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = opencode.write_database(STARTED, tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as database:
        stuck = opencode.messages_of(parse('u"go" | a"t"{A}'))
        opencode.fill(database, [of_other(message) for message in stuck], {**opencode.INFO, "id": OTHER_ID})
        window = shown(real_window, settle, path)
        before = {session.id: session.verdict for session in there(window.document.log).overview.sessions}
        message = GOES_ON[-1]
        opencode.put_in(database, [message], opencode.SESSION)
        says(qtbot, window, "The log has grown: 1 new record.")
        settle(window.document)
        now = {session.id: session.verdict for session in there(window.document.log).overview.sessions}
        assert now[OTHER_ID] == before[OTHER_ID]
        assert (before[opencode.SESSION], now[opencode.SESSION]) == ("healthy", "waiting")


def test_a_log_of_messages_that_is_written_anew_with_more_of_them_has_grown(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = tmp_path / "api_conversation_history.json"
    said = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "ok"}]
    path.write_text(json.dumps(said, indent=2))
    window = shown(real_window, settle, path)
    path.write_text(json.dumps([*said, {"role": "user", "content": "and now?"}], indent=2))
    says(qtbot, window, "The log has grown: 1 new record.")


def test_what_lies_beside_a_log_is_followed(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", 'u"go" | a"ok"')
    window = shown(real_window, settle, path)
    (tmp_path / "beside").mkdir()
    started = written(tmp_path / "beside", "claude-code", 'u"look" | a"found"')
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    beside = started.rename(folder / "agent-1.jsonl")
    says(qtbot, window, "The log has grown: 2 new records.")
    settle(window.document)
    window.document.dismiss_notice()
    add(beside, beside.read_text().splitlines()[-1].replace("-", "f", 1))
    says(qtbot, window, "The log has grown: 1 new record.")


# running or broken


def pair_of(window: MainWindow) -> str:
    """What the tree says of the last call."""
    outline = there(window.document.log).outline
    node = max(node for node in range(len(outline)) if outline.mark[node])
    return str(window.outline.model.index_of(node, OutlineColumn.PAIR).data())


def shown_as_its_last_record_comes(qtbot: QtBot, window: MainWindow, settle: Settle, path: Path) -> MainWindow:
    *first, last = path.read_text().splitlines(keepends=True)
    path.write_text("".join(first))
    shown(window, settle, path)
    add(path, last.rstrip("\n"))
    says(qtbot, window, ": 1 new record.")
    settle(window.document)
    return window


def test_a_call_at_the_end_of_a_log_that_grows_is_running(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", 'u"run the tests" | a"ok"{A@Bash}')
    window = shown_as_its_last_record_comes(qtbot, real_window, settle, path)
    assert pair_of(window) == "running"
    session = there(window.document.log).overview.sessions[0]
    assert session.verdict == "waiting"
    assert "its tool calls are waiting for their results" in session.sentence
    assert there(window.document.log).findings[0].message == "The call to Bash is running."
    qtbot.keyClick(window, Qt.Key.Key_F5)  # Nothing tells any more that anybody is at work.
    settle(window.document)
    assert pair_of(window) == "no result"


def test_parallel_calls_are_running_while_only_some_of_them_have_their_results(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", 'u"run both" | a"ok"{A@Bash,B@Bash} | r(A=done)')
    window = shown_as_its_last_record_comes(qtbot, real_window, settle, path)
    assert there(window.document.log).overview.sessions[0].verdict == "waiting"
    assert "The agent is running" in there(window.document.log).overview.sessions[0].sentence
    qtbot.keyClick(window, Qt.Key.Key_F5)  # Nothing tells any more that anybody is at work.
    settle(window.document)
    assert there(window.document.log).overview.sessions[0].verdict == "broken"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
def test_list_window_and_command_say_the_same_of_a_log_that_a_program_holds(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", OPEN_CALL)
    assert product.check(path).session["verdict"] == "broken"
    with held(path):
        told = product.check(path).session
        window = shown(real_window, settle, path)
        session = there(window.document.log).overview.sessions[0]
        window.open(str(path.parent))
        qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
        row = window.logs.table.model().index(0, LogColumn.VERDICT)
        assert (told["verdict"], session.verdict, row.data()) == ("waiting", "waiting", "Waiting")
        assert [finding["message"] for finding in told["findings"]] == ["The call to Bash is running."]
    assert product.check(path).session["verdict"] == "broken"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
def test_a_call_whose_program_ended_does_not_stay_running(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", OPEN_CALL)
    with held(path):
        window = shown(real_window, settle, path)
        assert pair_of(window) == "running"
    window.document.watcher.activity_timer.setInterval(50)
    qtbot.waitUntil(lambda: pair_of(window) == "no result", timeout=PATIENCE_MS)
    says(qtbot, window, "The agent seems to have stopped: ")


def test_a_session_that_grew_is_at_work_until_it_was_silent_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(activity.time, "monotonic", lambda: now[0])
    growth, history = activity.GrowthTracker(), 'u"go" | a"ok"'
    seen = []
    for minute, more in enumerate(("", ' | u"on"', "", "")):
        now[0], history = minute * 540.0, history + more
        with OpenLog.of_bytes(lines_of(history)) as log:
            growth.update(log.log, followed=minute > 0)
            seen.append((log.log.sessions[0].agent_active, growth.is_growing))
    assert seen == [(False, False), (True, True), (True, True), (False, False)]


@contextmanager
def held(path: Path) -> Iterator[None]:
    """A program that has a log open to write to it, for a while."""
    holds = "import sys; file = open(sys.argv[1], 'a'); print('held', flush=True); sys.stdin.read()"
    with Popen([sys.executable, "-c", holds, str(path)], stdin=PIPE, stdout=PIPE) as agent:
        assert there(agent.stdout).readline() == b"held\n"
        forget_what_was_seen()
        yield
        there(agent.stdin).close()
    forget_what_was_seen()


def lines_of(history: str) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in claude_code_records(parse(history)))


def forget_what_was_seen() -> None:
    """What was seen of other programs is kept for a moment."""
    activity._files_being_written.cache_clear()
