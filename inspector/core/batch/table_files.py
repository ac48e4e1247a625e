"""Write the rows of many logs to files: an SQLite database, or Parquet files by DuckDB.

A file takes its name only when it is complete. What an interrupted run has done so far is complete, too.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import astuple

from inspector.core.errors import CannotWrite, UnknownName
from inspector.core.lazy import LazyModule
from inspector.core.report.tables import TABLES, LogResult, encode_row
from inspector.core.storage.temporary_files import TemporaryPath
from inspector.core.translation import tr

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = LazyModule("duckdb")  # an extra, and slow to import

SUFFIXES = (".sqlite", ".parquet")
_SQLITE_TYPES = {str: "text", int: "integer", float: "real", bool: "integer"}
_DUCKDB_TYPES = {str: "varchar", int: "bigint", float: "double", bool: "boolean"}


class TableWriter(Protocol):
    """Takes rows, and writes them to files with `finish`. Leaving the `with` block without it writes nothing."""

    def __enter__(self) -> TableWriter: ...

    def __exit__(self, *_: object) -> None: ...

    def write(self, result: LogResult) -> None:
        """Take the rows of a log. Raises CannotWrite."""

    def finish(self) -> list[str]:
        """Give the files their names, and return these. Raises CannotWrite."""


def table_writer(target: str) -> TableWriter:
    """Return the writer for a target with one of SUFFIXES. Raises UnknownName, CannotWrite.

    NAME.parquet becomes NAME.files.parquet, NAME.sessions.parquet and NAME.findings.parquet.
    """
    suffix = Path(target).suffix.lower()
    if suffix not in SUFFIXES:
        raise UnknownName(
            tr(
                "{target} does not end with any of {suffixes}, so its format is unknown.",
                target=target,
                suffixes=", ".join(SUFFIXES),
            )
        )
    folder = Path(target).resolve().parent
    if not folder.is_dir():
        raise CannotWrite(
            tr("{target} cannot be written: the folder {folder} does not exist.", target=target, folder=folder)
        )
    return SqliteWriter(target) if suffix == ".sqlite" else ParquetWriter(target)


def _columns(table: type[Struct], types: dict[type, str]) -> dict[str, str]:
    """Return the columns of a table with the type of each in a database. All columns of a row are text or numbers."""
    hints = get_type_hints(table)
    columns = {}
    for name in table.__struct_fields__:
        kinds = {kind for kind in (hints[name], *get_args(hints[name])) if kind in types}
        columns[name] = types[kinds.pop()] if kinds else types[str]
    return columns


class _TemporaryFiles:
    """The files that are being written, each with the name that it takes at the end. `target` is what was asked for."""

    def __init__(self, target: str, names: Iterable[str]) -> None:
        self._target, self._names = target, [*names]
        self._stack = ExitStack()
        try:
            self.paths = [self._temporary(Path(name)) for name in self._names]
        except OSError as error:
            self.close()
            raise CannotWrite.from_error(error, target) from error

    def _temporary(self, name: Path) -> Path:
        if name.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return self._stack.enter_context(TemporaryPath(name.resolve().parent, name.name))

    def finish(self) -> list[str]:
        for path, name in zip(self.paths, self._names, strict=True):
            try:
                os.replace(path, os.path.realpath(name))
            except OSError as error:
                raise CannotWrite.from_error(error, self._target) from error
        return self._names

    def close(self) -> None:
        self._stack.close()


class SqliteWriter:
    """Writes an SQLite database with the tables files, sessions and findings."""

    def __init__(self, target: str) -> None:
        self._target, self._files = target, _TemporaryFiles(target, [target])
        self._database = sqlite3.connect(self._files.paths[0])
        try:
            # The database is new and unnamed until it is complete, so nothing has to be undone.
            self._database.execute("pragma journal_mode = off")
            for name, table in TABLES.items():
                columns = ", ".join(f'"{column}" {kind}' for column, kind in _columns(table, _SQLITE_TYPES).items())
                self._database.execute(f"create table {name} ({columns})")
        except sqlite3.Error as error:
            self._database.close()
            self._files.close()
            raise CannotWrite.from_error(error, target) from error

    def __enter__(self) -> SqliteWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._files.close()

    def write(self, result: LogResult) -> None:
        try:
            for name, rows in result.tables().items():
                marks = ", ".join("?" * len(TABLES[name].__struct_fields__))
                self._database.executemany(f"insert into {name} values ({marks})", map(astuple, rows))
        except sqlite3.Error as error:
            raise CannotWrite.from_error(error, self._target) from error

    def finish(self) -> list[str]:
        try:
            self._database.commit()
            self._database.close()
        except sqlite3.Error as error:
            raise CannotWrite.from_error(error, self._target) from error
        return self._files.finish()


class ParquetWriter:
    """Writes a Parquet file for each table. The rows wait as JSON beside the target, because there may be millions."""

    def __init__(self, target: str) -> None:
        self._database = _connect()
        stem = str(Path(target).with_suffix(""))
        self._target, self._outputs = target, dict[str, BinaryIO]()
        with ExitStack() as stack:
            stack.callback(self._database.close)
            self._rows = _TemporaryFiles(target, (f"{stem}.{name}.ndjson" for name in TABLES))
            stack.callback(self._rows.close)
            self._files = _TemporaryFiles(target, (f"{stem}.{name}.parquet" for name in TABLES))
            stack.callback(self._files.close)
            stack.callback(self._close_outputs)
            try:
                for name, path in zip(TABLES, self._rows.paths, strict=True):
                    self._outputs[name] = path.open("wb")
            except OSError as error:
                raise CannotWrite.from_error(error, target) from error
            self._stack = stack.pop_all()

    def __enter__(self) -> ParquetWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _close_outputs(self) -> None:
        for output in self._outputs.values():
            with suppress(OSError):  # rows that could not be written are no longer needed
                output.close()

    def write(self, result: LogResult) -> None:
        try:
            for name, rows in result.tables().items():
                self._outputs[name].writelines(encode_row(row) for row in rows)
        except OSError as error:
            raise CannotWrite.from_error(error, self._target) from error

    def finish(self) -> list[str]:
        try:
            for output in self._outputs.values():
                output.close()
            for table, rows, path in zip(TABLES.values(), self._rows.paths, self._files.paths, strict=True):
                _copy(self._database, rows, path, _columns(table, _DUCKDB_TYPES))
        except (OSError, duckdb.Error) as error:
            raise CannotWrite.from_error(_os_error(error), self._target) from error
        except RuntimeError as error:  # what DuckDB makes of Ctrl+C
            raise KeyboardInterrupt from error
        return self._files.finish()


def write_parquet(rows: Path, target: Path) -> None:
    """Write the rows of all tables, which are lines of JSON, to one Parquet file. Raises CannotWrite.

    It has the columns of all tables. The column `table` says which one a row belongs to.
    """
    columns = {"table": _DUCKDB_TYPES[str]}
    for table in TABLES.values():
        columns |= _columns(table, _DUCKDB_TYPES)
    with _connect() as database:
        try:
            _copy(database, rows, target, columns)
        except (OSError, duckdb.Error) as error:
            raise CannotWrite.from_error(_os_error(error), target) from error


def _connect() -> duckdb.DuckDBPyConnection:
    """Return a connection to the database in memory that this process has: opening another one takes longer."""
    try:
        return duckdb.cursor()
    except ImportError as error:
        raise CannotWrite(
            tr('Parquet files require DuckDB. To install it, run: pip install "transcript-inspector[parquet]"')
        ) from error


def _copy(database: duckdb.DuckDBPyConnection, rows: Path, target: Path, columns: dict[str, str]) -> None:
    named = ", ".join(f"'{column}': '{kind}'" for column, kind in columns.items())
    database.execute(
        f"copy (select * from read_json({_quoted(rows)}, format = 'newline_delimited',"
        f" columns = {{{named}}})) to {_quoted(target)} (format parquet, use_tmp_file false)"
    )


def _os_error(error: Exception) -> Exception:
    """Return the error of the operating system that DuckDB quotes, else the error itself."""
    number = re.search(r'"errno":"(\d+)"', str(error))
    return OSError(int(number[1]), os.strerror(int(number[1]))) if number else error


def _quoted(path: Path) -> str:
    return "'{}'".format(str(path).replace("'", "''"))
