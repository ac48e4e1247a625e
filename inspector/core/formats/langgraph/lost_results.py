"""The results of tools in the `writes` of a thread that are in none of its messages."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.formats.langgraph import packed
from inspector.core.formats.langgraph.state import key_of
from inspector.core.model.session import Log
from inspector.core.providers.message_fields import result_text
from inspector.core.storage.json_text import parse_json, text_at
from inspector.core.storage.sqlite import DatabaseContainer

_ORIGIN = "table writes"
_WRITES = """SELECT value FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND type = 'msgpack'
             AND channel NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY checkpoint_id DESC"""


def results_in_writes(
    log: Log, container: DatabaseContainer, calls: Mapping[str, EvidenceQuery]
) -> Iterator[LostResult]:
    """Yield the newest result of each of these calls; see `LostResultSource.lost_results_beside`."""
    file = Path(log.source.path).name
    with suppress(sqlite3.Error, UnreadableLog), container.connect() as database:
        for session in log.sessions:
            wanted = {call_id for call_id, call in calls.items() if call.record in session.records}
            for (data,) in database.execute(_WRITES, key_of(session)) if wanted else ():
                if isinstance(data, bytes) and any(call_id.encode() in data for call_id in wanted):
                    for result in _results(data, file):
                        if result.call_id in wanted:
                            wanted.discard(result.call_id)
                            yield result


def _results(data: bytes, file: str) -> Iterator[LostResult]:
    with suppress(*packed.DECODE_ERRORS):
        for element in packed.list_elements(data):
            fields = parse_json(packed.to_json(packed.message_fields(element)))
            if isinstance(fields, dict) and fields.get("type") == "tool":
                text, failed = result_text(fields.get("content")), fields.get("status") == "error"
                yield LostResult(text_at(fields, "/tool_call_id"), text, _ORIGIN, failed, path=file, content=fields)
