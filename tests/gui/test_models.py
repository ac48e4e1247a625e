"""Every model: Qt's own tester, empty, filled, after a reset; and what the rows say."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from pytestqt.modeltest import ModelTester

from inspector.core.check.check import Verdict
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.model.views import RecordView
from inspector.core.presentation.engine_results import PreviewRow
from inspector.core.presentation.opened_log_facts import preview_log_start
from inspector.core.repair.choices import Choices
from inspector.gui.common import theme, ui_text
from inspector.gui.models.base import ItemRole, TableModel
from inspector.gui.models.changes_model import ChangeColumn, ChangesModel
from inspector.gui.models.findings_model import FindingColumn, FindingsModel
from inspector.gui.models.list_columns import SESSIONS_TABLE
from inspector.gui.models.list_columns import session_rows as sessions_worst_first
from inspector.gui.models.outline_model import OutlineColumn, OutlineModel
from inspector.gui.state.file_watcher import FileState
from inspector.gui.state.record_reader import RecordReader
from inspector.gui.worker.packed_answers import (
    FindingGroup,
    OpenedLog,
    PlannedRepair,
    pack_opened_log,
    pack_planned_repair,
    severity_order,
)
from inspector.gui.worker.protocol import decode_value, encode_value
from tests.gui.fake_engine import FakeEngine, view_fake
from tests.gui.fake_logs import write_big, write_healthy, write_small

LARGE = 700


class Strategies:
    """What the findings model asks and tells."""

    def __init__(self) -> None:
        self.told: list[tuple[str | int, str]] = []

    def strategy_of_rule(self, group: FindingGroup) -> str:
        return group.default

    def strategy_of_finding(self, position: int) -> str:
        return "answer"

    def is_offered(self, position: int) -> bool:
        return False

    def choose_for_rule(self, rule: str, strategy: str) -> None:
        self.told.append((rule, strategy))

    def choose_for_finding(self, position: int, strategy: str) -> None:
        self.told.append((position, strategy))


def opened(path: Path) -> tuple[OpenedLog, FakeEngine, list[str]]:
    """A log as it comes out of the pipe."""
    engine = FakeEngine()
    raw = engine.open(str(path))
    order = severity_order(raw.findings)
    log = decode_value(encode_value(pack_opened_log(raw, order)), OpenedLog)
    return log, engine, [raw.findings[number].id for number in order]


def planned(engine: FakeEngine, ids: list[str], choices: Choices | None = None) -> PlannedRepair:
    found: PlannedRepair = decode_value(
        encode_value(pack_planned_repair(engine.preview(choices or Choices()), ids)), PlannedRepair
    )
    return found


def reader(log: OpenedLog) -> RecordReader:
    return RecordReader(log, FileState.read(Path(log.overview.path)), view_fake)


def lines(model: QAbstractItemModel, parent: QModelIndex | None = None, depth: int = 0) -> list[str]:
    """A model printed, a row a line."""
    parent = parent or QModelIndex()
    printed = []
    for row in range(model.rowCount(parent)):
        cells = [model.index(row, column, parent).data() or "" for column in range(model.columnCount(parent))]
        printed.append("  " * depth + " | ".join(cells).rstrip(" |"))
        printed += lines(model, model.index(row, 0, parent), depth + 1)
    return printed


def test_outline_model_passes_the_tester(qtmodeltester: ModelTester, tmp_path: Path) -> None:
    model = OutlineModel()
    qtmodeltester.check(model)
    for path in (write_small(tmp_path / "a.jsonl", 2), write_big(tmp_path / "b.jsonl", LARGE)):
        log = opened(path)[0]
        model.show(log, reader(log))
        qtmodeltester.check(model)
    model.show(None, None)
    qtmodeltester.check(model)


def test_findings_model_passes_the_tester(qtmodeltester: ModelTester, tmp_path: Path) -> None:
    model = FindingsModel(Strategies())
    qtmodeltester.check(model)
    for path in (write_small(tmp_path / "a.jsonl"), write_big(tmp_path / "b.jsonl", LARGE)):
        model.show(opened(path)[0])
        qtmodeltester.check(model)
    model.show(None)
    qtmodeltester.check(model)


def test_changes_model_passes_the_tester(qtmodeltester: ModelTester, tmp_path: Path) -> None:
    model = ChangesModel()
    qtmodeltester.check(model)
    for path in (write_small(tmp_path / "a.jsonl"), write_big(tmp_path / "b.jsonl", 300)):
        _, engine, ids = opened(path)
        model.show(planned(engine, ids))
        qtmodeltester.check(model)
    model.show(None)
    qtmodeltester.check(model)


def test_sessions_model_passes_the_tester(qtmodeltester: ModelTester, tmp_path: Path) -> None:
    model = TableModel(SESSIONS_TABLE)
    qtmodeltester.check(model)
    model.show(sessions_worst_first(opened(write_small(tmp_path / "a.jsonl", 3))[0].overview.sessions))
    qtmodeltester.check(model)
    assert [model.index(row, 0).data() for row in range(3)] == ["Session 1", "Session 2", "Session 3"]


def test_sessions_stand_in_the_order_of_their_verdicts_and_every_verdict_has_its_look(tmp_path: Path) -> None:
    healthy = opened(write_healthy(tmp_path / "a.jsonl"))[0].overview.sessions[0]
    names = [verdict.word for verdict in Verdict]
    model = TableModel(SESSIONS_TABLE)
    model.show(sessions_worst_first(tuple(replace(healthy, verdict=name, title=name) for name in reversed(names))))
    shown = [model.index(row, 0).data() for row in range(len(names))]
    assert (shown[0], shown[-3:]) == ("broken", ["heals-itself", "waiting", "healthy"])
    assert (
        set(names)
        == ui_text.VERDICT_WORDS.keys() - {""}
        == ui_text.VERDICT_ICONS.keys() - {""}
        == theme.VERDICT_COLOURS.keys() - {""}
    )
    assert [ui_text.verdict_count_label("heals-itself", count) for count in (1, 2)] == [
        "1 repairs itself",
        "2 repair themselves",
    ]


def test_outline_rows_say_what_is_there(tmp_path: Path) -> None:
    log = opened(write_small(tmp_path / "a.jsonl"))[0]
    model = OutlineModel()
    model.show(log, reader(log))
    printed = [line for line in lines(model) if "Bash" in line or "ghost" in line or "output of a call" in line]
    assert printed == [
        "      Bash pytest -x tests/test_parser.py | answered → #3 |  |  | 2",
        "      Bash make test | no result |  |  | 6",
        "    the output of a call that nobody made |  | 10:00:00 | ↑1.2k ↓34 | 7",
        "      the output of a call that nobody made | orphan |  |  | 7",
    ]


def test_finding_stands_on_its_block_and_counts_on_the_ancestors(tmp_path: Path) -> None:
    log = opened(write_small(tmp_path / "a.jsonl"))[0]
    model = OutlineModel()
    model.show(log, reader(log))
    row = model.index_of(log.findings.nodes[0]).data(ItemRole.ROW)
    assert row.badge == (3, "unanswered call")
    assert "error: unanswered call" in row.spoken
    session = model.index(0, 0).data(ItemRole.ROW)
    assert session.counts == (2, 1, 0)


def test_long_levels_are_pages(tmp_path: Path) -> None:
    log = opened(write_big(tmp_path / "a.jsonl", LARGE))[0]
    findings = FindingsModel(Strategies())
    findings.show(log)
    rule = findings.index(0, 0, findings.index(0, 0))
    assert [findings.index(row, 0, rule).data() for row in range(2)] == ["1 – 500", "501 – 700"]
    last = findings.index_of_leaf(LARGE - 1)
    assert last.parent() == findings.index(1, 0, rule)
    assert last.siblingAtColumn(FindingColumn.LINE).data() == "1,400"
    assert not findings.index_of_leaf(LARGE).isValid()


def test_findings_are_grouped_worst_first(tmp_path: Path) -> None:
    model = FindingsModel(Strategies())
    model.show(opened(write_small(tmp_path / "a.jsonl"))[0])
    assert lines(model) == [
        "Errors",
        "  Unanswered call |  | Add a placeholder result",
        "    Bash was called and no result was recorded. | 6 | Add a placeholder result",
        "    Read was called and no result was recorded. | 6 | Add a placeholder result",
        "Warnings",
        "  Orphan result |  | Keep the text as a note",
        "    ghost has a result, but nothing called it. | 7 | Add a placeholder result",
    ]


def test_strategies_are_told_where_they_apply(tmp_path: Path) -> None:
    strategies = Strategies()
    model = FindingsModel(strategies)
    model.show(opened(write_small(tmp_path / "a.jsonl"))[0])
    finding = model.index_of_leaf(0, FindingColumn.STRATEGY)
    rule = finding.parent().siblingAtColumn(FindingColumn.STRATEGY)
    assert finding.flags() & Qt.ItemFlag.ItemIsEditable
    assert not finding.siblingAtColumn(0).flags() & Qt.ItemFlag.ItemIsEditable
    assert model.setData(finding, "leave", ItemRole.STRATEGY)
    assert not model.setData(finding, "keep-as-note", ItemRole.STRATEGY)
    assert model.setData(rule, "drop-call", ItemRole.STRATEGY)
    assert strategies.told == [(0, "leave"), ("D2", "drop-call")]


def test_changes_say_what_happens(tmp_path: Path) -> None:
    _, engine, ids = opened(write_small(tmp_path / "a.jsonl"))
    model = ChangesModel()
    model.show(planned(engine, ids, Choices(findings={ids[1]: "leave"})))
    marks = [model.index_of_leaf(leaf).data(ItemRole.MARK) for leaf in range(model.rowCount())]
    assert marks == ["kept", "skipped", "kept", "rejected", "added", "changed", "kept"]
    assert model.index_of_leaf(1, ChangeColumn.SUMMARY).data() == "3 unchanged messages"
    assert isinstance(model.row(model.index_of_leaf(3)), PreviewRow)


def test_messages_of_one_line_are_numbered_as_the_tree_numbers_them(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    call = {"type": "tool_use", "id": "A", "name": "Read", "input": {}}
    said = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": "b"},
    ]
    path.write_text(json.dumps({"messages": said}))
    engine = WindowEngine()
    found = engine.open(str(path))
    assert not found.overview.has_lines
    assert [
        (ui_text.location_label(finding.place), ui_text.location_display_number(finding.place))
        for finding in found.findings
    ] == [("record 2", 2)]
    assert not preview_log_start(str(path)).overview.has_lines
    engine.close()


def test_changed_file_is_not_read(tmp_path: Path) -> None:
    path = write_healthy(tmp_path / "a.jsonl")
    log = opened(path)[0]
    read = reader(log)
    whole = path.read_bytes()
    path.write_bytes(whole + b"{}\n")
    assert not read.changed
    assert read.visible_bytes(0) == whole.splitlines()[0]
    path.write_bytes(whole.replace(b"Hello", b"Hullo") + b"{}\n" * 100)
    assert read.changed == (len(whole) < 256)
    path.write_bytes(whole[:-9])
    assert read.visible_bytes(0) is None
    assert "changed on disk" in read.summary(0).summary


def test_giant_record_is_not_parsed_for_painting(tmp_path: Path) -> None:
    path = write_healthy(tmp_path / "a.jsonl")
    path.write_text('{"role": "user", "blocks": [{"kind": "text", "text": "%s"}]}\n' % ("x" * 300_000))
    log = opened(path)[0]

    def refuse(format_name: str, raw: bytes) -> RecordView:
        pytest.fail("parsed")

    brief = RecordReader(log, FileState.read(path), refuse).summary(0)
    assert "Large record (0.3 MB)" in brief.summary


def test_hidden_columns_stay_addressable(tmp_path: Path) -> None:
    model = OutlineModel()
    assert model.columnCount() == len(OutlineColumn)
    assert [model.headerData(column, Qt.Orientation.Horizontal) for column in OutlineColumn] == [
        "Conversation", "Call or result", "Time", "Tokens", "Line",
    ]  # fmt: skip
