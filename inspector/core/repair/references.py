"""Ids of records that other records name beside the parent link: a drop or a new leaf must not leave them dangling."""

from __future__ import annotations

from inspector.core import splice
from inspector.core.columns import Mark, Role
from inspector.core.json_text import text_of, value_of
from inspector.core.repair.draft import Draft, Reason


def mend_references(draft: Draft) -> bool:
    """Let what named a dropped record name what took its place, and an explicit leaf pointer the new leaf.

    Returns whether anything had to change.
    """
    if draft.gone:
        survivors = {uuid: _survivor(draft, uuid) for uuid in draft.gone}
        for record, (role, slot) in enumerate(zip(draft.columns.roles, draft.columns.slots, strict=True)):
            # Metadata can name any record; a message names only the call that it hung off, so it was re-linked.
            if role in (Role.OPAQUE, Role.LINK) or slot in draft.texts:
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
        draft.because(record, "", settled.reason)
    for record in settled.deleted:
        draft.delete(record)
        draft.because(record, "", settled.reason)
    for record, raw in settled.added:
        draft.add(record, raw, None, None, Reason("", settled.reason))
    if not draft.has_pending:
        return False
    draft.commit()
    return True


def _survivor(draft: Draft, uuid: str | None) -> str | None:
    while uuid in draft.gone:
        uuid = draft.gone[uuid]
    return uuid


def _rename(draft: Draft, record: int, survivors: dict[str, str | None]) -> None:
    raw = new = draft.raw(record)
    for uuid, survivor in survivors.items():
        token = text_of(uuid)
        if token in new:
            new = new.replace(token, text_of(survivor))
    if new != raw:
        draft.replace(record, new)
        draft.because(record, "", "names the record that took the place of a dropped one")


def _point_at(draft: Draft, record: int, old: str, new: str) -> None:
    raw = draft.raw(record)
    row = value_of(raw)
    if row.get("explicit") is True and row.get("leafUuid") == old:
        draft.replace(record, splice.set_member(raw, "", "leafUuid", text_of(new)))
        draft.because(record, "", "names the new leaf", "/leafUuid")
