"""Which events of OpenHands are sent, and which call a result belongs to.

Facts: OpenHands/software-agent-sdk @611629e, context/view/view.py and event/condenser.py: a `Condensation` takes the
events that it names out of what is sent, and puts its summary at an offset of the rest.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, Role
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import is_valid_json, list_at, parse_json, text_at, value_at


def bind_results_to_actions(columns: Columns, records: range, raw: ReadRecord) -> None:
    """Give results that name only their action the id of its call."""
    rows = range(columns.first_block[records.start], columns.first_block[records.stop])
    borrowed = [row for row in rows if columns.block_flags[row] & BlockFlag.BORROWED_ID]
    if not borrowed:
        return
    calls = {
        text_at(parse_json(raw(record)), "/id"): columns.call_ids[row]
        for record in records
        for row in columns.block_rows(record)
        if columns.block_kinds[row] == BlockKind.CALL
    }
    for row in borrowed:
        columns.call_ids[row] = calls.get(columns.call_ids[row] or "", columns.call_ids[row])


def sent_path(columns: Columns, path: Sequence[int], raw: ReadRecord) -> array[int]:
    """Return the events that are sent, in their order."""
    sent: list[int] = []
    ids: dict[int, str] = {}
    for record in path:
        event = parse_json(raw(record)) if _may_condense(columns, record, raw) else None
        if value_at(event, "/kind") != "Condensation":
            if columns.roles[record]:
                sent.append(record)
            continue
        forgotten = {each for each in list_at(event, "/forgotten_event_ids") if isinstance(each, str)}
        for known in sent:
            if known not in ids:
                ids[known] = text_at(parse_json(raw(known)), "/id")
        sent = [known for known in sent if ids[known] not in forgotten]
        if columns.roles[record]:
            offset = value_at(event, "/summary_offset")
            sent.insert(offset if isinstance(offset, int) else len(sent), record)
    return array("I", sent)


def _may_condense(columns: Columns, record: int, raw: ReadRecord) -> bool:
    """Return whether an event can be a condensation: one of the user with a summary, or one that is not sent."""
    if columns.roles[record] not in (Role.USER, Role.OPAQUE):
        return False
    text = raw(record)
    return b"Condensation" in text and is_valid_json(text)
