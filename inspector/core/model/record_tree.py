"""Records that link to their parent by id: the walk from the leaf that an agent takes on resume."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import repeat
from typing import Any, TypeAlias

from inspector.core.model.columns import Columns
from inspector.core.model.session import DamagedLink, LinkDamage
from inspector.core.storage.json_text import dump_json, is_valid_json

ROOT, MISSING_PARENT = -1, -2
# The record that an agent goes on to from one whose parent is not there, given which it has passed; -1 for none.
ParentFallback: TypeAlias = Callable[[int, Callable[[int], bool]], int]


class RecordTree:
    """The resolved links of `columns`: `parents[r]` is a record, ROOT, or MISSING.

    Where an id occurs twice the later record keeps it, as most agents' own maps do, or the earlier one
    (`first_wins`); `duplicates` are (earlier, later) pairs. `named`: whether any record has an id.
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
        """The record that has an id, -1 when there is none."""
        uuids = self.columns.uuids
        return next((record for record in range(len(uuids) - 1, -1, -1) if uuids[record] == uuid), -1)

    def intern_ids(self) -> None:
        """Let the columns hold one string for an id and for all that name it: they are a fifth of a large index."""
        uuids, named = self.columns.uuids, self.columns.parents
        for record, parent in enumerate(self.parents):
            if parent >= 0:
                named[record] = uuids[parent]

    def path_to(self, leaf: int, fallback: ParentFallback | None = None) -> tuple[array[int], list[DamagedLink]]:
        """The path from the root to `leaf`, and its damaged links, the last one first.

        Where a link is damaged the walk ends, unless `bridge` knows a record that the agent goes on to.
        """
        path, links = array("I"), []
        # A number for each walk, in one array for all: clearing an array for each thread would cost threads x records.
        self._walks += 1
        seen, walk, parents = self._walked, self._walks, self.parents
        record = leaf

        def passed(each: int) -> bool:
            return seen[each] == walk

        while record >= 0:
            seen[record] = walk
            path.append(record)
            parent = parents[record]
            if parent == MISSING_PARENT or (parent >= 0 and seen[parent] == walk):
                kind = LinkDamage.MISSING_PARENT if parent == MISSING_PARENT else LinkDamage.CYCLE
                parent = -1 if fallback is None else fallback(record, passed)
                links.append(DamagedLink(record, kind, agent_continues=parent >= 0))
            record = parent
        path.reverse()
        return path, links


def non_string_id(value: Any) -> str | None:
    """The id that is no text as columns hold it, told apart from a text of the same signs; None for what names nothing.

    To a program that keeps its records in a map a number is a key like any other. An object equals no other.
    """
    return f"\0{dump_json(value).decode()}" if value and not isinstance(value, dict | list) else None


def id_to_json(uuid: str | None) -> bytes:
    """The id of a record as it stands in the record."""
    written = uuid[1:].encode() if uuid and uuid[0] == "\0" else b""
    return written if written and is_valid_json(written) else dump_json(uuid)


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
