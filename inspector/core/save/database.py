"""Write changed rows of an SQLite database, in a copy made by SQLite's own backup or in place.

No other row is changed.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from inspector.core.errors import CannotWrite, ChangedMeanwhile, PartlyWritten, UnreadableLog
from inspector.core.save.atomic import fsync_folder, rename_to_free_name, temporary_beside
from inspector.core.save.backup import BACKUP_SUFFIX, restore_command
from inspector.core.save.file_metadata import MetadataSource, copy_metadata
from inspector.core.storage.log_layout import MemberChanges
from inspector.core.storage.source import file_stamp_if_present
from inspector.core.storage.sqlite import (
    SIDE_FILE_SUFFIXES,
    ArchivedDatabase,
    DatabaseContainer,
    connect,
    harden,
    open_read_only,
    without_triggers,
)
from inspector.core.translation import tr


def copy_database_with_changes(database: DatabaseContainer, target: Path, changes: MemberChanges) -> tuple[str, ...]:
    """Write the whole database to `target`, a free name, with the changes made and the content of its WAL.

    Returns sentences about metadata that could not be kept. Raises CannotWrite.
    """
    if isinstance(database, ArchivedDatabase):
        _unpack(database, target, changes)
        return copy_metadata(target, MetadataSource(database.archive))
    has_side_file = any(stamp for name, stamp in database.stamps.items() if name.endswith(SIDE_FILE_SUFFIXES))
    if changes.is_empty() and not has_side_file:
        # SQLite's backup would change the file's change counter.
        shutil.copyfile(database.path, target)
        return copy_metadata(target, MetadataSource(database.path))
    _back_up(database.path, target)
    with _writing(target) as connection:
        _change(connection, database, changes)
    _require_alone(target)
    return copy_metadata(target, MetadataSource(database.path))


def _unpack(database: ArchivedDatabase, target: Path, changes: MemberChanges) -> None:
    """Write a database from an archive to `target`, with the changes made. Raises CannotWrite."""
    try:
        target.write_bytes(database.data)
    except OSError as error:
        raise CannotWrite(
            tr("{target} could not be written: {error}. Nothing was changed.", target=target, error=error)
        ) from error
    if not changes.is_empty():
        with _writing(target) as connection:
            _change(connection, database, changes)
        _require_alone(target)


def back_up_database(path: Path) -> Path:
    """Write the whole database, unchanged, to a backup next to it and return its path. Raises CannotWrite."""
    with temporary_beside(path, is_folder=True) as folder:
        part = folder / path.name
        _back_up(path, part)
        try:
            copy_metadata(part, MetadataSource(path, with_owner=True))
            backup = rename_to_free_name(part, path, BACKUP_SUFFIX)
        except OSError as error:
            raise CannotWrite.from_error(error, f"{path}{BACKUP_SUFFIX}") from error
    fsync_folder(backup.parent)
    return backup


def _back_up(path: Path, target: Path) -> None:
    """Copy a database by SQLite's own backup. Raises CannotWrite."""
    try:
        with open_read_only(path) as source, connect(target) as connection:
            source.backup(connection)
    except (sqlite3.Error, OSError) as error:
        raise CannotWrite(
            tr("{target} could not be written: {error}. Nothing was changed.", target=target, error=error)
        ) from error
    _require_alone(target)


def _require_alone(target: Path) -> None:
    """Raise CannotWrite where SQLite closed a new database and left part of it in the WAL.

    SQLite reports no error in this case.
    """
    if any(file_stamp_if_present(f"{target}{suffix}") is not None for suffix in SIDE_FILE_SUFFIXES):
        raise CannotWrite(tr("{target} could not be written completely. Nothing was changed.", target=target))


def apply_to_database(database: DatabaseContainer, backup: Path, changes: MemberChanges) -> None:
    """Change the rows in place, in one transaction. Raises CannotWrite, ChangedMeanwhile.

    Raises PartlyWritten where a failing disk leaves it open whether the transaction was committed. Then the backup is
    needed.
    """
    try:
        _apply(database, changes)
    except ChangedMeanwhile as error:
        raise ChangedMeanwhile(f"{error}{_merged_wal_note(database)}") from error
    except CannotWrite as error:
        if not _is_as_it_was(database.path, backup):
            raise PartlyWritten(
                tr(
                    "{error} The database may have changed, so {backup} was kept. Close the agent, free up "
                    "disk space, and run: {restore_command}",
                    error=error,
                    backup=backup,
                    restore_command=restore_command(backup),
                )
            ) from error
        raise CannotWrite(f"{error}{_merged_wal_note(database)}") from error


