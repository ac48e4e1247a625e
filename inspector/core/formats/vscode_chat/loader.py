"""The document that the operations of a chat make, and the messages that it holds in the end.

Facts: VS Code 1.128.1 (microsoft/vscode @5264f21), `ObjectMutationLog.read`, run on damaged logs. An operation before
the first initial one, or on a path that leads nowhere, makes the whole chat unreadable. What such an operation lacks is
made up here as a repair does it: an empty chat, a request without a prompt, an empty object. So the numbers by which
other operations name requests stay right.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.formats.vscode_chat.reader import (
    DELETE,
    INITIAL,
    MESSAGE,
    PUSH,
    REQUESTS,
    RESPONSE,
    RESULT,
    SET,
    MessagePlace,
    is_operation,
    message_places,
    places_in_requests,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.model.session import DamagedLink, LinkDamage
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import list_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_NO_INITIAL = tr("The log does not begin with the operation that creates the chat, so VS Code does not open the chat.")
_NO_PLACE = tr("This operation changes a part of the chat that does not exist, so VS Code does not open the chat.")
_NO_REQUESTS = tr("The chat has no valid list of requests, so VS Code does not open it.")
_MOST_MADE = 10_000  # elements of a list that are made up


class RequestRecords(Struct):
    """The records of a request: its prompt, its rounds (-1 where there is none), and the parts that were shown.

    Each list of parts (-1 where none of them is text) comes with the number of those that no later operation cut off.
    """

    message: int = -1
    result: int = -1
    shown: list[tuple[int, int]] = []

    def records_sent(self) -> list[int]:
        """Return the records that are sent. The parts that were shown go out only if there are no rounds."""
        parts = [record for record, kept in self.shown if kept]
        return [record for record in (self.message, *([self.result] if self.result >= 0 else parts)) if record >= 0]

    def show(self, record: int, count: int, kept_before: int | None) -> None:
        """Add a list of parts, after cutting those before it to a number, if there is one."""
        for number, (_, length) in enumerate(self.shown if kept_before is not None else ()):
            left = min(length, kept_before or 0)
            self.shown[number], kept_before = (self.shown[number][0], left), (kept_before or 0) - left
        self.shown.append((record, count))


class Chat(Struct):
    """A chat as its operations make it.

    `made` are operations that must come before a record so that VS Code can carry it out, by the record.
    """

    id: str = ""
    title: str = ""
    requests: list[RequestRecords] = []
    links: list[DamagedLink] = []
    made: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def path(self) -> array[int]:
        """Return the records of the messages in the order in which they are sent."""
        return array("I", [record for request in self.requests for record in request.records_sent()])


def rows_left_out(columns: Columns, path: array[int]) -> frozenset[int]:
    """Return the calls without a result in their request, and the results without a call: Copilot sends neither."""
    left: set[int] = set()
    for record in path:
        open_calls: dict[str | None, int] = {}
        for row in columns.block_rows(record):
            if columns.block_kinds[row] == BlockKind.CALL:
                left.add(row)
                open_calls.setdefault(columns.call_ids[row], row)
            elif columns.block_kinds[row] == BlockKind.RESULT:
                # A call that has a result is taken out, a result that has no call is put in.
                left ^= {open_calls.get(columns.call_ids[row], row)}
    return frozenset(left)


_CHATS: WeakKeyDictionary[Columns, Chat] = WeakKeyDictionary()


def chat_in(columns: Columns, raw: ReadRecord) -> Chat:
    """Return the chat in a log of operations, or in the requests of one document."""
    if columns not in _CHATS:
        passed_by = RecordMark.NO_ENVELOPE | RecordMark.UNREADABLE
        lines = [record for record, mark in enumerate(columns.marks) if not mark & passed_by]
        is_document = bool(lines) and not is_operation(parse_json(raw(lines[0])))
        _CHATS[columns] = _chat_in_requests(columns, raw, lines) if is_document else _Reading(columns, raw).chat(lines)
    return _CHATS[columns]


def _chat_in_requests(columns: Columns, raw: ReadRecord, lines: list[int]) -> Chat:
    requests = [parse_json(raw(record)) for record in lines]
    records = [record for record, mark in enumerate(columns.marks) if mark & RecordMark.NO_ENVELOPE]
    return Chat(requests=_requests_at(places_in_requests(requests, ""), records, requests))


def _requests_at(places: list[MessagePlace], records: list[int], requests: list[Any]) -> list[RequestRecords]:
    """Return the records of each request. A line that a repair changed has no records for its messages yet."""
    found = [RequestRecords(shown=[(-1, len(list_at(request, f"/{RESPONSE}")))]) for request in requests]
    for place, record in zip(places, records, strict=True) if len(places) == len(records) else ():
        request = found[place.request]
        if place.member == RESPONSE:
            request.shown = [(record, request.shown[0][1])]
        elif place.member == RESULT:
            request.result = record
        else:
            request.message = record
    return found


class _Reading:
    """The reading of a log of operations. What an operation lacks is made up, and the reading goes on."""

    def __init__(self, columns: Columns, raw: ReadRecord) -> None:
        self.columns, self.raw = columns, raw
        self.document: dict[str, Any] = {}
        self.requests: list[RequestRecords] = []
        self.links: list[DamagedLink] = []
        self.made: dict[int, list[dict[str, Any]]] = {}

    def chat(self, lines: list[int]) -> Chat:
        creating = -1
        for number, record in enumerate(lines):
            operation = parse_json(self.raw(record))
            if not is_operation(operation):
                continue
            if operation["kind"] == INITIAL:
                creating = record
            else:
                if creating < 0:
                    rest = (parse_json(self.raw(later)) for later in lines[number:])
                    self._make(record, _NO_INITIAL, [_initial_operation(rest)])
                    creating = record
                for _ in operation["k"]:
                    self._make(record, _NO_PLACE, _missing(self.document, operation))
                if not _fits(self.document, operation):
                    self._add_link(record, _NO_PLACE, False)
                    continue
            self._apply(operation, message_places(operation), self._messages_of(record))
        requests = self.document.get(REQUESTS)
        if creating >= 0 and not (isinstance(requests, list) and all(isinstance(each, dict) for each in requests)):
            self._add_link(creating, _NO_REQUESTS, False)
        name, title = text_at(self.document, "/sessionId"), text_at(self.document, "/customTitle")
        return Chat(name, title, self.requests, self.links, self.made)

    def _add_link(self, record: int, text: str, is_repairable: bool) -> None:
        # What is missing may be in a damaged line, which is repaired first.
        if record < self.columns.first_with_mark(RecordMark.UNREADABLE):
            self.links.append(DamagedLink(record, LinkDamage.MISSING_PARENT, text=text, is_repairable=is_repairable))

    def _make(self, record: int, reason: str, operations: list[dict[str, Any]]) -> None:
        """Carry out operations that the log lacks before a record."""
        if operations and record not in self.made:
            self._add_link(record, reason, True)
        for operation in operations:
            self.made.setdefault(record, []).append(deepcopy(operation))
            self._apply(operation, [], [])

    def _messages_of(self, line: int) -> list[int]:
        records = list[int]()
        while line + 1 < len(self.columns) and self.columns.marks[line + 1] & RecordMark.NO_ENVELOPE:
            line += 1
            records.append(line)
        return records

    def _apply(self, operation: dict[str, Any], places: list[MessagePlace], records: list[int]) -> None:
        kind, path, value = operation["kind"], operation.get("k", []), operation.get("v")
        if kind == INITIAL:
            self.document = value or {}
            self.requests = _requests_at(places, records, list_at(value, f"/{REQUESTS}"))
            return
        if not path:
            return
        if path[0] == REQUESTS:
            self._apply_to_records(operation, places, records)
        held: Any = self.document
        for step in path[:-1]:
            held = _step(held, step)
        last = _key(held, path[-1])
        if kind == PUSH:
            target = _step(held, path[-1]) or []
            if (length := operation.get("i")) is not None:
                del target[length:]
            target += value if isinstance(value, list) else []
            value = target
        if isinstance(held, list) and last == len(held):
            held.append(value)
        elif isinstance(held, list) and isinstance(last, int) and 0 <= last < len(held):
            held[last] = value if kind != DELETE else None
        elif isinstance(held, dict) and kind == DELETE:
            held.pop(last, None)
        elif isinstance(held, dict):
            held[last] = value

    def _apply_to_records(self, operation: dict[str, Any], places: list[MessagePlace], records: list[int]) -> None:
        kind, value, length = operation["kind"], operation.get("v"), operation.get("i")
        _, *path = operation["k"]
        values = value if isinstance(value, list) else []
        if not path:
            kept = self.requests[:length] if kind == PUSH else []
            self.requests = [*kept, *_requests_at(places, records, values)]
            return
        number = _key(self.requests, path[0])
        if not isinstance(number, int) or not 0 <= number <= len(self.requests):
            return
        if len(path) == 1:
            self.requests[number : number + 1] = _requests_at(places, records, [value])
            return
        request, member = self.requests[number], path[1]
        record = records[0] if len(places) == len(records) == 1 else -1
        if member == MESSAGE and path[2:] in ([], ["text"]):
            request.message = record
        elif member == RESULT and len(path) == 2:
            request.result = record
        elif member == RESPONSE and len(path) == 2:
            request.show(record, len(values), length if kind == PUSH else 0)


def _key(held: Any, step: str | int) -> str | int:
    """Return the key of a step as JavaScript takes it: a number or a text in a list, always a text in an object."""
    if isinstance(held, list):
        return int(step) if isinstance(step, str) and step.isdecimal() and len(step) < 10 else step
    return str(step)


def _step(held: Any, step: str | int) -> Any:
    """Return what a step of a path leads to, None where it leads nowhere."""
    key = _key(held, step)
    if isinstance(held, list):
        return held[key] if isinstance(key, int) and 0 <= key < len(held) else None
    return held.get(key) if isinstance(held, dict) else None


def _fits(document: dict[str, Any], operation: dict[str, Any]) -> bool:
    """Return whether VS Code can apply an operation to a document without leaving a gap in a list."""
    held: Any = document
    path = operation["k"]
    for step in path[:-1]:
        held = _step(held, step)
    if not path:
        return True
    if operation["kind"] == PUSH:
        target = _step(held, path[-1])
        if not isinstance(target or [], list) or len(target or []) < (operation.get("i") or 0):
            return False
    key = _key(held, path[-1])
    if isinstance(held, list) and isinstance(key, int):
        return key <= len(held)
    return isinstance(held, dict | list)


def _missing(document: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an operation that makes the first part that the path of an operation lacks, [] where it lacks none."""
    held: Any = document
    path = operation["k"]
    for depth, step in enumerate(path):
        place, key, is_last = path[:depth], _key(held, step), depth == len(path) - 1
        if isinstance(held, list) and isinstance(key, int) and (lacking := key - len(held) + (not is_last)) > 0:
            return _filling(place, len(held), lacking)
        inner = _step(held, step)
        if is_last:
            lacking = (operation.get("i") or 0) - len(inner or ()) if isinstance(inner, list | None) else 0
            return _filling(path, len(inner or ()), lacking) if operation["kind"] == PUSH and lacking > 0 else []
        if inner is None:
            return [{"kind": SET, "k": path[: depth + 1], "v": [] if isinstance(path[depth + 1], int) else {}}]
        held = inner
    return []


