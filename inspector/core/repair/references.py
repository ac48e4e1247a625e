"""Ids of records that other records name beside the parent link: a drop or a new leaf must not leave them dangling."""

import re

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json, parse_json
from inspector.core.index.columns import RecordMark, Role
from inspector.core.index.record_tree import id_to_json
from inspector.core.index.views import BlockKind
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Reason

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def repair_references(draft: Draft) -> bool:
    """Let what named a dropped record name what took its place, and an explicit leaf pointer the new leaf.

    Returns whether anything had to change.
    """
    if draft.dropped_uuids:
        survivors = {dump_json(uuid): id_to_json(_survivor(draft, uuid)) for uuid in draft.dropped_uuids}
        answers = _answers_to_dropped(draft)
        for record, (role, slot) in enumerate(zip(draft.columns.roles, draft.columns.stable_numbers, strict=True)):
            # Metadata can name any record; a message names the one that it hung off, so it was re-linked, and a result
            # the one with its call.
            if role in (Role.OPAQUE, Role.LINK) or slot in draft.texts or record in answers:
                _rename(draft, record, survivors)
    for old, new in draft.new_leaves.items():
        for record, mark in enumerate(draft.columns.marks):
            if mark & RecordMark.LEAF_POINTER:
                _update_leaf_pointer(draft, record, old, new)
    if not draft.has_pending:
        return False
    draft.commit()
    return True


def update_counts(draft: Draft) -> bool:
    """Let the format put right what its log counts of itself. Returns whether anything had to change."""
    if draft.columns is draft.log.columns:
        return False
    settled = draft.format.update_derived(draft.log.columns, draft.columns, draft.raw)
    for record, raw in settled.replaced.items():
        draft.replace(record, raw)
        draft.add_reason(record, "", settled.reason, settled.pointer)
    for record in settled.deleted:
        draft.delete(record)
        draft.add_reason(record, "", settled.reason)
    for record, raw in settled.added:
        draft.add(record, raw, None, None, Reason("", settled.reason))
    if not draft.has_pending:
        return False
    draft.commit()
    return True


def _answers_to_dropped(draft: Draft) -> set[int]:
    """The records of results whose id a dropped record had as well."""
    read, now = draft.log.columns, draft.columns
    dropped = {read.call_ids[row] for slot in draft.dropped for row in read.block_rows(slot)} - {None}
    if not dropped:
        return set()
    named = zip(now.block_kinds, now.call_ids, strict=True)
    return {
        now.record_of_block(row)
        for row, (kind, call_id) in enumerate(named)
        if kind == BlockKind.RESULT and call_id in dropped
    }


def _survivor(draft: Draft, uuid: str | None) -> str | None:
    while uuid in draft.dropped_uuids:
        uuid = draft.dropped_uuids[uuid]
    return uuid


def _rename(draft: Draft, record: int, survivors: dict[bytes, bytes]) -> None:
    """Exchange the ids among the strings of a record; one look for all of them, however many are gone."""
    raw = draft.raw(record)
    if survivors.keys().isdisjoint(_STRING.findall(raw)):
        return  # So it is with most, and to see that takes less time than to write them anew.
    new = _STRING.sub(lambda string: survivors.get(string[0], string[0]), raw)
    if new != raw:
        draft.replace(record, new)
        draft.add_reason(record, "", "names the record that took the place of a dropped one")


def _update_leaf_pointer(draft: Draft, record: int, old: str, new: str) -> None:
    raw, (key, counts) = draft.raw(record), draft.format.link_keys.leaf
    row = parse_json(raw)
    if key and row.get(counts) is True and row.get(key) == old:
        draft.replace(record, splice.set_member(raw, "", key, dump_json(new)))
        draft.add_reason(record, "", "names the new leaf", f"/{key}")
