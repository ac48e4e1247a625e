"""A filter line leaves the rows that it names, says what it cannot mean, and counts what it hides."""

import json

import pytest

from inspector.core.engine import window_engine
from inspector.core.engine.log import OpenLog
from inspector.core.search.filter_line import parse_filter, toggle_term
from inspector.core.search.filter_rows import apply_filter, matching_rows_mask
from inspector.core.search.row_masks import SearchableLog
from tests.support.notation import claude_code_records, parse

HISTORY = (
    'u"find the needle" | a"looking"{A@Grep pattern=needle,B@Bash command=make} | r(A=a.py)+r!(B=it broke)'
    ' | a{C@Bash command=ls} | u"and now?" | a"the end" | u"so?" | r(Z=lost)'
)


@pytest.fixture(scope="module")
def ground() -> SearchableLog:
    records = claude_code_records(parse(HISTORY))
    for minute, record in enumerate(records):
        record["timestamp"] = f"2026-11-21T12:{minute:02}:00.000Z"
    log = OpenLog.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())
    return SearchableLog(log.report, window_engine.opened_log_view(log.report, []), [])


def told(ground: SearchableLog, line: str) -> str:
    """The rows that a line leaves: the line of the log, and the number of the block where it is one of several."""
    outline, answer = ground.outline, apply_filter(ground, line)
    nodes = ground.rows.nodes_in(matching_rows_mask(ground, parse_filter(line).terms))
    assert (len(nodes), set(nodes) <= set(answer.kept)) == (answer.rows, True)
    assert answer.first in nodes or not nodes
    rows = sorted(outline.record[node] + 1 for node in nodes)
    return answer.fault or f"{' '.join(map(str, rows))}, hides {answer.hidden}"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tool:Bash", "4 6 7, hides 1"),
        ("tool:bash,grep is:call", "3 4 7, hides 1"),
        ("is:unanswered", "7, hides 1"),
        ("is:failed", "4 6, hides 2"),
        ("is:orphan", "11, hides 1"),
        ("is:error", "7 11, hides 0"),
        ("-is:error is:call", "3 4, hides 2"),
        ("role:user", "1 8 10, hides 2"),
        ("role:tool", "5 6 11, hides 1"),
        ("role:assistant -tool:Bash", "2 3 9, hides 2"),
        ("needle", "1 3, hides 2"),
        ('"the end"', "9, hides 2"),
        ("after:12:06", "7 8 9 10 11, hides 0"),
        ("before:12:01 role:user", "1, hides 2"),
        ("after:2026-11-22", ", hides 2"),
        ("after:2026-11-21T12:07", "8 9 10 11, hides 1"),
        ("rule:R1", "11, hides 1"),
        ("tool:Nothing", ", hides 2"),
        ("tool:B*", "4 6 7, hides 1"),
        ("is:text -role:user", "2 9, hides 2"),
        ("is:aside", ", hides 2"),
        ("timestamp", ", hides 2"),
        ("grep", "3, hides 2"),
        ("", "1 2 3 4 5 6 7 8 9 10 11, hides 0"),
    ],
)
def test_a_line_leaves_the_rows_that_it_names(ground: SearchableLog, line: str, expected: str) -> None:
    assert told(ground, line) == expected


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("toll:Bash", "There is no “toll:” filter. The available filters are tool, role, is, rule, after and before."),
        ("is:odd", "“odd” is not a valid value for “is:”."),
        ("is:", "“is:” needs a value (the type of a row, or a problem in it)."),
        ("after:noon", "“noon” is not a valid time. Examples: 12:30, 12:30:05, 2026-01-31 and 2026-01-31T12:30."),
        ('"http://x" words', ""),
        ('"unclosed', ""),
        ("  ", ""),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_said(line: str, fault: str) -> None:
    assert parse_filter(line).fault.startswith(fault)
    assert bool(parse_filter(line).fault) == bool(fault)


def test_a_tool_that_is_never_called_is_doubted(ground: SearchableLog) -> None:
    assert apply_filter(ground, "tool:Nothing").doubt == "This log has no calls to a tool named Nothing."


def test_a_click_puts_a_word_into_the_line_and_takes_it_out() -> None:
    assert toggle_term("tool:Bash words", "is:error") == "tool:Bash words is:error"
    assert toggle_term('tool:"a b"  is:error words', "is:error") == 'tool:"a b" words'
