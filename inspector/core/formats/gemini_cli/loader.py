"""The messages that Gemini CLI loads from a chat: the newest version of each, without those rewound or replaced.

Facts: `loadConversationRecord` of gemini-cli-core 0.61.0. A message keeps the position at which its id first appeared.
`$rewindTo` drops that message and all after it, or everything if the id is not known. `$set.messages` replaces
everything.
"""

from __future__ import annotations

from array import array
from collections import Counter

from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.views import BlockKind


def message_versions(columns: Columns) -> tuple[int, dict[str, list[int]]]:
    """Return the newest checkpoint and the records of every remaining message, oldest version first, by its id.

    The checkpoint is -1 if there is none.
    """
    checkpoint, live = -1, dict[str, list[int]]()
    for record, (mark, group) in enumerate(zip(columns.marks, columns.groups, strict=True)):
        if mark & RecordMark.COMPACTION:
            checkpoint = record
            live.clear()
        elif group is None:
            continue
        elif mark & RecordMark.LEAF_POINTER:
            ids = list(live)
            for dropped in ids[ids.index(group) if group in live else 0 :]:
                del live[dropped]
        else:
            live.setdefault(group, []).append(record)
    return checkpoint, live


def active_path(columns: Columns, whole: bool) -> array[int]:
    """Return the loaded records in order, without those that repeat results of others.

    `whole` says that the chat is one document, see `loaded_records`.
    """
    return array("I", _without_copies(columns, loaded_records(columns, whole)))


def loaded_records(columns: Columns, whole: bool) -> list[int]:
    """Return the records that are loaded. With `whole` the chat is one document, which has no versions to resolve."""
    if whole:
        return [record for record in range(len(columns)) if columns.roles[record]]
    checkpoint, live = message_versions(columns)
    records = [checkpoint] if checkpoint >= 0 else []
    return records + [versions[-1] for versions in live.values() if columns.roles[versions[-1]]]


def _without_copies(columns: Columns, records: list[int]) -> list[int]:
    """Drop messages whose results are all held by the calls before them: newer versions record every result twice."""
    kept: list[int] = []
    results, calls = Counter[str | None](), Counter[str | None]()
    for record in records:
        role, rows = columns.roles[record], columns.block_rows(record)
        if role == Role.LINK:
            kept.append(record)
            continue
        if role == Role.USER and all(columns.block_kinds[row] == BlockKind.RESULT for row in rows):
            ids = {columns.call_ids[row] for row in rows}
            if None not in ids and all(results[call_id] and results[call_id] >= calls[call_id] for call_id in ids):
                continue
        model_rows = rows if role == Role.ASSISTANT else range(0)
        results = Counter(columns.call_ids[row] for row in model_rows if columns.block_kinds[row] == BlockKind.RESULT)
        calls = Counter(columns.call_ids[row] for row in model_rows if columns.block_kinds[row] == BlockKind.CALL)
        kept.append(record)
    return kept


def reappearing_versions(before: Columns, after: Columns) -> set[int]:
    """Return the records of `after` that are older versions of messages whose newest version was dropped.

    A document has none: no record of it names the session, and every message counts by itself.
    """
    if not any(before.uuids):
        return set()
    _, known = message_versions(before)
    slots = set(after.stable_numbers)
    dropped = {message for message, records in known.items() if records[-1] not in slots}
    if not dropped:
        return set()
    _, live = message_versions(after)
    return {record for message in dropped for record in live.get(message, ())}
