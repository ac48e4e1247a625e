"""Branches that are off the path an agent loads, in a log whose records name their parents."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from itertools import compress
from operator import and_

from msgspec import Struct

from inspector.core.analysis.compactions import last_compaction
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.model.columnar_index import PositionByNumber, RecordMark, Role
from inspector.core.model.record_tree import ROOT, RecordTree

_MAIN = bytes(
    not mark & (RecordMark.SIDE_THREAD | RecordMark.TRANSIENT) for mark in range(256)
)  # Both marks are bits of the low byte.
_SPEAKERS = bytes(role in (Role.USER, Role.ASSISTANT, Role.TOOL) for role in range(256))


class AbandonedBranch(Struct):
    """A group of connected messages off the path, from record `first` to record `last`.

    `has_no_parent` says whether its first record has no parent. `detached_child` is the record of the path that should
    be a child of `last`, -1 for none.
    """

    first: int
    last: int
    messages: int = 1
    has_no_parent: bool = False
    detached_child: int = -1


def abandoned_branches(context: ThreadContext) -> list[AbandonedBranch]:
    """Return the branches since the last compaction that resuming the main thread leaves out."""
    columns, path, start = context.columns, context.thread.path, max(last_compaction(context), 0)
    if len(path) == len(columns) - columns.opaque_count:
        return []
    spoken = columns.roles[start:].translate(_SPEAKERS)
    size = columns.marks.itemsize
    main_thread = columns.marks[start:].tobytes()[size - 1 if sys.byteorder == "big" else 0 :: size].translate(_MAIN)
    if sum(compress(spoken, main_thread)) == bytes(map(columns.roles.__getitem__, path)).translate(_SPEAKERS).count(1):
        return []
    off_path = compress(
        range(start, len(columns)),
        map(and_, map(and_, spoken, main_thread), context.path_positions.absent_flags(len(columns))[start:]),
    )
    # The earlier of two records with one id is not a branch. Rule G4 reports what is lost with it.
    known = {*context.thread.stranded_results, *(earlier for earlier, _ in context.session.duplicate_records)}
    left_out = [record for record in off_path if record not in known and columns.uuids[record] is not None]
    return _grouped(context, left_out) if left_out else []


def _grouped(context: ThreadContext, left_out: list[int]) -> list[AbandonedBranch]:
    parents, on_path = RecordTree(context.columns).parents, context.path_positions
    branches: dict[int, AbandonedBranch] = {}
    tops: dict[int, int] = {}
    for record in left_out:
        top = _top(record, parents, on_path, tops)
        if top in branches:
            branches[top].messages += 1
            branches[top].last = record
        else:
            branches[top] = AbandonedBranch(record, record, has_no_parent=parents[top] == ROOT)
    for branch in branches.values():
        branch.detached_child = _detached_child(context, branch)
    return list(branches.values())


def _top(record: int, parents: array[int], on_path: PositionByNumber, tops: dict[int, int]) -> int:
    """Return the first record of the branch that a record is on.

    `tops` caches the tops that were found before.
    """
    trail: dict[int, None] = {}
    while record not in tops and record not in trail:
        trail[record] = None
        if parents[record] < 0 or parents[record] in on_path:
            break
        record = parents[record]
    top = tops.get(record, record)
    tops.update(dict.fromkeys(trail, top))
    return top


def _detached_child(context: ThreadContext, branch: AbandonedBranch) -> int:
    """Return the next record of the path if a program attached it to a record before the branch, else -1.

    The program must have written that record by itself, as an automatic continuation.
    """
    path = context.thread.path
    position = bisect_right(path, branch.last)
    if (
        position == len(path)
        or not position
        or path[position - 1] > branch.first
        or context.columns.roles[path[position]] != Role.USER
    ):
        return -1
    return path[position] if context.format.is_automatic_continuation(context.raw(path[position])) else -1
