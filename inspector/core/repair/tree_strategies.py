"""Strategies for the record tree: new parents for records that lost theirs, and new ids.

After a repair, other fields that name records, and the counts that a log keeps of itself, are updated as well.
"""

import re
from itertools import takewhile

from inspector.core.analysis.abandoned_branches import abandoned_branches
from inspector.core.analysis.compactions import expected_compaction_link
from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.model.record_tree import MISSING_PARENT, RecordTree, id_to_json
from inspector.core.model.session import DamagedLink, LinkDamage
from inspector.core.model.views import BlockKind
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Reason
from inspector.core.repair.strategy_task import StrategyTask
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, parse_json
from inspector.core.translation import tr

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def relink_to_previous_record(task: StrategyTask) -> None:
    """Link a record to the one before it. Further breaks on the path to the root are repaired as well."""
    _relink(task, in_circle=False)


def relink_cycle(task: StrategyTask) -> None:
    """Link a record to the one before it if the named parent leads back to the record."""
    _relink(task, in_circle=True)


def _relink(task: StrategyTask, in_circle: bool) -> None:
    if not task.context.format.link_keys.parent or any(link.text for link in _links_at(task)):
        _set_missing_parents(task)
        return
    context = task.context
    tree = RecordTree(context.columns)
    record = task.hit.record
    seen: set[int] = set()
    while record >= 0:
        parent = tree.parents[record]
        if parent == MISSING_PARENT or parent in seen or (in_circle and record == task.hit.record):
            parent = _nearest_possible_parent(task, tree, record, seen)
            task.draft.set_parent(record, _id_of(task, parent) if parent >= 0 else None)
            task.draft.add_reason(
                record, task.finding, tr("linked to the record before it"), f"/{context.format.link_keys.parent}"
            )
            tree.parents[record] = parent
        seen.add(record)
        record = parent


def _links_at(task: StrategyTask) -> list[DamagedLink]:
    """Return the damaged links of the record of the finding."""
    return [link for link in task.context.thread.damaged_links if link.record == task.hit.record]


def _set_missing_parents(task: StrategyTask) -> None:
    """Give a parent to all records that name none."""
    context, draft = task.context, task.draft
    links = [link for link in context.thread.damaged_links if link.kind == LinkDamage.MISSING_PARENT]
    for record in dict.fromkeys(link.record for link in links if link.text or not context.format.link_keys.parent):
        *before, own = draft.format.relink(context.columns, record, draft.raw, context.session.id)
        for raw in before:
            draft.add_before(record, raw, task.reason(tr("the parent of the next record was not recorded")))
        if own != draft.raw(record):
            draft.replace(record, own)
            draft.add_reason(record, task.finding, tr("linked to the readable record before it"))
        elif not before:
            draft.replace(record, own)
            draft.add_reason(record, task.finding, tr("changed to the form that the agent requires"))


def renumber_ordinals(task: StrategyTask) -> None:
    """Renumber a line and those after it, counting on from the line before it.

    Nothing is done if one of them is a compaction in whose list something was repaired, because its line is written
    around that.
    """
    draft = task.draft
    renumbered = list(draft.format.renumber_from(task.context.columns, task.hit.record, draft.raw))
    if any(_is_edited_within(draft, record) for record, _ in renumbered):
        return
    pointer = f"/{draft.format.link_keys.ordinal}"
    for record, raw in renumbered:
        if raw is None:
            draft.delete(record)
            draft.add_reason(
                record, task.finding, tr("repeats an earlier line with the same number, or is a second header")
            )
        else:
            draft.replace(record, raw)
            draft.add_reason(record, task.finding, tr("renumbered to follow the previous line"), pointer)


def _is_edited_within(draft: Draft, record: int) -> bool:
    """Return whether an element of a record, which is a record itself, was added, changed or dropped."""
    read, now = draft.log.columns, draft.columns
    slot = now.stable_numbers[record]
    elements = takewhile(lambda old: read.marks[old] & RecordMark.NO_ENVELOPE, range(slot + 1, draft.original_count))
    remaining = takewhile(lambda new: now.marks[new] & RecordMark.NO_ENVELOPE, range(record + 1, len(now)))
    changed = any(old in draft.texts or old in draft.dropped for old in elements)
    return changed or any(now.stable_numbers[new] >= draft.original_count for new in remaining)


def relink_program_inserted_turn(task: StrategyTask) -> None:
    """Link a turn that a program inserted to the newest message before it."""
    key = task.context.format.link_keys.parent
    branch = next(branch for branch in abandoned_branches(task.context) if branch.detached_child == task.hit.record)
    task.draft.set_parent(task.hit.record, task.context.columns.uuids[branch.last])
    task.draft.add_reason(task.hit.record, task.finding, tr("linked to the newest message before it"), f"/{key}")


def relink_compaction(task: StrategyTask) -> None:
    """Let a compaction name the message before it."""
    record, key = task.hit.record, task.context.format.link_keys.before_compaction
    named = expected_compaction_link(task.context, record)
    if named is not None:
        task.draft.replace(record, json_edits.set_member(task.draft.raw(record), "", key, dump_json(named)))
        task.draft.add_reason(record, task.finding, tr("now refers to the message before it"), f"/{key}")


