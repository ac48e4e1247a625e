"""What lies at a path, read without leaving a trace there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.robustness.fuzz.mutations.packed import SQLITE, in_memory
from tests.robustness.properties.records import Contents

# Tables whose rows an edit names by their number, as their ids are texts in some formats.
NAMED_BY_ROW = ("events", "messages")
# Columns that follow from the rows of other tables.
DERIVED = ("message_count",)


def lying(path: Path) -> Contents:
    """By name: bytes, and of a database that can be read its rows, as JSON, for its pages have no order."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return {
        file.name if file == path else str(file.relative_to(path)): _content(file) for file in files if file.is_file()
    }


def raw(path: Path) -> dict[str, bytes]:
    """By name, the bytes of every file."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def _content(file: Path) -> bytes | list[str]:
    data = file.read_bytes()
    if not data.startswith(SQLITE):
        return data
    try:
        with closing(in_memory(data)) as database:
            named = """SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                       AND name NOT LIKE '%\\_fts%' ESCAPE '\\'"""  # an index for searching
            tables = [name for (name,) in database.execute(named)]
            selected = {table: "rowid AS row, *" if table in NAMED_BY_ROW else "*" for table in tables}
            found = (
                (database.execute(f'SELECT {columns} FROM "{table}"'), table) for table, columns in selected.items()
            )
            return [row for rows, table in found for row in _rows(rows, table)]
    except (sqlite3.Error, UnicodeDecodeError):  # a table may have a name that is none
        return data


def _rows(found: sqlite3.Cursor, table: str) -> Iterator[str]:
    names = [each[0] for each in found.description]
    for row in found:
        columns = zip(names, map(_text, row), strict=True)
        yield json.dumps({"table": table} | {name: value for name, value in columns if name not in DERIVED})


def _text(value: Any) -> Any:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
