"""Changed rows of an SQLite database: in a copy made by its own backup, or where they are. No other row is touched."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from inspector.core.bytes.members import Changes
from inspector.core.bytes.source import stamp_if_there
from inspector.core.containers.sqlite import BESIDE, Database, PackedDatabase, connected, harden, opened
from inspector.core.errors import CannotWrite, ChangedMeanwhile, HalfDone, UnreadableLog
from inspector.core.save.atomic import flush_folder, take_free_name, temporary_beside
from inspector.core.save.backup import SUFFIX, restore_command
from inspector.core.save.likeness import Likeness, liken


def copy(database: Database, target: Path, changes: Changes) -> tuple[str, ...]:
    """The whole database at `target`, where nothing is, with the changes made; what its WAL holds is in it.

    What could not be kept of the file is told. Raises CannotWrite.
    """
    if isinstance(database, PackedDatabase):
        _unpack(database, target, changes)
        return liken(target, Likeness(database.archive))
    if not changes and not any(database.stamps[name] for name in database.stamps if name.endswith(BESIDE)):
        # The backup counts itself as a change.
        shutil.copyfile(database.path, target)
        return liken(target, Likeness(database.path))
    _back_up(database.path, target)
    with _writing(target) as connection:
        _change(connection, database, changes)
    _require_alone(target)
    return liken(target, Likeness(database.path))


def _unpack(database: PackedDatabase, target: Path, changes: Changes) -> None:
    """Raises CannotWrite."""
    try:
        target.write_bytes(database.data)
    except OSError as error:
        raise CannotWrite(f"{target} could not be written: {error}. Nothing was changed.") from error
    if changes:
        with _writing(target) as connection:
            _change(connection, database, changes)
        _require_alone(target)


def back_up(path: Path) -> Path:
    """Keep the whole database as it is, beside it; the name of the backup. Raises CannotWrite."""
    with temporary_beside(path, is_folder=True) as spare:
        part = spare / path.name
        _back_up(path, part)
        try:
            liken(part, Likeness(path, owner=True))
            kept = take_free_name(part, path, SUFFIX)
        except OSError as error:
            raise CannotWrite.by(error, f"{path}{SUFFIX}") from error
    flush_folder(kept.parent)
    return kept


def _back_up(path: Path, target: Path) -> None:
    """Raises CannotWrite."""
    try:
        with opened(path) as source, connected(target) as connection:
            source.backup(connection)
    except (sqlite3.Error, OSError) as error:
        raise CannotWrite(f"{target} could not be written: {error}. Nothing was changed.") from error
    _require_alone(target)


def _require_alone(target: Path) -> None:
    """Raises CannotWrite where SQLite closed a new database and says nothing of what it left out of it, in its WAL."""
    if any(stamp_if_there(f"{target}{suffix}") is not None for suffix in BESIDE):
        raise CannotWrite(f"{target} could not be written: the disk did not take all of it. Nothing was changed.")


def apply(database: Database, kept: Path, changes: Changes) -> None:
    """Change the rows where they lie, in one transaction. Raises CannotWrite, ChangedMeanwhile.

    HalfDone where a failing disk leaves it open whether the transaction counts: then the backup `kept` is needed.
    """
    try:
        _apply(database, changes)
    except CannotWrite as error:
        if not _is_as_it_was(database.path, kept):
            raise HalfDone(
                f"{error} Whether it is changed is not certain, so {kept} was kept. Close the agent, make room on the "
                f"disk, and run: {restore_command(kept)}"
            ) from error
        raise


def _is_as_it_was(path: Path, kept: Path) -> bool:
    """Whether whoever opens the database finds all that its backup holds; False when that cannot be told.

    All of it is compared: SQLite 3.40 removes a WAL that it has not read when it cannot make the file that it shares
    with other readers.
    """
    try:
        with opened(path) as now, opened(kept) as before:
            return all(one == other for one, other in zip_longest(now.iterdump(), before.iterdump()))
    except (UnreadableLog, sqlite3.Error, OSError):
        return False


def _apply(database: Database, changes: Changes) -> None:
    with _writing(database.path) as connection:
        for path, stamp in database.stamps.items():
            if stamp_if_there(path) != stamp:
                raise ChangedMeanwhile.at(path)
        _change(connection, database, changes)


def restore(place: Path, kept: Path) -> None:
    """Put a backup back. Raises HalfDone: the backup is needed until that was possible."""
    try:
        with connected(kept) as source, connected(place, timeout=0) as connection:
            source.backup(connection)
    except sqlite3.Error as error:
        raise HalfDone(
            f"{place} could not be put back: {error}. {kept} holds the original. When what hinders it is gone, run: "
            f"{restore_command(kept)}"
        ) from error


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that is carried out whole, and only when the database is sound after it."""
    try:
        with connected(path, timeout=0) as connection:
            connection.isolation_level = None
            harden(connection, writes=True)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            told = connection.execute("PRAGMA integrity_check").fetchone()[0]
            if told != "ok":
                raise CannotWrite(f"{path} would not be sound after the change ({told}), so nothing was written.")
            connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise CannotWrite(f"{path} is in use: close the agent, then save again. Nothing was written.") from error
        raise CannotWrite.by(error, path) from error
    except sqlite3.Error as error:
        raise CannotWrite.by(error, path) from error


def _change(connection: sqlite3.Connection, database: Database, changes: Changes) -> None:
    """Change the named rows, and no others: whatever else a statement sets off is counted, and undone."""
    before = connection.total_changes
    for name, after in changes.items():
        table, _, key = name.partition(":")
        column = database.columns[table]
        if after is None:
            done = connection.execute(f"DELETE FROM {table} WHERE id = ?", (key,))
        else:
            # A text stays a text, bytes stay bytes.
            kept = f"CASE typeof({column}) WHEN 'blob' THEN CAST(? AS BLOB) ELSE CAST(? AS TEXT) END"
            done = connection.execute(f"UPDATE {table} SET {column} = {kept} WHERE id = ?", (after, after, key))
        if done.rowcount != 1:
            raise ChangedMeanwhile(f"Row {key} of {table} is no longer there, so nothing was written.")
    changed = connection.total_changes - before
    if changed != len(changes):
        raise CannotWrite(
            f"{database.path} changes {changed} rows where {len(changes)} were to be changed: something in it reacts "
            "to changes. Nothing was written; export the session, and repair the export."
        )
