"""What is done with the selected logs of a list at once: repaired copies, bundles, repairs to send back, replies."""

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.dialogs.share_dialogs import SaveExplanationDialog
from inspector.gui.models.logs_model import LogColumn, LogsModel
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.test_logs_list import verdicts_of
from tests.gui.test_tickets import drop, row_of
from tests.gui.there import there
from tests.support import product
from tests.support.archives import zipped

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def listed(qtbot: QtBot, real_window: MainWindow, samples: Path, tmp_path: Path) -> LogsModel:
    """Two broken tickets and a healthy one, all selected."""
    tickets = [
        zipped(tmp_path, {"log.jsonl": (samples / name).read_bytes()}, ticket)
        for ticket, name in (
            ("ticket-1.zip", "claude-code-broken.jsonl"),
            ("ticket-2.zip", "codex-broken.jsonl"),
            ("ticket-3.zip", "pi-healthy.jsonl"),
        )
    ]
    model = drop(qtbot, real_window, tickets)
    real_window.logs.table.selectAll()
    return model


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def wait_for_facts(qtbot: QtBot, window: MainWindow, text: str) -> None:
    qtbot.waitUntil(lambda: text in window.logs.facts.text(), timeout=PATIENCE_MS)


def test_repaired_copies_are_written_below_their_tickets(
    qtbot: QtBot, real_window: MainWindow, listed: LogsModel, questions: FakeQuestions, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    questions.folder = str(out)
    real_window.window_actions[Action.SAVE_COPY].trigger()
    wait_for_facts(qtbot, real_window, "2 files were written to ")
    assert questions.asked[-1] == "Save repaired copies of the selected logs"
    assert real_window.logs.facts.text() == f"2 files were written to {out}. 1 log needs no repair."
    repaired = [name for name in files(out) if not name.endswith(".quarantine")]
    assert repaired == ["ticket-1.zip/log.jsonl", "ticket-2.zip/log.jsonl"]
    assert product.check(out).code == 0
    assert sum(verdict.endswith("repaired") for verdict in verdicts_of(real_window)) == 2
    assert "ticket-1.zip/log.jsonl → " in real_window.logs.names.toPlainText()
    real_window.window_actions[Action.SAVE_COPY].trigger()
    wait_for_facts(qtbot, real_window, "2 files already existed.")
    assert real_window.logs.facts.text().startswith("0 files were written to ")


@pytest.mark.parametrize(
    ("action", "suffix", "title", "tickets"),
    [
        (Action.BUNDLE, ".bundle.zip", "Create bundles for the selected logs", (1, 2, 3)),
        (Action.SEND_BACK, ".repair.zip", "Prepare repairs to send back for the selected logs", (1, 2)),
    ],
)
def test_bundles_and_repairs_to_send_back(
    qtbot: QtBot, real_window: MainWindow, listed: LogsModel, questions: FakeQuestions, tmp_path: Path,
    action: Action, suffix: str, title: str, tickets: tuple[int, ...],
) -> None:  # fmt: skip
    out = tmp_path / "out"
    questions.folder = str(out)
    real_window.window_actions[action].trigger()
    dialog = there(real_window.findChild(SaveExplanationDialog))
    assert dialog.windowTitle() == title
    qtbot.mouseClick(dialog.save, LEFT)
    wait_for_facts(qtbot, real_window, "written to")
    names = [name for name in files(out) if name.endswith(suffix)]
    assert names == files(out)
    assert names == [f"ticket-{number}.zip/log.jsonl{suffix}" for number in tickets]
    for name in names:
        with zipfile.ZipFile(out / name) as archive:
            assert archive.testzip() is None


def test_nothing_is_written_without_a_folder_or_a_selection(
    real_window: MainWindow, listed: LogsModel, questions: FakeQuestions, tmp_path: Path
) -> None:
    real_window.window_actions[Action.SAVE_COPY].trigger()
    assert questions.asked == ["Save repaired copies of the selected logs"]
    assert real_window.logs.facts.text().startswith("3 logs")
    real_window.logs.table.clearSelection()
    for action in (Action.SAVE_COPY, Action.BUNDLE, Action.SEND_BACK):
        assert not real_window.window_actions[action].isEnabled()
        assert "Select a log or a ticket first." in real_window.window_actions[action].toolTip()


def test_every_ticket_has_a_reply(qtbot: QtBot, real_window: MainWindow, listed: LogsModel) -> None:
    logs, replies = real_window.logs, []
    for name in ("ticket-1", "ticket-3"):
        logs.table.setCurrentIndex(listed.index(row_of(listed, name), LogColumn.TITLE))
        qtbot.mouseClick(logs.reply, LEFT)
        replies.append(QGuiApplication.clipboard().text())
    cause = listed.index(row_of(listed, "ticket-1"), LogColumn.CAUSE).data()
    verdict = "The session in ticket-1.zip cannot be resumed until it is repaired."
    assert replies[0].startswith(f"{verdict} {cause} To repair the session,")
    assert replies[1].startswith("We found nothing wrong with the history in ticket-3.zip.")


def test_the_replies_to_all_selected_tickets_are_copied(
    qtbot: QtBot, real_window: MainWindow, listed: LogsModel
) -> None:
    logs = real_window.logs
    assert len(logs.table.selectionModel().selectedRows()) == 3
    assert logs.reply.text() == "Copy 3 replies"
    qtbot.mouseClick(logs.reply, LEFT)
    replies = QGuiApplication.clipboard().text().split("\n\n")
    assert sorted(reply.partition(".zip")[0].rpartition(" ")[2] for reply in replies) == [
        "ticket-1",
        "ticket-2",
        "ticket-3",
    ]
