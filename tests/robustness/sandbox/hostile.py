"""Logs that try to do something: every text of a sample that is not a part of its format gets hostile words."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.core.formats import opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.support.notation import Call

# Each is put before every text: names, ids, paths, commands, words.
WORDS = {
    "path": "../../../../../../tmp/evil/",
    "command": "$(touch /tmp/evil); `touch /tmp/evil` | file:///etc/passwd http://127.0.0.1:9/evil? ",
}
# What a format is told by, or what its reader would not know it without.
_KEPT = frozenset(
    {"type", "role", "kind", "status", "event", "subtype", "stop_reason", "finish_reason", "finishReason", "mime"}
    | {"media_type", "timestamp", "version", "createTime", "startTime", "lastUpdated", "time", "object", "lc"}
    | {"provider", "schema", "level", "operation", "state", "reason", "encoding"}
)


def hostile(sample: Path, words: str, folder: Path) -> Path:
    """A sample with these words in all its texts, in `folder`."""
    data, path = sample.read_text("utf-8", "surrogateescape"), folder / sample.name
    if sample.suffix == ".jsonl":
        lines = (_line(line, words) for line in data.splitlines())
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8", "surrogateescape")
    else:
        path.write_text(_line(data, words), "utf-8", "surrogateescape")
    return path


def _line(data: str, words: str) -> str:
    try:
        return json.dumps(_value(json.loads(data), words), ensure_ascii=False)
    except ValueError:
        return data


def _value(value: Any, words: str, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _value(each, words, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_value(each, words, key) for each in value]
    return words + value if isinstance(value, str) and key not in _KEPT else value


STORED = [user(1, text("go")), assistant(2, tool(Call("A"), None)), user(3, text("stop")), assistant(4, text("ok"))]


def traps(folder: Path) -> Iterator[Path]:
    """Stores that reach for what is not theirs: by links, by triggers and views, by ids that are paths."""
    outside = folder / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    linked = opencode.write_folder(STORED, folder / "linked" / "storage")
    part = linked / "part" / "msg_0002" / "prt_000201.json"
    part.rename(outside / "part.json")
    part.symlink_to(outside / "part.json")
    yield linked
    (folder / "trap").mkdir()
    database = opencode.write_database(STORED, folder / "trap" / "opencode.db")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TRIGGER t AFTER UPDATE ON part BEGIN UPDATE message SET data = 'gone'; END")
        connection.execute(f"CREATE VIEW evil AS SELECT writefile('{outside / 'evil'}', 'x')")
        connection.commit()
    yield database
    named = opencode.write_folder(STORED, folder / "named" / "storage")
    message = named / "message" / opencode.SESSION / "msg_0002.json"
    message.write_text(message.read_text().replace('"msg_0002"', json.dumps(f"../../{'../' * 9}{os.fspath(outside)}")))
    yield named
