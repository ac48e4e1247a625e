"""What hangs beside the path that an agent loads, in a log whose records name their parents."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from itertools import compress
from operator import and_

from msgspec import Struct

from inspector.core.analysis.compactions import last_compaction
from inspector.core.analysis.thread import ThreadContext
from inspector.core.model.columns import PositionIndex, RecordMark, Role
from inspector.core.model.record_tree import ROOT, RecordTree

_MAIN = bytes(
    not mark & (RecordMark.SIDE_THREAD | RecordMark.TRANSIENT) for mark in range(256)
)  # both are bits of the low byte
_SPEAKERS = bytes(role in (Role.USER, Role.ASSISTANT, Role.TOOL) for role in range(256))


class AbandonedBranch(Struct):
    """Messages from record `first` to `last` that hang together and off the path.

    `is_root`: they hang off nothing. `torn_off_by` is the record of the path that should hang off `last`, -1 for none.
    """

    first: int
    last: int
    messages: int = 1
    has_no_parent: bool = False
    detached_child: int = -1


def abandoned_branches(scene: ThreadContext) -> list[AbandonedBranch]:
    """The branches that a resume of the main thread leaves behind, since the last compaction."""
    columns, path, low = scene.columns, scene.thread.path, max(last_compaction(scene), 0)
    if len(path) == len(columns) - columns.roles.count(0):
        return []
    spoken = columns.roles[low:].translate(_SPEAKERS)
    size = columns.marks.itemsize
    main = columns.marks[low:].tobytes()[size - 1 if sys.byteorder == "big" else 0 :: size].translate(_MAIN)
    if sum(compress(spoken, main)) == bytes(map(columns.roles.__getitem__, path)).translate(_SPEAKERS).count(1):
        return []
    off = compress(
        range(low, len(columns)), map(and_, map(and_, spoken, main), scene.path_positions.absent_flags[low:])
    )
    # The earlier of two records of one id is no branch: class G4 tells what is lost with it, if anything is.
    known = {*scene.thread.stranded_results, *(earlier for earlier, _ in scene.session.duplicate_records)}
    left = [record for record in off if record not in known and columns.uuids[record] is not None]
    return _grouped(scene, left) if left else []


def _grouped(scene: ThreadContext, left: list[int]) -> list[AbandonedBranch]:
    parents, on_path = RecordTree(scene.columns).parents, scene.path_positions
    found: dict[int, AbandonedBranch] = {}
    tops: dict[int, int] = {}
    for record in left:
        top = _top(record, parents, on_path, tops)
        if top in found:
            found[top].messages += 1
            found[top].last = record
        else:
            found[top] = AbandonedBranch(record, record, has_no_parent=parents[top] == ROOT)
    for branch in found.values():
        branch.detached_child = _detached_child(scene, branch)
    return list(found.values())


def _top(record: int, parents: array[int], on_path: PositionIndex, tops: dict[int, int]) -> int:
    """The first record of a branch, up the parents; `tops` knows those that were found before."""
    trail: dict[int, None] = {}
    while record not in tops and record not in trail:
        trail[record] = None
        if parents[record] < 0 or parents[record] in on_path:
            break
        record = parents[record]
    top = tops.get(record, record)
    tops.update(dict.fromkeys(trail, top))
    return top


def _detached_child(scene: ThreadContext, branch: AbandonedBranch) -> int:
    """The next record of the path, where a program wrote it by itself and hung it off one before the branch."""
    path = scene.thread.path
    at = bisect_right(path, branch.last)
    if at == len(path) or not at or path[at - 1] > branch.first or scene.columns.roles[path[at]] != Role.USER:
        return -1
    return path[at] if scene.format.is_automatic_continuation(scene.raw(path[at])) else -1
