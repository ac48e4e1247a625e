"""The columns of the tree as data."""

from enum import IntEnum
from typing import NamedTuple


class Column(IntEnum):
    """The columns of the tree, from the left."""

    SUMMARY = 0
    PAIR = 1
    TIME = 2
    TOKENS = 3
    LINE = 4


class ColumnInfo(NamedTuple):
    """`sample` is a wide value: the column is made as wide as it."""

    title: str
    tooltip: str
    sample: str
    right_aligned: bool = False


COLUMNS = {
    Column.SUMMARY: ColumnInfo("Conversation", "Who said what, and what is wrong with it", ""),
    Column.PAIR: ColumnInfo("Pair", "A call's result or a result's call: click to go there", "answered → #8888"),
    Column.TIME: ColumnInfo("Time", "As the log wrote it", "88:88:88"),
    Column.TOKENS: ColumnInfo("Tokens", "↑ read by the model, ↓ written by it", "↑8.8k ↓8.8k", True),
    Column.LINE: ColumnInfo("Line", "The line of the log, or the number of the record", "88,888", True),
}
