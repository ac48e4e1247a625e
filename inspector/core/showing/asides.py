"""What a resume does not load, shown where it stands: other branches, rewound turns, and what a compaction replaced."""

from typing import NamedTuple

from inspector.core.index.columns import Columns, RecordMark

ON_PATH, BELOW_CALL = 1, 2


class InactiveBranch(NamedTuple):
    """Neighbouring records of the conversation that are not on its path, and why they are not."""

    records: list[int]
    label: str


def inactive_branches(columns: Columns, members: range, placed: bytearray) -> list[InactiveBranch]:
    """The asides of a session in the order of the log: runs between which none of a path lies.

    `placed` tells of each member whether it is on a path (ON_PATH), stands below a call, or has no place yet (0).
    """
    runs: list[list[int]] = []
    apart = True
    for record in members:
        if placed[record - members.start] == ON_PATH:
            apart = True
        elif columns.roles[record] and not placed[record - members.start]:
            if apart:
                runs.append([])
            runs[-1].append(record)
            apart = False
    boundary = _last_boundary(columns, members) if runs else -1
    return [InactiveBranch(run, _label(run, run[-1] < boundary)) for run in runs]


def _last_boundary(columns: Columns, members: range) -> int:
    if not columns.has_mark(RecordMark.COMPACTION):
        return -1
    return next((record for record in reversed(members) if columns.marks[record] & RecordMark.COMPACTION), -1)


def _label(run: list[int], compacted: bool) -> str:
    why = "Before a compaction: a resume does not load it" if compacted else "Off the path: a resume does not load it"
    return f"{why} ({len(run):,})"
