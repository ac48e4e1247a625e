"""The errors in the `writes` of a thread: a tool that ended with one did run, also if the program was stopped by it."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.langgraph import packed
from inspector.core.formats.langgraph.state import PUSHED, TASKS, calls_of_task, key_of
from inspector.core.model.session import Log
from inspector.core.storage.sqlite import DatabaseContainer
from inspector.core.translation import tr

_ERRORS = """SELECT task_path, value, checkpoint FROM writes
             JOIN checkpoints USING (thread_id, checkpoint_ns, checkpoint_id)
             WHERE thread_id = ? AND checkpoint_ns = ? AND channel = '__error__'"""


def errors_of_tools(
    log: Log, container: DatabaseContainer, calls: list[EvidenceQuery]
) -> Iterator[tuple[int, EvidenceItem]]:
    """Yield the error that the tool of each of these calls ended with; see `CallEvidenceSource.evidence_beside`."""
    with suppress(sqlite3.Error, UnreadableLog), container.connect() as database:
        for session in log.sessions:
            numbers = {call.id: number for number, call in enumerate(calls) if call.record in session.records}
            for path, value, checkpoint in database.execute(_ERRORS, key_of(session)) if numbers else ():
                with suppress(*packed.DECODE_ERRORS, KeyError, IndexError):
                    tasks = packed.members(packed.members(checkpoint)["channel_values"])[TASKS]
                    task = packed.list_elements(tasks)[int(path.removeprefix(PUSHED).partition(",")[0])]
                    sentence = tr(
                        "According to the writes table, the tool ended with an error: {error}.",
                        error=packed.decode(value),
                    )
                    for call_id in numbers.keys() & set(calls_of_task(packed.decode(task))):
                        yield numbers[call_id], EvidenceItem(EvidenceStrength.RAN, sentence)
