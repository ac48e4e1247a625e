"""The tree of a conversation, printed: what is a row of its own, and where pairs are marked."""

from pathlib import Path

import orjson

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.model.views import BlockKind
from inspector.core.presentation.engine_results import OpenedLogView
from inspector.core.presentation.opened_log_facts import view_record
from inspector.core.presentation.outline import NodeKind, PairMark
from tests.core.formats import FORMATS
from tests.core.presentation.branches import written
from tests.support.notation import parse


def printed(opened: OpenedLogView, folder: Path, node: int = 1, depth: int = 0) -> list[str]:
    """A line a row: its kind, the block that it is, its pair."""
    outline, (path,) = opened.outline, [path for path in folder.rglob("*") if path.is_file()]
    record, block = outline.record[node], outline.block[node]
    words = [NodeKind(outline.kind[node]).name.lower()]
    if node in outline.label:
        words.append(outline.label[node])
    if block >= 0:
        raw = path.read_bytes()[opened.starts[record] : opened.ends[record]]
        shown = view_record(opened.overview.format, raw).blocks[block]
        words += [BlockKind(shown.kind).name.lower(), shown.name or shown.text]
    if outline.mark[node]:
        words.append(PairMark(outline.mark[node]).name.lower())
    lines = ["  " * depth + " ".join(words)]
    for child in range(outline.first[node], outline.first[node] + outline.count[node]):
        lines += printed(opened, folder, child, depth + 1)
    return lines


def tree_of(log: Path) -> str:
    engine = WindowEngine()
    opened = engine.open(str(log))
    engine.close()
    return "\n".join(printed(opened, log.parent)[1:])


def tree(name: str, history: str, folder: Path) -> str:
    return tree_of(FORMATS[name].write(parse(history), folder))


HISTORY = 'u"go" | a"I look."{A@Read p=1} | r(A=alpha) | a{B@Bash p=2} | r(B=beta) | a{C@Bash p=3} | u"stop" | a"ok"'


def test_a_message_of_one_block_is_one_row_and_a_turn_is_its_prompt(tmp_path: Path) -> None:
    assert (
        tree("anthropic-messages", HISTORY, tmp_path)
        == """\
  turn text go
    message
      block text I look.
      block call Read answered
    message result alpha answers
    message call Bash answered
    message result beta answers
    message call Bash unanswered
  turn text stop
    message text ok"""
    )


def test_fragments_of_one_message_stand_together(tmp_path: Path) -> None:
    assert (
        tree("claude-code", 'u"go" | a"I look."{A@Read p=1} | r(A=alpha)', tmp_path)
        == """\
  turn text go
    message
      block text I look.
      block call Read answered
    message result alpha answers"""
    )


def test_a_prompt_of_several_parts_holds_them(tmp_path: Path) -> None:
    assert (
        tree("anthropic-messages", 'u"one","two" | a"ok"', tmp_path)
        == """\
  turn
    block text one
    block text two
    message text ok"""
    )


def test_what_stands_before_the_first_prompt_has_no_turn_above_it(tmp_path: Path) -> None:
    assert (
        tree("anthropic-messages", 'a"hello" | u"hi" | a"ok"', tmp_path)
        == """\
  message text hello
  turn text hi
    message text ok"""
    )


def test_results_together_are_one_row_of_several(tmp_path: Path) -> None:
    assert (
        tree("anthropic-messages", "u | a{A,B} | r(A=x,B=y)", tmp_path)
        == """\
  turn text u
    message
      block call Read answered
      block call Read answered
    message
      block result x answers
      block result y answers"""
    )


def test_another_branch_stands_where_it_was(tmp_path: Path) -> None:
    log = written(
        tmp_path, "1<0 u go", "2<1 a yes", "3<2 u left", "4<3 a Left it is.", "5<2 u right", "6<5 a Right it is."
    )
    assert (
        tree_of(log)
        == """\
  turn text go
    message text yes
  inactive_branch Not on the active path, so not loaded on resume (2)
    record text left
    record text Left it is.
  turn text right
    message text Right it is."""
    )


def test_another_answer_stands_in_its_turn(tmp_path: Path) -> None:
    log = written(tmp_path, "1<0 u go", "2<1 a no", "3<1 a yes", "4<3 a Done.")
    assert (
        tree_of(log)
        == """\
  turn text go
    inactive_branch Not on the active path, so not loaded on resume (1)
      record text no
    message text yes
    message text Done."""
    )


def test_what_was_compacted_stands_before_the_summary(tmp_path: Path) -> None:
    log = written(tmp_path, "1<0 u go", "2<1 a yes", "3<0 c", "4<3 u summary", "5<4 a ok")
    assert (
        tree_of(log)
        == """\
  inactive_branch Before a compaction, so not loaded on resume (2)
    record text go
    record text yes
  record
  turn text summary
    message text ok"""
    )


def test_a_result_of_another_branch_leads_to_its_call_before_the_branch(tmp_path: Path) -> None:
    log = FORMATS["pi"].write(parse("u | a{A,B} | r(A=x) | u"), tmp_path)
    records = [orjson.loads(line) for line in log.read_bytes().splitlines()]
    records[-1]["parentId"] = records[-3]["id"]
    log.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    assert (
        tree_of(log)
        == """\
  record
  record
  turn text u
    message
      block call Read unanswered
      block call Read unanswered
  inactive_branch Not on the active path, so not loaded on resume (1)
    record result Read answers
  turn text u
  section Other records (1)
    record"""
    )
