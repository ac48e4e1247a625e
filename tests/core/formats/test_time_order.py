"""Where the reader of Claude Code's lines notes that messages are in the order of their times."""

import pytest

from inspector.core.formats.claude_code import reader
from inspector.core.model.columnar_index import Columns


def _columns(*times: str | None) -> Columns:
    columns = Columns()
    rows = [reader.TranscriptLine(type="user", uuid=str(number), timestamp=time) for number, time in enumerate(times)]
    reader.add_lines(columns, rows, list(range(len(rows))), 0, {})
    return columns


@pytest.mark.parametrize(
    ("times", "ordered"), [(("1", "2", "2"), True), (("1", "3", "2"), False), (("1", None, "2"), False)]
)
def test_a_chunk_is_noted_only_if_no_message_is_older_than_one_before_it(
    times: tuple[str | None, ...], ordered: bool
) -> None:
    assert _columns(*times).is_time_ordered(0, 2) == ordered


def test_records_of_two_parts_of_a_log_are_not_known_to_be_ordered() -> None:
    columns = _columns("1", "2")
    columns.append(_columns("3", "4"))
    assert columns.is_time_ordered(2, 3)
    assert not columns.is_time_ordered(1, 2)
