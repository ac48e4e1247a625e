"""The ready lists of a log, each a table of its columns."""

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from inspector.core.showing.seeking import ListRow
from inspector.core.showing.sizes import format_bytes
from inspector.core.showing.times import format_duration
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.columns import Column, Table

_CHARS = 300
_KINDS = ("assistant", "result")
_TOOLS = ("TodoWrite, MultiEdit",)


class ReadyList(NamedTuple):
    """`name` is what the engine is asked for, which answers `most` rows; `empty` is said where there are none."""

    name: str
    title: str
    empty: str
    table: Table[ListRow]
    most: int = 2000


def _text(title: str) -> Column[ListRow]:
    return Column(title, lambda row: one_line(row.text, _CHARS), key=lambda row: row.text.casefold())


def _what(title: str, widest: tuple[str, ...]) -> Column[ListRow]:
    return Column(
        title, lambda row: one_line(row.what, 80), widest, 20, muted=True, key=lambda row: row.what.casefold()
    )


def _measure(title: str, text: Callable[[ListRow], str], widest: str) -> Column[ListRow]:
    return Column(title, text, (widest,), 24, align_right=True, key=attrgetter("measure"), descending_first=True)


def _lasted(row: ListRow) -> str:
    return format_duration(row.measure / 1000) if row.measure >= 0 else ""


_LINE = Column[ListRow](
    "Line",
    lambda row: f"{row.record:,}",
    ("888,888",),
    24,
    "The line of the log, or the number of the record",
    align_right=True,
    key=attrgetter("record"),
)
_TOOK = _measure("Took", _lasted, "88 min 88 s")
_ROWS = Column[ListRow](
    "Rows",
    lambda row: f"{row.count:,}",
    ("88,888",),
    24,
    align_right=True,
    key=attrgetter("count"),
    descending_first=True,
)
READY_LISTS = (
    ReadyList("turns", "Turns", "This log has no turns.", Table((_LINE, _text("What was asked"), _ROWS, _TOOK))),
    ReadyList(
        "largest",
        "Largest records",
        "This log has no records.",
        Table(
            (
                _measure("Size", lambda row: format_bytes(row.measure), "888.8 MB"),
                _what("Kind", _KINDS),
                _text("What it says"),
                _LINE,
            )
        ),
        most=200,
    ),
    ReadyList(
        "waits",
        "Longest waits",
        "This log does not tell times.",
        Table(
            (
                _measure("Wait", _lasted, "88 min 88 s"),
                _what("Kind", _KINDS),
                _text("What came then"),
                _LINE,
            )
        ),
        most=200,
    ),
    ReadyList(
        "failed",
        "Failed tools",
        "No result is marked as failed.",
        Table((_LINE, _what("Tool", _TOOLS), _text("What came back"))),
    ),
    ReadyList(
        "files",
        "Files touched",
        "No call names a file.",
        Table(
            (
                _measure("Calls", lambda row: f"{row.measure:,}", "88,888"),
                _text("File"),
                _what("Tools", _TOOLS),
                _LINE,
            )
        ),
    ),
)
