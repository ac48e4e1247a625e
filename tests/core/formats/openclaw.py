"""OpenClaw: written as its `SessionManager` of 2026.6.11 appends, loaded as its `buildSessionContext` does it.

What OpenClaw mends before it sends is not done here: the judge is to see the history as it stands.
"""

import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from tests.core.formats import pi
from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer, tear_file
from tests.support.judges import openai_error
from tests.support.notation import History, clock, lines
from tests.system.corpus.otherwise import OfFormat

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NAME = f"{pi.SESSION}.jsonl"
_KNOWN_TYPES = frozenset(
    "session message thinking_level_change model_change compaction branch_summary custom custom_message label "
    "session_info leaf".split()
)
HEADER = pi.HEADER | {"cwd": "/w/.openclaw/workspace"}
SNAPSHOT = {"timestamp": 1, "provider": "fake", "modelApi": "openai-completions", "modelId": "fake-1"}


def records(history: History) -> list[dict[str, Any]]:
    """The lines: the header, what OpenClaw notes before the first prompt, then the messages."""
    made = [HEADER, pi.entry(1, None, "model_change", provider="fake", modelId="fake-1")]
    made.append(pi.entry(2, 1, "custom", customType="model-snapshot", data=SNAPSHOT))
    for number, message in enumerate(pi.messages(history), 3):
        made.append(pi.entry(number, number - 1, "message", message=message))
    return made


def load(path: Path) -> History:
    """As pi does it, without entries that have no id.

    Where the first record is no header, the one that follows takes its place, or a new one with another id
    (`recoverCorruptSessionEntries`).

    An entry of an unknown type is never the leaf (`partitionSessionFileEntries`).
    """
    found = []
    for line in path.read_bytes().split(b"\n"):
        with suppress(ValueError):
            found.append(json.loads(line))
    if not found or not _is_header(found[0]):
        new = {"type": "session", "version": 3, "id": "new", "timestamp": clock(0)}
        header = next(filter(_is_header, found), new)
        found = [header, *(each for each in found if each.get("type") != "session")]
    version = found[0].get("version", 1)
    has_ids = isinstance(version, int) and version > 1
    known = [each for each in found if each["type"] == "session" or not has_ids or _has_id(each)]
    while known[-1]["type"] not in _KNOWN_TYPES:
        del known[-1]
    return pi.read(pi.context(lines(known)))


def _is_header(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "session" and isinstance(entry.get("id"), str)


def _has_id(entry: dict[str, Any]) -> bool:
    return isinstance(entry.get("id"), str) and entry["id"] != ""


def add_session(path: Path, events: Sequence[dict[str, Any] | bytes], session: str = pi.SESSION) -> Path:
    """Add the events of a session to a database of 2026.9.6; bytes are compressed, as long texts are."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(_TABLE)
        for number, event in enumerate(events):
            text = None if isinstance(event, bytes) else json.dumps(event, ensure_ascii=False)
            packed = zstd.compress(event) if isinstance(event, bytes) else None
            row = (session, number, text, number, packed)
            database.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", row)
        database.commit()
    return path


_TABLE = """CREATE TABLE IF NOT EXISTS transcript_events (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB,
    PRIMARY KEY (session_id, seq)
)"""
FORMAT = WrittenFormat(
    "openclaw",
    file_writer(NAME, lambda history: lines(records(history))),
    load,
    openai_error,
    cannot=NO_DEVELOPER,
    tear=tear_file,
    provider="openai-chat",
    also=("keeps-inputs",),
    bookkeeping=("api",),
)
CORPUS = OfFormat(
    folders=("openclaw",),
    elsewhere=("pi/*openclaw.large.jsonl",),
    broken={
        "openclaw/*openclaw.cleanup.jsonl": "F6 R1",
        "pi/*openclaw.large.jsonl": "G1 M12 R12",  # made up: results hang off the ids of calls, which are no entries
    },
)
