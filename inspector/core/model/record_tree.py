"""Records that link to their parent by id: the walk from the leaf that an agent takes on resume."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import repeat
from typing import Any, TypeAlias

from inspector.core.model.columnar_index import Columns
from inspector.core.model.session import DamagedLink, LinkDamage
from inspector.core.storage.json_text import dump_json, is_valid_json

ROOT, MISSING_PARENT = -1, -2
# Returns the record with which the agent continues after a damaged link, -1 for none. It takes the record with the link
# and a function that says whether the walk has passed a record.
ParentFallback: TypeAlias = Callable[[int, Callable[[int], bool]], int]


class RecordTree:
    """The resolved links of `columns`: `parents[r]` is a record, ROOT, or MISSING_PARENT.

    If an id occurs twice, the later record keeps it, as in most agents' own maps, or the earlier one (`first_wins`).
    `duplicate_ids` are (earlier, later) pairs of records. `has_ids`: whether any record has an id.
    """

    def __init__(self, columns: Columns, first_wins: bool = False) -> None:
        self.columns = columns
        uuids = columns.uuids
        step = -1 if first_wins else 1
        of_id: dict[str | None, int] = dict(zip(uuids[::step], range(len(uuids))[::step], strict=True))
        of_id.pop(None, None)
        self.has_ids = bool(of_id)
        self.duplicate_ids = _duplicates(uuids) if len(of_id) < len(uuids) - uuids.count(None) else []
        of_id[None] = ROOT
        self.parents = array("i", list(map(of_id.get, columns.parents, repeat(MISSING_PARENT))))
        self._walked = array("I", [0]) * len(columns)
        self._walks = 0

    def record_with_id(self, uuid: str) -> int:
        """Return the last record with this id, -1 if there is none."""
        uuids = self.columns.uuids
        return next((record for record in range(len(uuids) - 1, -1, -1) if uuids[record] == uuid), -1)

    def intern_ids(self) -> None:
        """Share one string between an id and all records that name it. The strings are a fifth of a large index."""
        uuids, parent_ids = self.columns.uuids, self.columns.parents
        for record, parent in enumerate(self.parents):
            if parent >= 0:
                parent_ids[record] = uuids[parent]

    def path_to(
        self, leaf: int, fallback: ParentFallback | None = None, first: int = -1
    ) -> tuple[array[int], list[DamagedLink]]:
        """Return the path from the root to `leaf`, and its damaged links, the last one first.

        The walk ends at a damaged link, unless `fallback` returns a record with which the agent continues. `first` is
        the record with which the log begins: where the walk ends there, nothing need be missing.
        """
        path, links = array("I"), []
        # All walks share one array, in which each writes its number: clearing it would take threads x records.
        self._walks += 1
        seen, walk, parents = self._walked, self._walks, self.parents
        record = leaf

        def passed(other: int) -> bool:
            return seen[other] == walk

        while record >= 0:
            seen[record] = walk
            path.append(record)
            parent = parents[record]
            if parent == MISSING_PARENT or (parent >= 0 and seen[parent] == walk):
                kind = LinkDamage.MISSING_PARENT if parent == MISSING_PARENT else LinkDamage.CYCLE
                parent = -1 if fallback is None else fallback(record, passed)
                links.append(DamagedLink(record, kind, record == first and parent < 0, agent_continues=parent >= 0))
            record = parent
        path.reverse()
        return path, links


def encode_non_string_id(value: Any) -> str | None:
    """Return an id that is not a string in the form in which columns hold it, None for a value that names nothing.

    The form differs from a string with the same characters. In a program that keeps its records in a map, a number is a
    key as well; objects and lists never equal each other, so they name nothing.
    """
    return f"\0{dump_json(value).decode()}" if value and not isinstance(value, dict | list) else None


def id_to_json(uuid: str | None) -> bytes:
    """Return the JSON of an id as the record holds it, also of an id that `encode_non_string_id` made."""
    id_json = uuid[1:].encode() if uuid and uuid[0] == "\0" else b""
    return id_json if id_json and is_valid_json(id_json) else dump_json(uuid)


def _duplicates(uuids: list[str | None]) -> list[tuple[int, int]]:
    """Return pairs of records with the same id: each record with the previous one."""
    seen: dict[str, int] = {}
    pairs = []
    for record, uuid in enumerate(uuids):
        if uuid is not None:
            if uuid in seen:
                pairs.append((seen[uuid], record))
            seen[uuid] = record
    return pairs