def _filling(place: list[str | int], first: int, count: int) -> list[dict[str, Any]]:
    """Return an operation that lengthens a list, [] where it would have to be too long."""
    if count > _MOST_MADE:
        return []
    values = _empty_requests(first, count) if place == [REQUESTS] else [{} for _ in range(count)]
    return [{"kind": PUSH, "k": place, "v": values}]


def _empty_requests(first: int, count: int) -> list[dict[str, Any]]:
    return [
        {"requestId": f"request_{deterministic_uuid(f'lost request {number}')}", MESSAGE: "", "response": []}
        for number in range(first, first + count)
    ]


def _initial_operation(rest: Iterator[Any]) -> dict[str, Any]:
    """Return an operation that creates a chat with as many requests as the operations after it take for granted."""
    count = pushed = created = 0
    for operation in rest:
        if not is_operation(operation) or operation["kind"] == INITIAL:
            break
        if not operation["k"] or operation["k"][0] != REQUESTS:
            continue
        number = operation["k"][1] if len(operation["k"]) > 1 else None
        if isinstance(number, int):
            count = max(count, number + 1 - pushed)
        elif number is None and operation["kind"] == PUSH and operation.get("i") is None:
            values = list_at(operation, "/v")
            created = created or next(filter(None, (value_at(each, "/timestamp") for each in values)), 0)
            pushed += len(values)
        else:  # The length of the list is known from here on.
            count = max(count, (operation.get("i") or 0) - pushed)
            break
    document = {
        "version": 3,
        "creationDate": created,
        "initialLocation": "panel",
        "responderUsername": "GitHub Copilot",
        "sessionId": "",
        REQUESTS: _empty_requests(0, min(count, _MOST_MADE)),
    }
    return {"kind": INITIAL, "v": document}
