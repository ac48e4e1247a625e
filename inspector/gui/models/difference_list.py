"""What is different between two logs of one conversation, as a list."""

from inspector.core.index.place import RecordLocation
from inspector.core.showing.between import CHANGED, MOVED, ONLY_FIRST, ONLY_SECOND, LogDifference
from inspector.gui.basics import theme, words
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.columns import Column, Table
from inspector.gui.models.roles import Role

_CHARS = 300
_KINDS = {ONLY_FIRST: "only here", ONLY_SECOND: "only there", CHANGED: "different", MOVED: "elsewhere"}
_MARKS = {ONLY_FIRST: "removed", ONLY_SECOND: "added", CHANGED: "changed", MOVED: "moved"}


def _kind(each: LogDifference) -> str:
    return words.tr(_KINDS[each.kind])


def _line(place: RecordLocation | None) -> str:
    return "" if place is None else f"{words.number(place):,}"


def _said(each: LogDifference) -> str:
    return one_line(f"{each.role}: {each.summary}" if each.role else each.summary, _CHARS)


DIFFERENCES = Table[LogDifference](
    (
        Column("Where", _kind, tuple(_KINDS.values()), padding=40, colours=theme.CHANGE),
        Column("Line", lambda each: _line(each.first), ("88,888",), align_right=True),
        Column(
            "There", lambda each: _line(each.second), ("88,888",), align_right=True, hint="The line in the other log"
        ),
        Column("Message", _said),
    ),
    tip=_said,
    roles={Role.MARK: lambda each: _MARKS[each.kind]},
)
