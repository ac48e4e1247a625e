"""Logs for a cluster: sound, broken, and bad ones, which crash, hang, take all memory, or are cut off."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from inspector.core.report.tables import TABLES, LogResult
from tests.core.batch.folders import BROKEN, SOUND
from tests.core.formats.test_from_packages import installed
from tests.core.storage.test_session_parts import parts
from tests.support.archives import zip_of

KINDS = ("crash", "hog", "cut")
HOSTILE = '''
    """A format that does to its process what a log says. It claims no log."""

    import json
    import os
    import signal
    import time

    from inspector.core.formats.base.json_lines import JsonLines
    from inspector.core.formats.base.openai_messages import ChatMessages


    def parent(process):
        with open(f"/proc/{process}/stat") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])


    class Hostile(ChatMessages, JsonLines):
        name, label, profile, keys = "hostile", "Hostile", "openai-chat", "hostile"
        detection = read = write_back = resume = unsupported = source = "a test"

        def score(self, head):
            deed = head.lines[0].get("hostile") if head.is_lines else None
            if deed == "crash":
                os.kill(os.getpid(), signal.SIGKILL)
            if deed == "kill-worker":
                os.kill(parent(os.getppid()), signal.SIGKILL)
                time.sleep(60)
            while deed == "hang":
                pass
            if deed == "hog":
                held = bytearray(b"x") * (300 << 20)
                time.sleep(60)
            return 0.0

        def index_valid_record(self, columns, raw, start, end):
            raise AssertionError

        def sessions(self, log, columns, raw):
            raise AssertionError
'''


def hostile_format(folder: Path) -> dict[str, str]:
    """Install the format of bad logs to a folder, and return the environment of processes that know it."""
    path = os.environ.get("PYTHONPATH", "")
    return {
        "PYTHONPATH": os.pathsep.join(
            (str(installed(folder, "hostile = hostile_logs:Hostile", HOSTILE, "hostile")), path)
        )
    }


def hostile_log(deed: str) -> bytes:
    return json.dumps({"hostile": deed}).encode() + b"\n"


def made_logs(count: int, bad: int) -> Iterator[tuple[str, bytes]]:
    """The names of logs in some folders, and their bytes. One of ten bad ones hangs, which takes long."""
    whole = zip_of({"one.jsonl": BROKEN, "two.jsonl": SOUND})
    for number in range(count):
        folder = f"project-{number % 7}"
        turn, is_good = divmod(number, count // bad) if bad else (0, 1)
        if not is_good:
            kind = KINDS[turn % 3] if turn % 10 else "hang"
            data = whole[:-40] if kind == "cut" else hostile_log(kind)
            yield f"{folder}/{number:05}-{kind}.{'zip' if kind == 'cut' else 'jsonl'}", data
        else:
            yield f"{folder}/{number:05}.jsonl", SOUND if number % 3 else BROKEN


def stored_sessions(count: int) -> Iterator[tuple[str, bytes]]:
    """Objects as the Claude Agent SDK stores sessions, with records that were delivered twice, and subagents."""
    for number in range(count):
        lines = (SOUND if number % 3 else BROKEN).splitlines(keepends=True)
        folder = f"-home-project-{number % 5}/{number:08}-8f0e-4a3c-9d5b-7f2a1c3d4e5f"
        yield from parts(lines, 2, folder).items()
        if number % 4 == 0:
            yield from parts(lines, 2, f"{folder}/subagents/agent-1").items()


def write(folder: Path, members: Iterator[tuple[str, bytes]]) -> Path:
    for name, data in members:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def rows_of(results: list[LogResult]) -> list[str]:
    """The rows of results, sorted, without times."""
    return sorted(_line(name, row) for result in results for name, rows in result.to_dict().items() for row in rows)


def rows_in(run: str) -> list[str]:
    """The rows in the Parquet files of a run, in the same form."""
    lines = []
    for name, table in TABLES.items():
        columns = ", ".join(f'"{column}"' for column in table.__struct_fields__)
        query = f"""select {columns} from read_parquet('{run}/*.parquet') where "table" = '{name}'"""
        rows = duckdb.connect().execute(query).fetchall()
        lines += [_line(name, dict(zip(table.__struct_fields__, row, strict=True))) for row in rows]
    return sorted(lines)


def _line(table: str, row: dict[str, Any]) -> str:
    return json.dumps([table, {**row, "seconds": 0}], sort_keys=True)


REFERENCE = """
import sys, msgspec, inspector
options = msgspec.json.decode(sys.argv[2], type=inspector.JudgingOptions)
for result in inspector.judge_many([sys.argv[1]], options=options, jobs=1):
    sys.stdout.buffer.write(msgspec.json.encode(result) + b"\\n")
"""
