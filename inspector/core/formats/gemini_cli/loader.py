"""What the loader keeps of a chat: the newest version of every message, without what was rewound or replaced.

`loadConversationRecord` of gemini-cli-core 0.61.0: a message takes the place in which its id came first; `$rewindTo`
drops that message and all behind it, and everything when the id is not known; `$set.messages` replaces everything.
"""

from __future__ import annotations

from array import array
from collections import Counter

from inspector.core.model.columns import Columns, RecordMark, Role
from inspector.core.model.views import BlockKind


def message_versions(columns: Columns) -> tuple[int, dict[str, list[int]]]:
    """The newest checkpoint (-1 when there is none), and the records of every message that is left, by its id."""
    checkpoint, live = -1, dict[str, list[int]]()
    for record, (mark, group) in enumerate(zip(columns.marks, columns.groups, strict=True)):
        if mark & RecordMark.COMPACTION:
            checkpoint = record
            live.clear()
        elif group is None:
            continue
        elif mark & RecordMark.LEAF_POINTER:
            ids = list(live)
            for gone in ids[ids.index(group) if group in live else 0 :]:
                del live[gone]
        else:
            live.setdefault(group, []).append(record)
    return checkpoint, live


def active_path(columns: Columns, whole: bool) -> array[int]:
    """The records of a resume in their order, without those that repeat what others hold; for `whole` see `live_of`."""
    return array("I", _without_copies(columns, loaded_records(columns, whole)))


def loaded_records(columns: Columns, whole: bool) -> list[int]:
    """The records that are loaded; with `whole`, those of one document, of which nothing is folded."""
    if whole:
        return [record for record in range(len(columns)) if columns.roles[record]]
    checkpoint, live = message_versions(columns)
    records = [checkpoint] if checkpoint >= 0 else []
    return records + [each[-1] for each in live.values() if columns.roles[each[-1]]]


def _without_copies(columns: Columns, records: list[int]) -> list[int]:
    """Without the messages that repeat what the calls before them hold: newer versions record every result twice."""
    kept: list[int] = []
    held, asked = Counter[str | None](), Counter[str | None]()
    for record in records:
        role, rows = columns.roles[record], columns.block_rows(record)
        if role == Role.LINK:
            kept.append(record)
            continue
        if role == Role.USER and all(columns.block_kinds[row] == BlockKind.RESULT for row in rows):
            ids = {columns.call_ids[row] for row in rows}
            if None not in ids and all(held[own] and held[own] >= asked[own] for own in ids):
                continue
        spoken = rows if role == Role.ASSISTANT else range(0)
        held = Counter(columns.call_ids[row] for row in spoken if columns.block_kinds[row] == BlockKind.RESULT)
        asked = Counter(columns.call_ids[row] for row in spoken if columns.block_kinds[row] == BlockKind.CALL)
        kept.append(record)
    return kept


def reappearing_versions(before: Columns, after: Columns) -> set[int]:
    """The records of `after` that are older versions of messages whose newest version was dropped.

    None in a document, of which no record names the session: there every message counts by itself.
    """
    if not any(before.uuids):
        return set()
    _, known = message_versions(before)
    slots = set(after.stable_numbers)
    gone = {message for message, records in known.items() if records[-1] not in slots}
    if not gone:
        return set()
    _, live = message_versions(after)
    return {record for message in gone for record in live.get(message, ())}
