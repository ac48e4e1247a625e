"""Qt's own tester watches every model of the window while a person works: none breaks a rule on the way."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QObject, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from inspector.gui.common.actions import Action
from inspector.gui.models.base import TableModel
from inspector.gui.models.changes_model import ChangesModel
from inspector.gui.models.findings_model import FindingsModel
from inspector.gui.models.logs_model import LogsModel
from inspector.gui.models.outline_model import OutlineModel
from inspector.gui.models.resume_request_model import ResumeRequestModel
from inspector.gui.state.document import Document
from inspector.gui.state.log_list_loader import LoadStep
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.seek_log import write

Settle = Callable[[Document], None]
OURS = (ChangesModel, FindingsModel, LogsModel, OutlineModel, ResumeRequestModel, TableModel)


class Watch:
    """Testers of all models that the window has by now."""

    def __init__(self, window: QObject) -> None:
        self._window = window
        self._testers: dict[QAbstractItemModel, QAbstractItemModelTester] = {}

    def begin(self) -> set[type]:
        """Watch the models that came meanwhile; which kinds there are."""
        mode = QAbstractItemModelTester.FailureReportingMode.Warning
        for model in self._window.findChildren(QAbstractItemModel):
            if isinstance(model, OURS) and model not in self._testers:
                self._testers[model] = QAbstractItemModelTester(model, mode)
        return {type(model) for model in self._testers}


@pytest.fixture
def watch(real_window: MainWindow, qtlog: Any) -> Iterator[Watch]:
    """What the testers say fails the test."""
    made = Watch(real_window)
    made.begin()
    yield made
    assert [record.message for record in qtlog.records if "FAIL!" in record.message] == []


def test_while_a_text_is_found_a_filter_is_on_and_the_log_grows_and_begins_anew(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, watch: Watch, tmp_path: Path
) -> None:
    window, document, path = real_window, real_window.document, write(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-3]))
    document.watcher.poll_timer.setInterval(20)
    window.open(str(path))
    settle(document)
    for action in (Action.LISTS, Action.WHAT_IS_SENT, Action.EXPAND_BELOW):
        window.window_actions[action].trigger()
    settle(document)
    assert watch.begin() == set(OURS)

    def grown_to(count: int) -> None:
        qtbot.waitUntil(lambda: bool(document.log and len(document.log.starts) == count), timeout=PATIENCE_MS)
        settle(document)

    document.search.look_for("e", match_case=False)
    for line in ("needle", "is:error", "is:failed", "no such words", "role:assistant -is:thinking"):
        document.row_filter.set_line(line)
        document.search.step(forward=True)
        qtbot.waitUntil(lambda: not document.row_filter.pending and not document.search.searching, timeout=PATIENCE_MS)
    for count in range(len(lines) - 2, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        grown_to(count)
        document.step_finding(forward=True)
    qtbot.waitUntil(lambda: not document.row_filter.pending, timeout=PATIENCE_MS)
    path.write_bytes(b"".join(lines[:4]))
    grown_to(4)
    document.row_filter.set_line("")
    qtbot.keyClick(window, Qt.Key.Key_F5)
    settle(document)
    qtbot.waitUntil(lambda: not document.row_filter.pending, timeout=PATIENCE_MS)


def test_while_a_folder_is_listed_judged_and_left(
    qtbot: QtBot, real_window: MainWindow, settle: Settle, watch: Watch, tmp_path: Path
) -> None:
    for number in range(60):
        (tmp_path / str(number)).mkdir()
        write(tmp_path / str(number), 'u"go" | a{A} | u"stop"' if number % 3 else 'u"go" | a"ok"')
    real_window.open(str(tmp_path))
    qtbot.waitUntil(lambda: real_window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
    table = real_window.logs.table
    for column in range(table.model().columnCount()):
        table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
    assert LogsModel in watch.begin()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle(real_window.document)
    qtbot.keyClick(real_window, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(real_window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: real_window.log_list.step == LoadStep.DONE, timeout=PATIENCE_MS)
