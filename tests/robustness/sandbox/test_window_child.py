"""The child process of the window, which opens, plans and saves, under the same watch."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.repair.choices import Choices
from inspector.core.trim.options import Trimming, Wish
from inspector.gui.worker import requests
from inspector.gui.worker.child_client import ChildProcess
from inspector.gui.worker.core_dependencies import CoreDependencies
from tests.gui.conftest import PATIENCE_MS
from tests.robustness.sandbox.hostile import WORDS, hostile
from tests.robustness.sandbox.watch import watching
from tests.support.paths import SAMPLES
from tests.support.thorough import every

_FOLDER = "WATCHED_FOLDER"
_WATCHES: list[object] = []


def watched_engine() -> WindowEngine:
    """Made in the child: from now on it may change the one folder alone. What it does besides is its end."""
    watch = watching([Path(os.environ[_FOLDER])])
    watch.__enter__()
    _WATCHES.append(watch)
    return WindowEngine()


@pytest.fixture
def process(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChildProcess]:
    (tmp_path / "log").mkdir()
    monkeypatch.setenv(_FOLDER, str(tmp_path / "log"))
    made = ChildProcess(CoreDependencies(engine=watched_engine))
    yield made
    made.close()


@pytest.mark.parametrize("words", every(3, ["", *WORDS.values()]), ids=["as it is", *WORDS])
@pytest.mark.parametrize("name", ["claude-code-broken.jsonl", "cline-task-broken.json", "codex-broken.jsonl"])
def test_it_works_in_the_folder_of_the_log(
    words: str, name: str, qtbot: QtBot, process: ChildProcess, tmp_path: Path
) -> None:
    folder = tmp_path / "log"
    log = hostile(SAMPLES / name, words, folder) if words else Path(shutil.copy(SAMPLES / name, folder))
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(log), "", False, False)
    with qtbot.waitSignal(process.answer_signal(requests.PREVIEW_REPAIR), timeout=PATIENCE_MS):
        process.ask(requests.PREVIEW_REPAIR, Choices())
    with qtbot.waitSignal(process.answer_signal(requests.EXPLAIN_ERROR), timeout=PATIENCE_MS):
        process.ask(requests.EXPLAIN_ERROR, "messages.1: tool_use ids were found without tool_result blocks")
    with qtbot.waitSignal(process.answer_signal(requests.PREVIEW_TRIM), timeout=PATIENCE_MS):
        process.ask(requests.PREVIEW_TRIM, Trimming(Wish(2), repairs=Choices()))
    with qtbot.waitSignal(process.answer_signal(requests.SAVE_REPAIR), timeout=PATIENCE_MS):
        process.ask(requests.SAVE_REPAIR, Choices(), "copy", str(tmp_path / "log" / "copy"))
    with qtbot.waitSignal(process.answer_signal(requests.SAVE_REPAIR), timeout=PATIENCE_MS):
        process.ask(requests.SAVE_REPAIR, Choices(), "in-place", "")


def test_a_trespass_ends_it(qtbot: QtBot, process: ChildProcess, tmp_path: Path) -> None:
    """The watch is there: the same save into another folder is not made."""
    log = Path(shutil.copy(SAMPLES / "claude-code-broken.jsonl", tmp_path / "log"))
    with qtbot.waitSignal(process.answer_signal(requests.OPEN_LOG), timeout=PATIENCE_MS):
        process.ask(requests.OPEN_LOG, str(log), "", False, False)
    with qtbot.waitSignal(process.failed, timeout=PATIENCE_MS) as failed:
        process.ask(requests.SAVE_REPAIR, Choices(), "copy", str(tmp_path / "copy"))
    assert failed.args[0].died
    assert not (tmp_path / "copy").exists()
