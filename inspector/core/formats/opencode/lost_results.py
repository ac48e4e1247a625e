"""The results that opencode's table of events holds, where the part of the call has none.

Facts: seen in 1.18.33: each change of a part adds a row of type `message.part.updated.1` to `event`, with the part as
it is then in `part`, and the id of the session in `aggregate_id`; `seq` counts the rows of a session. So the state in
which a call ended, with its whole output, is there twice.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.model.session import Log
from inspector.core.storage.json_text import object_at, parse_json, text_at
from inspector.core.storage.sqlite import DatabaseContainer
from inspector.core.storage.temporary_files import AssembledSource

_ORIGIN = "table event"
_TEXT_OF = {"completed": "/output", "error": "/error"}
_EVENTS = (
    "SELECT CAST(data AS BLOB) FROM event WHERE aggregate_id = ? AND type LIKE 'message.part.updated.%' ORDER BY seq"
)


def results_in_event_table(log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the last state in which each of these calls ended; see `LostResultSource.lost_results_beside`."""
    container = log.source.container if isinstance(log.source, AssembledSource) else None
    if not isinstance(container, DatabaseContainer):
        return
    messages = {record: parse_json(log.raw(record)) for record in {call.record for call in calls.values()}}
    parts = {_ids(object_at(messages[call.record], call.pointer)): call for call in calls.values()}
    found: dict[str, LostResult] = {}
    with suppress(sqlite3.Error, UnreadableLog), container.connect() as database:
        for session in dict.fromkeys(session for session, _ in parts):
            for (data,) in database.execute(_EVENTS, (session,)):
                part = _part(data)
                call = parts.get(_ids(part))
                result = _result(call, part, Path(log.source.path).name) if call is not None else None
                if result is not None:
                    found[result.call_id] = result
    yield from found.values()


def _part(event: bytes) -> dict[str, Any]:
    """Return the part of an event, an empty one for an event of a call that has not ended, and for another."""
    if b'"callID"' not in event or not any(b'"%s"' % status.encode() in event for status in _TEXT_OF):
        return {}
    with suppress(ValueError):
        return object_at(parse_json(event), "/part")
    return {}


def _ids(part: dict[str, Any]) -> tuple[str, str]:
    return text_at(part, "/sessionID"), text_at(part, "/id")


def _result(call: EvidenceQuery, part: dict[str, Any], file: str) -> LostResult | None:
    state = object_at(part, "/state")
    status = text_at(state, "/status")
    text = state.get(_TEXT_OF.get(status, "")[1:])
    if not isinstance(text, str) or part.get("callID") != call.id:
        return None
    return LostResult(call.id, text, _ORIGIN, status == "error", path=file, content=state)