def _merged_wal_note(database: DatabaseContainer) -> str:
    """Return a sentence if SQLite has moved the WAL into the database, "" if not.

    The last program that closes a database does so, whether it has changed anything or not.
    """
    wal = f"{database.path}-wal"
    if database.stamps.get(wal) is None or file_stamp_if_present(wal) is not None:
        return ""
    return tr(
        " SQLite moved the content of {wal} into {path}. No content was changed.",
        wal=wal,
        path=database.path,
    )


def _is_as_it_was(path: Path, backup: Path) -> bool:
    """Return whether the database reads the same as its backup, False when that cannot be decided.

    The whole database is compared: SQLite 3.40 removes a WAL that it has not read when it cannot make the file that it
    shares with other readers.
    """
    try:
        with open_read_only(path) as now, open_read_only(backup) as before:
            return all(line == backup_line for line, backup_line in zip_longest(now.iterdump(), before.iterdump()))
    except (UnreadableLog, sqlite3.Error, OSError):
        return False


def _apply(database: DatabaseContainer, changes: MemberChanges) -> None:
    with _writing(database.path) as connection:
        for path, stamp in database.stamps.items():
            if file_stamp_if_present(path) != stamp:
                raise ChangedMeanwhile.for_path(path)
        _change(connection, database, changes)


