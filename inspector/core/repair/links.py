"""The parent links of a draft: what changes when records are dropped, moved and added."""

from __future__ import annotations

from collections import Counter

from inspector.core.columns import Columns


class Links:
    """Changed parents by slot, until the draft commits them. Nothing here applies to formats without links."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.parents: dict[int, str | None] = {}
        self._last: dict[int, str | None] = {}
        self._children: dict[str, set[int]] | None = None
        self._copies: Counter[str | None] | None = None

    def parent_of(self, slot: int, record: int) -> str | None:
        """The id of a record's parent as things stand."""
        return self.parents[slot] if slot in self.parents else self.columns.parents[record]

    def set_parent(self, slot: int, uuid: str | None, was: str | None) -> None:
        """Hang a record off `uuid`; `was` is the parent it had."""
        self.parents[slot] = uuid
        if self._children is not None:
            if was is not None:
                self._children.get(was, set()).discard(slot)
            if uuid is not None:
                self._children.setdefault(uuid, set()).add(slot)

    def children(self) -> dict[str, set[int]]:
        """Slots by the id of their parent, as things stand. Built when a record is first dropped or moved."""
        if self._children is None:
            self._children = {}
            as_read = zip(self.columns.slots, self.columns.parents, strict=True)
            changed = self.parents.items()
            for slot, parent in [*(pair for pair in as_read if pair[0] not in self.parents), *changed]:
                if parent is not None:
                    self._children.setdefault(parent, set()).add(slot)
        return self._children

    def unlink(self, record: int) -> None:
        """What hangs off a record hangs off its parent from now on (law: a drop re-links), or off its copy."""
        uuid = self.columns.uuids[record]
        if uuid is None:
            return
        if self._copies is None:
            self._copies = Counter(self.columns.uuids)
        self._copies[uuid] -= 1
        if self._copies[uuid]:
            return
        parent = self.parent_of(self.columns.slots[record], record)
        for child in sorted(self.children().get(uuid, ())):
            self.set_parent(child, parent, uuid)

    def insert_before(self, slot: int, uuid: str | None, record: int) -> None:
        """Put `slot` (whose own id is `uuid`) between a record and its parent."""
        successor = self.columns.slots[record]
        parent = self.parent_of(successor, record)
        self.set_parent(slot, parent, None)
        self.set_parent(successor, uuid, parent)

    def new_leaves(self) -> dict[str, str]:
        """The ids of leaves that something was appended to, with the ids of what is the leaf now."""
        uuids = self.columns.uuids
        return {old: new for leaf, new in self._last.items() if new is not None and (old := uuids[leaf]) is not None}

    def append(self, slot: int, uuid: str | None, leaf: int) -> None:
        """Hang `slot` off the last record of a path, or off what was appended there before."""
        self.set_parent(slot, self._last.get(leaf, self.columns.uuids[leaf]), None)
        self._last[leaf] = uuid
