"""The results of earlier runs, for logs that have not changed since. It holds rows without log content, and paths.

It is an SQLite file in the folder for caches, which may be deleted at any time, and which `forget` removes.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import msgspec

from inspector.core.batch.judging import JudgedTask, JudgingOptions, LogTask, decode_judged
from inspector.core.engine.activity import is_open_for_writing
from inspector.core.engine.path_checks import any_changed
from inspector.core.engine.stored_data import cache_file
from inspector.core.report.tables import LogResult
from inspector.version import __version__

_SETTLED_SECONDS = 60
"""A file that changed less than this ago may change again without a new time: its result is not kept."""
_NEVER_KEPT = frozenset(("fault", "unreadable"))  # the reason may be gone
_MAX_ENTRIES = 200_000
_COMMIT_SECONDS = 2.0
_TABLES = """
create table if not exists results (
    key blob primary key, judged blob not null, used integer not null
) without rowid;
create table if not exists counts (key blob primary key, logs blob not null) without rowid;
"""


class ResultCache:
    """The cache for one way of judging. Where it cannot be used, nothing is found and nothing is kept."""

    def __init__(self, options: JudgingOptions, file: Path | None = None) -> None:
        self._settings = msgspec.json.encode((__version__, options))
        self._database: sqlite3.Connection | None = None
        self._written = time.monotonic()
        file = file or cache_file()
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            self._database = sqlite3.connect(file, timeout=1)
            self._database.executescript(_TABLES)
        except (OSError, sqlite3.Error):
            self.close()

    def find(self, task: LogTask) -> LogResult | None:
        """Return the result for a file that is as it was, None if there is none."""
        if self._database is None:
            return None
        try:
            row = self._database.execute("select judged from results where key = ?", (self._key(task),)).fetchone()
            judged = decode_judged(row[0]) if row else None
        except (sqlite3.Error, msgspec.DecodeError):
            return None
        if judged is None or any_changed(judged.stamps.items()):
            return None
        has_open_calls = any(session.dangling for session in judged.result.sessions)
        return None if has_open_calls and is_open_for_writing(task.path) else judged.result

    def add(self, task: LogTask, judged: JudgedTask, encoded: bytes) -> None:
        """Keep a result, which is also given encoded, unless its files may change unseen."""
        if self._database is None or any(file.status in _NEVER_KEPT for file in judged.result.files):
            return
        newest = max((stamp.mtime_ns for stamp in judged.stamps.values() if stamp), default=None)
        if newest is None or newest / 1e9 > time.time() - _SETTLED_SECONDS or any_changed(judged.stamps.items()):
            return
        try:
            entry = (self._key(task), encoded, int(time.time()))
            self._database.execute("insert or replace into results values (?, ?, ?)", entry)
            if time.monotonic() > self._written + _COMMIT_SECONDS:
                self._commit()
        except sqlite3.Error:
            self.close()

    def swap_counts(self, tasks: Iterable[LogTask], counts: dict[str, int]) -> dict[str, int] | None:
        """Keep the numbers of logs by fingerprint, and return those of the last run on the same sources, if any."""
        if self._database is None:
            return None
        sources = sorted({os.path.abspath(task.ticket) for task in tasks})
        key = blake2b(self._settings + os.fsencode("\0".join(sources)), digest_size=16).digest()
        try:
            row = self._database.execute("select logs from counts where key = ?", (key,)).fetchone()
            before = msgspec.json.decode(row[0], type=dict[str, int]) if row else None
            self._database.execute("insert or replace into counts values (?, ?)", (key, msgspec.json.encode(counts)))
        except (sqlite3.Error, msgspec.DecodeError):
            return None
        return before

    def _key(self, task: LogTask) -> bytes:
        path = os.fsencode(os.path.abspath(task.path))
        asked = b"%d\0%s\0%s\0%s" % (task.is_found, os.fsencode(task.path), path, self._settings)
        return blake2b(asked, digest_size=16).digest()

    def _commit(self) -> None:
        if self._database is not None:
            self._database.commit()
            self._written = time.monotonic()

    def close(self) -> None:
        """Write what was added, and drop the oldest entries of a large cache."""
        database, self._database = self._database, None
        if database is None:
            return
        with suppress(sqlite3.Error):
            (count,) = database.execute("select count(*) from results").fetchone()
            if count > _MAX_ENTRIES:
                oldest = "delete from results where key in (select key from results order by used limit ?)"
                database.execute(oldest, (count - _MAX_ENTRIES,))
            database.commit()
        database.close()

    def __enter__(self) -> ResultCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