def restore_database(place: Path, backup: Path) -> None:
    """Restore a database from its backup. Raises PartlyWritten where that fails: then the backup is still needed."""
    try:
        with connect(backup) as source, connect(place, timeout=0) as connection:
            source.backup(connection)
    except sqlite3.Error as error:
        raise PartlyWritten(
            tr(
                "{place} could not be restored: {error}. {backup} contains the original. Resolve the problem, "
                "then run: {restore_command}",
                place=place,
                error=error,
                backup=backup,
                restore_command=restore_command(backup),
            )
        ) from error


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection in a transaction that is committed only if the database is sound after it.

    Raises CannotWrite.
    """
    try:
        with connect(path, timeout=0) as connection:
            connection.isolation_level = None
            harden(connection)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            check_result = connection.execute("PRAGMA integrity_check").fetchone()[0]
            if check_result != "ok":
                raise CannotWrite(
                    tr(
                        "Nothing was written, because the change would damage {path} ({check_result}).",
                        path=path,
                        check_result=check_result,
                    )
                )
            connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise CannotWrite(
                tr("{path} is in use. Close the agent, then save again. Nothing was written.", path=path)
            ) from error
        raise CannotWrite.from_error(error, path) from error
    except sqlite3.Error as error:
        raise CannotWrite.from_error(error, path) from error


def _change(connection: sqlite3.Connection, database: DatabaseContainer, changes: MemberChanges) -> None:
    """Change the named rows and no others, and add rows.

    Further changes that a statement causes, through a trigger for example, are counted and refused. Raises CannotWrite,
    ChangedMeanwhile.
    """
    before = connection.total_changes
    with without_triggers(connection):
        if database.write_rows is not None:
            expected = database.write_rows(connection, str(database.path), changes)
        else:
            expected = _change_rows(connection, database, changes)
    changed = connection.total_changes - before
    if changed != expected:
        raise CannotWrite(
            tr(
                "Nothing was written, because saving would also change other rows in {path} ({changed} rows "
                "instead of {number}). Export the session, and repair the export.",
                path=database.path,
                changed=changed,
                number=expected,
            )
        )


def _change_rows(connection: sqlite3.Connection, database: DatabaseContainer, changes: MemberChanges) -> int:
    """Change, add and remove rows, and return how many."""
    for name, after in changes.members.items():
        table, _, key = name.partition(":")
        column = database.columns[table]
        if after is not None:
            # A text stays a text, bytes stay bytes.
            new_value = f"CASE typeof({column}) WHEN 'blob' THEN CAST(? AS BLOB) ELSE CAST(? AS TEXT) END"
            cursor = connection.execute(f"UPDATE {table} SET {column} = {new_value} WHERE id = ?", (after, after, key))
            _require_row(cursor, table, key)
    copied = _add_rows(connection, database, changes)
    removed = [name for name, after in changes.members.items() if after is None]
    for name in removed:
        table, _, key = name.partition(":")
        _require_row(connection.execute(f"DELETE FROM {table} WHERE id = ?", (key,)), table, key)
    return len(changes.members) + copied


def _require_row(cursor: sqlite3.Cursor, table: str, key: str) -> None:
    if cursor.rowcount != 1:
        raise ChangedMeanwhile.for_row(key, table)


def _add_rows(connection: sqlite3.Connection, database: DatabaseContainer, changes: MemberChanges) -> int:
    """Add rows next to others, and return how many rows have to be written and removed for that.

    The rows of a group are read in the order of their ids, and there is no room between two ids. So the rows of the
    group that come after a new one get new ids at the end of the table. A new row has the other values of its
    neighbour. Raises CannotWrite, ChangedMeanwhile.
    """
    number = 0
    neighbours = changes.added_before.keys() | changes.added_after.keys()
    for table in sorted({name.partition(":")[0] for name in neighbours}):
        _require_no_references(connection, database, table)
        group, first_keys = database.groups[table], dict[object, int]()
        for key in sorted(int(name.partition(":")[2]) for name in neighbours if name.startswith(f"{table}:")):
            row = connection.execute(f"SELECT {group} FROM {table} WHERE id = ?", (key,)).fetchone()
            if row is None:
                raise ChangedMeanwhile.for_row(str(key), table)
            first_keys.setdefault(row[0], key)
        for value, first in first_keys.items():
            later = f"SELECT id FROM {table} WHERE {group} = ? AND id >= ? ORDER BY id"
            keys = [key for (key,) in connection.execute(later, (value, first))]
            number += _add_rows_to_group(connection, table, database.columns[table], changes, keys)
    return number


def _add_rows_to_group(
    connection: sqlite3.Connection, table: str, column: str, changes: MemberChanges, keys: list[int]
) -> int:
    """Add rows next to the rows with these ids, which are all that follow. `column` is the one that holds the JSON."""
    names = [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)) if name != "id"]
    listed = ", ".join(f'"{name}"' for name in names)
    filled = ", ".join("CAST(:text AS TEXT)" if name == column else f'"{name}"' for name in names)
    copy_row = f"INSERT INTO {table} ({listed}) SELECT {listed} FROM {table} WHERE id = :key"
    add_row = f"INSERT INTO {table} ({listed}) SELECT {filled} FROM {table} WHERE id = :key"
    number, follows_new_row = 0, False
    for key in keys:
        name = f"{table}:{key}"
        before, after = changes.added_before.get(name, []), changes.added_after.get(name, [])
        is_moved = (follows_new_row or bool(before)) and changes.members.get(name, b"") is not None
        connection.executemany(add_row, ({"key": key, "text": text} for text in before))
        if is_moved:
            connection.execute(copy_row, {"key": key})
        connection.executemany(add_row, ({"key": key, "text": text} for text in after))
        if is_moved:
            connection.execute(f"DELETE FROM {table} WHERE id = ?", (key,))
        number += len(before) + len(after) + 2 * is_moved
        follows_new_row = follows_new_row or bool(before or after)
    return number


def _require_no_references(connection: sqlite3.Connection, database: DatabaseContainer, table: str) -> None:
    """Raise CannotWrite where another table refers to rows of this one by their ids."""
    referring = """SELECT tables.name FROM sqlite_master AS tables, pragma_foreign_key_list(tables.name) AS keys
                   WHERE tables.type = 'table' AND keys."table" = ? COLLATE NOCASE"""
    row = connection.execute(referring, (table,)).fetchone()
    if row is not None:
        raise CannotWrite(
            tr(
                "Nothing was written, because adding rows to the table {table} in {path} would change ids that "
                "the table {referring} refers to.",
                table=table,
                path=database.path,
                referring=row[0],
            )
        )
