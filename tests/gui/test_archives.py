"""An archive that somebody sent, in the window: its logs are listed and judged, one is opened and repaired."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from inspector.core.discovery.log_entry import UnreadFile
from inspector.gui.common.actions import Action
from inspector.gui.models.logs_model import LogColumn
from inspector.gui.state.document import Document
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.there import there
from tests.support.archives import PACKERS, Pack, zipped
from tests.support.thorough import every

Settle = Callable[[Document], None]


@pytest.mark.parametrize("pack", every(3, PACKERS), ids=lambda pack: pack.__name__)
def test_its_logs_are_listed_judged_opened_and_repaired(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, questions: FakeQuestions, samples: Path, tmp_path: Path,
    pack: Pack,
) -> None:  # fmt: skip
    names = ("claude-code-healthy.jsonl", "claude-code-broken.jsonl")
    members = {f"logs/{name}": (samples / name).read_bytes() for name in names} | {"readme.txt": b"hello"}
    ticket = pack(tmp_path, members)
    before = ticket.read_bytes()
    window = real_window
    window.open(str(ticket))
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    model = there(window.logs.table.model())
    assert [there(verdict).verdict for verdict in window.log_list.verdicts] == ["healthy", "broken"]
    assert [file.path for file in window.log_list.unread] == [f"{ticket}/readme.txt"]
    window.logs.table.setCurrentIndex(model.index(0, 0))
    qtbot.keyClick(window.logs.table, Qt.Key.Key_Return)
    settle(window.document)
    assert window.document.path == f"{ticket}/logs/claude-code-broken.jsonl"
    window.side.show_tab(window.side.raw)
    window.document.step_finding(True)
    assert '"' in window.side.raw._text.toPlainText()
    assert not window.window_actions[Action.SAVE_IN_PLACE].isEnabled()
    questions.copy = str(tmp_path / "repaired.jsonl")
    window.window_actions[Action.SAVE_COPY].trigger()
    settle(window.document)
    assert Path(questions.copy).is_file()
    assert ticket.read_bytes() == before
    assert {path.name for path in tmp_path.glob("*.*")} == {ticket.name, "repaired.jsonl", "repaired.jsonl.quarantine"}
    window.document.watcher.poll_timer.timeout.emit()
    assert "gone" not in (window.document.notice.sentence if window.document.notice else "")


def test_logs_of_one_cause_stand_together(qtbot: QtBot, real_window: MainWindow, samples: Path, tmp_path: Path) -> None:
    for number, name in enumerate(("claude-code-broken", "codex-broken", "claude-code-broken", "codex-healthy")):
        zipped(tmp_path, {f"{number}/{name}.jsonl": (samples / f"{name}.jsonl").read_bytes()}, f"{number}.zip")
    window = real_window
    window.open_all([str(tmp_path / f"{number}.zip") for number in range(4)])
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    header = window.logs.table.horizontalHeader()
    at = header.sectionViewportPosition(LogColumn.CAUSE) + 20
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, header.height() // 2))
    model = there(window.logs.table.model())
    causes = [model.index(row, LogColumn.CAUSE).data().partition(" ")[0] for row in range(4)]
    assert causes == ["Claude", "Claude", "Codex", ""]
    qtbot.keyClicks(window.logs.filter, "stopped while a command")
    assert model.rowCount() == 2


def test_a_damaged_archive_is_named(qtbot: QtBot, real_window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "torn.zip"
    path.write_bytes(b"PK\x03\x04 and no more")
    real_window.open(str(path))
    qtbot.waitUntil(lambda: real_window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    assert real_window.log_list.unread == [UnreadFile(str(path), "cut-off")]
