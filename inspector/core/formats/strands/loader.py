"""The messages of an agent that are loaded, and the numbers that a repair has to change.

Facts: strands-agents 1.62.0, session/repository_session_manager.py: `removed_message_count` in the file of the agent is
the number of its first files that are not loaded. The next message gets the number of the last one plus one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise

from inspector.core.formats.strands.reader import is_agent_file
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import DamagedLink, LinkDamage
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_STATE, _COUNT = "/conversation_manager_state", "removed_message_count"
_NONE = "0"
ALL_REMOVED = tr("All messages of the agent count as removed, so none is loaded, and new messages overwrite them.")


def loaded_path(originals: Columns, sequence: RecordSequence, columns: Columns, records: range) -> array[int]:
    """Return the messages among `records` that are loaded: those of `sequence` that were not removed, and new ones."""
    hidden = set(_removed_messages(originals, sequence.low, sequence.high))
    if records and is_agent_file(columns, records[0]) and columns.groups[records[0]] == _NONE:
        hidden = set()
    slots = columns.stable_numbers
    loaded = (record for record in records if slots[record] not in hidden)
    return array("I", (record for record in loaded if not is_agent_file(columns, record)))


def damage_if_all_removed(columns: Columns, records: range, path: Sequence[int]) -> list[DamagedLink]:
    """Return the damage of an agent whose messages all count as removed: the next ones overwrite them."""
    if path or len(records) < 2 or not is_agent_file(columns, records[0]):
        return []
    return [DamagedLink(records[0], LinkDamage.MISSING_PARENT, text=ALL_REMOVED)]


def with_all_messages(raw: bytes) -> bytes:
    """Return the file of an agent with a count of removed messages with which all are loaded."""
    return json_edits.set_member(raw, _STATE, _COUNT, dump_json(0))


def _removed_messages(columns: Columns, low: int, high: int) -> range:
    """Return the messages of the agent with these records that its conversation manager removed."""
    if low == high or not is_agent_file(columns, low):
        return range(0)
    return range(low + 1, high)[: int(columns.groups[low] or 0)]


def renumbered(before: Columns, after: Columns, raw: ReadRecord) -> Iterator[tuple[int, bytes]]:
    """Yield the messages whose number is not greater than that of the one before, and agents with a new count."""
    agents = [record for record in range(len(before)) if is_agent_file(before, record)]
    hidden = {agent: _removed_messages(before, agent, end) for agent, end in pairwise([*agents, len(before)])}
    left = set(after.stable_numbers)
    last = -1
    for record, slot in enumerate(after.stable_numbers):
        group = after.groups[record]
        if is_agent_file(after, record):
            last = -1
            removed = hidden.get(slot, range(0))
            kept = sum(each in left for each in removed)
            if kept != len(removed) and str(kept) != group:
                count = dump_json(kept)
                yield record, json_edits.set_member(raw(record), _STATE, _COUNT, count)
        elif group is not None:
            number = max(int(group), last + 1) if slot < len(before) else last + 1
            last = number
            if str(number) != group:
                yield record, json_edits.set_member(raw(record), "", "message_id", dump_json(number))
