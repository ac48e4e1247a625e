"""What Qwen Code would load: the walk from the last record up the parents, from the newest compression on.

Facts: @qwen-code/qwen-code 0.24.4, `utils/transcript-records.ts` (`selectTranscriptLeaf`, `walkTranscriptUuidChain`,
`aggregateTranscriptRecordFragments`). Several records with one id are one record: the first tells its parent and what
it is (behind one of the program's own nothing is sent), and the parts of all stand in its place. A parent that is
missing, or that leads back, ends the walk, and nothing bridges the gap.
"""

from __future__ import annotations

from array import array

from inspector.core.index.columns import Columns, RecordMark, Role
from inspector.core.index.record_tree import RecordTree
from inspector.core.index.session import DamagedLink, Thread


def thread_of(columns: Columns, tree: RecordTree) -> Thread:
    """The records of a resume in their order. Of several with one id the first is the `tree`'s."""
    tree.intern_ids()
    leaf = next((uuid for uuid in reversed(columns.uuids) if uuid is not None), None)
    if leaf is None:
        return Thread(array("I"))
    walked, damaged = tree.path_to(columns.uuids.index(leaf))
    path = _with_fragments(columns, tree, walked)
    boundary = next((at for at in range(len(path) - 1, -1, -1) if columns.marks[path[at]] & RecordMark.COMPACTION), -1)
    if boundary >= 0:
        # Nothing older is sent, whether the chain holds it or not.
        return Thread(_from_compression(columns, path, boundary))
    begins = next(record for record, uuid in enumerate(columns.uuids) if uuid is not None)
    return Thread(path, damaged_links=[DamagedLink(each.record, each.kind, each.record == begins) for each in damaged])


def _with_fragments(columns: Columns, tree: RecordTree, walked: array[int]) -> array[int]:
    """The path with every further record of an id behind the first one of it; what that one is, they all are."""
    if not tree.duplicate_ids:
        return walked
    further: dict[str | None, list[int]] = {}
    for _, record in tree.duplicate_ids:
        further.setdefault(columns.uuids[record], []).append(record)
    path = array("I")
    for first in walked:
        path.append(first)
        if columns.roles[first] != Role.LINK:
            path.extend(further.get(columns.uuids[first], ()))
    return path


def _from_compression(columns: Columns, path: array[int], boundary: int) -> array[int]:
    """The compression on the path, the contents that it holds, and what comes behind it."""
    after = path[boundary] + 1
    while after < len(columns) and columns.marks[after] & RecordMark.NO_ENVELOPE:
        after += 1
    return array("I", [*range(path[boundary], after), *path[boundary + 1 :]])
