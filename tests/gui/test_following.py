"""A log that changes on disk while it is open: what is new is read and marked, and no choice is lost."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from inspector.core.engine import alive
from inspector.gui.basics import theme
from inspector.gui.basics.actions import Action
from inspector.gui.document.document import Document
from inspector.gui.document.node_keys import key_of
from inspector.gui.document.survey import Step
from inspector.gui.main_window.window import MainWindow
from inspector.gui.models.logs_model import LogColumn
from inspector.gui.models.outline_model import OutlineColumn
from tests import product
from tests.cases.logs import written
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import line, text, write_small
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton
OPEN_CALL = 'u"run the tests" | a"ok"{A@Bash}'


def shown(window: MainWindow, settle: Settle, path: Path) -> MainWindow:
    """A window on a log, which looks at the disk more often than for a person."""
    window.document.following.look.setInterval(20)
    window.open(str(path))
    settle(window.document)
    return window


def add(path: Path, *lines: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{each}\n" for each in lines))


def says(qtbot: QtBot, window: MainWindow, words: str) -> None:
    """Wait until the bar above all panes says it."""

    def told() -> None:
        assert window._bar.isVisible()
        assert words in window._bar.sentence.text()

    qtbot.waitUntil(told, timeout=PATIENCE_MS)


@pytest.fixture
def small(window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    return shown(window, settle, write_small(tmp_path / "a.jsonl"))


def test_a_log_that_grows_is_read_on_and_marked_where_the_person_looked_last(
    qtbot: QtBot, small: MainWindow, settle: Settle
) -> None:
    path, before = Path(small.document.path), len(there(small.document.log).starts)
    place = key_of(there(small.document.log).outline, small.document.node)
    add(path, line("user", text("One more thing")), line("assistant", text("Yes?")))
    says(qtbot, small, "The log has grown: 2 new records.")
    settle(small.document)
    log = there(small.document.log)
    assert len(log.starts) == before + 2
    assert key_of(log.outline, small.document.node) == place
    small.actions_table[Action.EXPAND_BELOW].trigger()
    qtbot.mouseClick(small._bar.offer, LEFT)
    view = small.outline.view
    assert log.outline.record[view.currentIndex().internalId()] == before
    assert not small._bar.isVisible()
    edge = view.visualRect(view.currentIndex()).center()
    edge.setX(1)
    assert view.viewport().grab().toImage().pixelColor(edge) == theme.ACCENT.on(small.palette())


def test_what_comes_while_nobody_looks_is_counted_together(qtbot: QtBot, small: MainWindow) -> None:
    path = Path(small.document.path)
    add(path, line("user", text("One")))
    says(qtbot, small, ": 1 new record.")
    add(path, line("user", text("Two")))
    says(qtbot, small, ": 2 new records.")
    small.document.dismiss_notice()
    add(path, line("user", text("Three")))
    says(qtbot, small, ": 1 new record.")


def test_half_a_line_is_waited_for(qtbot: QtBot, small: MainWindow) -> None:
    path, before = Path(small.document.path), len(there(small.document.log).starts)
    whole = line("user", text("A line that is being written"))
    small.document.following.look.stop()
    with path.open("a") as file:
        file.write(whole[:20])
    small.document.following._on_look_timeout()
    with path.open("a") as file:
        file.write(whole[20:] + "\n")
    small.document.following.look.start()
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
    says(qtbot, window, "The log on disk became shorter and was read again")
    says(qtbot, window, "drop-call was chosen for a finding of D2 unanswered-call that this log does not have")
    assert document.repair.choices.findings == chosen


def test_deleted_is_told_from_changed_and_can_be_tried_again(qtbot: QtBot, small: MainWindow, settle: Settle) -> None:
    path = Path(small.document.path)
    aside = path.rename(path.with_name("moved.jsonl"))
    says(qtbot, small, "The log is gone: it was deleted, moved or renamed.")
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
    says(qtbot, small, "it was cut off, or begun anew")
    assert len(there(small.document.log).starts) == 1


# running or broken


def pair_of(window: MainWindow) -> str:
    """What the tree says of the last call."""
    outline = there(window.document.log).outline
    node = max(node for node in range(len(outline)) if outline.mark[node])
    return str(window.outline.model.index_of(node, OutlineColumn.PAIR).data())


def test_a_call_at_the_end_of_a_log_that_grows_is_running(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", 'u"run the tests" | a"ok"{A@Bash}')
    *first, last = path.read_text().splitlines(keepends=True)
    path.write_text("".join(first))
    window = shown(real_window, settle, path)
    add(path, last.rstrip("\n"))
    says(qtbot, window, ": 1 new record.")
    settle(window.document)
    assert pair_of(window) == "running"
    session = there(window.document.log).overview.sessions[0]
    assert session.verdict == "waiting"
    assert "its open calls are running" in session.sentence
    assert there(window.document.log).findings[0].message == "The call to Bash is running."
    qtbot.keyClick(window, Qt.Key.Key_F5)  # Nothing tells any more that anybody is at work.
    settle(window.document)
    assert pair_of(window) == "no result"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
def test_list_window_and_command_say_the_same_of_a_log_that_a_program_holds(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, tmp_path: Path
) -> None:
    path = written(tmp_path, "claude-code", OPEN_CALL)
    assert product.check(path).session["verdict"] == "broken"
    holds = "import sys; file = open(sys.argv[1], 'a'); print('held', flush=True); sys.stdin.read()"
    with Popen([sys.executable, "-c", holds, str(path)], stdin=PIPE, stdout=PIPE) as agent:
        assert there(agent.stdout).readline() == b"held\n"
        forget_what_was_seen()
        told = product.check(path).session
        window = shown(real_window, settle, path)
        session = there(window.document.log).overview.sessions[0]
        window.open(str(path.parent))
        qtbot.waitUntil(lambda: window.survey.step == Step.DONE, timeout=PATIENCE_MS)
        row = window.logs.table.model().index(0, LogColumn.VERDICT)
        assert (told["verdict"], session.verdict, row.data()) == ("waiting", "waiting", "Waiting")
        assert [finding["message"] for finding in told["findings"]] == ["The call to Bash is running."]
        there(agent.stdin).close()
    forget_what_was_seen()
    assert product.check(path).session["verdict"] == "broken"


def forget_what_was_seen() -> None:
    """What was seen of other programs is kept for a moment."""
    alive._held.cache_clear()
