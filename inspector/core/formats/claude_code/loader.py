"""The threads that Claude Code would load from a session.

This is the walk from the leaf, with siblings of parallel calls, messages kept by a compaction, and a fallback for a
missing parent.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cached_property
from itertools import compress, pairwise
from typing import Any

from msgspec import Struct

from inspector.core.formats.claude_code.reader import is_newer_generation
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import MISSING_PARENT, ParentFallback, RecordTree
from inspector.core.model.session import DamagedLink, LinkDamage, Thread
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import LenientDecoder
from inspector.core.storage.json_text import list_at, object_at, parse_json, parse_json_cached

# Where a record names a missing parent, Claude Code goes on to the record nearest in time before it.
#
# Facts: cli.js 2.1.112, `WtY`, and 2.1.330, `vtn`: of the records of the same side that the walk has not passed, the
# newest that is no more than five seconds older; of two with one time the first in the file. Both were run on it.

_MOST_SECONDS_APART = 5.0  # seconds
_LINKABLE_ROLES = (Role.USER, Role.ASSISTANT, Role.LINK)


class _TimedLine(Struct, gc=False):
    """The time of a record. Where one parent is missing, it is read for all records."""

    timestamp: str = ""


_decode_time = LenientDecoder(_TimedLine)


class MissingParentFallback:
    """The records of a log by their times, which are read when the first parent is missing."""

    def __init__(self, columns: Columns, raw: ReadRecord) -> None:
        self.columns, self.raw = columns, raw
        self._walk: Callable[[int], bool] | None = None
        self._skips: dict[int, dict[int, int]] = {}
        self._times: dict[int, float | None] = {}

    def before(self, record: int, passed: Callable[[int], bool]) -> int:
        """Return the record that the walk goes on to from `record`, -1 where it ends.

        `passed` must be the same object during a walk: a record that the walk has passed is never looked at again.
        """
        side = self.columns.marks[record] & RecordMark.SIDE_THREAD
        timed = self._sides.get(side, [])
        time = self._times[record] if record in self._times else _time_of(self.raw(record))
        if time is None:
            return -1
        if passed is not self._walk:
            self._walk, self._skips = passed, {}
        skips = self._skips.setdefault(side, {})
        index = _nearest_not_skipped(skips, bisect_right(timed, (time, 0)) - 1)
        while index >= 0 and time - timed[index][0] <= _MOST_SECONDS_APART:
            if not passed(-timed[index][1]):
                return -timed[index][1]
            skips[index] = index - 1
            index = _nearest_not_skipped(skips, index)
        return -1

    @cached_property
    def _sides(self) -> dict[int, list[tuple[float, int]]]:
        """(time, -record) of each side, in order, so that of two with one time the first in the file comes last."""
        found: dict[int, list[tuple[float, int]]] = {}
        columns = self.columns
        for record, role in enumerate(columns.roles):
            mark = columns.marks[record]
            if role in _LINKABLE_ROLES and columns.uuids[record] is not None and not mark & RecordMark.TRANSIENT:
                self._times[record] = time = _time_of(self.raw(record))
                if time is not None:
                    found.setdefault(mark & RecordMark.SIDE_THREAD, []).append((time, -record))
        for timed in found.values():
            timed.sort()
        return found


def _nearest_not_skipped(skips: dict[int, int], at: int) -> int:
    """Return the nearest place at or before `at` that is not skipped, and shorten the way to it for later calls."""
    found = at
    while found in skips:
        found = skips[found]
    while at != found:
        skips[at], at = found, skips[at]
    return found


def _time_of(raw: bytes) -> float | None:
    """Return the seconds since 1970, None where the record has no time."""
    try:
        return datetime.fromisoformat(_decode_time(raw).timestamp).timestamp()
    except ValueError:
        return None


_SPEAKERS = (int(Role.USER), int(Role.ASSISTANT))
_RESULT, _SIDE, _BOUNDARY = int(BlockKind.RESULT), RecordMark.SIDE_THREAD, RecordMark.COMPACTION
_UNMARKED = bytes(not number for number in range(256))  # translates marks into 1 where there is none


def version_of_newest_message(columns: Columns, raw: ReadRecord, newest_first: Iterable[int]) -> str:
    """Return the version that wrote the newest message of some records, "" if it names none."""
    record = next((each for each in newest_first if columns.roles[each] in _SPEAKERS), -1)
    return str(parse_json_cached(raw(record)).get("version") or "") if record >= 0 else ""


def load_threads(columns: Columns, tree: RecordTree, raw: ReadRecord, version: str) -> list[Thread]:
    """Return the main thread, then the side threads inside the file, each walked from its last record."""
    newer = is_newer_generation(version)
    roles, marks = columns.roles, columns.marks
    skipped = RecordMark.SIDE_THREAD | RecordMark.TRANSIENT
    if not tree.has_ids:
        return [Thread(array("I", [record for record, role in enumerate(roles) if role]))]
    roots, leaves = _side_threads(columns, tree)
    pointed, explicit = _leaf_pointed_at(columns, tree, raw)
    if explicit:
        leaf = pointed
    else:
        records = range(len(roles) - 1, -1, -1)
        leaf = next((r for r in records if roles[r] and not marks[r] & skipped and columns.uuids[r] is not None), -1)
        if newer and min(leaf, pointed) >= 0 and not _goes_on_from(columns, tree, leaf, pointed):
            leaf = pointed
        elif leaf >= 0 and tree.parents.count(leaf):
            leaf = _leaf_behind(columns, tree, leaf)
    if leaf < 0:
        # A subagent's file: its first parent lies in the file of the session that started it.
        only = _thread(tree, max(leaves.values(), default=-1), side=False)
        only.damaged_links = [
            DamagedLink(link.record, link.kind, link.kind == LinkDamage.MISSING_PARENT) for link in only.damaged_links
        ]
        return _with_siblings(columns, tree, raw, [only], newer)
    forgotten = _relink_preserved(columns, tree, raw, newer)
    main = _thread(tree, leaf, side=False, bridge=MissingParentFallback(columns, raw).before)
    for record in main.path:
        if marks[record] & _SIDE:
            leaves.pop(roots.get(record, record), None)
    _with_siblings(columns, tree, raw, [main], newer, forgotten)
    for record in main.recovered_records:
        if leaves.get(roots.get(record, -1)) == record:
            del leaves[roots[record]]
    sides = [_thread(tree, last, side=True) for last in leaves.values()]
    return _with_siblings(columns, tree, raw, [main, *sides], newer) if sides else [main]


def are_threads_as_in_newer(columns: Columns, threads: list[Thread]) -> bool:
    """Return whether a newer program certainly loads the threads as an older one does.

    They differ in the leaf that is pointed at, in what a compaction keeps, and in that a newer program puts the
    fragments and results which it joins in the order of the file. In a path that is in this order, nothing moves.
    """
    is_same_base = not columns.has_mark(RecordMark.LEAF_POINTER | _BOUNDARY)
    return is_same_base and all(list(thread.path) == sorted(thread.path) for thread in threads)


def _leaf_behind(columns: Columns, tree: RecordTree, last: int) -> int:
    """Return the leaf that follows the last record of the file, if exactly one does, else that record.

    An older record may be repeated at the end, or the order may differ: 2.1.112 and 2.1.330 (`leafUuids`) were seen to
    go on after it. In a circle the last record is taken.
    """
    named = {*tree.parents, *(earlier for earlier, _ in tree.duplicate_ids)}
    leaves = [each for each, uuid in enumerate(columns.uuids) if uuid is not None and each not in named]
    if len(leaves) != 1 or columns.roles[leaves[0]] not in (Role.USER, Role.ASSISTANT):
        return last
    return leaves[0] if last in tree.path_to(leaves[0])[0] else last


def _side_threads(columns: Columns, tree: RecordTree) -> tuple[dict[int, int], dict[int, int]]:
    """Return the root of every side record, and the last record of every side thread by its root."""
    roots: dict[int, int] = {}
    leaves: dict[int, int] = {}
    parents, roles = tree.parents, columns.roles
    for record, mark in enumerate(columns.marks):
        if mark & _SIDE and roles[record] and not mark & RecordMark.TRANSIENT:
            roots[record] = root = roots.get(parents[record], record)
            leaves[root] = record
    return roots, leaves


def _last_marked(columns: Columns, mark: int) -> int:
    """Return the last record with a mark, -1 when there is none."""
    if not columns.has_mark(mark):
        return -1
    marks = columns.marks
    return next((record for record in range(len(marks) - 1, -1, -1) if marks[record] & mark), -1)


def _leaf_pointed_at(columns: Columns, tree: RecordTree, raw: ReadRecord) -> tuple[int, bool]:
    """Return the leaf that the last `last-prompt` record names (2.1.330 and newer), and whether it does so explicitly.

    The leaf is -1 where none is named, or none that is there.
    """
    record = _last_marked(columns, RecordMark.LEAF_POINTER)
    if record < 0:
        return -1, False
    row = parse_json(raw(record))
    found = tree.record_with_id(str(row.get("leafUuid") or ""))
    return found, found >= 0 and row.get("explicit") is True


def _goes_on_from(columns: Columns, tree: RecordTree, last: int, pointed: int) -> bool:
    """Return whether the last record of the file follows the one pointed at, or a fragment of its message (`isn`).

    Else 2.1.330 goes on from the one pointed at.
    """
    path, _ = tree.path_to(last)
    owner = pointed if columns.roles[pointed] == Role.ASSISTANT else tree.parents[pointed]
    message = columns.groups[owner] if owner >= 0 and columns.roles[owner] == Role.ASSISTANT else None
    return pointed in path or (message is not None and any(columns.groups[each] == message for each in path))


def _relink_preserved(columns: Columns, tree: RecordTree, raw: ReadRecord, newer: bool) -> bytearray:
    """Attach messages kept by the last compaction to its anchor, as the loader (`LeK`, 2.1.330 `C_r`) does.

    Return a 1 for each record that the program forgets: it is before the last boundary, and is not kept. Nothing is
    changed, and nothing forgotten, where the kept messages cannot be found.
    """
    nothing = bytearray(len(columns))
    boundaries = [r for r, mark in enumerate(columns.marks) if mark & _BOUNDARY] if columns.has_mark(_BOUNDARY) else []
    by_record = ((r, object_at(parse_json(raw(r)), "/compactMetadata")) for r in reversed(boundaries))
    keeping = ("preservedMessages", "preservedSegment") if newer else ("preservedSegment",)
    boundary, metadata = next((pair for pair in by_record if any(map(pair[1].get, keeping))), (-1, {}))
    if boundary < 0:
        return nothing
    kept: list[int] = []
    if boundary == boundaries[-1]:
        listed = object_at(metadata, "/preservedMessages") if newer else {}
        segment = listed or object_at(metadata, "/preservedSegment")
        found = _listed_records(columns, listed) if listed else _records_of_segment(tree, segment)
        if found is None:
            return nothing
        kept = found
        if kept:
            _attach(tree, kept, tree.record_with_id(str(segment.get("anchorUuid"))))
    forgotten = bytearray(b"\1" * boundaries[-1]).ljust(len(columns), b"\0")
    for record in kept:
        forgotten[record] = 0
    if newer and kept:
        for record, parent in enumerate(tree.parents):
            if parent >= 0 and forgotten[parent] and not forgotten[record] and columns.roles[record] in _SPEAKERS:
                tree.parents[record] = kept[-1]
    return forgotten


def _listed_records(columns: Columns, listed: dict[str, Any]) -> list[int] | None:
    """Return the records that a boundary lists as kept, None where one is not in the log."""
    of_id = {uuid: record for record, uuid in enumerate(columns.uuids)}
    found = [of_id.get(str(uuid), -1) for uuid in list_at(listed, "/uuids")]
    return found if -1 not in found else None


def _records_of_segment(tree: RecordTree, segment: dict[str, Any]) -> list[int] | None:
    """Return the records from the head of a kept segment to its tail, None where the head is not above the tail."""
    head, tail = (tree.record_with_id(str(segment.get(key))) for key in ("headUuid", "tailUuid"))
    if head < 0 or tail < 0:
        return None
    path, _ = tree.path_to(tail)
    return list(path[path.index(head) :]) if head in path else None


def _attach(tree: RecordTree, kept: list[int], anchor: int) -> None:
    """Put kept records, one after another, between their anchor and what hangs off it."""
    for record, parent in enumerate(tree.parents):
        if parent == anchor >= 0 and record != kept[0]:
            tree.parents[record] = kept[-1]
    for parent, record in pairwise((anchor if anchor >= 0 else MISSING_PARENT, *kept)):
        tree.parents[record] = parent


def _thread(tree: RecordTree, leaf: int, side: bool, bridge: ParentFallback | None = None) -> Thread:
    if leaf < 0:
        return Thread(array("I"), side)
    first = next((record for record, role in enumerate(tree.columns.roles) if role), -1)
    path, links = tree.path_to(leaf, bridge, first)
    return Thread(path, side, links)


def _with_siblings(
    columns: Columns,
    tree: RecordTree,
    raw: ReadRecord,
    threads: list[Thread],
    newer: bool,
    forgotten: Iterable[int] = (),
) -> list[Thread]:
    """Insert fragments, then results, that fork off a path after the last fragment of their message (`DtY`), by time.

    A `newer` program puts them, after the first fragment, among the results in the order of the file (`D_r`). One pass
    over the records serves all threads: a message is in one thread. The loader ignores marks: a side chain's fragment
    of a message of the main thread belongs to that message, and an API error has an id, too.
    """
    roles, groups, kinds, first = columns.roles, columns.groups, columns.block_kinds, columns.first_block
    parents, marks = tree.parents, columns.marks
    assistant, user = int(Role.ASSISTANT), int(Role.USER)
    on_path = bytearray(forgotten) or bytearray(len(columns))
    last_of: dict[str | None, int] = {}
    for thread in threads:
        for record in thread.path:
            on_path[record] = 1
            if roles[record] == assistant or marks[record] & RecordMark.API_ERROR:
                last_of[groups[record]] = record
    last_of.pop(None, None)
    nameless = [r for r, uuid in enumerate(columns.uuids) if uuid is None and roles[r] in (user, assistant)]
    for shadowed in (*(each for each, _ in tree.duplicate_ids), *nameless[:-1]):
        on_path[shadowed] = 1  # the loader knows one record of an id, the last, and one of those without
    joining: dict[int, list[int]] = {}
    for record in compress(range(len(columns)), on_path.translate(_UNMARKED)):
        role = roles[record]
        owner = record if role == assistant else parents[record] if role == user else -1
        if owner < 0 or roles[owner] != assistant or groups[owner] not in last_of:
            continue
        if role == assistant or _RESULT in kinds[first[record] : first[record + 1]]:
            joining.setdefault(last_of[groups[owner]], []).append(record)
    for joined in () if newer else joining.values():
        if len(joined) > 1 and not columns.is_time_ordered(joined[0], joined[-1]):
            joined.sort(key=lambda record: _decode_time(raw(record)).timestamp)
        joined.sort(key=lambda record: roles[record] == user)
    for thread in threads if joining else ():
        if newer:
            windows = list(_windows(columns, thread.path, joining))
            thread.recovered_records += [record for *_, joined in windows for record in joined]
            thread.path = _in_file_order(thread.path, windows)
        else:
            _join_siblings(thread, joining)
        thread.recovered_records.sort()
    return threads


def _join_siblings(thread: Thread, joining: dict[int, list[int]]) -> None:
    """Put the records that join each record of a path after it."""
    merged, done = array("I"), 0
    for at in [at for at, record in enumerate(thread.path, 1) if record in joining]:
        joined = joining[thread.path[at - 1]]
        merged.extend(thread.path[done:at])
        merged.extend(joined)
        thread.recovered_records += joined
        done = at
    if done:
        thread.path = merged + thread.path[done:]


def _windows(columns: Columns, path: array[int], joining: dict[int, list[int]]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the positions on a path among which records are joined: after the first, before the second.

    A message reaches from its first fragment over the results and notes behind its last one.
    """
    roles, groups, marks = columns.roles, columns.groups, columns.marks
    first: dict[str | None, int] = {}
    start = end = -1
    joined: list[int] = []
    for at, record in enumerate(path):
        group = groups[record]
        first.setdefault(group, at)
        if record not in joining:
            continue
        if joined and first[group] >= end:
            yield start, end, joined
            joined = []
        start = min(start, first[group]) if joined else first[group]
        joined = sorted(joined + joining[record])
        end = max(end, at + 1)
        while end < len(path) and (
            _has_result(columns, path[end])
            or (roles[path[end]] == Role.ASSISTANT and groups[path[end]] == group)
            or (roles[path[end]] == Role.LINK and not marks[path[end]] & _BOUNDARY)
        ):
            end += 1
    if joined:
        yield start, end, joined


def _has_result(columns: Columns, record: int) -> bool:
    first = columns.first_block
    return columns.roles[record] == Role.USER and _RESULT in columns.block_kinds[first[record] : first[record + 1]]


def _in_file_order(path: array[int], windows: Iterable[tuple[int, int, list[int]]]) -> array[int]:
    """Return a path with records joined to it, each before the first record of its window that is later in the file."""
    merged, done = array("I"), 0
    for start, end, joined in windows:
        merged.extend(path[done : start + 1])
        waiting = deque(joined)
        for record in path[start + 1 : end]:
            while waiting and waiting[0] < record:
                merged.append(waiting.popleft())
            merged.append(record)
        merged.extend(waiting)
        done = end
    merged.extend(path[done:])
    return merged
