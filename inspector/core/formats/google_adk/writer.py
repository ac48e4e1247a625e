"""The rows of a repaired session.

ADK reads events in the order of the times in their rows. So a new row gets a time between those of its neighbors. It
has the id and the invocation of its event, and the other values of a neighbor.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from msgspec import Struct

from inspector.core.errors import CannotWrite, ChangedMeanwhile
from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.formats.google_adk.reader import decode
from inspector.core.storage.log_layout import MemberChanges
from inspector.core.translation import tr

IN_ORDER = "timestamp, CASE typeof(timestamp) WHEN 'text' THEN id END, rowid"
_UPDATE = """UPDATE events SET event_data = CASE typeof(event_data) WHEN 'blob' THEN CAST(? AS BLOB)
             ELSE CAST(? AS TEXT) END WHERE rowid = ?"""
_SESSION_OF = "SELECT app_name, user_id, session_id FROM events WHERE rowid = ?"
_ROWS = f"""SELECT rowid, * FROM events WHERE app_name IS ? AND user_id IS ? AND session_id IS ? ORDER BY {IN_ORDER}"""
_EPOCH, _TIME = datetime(1970, 1, 1), "%Y-%m-%d %H:%M:%S.%f"


class _Place(Struct):
    """A row of a session after the changes: one that is there, or one with a new `text`."""

    row: dict[str, Any]
    text: bytes | None = None


def write_events(database: sqlite3.Connection, path: str, changes: MemberChanges) -> int:
    """Change, remove and add the rows of events, and return how many. Raises CannotWrite, ChangedMeanwhile."""
    rows = list(_new_rows(database, changes))
    for name, after in changes.members.items():
        query, values = (_UPDATE, (after, after)) if after is not None else ("DELETE FROM events WHERE rowid = ?", ())
        row_id = _row_of(name)
        if database.execute(query, (*values, row_id)).rowcount != 1:
            raise ChangedMeanwhile.for_row(str(row_id), "events")
    for row in rows:
        listed = ", ".join(f'"{column}"' for column in row)
        marks = ", ".join("CAST(? AS TEXT)" if column == "event_data" else "?" for column in row)
        database.execute(f"INSERT INTO events ({listed}) VALUES ({marks})", tuple(row.values()))
    return len(changes.members) + len(rows)


def _row_of(name: str) -> int:
    return int(name.partition(":")[2])


def _new_rows(database: sqlite3.Connection, changes: MemberChanges) -> Iterator[dict[str, Any]]:
    """Yield the rows that are added."""
    sessions: dict[tuple[Any, ...], None] = {}
    for row_id in sorted({_row_of(name) for name in (*changes.added_before, *changes.added_after)}):
        session = database.execute(_SESSION_OF, (row_id,)).fetchone()
        if session is None:
            raise ChangedMeanwhile.for_row(str(row_id), "events")
        sessions[session] = None
    columns = [name for (name,) in database.execute("SELECT name FROM pragma_table_info('events')")]
    for session in sessions:
        places = list(_places(columns, database.execute(_ROWS, session), changes))
        kept = [None, *(number for number, place in enumerate(places) if place.text is None), None]
        for before, after in pairwise(kept):
            new = places[0 if before is None else before + 1 : after]
            if not new:
                continue
            first, last = (None if at is None else places[at].row["timestamp"] for at in (before, after))
            if before is None and after is None:  # no row of the session stays
                first = new[0].row["timestamp"]
            for place, time in zip(new, _times(first, last, len(new)), strict=True):
                event = decode(place.text or b"")
                own = {"id": event.id or deterministic_uuid(repr(place.text)), "invocation_id": event.invocation_id}
                yield place.row | own | {"timestamp": time, "event_data": place.text}


def _places(columns: list[str], rows: sqlite3.Cursor, changes: MemberChanges) -> Iterator[_Place]:
    """Yield the rows of a session as they are after the changes, in order."""
    for row_id, *values in rows:
        name, row = f"events:{row_id}", dict(zip(columns, values, strict=True))
        yield from (_Place(row, text) for text in changes.added_before.get(name, ()))
        if changes.members.get(name, b"") is not None:
            yield _Place(row)
        yield from (_Place(row, text) for text in changes.added_after.get(name, ()))


def _times(before: Any, after: Any, number: int) -> list[Any]:
    """Return times in order between those of two rows, None where there is no row. Raises CannotWrite."""
    known = [time for time in (before, after) if time is not None]
    made: list[Any] = []
    if all(isinstance(time, int | float) for time in known):
        made = _between(before, after, number)
    elif all(isinstance(time, str) for time in known):
        with suppress(ValueError, OverflowError):
            counted = _between(_microseconds(before), _microseconds(after), number, 1)
            made = [(_EPOCH + timedelta(microseconds=int(time))).strftime(_TIME) for time in counted]
    bounds = known[:1] * (before is not None) + made + known[-1:] * (after is not None)
    if len(made) < number or any(not one < other for one, other in pairwise(bounds)):
        raise CannotWrite(
            tr(
                "Nothing was written, because ADK orders events by time and there is no room for an event "
                "between {before} and {after}.",
                before=before,
                after=after,
            )
        )
    return made


def _between(before: Any, after: Any, number: int, step: float = 0.000_001) -> list[Any]:
    if before is None or after is None:
        first = before + step if before is not None else after - number * step
        return [first + place * step for place in range(number)]
    return [before + (after - before) * (place + 1) / (number + 1) for place in range(number)]


def _microseconds(time: str | None) -> int | None:
    return None if time is None else (datetime.fromisoformat(time) - _EPOCH) // timedelta(microseconds=1)
