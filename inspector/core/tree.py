"""Records that link to their parent by id: the walk from the leaf that an agent takes on resume."""

from __future__ import annotations

from array import array

from inspector.core.columns import Columns
from inspector.core.session import Break, Link

ROOT, MISSING = -1, -2


class Tree:
    """The resolved links of `columns`: `parents[r]` is a record, ROOT, or MISSING.

    Where an id occurs twice the later record keeps it, as the agents' own maps do; `duplicates` are
    (earlier, later) pairs.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        uuids = columns.uuids
        # The later of two records with one id wins, as in the agents' own maps.
        self.of_id: dict[str | None, int] = dict(zip(uuids, range(len(uuids)), strict=True))
        self.of_id.pop(None, None)
        self.duplicates: list[tuple[int, int]] = []
        if len(self.of_id) < len(uuids) - uuids.count(None):
            self.duplicates = _duplicates(uuids)
        self._walked = array("I", [0]) * len(columns)
        self._walks = 0
        find = self.of_id.get
        self.parents = array("i", [ROOT if p is None else find(p, MISSING) for p in columns.parents])

    def share_ids(self) -> None:
        """Let the columns hold one string for an id and for all that name it: they are a fifth of a large index."""
        uuids, named = self.columns.uuids, self.columns.parents
        for record, parent in enumerate(self.parents):
            if parent >= 0:
                named[record] = uuids[parent]

    def walk(self, leaf: int) -> tuple[array[int], Link | None]:
        """The path from the root to `leaf`, and the damaged link where it had to stop, if any."""
        path: list[int] = []
        # A number for each walk, in one array for all: clearing an array for each thread would cost threads x records.
        self._walks += 1
        seen, walk, parents = self._walked, self._walks, self.parents
        record, damage = leaf, None
        while record >= 0:
            if seen[record] == walk:
                damage = Link(path[-1], Break.CYCLE)
                break
            seen[record] = walk
            path.append(record)
            record = parents[record]
        if record == MISSING:
            damage = Link(path[-1], Break.MISSING_PARENT)
        path.reverse()
        return array("I", path), damage


def _duplicates(uuids: list[str | None]) -> list[tuple[int, int]]:
    """Pairs of records with one id, each with the one before it."""
    seen: dict[str, int] = {}
    found = []
    for record, uuid in enumerate(uuids):
        if uuid is not None:
            if uuid in seen:
                found.append((seen[uuid], record))
            seen[uuid] = record
    return found
