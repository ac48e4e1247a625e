"""The rows of a table of messages as records: a row is an object with its columns, and is changed column by column.

This is for programs that keep a session as rows of `messages` with a number that is part of their order.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import orjson
from msgspec import Struct

from inspector.core.errors import ChangedMeanwhile, UnreadableLog
from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.formats.base.database_assembly import DatabaseAssembly
from inspector.core.storage.json_spans import object_members
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.storage.log_layout import MemberChanges
from inspector.core.translation import tr

_TABLE, _SESSION = "messages", "session_id"
_DAMAGED = ""  # in the place of the members of a row: the text of the column that is not valid JSON
# The numbers of a row before and after a change, None for a row that is added or removed.
RowNumbers: TypeAlias = tuple[int | None, int | None]
_Row: TypeAlias = dict[str, bytes]


class _Column(NamedTuple):
    """Whether a column may be empty, whether it has a default, and whether that is the current time."""

    may_be_empty: bool
    has_default: bool
    is_clock: bool = False


class _NewRow(NamedTuple):
    """The number of a new row, or the new number of a row that had the number `before`.

    `beside` are the values of the row next to a new one that it needs.
    """

    number: int
    before: int | None = None
    members: _Row = {}
    beside: dict[str, Any] = {}


_Columns: TypeAlias = dict[str, _Column]
_EMPTY = _Column(may_be_empty=True, has_default=False)  # a column that is empty where a record lacks its member


def no_index(database: sqlite3.Connection, rows: list[RowNumbers]) -> int:
    """Change nothing: the program has no index of its rows."""
    return 0


class MessageRows(Struct, frozen=True):
    """How a program keeps its sessions in the tables `sessions` and `messages`.

    `session_columns` are put before the messages of a session. `json_columns` hold JSON behind a prefix, "" for none:
    such a text is put into the record unchanged, and any other text as a string. If the text in `required_column` is
    not valid JSON, this text alone is the record, which is then damaged. `members` are the names that columns have in a
    record, if not all are in it under their own; the array of records is called `key`. Rows are read in `order`. The
    column `number` has their numbers: their id, or SQLite's own `rowid` where the id is a text. `count_column` is the
    column of `sessions` in which the program counts the messages of a session, "" for none.

    `write_index` writes the entries of changed rows in the program's own index, as its triggers would, and returns how
    many rows that changed.
    """

    session_columns: tuple[str, ...]
    json_columns: dict[str, bytes]
    newest: str
    key: str = "messages"
    order: str = "id"
    number: str = "id"
    count_column: str = ""
    members: dict[str, str] = {}
    required_column: str = ""
    write_index: Callable[[sqlite3.Connection, list[RowNumbers]], int] = no_index

    def assembly(self) -> DatabaseAssembly:
        """Return how the sessions are put together: an array of `{id, title, …, messages: [row, …]}`."""
        return DatabaseAssembly(self._put_sessions, self.newest, groups={_TABLE: _SESSION}, write_rows=self.write)

    def _put_sessions(self, text: AssembledText, database: sqlite3.Connection, path: str) -> None:
        heads = _session_heads(database, self.session_columns, self.number)
        text.put(b"[\n")
        with _texts_as_bytes(database):
            for head in heads:
                start = text.begin_object()
                text.put(orjson.dumps(head, default=str)[:-1] + b",%s:" % orjson.dumps(self.key))
                rows = self._rows(database, f"{_SESSION} IS ? ORDER BY {self.order}", head["id"])
                text.put_records(start, ((f"{_TABLE}:{key}", _joined(row)) for key, row in rows))
        text.put(b"\n]\n")

    def _rows(self, database: sqlite3.Connection, where: str, value: Any) -> Iterator[tuple[int, _Row]]:
        """Yield the number of each row, and its members as JSON."""
        cursor = database.execute(f"SELECT {self.number}, * FROM {_TABLE} WHERE {where}", (value,))
        names = [column[0] for column in cursor.description[1:]]
        for number, *values in cursor:
            row = dict(zip(names, values, strict=True))
            if not isinstance(number, int):
                raise UnreadableLog(tr("The rows of messages have no numbers, so this database cannot be read."))
            needed = row.get(self.required_column)
            if isinstance(needed, bytes) and not is_valid_json(needed):
                yield number, {_DAMAGED: needed}
                continue
            present = ((self.member_of(name), name, value) for name, value in row.items() if value is not None)
            yield number, {member: self._as_json(name, value) for member, name, value in present if member}

    def member_of(self, column: str) -> str:
        """Return the member of a record with this column, "" for none."""
        return self.members.get(column, "") if self.members else column

    def _as_json(self, column: str, value: Any) -> bytes:
        if not isinstance(value, bytes):
            return orjson.dumps(value)
        prefix = self.json_columns.get(column)
        if prefix is not None and value.startswith(prefix):
            text = value[len(prefix) :].strip()
            if text[:1] in (b"[", b"{") and is_valid_json(text):
                return text
        words = value.decode("utf-8", "surrogateescape")
        return json.dumps(words, ensure_ascii=False).encode("utf-8", "surrogateescape")

    def _as_stored(self, column: str, member: bytes) -> Any:
        if member[:1] in (b"[", b"{"):
            return (self.json_columns.get(column, b"") + member).decode()
        return parse_json(member)

    # writing

    def write(self, database: sqlite3.Connection, path: str, changes: MemberChanges) -> int:
        """Change, remove and add rows, and return how many. Raises ChangedMeanwhile.

        There is no room between two rows, so those that come after a new one get new numbers.
        """
        columns, numbers = _columns(database), list[RowNumbers]()
        counted = self._counts(database)
        for name, after in changes.members.items():
            if after is not None and self._update(database, columns, _number_of(name), _members(after)):
                numbers.append((_number_of(name), _number_of(name)))
        new_rows = list(self._new_rows(database, columns, changes))
        removed = [_number_of(name) for name, after in changes.members.items() if after is None]
        # A row that is moved is removed first, as its id may be unique. Columns that are in no record move with it.
        moved = self._moved_rows(database, removed, new_rows)
        for key in removed:
            if database.execute(f"DELETE FROM {_TABLE} WHERE {self.number} = ?", (key,)).rowcount != 1:
                raise ChangedMeanwhile.for_row(str(key), _TABLE)
        for row in new_rows:
            if row.before is None:
                self._insert(database, columns, row, moved.get(self._identity(row.members), {}))
            else:
                change = f"UPDATE {_TABLE} SET {self.number} = ? WHERE {self.number} = ?"
                database.execute(change, (row.number, row.before))
        numbers += [*((row.before, row.number) for row in new_rows), *((key, None) for key in removed)]
        return len(numbers) + self._write_counts(database, counted) + self.write_index(database, numbers)

    def _counts(self, database: sqlite3.Connection) -> dict[Any, int]:
        """Return the number of messages of each session, if the program counts them."""
        if not self.count_column:
            return {}
        return dict(database.execute(f"SELECT {_SESSION}, count(*) FROM {_TABLE} GROUP BY {_SESSION}"))

    def _write_counts(self, database: sqlite3.Connection, before: dict[Any, int]) -> int:
        """Add to the counts of sessions what their numbers of messages changed by. Return how many rows that changed.

        A count that was wrong before stays as wrong as it was.
        """
        after = self._counts(database)
        changes = [(after.get(session, 0) - count, session) for session, count in before.items()]
        update = f"UPDATE sessions SET {self.count_column} = max(0, {self.count_column} + ?) WHERE id = ?"
        return sum(database.execute(update, change).rowcount for change in changes if change[0])

    def _update(self, database: sqlite3.Connection, columns: _Columns, key: int, after: _Row) -> bool:
        """Change the columns of a row that differ. Return whether there are any."""
        with _texts_as_bytes(database):
            before = next((row for _, row in self._rows(database, f"{self.number} = ?", key)), None)
        if before is None:
            raise ChangedMeanwhile.for_row(str(key), _TABLE)
        changed = [name for name, column in columns.items() if self._differs(name, column, before, after)]
        values = [self._as_stored(name, after.get(self.member_of(name), b"null")) for name in changed]
        if changed:
            assigned = ", ".join(f'"{name}" = ?' for name in changed)
            database.execute(f"UPDATE {_TABLE} SET {assigned} WHERE {self.number} = ?", (*values, key))
        return bool(changed)

    def _differs(self, name: str, column: _Column, before: _Row, after: _Row) -> bool:
        """Return whether a column has to change. One that is not in the record is emptied if it may be empty."""
        member = self.member_of(name)
        if not member or name in (self.number, _SESSION):
            return False
        return before.get(member) != after[member] if member in after else member in before and column == _EMPTY

    def _new_rows(self, database: sqlite3.Connection, columns: _Columns, changes: MemberChanges) -> Iterator[_NewRow]:
        """Yield the rows to add, and those after them, which get new numbers. Raises ChangedMeanwhile."""
        sessions: dict[Any, None] = {}
        for key in sorted({_number_of(name) for name in (*changes.added_before, *changes.added_after)}):
            of_row = f"SELECT {_SESSION} FROM {_TABLE} WHERE {self.number} = ?"
            row = database.execute(of_row, (key,)).fetchone()
            if row is None:
                raise ChangedMeanwhile.for_row(str(key), _TABLE)
            sessions[row[0]] = None
        (number,) = database.execute(f"SELECT max({self.number}) FROM {_TABLE}").fetchone()
        # A new row has the time of the row next to it: two repairs of one log write the same.
        needed = (
            name for name, each in columns.items() if each.is_clock or not (each.may_be_empty or each.has_default)
        )
        kept = [name for name in needed if name not in (self.number, _SESSION)]
        listed = ", ".join(f'"{name}"' for name in (self.number, _SESSION, *kept))
        for session in sessions:
            of_session = f"SELECT {listed} FROM {_TABLE} WHERE {_SESSION} IS ? ORDER BY {self.order}"
            follows_new_row = False
            for key, *values in database.execute(of_session, (session,)).fetchall():
                beside = dict(zip((_SESSION, *kept), values, strict=True))
                name = f"{_TABLE}:{key}"
                before, after = changes.added_before.get(name, []), changes.added_after.get(name, [])
                for text in before:
                    number += 1
                    yield _NewRow(number, members=_members(text), beside=beside)
                if (follows_new_row or before) and changes.members.get(name, b"") is not None:
                    number += 1
                    yield _NewRow(number, before=key)
                for text in after:
                    number += 1
                    yield _NewRow(number, members=_members(text), beside=beside)
                follows_new_row = follows_new_row or bool(before or after)

    def _moved_rows(
        self, database: sqlite3.Connection, removed: list[int], new_rows: list[_NewRow]
    ) -> dict[bytes, dict[str, Any]]:
        """Return the columns of the removed rows that are added elsewhere, without those that order rows."""
        added = {self._identity(row.members) for row in new_rows if row.before is None}
        ordering, moved = self.order.replace(",", " ").split(), {}
        for key in removed if added else ():
            with _texts_as_bytes(database):
                found = [self._identity(members) for _, members in self._rows(database, f"{self.number} = ?", key)]
            for identity in added.intersection(found):
                cursor = database.execute(f"SELECT * FROM {_TABLE} WHERE {self.number} = ?", (key,))
                values = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
                moved[identity] = {name: value for name, value in values.items() if name not in ordering}
        return moved

    def _identity(self, members: _Row) -> bytes:
        """Return what a row keeps when it is moved: its own id, or if it has none, all of its record."""
        own = self.member_of("id") if self.number != "id" else self.member_of("message_id")
        return members.get(own) or _joined(members)

    def _insert(self, database: sqlite3.Connection, columns: _Columns, new: _NewRow, moved: dict[str, Any]) -> None:
        """Add a row. It has the session of the row beside it, and its values for columns that must not be empty.

        `moved` are the values of the row that is moved there.
        """
        beside = new.beside
        known = {name: new.members.get(self.member_of(name)) for name in columns}
        own = {name: self._as_stored(name, member) for name, member in known.items() if member is not None}
        row = beside | moved | {name: value for name, value in own.items() if value is not None}
        row |= {self.number: new.number, _SESSION: beside[_SESSION]}
        listed, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        database.execute(f"INSERT INTO {_TABLE} ({listed}) VALUES ({marks})", tuple(row.values()))


@contextmanager
def _texts_as_bytes(database: sqlite3.Connection) -> Iterator[None]:
    """Read texts as bytes: one that is not UTF-8 is damage, which is reported as such."""
    before, database.text_factory = database.text_factory, bytes
    try:
        yield
    finally:
        database.text_factory = before


def _session_heads(database: sqlite3.Connection, wanted: tuple[str, ...], number: str) -> list[dict[str, Any]]:
    """Return the wanted columns of each session, by the number of its first message. One may be known by it alone."""
    known = [name for (name,) in database.execute("SELECT name FROM pragma_table_info('sessions')")]
    columns = ", ".join(f'sessions."{name}"' for name in wanted if name in known)
    listed = f"""SELECT ids.id{", " if columns else ""}{columns} FROM
        (SELECT {_SESSION} AS id, min({number}) AS first FROM {_TABLE} GROUP BY {_SESSION}
         {"UNION ALL SELECT id, NULL FROM sessions" if known else ""}) AS ids
        {"LEFT JOIN sessions ON sessions.id = ids.id" if known else ""}
        GROUP BY ids.id ORDER BY min(first) IS NULL, min(first), ids.id"""
    cursor = database.execute(listed)
    names = [column[0] for column in cursor.description]
    heads = (zip(names, row, strict=True) for row in cursor.fetchall())
    return [{name: value for name, value in head if name == "id" or value is not None} for head in heads]


def _columns(database: sqlite3.Connection) -> _Columns:
    rows = database.execute(f"SELECT name, NOT [notnull], dflt_value FROM pragma_table_info('{_TABLE}')")
    return {
        name: _Column(bool(may_be_empty), default is not None, str(default).upper().startswith("CURRENT_"))
        for name, may_be_empty, default in rows
    }


def _joined(row: _Row) -> bytes:
    if _DAMAGED in row:
        return row[_DAMAGED]
    return b"{%s}" % b",".join(b"%s:%s" % (orjson.dumps(name), member) for name, member in row.items())


def _members(record: bytes) -> _Row:
    return {member.key: record[member.start : member.end] for member in object_members(record, 0)}


def _number_of(name: str) -> int:
    return int(name.partition(":")[2])
