"""Ids of records that other records name beside the parent link: a drop or a new leaf must not leave them dangling."""

import re

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of, value_of
from inspector.core.index.columns import Mark, Role
from inspector.core.index.record_tree import as_json
from inspector.core.index.views import BlockKind
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Reason

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def mend_references(draft: Draft) -> bool:
    """Let what named a dropped record name what took its place, and an explicit leaf pointer the new leaf.

    Returns whether anything had to change.
    """
    if draft.gone:
        survivors = {text_of(uuid): as_json(_survivor(draft, uuid)) for uuid in draft.gone}
        answers = _answers_to_dropped(draft)
        for record, (role, slot) in enumerate(zip(draft.columns.roles, draft.columns.slots, strict=True)):
            # Metadata can name any record; a message names the one that it hung off, so it was re-linked, and a result
            # the one with its call.
            if role in (Role.OPAQUE, Role.LINK) or slot in draft.texts or record in answers:
                _rename(draft, record, survivors)
    for old, new in draft.new_leaves.items():
        for record, mark in enumerate(draft.columns.marks):
            if mark & Mark.LEAF_POINTER:
                _point_at(draft, record, old, new)
    if not draft.has_pending:
        return False
    draft.commit()
    return True


def settle(draft: Draft) -> bool:
    """Let the format put right what its log counts of itself. Returns whether anything had to change."""
    if draft.columns is draft.log.columns:
        return False
    settled = draft.format.settle(draft.log.columns, draft.columns, draft.raw)
    for record, raw in settled.replaced.items():
        draft.replace(record, raw)
        draft.because(record, "", settled.reason, settled.pointer)
    for record in settled.deleted:
        draft.delete(record)
        draft.because(record, "", settled.reason)
    for record, raw in settled.added:
        draft.add(record, raw, None, None, Reason("", settled.reason))
    if not draft.has_pending:
        return False
    draft.commit()
    return True


def _answers_to_dropped(draft: Draft) -> set[int]:
    """The records of results whose id a dropped record had as well."""
    read, now = draft.log.columns, draft.columns
    dropped = {read.call_ids[row] for slot in draft.dropped for row in read.rows(slot)} - {None}
    if not dropped:
        return set()
    named = zip(now.block_kinds, now.call_ids, strict=True)
    return {
        now.record_of(row)
        for row, (kind, call_id) in enumerate(named)
        if kind == BlockKind.RESULT and call_id in dropped
    }


def _survivor(draft: Draft, uuid: str | None) -> str | None:
    while uuid in draft.gone:
        uuid = draft.gone[uuid]
    return uuid


def _rename(draft: Draft, record: int, survivors: dict[bytes, bytes]) -> None:
    """Exchange the ids among the strings of a record; one look for all of them, however many are gone."""
    raw = draft.raw(record)
    if survivors.keys().isdisjoint(_STRING.findall(raw)):
        return  # So it is with most, and to see that takes less time than to write them anew.
    new = _STRING.sub(lambda string: survivors.get(string[0], string[0]), raw)
    if new != raw:
        draft.replace(record, new)
        draft.because(record, "", "names the record that took the place of a dropped one")


def _point_at(draft: Draft, record: int, old: str, new: str) -> None:
    raw, (key, counts) = draft.raw(record), draft.format.links.leaf
    row = value_of(raw)
    if key and row.get(counts) is True and row.get(key) == old:
        draft.replace(record, splice.set_member(raw, "", key, text_of(new)))
        draft.because(record, "", "names the new leaf", f"/{key}")
