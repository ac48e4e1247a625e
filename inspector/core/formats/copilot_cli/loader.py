"""The history that Copilot CLI loads: the events in the order of their lines, from the newest compaction on.

Facts: @github/copilot 1.0.102, run against a provider on the loopback address. No link is followed (`parentId` only
tells the order in which events were written). A compaction that succeeded replaces what came before its start by a
summary; messages that were written while it ran stay. If results come first behind the start, the answer with their
calls stays as well. Pairs are made by id alone: a result goes to the oldest open call with its id, or waits for one. A
cold `session.resume` and an `abort` answer the open calls at that point, and results that come later are ignored.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from inspector.core.formats.copilot_cli.reader import HEADER_TYPE
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import DamagedLink, LinkDamage, Thread
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import object_at, parse_json, text_at
from inspector.core.translation import tr

_MESSAGE_ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL)
_NO_HEADER = tr(
    "The log does not begin with a session.start event. Copilot CLI does not load a log without this event."
)


class Pairs(Struct):
    """The calls of a path with their results as Copilot pairs them.

    `results` maps the row of a call to that of its result, `closed` are calls that an event answered, and `ignored` are
    records with results of such calls.
    """

    results: dict[int, int] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)
    ignored: list[int] = []


def pair_calls(columns: Columns, path: Sequence[int]) -> Pairs:
    """Pair the calls and results of a path."""
    pairs, kinds, ids = Pairs(), columns.block_kinds, columns.call_ids
    waiting: dict[str | None, deque[int]] = {}
    early: dict[str | None, int] = {}
    closed_ids: set[str | None] = set()
    for record in path:
        if columns.marks[record] & RecordMark.TURN_EVENT:
            pairs.closed.update(row for rows in waiting.values() for row in rows)
            closed_ids.update(call_id for call_id, rows in waiting.items() if rows)
            waiting = {call_id: deque() for call_id in waiting}
            early.clear()
        for row in columns.block_rows(record):
            call_id = ids[row]
            if kinds[row] == BlockKind.CALL:
                calls = waiting.setdefault(call_id, deque())
                if call_id in early:
                    pairs.results[row] = early.pop(call_id)
                else:
                    calls.append(row)
            elif kinds[row] == BlockKind.RESULT and call_id:
                if calls := waiting.get(call_id, deque()):
                    pairs.results[calls.popleft()] = row
                elif call_id in closed_ids:
                    pairs.ignored.append(record)
                elif call_id not in waiting:
                    early.setdefault(call_id, row)
    return pairs


def active_thread(columns: Columns, raw: ReadRecord) -> Thread:
    """Return the events that the main agent loads, in order, with a damaged link if the log has no header."""
    path = _active_path(columns)
    links = (
        [DamagedLink(path[0], LinkDamage.MISSING_PARENT, text=_NO_HEADER)] if _lacks_header(columns, path, raw) else []
    )
    # A placeholder that Copilot wrote on an earlier resume is ignored, too, and replaced by another one.
    ignored = [record for record in pair_calls(columns, path).ignored if not _is_placeholder(columns, record)]
    return Thread(path, damaged_links=links, ignored_results=ignored)


def _is_placeholder(columns: Columns, record: int) -> bool:
    return bool(columns.block_flags[columns.first_block[record]] & BlockFlag.PLACEHOLDER)


def subagent_threads(columns: Columns) -> list[Thread]:
    """Return the messages of each subagent, in the order in which the subagents appear."""
    paths: dict[str | None, array[int]] = {}
    if columns.has_mark(RecordMark.SIDE_THREAD):
        for record, marks in enumerate(columns.marks):
            if marks & RecordMark.SIDE_THREAD:
                paths.setdefault(columns.groups[record], array("I")).append(record)
    return [Thread(path, is_side=True) for path in paths.values()]


def header_of(columns: Columns, raw: ReadRecord) -> dict[str, Any]:
    """Return the data of the first session.start event, an empty object if there is none."""
    for record, role in enumerate(columns.roles):
        if role == Role.OPAQUE and not columns.marks[record] & RecordMark.UNREADABLE:
            event = parse_json(raw(record))
            if text_at(event, "/type") == HEADER_TYPE:
                return object_at(event, "/data")
    return {}


def _lacks_header(columns: Columns, path: array[int], raw: ReadRecord) -> bool:
    """Return whether there are messages, but no header."""
    has_messages = any(columns.roles[record] in _MESSAGE_ROLES for record in path)
    return has_messages and not header_of(columns, raw)


def _active_path(columns: Columns) -> array[int]:
    roles, marks = columns.roles, columns.marks
    main = [record for record, role in enumerate(roles) if role and not marks[record] & RecordMark.SIDE_THREAD]
    if not columns.has_mark(RecordMark.COMPACTION):
        return array("I", main)
    at = next(at for at in range(len(main) - 1, -1, -1) if marks[main[at]] & RecordMark.COMPACTION)
    start = at
    while start > 0 and not marks[main[start]] & RecordMark.GROUP_START:
        start -= 1
        if marks[main[start]] & RecordMark.COMPACTION:
            start = 0
    if not marks[main[start]] & RecordMark.GROUP_START:
        start = at  # without a start, everything before the summary is replaced
    kept = [*main[start:at], *main[at + 1 :]]
    return array("I", [main[at], *_exchange_cut_by(columns, main[:start], kept), *kept])


def _exchange_cut_by(columns: Columns, before: list[int], kept: list[int]) -> list[int]:
    """Return the answer before a compaction whose results come first behind it, and the records that follow it."""
    messages = (record for record in kept if columns.roles[record] in _MESSAGE_ROLES)
    first = next(messages, -1)
    if first < 0 or columns.roles[first] != Role.TOOL:
        return []
    wanted = columns.call_ids[columns.first_block[first]]
    for at in range(len(before) - 1, -1, -1):
        rows = columns.block_rows(before[at])
        if any(columns.block_kinds[row] == BlockKind.CALL and columns.call_ids[row] == wanted for row in rows):
            return before[at:]
    return []
