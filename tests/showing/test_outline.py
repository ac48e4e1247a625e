"""The tree of a conversation, printed: what is a row of its own, and where pairs are marked."""

from pathlib import Path

from inspector.core.engine.engine import Engine
from inspector.core.index.views import BlockKind
from inspector.core.showing.answers import Opened
from inspector.core.showing.outline import NodeKind, PairMark
from inspector.core.showing.overview import view_record
from tests.formats import FORMATS
from tests.notation import parse


def printed(opened: Opened, folder: Path, node: int = 1, depth: int = 0) -> list[str]:
    """A line a row: its kind, the block that it is, its pair."""
    outline, (path,) = opened.outline, [path for path in folder.rglob("*") if path.is_file()]
    record, block = outline.record[node], outline.block[node]
    words = [NodeKind(outline.kind[node]).name.lower()]
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


def tree(name: str, history: str, folder: Path) -> str:
    engine = Engine()
    opened = engine.open(str(FORMATS[name].write(parse(history), folder)))
    engine.close()
    return "\n".join(printed(opened, folder)[1:])


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


def test_a_log_that_begins_with_an_answer_has_a_turn_above_it(tmp_path: Path) -> None:
    assert (
        tree("anthropic-messages", 'a"hello" | u"hi" | a"ok"', tmp_path)
        == """\
  turn
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
