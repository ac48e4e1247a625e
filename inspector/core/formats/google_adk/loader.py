"""The events that ADK reads when a session goes on: without what was taken back, or summarized, or said in tools.

Facts: google-adk 2.13.0, events/_rewind_events.py, apps/compaction.py (`_get_compaction_ranges`),
flows/llm_flows/context/_contents.py and _compaction.py. A rewind takes back everything from the first event of an
invocation on. A summary stands where the events end that it replaces; one within another is left out. A call that was
summarized before its result came is sent again with the results of its event. Events of an agent that runs as a tool
are not sent to the agent that called it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from inspector.core.formats.google_adk.reader import Event, decode
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import Thread
from inspector.core.model.views import BlockKind


def threads_of(columns: Columns, path: array[int], raw: ReadRecord) -> list[Thread]:
    """Return the conversation, and the threads of agents that ran as tools."""
    if not any(columns.marks[record] & (RecordMark.TURN_EVENT | RecordMark.COMPACTION) for record in path):
        return [Thread(path)]
    events = {record: decode(raw(record)) for record in path if not columns.marks[record] & RecordMark.UNREADABLE}
    blank = Event()
    kept = _without_rewound(path, events)
    called = {columns.call_ids[row] for record in kept for row in _rows(columns, record, BlockKind.CALL)}
    main = array("I")
    sides: dict[str, array[int]] = {}
    for record in kept:
        if scope := _tool_scope(events.get(record, blank), called):
            sides.setdefault(scope, array("I")).append(record)
        else:
            main.append(record)
    if any(columns.marks[record] & RecordMark.COMPACTION for record in main):
        main = _compacted(columns, main, events)
    return [Thread(main), *(Thread(side, is_side=True) for side in sides.values())]


def _without_rewound(path: Iterable[int], events: dict[int, Event]) -> list[int]:
    records = list(path)
    first: dict[str, int] = {}
    for place, record in enumerate(records):
        if record in events and (invocation := events[record].invocation_id):
            first.setdefault(invocation, place)
    kept, place = list[int](), len(records) - 1
    while place >= 0:
        event = events.get(records[place])
        if event is not None and event.rewinds_before:
            place = min(place, first.get(event.rewinds_before, place))
        else:
            kept.append(records[place])
        place -= 1
    return kept[::-1]


def _tool_scope(event: Event, called: set[str | None]) -> str:
    """Return the name of the scope or branch of an event that only a tool sees, "" for one of the conversation."""
    if event.isolation_scope is not None:
        return event.isolation_scope or "scope"
    segments = (event.branch or "").split(".")
    return next((segment for segment in segments if segment.partition("@")[2] in called), "")


def _compacted(columns: Columns, path: array[int], events: dict[int, Event]) -> array[int]:
    ranges = {
        record: span
        for record in path
        if columns.marks[record] & RecordMark.COMPACTION and (span := events[record].compacted) is not None
    }
    kept, widest = set[int](), float("-inf")
    for record, (_, end) in sorted(ranges.items(), key=lambda each: (each[1][0], -each[1][1], -each[0])):
        if end > widest:
            kept.add(record)
            widest = end
    covered = sorted(ranges[record] for record in kept)
    items: list[tuple[float, int]] = []
    place, end, newest = 0, float("-inf"), float("-inf")
    timed = sorted((_time(events, record), number) for number, record in enumerate(path))
    for time, number in timed:
        while place < len(covered) and covered[place][0] <= time:
            end = max(end, covered[place][1])
            place += 1
        if path[number] in ranges:
            if path[number] in kept:
                items.append((ranges[path[number]][1], number))
        elif not time <= end:
            items.append((time, number))
        newest = max(newest, time)
    items.sort()
    return _with_summarized_calls(columns, path, [path[number] for _, number in items])


def _time(events: dict[int, Event], record: int) -> float:
    return events[record].timestamp if record in events else float("-inf")


def _with_summarized_calls(columns: Columns, path: Iterable[int], kept: list[int]) -> array[int]:
    """Put a call back whose result comes after the summary, with the other results of its event."""
    present, newest_call = set(kept), dict[str | None, int]()
    call_of: dict[tuple[int, str | None], int] = {}
    result_of: dict[tuple[int, str | None], int] = {}
    for record in path:
        newest_call |= dict.fromkeys((columns.call_ids[row] for row in _rows(columns, record, BlockKind.CALL)), record)
        for row in _rows(columns, record, BlockKind.RESULT):
            if (call := newest_call.get(columns.call_ids[row])) is not None:
                call_of[record, columns.call_ids[row]] = call
                result_of[call, columns.call_ids[row]] = record
    found = array("I")
    for record in kept:
        for row in _rows(columns, record, BlockKind.RESULT):
            call = call_of.get((record, columns.call_ids[row]), record)
            if call not in present:
                peers = (
                    result_of.get((call, columns.call_ids[peer]), call) for peer in _rows(columns, call, BlockKind.CALL)
                )
                again = [call, *dict.fromkeys(peer for peer in peers if peer not in present and peer != call)]
                found.extend(again)
                present.update(again)
        found.append(record)
    return found


def _rows(columns: Columns, record: int, kind: BlockKind) -> list[int]:
    return [row for row in columns.block_rows(record) if columns.block_kinds[row] == kind]
