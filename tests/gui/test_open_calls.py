"""Did it run? The card below the details, and the strip above the saves."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceStrength
from inspector.gui.models.base import ItemRole, TableModel
from inspector.gui.models.list_columns import EVIDENCE_TABLE, OPEN_CALLS_TABLE, open_side_effect_rows
from inspector.gui.state.document import Document
from inspector.gui.window.main_window import MainWindow
from inspector.gui.worker.packed_answers import PackedEvidence, pack_evidence
from inspector.gui.worker.protocol import decode_value, encode_value
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_logs import write_healthy, write_small
from tests.gui.test_models import opened
from tests.gui.there import there

Settle = Callable[[Document], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def known(qtbot: QtBot, window: MainWindow, settle: Settle, tmp_path: Path) -> MainWindow:
    """A window in which it is known of the open calls whether they ran."""
    window.side.show_tab(window.side.repair)
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    qtbot.waitUntil(lambda: window.document.open_calls.evidence is not None, timeout=PATIENCE_MS)
    return window


def select(window: MainWindow, call_id: str) -> None:
    book = there(window.document.log).findings
    window.document.select_finding(next(n for n in range(len(book)) if book[n].call_id == call_id))


def rows(model: QAbstractItemModel) -> list[list[str]]:
    columns = range(model.columnCount())
    return [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]


def test_the_strip_counts_the_calls_and_unfolds_to_them(known: MainWindow, qtbot: QtBot) -> None:
    strip = known.side.repair.panel.open_calls
    assert (strip.isVisible(), strip.view.isVisible()) == (True, False)
    assert strip.head.text() == "1 call without a result may have changed something"
    qtbot.mouseClick(strip.head, LEFT)
    assert strip.view.isVisible()
    assert rows(strip.model) == [["The call was started", "6", "Bash: make test", "…/mei/tea"]]


def test_a_click_on_a_call_goes_to_it(known: MainWindow, qtbot: QtBot) -> None:
    strip, document = known.side.repair.panel.open_calls, known.document
    select(known, "ghost")
    strip.head.click()
    index = strip.model.index(0, 2)
    qtbot.mouseClick(strip.view.viewport(), LEFT, pos=strip.view.visualRect(index).center())
    assert there(document.log).findings[document.finding].call_id == "lost1"


def test_a_call_is_reached_by_the_keyboard_alone(known: MainWindow, qtbot: QtBot) -> None:
    strip, document = known.side.repair.panel.open_calls, known.document
    select(known, "ghost")
    qtbot.keyClick(strip.head, Qt.Key.Key_Space)
    assert strip.view.hasFocus()
    qtbot.keyClick(strip.view, Qt.Key.Key_Down)
    qtbot.keyClick(strip.view, Qt.Key.Key_Return)
    assert there(document.log).findings[document.finding].call_id == "lost1"


def test_the_details_say_whether_it_ran_and_a_trace_leads_to_its_record(known: MainWindow, qtbot: QtBot) -> None:
    known.side.show_tab(known.side.details)
    card, document = known.side.details.evidence, known.document
    select(known, "lost1")
    assert card.isVisible()
    assert card.head.sentence.text() == "Did it run? The call was started."
    assert card.head.more.text() == (
        "The log shows that the call started, but does not show whether it finished. "
        "Runs a command. Folder: /home/mei/tea"
    )
    assert card.command.text() == "make test"
    assert rows(card.model) == [["line 7", "The record behind it speaks of it."]]
    index = card.model.index(0, 1)
    qtbot.mouseClick(card.view.viewport(), LEFT, pos=card.view.visualRect(index).center())
    assert there(document.log).record_of(document.node) == 6


def test_a_call_without_a_trace_is_not_said_to_have_failed(known: MainWindow) -> None:
    known.side.show_tab(known.side.details)
    card = known.side.details.evidence
    select(known, "lost2")
    assert card.head.sentence.text() == "Did it run? No trace."
    assert "it may have run anyway" in card.head.more.text()
    assert not card.view.isVisible()


def test_an_orphan_result_has_no_card(known: MainWindow) -> None:
    known.side.show_tab(known.side.details)
    select(known, "lost1")
    select(known, "ghost")
    assert not known.side.details.evidence.isVisible()


def test_a_sound_log_is_not_asked_and_shows_no_strip(known: MainWindow, settle: Settle, tmp_path: Path) -> None:
    known.open(str(write_healthy(tmp_path / "healthy.jsonl")))
    settle(known.document)
    assert known.document.open_calls.evidence is None
    assert not known.side.repair.panel.open_calls.isVisible()


def test_nothing_is_asked_while_nobody_looks(window: MainWindow, qtbot: QtBot, settle: Settle, tmp_path: Path) -> None:
    window.side.show_tab(window.side.raw)
    window.open(str(write_small(tmp_path / "a.jsonl")))
    settle(window.document)
    qtbot.wait(100)
    assert window.document.open_calls.evidence is None
    window.side.show_tab(window.side.details)
    qtbot.waitUntil(lambda: window.document.open_calls.evidence is not None, timeout=PATIENCE_MS)


def test_the_list_of_open_calls_is_a_sound_model(qtmodeltester: ModelTester, tmp_path: Path) -> None:
    log, engine, ids = opened(write_small(tmp_path / "a.jsonl"))
    book = decode_value(encode_value(pack_evidence(engine.open_calls(), ids)), PackedEvidence)
    model = TableModel(OPEN_CALLS_TABLE)
    qtmodeltester.check(model)
    model.show(open_side_effect_rows(log, book))
    qtmodeltester.check(model)
    index = model.index(0, 0)
    assert (index.data(ItemRole.MARK), index.data(ItemRole.POSITION)) == ("pending", book.side_effect_positions[0])
    model.show(open_side_effect_rows(None, None))
    assert model.rowCount() == 0


def test_the_list_of_traces_is_a_sound_model(qtmodeltester: ModelTester) -> None:
    model = TableModel(EVIDENCE_TABLE)
    qtmodeltester.check(model)
    model.show(
        (
            EvidenceItem(EvidenceStrength.RAN, "It printed\nits end.", 3, None),
            EvidenceItem(EvidenceStrength.MENTIONED, "A file is there."),
        )
    )
    qtmodeltester.check(model)
    assert rows(model) == [["record 4", "It printed its end."], ["next to the log", "A file is there."]]
