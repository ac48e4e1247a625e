"""A day at a support desk, in the window: forty archives are dropped, seen by their causes, and reported on."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.core.discovery.log_entry import LogEntry
from inspector.gui.app import paths_by_window
from inspector.gui.common.actions import Action
from inspector.gui.dialogs.share_dialogs import ReportDialog
from inspector.gui.models.logs_model import LogColumn, LogsModel
from inspector.gui.panels.logs_page import LogsTable
from inspector.gui.state.log_list_loader import LoadStep, log_group_path
from inspector.gui.widgets.item_views import width_limit_per_share
from inspector.gui.window.main_window import MainWindow
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_questions import FakeQuestions
from tests.gui.test_logs_list import table_of, titles
from tests.gui.there import there
from tests.support.archives import locked, zipped
from tests.support.canaries import BROKEN, PLANTED, planted_sample
from tests.support.notation import claude_code_records, parse

ALIKE, ALL, SOUND = 10, 40, 5
SELF_REPAIRED = "kimi-cli-wire-broken.jsonl"  # by its program
DROPPED = [SELF_REPAIRED, *(name for name in BROKEN if name != SELF_REPAIRED)][: ALL - ALIKE - SOUND - 3]
NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def desk(tmp_path: Path, samples: Path) -> list[Path]:
    """Forty archives: ten of one cause, broken and sound ones, one of two logs, one locked, one without a log."""
    made: list[Path] = []

    def add(name: str, members: dict[str, bytes]) -> Path:
        made.append(zipped(tmp_path, members, f"{name}.zip"))
        return made[-1]

    for number in range(ALIKE):
        records = claude_code_records(parse(f'u"ticket {number}" | a{{A@Bash}} | u | a'))
        add(f"alike{number:02d}", {"log.jsonl": "".join(json.dumps(each) + "\n" for each in records).encode()})
    for name in DROPPED:
        add(name.partition(".")[0], {name: planted_sample(name, tmp_path).read_bytes(), "notes.txt": b"hello"})
    two = ("codex-broken.jsonl", "claude-code-healthy.jsonl")
    add("several", {f"logs/{name}": (samples / name).read_bytes() for name in two})
    add("nothing", {"picture.png": b"\x89PNG"})
    locked(add("locked", {"log.jsonl": b"{}"}))
    healthy = sorted(path for path in samples.iterdir() if "-healthy" in path.name)
    for number, path in enumerate(healthy[:SOUND]):
        add(f"sound{number:02d}", {path.name: path.read_bytes()})
    assert len(made) == ALL
    return made


def drop(qtbot: QtBot, window: MainWindow, paths: list[Path]) -> LogsModel:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    button, action = Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction
    window.dropEvent(QDropEvent(QPointF(9, 9), action, data, button, NO_KEY))
    qtbot.waitUntil(lambda: window.log_list.step == LoadStep.DONE, timeout=2 * PATIENCE_MS)
    return table_of(window)


def row_of(model: LogsModel, name: str) -> int:
    return next(row for row, title in enumerate(titles(model)) if name in title)


def test_forty_archives_are_forty_rows_and_their_causes_are_seen(
    qtbot: QtBot, real_window: MainWindow, desk: list[Path]
) -> None:
    model = drop(qtbot, real_window, desk)
    assert model.rowCount() == ALL
    causes = [model.index(row, LogColumn.CAUSE).data() for row in range(ALL)]
    assert sum("stopped while a command" in cause for cause in causes) >= ALIKE
    verdicts = [model.index(row, LogColumn.VERDICT).data().partition(" ·")[0] for row in range(ALL)]
    assert list(dict.fromkeys(verdicts)) == ["Broken", "Unreadable", "Not checked", "Repairs itself", "Healthy"]
    assert all(
        bool(cause) == (verdict in ("Broken", "Repairs itself", "Unreadable", "Not checked"))
        for cause, verdict in zip(causes, verdicts, strict=True)
    )
    assert [verdicts[row_of(model, name)] for name in ("nothing", "locked")] == ["Not checked", "Unreadable"]
    assert model.index(row_of(model, "alike00"), LogColumn.AGENT).data() == "Claude Code 2.1.112"
    assert real_window.logs.title.text() == "40 tickets"
    # The notes beside each broken log, the picture, and the archive with a password.
    assert real_window.logs.others.text() == f"{len(DROPPED) + 2} files were not read"


def test_a_ticket_of_several_logs_is_unfolded_by_keys_and_by_the_mouse(
    qtbot: QtBot, real_window: MainWindow, desk: list[Path]
) -> None:
    model, table = drop(qtbot, real_window, desk), real_window.logs.table
    tester = ModelTester(None)
    tester.check(model)
    row = row_of(model, "several.zip")
    assert titles(model)[row] == "▸ several.zip · 2 logs"
    table.setCurrentIndex(model.index(row, LogColumn.TITLE))
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert model.rowCount() == ALL + 2
    assert titles(model)[row].startswith("▾")
    assert [model.index(each, LogColumn.VERDICT).data() for each in (row, row + 1, row + 2)] == [
        "Broken · 3 · keeps 88%",
        "Broken · 3 · keeps 88%",
        "Healthy",
    ]
    at = table.visualRect(model.index(row, LogColumn.TITLE)).topLeft() + QPoint(6, 6)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert model.rowCount() == ALL
    model.set_filter("several.zip codex")
    assert titles(model) == ["▸ several.zip · 2 logs"]
    model.set_expanded(0)
    assert len(titles(model)) == 2
    model.sort(LogColumn.TITLE, Qt.SortOrder.DescendingOrder)
    model.set_filter("")
    assert model.rowCount() == ALL + 2


def test_a_ticket_shows_its_worst_log_and_is_sorted_by_it(
    qtbot: QtBot, real_window: MainWindow, samples: Path, tmp_path: Path
) -> None:
    keeps_all, keeps_some = ((samples / f"{name}-broken.jsonl").read_bytes() for name in ("claude-code", "codex"))
    tickets = [
        zipped(tmp_path, {"a.jsonl": keeps_all}, "single.zip"),
        zipped(tmp_path, {"a.jsonl": keeps_all, "b.jsonl": keeps_some}, "several.zip"),
    ]
    model = drop(qtbot, real_window, tickets)
    assert [title.partition(".zip")[0] for title in titles(model)] == ["▸ several", "single"]
    assert [model.index(row, LogColumn.VERDICT).data() for row in (0, 1)] == ["Broken · 3 · keeps 88%", "Broken · 3"]
    model.set_expanded(0)
    assert model.index(1, LogColumn.VERDICT).data() == "Broken · 3 · keeps 88%"


@pytest.mark.parametrize(
    ("wanted", "room", "most"),
    [
        ([(9, 1), (50, 1), (90, 1)], 99, 45),
        ([(9, 1), (90, 2), (90, 1)], 99, 30),
        ([(9, 1), (50, 1)], 100, 50),
        ([(9, 1)], -5, 0),
        ([], 9, 0),
    ],
)
def test_the_widest_columns_are_cut_first(wanted: list[tuple[int, int]], room: int, most: int) -> None:
    assert width_limit_per_share(wanted, room) == most


def test_columns_share_the_width_by_what_they_hold(qtbot: QtBot, real_window: MainWindow, desk: list[Path]) -> None:
    real_window.resize(1280, 720)
    real_window.show()
    model, table = drop(qtbot, real_window, desk), real_window.logs.table
    short = {LogColumn.VERDICT, LogColumn.CHANGED, LogColumn.SIZE}
    qtbot.waitUntil(lambda: short.isdisjoint(shown_cut(table, model)))
    assert table.columnWidth(LogColumn.CAUSE) > table.columnWidth(LogColumn.PROJECT)
    real_window.resize(3000, 720)
    qtbot.waitUntil(lambda: not shown_cut(table, model))


def shown_cut(table: LogsTable, model: LogsModel) -> list[LogColumn]:
    """The columns that have less room than the longest of their texts, which is not in bold, takes."""
    wide = table.fontMetrics().horizontalAdvance
    texts = {each: [model.index(row, each).data() for row in range(model.rowCount())] for each in LogColumn}
    return [each for each, said in texts.items() if max(map(wide, said)) > table.columnWidth(each)]


def test_the_same_bytes_are_shown_for_each_ticket(qtbot: QtBot, real_window: MainWindow, desk: list[Path]) -> None:
    copy = desk[0].with_name("alike00 (1).zip")
    copy.write_bytes(desk[0].read_bytes())
    model = drop(qtbot, real_window, [*desk[:3], copy])
    assert model.rowCount() == 4
    assert "alike00 (1).zip · same as alike00.zip" in titles(model)[row_of(model, "(1)")]
    assert len(real_window.log_list.duplicates) == 1
    assert "1 is a duplicate" in real_window.logs.facts.text()


def test_from_a_ticket_to_its_report_in_the_clipboard_are_two_actions(
    qtbot: QtBot, real_window: MainWindow, desk: list[Path]
) -> None:
    model, table = drop(qtbot, real_window, desk), real_window.logs.table
    at = table.visualRect(model.index(row_of(model, "claude-code-broken"), LogColumn.VERDICT)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(real_window, Qt.Key.Key_R, keys)
    qtbot.waitUntil(lambda: "was copied" in real_window.logs.facts.text(), timeout=PATIENCE_MS)
    text = QGuiApplication.clipboard().text()
    assert "Claude Code" in text
    assert "claude-code-broken" in text
    assert not PLANTED.search(text)


def test_one_report_on_several_tickets_is_seen_before_it_is_saved(
    qtbot: QtBot, real_window: MainWindow, desk: list[Path], questions: FakeQuestions, tmp_path: Path
) -> None:
    model, table = drop(qtbot, real_window, desk), real_window.logs.table
    table.selectAll()
    real_window.window_actions[Action.REPORT].trigger()
    dialog = there(real_window.findChild(ReportDialog))
    qtbot.waitUntil(lambda: "stopped while a command" in dialog.preview.toPlainText(), timeout=2 * PATIENCE_MS)
    assert f"{ALIKE + 1} ×" in dialog.preview.toPlainText() or "log-30" in dialog.preview.toPlainText()
    questions.copy = str(tmp_path / "report.md")
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "was saved" in real_window.logs.facts.text(), timeout=2 * PATIENCE_MS)
    assert not PLANTED.search((tmp_path / "report.md").read_text())
    assert model.rowCount() == ALL


def test_a_report_that_nobody_waits_for_is_stopped(
    qtbot: QtBot, real_window: MainWindow, desk: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    drop(qtbot, real_window, desk[:3])
    real_window.logs.table.selectAll()
    real_window.window_actions[Action.REPORT].trigger()
    stopped: list[bool] = []
    monkeypatch.setattr(real_window.log_list.process, "cancel", lambda: stopped.append(True))
    qtbot.keyClick(there(real_window.findChild(ReportDialog)), Qt.Key.Key_Escape)
    assert stopped == [True]


def test_what_was_sent_with_others_is_a_ticket() -> None:
    def of(path: str, archive: str = "", sent: tuple[str, ...] = ("/d/a", "/d/b.zip", "/d/c.jsonl")) -> str:
        return log_group_path(LogEntry(path, "", "", "", "", 0, 0, archive), sent)

    assert [of("/d/a/x.jsonl"), of("/d/b.zip/x", "/d/b.zip"), of("/d/c.jsonl")] == ["/d/a", "/d/b.zip", "/d/c.jsonl"]
    assert [of("/d/a/x.jsonl", sent=("/d/a",)), of("/d/b.zip/x", "/d/b.zip", ("/d/b.zip",))] == ["", ""]
    assert of("/d/a/b.zip/x", "/d/a/b.zip", ("/d/a",)) == "/d/a/b.zip"


def test_paths_of_the_command_line_are_one_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = str(tmp_path / "a.zip"), str(tmp_path / "b.zip")
    assert paths_by_window([]) == [[]]
    assert paths_by_window(["a.zip"]) == [["a.zip"]]
    assert paths_by_window(["a.zip", "b.zip", "./a.zip"]) == [[first, second]]
    assert paths_by_window(["a.zip", "-", "b.zip"]) == [[first, second], ["-"]]
