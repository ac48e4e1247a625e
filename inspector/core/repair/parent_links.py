"""The parent links of a draft: what changes when records are dropped, moved and added."""

from bisect import bisect_left, insort
from collections import Counter

from inspector.core.model.columnar_index import Columns


class ParentLinks:
    """Changed parents by slot, until the draft commits them. Formats without links have none.

    Memory grows with the changes and not with the records: what hung off a dropped record as read is a single heir of
    its parent, however many records that are. `final_parents` resolves the heirs when all changes are known.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.parents: dict[int, str | None] = {}
        self._last: dict[int, str | None] = {}
        # By an id as read: the new parent of the records that named it. A moved record keeps its id, so records that
        # are hung off it in its new place are in `parents`.
        self._heirs: dict[str, str | None] = {}
        # By id: the slots that were hung off it here, and the ids whose heirs hang off it.
        self._children: dict[str, set[int | str]] = {}
        # By an id that several records have: the records that get a new one, with that, in the order of the log.
        self._renamed: dict[str, list[tuple[int, str]]] = {}
        self._copies: Counter[str | None] | None = None

    def __bool__(self) -> bool:
        return bool(self.parents or self._heirs or self._renamed)

    def current_parent(self, slot: int, record: int) -> str | None:
        """Return the id of a record's current parent."""
        if slot in self.parents:
            return self.parents[slot]
        return self._heir(record)

    def _heir(self, record: int) -> str | None:
        """Return the parent of a record that was not given one here."""
        parent = self.columns.parents[record]
        if parent is None:
            return None
        renamed = self._renamed.get(parent, ())
        before = bisect_left(renamed, (record, ""))
        return renamed[before - 1][1] if before else self._heirs.get(parent, parent)

    def set_parent(self, slot: int, uuid: str | None) -> None:
        """Hang a record off `uuid`."""
        self._hang(slot, self.parents.get(slot), uuid)
        self.parents[slot] = uuid

    def _hang(self, child: int | str, was: str | None, uuid: str | None) -> None:
        if was is not None and was in self._children:
            self._children[was].discard(child)
        if uuid is not None:
            self._children.setdefault(uuid, set()).add(child)

    def unlink(self, record: int) -> None:
        """Hang the children of a record off its parent, or off its copy.

        A dropped record must never leave its children without a parent.
        """
        uuid = self.columns.uuids[record]
        if uuid is None or self._has_copy(uuid):
            return
        parent = self.current_parent(self.columns.stable_numbers[record], record)
        if parent == uuid:
            parent = None  # It was part of a cycle, and the rest of that is gone.
        for child in list(self._children.get(uuid, ())):
            self._hang(child, uuid, parent)
            if isinstance(child, int):
                self.parents[child] = parent
            else:
                self._heirs[child] = parent
        if uuid not in self._heirs:
            self._heirs[uuid] = parent
            self._hang(uuid, None, parent)

    def is_vacated(self, uuid: str) -> bool:
        """Return whether the last record of an id was dropped or moved away."""
        return uuid in self._heirs

    def rename_record(self, record: int, uuid: str) -> None:
        """Give a record another id.

        Records after it that name the old id hang off the new one.
        """
        old = self.columns.uuids[record]
        if old is not None:
            insort(self._renamed.setdefault(old, []), (record, uuid))

    def _has_copy(self, uuid: str) -> bool:
        """Return whether another record of this id stays when one of them goes."""
        if self._copies is None:
            uuids = self.columns.uuids
            known = set(uuids)
            self._copies = Counter()
            if len(uuids) > len(known) - (None in known) + uuids.count(None):
                self._copies.update(uuids)
        if uuid not in self._copies:
            return False
        self._copies[uuid] -= 1
        return self._copies[uuid] > 0

    def insert_before(self, slot: int, uuid: str | None, record: int) -> None:
        """Put `slot`, whose own id is `uuid`, between a record and its parent."""
        successor = self.columns.stable_numbers[record]
        self.set_parent(slot, self.current_parent(successor, record))
        self.set_parent(successor, uuid)

    def append(self, slot: int, uuid: str | None, leaf: int) -> None:
        """Hang `slot` off the last record of a path, or off what was appended to that before."""
        self.set_parent(slot, self._last.get(leaf, self.columns.uuids[leaf]))
        self._last[leaf] = uuid

    def new_leaves(self) -> dict[str, str]:
        """Return the ids of the leaves that something was appended to, with the ids of the new leaves."""
        uuids = self.columns.uuids
        return {old: new for leaf, new in self._last.items() if new is not None and (old := uuids[leaf]) is not None}

    def final_parents(self) -> dict[int, str | None]:
        """Return the changed parents of all records by slot."""
        changed = self._heirs.keys() | self._renamed.keys()
        slots = self.columns.stable_numbers
        for record, parent in enumerate(self.columns.parents if changed else ()):
            if parent in changed and slots[record] not in self.parents and (heir := self._heir(record)) != parent:
                self.parents[slots[record]] = heir
        return self.parents
