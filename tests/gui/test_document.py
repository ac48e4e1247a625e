"""The document: the place in the log, choices with undo, plans, failures."""

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from inspector.core.presentation.outline import NodeKind
from inspector.core.repair.choices import Choices
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice, Phase
from tests.gui.conftest import PATIENCE_MS
from tests.gui.fake_engine import FAILED_TO_SCORE, FAILED_TO_SHOW
from tests.gui.fake_logs import write_big, write_healthy, write_small
from tests.gui.there import there

Settle = Callable[[Document], None]


def test_first_rows_are_there_before_the_child_answers(document: Document, tmp_path: Path) -> None:
    document.open(str(write_big(tmp_path / "a.jsonl", 2000)))
    assert document.phase == Phase.LOADING
    assert document.log is not None
    assert not document.log.complete
    assert 100 < len(document.log.starts) < 1000


def test_starts_at_the_first_error(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    assert there(document.log).findings[document.finding].call_id == "lost1"
    assert there(document.log).outline.kind[document.node] == NodeKind.BLOCK


def test_place_survives_the_complete_outline(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_big(tmp_path / "a.jsonl", 2000)))
    document.select_node(there(document.log).outline.node_of_record[20])
    settle(document)
    assert there(document.log).complete
    assert there(document.log).outline.record[document.node] == 20


def test_steps_through_findings_in_the_order_of_the_log(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    seen = []
    for _ in range(4):
        seen.append(there(document.log).findings[document.finding].call_id)
        document.step_finding(True)
    assert seen == ["lost1", "lost2", "ghost", "lost1"]
    document.step_finding(False)
    assert there(document.log).findings[document.finding].call_id == "lost1"


def test_follows_a_pair_there_and_back(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    call = there(document.log).outline.mark.find(1)
    assert document.navigator.follow_pair(call)
    assert there(document.log).record_of(document.node) == 2
    assert document.navigator.follow_pair()
    assert document.node == call


def test_undo_and_redo_of_choices(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    draft = document.repair
    draft.choose_for_finding(0, "leave")
    draft.choose_for_rule("R1", "drop")
    settle(document)
    assert not there(draft.plan).summary.verified
    assert draft.strategy_of_finding(2) == "drop"
    draft.undo_stack.undo()
    assert draft.choices.rules == {}
    draft.undo_stack.undo()
    settle(document)
    assert draft.choices == Choices()
    assert there(draft.plan).summary.verified
    draft.undo_stack.redo()
    settle(document)
    assert draft.strategy_of_finding(0) == "leave"


def test_choice_for_a_rule_drops_those_for_its_findings(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    document.repair.choose_for_finding(0, "leave")
    document.repair.choose_for_finding(2, "drop")
    document.repair.choose_for_rule("D2", "drop-call")
    assert list(document.repair.choices.findings.values()) == ["drop"]
    settle(document)
    assert document.repair.strategy_of_rule(there(document.log).findings.groups[0]) == "drop-call"


def test_revert_is_undoable(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    document.repair.choose_preset("clean")
    document.repair.revert()
    assert document.repair.choices == Choices()
    document.repair.undo_stack.undo()
    assert document.repair.choices.preset == "clean"
    settle(document)


def test_another_log_starts_without_the_choices_of_the_one_before(
    document: Document, settle: Settle, tmp_path: Path
) -> None:
    """Findings of two logs can have the same ids: a choice that stayed would hold for the new log, too."""
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    document.repair.choose_for_finding(0, "leave")
    document.open(str(write_small(tmp_path / "b.jsonl")))
    settle(document)
    assert document.repair.choices == Choices()
    assert not document.repair.undo_stack.canUndo()


def test_dead_child_keeps_the_rows_and_can_be_tried_again(document: Document, settle: Settle, tmp_path: Path) -> None:
    path = write_small(tmp_path / "crash.jsonl")
    document.open(str(path))
    settle(document)
    assert document.phase == Phase.READY
    assert there(document.notice).offer == "retry"
    assert document.log is not None


def test_choice_after_the_death_of_the_child_reads_the_log_again(
    qtbot: QtBot, document: Document, settle: Settle, tmp_path: Path
) -> None:
    document.open(str(write_small(tmp_path / "a.jsonl")))
    settle(document)
    document.process._process.kill()
    qtbot.waitUntil(lambda: document.notice is not None, timeout=PATIENCE_MS)
    document.repair.choose_for_rule("R1", "drop")
    qtbot.waitUntil(lambda: document.repair.plan is not None, timeout=PATIENCE_MS)
    settle(document)
    assert there(document.repair.plan).strategy_of(2) == "drop"
    assert document.notice is None


def test_cancelling_leaves_the_first_rows(qtbot: QtBot, document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "slow.jsonl")))
    qtbot.waitUntil(lambda: document.progress[1] > 0, timeout=PATIENCE_MS)
    document.cancel()
    assert document.phase == Phase.READY
    assert "canceled" in there(document.notice).sentence
    assert not there(document.log).complete
    document.open(str(write_healthy(tmp_path / "a.jsonl")))
    settle(document)
    assert there(document.log).complete


def test_missing_file_is_a_sentence(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(tmp_path / "nothing.jsonl"))
    settle(document)
    assert document.phase == Phase.FAILED
    assert "nothing.jsonl cannot be read" in there(document.notice).sentence


def test_growth_is_noticed(qtbot: QtBot, document: Document, settle: Settle, tmp_path: Path) -> None:
    path = write_healthy(tmp_path / "a.jsonl")
    document.open(str(path))
    settle(document)
    path.write_bytes(path.read_bytes() + path.read_bytes())
    qtbot.waitUntil(lambda: document.notice is not None, timeout=PATIENCE_MS)
    assert there(document.notice).offer == "new"
    assert len(there(document.log).starts) == 6
    document.reload()
    settle(document)
    assert document.notice is None


def test_what_a_format_failed_over_stands_above_all_panes(document: Document, settle: Settle, tmp_path: Path) -> None:
    document.open(str(write_small(tmp_path / "odd-format.jsonl")))
    settle(document)
    assert document.notice == Notice(FAILED_TO_SCORE)
    assert document.repair.plan is not None
    assert document.repair.plan.summary.faults == (FAILED_TO_SHOW,)
