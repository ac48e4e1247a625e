"""Every dropped ticket is a row with its own name; one without a log says why, with a reply to its sender."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.gui.common.content_hiding import hiding
from inspector.gui.models.logs_model import LogColumn
from inspector.gui.state.load_status import Phase
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.test_logs_list import titles
from tests.gui.test_tickets import drop, row_of
from tests.gui.there import there
from tests.support.archives import locked, zipped

CONTINUE = b'{"sessionId": "1", "workspaceDirectory": "/home/u", "history": [{"message": {}}]}'
# The history does not end in the part of the file that is looked at.
LONG_CONTINUE = b"".join(
    (
        b'{\n  "sessionId": "1",\n  "workspaceDirectory": "/home/u",\n  "history": [\n    {\n      "message": "',
        b" ".join(b"%d" % number for number in range(60_000)),
        b'"\n    }\n  ]\n}\n',
    )
)


@pytest.fixture
def tickets(tmp_path: Path, samples: Path) -> list[Path]:
    """A log and its twin, and eight tickets that cannot be read, each for another reason."""
    log = (samples / "claude-code-broken.jsonl").read_bytes()
    made = [
        zipped(tmp_path, {"log.jsonl": log}, "ticket-1001.zip"),
        zipped(tmp_path, {"log.jsonl": log}, "ticket-1002.zip"),
        locked(zipped(tmp_path, {"log.jsonl": log}, "ticket-1003.zip")),
        tmp_path / "ticket-1004.zip",
        zipped(tmp_path, {"log.jsonl": "{}".encode("utf-16")}, "ticket-1005.zip"),
        tmp_path / "ticket-1006.7z",
        zipped(tmp_path, {"run.json": CONTINUE, "readme.txt": b"hello"}, "ticket-1007.zip"),
        tmp_path / "ticket-1008.pdf",
        tmp_path / "ticket-1009.pdf",
        tmp_path / "ticket-1010.txt",
    ]
    made[3].write_bytes(made[0].read_bytes()[:700])
    made[5].write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(90))
    for path in made[7:9]:
        path.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj")
    made[9].write_bytes(b"")
    return made


def test_a_ticket_that_cannot_be_read_is_a_row_that_says_why(
    qtbot: QtBot, real_window: MainWindow, tickets: list[Path]
) -> None:
    model = drop(qtbot, real_window, tickets)
    ModelTester(None).check(model)
    causes = {titles(model)[row][:11]: model.index(row, LogColumn.CAUSE).data() for row in range(model.rowCount())}
    assert model.rowCount() == len(tickets) == len(causes)
    assert causes["ticket-1001"] == causes["ticket-1002"]
    assert {name: said for name, said in causes.items() if name > "ticket-1002"} == {
        "ticket-1003": "It is password-protected. Ask for a file without a password.",
        "ticket-1004": "The upload was cut off. Ask for the file again.",
        "ticket-1005": "It contains no log in a supported format.",
        "ticket-1006": "It is packed with 7z. Unpack it first.",
        "ticket-1007": "The format is not supported yet: Continue.",
        "ticket-1008": "It is a PDF document, not a log. Ask for the log.",
        "ticket-1009": "It is a PDF document, not a log. Ask for the log.",
        "ticket-1010": "It is empty. Ask for the file again.",
    }


def test_tickets_with_the_same_bytes_have_their_own_rows_and_name_each_other(
    qtbot: QtBot, real_window: MainWindow, tickets: list[Path]
) -> None:
    model, table = drop(qtbot, real_window, tickets), real_window.logs.table
    shown = [title for title in titles(model) if "same as" in title]
    assert [title.split(" · ")[:2] for title in sorted(shown)] == [
        ["ticket-1002.zip", "same as ticket-1001.zip"],
        ["ticket-1009.pdf", "same as ticket-1008.pdf"],
    ]
    assert "2 are duplicates" in real_window.logs.facts.text()
    table.setCurrentIndex(model.index(row_of(model, "ticket-1002"), LogColumn.TITLE))
    next(action for action in table.actions() if "same content" in action.text()).trigger()
    assert table.currentIndex().data().startswith("ticket-1001.zip")
    real_window.logs.filter.setText("1002")
    assert len(titles(model)) == 1


def test_the_reply_to_the_sender_is_copied(qtbot: QtBot, real_window: MainWindow, tickets: list[Path]) -> None:
    model, logs = drop(qtbot, real_window, tickets), real_window.logs
    # Whatever key an earlier test left pressed: only this row.
    only = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    logs.table.selectionModel().setCurrentIndex(model.index(row_of(model, "ticket-1003"), LogColumn.TITLE), only)
    facts, place = logs.facts.text(), logs.reply.geometry()
    qtbot.mouseClick(logs.reply, Qt.MouseButton.LeftButton)
    reply = "ticket-1003.zip is password-protected. Please send it again without a password."
    assert QGuiApplication.clipboard().text() == reply
    qtbot.wait(50)
    assert (logs.facts.text(), logs.reply.text(), logs.reply.geometry()) == (facts, "Copied ✓", place)
    logs.table.setCurrentIndex(model.index(row_of(model, "ticket-1004"), LogColumn.TITLE))
    assert logs.reply.text() == "Copy a reply"


def test_hidden_content_does_not_hide_the_names_of_tickets(
    qtbot: QtBot, real_window: MainWindow, tickets: list[Path]
) -> None:
    hiding.set_enabled(True)
    try:
        model = drop(qtbot, real_window, tickets)
        assert sorted(title[:11] for title in titles(model)) == [path.name[:11] for path in tickets]
        assert not any("log.jsonl" in title for title in titles(model))
        real_window.logs.filter.setText("1007")
        assert len(titles(model)) == 1
    finally:
        hiding.set_enabled(False)


def test_an_unsupported_agent_is_named_wherever_its_log_is_opened(
    qtbot: QtBot, real_window: MainWindow, tmp_path: Path
) -> None:
    said = "The format is not supported yet: Continue."
    log = tmp_path / "run.json"
    log.write_bytes(LONG_CONTINUE)
    packed = [zipped(tmp_path, {"run.json": data}, f"{len(data)}.zip") for data in (CONTINUE, LONG_CONTINUE)]
    model = drop(qtbot, real_window, [*packed, log])
    assert [model.index(row, LogColumn.CAUSE).data() for row in range(3)] == [said] * 3
    real_window.open(str(log))
    qtbot.waitUntil(lambda: real_window.document.whole_log is not None, timeout=PATIENCE_MS)
    assert there(real_window.document.log).overview.sessions[0].sentence == said


def test_every_archive_of_a_folder_is_a_row(
    qtbot: QtBot, real_window: MainWindow, tickets: list[Path], tmp_path: Path
) -> None:
    zipped(tmp_path, {}, "ticket-1011.zip")
    real_window.open(str(tmp_path))
    qtbot.waitUntil(lambda: real_window.log_list.step == LoadStep.DONE, timeout=2 * PATIENCE_MS)
    model = real_window.logs_model
    causes = {titles(model)[row]: model.index(row, LogColumn.CAUSE).data() for row in range(model.rowCount())}
    assert causes["ticket-1006.7z"] == "It is packed with 7z. Unpack it first."
    assert causes["ticket-1011.zip"] == "It is empty. Ask for the file again."
    assert {f"ticket-100{number}.zip" for number in (3, 4, 5, 7)} <= causes.keys()
    assert real_window.logs.facts.text().startswith("8 archives · ")
    model.set_filter("1011")
    assert titles(model) == ["ticket-1011.zip"]


def test_paths_that_do_not_exist_are_rows_among_several(
    qtbot: QtBot, real_window: MainWindow, tickets: list[Path], tmp_path: Path
) -> None:
    model = drop(qtbot, real_window, [tmp_path / "gone-1.zip", tickets[0], tmp_path / "gone-2.jsonl"])
    causes = {titles(model)[row][:8]: model.index(row, LogColumn.CAUSE).data() for row in range(model.rowCount())}
    assert causes.keys() == {"gone-1.z", "ticket-1", "gone-2.j"}
    assert "No such file" in causes["gone-1.z"]
    assert real_window.logs.isVisible()


@pytest.mark.parametrize("kind", ["pipe", "pdf", "archive"])
def test_what_is_no_log_is_called_so_at_once(
    qtbot: QtBot, real_window: MainWindow, tickets: list[Path], tmp_path: Path, kind: str
) -> None:
    if kind == "archive":
        real_window.open(str(tickets[2]))
        said = real_window.logs.empty.text
        qtbot.waitUntil(lambda: "password" in said(), timeout=PATIENCE_MS)
        reason = "It is password-protected. Ask for a file without a password."
        assert said() == f"{tickets[2]} contains no supported logs. {reason}"
        return
    path = tmp_path / "pipe" if kind == "pipe" else tickets[7]
    if kind == "pipe":
        os.mkfifo(path)
    real_window.open(str(path))
    qtbot.waitUntil(lambda: real_window.document.phase == Phase.FAILED, timeout=PATIENCE_MS)
    assert there(real_window.document.notice).sentence == (
        f"{path} is a pipe, a socket or a device, not a file. Save its output to a file, and open that file."
        if kind == "pipe"
        else f"{path} is a PDF document, not a log. Open the log of the session."
    )
    assert real_window.welcome.isVisible()