def _nearest_possible_parent(task: StrategyTask, tree: RecordTree, record: int, seen: set[int]) -> int:
    """Return the nearest earlier record that can be the parent without closing a cycle, -1 if there is none."""
    columns = task.context.columns
    side = columns.marks[record] & RecordMark.SIDE_THREAD
    below = {record}  # records that are known to be descendants of the record
    for candidate in range(record - 1, -1, -1):
        # A record within another record (NO_ENVELOPE) is linked to nothing.
        fits = columns.roles[candidate] and not columns.marks[candidate] & (
            RecordMark.TRANSIENT | RecordMark.NO_ENVELOPE
        )
        if not fits or columns.marks[candidate] & RecordMark.SIDE_THREAD != side:
            continue
        if candidate in seen or candidate in below:
            continue
        ancestors: dict[int, None] = {}
        at = candidate
        while at >= 0 and at not in below and at not in ancestors:
            ancestors[at] = None
            at = tree.parents[at]
        if at not in below:
            return candidate
        below.update(ancestors)
    return -1


def relink_stranded_result(task: StrategyTask) -> None:
    """Join a result that is off the active path to it, right after its siblings."""
    context = task.context
    call_id, pointer = context.call_id(task.hit.tool), f"/{context.format.link_keys.parent}"
    for record in context.thread.stranded_results:
        if any(context.columns.call_ids[row] == call_id for row in context.columns.block_rows(record)):
            _insert_into_chain(task, record)
            task.draft.add_reason(record, task.finding, tr("moved to the path that the agent loads"), pointer)
            return


def _insert_into_chain(task: StrategyTask, record: int) -> None:
    """Insert a record into the path before the first record that comes after it in the log, so that no byte moves."""
    draft, columns = task.draft, task.context.columns
    slot, uuid = columns.stable_numbers[record], columns.uuids[record]
    path = task.context.thread.path
    successor = next((other for other in path if other > record), None)
    draft.links.unlink(record)
    draft.links.set_parent(slot, None)
    if successor is not None:
        draft.links.insert_before(slot, uuid, successor)
    else:
        draft.links.append(slot, uuid, path[-1])


def assign_new_record_id(task: StrategyTask) -> None:
    """Give the later of two records with the same id a new one. Records written after it are linked to the new id."""
    task.draft.links.rename_record(task.hit.record, _give_new_id(task, task.hit.record))


def _id_of(task: StrategyTask, record: int) -> str:
    """Return the id of a record. A record without an id, which cannot be a parent, is given one."""
    return task.context.columns.uuids[record] or _give_new_id(task, record)


def _give_new_id(task: StrategyTask, record: int) -> str:
    """Give a record a new id, and return it."""
    columns, key = task.context.columns, task.context.format.link_keys.record
    new = deterministic_uuid(f"{task.context.session.id}:{columns.uuids[record]}:{columns.stable_numbers[record]}")
    task.draft.replace(record, json_edits.set_member(task.draft.raw(record), "", key, dump_json(new)))
    task.draft.add_reason(record, task.finding, tr("given a new id"), f"/{key}")
    return new


# Ids of records that other records name besides the parent link. After a drop or a new leaf they must not dangle.


def redirect_references_to_dropped(draft: Draft) -> bool:
    """Update fields that name a dropped record, and an explicit pointer to the leaf.

    They name the record that took its place, and the new leaf. Returns whether anything had to change.
    """
    if draft.dropped_uuids:
        survivors = {dump_json(uuid): id_to_json(_survivor(draft, uuid)) for uuid in draft.dropped_uuids}
        answers = _answers_to_dropped(draft)
        for record, (role, slot) in enumerate(zip(draft.columns.roles, draft.columns.stable_numbers, strict=True)):
            # Metadata can name any record. A message names its parent, so it was changed if that was dropped. A result
            # names the record with its call.
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


def update_stored_counts(draft: Draft) -> bool:
    """Let the format correct the counts that its log keeps of itself. Returns whether anything had to change."""
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
    """Return the records of results whose call id a dropped record had as well."""
    read, now = draft.log.columns, draft.columns
    dropped = {read.call_ids[row] for slot in draft.dropped for row in read.block_rows(slot)} - {None}
    if not dropped:
        return set()
    blocks = zip(now.block_kinds, now.call_ids, strict=True)
    return {
        now.record_of_block(row)
        for row, (kind, call_id) in enumerate(blocks)
        if kind == BlockKind.RESULT and call_id in dropped
    }


def _survivor(draft: Draft, uuid: str | None) -> str | None:
    while uuid in draft.dropped_uuids:
        uuid = draft.dropped_uuids[uuid]
    return uuid


def _rename(draft: Draft, record: int, survivors: dict[bytes, bytes]) -> None:
    """Replace the ids among the strings of a record, in one pass for all of them."""
    raw = draft.raw(record)
    if survivors.keys().isdisjoint(_STRING.findall(raw)):
        return  # True for most records, and faster than a substitution.
    new = _STRING.sub(lambda string: survivors.get(string[0], string[0]), raw)
    if new != raw:
        draft.replace(record, new)
        draft.add_reason(record, "", tr("now refers to the record that replaced a dropped one"))


def _update_leaf_pointer(draft: Draft, record: int, old: str, new: str) -> None:
    raw, (key, counts) = draft.raw(record), draft.format.link_keys.leaf
    row = parse_json(raw)
    if key and (not counts or row.get(counts) is True) and row.get(key) == old:
        draft.replace(record, json_edits.set_member(raw, "", key, dump_json(new)))
        draft.add_reason(record, "", tr("now refers to the new last record"), f"/{key}")
