"""How far a stream came: what its result events say, and which calls it ends with."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any

from inspector.core.bytes.json_text import objects_at, parse_json
from inspector.core.index.columns import Columns, ReadRecord, Role
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.amounts import count_phrase


def state_of(columns: Columns, session: Session, ends: list[tuple[int, dict[str, Any]]]) -> str:
    """How far the main thread of a stream came, in plain words, with its counts."""
    path = session.main_thread.path
    calls, results = _ids(columns, path, BlockKind.CALL), _ids(columns, path, BlockKind.RESULT)
    still_open = calls - results
    if session.stops_before_tool_calls:
        last = Counter(call_id for _, call_id in last_calls(columns, path))
        waiting = last & still_open
        if waiting:
            return f"waiting for {waiting.total()} of {count_phrase(last.total(), 'result')}"
        return "no result event: the stream is still running, or was cut off"
    if not ends:
        return ""
    event = ends[-1][1]
    answered = f"{calls.total() - still_open.total()} of {count_phrase(calls.total(), 'call')} answered"
    counts = f"{count_phrase(len(ends), 'turn')}, {answered if calls else 'no calls'}"
    if event.get("is_error") or event.get("subtype") != "success":
        return f"failed ({event.get('subtype') or 'no reason given'}): {counts}"
    if isinstance(event.get("deferred_tool_use"), dict):
        return f"ended with a deferred call: {counts}"
    if still_open:
        denied = len(still_open.keys() & set(_denied(ends)))
        return f"ended with calls open: {counts}" + (f", {denied} denied" if denied else "")
    return f"complete: {counts}"


def _ids(columns: Columns, path: array[int], kind: BlockKind) -> Counter[str]:
    rows = (row for record in path for row in columns.block_rows(record))
    return Counter(columns.call_ids[row] or "" for row in rows if columns.block_kinds[row] == kind)


def _denied(ends: list[tuple[int, dict[str, Any]]]) -> Iterator[str]:
    for _, event in ends:
        yield from (str(denial.get("tool_use_id")) for denial in objects_at(event, "/permission_denials"))


def ends_of(columns: Columns, members: range, raw: ReadRecord) -> list[tuple[int, dict[str, Any]]]:
    """The result events of a session."""
    told = ((record, parse_json(raw(record))) for record in members if columns.roles[record] == Role.LINK)
    return [(record, event) for record, event in told if event.get("type") == "result"]


def goes_on(columns: Columns, path: array[int], ends: list[tuple[int, dict[str, Any]]]) -> bool:
    """Whether something was said after the last result event."""
    last = ends[-1][0] if ends else -1
    return any(record > last for record in path if columns.roles[record] != Role.LINK)


def last_calls(columns: Columns, path: array[int]) -> list[tuple[int, str]]:
    """The calls of the newest message of the assistant, with their records; none once the person spoke again."""
    group, found = None, list[tuple[int, str]]()
    for record in reversed(path):
        rows = columns.block_rows(record)
        kinds = {columns.block_kinds[row] for row in rows}
        if columns.roles[record] == Role.ASSISTANT:
            if found and (group is None or columns.groups[record] != group):
                break
            group = columns.groups[record]
            ids = (columns.call_ids[row] for row in rows if columns.block_kinds[row] == BlockKind.CALL)
            found += [(record, call_id) for call_id in ids if call_id]
        elif columns.roles[record] == Role.USER and kinds != {BlockKind.RESULT}:
            break
    return found
