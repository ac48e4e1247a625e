"""Records that link to their parent by id: the walk from the leaf that an agent takes on resume."""

from __future__ import annotations

from array import array
from itertools import repeat

from inspector.core.columns import Columns
from inspector.core.session import Break, Link

ROOT, MISSING = -1, -2


class Tree:
    """The resolved links of `columns`: `parents[r]` is a record, ROOT, or MISSING.

    Where an id occurs twice the later record keeps it, as the agents' own maps do; `duplicates` are
    (earlier, later) pairs. `named`: whether any record has an id.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        uuids = columns.uuids
        # The later of two records with one id wins, as in the agents' own maps.
        of_id: dict[str | None, int] = dict(zip(uuids, range(len(uuids)), strict=True))
        of_id.pop(None, None)
        self.named = bool(of_id)
        self.duplicates = _duplicates(uuids) if len(of_id) < len(uuids) - uuids.count(None) else []
        of_id[None] = ROOT
        self.parents = array("i", list(map(of_id.get, columns.parents, repeat(MISSING))))
        self._walked = array("I", [0]) * len(columns)
        self._walks = 0

    def record_of(self, uuid: str) -> int:
        """The record that has an id, -1 when there is none."""
        uuids = self.columns.uuids
        return next((record for record in range(len(uuids) - 1, -1, -1) if uuids[record] == uuid), -1)

    def share_ids(self) -> None:
        """Let the columns hold one string for an id and for all that name it: they are a fifth of a large index."""
        uuids, named = self.columns.uuids, self.columns.parents
        for record, parent in enumerate(self.parents):
            if parent >= 0:
                named[record] = uuids[parent]

    def walk(self, leaf: int) -> tuple[array[int], Link | None]:
        """The path from the root to `leaf`, and the damaged link where it had to stop, if any."""
        path = array("I")
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
        return path, damage


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
