"""A log in a wrapper is opened, read and repaired in the window; the wrapper stays as it is."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.models.logs_model import LogColumn
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from inspector.gui.window.status_bar import StatusBar
from tests.gui.fake_questions import FakeQuestions
from tests.gui.test_tickets import drop
from tests.gui.there import there

Settle = Callable[[Document], None]
WRAPPERS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "issue.md": (lambda log: b"# Bug\n\n```\n" + log + b"```\n", "a Markdown fence at line 3"),
    "log.jsonl.gz": (gzip.compress, "a file compressed with gzip"),
    "log.jsonl": (lambda log: log.decode().encode("utf-16"), "UTF-16 text"),
}


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapped_log_is_opened_and_a_repair_is_a_plain_file(
    real_window: MainWindow, settle: Settle, questions: FakeQuestions, samples: Path, tmp_path: Path, name: str
) -> None:
    wrap, place = WRAPPERS[name]
    path = tmp_path / name
    path.write_bytes(wrap((samples / "codex-broken.jsonl").read_bytes()))
    before = path.read_bytes()
    window = real_window
    window.open(str(path))
    settle(window.document)
    assert there(window.document.log).overview.sessions[0].verdict == "broken"
    status = window.statusBar()
    assert isinstance(status, StatusBar)
    assert f"read from {place}" in status._facts.text()
    window.side.show_tab(window.side.raw)
    window.document.step_finding(True)
    assert '"type"' in window.side.raw._text.toPlainText()
    assert not window.window_actions[Action.SAVE_IN_PLACE].isEnabled()
    assert not window.window_actions[Action.SAVE_NEW_SESSION].isEnabled()
    questions.copy = str(tmp_path / "repaired.jsonl")
    window.window_actions[Action.SAVE_COPY].trigger()
    settle(window.document)
    assert Path(questions.copy).read_bytes().startswith(b'{"timestamp"')
    assert path.read_bytes() == before


def test_dropped_tickets_in_wrappers_are_rows_with_their_causes(
    qtbot: QtBot, real_window: MainWindow, samples: Path, tmp_path: Path
) -> None:
    paths = []
    for name, (wrap, _) in WRAPPERS.items():
        paths.append(tmp_path / name)
        paths[-1].write_bytes(wrap((samples / "codex-broken.jsonl").read_bytes()))
    model = drop(qtbot, real_window, paths)
    causes = {model.index(row, LogColumn.CAUSE).data() for row in range(model.rowCount())}
    assert model.rowCount() == len(paths)
    assert len(causes) == 1
