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
        self.of_id: dict[str, int] = {}
        self.duplicates: list[tuple[int, int]] = []
        of_id = self.of_id
        for record, uuid in enumerate(columns.uuids):
            if uuid is not None:
                if uuid in of_id:
                    self.duplicates.append((of_id[uuid], record))
                of_id[uuid] = record
        find = of_id.get
        self.parents = array("i", [ROOT if p is None else find(p, MISSING) for p in columns.parents])

    def walk(self, leaf: int) -> tuple[array[int], Link | None]:
        """The path from the root to `leaf`, and the damaged link where it had to stop, if any."""
        path: list[int] = []
        seen = bytearray(len(self.parents))
        parents = self.parents
        record, damage = leaf, None
        while record >= 0:
            if seen[record]:
                damage = Link(path[-1], Break.CYCLE)
                break
            seen[record] = 1
            path.append(record)
            record = parents[record]
        if record == MISSING:
            damage = Link(path[-1], Break.MISSING_PARENT)
        path.reverse()
        return array("I", path), damage
